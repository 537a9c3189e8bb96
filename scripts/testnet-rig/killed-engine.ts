import { progress } from "./network.ts";
import { sendTransfers } from "./transactions.ts";
import type { Trial } from "./trial.ts";

export const killedEngine: Trial = {
  number: 3,
  title: "engines killed at any moment, then both processes in both orders",
  async run(network) {
    const { pairs } = network;
    const rounds = network.times(2, 20);
    for (let n = 0; n < rounds; n++) {
      const pair = pairs[n % pairs.length]!;
      const sending = sendTransfers(network.others(pair), 15);
      await Bun.sleep(network.moment(600));
      const first = n % 4 === 2 ? pair.chain : pair.engine;
      const second = n % 4 === 2 ? pair.engine : n % 4 === 3 ? pair.chain : undefined;
      process.kill(first.pid!, "SIGKILL");
      if (second?.pid !== undefined) process.kill(second.pid, "SIGKILL");
      await sending;
      await progress(pairs);
    }
    return `${rounds} kills`;
  },
};
