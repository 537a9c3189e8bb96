// The scenarios of docs/protocol/40-pow-spam.md#7-scenarios-given--when--then, that are about the spam policies, by
// their numbers.
import { describe, expect, test } from "bun:test";
import { SPAM_DEFAULTS, SpamEngine } from "../../../src/chain/admission/spam/engine.ts";
import { SimplePolicy, VotePolicy } from "../../../src/chain/admission/spam/policies.ts";
import { State } from "../../../src/engine/state.ts";
import { COMMANDS } from "../../../src/wire/transaction-commands.ts";
import { textOf } from "./pow-fixture.ts";

const TOKEN = 10n ** 18n;
const MINUTE_NS = 60_000_000_000n;
const BAN_NS = 30n * MINUTE_NS;
const START_NS = BigInt(Date.UTC(2022, 11, 12, 4, 35)) * 1_000_000n;
const RICH = 10n ** 30n;

const TOO_MANY = "party has already submitted the maximum number of transfer requests per epoch";
const bannedUntil = (time: string) =>
  `party is banned from submitting transfer until the earlier between ${time} +0000 UTC and the beginning of the next epoch`;
const repeat = <T>(times: number, make: () => T): T[] => Array.from({ length: times }, make);

const simplePolicy = (max: bigint, minTokens: bigint) =>
  new SimplePolicy("transfer", new State(), () => ({ max, minTokens }));
const votePolicy = (max: bigint, minTokens: bigint) =>
  new VotePolicy(new State(), () => ({ max, minTokens }));

describe("simple policies", () => {
  const simple = () => simplePolicy(3n, 100_000n * TOKEN);
  const check = (policy: SimplePolicy) => textOf(policy.check("party", RICH));
  const deliver = (policy: SimplePolicy) => textOf(policy.deliver("party"));
  /** Six checked and delivered in one block, of which three are refused. */
  const overrun = () => {
    const policy = simple();
    expect(repeat(6, () => check(policy))).toEqual(Array(6).fill("accepted"));
    expect(repeat(6, () => deliver(policy))).toEqual([
      ...Array(3).fill("accepted"),
      ...Array(3).fill(TOO_MANY),
    ]);
    policy.endBlock(START_NS, BAN_NS);
    return policy;
  };

  test("22: half of a block's deliveries refused is a ban", () => {
    expect(check(overrun())).toBe(bannedUntil("2022-12-12 05:05:00"));
  });

  test("22: the time of a ban has a fraction only when there is one", () => {
    const policy = simple();
    for (let count = 0; count < 6; count++) policy.deliver("party");
    policy.endBlock(BigInt(Date.UTC(2023, 0, 1)) * 1_000_000n, 1_799_999_999_999n);
    expect(check(policy)).toBe(bannedUntil("2023-01-01 00:29:59.999999999"));
  });

  test("23: the ban ends at its time, the maximum with the epoch", () => {
    const policy = overrun();
    for (const minutes of [10n, 20n]) {
      policy.endBlock(START_NS + minutes * MINUTE_NS, BAN_NS);
      expect(check(policy)).toBe(bannedUntil("2022-12-12 05:05:00"));
    }
    policy.endBlock(START_NS + 30n * MINUTE_NS, BAN_NS);
    expect(check(policy)).toBe(TOO_MANY);
    policy.startEpoch();
    expect(check(policy)).toBe("accepted");
  });

  test("24: two of five refused is no ban", () => {
    const policy = simple();
    expect(repeat(5, () => deliver(policy)).slice(3)).toEqual([TOO_MANY, TOO_MANY]);
    policy.endBlock(START_NS, BAN_NS);
    expect(policy.bans.of("party")).toBeUndefined();
    expect(check(policy)).toBe(TOO_MANY);
  });

  test("25: what finished blocks hold is refused before it is delivered", () => {
    const policy = simple();
    for (let block = 0n; block < 3n; block++) {
      expect([check(policy), deliver(policy)]).toEqual(["accepted", "accepted"]);
      policy.endBlock(START_NS + block, BAN_NS);
    }
    expect(policy.check("party", RICH)).toMatchObject({
      rule: "spam_transfer_count",
      text: TOO_MANY,
      numbers: { used: 3n, max: 3n },
    });
    expect(textOf(policy.check("another", RICH))).toBe("accepted");
  });

  test("a single stray delivery behind the quota is half of its block", () => {
    const policy = simple();
    for (let count = 0; count < 3; count++) policy.deliver("party");
    policy.endBlock(START_NS, BAN_NS);
    expect(deliver(policy)).toBe(TOO_MANY);
    policy.endBlock(START_NS + 1n, BAN_NS);
    expect(policy.bans.of("party")).toBe(START_NS + 1n + BAN_NS);
  });

  // docs/protocol/40-pow-spam.md#8-easily-missed, 16.
  test("a maximum of 0 is found out at delivery", () => {
    const policy = simplePolicy(0n, 0n);
    expect(check(policy)).toBe("accepted");
    expect(deliver(policy)).toBe(
      "party has already submitted the maximum number of transfer requests per epoch",
    );
    policy.endBlock(START_NS, BAN_NS);
    expect(policy.bans.of("party")).toBe(START_NS + BAN_NS);
  });
});

describe("26: tokens", () => {
  const insufficient = (what: string) =>
    `party has insufficient associated governance tokens in their staking account to submit ${what}`;
  test.each([
    ["proposal", 50_000n * TOKEN, insufficient("proposal request")],
    ["proposal", undefined, insufficient("proposal request")],
    ["proposal", 100_000n * TOKEN, "accepted"],
    ["vote", undefined, insufficient("votes")],
    ["vote", 100n * TOKEN - 1n, insufficient("votes")],
    ["vote", 100n * TOKEN, "accepted"],
    ["transfer", undefined, "accepted"],
    ["delegation", TOKEN - 1n, insufficient("delegation request")],
    ["validatorJoin", undefined, "accepted"],
    ["issueSignature", 99n * TOKEN, insufficient("issueSignature request")],
    [undefined, undefined, "accepted"],
  ] as const)("%s with %p", (policy, tokens, text) => {
    const request = { policy, party: "party", proposal: "p" };
    expect(textOf(new SpamEngine().check(request, tokens))).toBe(text);
  });

  test("votes need a staking account whatever the minimum", () => {
    expect(textOf(votePolicy(3n, 0n).check("party", "p", undefined))).toBe(insufficient("votes"));
    expect(textOf(votePolicy(3n, 0n).check("party", "p", 0n))).toBe("accepted");
  });
});

describe("votes", () => {
  const TOO_MANY_VOTES = "party has already voted the maximum number of times per proposal per epoch";
  const INSUFFICIENT =
    "party has insufficient associated governance tokens in their staking account to submit votes";
  const votes = () => votePolicy(3n, 100n * TOKEN);
  const check = (policy: VotePolicy, proposal: string, tokens = RICH, party = "party") =>
    textOf(policy.check(party, proposal, tokens));
  const deliver = (policy: VotePolicy, proposal: string, party = "party") =>
    textOf(policy.deliver(party, proposal));

  test("27: the maximum is for each proposal", () => {
    const policy = votes();
    for (const proposal of ["p1", "p2"]) {
      expect(repeat(3, () => check(policy, proposal))).toEqual(Array(3).fill("accepted"));
      expect(repeat(3, () => deliver(policy, proposal))).toEqual(Array(3).fill("accepted"));
    }
    policy.endBlock(1n, START_NS, BAN_NS);
    const verdicts = () => ["p1", "p2", "p3"].map((proposal) => check(policy, proposal));
    expect(verdicts()).toEqual([TOO_MANY_VOTES, TOO_MANY_VOTES, "accepted"]);
    policy.startEpoch();
    expect(verdicts()).toEqual(["accepted", "accepted", "accepted"]);
  });

  test("28: votes of a block before count at delivery", () => {
    const policy = votes();
    repeat(2, () => deliver(policy, "p"));
    policy.endBlock(1n, START_NS, BAN_NS);
    expect(repeat(2, () => check(policy, "p"))).toEqual(["accepted", "accepted"]);
    expect(repeat(2, () => deliver(policy, "p"))).toEqual(["accepted", TOO_MANY_VOTES]);
  });

  test("29: more than 30 % refused in the network doubles the minimum", () => {
    const policy = votes();
    repeat(5, () => deliver(policy, "p", "one"));
    repeat(4, () => deliver(policy, "p", "two"));
    policy.endBlock(1n, START_NS, BAN_NS);
    expect(check(policy, "p", 100n * TOKEN, "one")).toBe(INSUFFICIENT);
    expect(check(policy, "p", 200n * TOKEN, "two")).toBe(TOO_MANY_VOTES);
  });

  test("30 % exactly does not", () => {
    const policy = votePolicy(7n, 100n * TOKEN);
    repeat(10, () => deliver(policy, "p"));
    policy.endBlock(1n, START_NS, BAN_NS);
    expect(policy.effectiveMinTokens).toBe(100n * TOKEN);
    deliver(policy, "p");
    policy.endBlock(2n, START_NS, BAN_NS);
    expect(policy.effectiveMinTokens).toBe(200n * TOKEN);
  });

  test("30: the minimum doubles once in eleven blocks, up to 1600 tokens, until the epoch ends", () => {
    const policy = votePolicy(1n, 100n * TOKEN);
    deliver(policy, "p");
    const raised: [height: bigint, tokens: bigint][] = [];
    for (let height = 1n; height < 60n; height++) {
      deliver(policy, "p");
      const before = policy.effectiveMinTokens;
      policy.endBlock(height, START_NS, BAN_NS);
      const after = policy.effectiveMinTokens;
      if (after !== before) raised.push([height, after / TOKEN]);
    }
    expect(raised).toEqual([
      [1n, 200n],
      [12n, 400n],
      [23n, 800n],
      [34n, 1_600n],
    ]);
    expect(check(policy, "q", 1600n * TOKEN - 1n, "honest")).toBe(INSUFFICIENT);
    expect(check(policy, "q", 1600n * TOKEN, "honest")).toBe("accepted");
    policy.startEpoch();
    expect(check(policy, "q", 100n * TOKEN, "honest")).toBe("accepted");
  });

  test("the factor applies to a new minimum too, and the last step may go beyond 1600 tokens", () => {
    let minTokens = 1_000n * TOKEN;
    const policy = new VotePolicy(new State(), () => ({ max: 1n, minTokens }));
    repeat(3, () => deliver(policy, "p"));
    policy.endBlock(1n, START_NS, BAN_NS);
    expect(policy.effectiveMinTokens).toBe(2_000n * TOKEN);
    minTokens = 300n * TOKEN;
    expect(policy.effectiveMinTokens).toBe(600n * TOKEN);
  });

  test("refused votes of all proposals count for the ban together", () => {
    const policy = votes();
    repeat(3, () => deliver(policy, "p"));
    repeat(1, () => deliver(policy, "q"));
    policy.endBlock(1n, START_NS, BAN_NS);
    for (const proposal of ["p", "p", "q", "q"]) deliver(policy, proposal);
    policy.endBlock(2n, START_NS, BAN_NS);
    expect(check(policy, "r")).toBe(
      "party is banned from submitting votes until the earlier between 2022-12-12 05:05:00 +0000 UTC and the beginning of the next epoch",
    );
  });
});

describe("the engine", () => {
  const transfer = { policy: "transfer", party: "party" } as const;

  test("31: transfers and their cancellation share a counter; finished blocks show", () => {
    expect([COMMANDS.transfer.spamPolicy, COMMANDS.cancelTransfer.spamPolicy]).toEqual([
      "transfer",
      "transfer",
    ]);
    const engine = new SpamEngine(new State(), { ...SPAM_DEFAULTS, maxTransfers: 3n });
    engine.setEpochLength(24n * 60n * MINUTE_NS);
    const verdicts = repeat(5, () => textOf(engine.deliver(transfer)));
    const tooMany = "party has already submitted the maximum number of transfer requests per epoch";
    expect(verdicts).toEqual(["accepted", "accepted", "accepted", tooMany, tooMany]);
    expect(engine.simple.transfer.countOf("party")).toBe(0n);
    engine.endBlock(1n, START_NS);
    expect(engine.simple.transfer.countOf("party")).toBe(3n);
    expect(engine.simple.transfer.bans.of("party")).toBeUndefined();
    expect(textOf(engine.deliver(transfer))).toBe(tooMany);
    engine.endBlock(2n, START_NS);
    expect(engine.simple.transfer.bans.of("party")).toBe(START_NS + 1_799_999_999_999n);
    expect(engine.pardon("party")).toBeTrue();
    expect(engine.simple.transfer.bans.of("party")).toBeUndefined();
  });

  test("32: an epoch begins when its number is a new one", () => {
    const engine = new SpamEngine(new State(), { ...SPAM_DEFAULTS, maxTransfers: 1n });
    engine.startEpoch(1n);
    repeat(2, () => engine.deliver(transfer));
    engine.endBlock(1n, START_NS);
    engine.startEpoch(1n);
    expect(engine.check(transfer, undefined)).toMatchObject({ rule: "spam_transfer_banned" });
    engine.startEpoch(2n);
    expect(textOf(engine.check(transfer, undefined))).toBe("accepted");
    expect(engine.simple.transfer.countOf("party")).toBe(0n);
  });

  test("delegating and undelegating share a counter, announcing and issuing are for once", () => {
    expect([COMMANDS.delegateSubmission.spamPolicy, COMMANDS.undelegateSubmission.spamPolicy]).toEqual([
      "delegation",
      "delegation",
    ]);
    const engine = new SpamEngine();
    for (const policy of ["validatorJoin", "issueSignature"] as const) {
      const verdicts = repeat(2, () => engine.deliver({ policy, party: "party" }).accepted);
      expect(verdicts).toEqual([true, false]);
    }
  });

  test("a new parameter counts at once", () => {
    const engine = new SpamEngine();
    engine.deliver(transfer);
    engine.endBlock(1n, START_NS);
    engine.change({ maxTransfers: 1n });
    expect(engine.check(transfer, undefined)).toMatchObject({ numbers: { used: 1n, max: 1n } });
  });
});
