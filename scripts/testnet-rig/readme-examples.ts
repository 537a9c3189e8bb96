import { join } from "node:path";
import type { Trial } from "./trial.ts";

export const readmeExamples: Trial = {
  number: 16,
  title: "the README's two examples run unchanged at the third validator",
  async run({ pairs }) {
    const { nodePort, dataPort } = pairs[2]!.node;
    for (const name of ["first-transfer", "first-market"]) {
      const words = [
        "node",
        `examples/${name}.mjs`,
        ...[nodePort, dataPort].map((port) => `http://127.0.0.1:${port}`),
      ];
      // Not at one go: the validators' logs are read meanwhile.
      const child = Bun.spawn(words, {
        cwd: join(import.meta.dir, "..", ".."),
        stdout: "ignore",
        stderr: "pipe",
        timeout: 120_000,
      });
      const text = await new Response(child.stderr).text();
      if ((await child.exited) !== 0) throw new Error(`${name} ended with ${child.exitCode}: ${text}`);
    }
    return "a transfer, and a market from its proposal to its settlement";
  },
};
