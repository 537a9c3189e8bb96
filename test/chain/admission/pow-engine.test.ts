// The scenarios of docs/protocol/40-pow-spam.md#7-scenarios-given--when--then, that are about the proof-of-work engine,
// by their numbers.
import { describe, expect, test } from "bun:test";
import { PowEngine } from "../../../src/chain/admission/pow/engine.ts";
import type { PowParameters } from "../../../src/chain/admission/pow/windows.ts";
import { banDurationNs } from "../../../src/chain/admission/rules.ts";
import { State } from "../../../src/engine/state.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { DEFAULTS, HOUR_NS, hashOf, listsOf, PowChain, permutations } from "./pow-fixture.ts";
import { vector } from "./pow-vectors.ts";

const BANNED = "party is banned from sending transactions";
const TOO_MANY = "too many transactions per block";
const UNPROVEN = "failed to verify proof of work";
const unknownHeight = (hash: string, party = "party") =>
  `unknown block height for tx:${hash}, command:Amend Order, party:${party}`;

test.each([
  [24n * HOUR_NS, 1_799_999_999_999n],
  [10n * HOUR_NS, 749_999_999_999n],
  [HOUR_NS, 74_999_999_999n],
  [24n * 60n * SECOND_NS, 30n * SECOND_NS],
  [1_441n * SECOND_NS, 30_020_833_333n],
  [10n * SECOND_NS, 30n * SECOND_NS],
])("1: an epoch of %d ns bans for %d ns", (epoch, ban) => {
  expect(banDurationNs(epoch)).toBe(ban);
});

describe("parameter sets", () => {
  const FIRST: PowParameters = {
    pastBlocks: 10n,
    difficulty: 10,
    hashFunction: "sha3_24_rounds",
    txPerBlock: 5n,
    increasingDifficulty: false,
  };
  test.each([
    ["difficulty", 100, 110],
    ["pastBlocks", 50n, 60n],
    ["hashFunction", "other", "another"],
    ["txPerBlock", 7n, 8n],
    ["increasingDifficulty", false, true],
  ] as const)(
    "2: a change of %s holds from the block after it, and several of one block merge",
    (name, one, two) => {
      const engine = new PowEngine();
      engine.beginBlock(1n, hashOf(1n), 0n);
      engine.change(FIRST);
      expect(engine.parameters).toEqual(FIRST);
      engine.beginBlock(2n, hashOf(2n), 0n);
      engine.change({ [name]: one });
      engine.change({ [name]: two });
      expect(engine.parameters).toEqual(FIRST);
      engine.beginBlock(3n, hashOf(3n), 0n);
      expect(engine.parameters).toEqual({ ...FIRST, [name]: two });
      expect(engine.parameterSets.length).toBe(2);
    },
  );

  test("3: the set of a change ends where the next begins", () => {
    const engine = new PowEngine();
    engine.beginBlock(1n, hashOf(1n), 0n);
    engine.change({ ...FIRST, difficulty: 1 });
    engine.beginBlock(2n, hashOf(2n), 0n);
    engine.change({ difficulty: 5 });
    expect(engine.parameters?.difficulty).toBe(1);
    expect(engine.parameterSets.map(({ from, until }) => [from, until])).toEqual([
      [1n, 2n],
      [3n, undefined],
    ]);
    for (const height of [3n, 4n, 5n]) engine.beginBlock(height, hashOf(height), 0n);
    expect(engine.parameters?.difficulty).toBe(5);
  });

  test("4: a transaction is judged by the height it names", () => {
    const chain = new PowChain({ difficulty: 1, pastBlocks: 500n });
    const changes: Record<string, number> = { 9: 2, 19: 3, 29: 4 };
    while (chain.height < 100n) {
      chain.next();
      const difficulty = changes[String(chain.height)];
      if (difficulty !== undefined) chain.engine.change({ difficulty });
    }
    const needed = (height: bigint) =>
      [0, 1, 2, 3, 4].find(
        (bits) => chain.deliver(chain.tx(height, bits, { party: `${height}` })) === "accepted",
      );
    const heights = [1n, 9n, 10n, 19n, 20n, 29n, 30n, 100n];
    expect(heights.map(needed)).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
  });

  /** Sets [0-9] window 100, [10-19] window 50, [20-29] window 80, [30-] window 70, as scenarios 5 and 6 have them. */
  function fourSets(until: bigint, hashes: Record<string, string> = {}, isEnding = true): PowChain {
    const chain = new PowChain({ pastBlocks: 100n, difficulty: 20 });
    const changes: Record<string, Partial<PowParameters>> = {
      9: { pastBlocks: 50n },
      19: { pastBlocks: 80n, difficulty: 22, txPerBlock: 1n, increasingDifficulty: true },
      29: { pastBlocks: 70n, difficulty: 1, txPerBlock: 2n, increasingDifficulty: false },
    };
    while (chain.height < until) {
      if (isEnding && chain.height > 0n) chain.end();
      chain.begin(hashes[String(chain.height + 1n)]);
      const change = changes[String(chain.height)];
      if (change) chain.engine.change(change);
    }
    return chain;
  }

  test("5: a closed set is dropped when nothing can fall under it any more", () => {
    const chain = fourSets(30n);
    const setsAfter = (height: bigint) => {
      chain.goTo(height);
      chain.engine.endBlock();
      return chain.engine.parameterSets.length;
    };
    expect([30n, 68n, 69n, 108n, 109n].map(setsAfter)).toEqual([4, 4, 3, 3, 1]);
  });

  test("6: old heights keep their difficulty, window, quota and mode", () => {
    const hashes = { 9: vector(5).blockHash, 29: vector(7).blockHash, 30: vector(15).blockHash };
    // As in the original's test, no block is ended, so that no set is dropped before the heights are named.
    const chain = fourSets(90n, hashes, false);
    expect(chain.deliver(chain.proven(vector(5), 9n))).toBe("accepted");
    const old = chain.plain({ blockHeight: 19n, tid: "any" });
    expect(chain.deliver(old)).toBe(unknownHeight(old.hash));
    expect(chain.deliver(chain.proven(vector(7), 29n))).toBe("accepted");
    expect(chain.deliver(chain.proven(vector(8), 29n))).toBe("accepted");
    expect(chain.deliver(chain.proven(vector(15), 30n))).toBe("accepted");
    expect(chain.deliver(chain.proven(vector(16), 30n))).toBe("accepted");
    expect(chain.deliver(chain.tx(30n, 1))).toBe(TOO_MANY);
    chain.begin();
    expect(chain.deliver(chain.tx(31n, 1))).toBe(BANNED);
  });

  test("6: a height whose set was dropped is too old", () => {
    const chain = fourSets(90n);
    expect(chain.deliver(chain.plain({ blockHeight: 19n, tid: "any" }))).toBe("transaction too old");
  });

  test("6: a height that leaves its own window is unknown while its set is still kept", () => {
    const chain = fourSets(65n);
    const tx = chain.plain({ blockHeight: 15n, tid: "any" });
    expect(chain.deliver(tx)).toBe(unknownHeight(tx.hash));
  });
});

describe("verification", () => {
  const at100 = (hash: string) => {
    const chain = new PowChain({ pastBlocks: 5n, difficulty: 20, txPerBlock: 5n });
    chain.goTo(100n, { 96: hash });
    return chain;
  };

  test("7: a spent tid, a banned party, a wrong nonce, a good proof", () => {
    const proof = vector(15);
    const chain = at100(proof.blockHash);
    chain.engine.ban("outcast", 10n ** 18n);
    expect(chain.deliver(chain.proven(proof, 96n, { party: "outcast" }))).toBe(BANNED);
    expect(chain.deliver(chain.proven(vector(16), 96n))).toBe(UNPROVEN);
    expect(chain.deliver(chain.proven(proof, 96n))).toBe("accepted");
    expect(chain.deliver(chain.proven(proof, 96n))).toBe("proof of work tid already used");
  });

  test("8: an unknown height is named, and none of a validator's business", () => {
    const chain = at100(hashOf(96n));
    const tx = chain.plain({ blockHeight: 10n, tid: "any" });
    expect(chain.deliver(tx)).toBe(unknownHeight(tx.hash));
    expect(chain.deliver({ ...tx, isValidatorCommand: true })).toBe("accepted");
  });

  test("9: a tid is spent in the mempool until the commit, and in the chain after it", () => {
    const chain = at100(vector(15).blockHash);
    const tx = chain.proven(vector(15), 96n);
    expect(chain.submit(tx)).toBe("accepted");
    expect(chain.submit(tx)).toBe("proof of work tid already seen");
    expect(chain.deliver(tx)).toBe("accepted");
    chain.engine.commit();
    expect(chain.submit(tx)).toBe("transaction hash already used");
    expect(chain.submit({ ...tx, hash: "other" })).toBe("proof of work tid already used");
  });

  test("a tid is free again when its transaction left the mempool without a block", () => {
    const chain = at100(vector(15).blockHash);
    const tx = chain.proven(vector(15), 96n);
    expect(chain.submit(tx)).toBe("accepted");
    chain.engine.release(tx);
    expect(chain.submit({ ...tx, hash: "other" })).toBe("accepted");
  });

  test("a tid of more than 256 bytes is not looked at for the mempool, and counts in a block", () => {
    const chain = new PowChain({ difficulty: 1 });
    chain.goTo(3n);
    const [good, long] = ["é".repeat(128), `${"é".repeat(128)}x`].map((tid) => chain.tx(3n, 1, { tid }));
    expect(chain.submit(good!)).toBe("accepted");
    expect(chain.submit({ ...good!, hash: "other" })).toBe("proof of work tid already seen");
    expect(chain.submit(long!)).toBe("proof of work tid is longer than 256 bytes");
    expect(chain.submit({ ...long!, isValidatorCommand: true })).toBe("accepted");
    for (const tx of [good!, long!]) {
      expect(chain.deliver(tx)).toBe("accepted");
      expect(chain.deliver({ ...tx, hash: `${tx.tid.length}` })).toBe("proof of work tid already used");
    }
    chain.engine.endBlock();
    const state = new State();
    const again = new PowEngine("default", state);
    state.load(chain.state.entries());
    again.resume(chain.engine.currentHeight);
    expect(again.deliver({ ...long!, hash: "third" }, 0n)).toMatchObject({ rule: "pow_tid_used" });
  });

  test("13: hash and tid are forgotten when the height leaves the window", () => {
    const chain = new PowChain({ difficulty: 1 });
    chain.goTo(50n);
    const tx = chain.tx(1n, 1);
    expect(chain.deliver(tx)).toBe("accepted");
    chain.goTo(100n);
    expect(listsOf(chain.state, "hashes")).toEqual([[tx.hash]]);
    expect(chain.deliver(tx)).toBe("transaction hash already used");
    chain.next();
    for (const table of ["hashes", "tids", "counters"]) expect(listsOf(chain.state, table)).toEqual([]);
    expect(chain.deliver(tx)).toBe(unknownHeight(tx.hash));
  });

  test("14: the window has its size, the current block included", () => {
    const chain = new PowChain({ pastBlocks: 5n, difficulty: 1 });
    chain.goTo(20n);
    const verdicts = [14n, 15n, 16n, 20n, 21n, 0n].map((height) => {
      const tx = chain.tx(height, 1, { party: `${height}` });
      return chain.deliver(tx).replace(unknownHeight(tx.hash, `${height}`), "unknown");
    });
    expect(verdicts).toEqual(["unknown", "unknown", "accepted", "accepted", "unknown", "unknown"]);
  });

  test("a height beyond all numbers is unknown", () => {
    const chain = at100(hashOf(96n));
    const tx = chain.plain({ blockHeight: 2n ** 64n - 1n, tid: "any" });
    expect(chain.deliver(tx)).toBe(unknownHeight(tx.hash));
  });

  test("15: a refused submission burns the tid until the commit, where the original's rules hold", () => {
    for (const rules of ["default", "0.71.6"] as const) {
      const chain = new PowChain({ difficulty: 8 }, rules);
      chain.goTo(3n);
      const good = chain.tx(3n, 8);
      const bad = { ...good, hash: "bad", nonce: good.nonce + 1n };
      expect(chain.submit(bad)).toBe(UNPROVEN);
      if (rules === "0.71.6") {
        expect(chain.submit(good)).toBe("proof of work tid already seen");
        chain.engine.commit();
      }
      expect(chain.submit(good)).toBe("accepted");
      expect(chain.deliver(good)).toBe("accepted");
      expect(chain.deliver(good)).toBe("transaction hash already used");
      expect(chain.deliver({ ...good, hash: "again" })).toBe("proof of work tid already used");
    }
  });

  test.each([8, 0])("16: without a proof, difficulty %d", (difficulty) => {
    for (const rules of ["default", "0.71.6"] as const) {
      const chain = new PowChain({ difficulty }, rules);
      chain.goTo(3n);
      expect(chain.submit(chain.plain({ party: "one" }))).toBe(UNPROVEN);
      const second = rules === "default" ? UNPROVEN : "proof of work tid already seen";
      expect(chain.submit(chain.plain({ party: "two" }))).toBe(second);
    }
  });

  test("17: a validator command names any height, once", () => {
    const chain = new PowChain();
    chain.goTo(3n);
    const tx = chain.plain({ blockHeight: 999_999n, isValidatorCommand: true });
    expect([chain.submit(tx), chain.submit(tx)]).toEqual(["accepted", "accepted"]);
    expect([chain.deliver(tx), chain.deliver(tx)]).toEqual(["accepted", "transaction hash already used"]);
  });

  test("a ban stops validator commands too", () => {
    const chain = new PowChain();
    chain.goTo(3n);
    chain.engine.ban("party", 10n ** 18n);
    expect(chain.deliver(chain.plain({ isValidatorCommand: true }))).toBe(BANNED);
    expect(chain.engine.pardon("party")).toBeTrue();
    expect(chain.deliver(chain.plain({ isValidatorCommand: true }))).toBe("accepted");
  });
});

describe("quota and difficulty", () => {
  const B = vector(9).blockHash;
  const INCREASING = { difficulty: 20, txPerBlock: 1n, increasingDifficulty: true } as const;
  const onB = () => {
    const chain = new PowChain(INCREASING);
    chain.next(B);
    return chain;
  };

  test("10: 20, 21, 22 and 23 bits are accepted in any order", () => {
    for (const order of permutations([9, 10, 11, 12])) {
      const chain = onB();
      for (const number of order) expect(chain.deliver(chain.proven(vector(number), 1n))).toBe("accepted");
      expect(chain.engine.bannedUntil("party")).toBeUndefined();
    }
  });

  test("11: 20, 20, 22 and 23 bits are not, in any order, and the ban ends at its time", () => {
    for (const order of permutations([9, 13, 14, 12])) {
      const chain = onB();
      const verdicts = order.map((number) => chain.deliver(chain.proven(vector(number), 1n)));
      expect(verdicts).toContain(TOO_MANY);
      expect(chain.engine.bannedUntil("party")).toBe(31n * SECOND_NS);
      chain.goTo(31n);
      // The clock still shows the block before: the release comes one block late.
      expect(chain.engine.bannedUntil("party")).toBe(31n * SECOND_NS);
      chain.next();
      expect(chain.engine.bannedUntil("party")).toBeUndefined();
    }
  });

  test("12: sums are compared over blocks too", () => {
    const chain = new PowChain(INCREASING);
    chain.goTo(101n, { 100: B });
    const verdicts = [9, 11, 12, 13].map((number) => {
      const verdict = chain.engine.deliver(chain.proven(vector(number), 100n), chain.timeNs);
      chain.next();
      return verdict.accepted ? "accepted" : verdict;
    });
    expect(verdicts.slice(0, 3)).toEqual(["accepted", "accepted", "accepted"]);
    expect(verdicts[3]).toMatchObject({
      rule: "pow_quota",
      text: TOO_MANY,
      numbers: { required: 86n, shown: 85n, seen: 3n, txPerBlock: 1n },
    });
    expect(chain.engine.bannedUntil("party")).toBe(134n * SECOND_NS);
  });

  const statesOf = (chain: PowChain, party = "party") =>
    chain.engine.blockStates(party).map(({ height, seen, expected }) => ({ height, seen, expected }));

  test("18: a fixed quota is kept, and its excess banned", () => {
    const chain = new PowChain({ difficulty: 4 });
    chain.goTo(2n);
    const current = { height: 2n, seen: 0n, expected: 4n };
    expect(chain.deliver(chain.tx(1n, 4))).toBe("accepted");
    expect(statesOf(chain)).toEqual([{ height: 1n, seen: 1n, expected: 4n }, current]);
    expect(chain.deliver(chain.tx(1n, 4))).toBe("accepted");
    expect(statesOf(chain)[0]).toEqual({ height: 1n, seen: 2n, expected: undefined });
    expect(chain.deliver(chain.tx(1n, 4))).toBe(TOO_MANY);
    expect(chain.deliver(chain.tx(1n, 4))).toBe(BANNED);
    expect(statesOf(chain)[0]).toEqual({ height: 1n, seen: 2n, expected: undefined });
  });

  test("19: another party's transactions leave the quota alone", () => {
    const chain = new PowChain({ difficulty: 1 });
    chain.goTo(2n);
    const verdicts = Array.from({ length: 6 }, (_, at) =>
      chain.deliver(chain.tx(1n, 1, { party: at % 2 === 0 ? "A" : "B" })),
    );
    expect(verdicts).toEqual(["accepted", "accepted", "accepted", "accepted", TOO_MANY, TOO_MANY]);
    expect([statesOf(chain, "A")[0]?.seen, statesOf(chain, "B")[0]?.seen]).toEqual([2n, 2n]);
  });

  test("19: by the rules of 0.71.6 they erase its counter", () => {
    const chain = new PowChain({ difficulty: 1 }, "0.71.6");
    chain.goTo(2n);
    for (let at = 0; at < 10; at++) {
      expect(chain.deliver(chain.tx(1n, 1, { party: at % 2 === 0 ? "A" : "B" }))).toBe("accepted");
    }
    expect(statesOf(chain, "A").map(({ height }) => height)).toEqual([2n]);
    expect(statesOf(chain, "B")[0]).toEqual({ height: 1n, seen: 1n, expected: 1n });
  });

  test("20: growing difficulty is announced, and what falls short of it is banned", () => {
    const chain = new PowChain({ difficulty: 4, increasingDifficulty: true });
    chain.goTo(2n);
    const expected: unknown[] = [];
    for (const bits of [4, 4, 5, 5, 6]) {
      expect(chain.deliver(chain.tx(1n, bits))).toBe("accepted");
      expected.push(statesOf(chain)[0]!.expected);
    }
    expect(expected).toEqual([4n, 5n, 5n, 6n, 6n]);
    expect(chain.deliver(chain.tx(1n, 5))).toBe(TOO_MANY);
    expect(chain.deliver(chain.tx(1n, 6))).toBe(BANNED);
  });

  test("21: a ban is released at its time, not a nanosecond earlier", () => {
    const { engine } = new PowChain(DEFAULTS);
    engine.ban("party", 5_000n);
    engine.beginBlock(1n, hashOf(1n), 4_999n);
    expect(engine.bannedUntil("party")).toBe(5_000n);
    engine.beginBlock(2n, hashOf(2n), 5_000n);
    expect(engine.bannedUntil("party")).toBeUndefined();
  });
});
