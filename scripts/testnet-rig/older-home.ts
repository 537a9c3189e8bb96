import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { progress } from "./network.ts";
import { sendTransfers } from "./transactions.ts";
import type { Trial } from "./trial.ts";

export const olderHome: Trial = {
  number: 4,
  title: "a home of some blocks ago, then an empty one, comes to where the others are",
  async run({ pairs, folder }) {
    const pair = pairs[2]!;
    const copy = join(folder, "older");
    await pair.stop();
    cpSync(pair.node.home, copy, { recursive: true });
    pair.start();
    await sendTransfers(pairs.slice(0, 2), 30);
    await progress(pairs, 7);
    await pair.stop();
    rmSync(pair.node.home, { recursive: true });
    cpSync(copy, pair.node.home, { recursive: true });
    pair.start();
    await progress(pairs);
    await pair.stop();
    rmSync(pair.node.home, { recursive: true });
    pair.start();
    await progress(pairs);
    return "replayed from its copy, and from the genesis";
  },
};
