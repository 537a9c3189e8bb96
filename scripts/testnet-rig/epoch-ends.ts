import { alike } from "./comparison.ts";
import { engineOf, heightOf, type NodePlace, progress, reach } from "./network.ts";
import { sendTransfers, timesIn, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

const EPOCH_SECONDS = 12;
/** Longer than an epoch. */
const AWAY_MS = 1_500 * EPOCH_SECONDS;
const STAND_MS = 6_000;

export const epochEnds: Trial = {
  number: 19,
  network: { parameters: { "validators.epoch.length": `${EPOCH_SECONDS}s` } },
  title:
    "one of four is away while epochs end, then two are while one should end: it loses power on all alike and regains it, two make no blocks, and all go on",
  async run(network) {
    const { pairs } = network;
    const [first, , third, fourth] = pairs;
    await progress(pairs, 5);
    const { address } = await engineOf(fourth!).ownValidator();
    const began = await powers(pairs);
    await fourth!.stop();
    const three = network.others(fourth!);
    const before = await sendTransfers(three, 20);
    await Bun.sleep(AWAY_MS);
    await progress(three, 3);
    const ended = await powers(three);
    if (!(shareIn(ended, address) < shareIn(began, address)))
      throw new Error(`the one away loses no power: ${textOf(began)}, then ${textOf(ended)}`);
    await third!.stop();
    const stood = await settled(first!);
    await Bun.sleep(AWAY_MS);
    if ((await heightOf(first!)) > stood) throw new Error("two of four make blocks");
    fourth!.start();
    third!.start();
    await progress(pairs, 5);
    const after = await sendTransfers(pairs, 20);
    for (const pair of pairs) {
      await untilIn(pair, [...before, ...after]);
      if (timesIn(pair, [...before, ...after]).some((each) => each !== 1))
        throw new Error("one is in two blocks");
    }
    // Its performance is that of all others again behind some epochs.
    await Bun.sleep(AWAY_MS);
    await progress(pairs, 3);
    const returned = await powers(pairs);
    if (!(shareIn(returned, address) > shareIn(ended, address)))
      throw new Error(`the one that came back regains no power: ${textOf(ended)}, then ${textOf(returned)}`);
    return `powers of the four ${textOf(began)}, ${textOf(ended)} with one away, and ${textOf(returned)} afterwards`;
  },
};

/** The height behind which it stands. */
async function settled(pair: NodePlace): Promise<number> {
  await Bun.sleep(STAND_MS);
  return heightOf(pair);
}

/** By consensus address, for the block after the highest one, of which all have the same. */
async function powers(pairs: readonly NodePlace[]): Promise<ReadonlyMap<string, string>> {
  const height = Math.max(...(await Promise.all(pairs.map(heightOf)))) + 1;
  await reach(pairs, height);
  const all = await Promise.all(pairs.map((pair) => powersAt(pair, height)));
  alike(`powers at block ${height}`, all);
  return all[0]!;
}

async function powersAt({ node }: NodePlace, height: number): Promise<ReadonlyMap<string, string>> {
  const answer = await fetch(`http://127.0.0.1:${node.rpcPort}/validators?height=${height}`);
  const { result } = (await answer.json()) as {
    result: { validators: { address: string; voting_power: string }[] };
  };
  return new Map(
    result.validators.map(({ address, voting_power }) => [address.toLowerCase(), voting_power] as const),
  );
}

/** Of ten thousand; the sum differs, for the powers of the genesis are not of the size of later ones. */
function shareIn(all: ReadonlyMap<string, string>, address: string): bigint {
  const sum = [...all.values()].reduce((total, power) => total + BigInt(power), 0n);
  // A node without power is not among them.
  return (10_000n * BigInt(all.get(address) ?? 0)) / sum;
}

const textOf = (all: ReadonlyMap<string, string>): string => [...all.values()].join(", ");
