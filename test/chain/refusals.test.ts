import { describe, expect, test } from "bun:test";
import { refusalDetails } from "../../src/chain/refusals.ts";
import type { RuleName } from "../../src/errors/rules.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";

const STATUS = {
  height: 120,
  timeNs: 100n * SECOND_NS,
  epoch: { seq: 7n, startNs: 82n * SECOND_NS, expireNs: 142n * SECOND_NS },
};
const of = (rule: RuleName, numbers: Record<string, bigint | string>, text = "the network's words") =>
  refusalDetails(rule, text, numbers, STATUS);

describe("a refusal says it with the caller's own numbers", () => {
  test.each<[RuleName, Record<string, bigint | string>, string]>([
    ["spam_proposal_count", { used: 3n, max: 3n }, "3 of 3 proposals used in epoch 7, next epoch in 42 s"],
    [
      "spam_vote_count",
      { used: 2n, max: 3n },
      "2 of 3 votes on this proposal used in epoch 7, next epoch in 42 s",
    ],
    [
      "spam_delegation_tokens",
      { tokens: 5n, minTokens: 10n },
      "delegations and undelegations take 10 staked tokens (in their smallest unit), this party has 5",
    ],
    [
      "spam_transfer_banned",
      { bannedUntilNs: 130n * SECOND_NS },
      "banned from transfers until 1970-01-01T00:02:10Z, for 30 s yet, or until the next epoch, in 42 s",
    ],
    [
      "spam_vote_banned",
      { bannedUntilNs: 130n * SECOND_NS },
      "banned from votes until 1970-01-01T00:02:10Z, for 30 s yet, or until the next epoch, in 42 s",
    ],
    [
      "spam_vote_tokens",
      { tokens: 5n, minTokens: 10n },
      "votes take 10 staked tokens (in their smallest unit), this party has 5",
    ],
    [
      "pow_banned",
      { bannedUntilNs: 100n * SECOND_NS + 1n },
      "banned until 1970-01-01T00:01:40.000000001Z, for 1 s yet",
    ],
    [
      "pow_unknown_height",
      { blockHeight: 3n, height: 120n, pastBlocks: 100n },
      "the proof of work names block 3, and only the last 100 blocks up to 120 count",
    ],
    ["pow_quota", { blockHeight: 9n, seen: 2n, txPerBlock: 2n }, "2 of 2 transactions were built on block 9"],
    [
      "pow_quota",
      { blockHeight: 9n, seen: 2n, txPerBlock: 2n, required: 46n, shown: 45n },
      "2 transactions were built on block 9, the next one brings the proofs to 45 zero bits of 46 that are asked for",
    ],
    [
      "pow_invalid",
      { difficulty: 15n },
      "the proof of work does not have the 15 zero bits that are asked for",
    ],
    ["command_failed", { available: 1n, needed: 2n, fee: 1n }, "the network's words: 2 needed, 1 available"],
    [
      "command_failed",
      {
        ...{ needed: 1234567n, available: 50n, margin: 20n, general: 30n, bond: 0n },
        ...{ symbol: "tUSD", decimals: 5n },
      },
      "the network's words: 12.34567 tUSD needed, 0.0005 tUSD available: 0.0002 tUSD in its margin account, 0.0003 tUSD in its general account, 0 tUSD in its bond account",
    ],
    ["command_failed", { amount: 1n, minimum: 2n }, "the network's words: 1, at least 2 are asked for"],
    [
      "command_failed",
      { amount: 1n, minimum: 20n, symbol: "tUSD", decimals: 1n },
      "the network's words: 0.1 tUSD, at least 2 tUSD are asked for",
    ],
    [
      "command_failed",
      { available: 1n, needed: 20n, symbol: "odd", decimals: 2_147_483_647n },
      "the network's words: 20 needed, 1 available",
    ],
    [
      "command_failed",
      { startEpoch: 3n, currentEpoch: 7n },
      "the network's words (start epoch 3, current epoch 7)",
    ],
    ["command_failed", {}, "the network's words"],
  ])("%s", (rule, numbers, sentence) => {
    expect(of(rule, numbers).sentence).toBe(sentence);
  });

  test("a signature that does not fit may be one for another chain", () => {
    const text = "tx.signature.value (invalid signature)";
    expect(refusalDetails("invalid_transaction", text, {}, STATUS).sentence).toContain("another chain");
  });

  test("every rule of admission has a sentence of its own", () => {
    const rules: RuleName[] = [
      "pow_tid_seen",
      "pow_tid_too_long",
      "pow_tid_used",
      "pow_hash_used",
      "pow_banned",
      "pow_too_old",
      "pow_unknown_height",
      "pow_invalid",
      "pow_quota",
      ...(["proposal", "vote", "delegation", "transfer", "validatorJoin", "issueSignature"] as const).flatMap(
        (policy) => (["banned", "tokens", "count"] as const).map((kind) => `spam_${policy}_${kind}` as const),
      ),
    ];
    for (const rule of rules) expect(of(rule, {}).sentence).not.toContain("the network's words");
  });

  test("numbers are decimal texts, with the epoch where a count is of one", () => {
    expect(of("spam_transfer_count", { used: 20n, max: 20n }).numbers).toEqual({
      used: "20",
      max: "20",
      epoch: "7",
      nextEpochSeconds: "42",
    });
    expect(of("pow_invalid", { difficulty: 15n }).numbers).toEqual({ difficulty: "15" });
  });
});
