// Progress where no terminal shows a bar: a plain line for each step, on standard error.
import { expect, test } from "bun:test";
import { join } from "node:path";

const TERMINAL = join(import.meta.dir, "../../src/cli/terminal.ts");

/** Standard error of a program that makes two steps, and draws in between. */
async function linesOf(shown: string): Promise<string> {
  const code = `
    import { ProgressBar } from ${JSON.stringify(TERMINAL)};
    const bar = new ProgressBar("a month"${shown});
    bar.step(0.104, "day 4: markets open");
    bar.update(0.2, "day 5");
    bar.step(1, "1,430 blocks");
    bar.clear();`;
  const child = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, out]).toEqual([0, ""]);
  return err;
}

test("each step is a line, and nothing is printed between steps", async () => {
  expect(await linesOf("")).toBe("a month: 10 %, day 4: markets open\na month: 100 %, 1,430 blocks\n");
});

test("with --quiet or --json there are no lines", async () => {
  expect(await linesOf(", false")).toBe("");
});
