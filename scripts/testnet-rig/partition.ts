import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { heightOf, Patience, progress, type RigNetwork, reach } from "./network.ts";
import { parties, send, sendTransfers, signed, timesIn, tipOf, transfer, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** As of the reference, on a quiet machine. */
const HEAL_MS = 15_000;
const CUT_MS = 30_000;
/** Two of four, until it is sure that neither makes blocks. */
const STAND_MS = 8_000;

export const partition: Trial = {
  number: 7,
  network: { hasLinks: true },
  title:
    "one of four is cut off, then heard and not answered, then two of four: three go on, or none; after it all go on, and nothing is lost silently",
  async run(network) {
    const { links, pairs } = network;
    const [first, , , fourth] = pairs;
    const patience = new Patience(HEAL_MS);
    const heal = async (waiting: readonly string[]) => {
      links!.heal();
      await patience.within(() => progress(pairs));
      await inBlocksOnce(network, waiting);
    };

    links!.part([4], "closed");
    await heal(await lonely(network, fourth!, CUT_MS));

    links!.part([4], "silent");
    await heal(await lonely(network, fourth!, CUT_MS / 3));

    // It hears the others, which do not hear it.
    for (const pair of network.others(fourth!)) links!.set(pair.node.number, 4, "silent backwards");
    await progress(network.others(fourth!), 5);
    await heal([]);

    links!.part([3, 4], "closed");
    const sent = await Promise.all([first!, fourth!].map((pair) => sendSync(pair, 5)));
    const stood = await settled(pairs);
    await Bun.sleep(STAND_MS);
    const later = await Promise.all(pairs.map(heightOf));
    if (String(later) !== String(stood)) throw new Error(`two of four make blocks: ${stood}, then ${later}`);
    await heal(sent.flat());
    return `cut for 30 s, silent, one-sided, and in halves; ${patience.sentence} after the return`;
  },
};

/** Cut off, a validator stands, and the others go on. @returns hashes that were sent to it */
async function lonely(network: RigNetwork, lone: ValidatorPair, ms: number): Promise<string[]> {
  const others = network.others(lone);
  const end = performance.now() + ms;
  const waiting = await sendSync(lone, 10);
  const hashes = await sendTransfers(others, 30);
  await progress(others, 5);
  for (const pair of others) await untilIn(pair, hashes);
  const stood = await heightOf(lone);
  await Bun.sleep(Math.max(0, end - performance.now()));
  if ((await heightOf(lone)) > stood + 1) throw new Error("a validator makes blocks alone");
  return waiting;
}

/** Sends transfers in the mode that answers with the check. */
async function sendSync(pair: ValidatorPair, count: number): Promise<string[]> {
  const tip = await tipOf(pair);
  const hashes: string[] = [];
  for (let n = 0; n < count; n++) {
    const command = await transfer(pair, n + 1, 100_000n + BigInt(n));
    const answer = await send(pair, signed(command, parties[n % parties.length]!, tip), "TYPE_SYNC");
    // A validator that knows that it stands takes nothing, and says so.
    if (answer.success) hashes.push(answer.txHash);
    else if (!JSON.stringify(answer).includes("stands at block"))
      throw new Error(`refused without a reason: ${JSON.stringify(answer)}`);
  }
  return hashes;
}

/** Heights once nothing of a block is under way any more. */
async function settled(pairs: readonly ValidatorPair[]): Promise<readonly number[]> {
  await Bun.sleep(STAND_MS / 2);
  return Promise.all(pairs.map(heightOf));
}

/** Every transaction that was taken is in a block of every validator, once: the lone one still has it, and sends it to the others. */
async function inBlocksOnce({ pairs }: RigNetwork, hashes: readonly string[]): Promise<void> {
  const height = await heightOf(pairs[0]!);
  await reach(pairs, height + 5);
  for (const pair of pairs) {
    const times = timesIn(pair, hashes);
    if (times.some((each) => each > 1)) throw new Error("a transaction is in two blocks");
    const missing = times.filter((each) => each === 0).length;
    if (missing > 0) throw new Error(`${missing} of ${hashes.length} that were taken are in no block`);
  }
}
