import { engineHeightOf, progress } from "./network.ts";
import { sendTransfers, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

export const partition: Trial = {
  number: 7,
  title: "one of four stands still, then two: three go on, then nobody, then all",
  async run({ pairs }) {
    const [, , third, fourth] = pairs;
    fourth!.engine.pause();
    const hashes = await sendTransfers(pairs.slice(0, 3), 30);
    await progress(pairs.slice(0, 3), 5);
    third!.engine.pause();
    await Bun.sleep(3_000);
    const stood = await engineHeightOf(pairs[0]!);
    await Bun.sleep(4_000);
    const later = await engineHeightOf(pairs[0]!);
    if (later > stood + 1) throw new Error(`two of four make blocks: ${stood}, ${later}`);
    fourth!.engine.resume();
    third!.engine.resume();
    const began = performance.now();
    await progress(pairs);
    for (const pair of pairs) await untilIn(pair, hashes);
    return `all go on ${((performance.now() - began) / 1_000).toFixed(1)} s after the return`;
  },
};
