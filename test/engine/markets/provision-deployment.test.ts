// Deployments of provisions, what they do to margins and bonds, and the events of orders and positions
// (docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order, docs/protocol/70-trading-orders.md#2-orders and
// docs/protocol/70-trading-liquidity.md#7-liquidity-provision). Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import { IdGenerator } from "../../../src/engine/markets/id-generator.ts";
import type { LedgerEntry, LedgerMovement } from "../../../src/wire/generated/vega.ts";
import { amendmentOf, orderOf, type Play } from "./rig.ts";
import {
  ACTIVE,
  amounts,
  BOUND,
  CANCELLED,
  eventsFrom,
  FLAT,
  feeFactors,
  M4,
  MILLIONS,
  market,
  money,
  opened,
  PENDING,
  PROVIDED,
  quoted,
  states,
  trading,
  UNDEPLOYED,
} from "./sample-markets.ts";

const PARKED = 8;
const MARGIN_LOW = 6;
const BOND_LOW = 15;
const BOND_SLASHING = 20;
const BOOK = "p1 B 1@900 =bid; p2 S 1@1100; p1 B 10@1000; p2 S 10@1000";

/** In its opening auction: lp provides, v has money, and nothing has a price yet. */
const awaited = (funds: bigint, config: Parameters<typeof market>[0] = PROVIDED, offset = 10) =>
  market(config, { parameters: { "market.liquidity.bondPenaltyParameter": "1" } })
    .deposit(MILLIONS, "lp", "p1", "p2")
    .deposit(funds, "v")
    .run(`lp lp(1000, 0.001, BID-${offset}, ASK+${offset})`);

const here = (play: Play) => play.rig.events().length;
const status = (play: Play, party: string) => play.rig.shownProvision(party, "M")!.status;

const entryLine = ({ fromAccount, toAccount, amount }: LedgerEntry) =>
  `${fromAccount?.owner ?? ""} ${fromAccount?.type}>${toAccount?.type} ${amount}`;

/** A line for each LedgerMovements event: its entries that moved something, between accounts 3 (margin), 4 (general), 9 (bond). */
const movements = (play: Play, place: number): string[] =>
  eventsFrom(play, place, "ledgerMovements")
    .map(({ payload }) =>
      payload.ledgerMovements
        .flatMap(({ entries }: LedgerMovement) => entries)
        .filter(({ amount }: LedgerEntry) => amount !== "0")
        .map(entryLine)
        .join(", "),
    )
    .filter((line) => line !== "");

/** Maintenance margins as they were shown from a place on. */
const shownLevels = (play: Play, place: number): string[] =>
  eventsFrom(play, place, "marginLevels").map(
    ({ payload }) => `${payload.partyId} ${payload.maintenanceMargin}`,
  );

const COSTLY = { parameters: feeFactors("0.2", "0") };

/** PositionState events of what is played: potential volumes to buy and to sell. */
const shownPositions = (play: Play, script: string) => {
  const place = here(play);
  play.run(`${script}; /`);
  return eventsFrom(play, place, "positionStateEvent").map(
    ({ payload }) => `${payload.partyId} ${payload.potentialBuys}/${payload.potentialSells}`,
  );
};

// docs/protocol/70-trading-positions.md#54-when-margin-moves and
// docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress
test("in a monitoring auction a provider's order draws on the bond without a penalty, as nothing is deployed", () => {
  const play = awaited(1_500n).run(`lp v(1000, 0.001, BID-10, ASK+10); ${BOOK}`).open();
  expect([money(play, "v"), status(play, "v")]).toEqual(["240 260 1000", ACTIVE]);
  play.run("cancel bid; /");
  expect([play.rig.marketData("M").marketTradingMode, money(play, "v"), status(play, "v")]).toEqual([
    4,
    "240 260 1000",
    UNDEPLOYED,
  ]);
  // 840 for it: all of the general account, and 340 of the bond.
  play.run("v B 7@1000");
  expect(amounts(play, MARGIN_LOW).slice(-2)).toEqual([260n, 340n]);
  expect([money(play, "v"), play.insurance(), amounts(play, BOND_SLASHING)]).toEqual(["840 0 660", 0n, []]);
});

// docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order and
// docs/protocol/70-trading-orders.md#34-entering-an-auction
test("margin of provision orders that leave the book is kept until the provider cancels an order of its own", () => {
  const play = awaited(1_500n).run(`lp v(1000, 0.001, BID-10, ASK+10); ${BOOK}`).open();
  const place = here(play);
  play.run("cancel bid");
  expect([status(play, "v"), movements(play, place)]).toEqual([UNDEPLOYED, []]);
  // Of a provider the end of a block returns nothing, nor does the auction that follows.
  play.run("/; /; /");
  expect([play.rig.marketData("M").marketTradingMode, money(play, "v")]).toEqual([4, "240 260 1000"]);
  const awaiting = here(play);
  play.run("v B 1@500 =own; cancel own");
  expect([movements(play, awaiting), money(play, "v")]).toEqual([["v 3>4 240"], "0 500 1000"]);
  expect([money(play, "lp"), status(play, "lp")]).toEqual(["240 99998760 1000", UNDEPLOYED]);
});

// docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order
test("an auction that parks provision orders releases their margin at the end of its first block", () => {
  const play = opened(BOUND).run("z S 5@115; /");
  const held = play.margin("lp");
  expect(held).toBeGreaterThan(0n);
  play.run("x B 12@115");
  expect([play.rig.marketData("M").marketTradingMode, status(play, "lp"), play.margin("lp")]).toEqual([
    4,
    UNDEPLOYED,
    held,
  ]);
  play.run("/");
  expect(play.margin("lp")).toBe(0n);
});

// docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop
test("a deployment that ends a provision reprices everything again, parked pegs included", () => {
  const play = awaited(6_100n).run(BOOK).open().run("p2 S 3 ASK+5 =peg");
  expect(states(play, "peg")).toEqual(["1 3 1105"]);
  // The ask is where it was: a bid that comes back moves nothing that a peg to the ask would follow.
  play.run("cancel bid; p1 B 1@900 =bid");
  expect([status(play, "lp"), ...states(play, "peg")]).toEqual([ACTIVE, "8 3 0"]);
  play.run("cancel bid; lp v(6000, 0.001, BID-10, ASK+10)");
  expect([status(play, "v"), ...states(play, "peg")]).toEqual([PENDING, "8 3 0"]);
  play.run("p1 B 1@900");
  expect([status(play, "v"), money(play, "v")]).toEqual([CANCELLED, "0 6100 0"]);
  expect([status(play, "lp"), ...states(play, "peg")]).toEqual([ACTIVE, "1 3 1105"]);
});

// docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop
test("margins of all providers are updated before an unpaid provision ends, and again after it", () => {
  const play = awaited(6_100n, { ...PROVIDED, linearSlippage: "10" }, 300).deposit(MILLIONS, "w");
  play.run("p1 B 1@900 =bid; p2 S 100@1044; p2 S 5@1010; p1 B 10@1000; w S 10@1000").open();
  play.run("lp w(1000, 0.001, BID-100, ASK+100); w S 1@1500 =own; cancel bid; cancel own");
  // Five at 1010 and five at 1044 would buy w back.
  expect([play.levels("w").split("/")[0], money(play, "w")]).toEqual(["1370", "1764 99997236 1000"]);
  play.run("lp v(6000, 0.001, BID-10, ASK+10)");
  const place = here(play);
  play.run("p1 B 1@900");
  expect(movements(play, place).slice(-4)).toEqual([
    // With the six of v at 1020 w's position would cost less; v needs 840, and lp has what it needs from before.
    "v 4>3 100, v 9>3 740, w 3>4 264",
    "v 3>4 840",
    "v 9>4 5260",
    "w 4>3 144",
  ]);
  expect([status(play, "v"), money(play, "v"), money(play, "w")]).toEqual([
    CANCELLED,
    "0 6100 0",
    "1644 99997356 1000",
  ]);
  expect(shownLevels(play, place)).toContain("v 700");
});

// docs/protocol/70-trading-liquidity.md#72-submit
test("a first deployment that cannot be paid for emits its transfers both ways", () => {
  const play = awaited(1_050n).run(`lp v(1000, 0.001, BID-10, ASK+10); ${BOOK}`);
  const place = here(play);
  play.open();
  const own = movements(play, place).filter((line) => line.includes("v "));
  expect(own).toEqual(["lp 4>3 240, v 4>3 50, v 9>3 190", ...["v 3>4 240", "v 9>4 810"]]);
  expect([status(play, "v"), money(play, "v")]).toEqual([CANCELLED, "0 1050 0"]);
});

// docs/protocol/70-trading-positions.md#54-when-margin-moves
test("a failed submission leaves the margin levels up to the order that failed", () => {
  const play = awaited(1_260n).run(BOOK).open();
  const place = here(play);
  play.run("lp v(1000, 0.001, BID-10 BID-20 BID-30, ASK+10)");
  expect([play.last.text, money(play, "v")]).toEqual(["margin check failed", "0 1260 0"]);
  // 260 are enough for the first two buys, of one each.
  expect(movements(play, place)).toEqual(["v 4>9 1000", "v 4>3 120", "v 4>3 120", "v 3>4 240", "v 9>4 1000"]);
  // Those of the third are shown, too: the bond would have covered it.
  expect(shownLevels(play, place)).toEqual(["v 300"]);
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("an amendment with the same commitment makes a bond transfer of 0", () => {
  const play = awaited(0n);
  const amend = (change: Parameters<typeof play.rig.amendProvision>[2]) => {
    const place = amounts(play, BOND_LOW).length;
    expect(play.rig.amendProvision("lp", "M", change).text).toBe("");
    return play.transfers(BOND_LOW).slice(place);
  };
  const nothing = [{ from: "lp", to: "lp", amount: 0n }];
  expect(amend({ fee: "0.002" })).toEqual(nothing);
  play.run(BOOK).open();
  expect(amend({ fee: "0.003" })).toEqual(nothing);
  expect(amend({ commitment: 1_000, reference: "other" })).toEqual(nothing);
  expect(amend({ commitment: 1_001 })).toEqual([{ from: "lp", to: "lp", amount: 1n }]);
});

// docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop
test("provision orders taken off the book are emitted as parked by their ids, not in the order of the shape", () => {
  const play = market(PROVIDED).deposit(MILLIONS, "z", "p1", "p2");
  play.run(`lp z(10000, 0.001, BID-10 BID-20 BID-30 BID-40 BID-50, ASK+10); ${BOOK}`);
  const ids = (place: number, state: number) =>
    eventsFrom(play, place, "order")
      .filter(({ payload }) => payload.partyId === "z" && payload.side === 1 && payload.status === state)
      .filter(({ payload }) => payload.liquidityProvisionId !== "")
      .map(({ payload }) => payload.id as string);
  let place = here(play);
  play.open();
  const placed = ids(place, ACTIVE);
  const sorted = placed.toSorted();
  expect(placed).toHaveLength(5);
  expect(placed).not.toEqual(sorted);
  // Its own order is all that it has to buy.
  place = here(play);
  play.run("z B 20@899");
  expect(ids(place, PARKED)).toEqual(sorted);
});

// docs/protocol/70-trading-orders.md#22-order-message
test("an order refused for margin or fees has an update time, one refused earlier has none", () => {
  const play = opened(FLAT, COSTLY).deposit(131n, "w");
  const refused = (line: string) => {
    play.run(line);
    const { status, reason, createdAt, updatedAt } = play.rig.events("order").at(-1)!.payload;
    expect(createdAt).toBe(play.rig.nowNs);
    return [status, reason, updatedAt];
  };
  expect(refused("w B 1000@95")).toEqual([6, 14, play.rig.nowNs]);
  expect(refused("w B 10@110")).toEqual([6, 21, play.rig.nowNs]);
  expect(refused("w B 1@95 GFA")).toEqual([6, 25, 0n]);
  expect(refused("nobody B 1@95")).toEqual([6, 43, 0n]);
  play.rig.terminate();
  expect(refused("w B 1@95")).toEqual([6, 13, 0n]);
});

// docs/protocol/70-trading-orders.md#23-commands-inputdata-oneof-tag
test.each([["nothing"], ["a submission"], ["an amendment"]])(
  "only trades whose fees were paid draw ids: %s fails in a batch",
  (failing) => {
    const play = opened(FLAT, COSTLY).deposit(200n, "w").run("x S 1@105; w B 1@94 =o");
    const place = here(play);
    const dear = failing === "a submission";
    const submissions = [orderOf("M", "buy", dear ? 15 : 1, dear ? 110 : 94), orderOf("M", "buy", 1, 105)];
    const change = amendmentOf("M", play.ids.get("o")!, { price: 110, sizeDelta: 12 });
    const { code, id } = play.rig.batch("w", {
      amendments: failing === "an amendment" ? [change] : [],
      submissions: submissions.map(({ payload }) => payload) as never,
    });
    expect(code).toBe(failing === "nothing" ? 0 : 71);
    // Those of the two submissions come first.
    const generator = new IdGenerator(id);
    const [first, second, third] = [generator.next(), generator.next(), generator.next()];
    const [trade, ...more] = eventsFrom(play, place, "trade").map(({ payload }) => payload);
    expect(more).toEqual([]);
    expect([trade.buyOrder, trade.id]).toEqual([second, third]);
    expect(eventsFrom(play, place, "order").some(({ payload }) => payload.id === first)).toBe(true);
  },
);

// docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order
test("an amendment that changes nothing emits no PositionState event for its party", () => {
  // The only provision has ended with the opening: no provider is shown.
  const play = trading(FLAT, { rich: "x" }).run("x B 1@450 =a; /");
  expect(shownPositions(play, "amend a @450")).toEqual([]);
  expect(shownPositions(play, "amend a GTC")).toEqual([]);
  expect(shownPositions(play, "amend a GTT")).toEqual(["x 1/0"]);
  expect(shownPositions(play, "amend a +1")).toEqual(["x 2/0"]);
});

// docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order and
// docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop
test("providers with deployed orders have a PositionState event in a block with any order, cancellation or amendment", () => {
  // Orders of y are all that its own provision asks for.
  const play = quoted().run("lp y(1000, 0, BID-10, ASK+10); y B 20@85; y S 20@115").open().run("/; /");
  expect([play.deployed("lp").length, play.deployed("y")]).toEqual([2, []]);
  expect(shownPositions(play, "x B 1@85 =a")).toEqual(["lp 13/9", "x 1/0"]);
  expect(shownPositions(play, "amend a @85")).toEqual(["lp 13/9"]);
  expect(shownPositions(play, "cancel a")).toEqual(["lp 13/9"]);
  expect(shownPositions(play, "x B 1@95")).toEqual(["lp 12/9", "x 1/0"]);
  expect(shownPositions(play, "/")).toEqual([]);
});

// docs/protocol/70-trading-orders.md#23-commands-inputdata-oneof-tag
test("a pegged order's own price must be a number, though it is ignored", () => {
  const play = opened();
  const pegged = (price: string) => {
    const { payload } = orderOf("M", "buy", 5, undefined, { peg: { reference: 2, offset: "3" } });
    const place = here(play);
    const { code, text } = play.rig.deliver("x", {
      kind: "orderSubmission",
      payload: { ...(payload as object), price },
    } as never);
    return [code, text, ...eventsFrom(play, place, "order").map((event) => event.payload.price)];
  };
  expect(pegged("abc")).toEqual([70, "invalid order price"]);
  expect(pegged("1.5")).toEqual([70, "invalid order price"]);
  expect(pegged("77")).toEqual([0, "", "87"]);
  expect(pegged("")).toEqual([0, "", "87"]);
});

// docs/protocol/70-trading-liquidity.md#73-order-sizes-and-prices and #74-reference-moves-repricing-loop
test("a provision made between two changes of the price range is planned again, even if the range is restored", () => {
  const play = opened();
  const range = (lpPriceRange: string) =>
    play.rig.updateMarket("M", { asset: "ETH", ...M4, targetStake: { scaling: 0.00001 }, lpPriceRange });
  expect(play.deployed("lp")).toEqual(["buy 13@80", "sell 9@120"]);
  range("0.15");
  play.run("lp y(1000, 0, BID-10, ASK+10)");
  expect(play.deployed("y")).toEqual(["buy 12@85", "sell 9@115"]);
  range("1");
  // An order that moves no price and is not a provider's.
  play.run("x B 1@70");
  expect([play.deployed("lp"), play.deployed("y")]).toEqual([
    ["buy 13@80", "sell 9@120"],
    ["buy 13@80", "sell 9@120"],
  ]);
});

// docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress
test("a first deployment within the search level needs no transfer; beyond it margin rises to the initial level", () => {
  const opened = (commitment: bigint, funds: bigint) => {
    const play = market(PROVIDED)
      .deposit(MILLIONS, "lp", "a", "b")
      .deposit(commitment + funds, "z");
    play.run(`lp lp(1000000, 0, BID-1, ASK+1); lp z(${commitment}, 0, BID-1, ASK+1)`);
    play.run("b B 100@900; b S 100@1100; z B 100@1000; a S 100@1000").open();
    return [money(play, "z"), play.levels("z"), ...play.deployed("z")];
  };
  // 12000 for the position alone.
  expect(opened(500n, 12_050n)).toEqual([
    "12000 50 500",
    "10100/11110/12120/14140",
    "buy 1@899",
    "sell 1@1101",
  ]);
  expect(opened(10_000n, 13_440n)).toEqual([
    "13440 0 10000",
    "11200/12320/13440/15680",
    "buy 12@899",
    "sell 10@1101",
  ]);
  expect(opened(10_000n, 13_439n)).toEqual(["12000 11439 0", "10000/11000/12000/14000"]);
});
