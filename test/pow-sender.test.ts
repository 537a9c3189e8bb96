// The sender's side: scenarios 33 to 37 of reference 40, section 7, by their numbers.
import { describe, expect, test } from "bun:test";
import { type NextProof, ProofCounter } from "../src/admission/client/proof-counter.ts";
import { EpochQuota } from "../src/wallet/sending/epoch-quota.ts";
import type { SpamStatistics } from "../src/wire/generated/core-api.ts";
import type { CommandKind } from "../src/wire/transaction-commands.ts";

const HISTORIC = "the block height is too historic";
const LIMIT = "the transaction per block limit has been reached";

/** The difficulty of a next proof, or the text of the refusal. */
function ask(
  counter: ProofCounter,
  height: bigint,
  changes: Partial<NextProof["block"]> = {},
  more: Partial<NextProof> = {},
) {
  const block = {
    blockHeight: height,
    transactionsSeen: 0n,
    difficulty: 0n,
    txPerBlock: 5n,
    increasingDifficulty: false,
    ...changes,
  };
  try {
    return counter.next({ chainId: "chain", party: "key 1", pastBlocks: 100n, ...more, block });
  } catch (error) {
    return (error as Error).message;
  }
}

describe("counting proofs", () => {
  test("33: the quota is for a key, a height and a chain", () => {
    const counter = new ProofCounter();
    for (let count = 0; count < 5; count++) expect(ask(counter, 10n)).toBe(0n);
    expect(ask(counter, 10n)).toBe(LIMIT);
    expect(ask(counter, 10n, {}, { party: "key 2" })).toBe(0n);
    expect(ask(counter, 11n)).toBe(0n);
    expect(ask(counter, 10n, {}, { chainId: "another" })).toBe(0n);
  });

  test("34: growing difficulty, quota 1", () => {
    const counter = new ProofCounter();
    const increasing = { txPerBlock: 1n, increasingDifficulty: true };
    const asked = Array.from({ length: 15 }, () => Number(ask(counter, 10n, increasing)));
    for (const [at, bits] of asked.slice(5).entries()) expect(bits).toBeGreaterThanOrEqual(at + 2);
    expect(asked.slice(0, 4)).toEqual([0, 2, 3, 4]);
  });

  test("levels rise one transaction early, which builds credit (section 6)", () => {
    const counter = new ProofCounter();
    const increasing = { txPerBlock: 2n, increasingDifficulty: true, difficulty: 15n };
    expect(Array.from({ length: 6 }, () => ask(counter, 1n, increasing))).toEqual([
      15n,
      15n,
      16n,
      17n,
      17n,
      18n,
    ]);
  });

  test("35: the window shrinks and grows", () => {
    const counter = new ProofCounter();
    const quota = { txPerBlock: 2n };
    const within = (height: bigint, pastBlocks: bigint) => ask(counter, height, quota, { pastBlocks });
    for (let height = 1n; height <= 10n; height++) expect(within(height, 5n)).toBe(0n);
    expect(within(10n, 5n)).toBe(0n);
    expect(within(10n, 5n)).toBe(LIMIT);
    expect(within(10n, 2n)).toBe(LIMIT);
    expect(within(8n, 2n)).toBe(HISTORIC);
    expect(within(8n, 10n)).toBe(0n);
    expect(within(10n, 10n)).toBe(LIMIT);
  });

  test("36: what the node has seen counts, and what was sent counts when it lags", () => {
    const counter = new ProofCounter();
    expect(ask(counter, 10n, { txPerBlock: 2n, transactionsSeen: 2n })).toBe(LIMIT);
    expect(ask(counter, 11n, { txPerBlock: 2n })).toBe(0n);
    expect(ask(counter, 11n, { txPerBlock: 2n })).toBe(0n);
    expect(ask(counter, 11n, { txPerBlock: 2n })).toBe(LIMIT);
  });
});

describe("37: checking before sending", () => {
  function answer(changes: Partial<SpamStatistics> = {}): SpamStatistics {
    const simple = { countForEpoch: 99n, maxForEpoch: 100n, bannedUntil: undefined, minTokensRequired: "0" };
    return {
      proposals: simple,
      delegations: simple,
      transfers: simple,
      nodeAnnouncements: simple,
      issueSignatures: simple,
      votes: {
        statistics: [{ proposal: "known", countForEpoch: 2n, minTokensRequired: "0" }],
        maxForEpoch: 3n,
        bannedUntil: undefined,
      },
      pow: { blockStates: [], bannedUntil: undefined, numberOfPastBlocks: 100n },
      epochSeq: 7n,
      ...changes,
    };
  }
  /** @param height of the newest block; what was sent more than five blocks before has arrived */
  const admit = (
    quota: EpochQuota,
    command: CommandKind,
    fresh = answer(),
    proposal?: string,
    height = 10n,
  ) => {
    try {
      quota.reserve(fresh, { command, height, ...(proposal !== undefined && { proposal }) });
      return "admitted";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const maximum = (max: number) =>
    `party has already submitted the maximum number of transactions of this type per epoch (${max})`;

  test.each([
    "proposalSubmission",
    "announceNode",
    "delegateSubmission",
    "undelegateSubmission",
    "transfer",
    "issueSignatures",
  ] as const)("%s: the last one is admitted, and no further one although the node lags", (command) => {
    const quota = new EpochQuota();
    expect([admit(quota, command), admit(quota, command)]).toEqual(["admitted", maximum(100)]);
    // What is on its way while the epoch ends may count for the next one; later it has arrived.
    expect(admit(quota, command, answer({ epochSeq: 8n }), undefined, 20n)).toBe("admitted");
    expect(admit(quota, command, answer({ epochSeq: 8n }), undefined, 20n)).toBe(maximum(100));
  });

  test("votes are counted by proposal", () => {
    const quota = new EpochQuota();
    const vote = (proposal: string) => admit(quota, "voteSubmission", answer(), proposal);
    expect([vote("known"), vote("known"), vote("new"), vote("new"), vote("new"), vote("new")]).toEqual([
      "admitted",
      maximum(3),
      "admitted",
      "admitted",
      "admitted",
      maximum(3),
    ]);
  });

  test("bans", () => {
    const until = "2023-01-01T00:30:00Z";
    const quota = new EpochQuota();
    const transfers = { countForEpoch: 0n, maxForEpoch: 9n, bannedUntil: until, minTokensRequired: "0" };
    const fresh = answer({ transfers });
    const banned = `party is banned from submitting transactions of this type until ${until}`;
    // Cancelled transfers count as the network counts them; what no policy counts is not this room's business.
    const commands = ["transfer", "cancelTransfer", "orderSubmission"] as const;
    expect(commands.map((command) => admit(quota, command, fresh))).toEqual([banned, banned, "admitted"]);
  });
});
