// Single transfers: rules, fees, order of events, and delivery at a time
// (docs/protocol/60-state-engine-staking.md#81-transfer-command-and-base-checks to #83-one-off).
import { beforeEach, describe, expect, test } from "bun:test";
import { unitOf } from "../../src/engine/assets.ts";
import type { Init } from "../../src/wire/codec.ts";
import type { Transfer } from "../../src/wire/generated/commands.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { ALICE, BOB, COIN, Rig, transferOf, WAITING } from "./banking-rig.ts";

const ZEROS = "0".repeat(64);
const { ACCOUNT_TYPE_GLOBAL_REWARD, ACCOUNT_TYPE_MARGIN } = AccountType;
const GENERAL_OF_BOB = `!${BOB}${COIN}4`;

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
  rig.fund(ALICE, COIN, 100_000n);
});

const oneOff = (command: Init<Transfer> = {}, deliverOn = 0n) => ({ ...command, oneOff: { deliverOn } });

describe("a one-off transfer", () => {
  test("given a new receiver, then the events stand in the network's order and the record is whole", () => {
    expect(rig.transfer(ALICE, oneOff({ reference: "rent" }))).toBeUndefined();
    const events = rig.events();
    expect(events.at(-1)!.transfer).toEqual({
      id: rig.lastId,
      from: ALICE,
      fromAccountType: 4,
      to: BOB,
      toAccountType: 4,
      asset: COIN,
      amount: "1000",
      reference: "rent",
      status: 2,
      timestamp: rig.core.nowNs,
      reason: undefined,
      oneOff: { deliverOn: 0n },
      recurring: undefined,
    });
    rig.transfer(ALICE, oneOff({ to: "cc".repeat(32) }));
    expect(rig.lines()).toEqual([
      "account alice general 97999",
      "account * pending_transfers 1000",
      `party ${"cc".repeat(32)}`,
      `account ${"cc".repeat(32)} general 0`,
      "account * pending_transfers 0",
      `account ${"cc".repeat(32)} general 1000`,
      "account alice general 97998",
      "account * fees_infrastructure 2",
      "ledger 22:1000 23:1000 11:1",
      "transfer 1000 status 2",
    ]);
    rig.collateral.checkConservation();
  });

  test("given a fee of nothing, then its movement is there all the same", () => {
    rig.transfer(ALICE, oneOff({ amount: "999" }));
    expect(rig.lines()).toContain("ledger 22:999 23:999 11:0");
    expect(rig.general(ALICE)).toBe(99_001n);
  });

  test("given the treasury as target, then the network's account gets it", () => {
    rig.transfer(ALICE, oneOff({ to: ZEROS, toAccountType: ACCOUNT_TYPE_GLOBAL_REWARD }));
    expect(rig.system("ACCOUNT_TYPE_GLOBAL_REWARD")).toBe(1_000n);
    expect(rig.events().some(({ party }) => party !== undefined)).toBe(false);
  });

  test("given a time before the block's, then it goes at once; at it or after it, then later", () => {
    rig.transfer(ALICE, oneOff({}, rig.core.nowNs - 1n));
    expect(rig.general(BOB)).toBe(1_000n);
    rig.transfer(ALICE, oneOff({}, rig.core.nowNs));
    expect(rig.general(BOB)).toBe(1_000n);
    rig.tick(1n);
    expect(rig.general(BOB)).toBe(2_000n);
  });

  test("given a time to come, then it is done at once and once more in the tick that delivers it", () => {
    const deliverOn = rig.core.nowNs + 10n * SECOND_NS;
    rig.transfer(ALICE, oneOff({}, deliverOn));
    expect(rig.lines()).toEqual([
      "account alice general 99000",
      "account * pending_transfers 1000",
      "account alice general 98999",
      "account * fees_infrastructure 1",
      "ledger 22:1000 11:1",
      "transfer 1000 status 2",
    ]);
    const id = rig.lastId;
    const submitted = rig.core.nowNs;
    rig.tick(9n * SECOND_NS);
    expect(rig.lines()).toEqual([]);
    rig.tick();
    const events = rig.events();
    expect(events.at(-1)!.transfer).toMatchObject({
      id,
      status: 2,
      timestamp: submitted,
      oneOff: { deliverOn },
    });
    expect(rig.general(BOB)).toBe(1_000n);
    rig.tick();
    expect(rig.lines()).toEqual([]);
    expect(rig.run(ALICE, () => rig.banking.cancelTransfer({ transferId: id }))?.message).toBe(
      "recurring transfer does not exists",
    );
  });

  test("given several due in one tick, then by time, then as submitted, in one ledger event", () => {
    const now = rig.core.nowNs;
    for (const [amount, seconds] of [
      ["10", 30n],
      ["20", 5n],
      ["30", 5n],
      ["40", 90n],
    ] as const) {
      rig.transfer(ALICE, oneOff({ amount }, now + seconds * SECOND_NS));
    }
    rig.events();
    rig.tick(60n * SECOND_NS);
    const lines = rig.lines().filter((line) => !line.startsWith("account") && !line.startsWith("party"));
    expect(lines).toEqual([
      "ledger 23:20 23:30 23:10",
      "transfer 20 status 2",
      "transfer 30 status 2",
      "transfer 10 status 2",
    ]);
  });

  test("given no kind, then it is refused without an event", () => {
    expect(rig.transfer(ALICE, {})?.message).toBe("unsupported transfer kind");
    expect(rig.transfer(ALICE, oneOff({ amount: "9".repeat(80) }))?.message).toBe("invalid transfer amount");
    expect(rig.lines()).toEqual([]);
  });
});

describe("the rules of transfers", () => {
  const funds = "could not pay the fee for transfer: ";
  const cases: [string, string, Init<Transfer>, string, string][] = [
    [
      "an unknown asset",
      ALICE,
      { asset: "ff".repeat(32) },
      "could not transfer funds: asset does not exist",
      "could not transfer funds, asset does not exist",
    ],
    [
      "a receiver that is not a key",
      ALICE,
      { to: "bob" },
      "invalid to account",
      "could not transfer funds, invalid to account",
    ],
    [
      "a sender that is not a key",
      "alice",
      {},
      "invalid from account",
      "could not transfer funds, invalid from account",
    ],
    [
      "nothing",
      ALICE,
      { amount: "0" },
      "cannot transfer zero funds",
      "could not transfer funds, cannot transfer zero funds",
    ],
    [
      "another source",
      ALICE,
      { fromAccountType: ACCOUNT_TYPE_MARGIN },
      "unsupported from account type",
      "could not transfer funds, unsupported from account type",
    ],
    [
      "another target",
      ALICE,
      { toAccountType: ACCOUNT_TYPE_MARGIN },
      "unsupported to account type",
      "could not transfer funds, unsupported to account type",
    ],
    [
      "the treasury of somebody",
      ALICE,
      { toAccountType: ACCOUNT_TYPE_GLOBAL_REWARD },
      "to party is invalid for reward account type",
      "could not transfer funds, to party is invalid for reward account type",
    ],
    // The fee of 100,000 is 100.
    [
      "all but the fee",
      ALICE,
      { amount: "100000" },
      `${funds}not enough funds to transfer`,
      "could not transfer funds, not enough funds to transfer",
    ],
    [
      "a sender without an account",
      BOB,
      { to: ALICE },
      `${funds}account does not exists`,
      `could not transfer funds, account does not exist: ${GENERAL_OF_BOB}`,
    ],
  ];

  test.each(cases)(
    "given %s, then delivery and the mempool refuse it",
    (_what, party, command, delivered, checked) => {
      expect(rig.transfer(party, oneOff(command))?.message).toBe(delivered);
      const events = rig.events();
      expect(events).toHaveLength(1);
      expect(events[0]!.transfer).toMatchObject({ status: 3, reason: delivered, from: party });
      const check = rig.run(party, () => rig.banking.checkTransfer(transferOf(oneOff(command))));
      expect(check?.message).toBe(checked);
      expect(rig.events()).toEqual([]);
      expect(rig.general(ALICE)).toBe(100_000n);
    },
  );

  test.each([
    // quantum, multiple, amount, refused: the minimum is the whole part of their product
    ["10", "1.59", "14", true],
    ["10", "1.59", "15", false],
    ["2.5", "0.1", "1", false],
  ])("given quantum %s and multiple %s, then %s is too little: %p", (quantum, multiple, amount, refused) => {
    const asset = rig.assets.get(COIN)!;
    rig.assets.records.set(COIN, { ...asset, details: { ...asset.details, quantum } });
    rig.params.values.set("transfer.minTransferQuantumMultiple", multiple);
    const text = "could not transfer funds, less than minimal amount requested to transfer";
    const check = rig.run(ALICE, () => rig.banking.checkTransfer(transferOf(oneOff({ amount }))));
    const delivered = rig.transfer(ALICE, oneOff({ amount }));
    expect([check?.message, delivered?.message]).toEqual(refused ? [text, text] : [undefined, undefined]);
    if (refused)
      expect(delivered!.options.numbers).toEqual({
        ...{ amount: BigInt(amount), minimum: 15n },
        ...unitOf(asset),
      });
  });

  test("given too little, then the refusal tells the sender's own numbers", () => {
    const error = rig.transfer(ALICE, oneOff({ amount: "100000" }))!;
    expect(error.options.numbers).toEqual({
      ...{ available: 100_000n, needed: 100_100n, fee: 100n },
      ...unitOf(rig.assets.get(COIN)!),
    });
  });

  test("given exactly amount and fee, then it goes", () => {
    // 99,901 and the whole part of 99.901
    expect(rig.transfer(ALICE, oneOff({ amount: "99901" }))).toBeUndefined();
    expect(rig.general(ALICE)).toBe(0n);
    expect(rig.general(BOB)).toBe(99_901n);
  });

  test("given an asset that is not usable yet, then nobody has an account of it", () => {
    expect(rig.transfer(ALICE, oneOff({ asset: WAITING }))?.message).toBe(`${funds}account does not exists`);
  });
});
