// Stake linking: docs/protocol/60-state-engine-staking.md#71-stake-linking.
import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Linking, stakeBalance } from "../../src/engine/staking.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { ALICE, BOB, START, ValidatorRig } from "./validator-rig.ts";

let rig: ValidatorRig;

const STAKE = { ethereumAddress: "0xAb", vegaPublicKey: ALICE, amount: "500", blockTime: 77n };
const NOTHING = { stakeDeposited: undefined, stakeRemoved: undefined, totalSupply: undefined };

beforeEach(() => {
  rig = new ValidatorRig();
  rig.events();
});

function send(event: object, { tx = "0xfeed", id }: { tx?: string; id?: string } = {}): string {
  return rig.send(
    rig.nodes[0]!.key,
    () => rig.staking.processEvent({ index: 3n, block: 9n, ...NOTHING, ...event }, tx),
    id,
  );
}

describe("stake linking", () => {
  test("given a deposit, then it is pending, and accepted in the tick that has the verdict, behind a new party", () => {
    const id = "1d".repeat(32);
    expect(send({ stakeDeposited: STAKE }, { id })).toBe("");
    const linking = {
      id,
      type: 1,
      ts: 77n,
      party: ALICE,
      amount: "500",
      status: 1,
      finalizedAt: 0n,
      txHash: "0xfeed",
      blockHeight: 9n,
      blockTime: 77n,
      logIndex: 3n,
      ethereumAddress: "0xAb",
    };
    expect(rig.events()).toEqual([{ member: "stakeLinking", payload: linking }]);
    expect(rig.staking.balance(ALICE)).toBeUndefined();
    rig.witnessAll();
    const seen = rig.block().filter(({ member }) => member === "party" || member === "stakeLinking");
    expect(seen.map(({ member }) => member)).toEqual(["party", "stakeLinking"]);
    expect(seen[0]!.payload.id).toBe(ALICE);
    expect(seen[1]!.payload).toEqual({ ...linking, status: 2, finalizedAt: (START + 1n) * SECOND_NS });
    expect(rig.staking.balance(ALICE)).toBe(500n);
    expect(rig.staking.parties()).toEqual([ALICE]);
  });

  test("given a party with a linking, then its next one comes without a party event", () => {
    rig.link(ALICE, 5n);
    rig.events();
    rig.link(ALICE, 6n);
    expect(rig.events().map(({ member }) => member)).toEqual(["stakeLinking", "stakeLinking"]);
  });

  test("given no votes for 21 days, then the linking is rejected and the party has no account", () => {
    send({ stakeDeposited: STAKE });
    rig.block(21n * 86_400n - 1n);
    const kept = [...rig.core.state.entries()].find(({ table }) => table === "staking.linkings");
    expect(kept!.value).toContain('"status":1');
    const seen = rig.block(2n).filter(({ member }) => member === "party" || member === "stakeLinking");
    expect(seen.map(({ payload }) => payload.status)).toEqual([3]);
    expect(rig.staking.balance(ALICE)).toBeUndefined();
  });

  test.each([
    ["the same event from another node", { stakeDeposited: STAKE }, {}, "duplicated stake deposited event"],
    [
      "the same transaction",
      { stakeDeposited: { ...STAKE, amount: "1" } },
      { id: "1d".repeat(32) },
      "duplicated stake deposited event",
    ],
    ["the same amount taken out", { stakeRemoved: STAKE }, {}, ""],
    ["another log entry", { stakeDeposited: STAKE, index: 4n }, {}, ""],
    ["another Ethereum transaction", { stakeDeposited: STAKE }, { tx: "0xfeee" }, ""],
    [
      "no amount",
      { stakeDeposited: { ...STAKE, amount: "0" } },
      {},
      "invalid stake event: the amount must be above 0",
    ],
    [
      "no number",
      { stakeDeposited: { ...STAKE, amount: "-1" } },
      {},
      "invalid stake event: the amount is no base-10 number of at most 256 bits",
    ],
    [
      "more than 256 bits",
      { stakeDeposited: { ...STAKE, amount: `${2n ** 256n}` } },
      {},
      "invalid stake event: the amount is no base-10 number of at most 256 bits",
    ],
    ["no party", { stakeDeposited: { ...STAKE, vegaPublicKey: "not a key" } }, {}, "invalid party"],
    [
      "no time",
      { stakeDeposited: { ...STAKE, blockTime: 0n } },
      {},
      "invalid stake event: the block time must be above 0",
    ],
    ["nothing at all", {}, {}, "unsupported staking event"],
  ])("given a linking, when %s comes, then it answers as documented", (_title, event, options, text) => {
    send({ stakeDeposited: STAKE }, { id: "1d".repeat(32) });
    expect(send(event, options)).toBe(text);
  });

  test("given linkings of more than 256 bits together, then the balance is what 256 bits hold", () => {
    const most = 2n ** 256n - 1n;
    rig.link(ALICE, most);
    rig.link(ALICE, most);
    expect(rig.staking.balance(ALICE)).toBe(most);
  });

  test("given removals of one event twice, then the second is a duplicate too", () => {
    expect(send({ stakeRemoved: STAKE })).toBe("");
    expect(send({ stakeRemoved: STAKE })).toBe("duplicated stake deposited event");
  });
});

describe("the balance of a staking account", () => {
  const linking = (type: number, seconds: bigint, amount: bigint, id = `${type}${seconds}`): Linking => ({
    id,
    type,
    seconds,
    party: ALICE,
    amount,
    status: 2,
    finalizedNs: 0n,
    txHash: "",
    block: 0n,
    logIndex: 0n,
    ethereumAddress: "",
  });

  test.each([
    ["links and unlinks", [linking(1, 1n, 10n), linking(2, 2n, 4n), linking(1, 3n, 1n)], 7n],
    ["a link and an unlink of one second", [linking(2, 1n, 4n), linking(1, 1n, 10n)], 6n],
    ["an unlink before its link", [linking(1, 5n, 10n), linking(2, 2n, 4n)], 0n],
    ["a missing link that has come", [linking(1, 5n, 10n), linking(2, 2n, 4n), linking(1, 1n, 4n)], 10n],
    ["nothing", [], 0n],
  ])("given %s, then it is as documented", (_title, linkings, balance) => {
    expect(stakeBalance(linkings)).toBe(balance);
  });

  test("given any order in which the same events come, then it is the same", () => {
    const event = fc.record({
      type: fc.constantFrom(1, 2),
      seconds: fc.bigInt(1n, 4n),
      amount: fc.bigInt(1n, 9n),
    });
    const list = fc
      .array(event, { maxLength: 8 })
      .map((events) =>
        events.map(({ type, seconds, amount }, index) => linking(type, seconds, amount, `${index}`)),
      );
    fc.assert(
      fc.property(
        list.chain((events) =>
          fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
        ),
        ([events, shuffled]) => {
          expect(stakeBalance(shuffled)).toBe(stakeBalance(events));
        },
      ),
    );
  });

  test("given a state that is loaded, then balances are those of before", () => {
    rig.link(ALICE, 10n);
    rig.link(BOB, 20n);
    rig.link(BOB, 5n, { unlink: true, seconds: 2n });
    const entries = [...rig.core.state.entries()];
    const loaded = new ValidatorRig();
    loaded.core.state.load(entries);
    expect([loaded.staking.balance(ALICE), loaded.staking.balance(BOB)]).toEqual([10n, 15n]);
  });

  test("given a linking that is taken back, then so is the balance", () => {
    const mark = rig.core.state.mark();
    rig.link(ALICE, 10n);
    rig.core.state.rollback(mark);
    expect(rig.staking.balance(ALICE)).toBeUndefined();
  });
});

describe("the total supply", () => {
  const supply = (totalSupply: string) => ({ totalSupply: { tokenAddress: "0x12", totalSupply } });

  test("given its event, then it is known once the validators have seen it, and taken once", () => {
    expect(rig.staking.totalSupply()).toBe(0n);
    expect(send(supply("64000"))).toBe("");
    expect(send(supply("64000"))).toBe("stake total supply being processed");
    expect(rig.events()).toEqual([]);
    rig.witnessAll();
    rig.block();
    expect(rig.staking.totalSupply()).toBe(64_000n);
    expect(send(supply("1"))).toBe("stake total supply already processed");
  });

  test("given no witness in time, then another event is taken", () => {
    send(supply("1"));
    rig.block(22n * 86_400n);
    expect(rig.staking.totalSupply()).toBe(0n);
    expect(send(supply("2"))).toBe("");
  });

  test("given no number, then it is refused", () => {
    expect(send(supply("much"))).toBe("invalid stake total supply event");
  });
});
