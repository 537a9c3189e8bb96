import { join } from "node:path";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { dataUrlOf, urlOf } from "./network.ts";
import type { Trial } from "./trial.ts";

export const readmeExamples: Trial = {
  number: 16,
  title: "the README's two examples run unchanged at the third validator",
  async run({ pairs }) {
    for (const name of ["first-transfer", "first-market"]) await runExample(name, pairs[2]!);
    return "a transfer, and a market from its proposal to its settlement";
  },
};

/** Runs an example at a validator. @throws Error when it fails */
export async function runExample(name: string, pair: ValidatorPair): Promise<void> {
  // Not at one go: the validators' logs are read meanwhile.
  const child = Bun.spawn(["node", `examples/${name}.mjs`, urlOf(pair, ""), dataUrlOf(pair, "")], {
    cwd: join(import.meta.dir, "..", ".."),
    stdout: "ignore",
    stderr: "pipe",
    timeout: 120_000,
  });
  const text = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${name} ended with ${child.exitCode}: ${text}`);
}
