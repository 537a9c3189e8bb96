// lyra pow: what it prints and how it ends.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { VECTORS, vector } from "../chain/admission/pow-vectors.ts";
import { PROGRAM } from "../rig/lyra.ts";
import { eventually } from "../support/eventually.ts";

function lyra(...words: string[]) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([...PROGRAM, "pow", ...words]);
  return { out: stdout.toString(), err: stderr.toString(), exitCode };
}

describe("solve", () => {
  const { blockHash, tid, nonce, hash } = vector(5);

  test("prints the identifier and the nonce", () => {
    const { out, exitCode } = lyra("solve", blockHash, tid, "--difficulty", "16", "--quiet");
    expect([out, exitCode]).toEqual([`${tid} ${nonce}\n`, 0]);
  });

  test.each(["0", "1", "2"])("--json on %s threads", (threads) => {
    const { out, exitCode } = lyra(
      "solve",
      blockHash,
      tid,
      "--difficulty",
      "16",
      "--json",
      "--threads",
      threads,
    );
    const document = JSON.parse(out);
    expect(document).toMatchObject({ blockHash, tid, nonce: nonce.toString(), hash, difficulty: 20 });
    expect(document.attempts).toBeGreaterThan(Number(nonce));
    expect(exitCode).toBe(0);
  });

  test("makes an identifier when none is given, a new one each time", () => {
    const tids = [1, 2].map(
      () => JSON.parse(lyra("solve", blockHash, "--difficulty", "4", "--json").out).tid,
    );
    expect(tids[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(tids[1]).not.toBe(tids[0]);
  });

  test("is cancelled by a signal", async () => {
    const child = Bun.spawn([...PROGRAM, "pow", "solve", blockHash, "--difficulty", "64"], {
      stderr: "pipe",
    });
    // Signals that it handles, by bits from 1: SIGINT is the second.
    const handled = () => /SigCgt:\s*(\w+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))![1]!;
    await eventually(() => (BigInt(`0x${handled()}`) & 2n) !== 0n);
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    expect(await new Response(child.stderr).text()).toContain("the search was cancelled");
  });
});

describe("verify", () => {
  const good = VECTORS.find(({ number }) => number === 5)!;
  const words = ["verify", good.blockHash, good.tid, good.nonce.toString()];

  test("a good proof", () => {
    const { out, exitCode } = lyra(...words, "--difficulty", "20", "--json");
    expect(JSON.parse(out)).toEqual({ valid: true, difficulty: 20, wanted: 20, hash: good.hash });
    expect(exitCode).toBe(0);
  });

  test("a weak one ends with 4", () => {
    const { out, exitCode } = lyra(...words, "--difficulty", "21");
    expect(out).toContain("too weak: 20 of 21 zero bits");
    expect(exitCode).toBe(4);
  });
});

test("bench measures one thread and the most", () => {
  const { out, exitCode } = lyra("bench", "--seconds", "1", "--threads", "1", "--json");
  const { rates } = JSON.parse(out);
  expect(rates).toEqual([{ threads: 1, ratePerSecond: expect.any(Number) }]);
  expect(rates[0].ratePerSecond).toBeGreaterThan(10_000);
  expect(exitCode).toBe(0);
});

test.each([
  [["solve"], "solve takes a block hash"],
  [["solve", "ab", "t"], "incorrect block hash"],
  [["solve", "a".repeat(64), ""], "transaction ID cannot be empty"],
  [["solve", "a".repeat(64), "t", "--difficulty", "257"], "--difficulty must be a whole number from 0 to 64"],
  [["verify", "a".repeat(64), "t", "-1"], "Unknown option"],
  [["verify", "a".repeat(64), "t", "18446744073709551616"], "below 2^64"],
  [["dig"], "there is no 'pow dig'"],
  [[], "say solve, verify or bench"],
])("%p is refused", (words, message) => {
  const { out, err, exitCode } = lyra(...words);
  expect(err).toContain(message);
  expect([out, exitCode]).toEqual(["", 2]);
});
