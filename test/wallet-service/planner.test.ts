// The planner's choices, one by one: which block, how hard, and when there is no place.
import { describe, expect, test } from "bun:test";
import type { ChainView, SeenBlock } from "../../src/wallet/sending/chain-view.ts";
import { ProofPlanner } from "../../src/wallet/sending/planner.ts";
import { observedBits, roomOn } from "../../src/wallet/sending/proof-room.ts";

const QUOTA = { difficulty: 10, txPerBlock: 2n, increasingDifficulty: false };
const RISING = { ...QUOTA, increasingDifficulty: true };
const UNUSED = { seen: 0n, observed: 0n, foreign: 0n, sent: [] };

describe("room on one block", () => {
  test("as many as the quota at the base, and no more", () => {
    expect([[], [10], [10, 10], [12, 15]].map((sent) => roomOn(QUOTA, { ...UNUSED, sent }))).toEqual([
      10,
      10,
      undefined,
      undefined,
    ]);
  });

  test("with growing difficulty: exactly the level of each (section 3.4: 3, 4, 5, 6 need +1, +1, +2, +2)", () => {
    const sent: number[] = [];
    const asked: (number | undefined)[] = [];
    for (let count = 0; count < 6; count++) {
      const bits = roomOn(RISING, { ...UNUSED, sent: [...sent] });
      asked.push(bits);
      sent.push(bits!);
    }
    expect(asked).toEqual([10, 10, 11, 11, 12, 12]);
  });

  test("luck that the network has counted pays for the next", () => {
    // 10 + 14 shown, and 31 needed for three: 10 is the base and enough.
    expect(roomOn(RISING, { seen: 2n, observed: 24n, foreign: 0n, sent: [10, 14] })).toBe(10);
    // The same, not counted yet: one of them may never arrive, but then there is room for this one.
    expect(roomOn(RISING, { ...UNUSED, sent: [10, 14] })).toBe(10);
    expect(roomOn(RISING, { ...UNUSED, sent: [10, 10] })).toBe(11);
  });

  test("luck of what may be forgotten pays for nothing that may follow", () => {
    const quota = { ...RISING, txPerBlock: 1n };
    // Counted with 20 bits, and one on its way with 10: together 30, and 33 are needed for three.
    expect(roomOn(quota, { seen: 1n, observed: 20n, foreign: 0n, sent: [20, 10] })).toBe(11);
  });

  test("what others sent counts, with the bits that the statistics prove", () => {
    expect(roomOn(QUOTA, { ...UNUSED, seen: 1n, foreign: 1n, sent: [10] })).toBeUndefined();
    expect(roomOn(RISING, { ...UNUSED, seen: 2n, observed: 20n, foreign: 2n })).toBe(11);
    expect(roomOn(RISING, { ...UNUSED, seen: 2n, observed: 25n, foreign: 2n })).toBe(10);
  });

  const examples: readonly (readonly [seen: bigint, observed: bigint, expected: bigint])[] = [
    [12n, 132n, 10n],
    [13n, 142n, 11n],
    [14n, 153n, 12n],
    [16n, 178n, 13n],
  ];
  test.each(examples)(
    "bits from what is expected (section 5.3): %p seen, %p shown",
    (seen, observed, expected) => {
      const quota = { difficulty: 10, txPerBlock: 5n, increasingDifficulty: true };
      expect(observedBits(quota, seen, expected)).toBeLessThanOrEqual(observed);
      expect(
        roomOn(quota, { seen, observed: observedBits(quota, seen, expected), foreign: seen, sent: [] }),
      ).toBe(Number(expected));
    },
  );

  test("an expectation that wrapped (section 5.3) is one of plenty", () => {
    const quota = { difficulty: 10, txPerBlock: 5n, increasingDifficulty: true };
    expect(observedBits(quota, 1n, 18446744073709551615n)).toBe(21n);
  });
});

const hashOf = (height: bigint, chain = "a") => `${chain}${height.toString(16)}`.padStart(64, "0");

function block(height: bigint, changes: Partial<SeenBlock> = {}): SeenBlock {
  const hashFunction = "sha3_24_rounds";
  return { height, hash: hashOf(height), hashFunction, ...QUOTA, seen: 0n, expected: undefined, ...changes };
}

function view(head: bigint, changes: Partial<ChainView> = {}): ChainView {
  return { head, pastBlocks: 10n, blocks: [block(head)], bannedUntil: undefined, ...changes };
}

/** A planner that has seen blocks 1 to `head`. */
function planner(head: bigint, changes: Partial<SeenBlock> = {}): ProofPlanner {
  const made = new ProofPlanner();
  for (let height = 1n; height <= head; height++) {
    made.observe(view(height, { blocks: [block(height, changes)] }), made.ask(), 0);
  }
  return made;
}

const heightsOf = (made: ProofPlanner, count: number) =>
  Array.from({ length: count }, () => {
    const plan = made.plan();
    return plan.kind === "go" ? `${plan.slot.height} at ${plan.slot.difficulty}` : plan.kind;
  });

describe("which block", () => {
  test("the newest first, then older ones; those about to leave are left out", () => {
    // Window 10 at head 20: 11 to 20 may be named, the next block is 21, and two blocks are kept in reserve.
    expect(heightsOf(planner(20n), 15)).toEqual([
      ...[20, 20, 19, 19, 18, 18, 17, 17, 16, 16, 15, 15, 14, 14].map((height) => `${height} at 10`),
      "full",
    ]);
  });

  test("older blocks at the base before any at more; then the least of what is needed", () => {
    const made = planner(20n, { increasingDifficulty: true });
    const heights = heightsOf(made, 16);
    expect(heights.slice(12)).toEqual(["14 at 10", "14 at 10", "20 at 11", "20 at 11"]);
  });

  test("a block is only named if its rules are known for certain", () => {
    const made = new ProofPlanner();
    const used = block(18n, { seen: 1n });
    made.observe(view(20n, { blocks: [used, block(20n)] }), made.ask(), 0);
    expect(heightsOf(made, 3)).toEqual(["20 at 10", "full", "full"]);
  });

  test("old blocks keep their own parameters", () => {
    const made = planner(3n);
    const changed = block(4n, { difficulty: 20, txPerBlock: 1n });
    made.observe(view(4n, { blocks: [changed], pastBlocks: 5n }), made.ask(), 0);
    expect(heightsOf(made, 4)).toEqual(["4 at 20", "3 at 10", "3 at 10", "2 at 10"]);
  });

  test("a proof of too many bits is not tried: the next block is cheaper", () => {
    const made = new ProofPlanner({ extraBitsMax: 1 });
    made.observe(
      view(1n, { blocks: [block(1n, { txPerBlock: 1n, increasingDifficulty: true })] }),
      made.ask(),
      0,
    );
    expect(heightsOf(made, 3)).toEqual(["1 at 10", "1 at 11", "hard"]);
  });

  test("places that were not used are given again", () => {
    const made = planner(1n);
    const plan = made.plan();
    made.plan();
    expect(made.plan().kind).toBe("full");
    if (plan.kind === "go") made.release(plan.slot);
    expect(heightsOf(made, 2)).toEqual(["1 at 10", "full"]);
  });

  test("a lost transaction's place is free again when its block has left", () => {
    const made = planner(1n);
    made.plan();
    made.plan();
    for (let height = 2n; height <= 12n; height++) made.observe(view(height), made.ask(), 0);
    expect(made.save().blocks.some(({ height }) => height === "1")).toBe(false);
    expect(made.plan().kind).toBe("go");
  });
});

describe("the chain", () => {
  test("bans, unknown functions, and nothing known", () => {
    expect(new ProofPlanner().plan().kind).toBe("no_block");
    const made = planner(1n);
    made.observe(view(1n, { bannedUntil: "2030-01-01T00:00:00Z" }), made.ask(), 0);
    expect(made.plan()).toEqual({ kind: "banned", until: "2030-01-01T00:00:00Z" });
    made.observe(view(2n), made.ask(), 0);
    expect(made.plan().kind).toBe("go");
    const other = new ProofPlanner();
    other.observe(view(1n, { blocks: [block(1n, { hashFunction: "md5" })] }), other.ask(), 0);
    expect(other.plan()).toEqual({ kind: "unknown_function", hashFunction: "md5" });
  });

  test("statistics that come late change nothing for the worse", () => {
    const made = planner(3n);
    const ticket = made.ask();
    made.observe(view(4n), made.ask(), 0);
    made.observe(view(2n), ticket, 0);
    expect(made.headHeight).toBe(4n);
    expect(heightsOf(made, 1)).toEqual(["4 at 10"]);
  });

  test("other blocks at the same heights: another chain, and nothing of the old one is named", () => {
    const made = planner(20n);
    made.plan();
    made.observe(view(15n, { blocks: [block(15n, { hash: hashOf(15n, "b") })] }), made.ask(), 0);
    expect(made.headHeight).toBe(15n);
    expect(heightsOf(made, 3)).toEqual(["15 at 10", "15 at 10", "full"]);
  });

  test("a chain that goes on from a lower height is believed after three seconds", () => {
    const made = planner(20n);
    heightsOf(made, 14);
    made.observe(view(18n), made.ask(), 1_000);
    expect(made.plan().kind).toBe("full");
    made.observe(view(18n), made.ask(), 3_999);
    expect(made.headHeight).toBe(20n);
    made.observe(view(18n), made.ask(), 4_000);
    expect([made.headHeight, heightsOf(made, 1)[0]]).toEqual([18n, "18 at 10"]);
  });

  test("one that begins again far below is believed at once", () => {
    const made = planner(50n);
    made.observe(view(2n), made.ask(), 0);
    expect([made.headHeight, heightsOf(made, 1)[0]]).toEqual([2n, "2 at 10"]);
  });

  test("one that has the height again in between was only late", () => {
    const made = planner(20n);
    made.observe(view(18n), made.ask(), 0);
    made.observe(view(20n), made.ask(), 2_000);
    made.observe(view(18n), made.ask(), 4_000);
    expect(made.headHeight).toBe(20n);
  });

  test("answers to questions of the chain before are not listened to", () => {
    const made = planner(50n);
    const old = made.ask();
    made.observe(view(2n), made.ask(), 0);
    made.observe(view(50n), old, 0);
    expect(made.headHeight).toBe(2n);
  });

  test("the memory survives as JSON", () => {
    const made = planner(20n);
    heightsOf(made, 5);
    const again = new ProofPlanner();
    again.load(JSON.parse(JSON.stringify(made.save())));
    expect(again.save()).toEqual(made.save());
    expect(heightsOf(again, 9)).toEqual(heightsOf(made, 9));
  });
});

describe("another wallet with the same key", () => {
  test("is noticed, and left half of the places, and the newest blocks", () => {
    const made = planner(20n, { txPerBlock: 4n });
    expect(made.isShared).toBe(false);
    const seen = block(20n, { txPerBlock: 4n, seen: 1n });
    made.observe(view(20n, { blocks: [seen] }), made.ask(), 0);
    expect(made.isShared).toBe(true);
    expect(heightsOf(made, 4)).toEqual(["18 at 10", "18 at 10", "17 at 10", "17 at 10"]);
  });

  test("its own are not taken for another's", () => {
    const made = planner(20n);
    heightsOf(made, 2);
    made.observe(view(20n, { blocks: [block(20n, { seen: 2n })] }), made.ask(), 0);
    expect(made.isShared).toBe(false);
  });

  test("is forgotten after a window", () => {
    const made = planner(20n);
    made.observe(view(20n, { blocks: [block(20n, { seen: 1n })] }), made.ask(), 0);
    for (let height = 21n; height <= 31n; height++) made.observe(view(height), made.ask(), 0);
    expect(made.isShared).toBe(false);
  });
});
