import { heightOf, progress } from "./network.ts";
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
    "one of four is away while epochs end, then two are while one should end: powers change alike, nobody makes blocks alone, and all go on",
  async run(network) {
    const { pairs } = network;
    const [first, , third, fourth] = pairs as [
      (typeof pairs)[0],
      (typeof pairs)[0],
      (typeof pairs)[0],
      (typeof pairs)[0],
    ];
    await progress(pairs, 5);
    await fourth!.stop();
    const three = network.others(fourth!);
    const before = await sendTransfers(three, 20);
    await Bun.sleep(AWAY_MS);
    await progress(three, 3);
    const ended = await powers(first!);
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
    const returned = await powers(first!);
    return `powers of the four ${ended}, and ${returned} afterwards`;
  },
};

/** The height behind which it stands. */
async function settled(pair: Parameters<typeof heightOf>[0]): Promise<number> {
  await Bun.sleep(STAND_MS);
  return heightOf(pair);
}

async function powers({ node }: { readonly node: { readonly rpcPort: number } }): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${node.rpcPort}/validators`);
  const { result } = (await answer.json()) as { result: { validators: { voting_power: string }[] } };
  return result.validators.map(({ voting_power }) => voting_power).join(", ");
}
