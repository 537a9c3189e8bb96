// Recurring transfers: submission, what an epoch sends, dispatch to markets, and cancellation
// (docs/protocol/60-state-engine-staking.md#84-recurring, #85-cancel).
import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type MarketScore,
  type MarketScores,
  recurringAmount,
  type ScoreRequest,
} from "../../src/engine/recurring.ts";
import type { Init } from "../../src/wire/codec.ts";
import { Decimal } from "../../src/wire/decimal.ts";
import type { RecurringTransfer, Transfer } from "../../src/wire/generated/commands.ts";
import { AccountType, DispatchMetric } from "../../src/wire/generated/vega.ts";
import { ALICE, BOB, COIN, Rig, transferOf } from "./banking-rig.ts";

const { ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES } = AccountType;
const METRIC = DispatchMetric.DISPATCH_METRIC_MAKER_FEES_PAID;
const MARKETS = ["e1".repeat(32), "e2".repeat(32), "e3".repeat(32)];
const NO_FUNDS = "could not pay the fee for transfer: not enough funds to transfer";

/** Markets that score as they are told, and remember who was paid. */
class PlayedMarkets implements MarketScores {
  scores: readonly MarketScore[] = [];
  readonly paid: string[] = [];
  readonly asked: ScoreRequest[] = [];
  marketScores(request: ScoreRequest): readonly MarketScore[] {
    this.asked.push(request);
    return this.scores;
  }
  markPaid(_request: ScoreRequest, market: string): void {
    this.paid.push(market);
  }
}

let markets: PlayedMarkets;
let rig: Rig;
beforeEach(() => {
  markets = new PlayedMarkets();
  rig = new Rig({ markets });
  rig.fund(ALICE, COIN, 100_000n);
});

function submit(recurring: Init<RecurringTransfer> = {}, command: Init<Transfer> = {}, party = ALICE) {
  return rig.transfer(party, { ...command, recurring: { startEpoch: 5n, factor: "1", ...recurring } });
}

/** Ends epochs. @returns the lines of the last one */
function end(...epochs: number[]): string[] {
  let lines: string[] = [];
  for (const epoch of epochs) {
    rig.events();
    rig.banking.onEpochEnd({ seq: BigInt(epoch) });
    lines = rig.lines();
  }
  return lines.filter((line) => !line.startsWith("account") && !line.startsWith("party"));
}

const cancel = (transferId: string, party = ALICE) =>
  rig.run(party, () => rig.banking.cancelTransfer({ transferId }));

describe("the submission of a recurring transfer", () => {
  test("given a good one, then it is pending, nothing moves, and the record is whole", () => {
    const dispatchStrategy = { assetForMetric: COIN, metric: METRIC, markets: MARKETS };
    const command = { toAccountType: ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES, reference: "r" };
    expect(submit({ endEpoch: 9n, factor: "0.50", dispatchStrategy }, command)).toBeUndefined();
    const events = rig.events();
    expect(events).toHaveLength(1);
    expect(events[0]!.transfer).toMatchObject({
      id: rig.lastId,
      status: 1,
      amount: "1000",
      reason: undefined,
      oneOff: undefined,
      recurring: { startEpoch: 5n, endEpoch: 9n, factor: "0.5", dispatchStrategy },
    });
    expect(rig.general(ALICE)).toBe(100_000n);
  });

  test.each([
    ["an unknown asset", {}, { asset: "ff".repeat(32) }, "could not transfer funds: asset does not exist"],
    ["nothing", {}, { amount: "0" }, "cannot transfer zero funds"],
    ["no start", { startEpoch: 0n }, {}, "start epoch is zero"],
    ["an end at nothing", { endEpoch: 0n }, {}, "end epoch is zero"],
    ["an end before the start", { endEpoch: 4n }, {}, "start epoch after end epoch"],
    ["a factor of nothing", { factor: "0" }, {}, "invalid factor"],
    ["a factor below nothing", { factor: "-1" }, {}, "invalid factor"],
  ])("given %s, then it is rejected with its reason", (_what, recurring, command, text) => {
    expect(submit(recurring, command)?.message).toBe(text);
    const events = rig.events();
    expect(events).toHaveLength(1);
    expect(events[0]!.transfer).toMatchObject({ status: 3, reason: text });
    expect(end(5)).toEqual([]);
  });

  test.each([
    ["1e-1", "0.1"],
    ["+1E2", "100"],
    [".5", "0.5"],
  ])("given the factor %p, then the event has it as a plain decimal", (factor, shown) => {
    expect(submit({ factor })).toBeUndefined();
    expect(rig.events()[0]!.transfer?.recurring?.factor).toBe(shown);
  });

  test.each([[""], ["1e-300"], [`0.${"0".repeat(200)}1`]])(
    "given the factor %p, which is none or too long to show, then it is refused without an event",
    (factor) => {
      expect(submit({ factor })?.message).toBe("invalid factor");
      expect(rig.events()).toEqual([]);
    },
  );

  test("given the minimum, then it holds for the amount; given no funds, then it is taken all the same", () => {
    rig.params.values.set("transfer.minTransferQuantumMultiple", "200");
    expect(submit()?.message).toBe(
      "could not transfer funds, less than minimal amount requested to transfer",
    );
    rig.params.values.set("transfer.minTransferQuantumMultiple", "0");
    expect(submit({}, {}, BOB)).toBeUndefined();
    const check = rig.run(BOB, () =>
      rig.banking.checkTransfer(transferOf({ recurring: { startEpoch: 5n, factor: "1" } })),
    );
    expect(check?.message).toStartWith("could not transfer funds, account does not exist: ");
  });

  test("given epochs that went by, then a start before the current one is too late", () => {
    end(7);
    const error = submit({ startEpoch: 7n })!;
    expect(error.message).toBe("start epoch in the past");
    expect(error.options.numbers).toEqual({ startEpoch: 7n, currentEpoch: 8n });
    expect(submit({ startEpoch: 8n })).toBeUndefined();
  });

  test("given an equal transfer, then it is refused until the first is gone; another strategy, type or asset is another", () => {
    const toPool = { toAccountType: ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES };
    const dispatchStrategy = { assetForMetric: COIN, metric: METRIC, markets: [MARKETS[0]!] };
    const duplicate = "cannot submit duplicate recurring transfer with same from and to";
    expect(submit()).toBeUndefined();
    const first = rig.lastId;
    expect(submit({ startEpoch: 6n, factor: "2" }, { amount: "7" })?.message).toBe(duplicate);
    expect(submit({}, toPool)).toBeUndefined();
    expect(submit({ dispatchStrategy }, toPool)).toBeUndefined();
    expect(submit({ dispatchStrategy: { ...dispatchStrategy } }, toPool)?.message).toBe(duplicate);
    expect(submit({ dispatchStrategy: { ...dispatchStrategy, markets: MARKETS } }, toPool)).toBeUndefined();
    expect(submit({}, { to: "cc".repeat(32) })).toBeUndefined();
    expect(submit({}, {}, BOB)).toBeUndefined();
    expect(cancel(first)).toBeUndefined();
    expect(submit()).toBeUndefined();
  });
});

describe("the end of an epoch", () => {
  test("given a start to come, then nothing; from then on the amount times the factor, until the end", () => {
    submit({ endEpoch: 7n, factor: "0.15" });
    expect(end(4)).toEqual([]);
    expect(end(5)).toEqual(["ledger 22:1000 23:1000 11:1"]);
    expect(end(6)).toEqual(["ledger 22:150 23:150 11:0"]);
    // 22.5, cut
    expect(end(7)).toEqual(["ledger 22:22 23:22 11:0", "transfer 1000 status 2"]);
    expect(end(8)).toEqual([]);
    expect(rig.general(BOB)).toBe(1_172n);
    rig.collateral.checkConservation();
  });

  test("given an amount that sinks below the minimum, then it is stopped", () => {
    rig.params.values.set("transfer.minTransferQuantumMultiple", "10");
    submit({ factor: "0.3" });
    expect(end(5, 6)).toEqual(["ledger 22:300 23:300 11:0"]);
    const text = "could not transfer funds, less than minimal amount requested to transfer";
    expect(end(7)).toEqual([`transfer 1000 status 4 ${text}`]);
    expect(cancel(rig.lastId)?.message).toBe("recurring transfer does not exists");
  });

  test("given several, then in the order of submission, in one ledger event, and the ended ones after it", () => {
    submit({ endEpoch: 5n }, { amount: "60000" });
    submit({}, { amount: "60000", to: "cc".repeat(32) });
    submit({}, { amount: "10", to: "dd".repeat(32) });
    expect(end(5)).toEqual([
      "ledger 22:60000 23:60000 11:60 22:10 23:10 11:0",
      "transfer 60000 status 2",
      `transfer 60000 status 4 ${NO_FUNDS}`,
    ]);
    expect(end(6)).toEqual(["ledger 22:10 23:10 11:0"]);
  });

  test("given a metric's account without a strategy, then it goes to the account of no market", () => {
    submit({}, { toAccountType: ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES });
    end(5);
    expect(rig.system("ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES")).toBe(1_000n);
  });
});

describe("the dispatch to markets", () => {
  const toPool = { toAccountType: ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES };
  const dispatchStrategy = { assetForMetric: COIN, metric: METRIC, markets: MARKETS };
  const scores = (...texts: string[]) =>
    texts.map((text, index) => ({ market: MARKETS[index]!, score: Decimal.parse(text) }));
  const inPool = (market: string) => rig.system("ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES", COIN, market);

  test("given scores, then each market gets its part with a fee of its own, and what comes to nothing is passed over", () => {
    submit({ dispatchStrategy }, { ...toPool, amount: "10001" });
    markets.scores = scores("0.6", "0.00001", "0.39");
    expect(end(5)).toEqual(["ledger 22:6000 23:6000 11:6 22:3900 23:3900 11:3"]);
    expect(MARKETS.map(inPool)).toEqual([6_000n, 0n, 3_900n]);
    expect(markets.paid).toEqual([MARKETS[0]!, MARKETS[2]!]);
    expect(markets.asked).toEqual([
      { strategy: dispatchStrategy, payoutAsset: COIN, funder: ALICE, epoch: 5n },
    ]);
  });

  test("given no market that scores, then nothing moves and the transfer lives on to its end", () => {
    submit({ dispatchStrategy, endEpoch: 6n }, toPool);
    expect(end(5)).toEqual([]);
    expect(end(6)).toEqual(["transfer 1000 status 2"]);
  });

  test("given the whole cannot be paid, then it is stopped before any market is", () => {
    submit({ dispatchStrategy }, { ...toPool, amount: "100000" });
    markets.scores = scores("0.1");
    expect(end(5)).toEqual([`transfer 100000 status 4 ${NO_FUNDS}`]);
    expect(markets.asked).toEqual([]);
  });

  test("given a later market fails, then what the first one got is reported, and the transfer is stopped", () => {
    submit({ dispatchStrategy }, { ...toPool, amount: "90000" });
    markets.scores = scores("0.8", "0.8");
    expect(end(5)).toEqual(["ledger 22:72000 23:72000 11:72", `transfer 90000 status 4 ${NO_FUNDS}`]);
    expect(inPool(MARKETS[0]!)).toBe(72_000n);
    rig.collateral.checkConservation();
  });
});

describe("the cancellation of a recurring transfer", () => {
  test("given the owner, then it is cancelled with its reason and never sends again", () => {
    submit();
    const id = rig.lastId;
    rig.events();
    expect(cancel(id, BOB)?.message).toBe("cannot cancel other parties recurring transfers");
    expect(rig.lines()).toEqual([]);
    expect(cancel(id)).toBeUndefined();
    expect(rig.lines()).toEqual(["transfer 1000 status 5 transfer cancelled"]);
    expect(end(5)).toEqual([]);
    expect(cancel(id)?.message).toBe("recurring transfer does not exists");
  });

  test("given it is taken back, then the transfer is there again", () => {
    submit();
    const id = rig.lastId;
    const mark = rig.core.state.mark();
    expect(cancel(id)).toBeUndefined();
    rig.core.state.rollback(mark);
    expect(cancel(id)).toBeUndefined();
  });
});

describe("the amount of an epoch", () => {
  test("given any amount, factor and number of epochs, then it is the whole part of the exact product", () => {
    const factor = fc
      .tuple(fc.bigInt({ min: 0n, max: 3n }), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), fc.nat(18))
      .map(([whole, fraction, places]) =>
        Decimal.parse(`${whole}.${fraction.toString().padStart(18, "0").slice(0, places)}`),
      );
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 200n }), factor, fc.nat(60), (amount, value, times) => {
        const exact = Decimal.of(amount)
          .times(value.power(BigInt(times)))
          .truncated();
        expect(recurringAmount(amount, value, BigInt(times))).toBe(exact);
      }),
    );
  });

  test("given a factor of many digits and a million epochs, then it is there in no time", () => {
    const factor = Decimal.parse("0.99999999999999999");
    // 10^12 × (1 - 10^-17)^(10^6) lies between 10^12 - 10 and 10^12 - 9.99
    expect(recurringAmount(10n ** 12n, factor, 1_000_000n)).toBe(10n ** 12n - 10n);
    // So near to 1 that only closer bounds tell it from a whole value.
    const nearest = Decimal.parse(`0.${"9".repeat(198)}`);
    expect(recurringAmount(10n ** 12n, nearest, 1_000_000n)).toBe(10n ** 12n - 1n);
  });
});
