// Mark to market, close-outs and the end of a market, as the network's source has them where the reference (70) leaves a choice.
import { expect, test } from "bun:test";
import { AccountType, MarketState, OrderStatus, OrderType } from "../../../src/wire/generated/vega.ts";
import { createMarketRig, Play } from "./rig.ts";
import {
  entries,
  eventsFrom,
  FLAT,
  feeFactors,
  INFRASTRUCTURE_PAY,
  LIGHT,
  LIQUIDITY_PAY,
  ledger,
  M4,
  MAKER_PAY,
  MILLIONS,
  market,
  money,
  move,
  NS,
  opened,
  socialised,
  trading,
} from "./sample-markets.ts";

const LOSS = 1;
const WIN = 2;
const MTM_LOSS = 4;
const MTM_WIN = 5;
const MARGIN_HIGH = 7;
const CLEAR = 24;

/** Entries of a type, also those that moved nothing. */
const moved = (play: Play, type: number): string[] =>
  play.transfers(type).map(({ from, to, amount }) => `${from ?? ""}>${to ?? ""} ${amount}`);
/** Balances of an account of the market's own, as its events show them. */
const balances = (play: Play, place: number, type: number): string[] =>
  eventsFrom(play, place, "account")
    .filter(({ payload }) => payload.type === type)
    .map(({ payload }) => payload.balance);
const place = (play: Play): number => play.rig.events().length;

test("6.2 a win of nothing moves nothing in mark to market, alone or beside others", () => {
  // At the opening all are seen for the first time, lp with orders alone, and x is with the trade at 110.
  const play = opened().run("x B 1@50; /");
  expect(moved(play, MTM_WIN)).toEqual([]);
  play.run("y B 1@110; /");
  expect([moved(play, MTM_LOSS), moved(play, MTM_WIN)]).toEqual([["p2> 10"], [">p1 10"]]);
});

test("6.5 at a market's end a loss of nothing shows as a win of nothing does", () => {
  const play = opened();
  play.rig.terminate();
  play.rig.settle(100);
  expect([moved(play, LOSS), moved(play, WIN)]).toEqual([["p2> 0"], [">p1 0"]]);
});

test("6.5 a win that the losses, cut to units, do not cover is taken from the insurance, as far as that goes", () => {
  const after = (insurance: bigint) => {
    const play = opened({ positionDecimals: 1 }).deposit(MILLIONS, "w");
    play.rig.fundInsurance("M", insurance);
    // 1.5 against three times 0.5: one and a half is cut to one, a half to nothing.
    play.run("x S 5@100; y S 5@100; z S 5@100; w B 15@100; /");
    play.rig.terminate();
    const from = entries(play);
    play.rig.settle(101);
    const reward = play.rig.systemBalance("ETH", AccountType.ACCOUNT_TYPE_GLOBAL_REWARD);
    return [...ledger(play, from, LOSS, WIN), play.general("w") - MILLIONS, reward];
  };
  expect(after(100n)).toEqual(["I>w M 1", 1n, 99n]);
  expect(after(0n)).toEqual([0n, 0n]);
});

test("5.6 a loss out of several accounts of a party comes to its account once; its entries tell of each", () => {
  const play = trading().deposit(400n, "p").run("p S 1@1000; aux B 1@1000; /");
  expect(money(play, "p")).toBe("120 280 0");
  const [from, first] = [place(play), entries(play)];
  move(play, 1150);
  const { ACCOUNT_TYPE_SETTLEMENT: settlement } = AccountType;
  const paid = play.rig
    .transfers()
    .slice(first)
    .filter(({ type }) => type === MTM_LOSS);
  expect(
    paid.map((entry) => `${entry.fromAccount?.owner} ${entry.amount} ${entry.toAccountBalance}`),
  ).toEqual(["aux2 150 150", "p 120 270", "p 30 300"]);
  expect(balances(play, from, settlement)).toEqual(["150", "300", "0"]);
});

test("5.6 so does the last loss of a party, when the market ends", () => {
  const play = trading().deposit(400n, "p").run("p S 1@1000; aux B 1@1000; /");
  play.rig.terminate();
  const from = place(play);
  play.rig.settle(1150);
  expect(balances(play, from, AccountType.ACCOUNT_TYPE_SETTLEMENT)).toEqual(["150", "300", "0"]);
  expect(moved(play, LOSS)).toEqual(["aux2> 150", "p> 120", "p> 30"]);
});

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
  "4.2 a fee out of two accounts of a party comes to its account once: %s",
  (_kind, type, account, fees, shown) => {
    const [maker, infrastructure, liquidity] = fees;
    const first = `lp aux(1000, ${liquidity}, BID-100, ASK+100)`;
    const config = { ...FLAT, targetStake: { scaling: 0.00001 } };
    const play = trading(config, { first }, { parameters: feeFactors(maker, infrastructure) });
    play.deposit(200n, "p").run("p S 1@1000; aux B 1@1000; /; aux2 S 1@1000");
    play.rig.withdraw("p", "ETH", play.general("p") - 15n);
    const [from, known] = [place(play), entries(play)];
    play.run("p B 1@1000");
    const paid = ledger(play, known, type).map((entry) => entry.replace(/>.* /, " "));
    expect(paid).toEqual(["p G 15", "p M 5"]);
    expect(balances(play, from, account)).toEqual([...shown]);
  },
);

/** p is in distress with a short of five, of which the book has one for sale; q has a long of one, which 850 is too low for. */
function marked(): Play {
  const play = trading().deposit(650n, "p").deposit(130n, "q");
  play.run("p S 5@1000; aux B 5@1000; q B 1@1000; aux S 1@1000; /");
  move(play, 1090);
  expect(play.rig.shownPosition("p", "M")!.positionStatus).toBe(4);
  return play;
}

test("5.5 a close-out that comes off tells of those that are safe again, before the network's order", () => {
  const play = marked();
  const from = place(play);
  move(play, 850);
  expect(play.trades().slice(-2)).toEqual(["aux-network 1@500", "network-q 1@500"]);
  const told = eventsFrom(play, from, "distressedPositions", "order", "settleDistressed").filter(
    ({ member, payload }) => member !== "order" || payload.reference === "LS",
  );
  expect(told.map(({ member }) => member)).toEqual(["distressedPositions", "order", "settleDistressed"]);
  expect(told[0]!.payload).toMatchObject({ distressedParties: [], safeParties: ["p"] });
  expect(play.rig.position("p", "M")!.isDistressed).toBe(false);
  expect(play.rig.shownPosition("p", "M")!.positionStatus).toBe(0);
});

test("5.5 orders of the network, and those that a close-out makes up, have no version", () => {
  const play = move(marked(), 850);
  const shown = play.rig.events("order").filter(({ payload }) => payload.type === OrderType.TYPE_NETWORK);
  expect(shown.map(({ payload }) => `${payload.partyId} ${payload.reference} ${payload.version}`)).toEqual([
    "network LS 0",
    "q distressed-q 0",
    "network close-out distressed 0",
  ]);
});

test("6.2 losses that are passed on are told when the accounts of all losers have been shown", () => {
  const play = trading().deposit(130n, "p", "q").run("p S 1@1000; q S 1@1000; aux B 2@1000; /");
  const from = place(play);
  move(play, 1200);
  const told = eventsFrom(play, from, "account", "lossSocialization").filter(
    ({ member, payload }) => member !== "account" || ["p", "q"].includes(payload.owner),
  );
  expect(
    told.map(({ payload: { owner, type, balance, partyId, amount } }) =>
      owner ? `${owner} ${type} ${balance}` : `${partyId} ${amount}`,
    ),
  ).toEqual(["p 3 0", "p 4 0", "q 3 0", "q 4 0", "p 70", "q 70", "aux -140"]);
});

test("6.3 units that are left over are the last winner's where the network has won nothing", () => {
  const play = trading(
    { ...FLAT, simple: { long: 0.05, short: 0.05 } },
    { bid: 10, ask: 900, mark: 300, rich: "c d w" },
  );
  play.deposit(40n, "p").deposit(20n, "q").run("aux2 S 2@300; p B 2@300; /");
  // The two of p are sold at 380 and 20, on the average at the mark. Then a ninth of 180 is there for w.
  play.run("c B 1@200; d S 1@200; q B 1@380; w B 1@20; /");
  expect(play.mark()).toBe(200n);
  expect(play.trades().slice(-6)).toEqual([
    "c-d 1@200",
    "q-network 1@380",
    "w-network 1@20",
    "network-p 2@200",
    "aux-network 1@10",
    "network-q 1@10",
  ]);
  expect([play.insurance(), play.margin("w") + play.general("w") - MILLIONS]).toEqual([0n, 20n]);
  // Nothing of it came to the insurance, which then has nothing for what aux wins of q's own close-out.
  expect(socialised(play)).toEqual(["p 160", "aux2 -160", "q 160", "w -160", "aux -190"]);
});

test("5.5 the run after a close-out is a whole one, behind which the outer one follows what has traded", () => {
  const play = opened().deposit(MILLIONS, "k", "lp2").deposit(62n, "q");
  play.run("k B 1@60; k S 1@140; lp lp2(1000, 0, BID-10, ASK+10); p1 B 2@91; cancel b; /");
  const buys = () => play.queue("buy").filter((line) => line.startsWith("lp"));
  expect(buys()).toEqual(["lp2 13@81", "lp 13@81"]);
  play.run("x S 5@100; q B 5@100; /");
  expect(play.trades().slice(-3)).toEqual(["p1-network 2@91", "lp2-network 3@81", "network-q 5@85"]);
  // The inner run makes their orders anew, by party; the outer one finds nothing to change and puts them back by id.
  const [a, b] = ["lp", "lp2"].map((party) => play.rig.provision(party, "M")!.buys[0]!.orderId);
  expect(a! > b!).toBe(true);
  expect(buys()).toEqual(["lp2 20@50", "lp 20@50"]);
});

test("5.5 where trading ends with a close-out, the run after it rechecks margins as any other", () => {
  const after = (end: (play: Play) => void) => {
    const play = opened().deposit(62n, "q").run("z B 1@60; p1 B 5@91; cancel b; /; x S 5@100; q B 5@100");
    const from = entries(play);
    end(play);
    expect(play.trades().slice(-2)).toEqual(["p1-network 5@91", "network-q 5@91"]);
    return [play.levels("p1"), money(play, "p1"), ...ledger(play, from, MARGIN_HIGH)];
  };
  // Of p1's six z would buy one at 60, and the provision the others at 50: 49 below the mark on the average.
  const closed = ["354/389/424/495", "424 99999621 0", "p1 M>p1 G 41"];
  expect(after((play) => play.rig.terminate())).toEqual(closed);
  expect(after((play) => play.run("/"))).toEqual(closed);
});

test("1.5 a market that was settled in a block has the end of that block as any other", () => {
  const play = opened({}, { parameters: { "network.markPriceUpdateMaximumFrequency": "1s" } });
  play.run("/ 2; x B 1@85");
  play.rig.terminate();
  play.rig.settle(95);
  const [from, settledNs] = [place(play), play.rig.nowNs];
  play.run("/");
  const [last] = eventsFrom(play, from, "marketData");
  expect([last!.payload.marketState, last!.payload.nextMarkToMarket]).toEqual([9, settledNs + NS]);
  const shown = eventsFrom(play, from, "positionStateEvent").map(({ payload }) => payload);
  expect(shown.find(({ partyId }) => partyId === "x")).toMatchObject({ size: 0n, potentialBuys: 1n });
  // It is gone with the tick, and no block shows it again.
  const gone = place(play);
  play.run("/ 2");
  expect(eventsFrom(play, gone, "marketData", "positionStateEvent")).toEqual([]);
});

test("6.5 accounts are cleared, also empty ones, but for those of parties that have left the market", () => {
  const play = opened();
  // x has come and gone by trades, y by an order alone.
  play.run("x B 1@110; /; x S 1@90; /; y B 1@50 =c; cancel c; /");
  expect([play.rig.position("x", "M"), play.rig.position("y", "M")]).toEqual([undefined, undefined]);
  play.rig.terminate();
  play.rig.settle(500);
  // All that p2 had on its margin account is lost.
  expect(moved(play, CLEAR)).toEqual(["lp>lp 140", "lp>lp 1000", "p1>p1 938", "p2>p2 0", "> 0"]);
});

test("6.5 orders that the end of a market stops keep the time of their last change", () => {
  const play = opened().run("x B 1@85 =o; x B 2@70 =changed; /; amend changed @71");
  const changedNs = play.rig.nowNs;
  play.run("/ 3");
  play.rig.terminate();
  play.rig.settle(95);
  const shown = (name: string) => play.rig.shownOrder(play.ids.get(name)!)!;
  expect(shown("o")).toMatchObject({ status: OrderStatus.STATUS_STOPPED, remaining: 1n, updatedAt: 0n });
  expect(shown("changed")).toMatchObject({
    status: OrderStatus.STATUS_STOPPED,
    remaining: 2n,
    updatedAt: changedNs,
  });
});

test("1.4 a market is pending as of its vote's closing time, whenever that was counted", () => {
  const rig = createMarketRig();
  rig.proposeMarket("M", { asset: "ETH", ...LIGHT });
  const closingNs = rig.nowNs;
  const times = () => rig.shownMarket("M")!.marketTimestamps!;
  expect(times()).toMatchObject({ proposed: closingNs, pending: closingNs });
  rig.nextBlock(2);
  rig.decide("M", true);
  expect([rig.shownMarket("M")!.state, times().pending]).toEqual([MarketState.STATE_PENDING, closingNs]);
});

test("7.8 a provision that goes is in the market's value until it is looked at again, which a proposed market is not", () => {
  const play = new Play(createMarketRig(), "M");
  const { rig } = play;
  rig.proposeMarket("M", { asset: "ETH", ...LIGHT });
  play.deposit(MILLIONS, "x", "y", "z");
  const value = () => rig.marketData("M").marketValueProxy;
  play.run("lp x(1000, 0, BID-10, ASK+10); lp y(500, 0, BID-10, ASK+10); /");
  expect(value()).toBe("1500");
  expect(rig.cancelProvision("x", "M").text).toBe("");
  play.run("/ 3");
  expect(value()).toBe("1500");
  play.run("lp z(100, 0, BID-10, ASK+10); /");
  expect(value()).toBe("600");
  for (const party of ["y", "z"]) expect(rig.cancelProvision(party, "M").text).toBe("");
  play.run("/");
  expect(value()).toBe("600");
  rig.decide("M", true);
  play.run("/");
  expect(value()).toBe("0");
});

test("7.8 what a close-out trades while the opening auction ends is before the first value window", () => {
  const config = { ...M4, linearSlippage: "0.1", quadraticSlippage: "0.1" };
  const play = market(config, { parameters: { "market.value.windowLength": "1m" } });
  play.deposit(MILLIONS, "q", "r", "s", "t", "u", "lp").deposit(20_000n, "p");
  play.run("t B 1@1000; u S 1@11000; p B 5@10000 GFA; q S 5@10000 GFA; p B 5@10000 GFA; r S 5@10001 GFA");
  play.run("p B 4@3000 GFA; s S 3@3000 GFA; lp lp(160000, 0.01, MID-100, MID+100)").open();
  expect(play.trades().slice(-2)).toEqual(["lp-network 8@5900", "network-p 8@5900"]);
  play.run("/");
  // A second into the window 47200 of it would count sixty times.
  expect(play.rig.marketData("M").marketValueProxy).toBe("160000");
});
