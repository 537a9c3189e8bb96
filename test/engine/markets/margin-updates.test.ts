// Updates of margins: their order, rechecks, and the events of winners
// (docs/protocol/70-trading-positions.md#5-positions-margin-closeout and #6-mark-price-mark-to-market-settlement).
// Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import {
  FLAT,
  feeFactors,
  flows,
  M4,
  market,
  money,
  move,
  showLevels,
  socialised,
  states,
  trading,
} from "./sample-markets.ts";

// docs/protocol/70-trading-positions.md#54-when-margin-moves
test("a margin recheck moves the money there is, but none if margin and general account cannot cover the shortfall", () => {
  const changed = (short: number) => {
    const play = trading(FLAT, { rich: "b" }).deposit(1_300n, "p");
    play.run("p S 10@1000; b B 10@1000; /");
    expect(money(play, "p")).toBe("1200 100 0");
    play.rig.updateMarket("M", { asset: "ETH", ...FLAT, simple: { long: 0.1, short } });
    showLevels(play);
    return play;
  };
  // 1300 are left, and the margin lacks 1301 or 1300: the next price closes both out, not the next mark at the same one.
  const short = changed(0.25001);
  expect([short.levels("p"), money(short, "p")]).toEqual(["2501/2751/3001/3501", "1200 100 0"]);
  move(short.run("b S 10@1000"), 1000);
  expect([money(short, "p"), short.pnl("p")]).toEqual(["1200 100 0", "-10/0/0"]);
  move(short, 999);
  expect([money(short, "p"), short.pnl("p"), short.insurance()]).toEqual(["0 0 0", "0/0/-1300", 1_300n]);
  const near = changed(0.25);
  expect([near.levels("p"), money(near, "p")]).toEqual(["2500/2750/3000/3500", "1300 0 0"]);
  move(near.run("b S 10@1000"), 999);
  expect([money(near, "p"), near.pnl("p")]).toEqual(["0 0 0", "0/0/-1300"]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties and #62-mtm-run
test("margins of losers are updated before those of winners, and close-outs follow that order", () => {
  const config = { ...M4, linearSlippage: "0.5", quadraticSlippage: "0" };
  const play = trading(config, { rich: "sp bp s w" }).deposit(1_200n, "p").deposit(480n, "q");
  play.run("bp B 100@999 =b; sp S 100@1001 =s; s S 10@1000; p B 10@1000; w B 4@1000; q S 4@1000; /");
  move(play.run("cancel b; cancel s; bp B 6@950"), 1001);
  expect(play.trades().slice(-3)).toEqual(["bp-network 6@950", "q-network 4@950", "network-p 10@950"]);
  const closed = play.rig.events("settleDistressed").map(({ payload }) => payload.partyId);
  expect([closed, flows(play, 8)]).toEqual([
    ["q", "p"],
    ["q> 476", "p> 1210"],
  ]);
});

// docs/protocol/70-trading-positions.md#63-loss-socialisation
test("every winner has a loss socialisation event, even the last one with a loss of 0", () => {
  const play = trading(FLAT, { rich: "a" }).deposit(120n, "p");
  play.run("p S 1@1000; a B 1@1000; /");
  move(play, 1121);
  expect(flows(play, 5).slice(-2)).toEqual([">aux 120", ">a 121"]);
  expect(socialised(play).slice(0, 3)).toEqual(["p 1", "aux -1", "a 0"]);
});

// docs/protocol/70-trading-positions.md#54-when-margin-moves
test("margin levels of a party without orders or position become 0 at the next mark", () => {
  const play = trading(FLAT, { rich: "p" }).run("p S 1@1100 =o; cancel o");
  expect([play.levels("p"), money(play, "p")]).toEqual(["100/110/120/140", "0 100000000 0"]);
  expect(move(play, 1000).levels("p")).toBe("0/0/0/0");
});

// docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order
test("margins of parties that left are released by order of arrival, or by id in a block with a mark", () => {
  const closeOuts = (frequency: string) => {
    const parameters = { "network.markPriceUpdateMaximumFrequency": frequency };
    const play = trading(FLAT, { rich: "z m c" }, { parameters });
    play.run("z S 1@1100 GTT+2; c S 2@1100 GTT+2; m S 3@1100 GTT+2; / 3");
    return flows(play, 7).slice(-3);
  };
  expect(closeOuts("1h")).toEqual(["z>z 120", "c>c 240", "m>m 360"]);
  expect(closeOuts("0s")).toEqual(["c>c 240", "m>m 360", "z>z 120"]);
});

// docs/protocol/70-trading-markets.md#17-market-update and docs/protocol/70-trading-positions.md#53-margin-levels
test("a changed risk model recomputes margins of an uncrossed opening auction at the orders' own prices", () => {
  const play = market(FLAT).deposit(1_000n, "p").run("p S 10@500");
  expect([play.levels("p"), money(play, "p")]).toEqual(["500/550/600/700", "600 400 0"]);
  play.rig.updateMarket("M", { asset: "ETH", ...FLAT, simple: { long: 0.1, short: 0.15 } });
  showLevels(play);
  expect([play.levels("p"), money(play, "p")]).toEqual(["750/825/900/1050", "900 100 0"]);
  // Less is not given back before the auction ends.
  play.rig.updateMarket("M", { asset: "ETH", ...FLAT, simple: { long: 0.1, short: 0.05 } });
  showLevels(play);
  expect([play.levels("p"), money(play, "p")]).toEqual(["250/275/300/350", "900 100 0"]);
  play.rig.updateMarket("M", { asset: "ETH", ...FLAT, simple: { long: 0.1, short: 0.25 } });
  showLevels(play);
  expect([play.levels("p"), money(play, "p")]).toEqual(["1250/1375/1500/1750", "1000 0 0"]);
});

// docs/protocol/70-trading-orders.md#25-submission-step-by-step and #29-expiry
test("margin of an expired order is released at the block's end, or by an order that passed its margin check", () => {
  const play = trading(FLAT).deposit(1_200n, "p");
  play.run("p S 10@1100 GTT+1; /");
  expect(play.run("p S 11@1100").last.text).toBe("margin check failed");
  expect(play.run("p S 1 IOC reduce").last.code).not.toBe(0);
  expect(money(play, "p")).toBe("1200 0 0");
  // The party that has had its margin, and did not trade, is updated.
  expect(money(play.run("p S 1@1100 IOC"), "p")).toBe("0 1200 0");
});

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("an amendment that cannot pay its fees leaves the order as it was, but keeps the margin moved for it", () => {
  const parameters = { ...feeFactors("0.1", "0.05") };
  const play = trading(FLAT, { rich: "m" }, { parameters }).deposit(1_000n, "t");
  play.run("m S 30@1000; t B 5@999 =o");
  expect(money(play, "t")).toBe("600 400 0");
  expect(play.run("amend o +3 @1000").last.text).toBe("could not apply fees for order");
  expect([money(play, "t"), play.levels("t"), ...states(play, "o")]).toEqual([
    "960 40 0",
    "800/880/960/1120",
    "1 5 999",
  ]);
  expect(play.queue("buy")).toContain("t 5@999");
  // The next mark measures the order alone.
  expect(money(move(play, 1000), "t")).toBe("600 400 0");
});
