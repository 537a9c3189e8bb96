// The sender's side: scenarios 33 to 37 of docs/protocol/40-pow-spam.md#7-scenarios-given--when--then, by their numbers.
import { describe, expect, test } from "bun:test";
import type { SeenBlock } from "../../../src/wallet/sending/blocks.ts";
import { EpochQuota } from "../../../src/wallet/sending/epoch-quota.ts";
import { ProofPlanner } from "../../../src/wallet/sending/planner.ts";
import { PlannerBook } from "../../../src/wallet/sending/sent-ledger.ts";
import type { SpamStatistics } from "../../../src/wire/generated/core-api.ts";
import type { CommandKind } from "../../../src/wire/transaction-commands.ts";

/** Blocks with the quota of the scenario, as a node shows them. */
function seenBlock(height: bigint, changes: Partial<SeenBlock> = {}): SeenBlock {
  const hash = height.toString(16).padStart(64, "0");
  const quota = { difficulty: 0, txPerBlock: 5n, increasingDifficulty: false };
  const rest = { hashFunction: "sha3_24_rounds", seen: 0n, expected: undefined };
  return { height, hash, ...quota, ...rest, ...changes };
}

function show(planner: ProofPlanner, block: SeenBlock, pastBlocks = 100n): void {
  const view = { head: block.height, pastBlocks, blocks: [block], bannedUntil: undefined };
  planner.observe(view, planner.nextTicket(), 0);
}

/** The difficulty of a next proof on one block, or why there is none. */
function ask(planner: ProofPlanner, height: bigint): number | string {
  const plan = planner.planOn({ height, tag: crypto.randomUUID() });
  if (plan.kind !== "go") return plan.kind;
  expect(plan.slot.height).toBe(height);
  return plan.slot.difficulty;
}

const ALONE = { isSoleUser: true, extraBitsMax: 20 };

describe("counting proofs", () => {
  test("33: the quota is for a key, a height and a chain", () => {
    const book = new PlannerBook(ALONE);
    const one = book.of("chain", "key 1").planner;
    const others = [book.of("chain", "key 2").planner, book.of("another", "key 1").planner];
    for (const planner of [one, ...others]) show(planner, seenBlock(10n));
    for (let count = 0; count < 5; count++) expect(ask(one, 10n)).toBe(0);
    expect(ask(one, 10n)).toBe("full");
    expect(others.map((planner) => ask(planner, 10n))).toEqual([0, 0]);
    show(one, seenBlock(11n));
    expect(ask(one, 11n)).toBe(0);
  });

  test("34: growing difficulty, quota 1: exactly as much as is needed", () => {
    const planner = new ProofPlanner(ALONE);
    show(planner, seenBlock(10n, { txPerBlock: 1n, increasingDifficulty: true }));
    const answers = Array.from({ length: 15 }, () => ask(planner, 10n));
    expect(answers).toEqual(Array.from({ length: 15 }, (_, at) => at));
  });

  test("35: the window shrinks: what is out of it is named no more", () => {
    const planner = new ProofPlanner(ALONE);
    for (let height = 1n; height <= 10n; height++) {
      show(planner, seenBlock(height, { txPerBlock: 2n }), 5n);
      expect(ask(planner, height)).toBe(0);
    }
    expect([ask(planner, 10n), ask(planner, 10n)]).toEqual([0, "full"]);
    expect([6n, 5n, 1n].map((height) => ask(planner, height))).toEqual([
      "out_of_reach",
      "out_of_reach",
      "out_of_reach",
    ]);
    expect(ask(planner, 7n)).toBe(0);
    show(planner, seenBlock(11n, { txPerBlock: 2n }), 2n);
    // A block keeps the window that it was made with.
    expect([ask(planner, 8n), ask(planner, 11n)]).toEqual([0, 0]);
  });

  test("36: what the node has seen counts, and what was sent counts when it lags", () => {
    const planner = new ProofPlanner(ALONE);
    show(planner, seenBlock(10n, { txPerBlock: 2n, seen: 2n }));
    expect(ask(planner, 10n)).toBe("full");
    show(planner, seenBlock(11n, { txPerBlock: 2n }));
    expect([ask(planner, 11n), ask(planner, 11n)]).toEqual([0, 0]);
    show(planner, seenBlock(11n, { txPerBlock: 2n }));
    expect(ask(planner, 11n)).toBe("full");
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
    // Transactions on their way while the epoch ends may count for the next one; later they have arrived.
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

  const transfers = (countForEpoch: bigint, maxForEpoch = 20n) => ({
    transfers: { countForEpoch, maxForEpoch, bannedUntil: undefined, minTokensRequired: "0" },
  });

  test("however many the network has counted, they are one number", () => {
    const quota = new EpochQuota();
    const fresh = answer(transfers(2n ** 63n, 2n ** 64n - 1n));
    expect(admit(quota, "transfer", fresh)).toBe("admitted");
  });

  test("an epoch's last commands count for the next one until they must have arrived, and then as the network says", () => {
    const quota = new EpochQuota();
    const last = (count: bigint) => answer(transfers(count, 3n));
    const next = (count: bigint) => answer({ ...transfers(count, 3n), epochSeq: 8n });
    const at = (statistics: SpamStatistics, height: bigint) =>
      admit(quota, "transfer", statistics, undefined, height);
    expect([at(last(0n), 10n), at(last(0n), 10n), at(last(0n), 10n)]).toEqual(Array(3).fill("admitted"));
    // Two of the three were in time for their own epoch.
    expect([at(next(0n), 12n), at(next(1n), 15n)]).toEqual([maximum(3), maximum(3)]);
    const again = new EpochQuota();
    again.load(JSON.parse(JSON.stringify(quota.save())));
    for (const one of [quota, again]) {
      const verdicts = [16n, 16n, 16n, 30n].map((height) =>
        admit(one, "transfer", next(1n), undefined, height),
      );
      expect(verdicts).toEqual(["admitted", "admitted", maximum(3), maximum(3)]);
    }
  });

  test("commands of the new epoch that are on their way are counted beside those of the one before", () => {
    const quota = new EpochQuota();
    const next = (count: bigint) => answer({ ...transfers(count, 4n), epochSeq: 8n });
    const at = (statistics: SpamStatistics, height: bigint) =>
      admit(quota, "transfer", statistics, undefined, height);
    expect([at(answer(transfers(0n, 4n)), 10n), at(next(0n), 11n), at(next(0n), 14n)]).toEqual(
      Array(3).fill("admitted"),
    );
    // The one of before and the first are counted; the second, and the one that goes now, are not yet.
    expect([at(next(2n), 16n), at(next(2n), 16n)]).toEqual(["admitted", maximum(4)]);
  });

  test("commands that a late node counted for the epoch before are not counted for this one", () => {
    const quota = new EpochQuota();
    expect(admit(quota, "transfer", answer({ ...transfers(0n), epochSeq: 8n }))).toBe("admitted");
    expect(admit(quota, "transfer", answer(transfers(18n)))).toBe("admitted");
    expect(admit(quota, "transfer", answer({ ...transfers(2n), epochSeq: 8n }))).toBe("admitted");
  });

  test("a chain that restarted at an earlier epoch: earlier commands count for a few seconds yet", () => {
    const quota = new EpochQuota();
    const fresh = answer(transfers(0n, 1n));
    const before = answer({ ...transfers(0n, 1n), epochSeq: 1n });
    const at = (statistics: typeof fresh, height: bigint, beginnings: number, nowMs: number) => {
      try {
        quota.reserve(statistics, { command: "transfer", height, beginnings, nowMs });
        return "admitted";
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect([
      at(fresh, 300n, 0, 0),
      at(before, 1n, 1, 1_000),
      at(before, 2n, 1, 10_999),
      at(before, 3n, 1, 11_000),
      at(before, 4n, 1, 12_000),
    ]).toEqual(["admitted", maximum(1), maximum(1), "admitted", maximum(1)]);
  });

  test("recorded commands count as before, and the same transaction once", () => {
    const quota = new EpochQuota();
    const use = { command: "transfer", height: 10n } as const;
    const fresh = answer(transfers(1n, 4n));
    quota.reserve(fresh, use);
    quota.reserve(fresh, { ...use, tag: "a" });
    const again = new EpochQuota();
    again.load(JSON.parse(JSON.stringify(quota.save())));
    const takeBack = again.reserve(fresh, { ...use, tag: "a" });
    expect(admit(again, "transfer", fresh)).toBe("admitted");
    expect(admit(again, "transfer", fresh)).toBe(maximum(4));
    takeBack();
    expect(admit(again, "transfer", fresh)).toBe("admitted");
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
