import { PROXIED } from "./network.ts";
import { sendTransfers, timesIn, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

export const submissions: Trial = {
  number: 1,
  title: "transactions through all four, in three modes, are in blocks once",
  isShort: true,
  network: PROXIED,
  async run(network) {
    const { pairs } = network;
    const count = network.times(60, 1_000);
    const hashes = await sendTransfers(pairs, count);
    if (hashes.length !== count) throw new Error(`${count - hashes.length} of ${count} were not taken`);
    for (const pair of pairs) {
      await untilIn(pair, hashes);
      if (timesIn(pair, hashes).some((each) => each !== 1)) throw new Error("one is in two blocks");
    }
    return `${count} transactions`;
  },
};
