// The output of a command arrives complete, or the command says that it did not.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "../rig/lyra.ts";
import { Cli } from "../wallet/support/cli.ts";

const cli = new Cli();
afterAll(() => cli.remove());

/** More than a pipe holds. */
const LONG = 390_000;
const cancellation = { orderId: "aa".repeat(32), marketId: "bb".repeat(32) };
const cancellations = Array.from({ length: LONG / 130 }, () => cancellation);
const command = JSON.stringify({ batchMarketInstructions: { cancellations } });
const build = ["tx", "build", cli.file("command.json", command), "--height", "10", "--nonce", "1", "--json"];

/** A line for the shell, in which `$@` is the command. */
async function inShell(line: string, words: readonly string[]) {
  const child = Bun.spawn(["sh", "-c", line, "sh", ...PROGRAM, ...words], {
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env.PATH, HOME: cli.home, LYRA_HOME: cli.home, NO_COLOR: "1" },
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { out, err, code: await child.exited };
}

describe.skipIf(process.platform === "win32")("standard output", () => {
  test("of more than a pipe holds reaches a slow reader whole", async () => {
    const { out, code } = await inShell('"$@" | (sleep 1; cat)', build);
    const { inputData } = JSON.parse(out) as { inputData: string };
    expect([code, inputData.length > LONG]).toEqual([0, true]);
  });

  test("of a reader who has enough is no failure", async () => {
    const { out, err } = await inShell('("$@"; echo "$?" >&2) | head -c 9', build);
    expect([out, err]).toEqual(['{"inputDa', "0\n"]);
  });

  test.skipIf(!existsSync("/dev/full"))("that a full disk did not take is a failure", async () => {
    const { err, code } = await inShell('"$@" > /dev/full', build);
    expect([code, JSON.parse(err).error.code]).toEqual([1, "output_lost"]);
    const wrong = await inShell('"$@" > /dev/full', ["tx", "build", "{}", "--json"]);
    expect([wrong.code, JSON.parse(wrong.err).error.code]).not.toContain("output_lost");
  });

  test("and a file that a full disk did not take is none", async () => {
    const out = join(cli.home, "half.json");
    const { err, code } = await inShell('ulimit -f 4; trap "" XFSZ; "$@"', [...build, "--out", out]);
    expect([code, JSON.parse(err).error.code, existsSync(out)]).toEqual([1, "file_unwritable", false]);
  });
});
