// A devnet that is killed while it does something (test/rig/devnet-crash.ts). A few rounds; scripts/devnet-crash-rig.ts
// does hundreds.
import { describe, expect, test } from "bun:test";
import { CANARIES, devnetCrashRounds } from "../rig/devnet-crash.ts";
import { runs, SEED } from "../support/seed.ts";

const ROUNDS = 2;

describe("a devnet that is killed", () => {
  test(`keeps every block that it has acknowledged, and is the same chain as an undisturbed one (seed ${SEED})`, async () => {
    const report = await devnetCrashRounds({ rounds: runs(ROUNDS), seed: SEED, loadMs: 300 });
    expect(report.failures).toEqual([]);
    expect(report.kills).toBeGreaterThanOrEqual(runs(ROUNDS));
    expect(report.acknowledged).toBeGreaterThan(0);
  }, 600_000);

  for (const { name, tamper, sign } of CANARIES) {
    test(`given ${name}, then the rig sees it`, async () => {
      const report = await devnetCrashRounds({ rounds: 1, seed: 1, loadMs: 300, tamper });
      expect(report.failures.join("\n")).toMatch(sign);
    }, 120_000);
  }
});
