// The planner's choices, one by one: which block, how hard, and when there is no place.
import { describe, expect, test } from "bun:test";
import type { ChainView, SeenBlock } from "../../../src/wallet/sending/blocks.ts";
import { observedBits, roomOn } from "../../../src/wallet/sending/blocks.ts";
import { ProofPlanner } from "../../../src/wallet/sending/planner.ts";

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

  // docs/protocol/40-pow-spam.md#34-delivertx.
  test("with growing difficulty: exactly the level of each: 3, 4, 5, 6 need +1, +1, +2, +2", () => {
    const sent: number[] = [];
    const searches: (number | undefined)[] = [];
    for (let count = 0; count < 6; count++) {
      const bits = roomOn(RISING, { ...UNUSED, sent: [...sent] });
      searches.push(bits);
      sent.push(bits!);
    }
    expect(searches).toEqual([10, 10, 11, 11, 12, 12]);
  });

  test("luck that the network has counted pays for the next", () => {
    // 10 + 14 shown, and 31 needed for three: 10 is the base and enough.
    expect(roomOn(RISING, { seen: 2n, observed: 24n, foreign: 0n, sent: [10, 14] })).toBe(10);
    // The same, not counted yet: one of them may never arrive, but then there is room for this one.
    expect(roomOn(RISING, { ...UNUSED, sent: [10, 14] })).toBe(10);
    expect(roomOn(RISING, { ...UNUSED, sent: [10, 10] })).toBe(11);
  });

  test("counted transactions are not in flight as well", () => {
    // Three show 10 + 10 + 11 when the last one has come, whichever of the first two was counted.
    expect(roomOn(RISING, { seen: 1n, observed: 10n, foreign: 0n, sent: [10, 10] })).toBe(11);
    expect(roomOn(RISING, { seen: 2n, observed: 20n, foreign: 0n, sent: [10, 10, 11, 11] })).toBe(12);
    expect(roomOn(RISING, { seen: 2n, observed: 20n, foreign: 1n, sent: [10] })).toBe(11);
    // A transaction of its own may be the third, and shows too little: nothing makes up for it.
    expect(roomOn(RISING, { seen: 2n, observed: 20n, foreign: 1n, sent: [10, 10] })).toBeUndefined();
  });

  test("luck of what may be forgotten pays for nothing that may follow", () => {
    const quota = { ...RISING, txPerBlock: 1n };
    // Counted with 20 bits, and one on its way with 10: together 30, and 33 are needed for three.
    expect(roomOn(quota, { seen: 1n, observed: 20n, foreign: 0n, sent: [20, 10] })).toBe(11);
  });

  test("other senders' transactions count, with the bits that the statistics prove", () => {
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
  test.each(examples)("bits from what is expected: %p seen, %p shown", (seen, observed, expected) => {
    const quota = { difficulty: 10, txPerBlock: 5n, increasingDifficulty: true };
    expect(observedBits(quota, seen, expected)).toBeLessThanOrEqual(observed);
    expect(
      roomOn(quota, { seen, observed: observedBits(quota, seen, expected), foreign: seen, sent: [] }),
    ).toBe(Number(expected));
  });

  // docs/protocol/40-pow-spam.md#53-block-states.
  test("an expectation that wrapped is one of plenty", () => {
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

const observe = (observer: ProofPlanner, seen: ChainView, ticket = observer.nextTicket()) =>
  observer.observe(seen, ticket, Number(seen.head) * 1_000);

/** A planner that has seen blocks up to `head`. */
function planner(
  head: bigint,
  changes: Partial<SeenBlock> = {},
  from = 1n,
  isSoleUser = false,
): ProofPlanner {
  const created = new ProofPlanner({ isSoleUser });
  for (let height = from; height <= head; height++) {
    observe(created, view(height, { blocks: [block(height, changes)] }));
  }
  return created;
}

const heightsOf = (user: ProofPlanner, count: number) =>
  Array.from({ length: count }, () => {
    const plan = user.plan();
    return plan.kind === "go" ? `${plan.slot.height} at ${plan.slot.difficulty}` : plan.kind;
  });

describe("the choice of a block", () => {
  test("the newest first, then older ones; half is left to others; those about to leave are left out", () => {
    // Window 10 at head 20: 11 to 20 may be named, the next block is 21, and two blocks are kept in reserve.
    const heights = [20, 19, 18, 17, 16, 15, 14];
    expect(heightsOf(planner(20n), 8)).toEqual([...heights.map((height) => `${height} at 10`), "full"]);
  });

  test("older blocks at the base before any at more; then the least of what is needed", () => {
    const heights = heightsOf(planner(20n, { increasingDifficulty: true }, 1n, true), 18);
    expect(heights.slice(11)).toEqual([
      ...["15 at 10", "14 at 10", "14 at 10"],
      ...["20 at 11", "20 at 11", "19 at 11", "19 at 11"],
    ]);
  });

  test("a block is only named if its rules are known for certain", () => {
    const sender = planner(20n, {}, 20n);
    observe(sender, view(20n, { blocks: [block(18n), block(20n)] }));
    expect(heightsOf(sender, 2)).toEqual(["20 at 10", "full"]);
  });

  test("old blocks keep their own parameters", () => {
    const sender = planner(19n);
    const changed = block(20n, { difficulty: 20 });
    observe(sender, view(20n, { blocks: [changed] }));
    expect(heightsOf(sender, 4)).toEqual(["20 at 20", "19 at 10", "18 at 10", "17 at 10"]);
  });

  test("a proof of too many bits is not tried: the next block is cheaper", () => {
    const sender = new ProofPlanner({ extraBitsMax: 1, isSoleUser: true });
    observe(sender, view(4n, { blocks: [block(4n, { increasingDifficulty: true })] }));
    const heights = ["4 at 10", "4 at 10", "4 at 11", "4 at 11", "hard"];
    expect(heightsOf(sender, 5)).toEqual(heights);
  });

  test("places that were not used are given again", () => {
    const sender = planner(1n);
    const plan = sender.plan();
    expect(sender.plan().kind).toBe("full");
    if (plan.kind === "go") sender.release(plan.slot);
    expect(heightsOf(sender, 2)).toEqual(["1 at 10", "full"]);
  });

  test("a lost transaction's place is free again when its block has left", () => {
    const sender = planner(1n);
    sender.plan();
    for (let height = 2n; height <= 12n; height++) observe(sender, view(height));
    expect(sender.save().blocks.some(({ height }) => height === "1")).toBe(false);
    expect(sender.plan().kind).toBe("go");
  });
});

describe("the chain", () => {
  test("bans, unknown functions, and nothing known", () => {
    expect(new ProofPlanner().plan().kind).toBe("no_block");
    const sender = planner(1n);
    observe(sender, view(1n, { bannedUntil: "2030-01-01T00:00:00Z" }));
    expect(sender.plan()).toEqual({ kind: "banned", until: "2030-01-01T00:00:00Z" });
    observe(sender, view(2n));
    expect(sender.plan().kind).toBe("go");
    const other = new ProofPlanner();
    observe(other, view(1n, { blocks: [block(1n, { hashFunction: "md5" })] }));
    expect(other.plan()).toEqual({ kind: "unknown_function", hashFunction: "md5" });
  });

  test("statistics that come late change nothing for the worse", () => {
    const sender = planner(3n);
    const ticket = sender.nextTicket();
    observe(sender, view(4n));
    observe(sender, view(2n), ticket);
    expect(sender.headHeight).toBe(4n);
    expect(heightsOf(sender, 1)).toEqual(["4 at 10"]);
  });

  test("other blocks at the same heights: another chain, and nothing of the old one is named", () => {
    const sender = planner(20n);
    sender.plan();
    observe(sender, view(15n, { blocks: [block(15n, { hash: hashOf(15n, "b") })] }));
    expect(sender.headHeight).toBe(15n);
    expect(heightsOf(sender, 2)).toEqual(["15 at 10", "full"]);
  });

  test("a chain that goes on from a lower height is believed after three seconds", () => {
    const sender = planner(20n);
    heightsOf(sender, 14);
    sender.observe(view(18n), sender.nextTicket(), 1_000);
    expect(sender.plan().kind).toBe("full");
    sender.observe(view(18n), sender.nextTicket(), 3_999);
    expect(sender.headHeight).toBe(20n);
    sender.observe(view(18n), sender.nextTicket(), 4_000);
    expect(sender.headHeight).toBe(18n);
    sender.observe(
      view(19n, { blocks: [block(19n, { hash: hashOf(19n, "b") })] }),
      sender.nextTicket(),
      4_000,
    );
    expect(heightsOf(sender, 1)).toEqual(["19 at 10"]);
  });

  test("a chain that begins again far below is believed at once", () => {
    const sender = planner(50n);
    observe(sender, view(2n));
    expect([sender.headHeight, heightsOf(sender, 1)[0]]).toEqual([2n, "2 at 10"]);
  });

  const strays: readonly (readonly [string, ChainView])[] = [
    ["far behind", view(2n)],
    ["far ahead", view(100_000n)],
    ["of another chain", view(200n, { blocks: [block(200n, { hash: hashOf(200n, "b") })] })],
  ];
  test.each(strays)("a node %s does not make it forget what it has on its way", (_, astray) => {
    const sender = new ProofPlanner({ isSoleUser: true });
    observe(sender, view(200n));
    expect(heightsOf(sender, 3)).toEqual(["200 at 10", "200 at 10", "full"]);
    sender.observe(astray, sender.nextTicket(), 201_000);
    sender.observe(view(200n), sender.nextTicket(), 202_000);
    expect(heightsOf(sender, 1)).toEqual(["full"]);
    // Later it has arrived, and is counted.
    sender.observe(astray, sender.nextTicket(), 203_000);
    sender.observe(view(200n), sender.nextTicket(), 263_000);
    expect(heightsOf(sender, 1)).toEqual(["200 at 10"]);
  });

  test("nor does one that is a few blocks behind for long, where another one has more", () => {
    const sender = new ProofPlanner({ isSoleUser: true });
    for (const head of [196n, 197n, 198n]) {
      observe(sender, view(head));
      heightsOf(sender, 2);
    }
    for (const nowMs of [199_000, 203_000]) sender.observe(view(196n), sender.nextTicket(), nowMs);
    expect([sender.headHeight, ...heightsOf(sender, 1)]).toEqual([196n, "full"]);
    for (const head of [197n, 198n]) sender.observe(view(head), sender.nextTicket(), 204_000);
    expect(heightsOf(sender, 1)).toEqual(["full"]);
  });

  test("a node that has the height again in between was only late", () => {
    const sender = planner(20n);
    observe(sender, view(18n));
    sender.observe(view(20n), sender.nextTicket(), 2_000);
    sender.observe(view(18n), sender.nextTicket(), 4_000);
    expect(sender.headHeight).toBe(20n);
  });

  test("answers to questions of the chain before are not listened to", () => {
    const sender = planner(50n);
    const old = sender.nextTicket();
    observe(sender, view(2n));
    observe(sender, view(50n), old);
    expect(sender.headHeight).toBe(2n);
  });

  test("the memory survives as JSON", () => {
    const sender = planner(20n);
    heightsOf(sender, 5);
    const again = new ProofPlanner();
    again.load(JSON.parse(JSON.stringify(sender.save())));
    expect(again.save()).toEqual(sender.save());
    expect(heightsOf(again, 1)).toEqual(["15 at 10"]);
    for (const one of [sender, again])
      for (let height = 21n; height <= 24n; height++) observe(one, view(height));
    expect(heightsOf(again, 5)).toEqual(["24 at 10", "23 at 10", "22 at 10", "21 at 10", "full"]);
  });
});

describe("another wallet with the same key", () => {
  const four = { txPerBlock: 4n };
  const one = { txPerBlock: 1n };

  test("may have begun as well: half of each block", () => {
    const sender = planner(20n, four, 20n);
    expect(heightsOf(sender, 3)).toEqual(["20 at 10", "20 at 10", "full"]);
    observe(sender, view(21n, { blocks: [block(21n, four)] }));
    expect(heightsOf(sender, 3)).toEqual(["21 at 10", "21 at 10", "full"]);
    const full = sender.plan();
    expect(full.kind === "full" && full.left).toBe("for another wallet");
  });

  test("another user that takes more than its half is waited for, until it has been quiet for ten blocks", () => {
    const sender = planner(19n, four);
    observe(sender, view(20n, { blocks: [block(20n, { ...four, seen: 2n })], pastBlocks: 100n }));
    expect(heightsOf(sender, 2)).toEqual(["20 at 10", "20 at 10"]);
    observe(
      sender,
      view(21n, { blocks: [block(20n, { ...four, seen: 5n }), block(21n, four)], pastBlocks: 100n }),
    );
    const full = sender.plan();
    expect(full.kind === "full" && full.left).toBe("until another wallet is quiet");
    for (let height = 22n; height <= 29n; height++)
      observe(sender, view(height, { blocks: [block(height, four)], pastBlocks: 100n }));
    expect(heightsOf(sender, 1)).toEqual(["full"]);
    observe(sender, view(30n, { blocks: [block(30n, four)], pastBlocks: 100n }));
    expect(heightsOf(sender, 2)).toEqual(["30 at 10", "30 at 10"]);
  });

  test("none, where the user says so: everything at once", () => {
    const sender = new ProofPlanner({ isSoleUser: true });
    observe(sender, view(1n, { blocks: [block(1n, four)] }));
    expect(heightsOf(sender, 5)).toEqual(["1 at 10", "1 at 10", "1 at 10", "1 at 10", "full"]);
  });

  test("its own are not taken for another's, also when they are seen late", () => {
    const sender = planner(20n, one);
    expect(heightsOf(sender, 1)).toEqual(["20 at 10"]);
    observe(sender, view(21n, { blocks: [block(20n, { ...one, seen: 1n }), block(21n, one)] }));
    expect(heightsOf(sender, 1)).toEqual(["21 at 10"]);
  });

  test("a foreign transaction hidden behind the wallet's own is noticed when that did not leave", () => {
    const sender = planner(20n, one);
    const plan = sender.plan();
    observe(sender, view(21n, { blocks: [block(20n, { ...one, seen: 1n }), block(21n, one)] }));
    if (plan.kind === "go") sender.release(plan.slot);
    expect(heightsOf(sender, 1)).toEqual(["full"]);
  });

  test("with one transaction a block, a wallet that finds the key in use waits", () => {
    const second = planner(20n, one);
    observe(second, view(20n, { blocks: [block(20n, { ...one, seen: 1n })] }));
    expect(heightsOf(second, 1)).toEqual(["full"]);
    for (let height = 21n; height <= 30n; height++)
      observe(second, view(height, { blocks: [block(height, one)] }));
    expect(heightsOf(second, 2)).toEqual(["30 at 10", "29 at 10"]);
  });
});
