// Rewards for what was done on markets, from the trades to the payout at the epoch's end
// (docs/protocol/70-trading-orders.md#45-activity-tracking-for-rewards;
// docs/protocol/60-state-engine-staking.md#84-recurring and #88-contribution-types).
import { describe, expect, test } from "bun:test";
import { accountId } from "../../../src/engine/collateral.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { TransferStatus } from "../../../src/wire/generated/events.ts";
import { AccountType, DispatchMetric, TransferType } from "../../../src/wire/generated/vega.ts";
import { beginFrom, createMarketRig, idOf, type MarketRig, type MarketRigOptions } from "./rig.ts";

const EPOCH_SECONDS = 1_000;
const [MAKER, TAKER, PROVIDER, FUNDER, BUYER, SELLER] = [
  "maker",
  "taker",
  "provider",
  "funder",
  "b",
  "s",
].map(idOf) as [string, string, string, string, string, string];
const NAMES = new Map([
  ...["maker", "taker", "provider", "proposer"].map((name) => [idOf(name), name] as const),
  ...["A", "B", "C"].map((name) => [idOf(name), name] as const),
]);
const named = (id: string) => NAMES.get(id) ?? id;

const PAID = [
  AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES,
  DispatchMetric.DISPATCH_METRIC_MAKER_FEES_PAID,
];
const RECEIVED = [
  AccountType.ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES,
  DispatchMetric.DISPATCH_METRIC_MAKER_FEES_RECEIVED,
];
const PROVIDED = [
  AccountType.ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES,
  DispatchMetric.DISPATCH_METRIC_LP_FEES_RECEIVED,
];
const PROPOSED = [
  AccountType.ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS,
  DispatchMetric.DISPATCH_METRIC_MARKET_VALUE,
];

/** A chain with open markets: their assets by their names. */
function rigWith(
  markets: Readonly<Record<string, string>>,
  { parameters, ...options }: MarketRigOptions = {},
): MarketRig {
  const rig = createMarketRig({
    assets: { ETH: {}, BTC: {} },
    ...options,
    parameters: {
      "validators.epoch.length": `${EPOCH_SECONDS}s`,
      "market.fee.factors.makerFee": "0.01",
      "transfer.fee.factor": "0",
      "transfer.minTransferQuantumMultiple": "0",
      "rewards.marketCreationQuantumMultiple": "10000",
      ...parameters,
    },
  });
  for (const party of [MAKER, TAKER, PROVIDER, FUNDER, BUYER, SELLER])
    for (const asset of ["ETH", "BTC"]) rig.deposit(party, asset, 1_000_000_000n);
  for (const [name, asset] of Object.entries(markets)) open(rig, name, asset);
  return rig;
}

function open(rig: MarketRig, name: string, asset: string): void {
  rig.createMarket(name, {
    asset,
    simple: { long: 0.1, short: 0.1 },
    targetStake: { scaling: 1 },
    oracle: oracleOf(name),
  });
  rig.deliver(PROVIDER, {
    kind: "liquidityProvisionSubmission",
    payload: {
      marketId: idOf(name),
      commitmentAmount: "100000",
      fee: "0.002",
      buys: [{ reference: 2, offset: "10", proportion: 1 }],
      sells: [{ reference: 3, offset: "10", proportion: 1 }],
    },
  });
  rig.order(BUYER, name, "buy", 1, 900);
  rig.order(SELLER, name, "sell", 1, 1_100);
  rig.order(BUYER, name, "buy", 1, 1_000);
  rig.order(SELLER, name, "sell", 1, 1_000);
  rig.nextBlock(1, 3);
  expect(rig.marketData(name).marketTradingMode).toBe(1);
}

const oracleOf = (market: string) => idOf(`oracle of ${market}`);

/** Trades at 1000: a maker fee of 10 for each unit. */
function trade(rig: MarketRig, market: string, size: number): void {
  rig.order(MAKER, market, "sell", size, 1_000);
  rig.order(TAKER, market, "buy", size, 1_000);
}

function settle(rig: MarketRig, market: string): void {
  rig.terminate(oracleOf(market));
  rig.settle(1_000n, oracleOf(market));
}

/** Sends 1000 units of ETH to the rewards of a metric at each epoch's end. */
function fund(
  rig: MarketRig,
  [toAccountType, metric]: readonly number[],
  { asset = "ETH", markets = [] as readonly string[] } = {},
): void {
  const { code, text } = rig.deliver(FUNDER, {
    kind: "transfer",
    payload: {
      fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
      to: "0".repeat(64),
      toAccountType: toAccountType as never,
      asset: idOf("ETH"),
      amount: "1000",
      recurring: {
        startEpoch: rig.engine.domains.epochs.current.seq,
        factor: "1",
        dispatchStrategy: {
          assetForMetric: asset === "" ? "" : idOf(asset),
          metric: metric as never,
          markets: markets.map(idOf),
        },
      },
    },
  });
  expect([code, text]).toEqual([0, ""]);
}

/** Ends the epoch. @returns what was paid: `maker 1000 A` */
function endEpoch(rig: MarketRig): string[] {
  const before = rig.events("rewardPayout").length;
  const { seq } = rig.engine.domains.epochs.current;
  rig.nextBlock(EPOCH_SECONDS + 1);
  rig.nextBlock();
  expect(rig.engine.domains.epochs.current.seq).toBe(seq + 1n);
  return rig
    .events("rewardPayout")
    .slice(before)
    .map(({ payload: { party, amount, market } }) => `${named(party)} ${amount} ${named(market)}`);
}

describe("rewards for fees", () => {
  test("are split over markets by their fees, and in each market over parties", () => {
    const rig = rigWith({ A: "ETH", B: "ETH", C: "BTC" });
    trade(rig, "A", 10);
    trade(rig, "B", 20);
    trade(rig, "C", 5);
    for (const metric of [PAID, RECEIVED, PROVIDED]) fund(rig, metric);
    fund(rig, RECEIVED, { asset: "BTC", markets: ["A", "C", "none"] });
    const parts = (party: string) => [`${party} 333 A`, `${party} 666 B`].sort((a, b) => sortKey(a, b));
    const sortKey = (a: string, b: string) => (marketOf(a) < marketOf(b) ? -1 : 1);
    const marketOf = (line: string) => idOf(line.split(" ")[2]!);
    const received = [...parts("maker"), "maker 1000 C"].sort(sortKey);
    expect(endEpoch(rig)).toEqual([...received, ...parts("taker"), ...parts("provider")]);
    // Nothing was done in this one.
    expect(endEpoch(rig)).toEqual([]);
  });
});

describe("the markets of a transfer", () => {
  const ids = ["A", "B", "C"].map(idOf).sort();
  const [first, second, third] = ids.map(named) as [string, string, string];

  test("are paid in the order of their ids, whichever was made first", () => {
    const rig = rigWith({ [third]: "ETH", [first]: "ETH", [second]: "ETH" });
    for (const market of ["A", "B", "C"]) trade(rig, market, 20);
    fund(rig, PAID);
    fund(rig, PROPOSED, { markets: ["A", "B", "C"] });
    const before = rig.transfers().length;
    endEpoch(rig);
    const funded = rig
      .transfers()
      .slice(before)
      .filter(({ type }) => type === TransferType.TRANSFER_TYPE_TRANSFER_FUNDS_DISTRIBUTE)
      .map(({ toAccount }) => [toAccount!.type, toAccount!.marketId]);
    expect(funded).toEqual([PAID, PROPOSED].flatMap(([type]) => ids.map((id) => [type, id])));
  });

  test("count twice if named twice", () => {
    const rig = rigWith({ [first]: "ETH", [second]: "ETH" });
    for (const market of [first, second]) trade(rig, market, 20);
    fund(rig, PAID, { markets: [second, first, second] });
    const before = rig.transfers().length;
    expect(endEpoch(rig)).toEqual([`taker 333 ${first}`, `taker 666 ${second}`]);
    const funded = rig
      .transfers()
      .slice(before)
      .filter(({ type }) => type === TransferType.TRANSFER_TYPE_TRANSFER_FUNDS_DISTRIBUTE)
      .map(({ toAccount, amount }) => [named(toAccount!.marketId!), amount]);
    expect(funded).toEqual([
      [first, "333"],
      [second, "333"],
      [second, "333"],
    ]);
  });
});

describe("a market that ends within the epoch", () => {
  test("still counts with its fees of that epoch, and not in the next one", () => {
    const rig = rigWith({ A: "ETH", B: "ETH" });
    for (const metric of [PAID, RECEIVED]) fund(rig, metric);
    // Those of its last distribution are liquidity fees that were received, too.
    rig.setParameter("market.liquidity.providers.fee.distributionTimeStep", "1h");
    fund(rig, PROVIDED, { markets: ["A"] });
    trade(rig, "A", 30);
    trade(rig, "B", 10);
    settle(rig, "A");
    rig.nextBlock(1, 2);
    expect(rig.hasMarket("A")).toBe(false);
    expect(endEpoch(rig).sort()).toEqual(
      ["maker 750 A", "maker 250 B", "provider 1000 A", "taker 750 A", "taker 250 B"].sort(),
    );
    trade(rig, "B", 1);
    expect(endEpoch(rig)).toEqual(["maker 1000 B", "taker 1000 B"]);
  });

  test("pays its proposer no bonus, even if enough was traded", () => {
    const rig = rigWith({ A: "ETH", B: "ETH" });
    trade(rig, "A", 11);
    trade(rig, "B", 11);
    fund(rig, PROPOSED);
    fund(rig, PROPOSED, { markets: ["A"] });
    settle(rig, "A");
    rig.nextBlock(1, 2);
    expect(endEpoch(rig)).toEqual(["proposer 1000 B"]);
    expect(endEpoch(rig)).toEqual([]);
  });

  test("in the epoch's last block has its rewards of this epoch, and is dropped in the next", () => {
    const rig = rigWith({ A: "ETH" });
    trade(rig, "A", 11);
    for (const metric of [PAID, PROPOSED]) fund(rig, metric);
    rig.nextBlock(EPOCH_SECONDS + 1);
    settle(rig, "A");
    rig.nextBlock();
    const paid = rig.events("rewardPayout").map(({ payload }) => `${named(payload.party)} ${payload.market}`);
    expect(paid).toEqual([`taker ${idOf("A")}`, `proposer ${idOf("A")}`]);
    expect(rig.hasMarket("A")).toBe(false);
    fund(rig, PROPOSED, { markets: ["A"] });
    expect(endEpoch(rig)).toEqual([]);
  });
});

describe("the reward of a market's proposer", () => {
  test("is paid once for each funder and scope when enough was traded", () => {
    const rig = rigWith({ A: "ETH", B: "ETH" });
    // With the unit of the opening auction this is the threshold, which must be passed.
    trade(rig, "A", 9);
    fund(rig, PROPOSED, { markets: ["A", "B"] });
    expect(endEpoch(rig)).toEqual([]);
    trade(rig, "A", 1);
    expect(endEpoch(rig)).toEqual(["proposer 1000 A"]);
    trade(rig, "A", 1);
    expect(endEpoch(rig)).toEqual([]);
    trade(rig, "B", 10);
    expect(endEpoch(rig)).toEqual(["proposer 1000 B"]);
    fund(rig, PROPOSED, { markets: ["A"] });
    expect(endEpoch(rig)).toEqual(["proposer 1000 A"]);
  });

  test("covers markets of every asset if no metric asset is named, each with its own quantum", () => {
    const rig = rigWith({ A: "ETH", C: "BTC" }, { assets: { ETH: {}, BTC: { quantum: "2" } } });
    fund(rig, PROPOSED, { asset: "" });
    trade(rig, "A", 11);
    trade(rig, "C", 11);
    expect(endEpoch(rig)).toEqual(["proposer 1000 A"]);
    trade(rig, "C", 11);
    expect(endEpoch(rig)).toEqual(["proposer 1000 C"]);
  });
});

describe("a chain that begins from a checkpoint within an epoch", () => {
  /** Two blocks behind the epoch's end. */
  function endRestored(engine: Engine): void {
    const { expireNs } = engine.domains.epochs.current;
    for (const after of [1n, 2n]) {
      const height = engine.core.height + 1;
      engine.beginBlock({ height, timeNs: expireNs + after, hash: height.toString(16).padStart(64, "0") });
      engine.endBlock();
      engine.commit();
    }
  }

  test("pays the rewards of that epoch's fees as the earlier chain would", () => {
    const rig = rigWith({ A: "ETH", B: "ETH" });
    for (const metric of [PAID, RECEIVED, PROVIDED, PROPOSED]) fund(rig, metric);
    trade(rig, "A", 30);
    trade(rig, "B", 10);
    settle(rig, "A");
    rig.nextBlock(1, 2);
    const restored = beginFrom(rig);
    const general = (engine: Engine) =>
      ["maker", "taker", "provider", "proposer"].map((name) =>
        engine.domains.collateral.balance(
          accountId(idOf("ETH"), AccountType.ACCOUNT_TYPE_GENERAL, idOf(name)),
        ),
      );
    const gains = (engine: Engine, end: () => void) => {
      const before = general(engine);
      end();
      return general(engine).map((balance, index) => balance - before[index]!);
    };
    const expected = gains(rig.engine, () => endEpoch(rig));
    expect(expected).toEqual([1_000n, 1_000n, 1_000n, 1_000n]);
    // No proposal names a market here: none is made again that a proposer could have a bonus for.
    expect(gains(restored, () => endRestored(restored))).toEqual(expected.with(3, 0n));
  });
});

test("payouts of several funders, strategies and fees are made market by market", () => {
  const parties = ["m1", "m2", "t1", "t2", "f1", "f2", "f3"];
  const rig = rigWith(
    { A: "ETH", B: "ETH" },
    { parameters: { "transfer.fee.factor": "0.01", "transfer.minTransferQuantumMultiple": "5" } },
  );
  // The third has the amount and the fee on it of one epoch: 995 and 9.
  for (const name of parties) rig.deposit(idOf(name), "BTC", name === "f3" ? 1_004n : 1_000_000n);
  for (const name of parties.slice(0, 4)) rig.deposit(idOf(name), "ETH", 1_000_000n);
  const deal = (market: string, maker: string, taker: string, size: number) => {
    rig.order(idOf(maker), market, "sell", size, 1_000);
    rig.order(idOf(taker), market, "buy", size, 1_000);
  };
  const send = (
    funder: string,
    [type, metric]: readonly number[],
    amount: number,
    markets: string[] = [],
  ) => {
    const strategy = { assetForMetric: idOf("ETH"), metric, markets: markets.map(idOf) };
    const { text } = rig.deliver(idOf(funder), {
      kind: "transfer",
      payload: {
        fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
        to: "0".repeat(64),
        toAccountType: type as never,
        asset: idOf("BTC"),
        amount: amount.toString(),
        recurring: { startEpoch: 1n, factor: "1", dispatchStrategy: strategy as never },
      },
    });
    return text;
  };
  const general = (name: string) => rig.balance(idOf(name), "BTC");
  const pot = ([type]: readonly number[], market: string) => rig.systemBalance("BTC", type!, market);
  // Fees of 10 and 20 in A, 60 in B: a third and two thirds.
  deal("A", "m1", "t1", 1);
  deal("A", "m2", "t2", 2);
  deal("B", "m1", "t2", 6);
  expect([
    send("f1", RECEIVED, 100, ["A"]),
    send("f2", RECEIVED, 1_000),
    send("f3", PAID, 995),
    send("f1", RECEIVED, 4),
    send("f1", RECEIVED, 100, ["A"]),
    send("f1", RECEIVED, 100, ["A", "B"]),
    send("f1", RECEIVED, 100, ["B", "A"]),
  ]).toEqual([
    ...["", "", ""],
    "could not transfer funds, less than minimal amount requested to transfer",
    "cannot submit duplicate recurring transfer with same from and to",
    ...["", ""],
  ]);
  endEpoch(rig);
  // 100 + 333 + 33 + 33 in A and 666 + 66 + 66 in B, of which one unit of A is nobody's.
  const paid = (seq: string) =>
    rig
      .events("rewardPayout")
      .filter(({ payload }) => payload.epochSeq === seq)
      .map(({ payload: { party, market, amount, percentOfTotalReward } }) => {
        const name = parties.find((one) => idOf(one) === party);
        return `${name} ${amount} ${named(market)} ${percentOfTotalReward}`;
      })
      .sort();
  expect(paid("1")).toEqual(
    [
      ...["m1 166 A 33.33333333333333", "m2 332 A 66.66666666666667", "m1 798 B 100"],
      ...["t1 110 A 33.33333333333333", "t2 220 A 66.66666666666667", "t2 663 B 100"],
    ].sort(),
  );
  expect([pot(RECEIVED, "A"), pot(PAID, "A"), pot(RECEIVED, "B"), pot(PAID, "B")]).toEqual([1n, 1n, 0n, 0n]);
  // Fees are those of each part: 1 + 3 + 6 + 3 + 6, and none of 33 and 66.
  expect(rig.systemBalance("BTC", AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE)).toBe(19n);
  expect(["f1", "f2", "f3"].map(general)).toEqual([999_701n, 998_992n, 1n]);
  deal("A", "m1", "t1", 1);
  endEpoch(rig);
  // The third cannot send its whole amount any more; the unit of the last epoch is paid now.
  expect(rig.events("transfer").at(-1)!.payload).toMatchObject({
    status: TransferStatus.STATUS_STOPPED,
    reason: "could not pay the fee for transfer: not enough funds to transfer",
  });
  expect(paid("2")).toEqual(["m1 1301 A 100", "t1 1 A 100"]);
});
