// Fees of trades in continuous trading and in auctions, to the unit (docs/protocol/70-trading-orders.md#4-fees;
// docs/protocol/70-trading-scenarios.md#s4-continuous-fees to #s6-auction-fees and #s22-pnl-rows). Notation of
// statements and results: rig.ts.
import { expect, test } from "bun:test";
import { AccountType } from "../../../src/wire/generated/vega.ts";
import type { Play } from "./rig.ts";
import {
  amounts,
  entries,
  eventsFrom,
  FLAT,
  feeFactors,
  feesOf,
  flows,
  INFRASTRUCTURE_PAY,
  LIQUIDITY_PAY,
  LN,
  ledger,
  MAKER_PAY,
  MAKER_RECEIVE,
  MD,
  MILLIONS,
  market,
  money,
  shared,
  trading,
  VOID,
} from "./sample-markets.ts";

const FEES = [MAKER_PAY, INFRASTRUCTURE_PAY, LIQUIDITY_PAY, MAKER_RECEIVE];

/** Losses and wins of marks. */
const MARKS = [4, 5];

// docs/protocol/70-trading-scenarios.md#s4-continuous-fees
test("a trade in continuous trading pays maker, infrastructure and liquidity fees", () => {
  const play = market(
    { ...MD, linearSlippage: "1", quadraticSlippage: "0" },
    {
      parameters: { "market.fee.factors.makerFee": "0.005", "market.fee.factors.infrastructureFee": "0.002" },
    },
  ).deposit(MILLIONS, "aux1", "aux2", "void");
  play.deposit(10_000n, "t3", "t4").run(VOID);
  play.run("aux1 B 10@1000; aux2 S 10@1000; aux1 B 1@900; aux2 S 1@1100").open();
  expect(play.mark()).toBe(1000n);
  expect(play.rig.marketData("M").suppliedStake).toBe("0");
  expect(play.general("void")).toBe(MILLIONS);
  play.run("t3 B 3@1002; /");
  expect([play.margin("t3"), play.general("t3")]).toEqual([720n, 9280n]);
  const place = entries(play);
  play.run("t4 S 4@1002; /");
  expect(play.trades(1)).toEqual(["t3-t4 3@1002"]);
  expect(play.rig.trades("M").at(-1)!.aggressor).toBe(2);
  expect(play.mark()).toBe(1002n);
  expect(amounts(play, LIQUIDITY_PAY)).toEqual([0n]);
  expect(ledger(play, place, ...FEES)).toEqual(["t4 G>FM 16", "t4 G>FI 7", "FM>t3 G 16"]);
  expect(ledger(play, place, ...MARKS)).toEqual(["aux2 M>S 20", "S>aux1 M 20"]);
  expect([play.margin("t3"), play.general("t3"), play.levels("t3")]).toEqual([
    4329n,
    5687n,
    "3608/3968/4329/5051",
  ]);
  expect([play.margin("t4"), play.general("t4"), play.levels("t4")]).toEqual([
    4088n,
    5889n,
    "3407/3747/4088/4769",
  ]);
});

// docs/protocol/70-trading-scenarios.md#s5-fees-on-an-amended-order
test("an amended order that trades pays fees", () => {
  const play = market(MD, {
    parameters: { "market.fee.factors.makerFee": "0.004", "market.fee.factors.infrastructureFee": "0.003" },
  }).deposit(MILLIONS, "aux1", "aux2");
  play.deposit(10_000n, "t1", "t2");
  play
    .run("lp aux1(10000, 0.002, BID-10, ASK+10); aux1 B 1@1000; aux2 S 1@1000; aux1 B 1@920; aux2 S 1@1080")
    .open();
  expect(play.deployed("aux1")).toEqual(["buy 10@910", "sell 10@1090"]);
  play.run("t1 B 2@1002; /; t2 S 4@1004 =o; /; amend o @1002");
  expect(play.trades(1)).toEqual(["t1-t2 2@1002"]);
  const data = play.rig.marketData("M");
  expect([data.markPrice, data.lastTradedPrice]).toEqual(["1000", "1002"]);
  expect(ledger(play, 0, ...FEES)).toEqual(["t2 G>FM 9", "t2 G>FI 7", "t2 G>FL 5", "FM>t1 G 9"]);
  expect([play.margin("t1"), play.general("t1")]).toEqual([480n, 9529n]);
  expect([play.margin("t2"), play.general("t2")]).toEqual([480n, 9499n]);
});

// docs/protocol/70-trading-scenarios.md#s6-auction-fees
test("both sides share the fees of an auction", () => {
  const play = market(
    {
      simple: { long: 0.2, short: 0.1, up: 100, down: -100 },
      linearSlippage: "1",
      quadraticSlippage: "0",
      triggers: [{ horizon: 1, probability: 0.99, extension: 300 }],
      targetStake: { scaling: 1 },
      triggeringRatio: "1",
    },
    {
      parameters: {
        "market.fee.factors.makerFee": "0.005",
        "market.fee.factors.infrastructureFee": "0.002",
        "market.liquidity.providers.fee.distributionTimeStep": "10s",
      },
    },
  ).deposit(MILLIONS, "aux1", "aux2");
  play.deposit(10_000n, "t3", "t4");
  play
    .run("lp aux1(200, 0.001, BID-10, ASK+10); aux1 B 1@500; aux2 S 1@2000; t3 B 1@1002; t4 S 1@1002")
    .open();
  expect(play.deployed("aux1")).toEqual(["sell 1@2010"]);
  expect([play.margin("t3"), play.general("t3")]).toEqual([843n, 9157n]);
  expect([play.margin("t4"), play.general("t4")]).toEqual([1318n, 8682n]);
  const before = play.rig.marketData("M");
  expect([before.targetStake, before.suppliedStake]).toEqual(["200", "200"]);
  play.run("t3 B 3@1002; t4 S 3@1002");
  expect(ledger(play, 0, ...FEES)).toEqual(["t4 G>FM 16", "t4 G>FI 7", "t4 G>FL 4", "FM>t3 G 16"]);
  play.run("/");
  const during = play.rig.marketData("M");
  expect([during.marketTradingMode, during.trigger, during.targetStake]).toEqual([4, 5, "801"]);
  const place = entries(play);
  play.run("t3 B 3@1002; t4 S 3@1002");
  const payload = { marketId: play.rig.market("M").id, commitmentAmount: "10000", fee: "0" };
  expect(play.rig.deliver("aux1", { kind: "liquidityProvisionAmendment", payload }).text).toBe("");
  play.run("/ 2");
  expect(play.rig.marketData("M").marketTradingMode).toBe(1);
  expect(play.trades(2)).toEqual(["t3-t4 3@1002"]);
  const { buyerFee, sellerFee } = play.rig.trades("M").at(-1)!;
  const fee = { makerFee: "0", infrastructureFee: "4", liquidityFee: "2" };
  expect([buyerFee, sellerFee]).toEqual([fee, fee]);
  expect(ledger(play, place, ...FEES)).toEqual(["t4 G>FI 4", "t4 G>FL 2", "t3 G>FI 4", "t3 G>FL 2"]);
  expect([play.margin("t3"), play.general("t3")]).toEqual([6493n, 3517n]);
  expect([play.margin("t4"), play.general("t4")]).toEqual([9259n, 708n]);
  const after = play.rig.marketData("M");
  expect([after.targetStake, after.openInterest]).toEqual(["1402", 7n]);
});

// docs/protocol/70-trading-scenarios.md#s22-pnl-rows
test("fees are not part of profit and loss", () => {
  const play = market(LN, { parameters: feeFactors("0.004", "0.001") }).deposit(
    MILLIONS,
    "p1",
    "p2",
    "p3",
    "lp",
  );
  play
    .run("lp lp(5000000, 0.001, BID-500, ASK+500); p2 B 1@900; p2 S 1@1100; p1 B 50@1000; p2 S 50@1000")
    .open();
  const rows = [5, 5, 2].map((size, i) => {
    const price = [1005, 995, 1009][i]!;
    return play.run(`p3 B ${size}@${price}; p1 S ${size}@${price}; /`).pnl("p1");
  });
  expect(rows).toEqual(["45/225/25", "40/-200/0", "38/342/18"]);
  expect(feesOf(play, 3)).toEqual(["0/0/0 21/6/6", "0/0/0 20/5/5", "0/0/0 9/3/3"]);
});

/** Trades more than 10 from the last price begin an auction of 5 seconds. */
const WATCHED = {
  ...FLAT,
  simple: { ...FLAT.simple, up: 10, down: -10 },
  triggers: [{ horizon: 60, probability: 0.95, extension: 5 }],
  targetStake: { scaling: 0.01 },
};

const withFees = (maker: string, infrastructure: string) => ({
  parameters: feeFactors(maker, infrastructure),
});

/** Entries of the last event that has one of a type: `type party amount`. */
function entriesWith(play: Play, type: number): string[] {
  const all = play.rig
    .events("ledgerMovements")
    .map(({ payload }) => payload.ledgerMovements.flatMap(({ entries }: { entries: unknown[] }) => entries));
  return all
    .findLast((entries) => entries.some((entry: { type: number }) => entry.type === type))
    .map(
      // biome-ignore lint/suspicious/noExplicitAny: an event is looked at as it is
      ({ type: kind, fromAccount, toAccount, amount }: any) =>
        `${kind} ${fromAccount.owner ?? ""}>${toAccount.owner ?? ""} ${amount}`,
    );
}

// docs/protocol/70-trading-orders.md#42-fee-transfers
test("an order with two makers rounds each fee up by trade, and pays infrastructure and liquidity fees once", () => {
  const play = trading(FLAT, { rich: "t1 t2 t3" }, withFees("0.005", "0.002"));
  play.run("t1 B 3@1003; t2 B 4@1002; t3 S 7@1002");
  expect(entriesWith(play, 9)).toEqual([
    "9 t3> 16",
    "9 t3> 21",
    "11 t3> 16",
    "13 t3> 0",
    "10 >t1 16",
    "10 >t2 21",
  ]);
});

// docs/protocol/70-trading-orders.md#42-fee-transfers
test("fees are paid from the general account first, and from margin for the rest", () => {
  const buy = (funds: bigint) => {
    const play = trading(FLAT, { rich: "mm bp" }, withFees("0.1", "0.1")).deposit(funds, "p");
    return play.run("mm S 10@1000; bp B 20@990; p B 10@1000 =o");
  };
  const poor = buy(1_999n);
  expect([poor.order("o").reason, money(poor, "p")]).toEqual([21, "0 1999 0"]);
  const play = buy(2_000n);
  expect([money(play, "p"), flows(play, 9), flows(play, 11)]).toEqual([
    "0 0 0",
    ["p> 800", "p> 200"],
    ["p> 1000"],
  ]);
  // Its fees have taken its margin: it is closed out with nothing to pay those of that trade.
  play.run("/");
  expect(play.trades().slice(-2)).toEqual(["bp-network 10@990", "network-p 10@990"]);
  expect(feesOf(play, 2)).toEqual(["none 990/990/0", "none 990/990/0"]);
  expect([play.pnl("p"), shared(play), play.insurance()]).toEqual(["0/0/0", ["bp -100"], 0n]);
});

// docs/protocol/70-trading-orders.md#42-fee-transfers
test("in a monitoring auction the seller pays first, and a party that trades with itself pays both halves", () => {
  const first = "lp lp(100000, 0.003, BID-1, ASK+1)";
  const play = trading(WATCHED, { first, rich: "lp a b" }, withFees("0.005", "0.0015"));
  play.run("a B 3@1020; b S 3@1020; / 6");
  expect(feesOf(play, 1)).toEqual(["0/3/5 0/3/5"]);
  expect(entriesWith(play, 11)).toEqual(["11 b> 3", "13 b> 5", "11 a> 3", "13 a> 5"]);
  const alone = trading(WATCHED, { first, rich: "lp a b" }, withFees("0.005", "0.0015"));
  alone.run("b S 3@1020 =s; a B 3@1020; cancel s; a S 3@1020; / 6");
  expect(alone.trades().slice(1)).toEqual(["a-a 3@1020"]);
  expect(entriesWith(alone, 11)).toEqual(["11 a> 3", "13 a> 5", "11 a> 3", "13 a> 5"]);
});

// docs/protocol/70-trading-orders.md#42-fee-transfers
test("a party that auction fees leave without margin is closed out as the auction ends", () => {
  const first = "lp lp(100000, 0, BID-1, ASK+1)";
  const play = trading(WATCHED, { first, rich: "lp b" }, withFees("0", "0.5")).deposit(367n, "a");
  play.run("b S 3@1020; a B 3@1020; / 6");
  expect(flows(play, 11)).toEqual(["b> 765", "a> 7", "a> 360"]);
  expect(play.trades().slice(1)).toEqual([
    "a-b 3@1020",
    "aux-network 1@500",
    "lp-network 2@499",
    "network-a 3@499",
  ]);
  expect(feesOf(play, 3)).toEqual(["none 0/250/0", "none 0/499/0", "none 0/749/0"]);
  expect([shared(play), play.insurance()]).toEqual([["aux -520", "lp -1042"], 0n]);
});

// docs/protocol/70-trading-orders.md#43-amended-orders
test("an amended order that trades pays fees from the general account first, and the rest from margin", () => {
  const play = market(
    {
      simple: { long: 0.2, short: 0.1, up: 100, down: -100, probability: 0.1 },
      triggers: [{ horizon: 1, probability: 0.99, extension: 3 }],
    },
    {
      parameters: { "market.fee.factors.makerFee": "0.005", "market.fee.factors.infrastructureFee": "0.002" },
    },
  );
  play.deposit(100_000_000n, "a", "b", "lp").deposit(10_000n, "long", "other").deposit(1_550n, "short");
  play.run("a B 1@1000; b S 1@1000; a B 1@920; b S 1@1080; lp lp(90000, 0.1, BID-100, ASK+100)").open();
  play.run("long B 2@1002; /; other B 1@1002; /; short S 4@1002; /");
  play.run("long B 2@1000; /; short S 4@1002 =more; /");
  expect([play.margin("short"), play.general("short")]).toEqual([1_174n, 49n]);

  play.run("amend more @1000");
  // 10 to the maker and 4 for the infrastructure leave 35 of the liquidity fee's 200 on the general account.
  expect(amounts(play, MAKER_PAY).slice(-1)).toEqual([10n]);
  expect(amounts(play, LIQUIDITY_PAY).slice(-2)).toEqual([35n, 165n]);
  play.run("/");
  expect(play.trades().slice(-1)).toEqual(["long-short 2@1000"]);
  expect([play.margin("short"), play.general("short")]).toEqual([1_015n, 0n]);
  expect([play.margin("long"), play.general("long")]).toEqual([1_704n, 8_313n]);
});

/** Balances of an account of the market's own, as its events show them. */
const balances = (play: Play, place: number, type: number): string[] =>
  eventsFrom(play, place, "account")
    .filter(({ payload }) => payload.type === type)
    .map(({ payload }) => payload.balance);

const place = (play: Play): number => play.rig.events().length;

// docs/protocol/70-trading-orders.md#42-fee-transfers
test.each([
  ["maker", MAKER_PAY, AccountType.ACCOUNT_TYPE_FEES_MAKER, ["0.02", "0", "0"], ["20", "0"]],
  [
    "infrastructure",
    INFRASTRUCTURE_PAY,
    AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE,
    ["0", "0.02", "0"],
    ["40"],
  ],
  ["liquidity", LIQUIDITY_PAY, AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY, ["0", "0", "0.02"], ["20"]],
] as const)(
  "a fee paid from two accounts of a party has one balance event of the fee account: %s",
  (_kind, type, account, fees, shown) => {
    const [maker, infrastructure, liquidity] = fees;
    const first = `lp aux(1000, ${liquidity}, BID-100, ASK+100)`;
    const config = { ...FLAT, targetStake: { scaling: 0.00001 } };
    const play = trading(config, { first }, { parameters: feeFactors(maker, infrastructure) });
    play.deposit(200n, "p").run("p S 1@1000; aux B 1@1000; /; aux2 S 1@1000");
    play.rig.withdraw("p", "ETH", play.general("p") - 15n);
    const [from, entryCount] = [place(play), entries(play)];
    play.run("p B 1@1000");
    const paid = ledger(play, entryCount, type).map((entry) => entry.replace(/>.* /, " "));
    expect(paid).toEqual(["p G 15", "p M 5"]);
    expect(balances(play, from, account)).toEqual([...shown]);
  },
);
