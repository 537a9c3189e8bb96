import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { follow, Patience, progress, type RigNetwork } from "./network.ts";
import { parties, send, sendTransfers, signed, timesIn, tipOf, transfer } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** Both processes of each start again, and find their peers. */
const RETURN_MS = 30_000;
const COMMITS = 5;

export const powerFailure: Trial = {
  number: 18,
  network: {},
  title:
    "all processes of all validators are killed at once, again and again: what was said to be in a block is in one",
  async run(network) {
    const { pairs } = network;
    const patience = new Patience(RETURN_MS);
    const rounds = network.times(2, 6);
    const committed: string[] = [];
    const taken: string[] = [];
    for (let n = 0; n < rounds; n++) {
      const sending = Promise.all([commits(pairs), sendTransfers(pairs, 20).catch(() => [])]);
      await Bun.sleep(300 + network.moment(1_200));
      killAll(network);
      const [inBlocks, others] = await sending;
      committed.push(...inBlocks);
      taken.push(...others);
      await patience.within(() => progress(pairs));
      await follow(pairs);
    }
    if (committed.length === 0) throw new Error("no sender heard of its block");
    for (const pair of pairs) {
      const lost = timesIn(pair, committed).filter((times) => times !== 1).length;
      if (lost > 0) throw new Error(`${lost} of ${committed.length} that were in blocks are not, or twice`);
      if (timesIn(pair, taken).some((times) => times > 1)) throw new Error("a transaction is in two blocks");
    }
    return `${rounds} times; ${committed.length} in blocks before, ${taken.length} taken; ${patience.sentence}`;
  },
};

function killAll({ pairs }: RigNetwork): void {
  for (const { chain, engine } of pairs)
    for (const { pid } of [chain, engine]) if (pid !== undefined) process.kill(pid, "SIGKILL");
}

/** Sends transfers one after the other to each validator. @returns the hashes whose sender heard of their block */
async function commits(pairs: readonly ValidatorPair[]): Promise<string[]> {
  const hashes = await Promise.all(
    pairs.map(async (pair, at) => {
      const own: string[] = [];
      for (let n = 0; n < COMMITS; n++) {
        try {
          const command = await transfer(pair, n + 1, 100_000n + BigInt(n));
          const { success, height, txHash } = await send(
            pair,
            signed(command, parties[at]!, await tipOf(pair)),
            "TYPE_COMMIT",
          );
          if (success && height !== "0") own.push(txHash);
        } catch {
          // It is away.
        }
      }
      return own;
    }),
  );
  return hashes.flat();
}
