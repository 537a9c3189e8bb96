// Margins of provisions: their first orders, amendments and bonds
// (docs/protocol/70-trading-positions.md#54-when-margin-moves and docs/protocol/70-trading-liquidity.md#72-submit to
// #79-amend-and-cancel). Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { idOf, type Play } from "./rig.ts";
import { around1000, COVERED, lastOrder, market } from "./sample-markets.ts";

const GTT = 2;

/** A buy order far below the best bid: parked until there is a higher one. */
const lowPeg = (play: Play, party: string, size: number): string =>
  play.rig.order(party, "M", "buy", size, undefined, { peg: { reference: 2, offset: "950" } }).id;

test("provision orders stand behind other orders at their price", () => {
  const play = market(COVERED);
  play.deposit(100_000_000n, "aux", "aux2", "lp", "p1", "p2");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(50000, 0, BID-1, ASK+1)").open();
  expect(play.deployed("lp")).toEqual(["buy 56@899", "sell 46@1101"]);
  play.run("p1 S 2@1101; p2 B 3@1101");
  expect(play.trades().slice(1)).toEqual(["p2-aux2 1@1100", "p2-p1 2@1101"]);
});

test("margins after repricing pegged orders ignore the volume of provisions", () => {
  const play = market(COVERED);
  const { rig } = play;
  play.deposit(100_000_000n, "aux", "aux2", "lp", "p1", "p2");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(50000, 0, BID-1, ASK+1)").open();
  // Short of ten, of which the provision alone could sell enough.
  play.run("p2 B 10@1000; p1 S 10@1000; /");
  rig.order("p1", "M", "buy", 1, undefined, { peg: { reference: 2, offset: "5" } });
  const before = play.levels("p1");
  play.run("aux B 1@905");
  expect(BigInt(play.levels("p1").split("/")[0]!)).toBeGreaterThan(BigInt(before.split("/")[0]!));
});

test("margin of an expired order of a provider without deployed orders is released at the block's end", () => {
  const play = market(COVERED);
  const { rig } = play;
  play.deposit(100_000_000n, "aux", "aux2", "lp");
  play.run("aux B 1@900; aux2 S 1@1100 =ask; aux B 1@1000; aux2 S 1@1000; lp lp(50000, 0, BID-1, ASK+1)");
  play.open().run("cancel ask");
  expect(play.deployed("lp")).toEqual([]);
  rig.order("lp", "M", "buy", 5, 890, { timeInForce: GTT, expiresAt: rig.nowNs + SECOND_NS });
  const held = play.margin("lp");
  expect(held).toBeGreaterThan(0n);
  rig.nextBlock();
  expect(play.margin("lp")).toBe(held);
  rig.nextBlock();
  expect(play.margin("lp")).toBe(0n);
});

test("a provision amended in an auction takes the margin of its orders at once", () => {
  const play = market(COVERED);
  play.deposit(100_000_000n, "aux", "aux2", "lp");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(50000, 0, BID-1, ASK+1)");
  expect(play.margin("lp")).toBe(0n);
  const payload = { marketId: idOf("M"), commitmentAmount: "60000", fee: "0" };
  expect(play.rig.deliver("lp", { kind: "liquidityProvisionAmendment", payload }).text).toBe("");
  expect(BigInt(play.levels("lp").split("/")[2]!)).toBe(play.margin("lp"));
  expect(play.margin("lp")).toBeGreaterThan(0n);
  expect(play.bond("lp")).toBe(60_000n);
});

test("provision orders follow a changed price range with the next order", () => {
  const config = { ...COVERED, lpPriceRange: "0.05" };
  const play = market(config);
  play.deposit(100_000_000n, "aux", "aux2", "lp", "p1");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(50000, 0, BID-1, ASK+1)").open();
  expect(play.deployed("lp")).toEqual(["buy 53@950", "sell 48@1050"]);
  play.rig.updateMarket("M", { ...config, asset: "ETH", lpPriceRange: "1" });
  play.run("p1 B 1@800");
  expect(play.deployed("lp")).toEqual(["buy 56@899", "sell 46@1101"]);
});

test("a margin recheck slashes a provider again that was slashed in the same mark, even with an unchanged book", () => {
  const play = market(COVERED, { parameters: { "market.liquidity.bondPenaltyParameter": "1" } });
  play.deposit(100_000_000n, "aux", "aux2", "p1", "p2").deposit(8_150n, "lp");
  play.run("lp lp(1300, 0.001, BID-20, ASK+20); aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000");
  play.open().run("lp S 5@1000; p1 B 5@1000; /; p1 S 1@1095; p2 B 1@1095; /");
  // Its margin is below the search level after the first penalty, and nothing is left to raise it.
  expect(play.levels("lp")).toBe("6242/6866/7490/8738");
  expect(play.transfers(20).map(({ amount }) => amount)).toEqual([190n, 920n, 920n]);
  expect([play.margin("lp"), play.insurance()]).toEqual([5650n, 2030n]);
});

test("a bond that pays for margin before the provision was ever deployed is not slashed", () => {
  const play = around1000({}, { "market.liquidity.bondPenaltyParameter": "1" });
  play.deposit(20_000n, "q").run("aux B 10@1000; q S 10@1000; /");
  // Nothing is left to sell, so that the provision waits for its first orders.
  play.run("p1 B 1@1100 FOK");
  play.run(`lp q(${play.general("q")}, 0.1, BID-10, ASK+10); /`);
  expect(play.bond("q")).toBeLessThan(6_800n);
  expect(play.margin("q")).toBe(14_520n);
  expect(play.insurance()).toBe(0n);
});

test("a party that cannot pay for repriced pegged orders keeps those that were not repriced", () => {
  const play = around1000().deposit(2_000n, "q");
  const { rig } = play;
  const sell = rig.order("q", "M", "sell", 10, undefined, { peg: { reference: 3, offset: "10" } }).id;
  const buy = lowPeg(play, "q", 100);
  expect([lastOrder(play, sell).status, lastOrder(play, buy).status]).toEqual([1, 8]);
  play.run("aux B 1@1000");
  expect([lastOrder(play, sell).status, lastOrder(play, buy).status]).toEqual([1, 3]);
  expect(rig.liveOrder(sell)).toBeDefined();
});

test("a provider's pegged orders are margined without those of its provision, which then pay a penalty for its bond", () => {
  const play = around1000({}, { "market.liquidity.bondPenaltyParameter": "0.1" }).deposit(1_364n, "q");
  play.run("lp q(1000, 0.1, BID-10, ASK+10)");
  // 2 bought at 890 and 5 pegged: 7 at 0.11 of 1000, times 1.2.
  lowPeg(play, "q", 5);
  expect([play.margin("q"), play.general("q"), play.bond("q")]).toEqual([264n, 100n, 1_000n]);
  play.run("aux B 1@1000");
  // The 5 pegged ones take 660: 264, 100 of the general account, and 296 of the bond without a penalty. With one bought by the
  // provision it takes 132 more of the bond, of which a tenth is the penalty.
  expect([play.margin("q"), play.general("q"), play.bond("q")]).toEqual([792n, 0n, 559n]);
  expect(play.transfers(20).map(({ amount }) => amount)).toEqual([13n]);
  expect(play.insurance()).toBe(13n);
});

test("an amendment of a provision stops the orders of its former entries, even parked ones", () => {
  const play = around1000().deposit(100_000n, "q").run("lp q(1000, 0.1, BID-10, ASK+10)");
  const { rig } = play;
  const parkedOf = (party: string) => {
    const last = new Map(rig.events("order").map(({ payload }) => [payload.id, payload]));
    return [...last.values()].filter(({ partyId, status }) => partyId === party && status === 8);
  };
  // Nothing is left to sell: orders of provisions are parked.
  play.run("p1 B 1@1100 FOK");
  expect(parkedOf("q")).toHaveLength(2);
  play.run("/");
  const payload = { marketId: idOf("M"), commitmentAmount: "1000", fee: "0", reference: "", sells: [] };
  const buys = [{ reference: 2, offset: "20", proportion: 1 }];
  const amendment = { kind: "liquidityProvisionAmendment", payload: { ...payload, buys } } as const;
  expect(rig.deliver("q", amendment).text).toBe("");
  expect(parkedOf("q")).toEqual([]);
});

test("first orders of a provision in continuous trading are paid for one by one, up to the initial margin", () => {
  const play = around1000().deposit(100_000n, "q").run("q B 10@950");
  expect(play.margin("q")).toBe(1_320n);
  // Its own order supplies all that it owes on that side.
  play.run("lp q(800, 0.1, BID-10, ASK+10)");
  expect(play.deployed("q")).toEqual(["sell 1@1110"]);
  expect(play.levels("q")).toBe("1100/1210/1320/1540");
  play.deposit(100_000n, "r").run("r B 20@850");
  expect(play.margin("r")).toBe(2_640n);
  // A further unit is bought: the margin is above the search level still.
  play.run("lp r(17800, 0.1, BID-10, ASK+10)");
  expect([play.levels("r"), play.margin("r")]).toEqual(["2310/2541/2772/3234", 2_772n]);
});

test("a first order that cannot be paid for ends its whole provision", () => {
  const play = around1000().deposit(1_300n, "q").run("q B 1@950");
  const before = [play.margin("q"), play.general("q"), play.bond("q")];
  expect(before).toEqual([132n, 1_168n, 0n]);
  // The bond leaves 168: enough for the first of its orders.
  play.run("lp q(1000, 0.1, MID-999 BID-10, ASK+10)");
  expect(play.last.text).toBe("margin check failed");
  const orders = play.rig
    .events("order")
    .filter(({ payload }) => payload.partyId === "q" && payload.liquidityProvisionId && payload.size > 0n);
  const quotes = orders.map(({ payload: { side, size, price, status } }) => [side, size, price, status]);
  expect(quotes).toEqual([
    [1, 1n, "26", 1],
    [1, 1n, "940", 6],
    [1, 1n, "26", 3],
    [2, 1n, "1110", 6],
  ]);
  expect([play.margin("q"), play.general("q"), play.bond("q")]).toEqual(before);
});
