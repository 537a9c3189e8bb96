// Wallets whose writer is killed (test/rig/wallet-crash.ts). A few rounds; scripts/wallet-crash-rig.ts does
// hundreds.
import { describe, expect, test } from "bun:test";
import { WALLET_CANARIES, walletCrashRounds } from "../rig/wallet-crash.ts";
import { runs, SEED } from "../support/seed.ts";

const ROUNDS = 8;

describe("a wallet's writer that is killed", () => {
  test(`leaves the old content or the new (seed ${SEED})`, async () => {
    const report = await walletCrashRounds({ rounds: runs(ROUNDS), seed: SEED });
    expect(report.failures).toEqual([]);
    expect(report.kills).toBe(runs(ROUNDS));
    expect(report.operations).toBeGreaterThan(2);
  }, 120_000);

  for (const { name, tamper, sign } of WALLET_CANARIES) {
    test(`given ${name}, then the rig sees it`, async () => {
      const report = await walletCrashRounds({ rounds: 1, seed: 1, tamper });
      expect(report.failures.join("\n")).toMatch(sign);
    }, 120_000);
  }
});
