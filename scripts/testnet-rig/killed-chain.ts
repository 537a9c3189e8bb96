import { progress } from "./network.ts";
import { sendTransfers, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

export const killedChain: Trial = {
  number: 2,
  title: "a killed chain goes on with its engine, which ended by itself",
  isShort: true,
  async run(network) {
    const { pairs, lines } = network;
    const rounds = network.times(2, 8);
    const pair = pairs[0]!;
    for (let n = 0; n < rounds; n++) {
      const sending = sendTransfers(pairs.slice(1), 30);
      await Bun.sleep(network.moment(400));
      process.kill(pair.chain.pid!, "SIGKILL");
      const hashes = await sending;
      await progress(pairs);
      await untilIn(pair, hashes);
    }
    // An engine that was killed before it had dialled waits for the chain, and does not end.
    if (!lines.some((line) => line.includes("engine ended (exit code 0)")))
      throw new Error("no engine ended by itself");
    return `${rounds} kills`;
  },
};
