// Decimals of assets, prices, positions and settlement data (docs/protocol/70-trading-positions.md#65-final-settlement,
// docs/protocol/70-trading-events.md#95-how-position-rows-are-computed and
// docs/protocol/70-trading-scenarios.md#11-arithmetic-rules;
// docs/protocol/70-trading-scenarios.md#s8-mtm-position-decimals-3, #s9-same-with-frequency-5-s and #s25-decimals).
// Notation of statements and results: rig.ts.
import { describe, expect, test } from "bun:test";
import { createMarketRig, Play } from "./rig.ts";
import {
  amounts,
  entries,
  FLAT,
  LIQUIDITY_DISTRIBUTE,
  LIQUIDITY_PAY,
  LN,
  ledger,
  M3,
  MILLIONS,
  market,
  move,
  trading,
  VOID,
} from "./sample-markets.ts";

// docs/protocol/70-trading-scenarios.md#s25-decimals
describe("decimals of assets, markets and positions", () => {
  test("position decimals leave margin levels as they are", () => {
    const play = market({ ...M3, positionDecimals: 2 })
      .deposit(MILLIONS, "a", "b", "void", "p1")
      .run(VOID);
    play.run("a B 10@100; b S 10@10000; a B 1@1000; b S 1@1000").open();
    play.run("p1 S 100@1000");
    expect(play.levels("p1")).toBe("100/110/120/140");
  });
  test.each([
    { decimals: 3, positionDecimals: 3, size: 10, price: 1000 },
    { decimals: 5, positionDecimals: 5, size: 1000, price: 100_000 },
  ])(
    "$decimals market decimals and as many position decimals give the same margins",
    ({ decimals, positionDecimals, size, price }) => {
      const rig = createMarketRig({ assets: { ETH: { decimals: 5 } } });
      rig.createMarket("M", { asset: "ETH", ...LN, decimals, positionDecimals, targetStake: { scaling: 1 } });
      const play = new Play(rig, "M").deposit(MILLIONS, "p1", "p2");
      rig.order("p1", "M", "buy", size, price);
      rig.order("p2", "M", "sell", size, price);
      expect([play.margin("p1"), play.margin("p2")]).toEqual([961n, 4268n]);
      expect(rig.marketData("M").targetStake).toBe("3556");
    },
  );
  test("negative position decimals", () => {
    const rig = createMarketRig({ assets: { ETH: { decimals: 5 } } });
    rig.createMarket("M", {
      asset: "ETH",
      ...LN,
      decimals: 2,
      positionDecimals: -2,
      lpPriceRange: "0.000001",
      targetStake: { scaling: 1 },
    });
    const play = new Play(rig, "M").deposit(MILLIONS * MILLIONS, "p0", "p1", "p2");
    play
      .run(
        "lp p0(40000000, 0.001, MID-1, MID+1); p1 B 5@8; p1 B 1@9; p1 B 10@10; p2 S 10@10; p2 S 1@10; p2 S 5@11",
      )
      .open();
    const data = rig.marketData("M");
    expect([data.bestStaticBidPrice, data.bestStaticOfferPrice]).toEqual(["9", "10"]);
    const internal = rig.liveOrders("p0", "M").map(({ price, remaining }) => `${remaining}@${price}`);
    // The middle is 9500: a sell a tick above it is shown at 10, and 39 are those of 10500.
    expect(internal).toEqual(["45@9000", "39@10500"]);
    expect(play.deployed("p0")).toEqual(["buy 45@9", "sell 39@10"]);
    expect(rig.book("M", "sell")[0]).toEqual({ price: 10n, volume: 40n });
    expect(rig.book("M", "buy")[0]).toEqual({ price: 9n, volume: 46n });
    expect(data.targetStake).toBe("35569000");
  });
});

/** Losses and wins of marks. */
const MARKS = [4, 5];

// docs/protocol/70-trading-scenarios.md#s8-mtm-position-decimals-3 and #s9-same-with-frequency-5-s
describe("position decimals of minus three", () => {
  const opened = (frequency: string) => {
    const play = market(
      { ...M3, positionDecimals: -3 },
      {
        parameters: { "network.markPriceUpdateMaximumFrequency": frequency },
      },
    ).deposit(MILLIONS, "aux", "aux2", "lp");
    play.deposit(10_000_000n, "p1", "p2", "p3");
    play
      .run("lp lp(10000000, 0.001, BID-1, ASK+1); aux B 1@49; aux S 1@5001; aux2 B 1@1000; aux S 1@1000")
      .open();
    expect(play.deployed("lp")).toEqual(["buy 209@48", "sell 2@5002"]);
    return play;
  };
  test("mark to market at each block", () => {
    const play = opened("0s");
    play.run("p1 S 1@1000; /; p2 B 1@1000; /");
    expect(amounts(play, LIQUIDITY_PAY)).toEqual([1000n]);
    expect([play.margin("p1"), play.general("p1")]).toEqual([4921200n, 5078800n]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([1273200n, 8725800n]);
    play.run("p1 S 1@2000; /");
    expect([play.margin("p1"), play.general("p1")]).toEqual([5041200n, 4958800n]);
    const place = entries(play);
    play.run("p3 B 1@2000; /");
    expect(ledger(play, place, ...MARKS)).toEqual([
      "aux M>S 1000000",
      "p1 M>S 1000000",
      "S>aux2 M 1000000",
      "S>p2 M 1000000",
    ]);
    expect([play.margin("p1"), play.general("p1")]).toEqual([7682400n, 1317600n]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([2605200n, 8393800n]);
    expect([play.margin("p3"), play.general("p3")]).toEqual([2605200n, 7392800n]);
  });
  test.each(["", "; /"])("mark to market every five seconds, with orders separated by %p", (boundary) => {
    const play = opened("5s");
    play.run(`p1 S 1@1000${boundary}; p2 B 1@1000${boundary}`);
    expect([play.margin("p1"), play.general("p1")]).toEqual([120000n, 9880000n]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([132000n, 9867000n]);
    play.run(`p1 S 1@2000${boundary}`);
    expect([play.margin("p1"), play.general("p1")]).toEqual([5041200n, 4958800n]);
    play.run(`p3 B 1@2000${boundary}`);
    expect(play.mark()).toBe(1000n);
    expect([play.margin("p3"), play.general("p3")]).toEqual([132000n, 9866000n]);
    expect([play.margin("p1"), play.general("p1")]).toEqual([5041200n, 4958800n]);
    play.run("/ 6");
    const paid = boundary === "" ? [3000] : [1000, 2000];
    expect(ledger(play, 0, LIQUIDITY_DISTRIBUTE)).toEqual(paid.map((fee) => `FL>lp G ${fee}`));
    expect([play.margin("p1"), play.general("p1")]).toEqual([7682400n, 1317600n]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([2605200n, 8393800n]);
    expect([play.margin("p3"), play.general("p3")]).toEqual([2605200n, 7392800n]);
  });
});

// docs/protocol/70-trading-positions.md#65-final-settlement
test.each([
  [3, 98_765n, 123_500n],
  [8, 9_876_543_219n, 123_457n],
  [0, 98n, 200_000n],
])(
  "settlement data of %d decimals settles a market of two decimals on an asset of five",
  (settlementDecimals, data, loss) => {
    const opening = { bid: 5000, ask: 20000, mark: 10000, funds: 10n ** 12n };
    const options = { assets: { ETH: { decimals: 5 } } };
    const play = trading({ ...FLAT, decimals: 2, settlementDecimals }, opening, options);
    play.deposit(2_000_000n, "p", "q").run("p B 1@10000; q S 1@10000; /");
    play.rig.terminate();
    play.rig.settle(data);
    expect([play.general("p"), play.general("q")]).toEqual([2_000_000n - loss, 2_000_000n + loss]);
  },
);

// docs/protocol/70-trading-positions.md#65-final-settlement
test("five position decimals from trade to settlement: money is truncated, reported profit is rounded", () => {
  const config = { ...FLAT, positionDecimals: 5, settlementDecimals: 1 };
  const play = trading(config, { funds: 10n ** 12n }, { assets: { ETH: { decimals: 5 } } });
  play.deposit(MILLIONS, "p", "q").run("q S 12345@1003; p B 12345@1003; /");
  expect(move(play, 1010).pnl("p")).toBe("12345/86415/0");
  play.rig.terminate();
  play.rig.settle(10_205);
  // 86415 and 129622.5
  expect([play.general("p") - MILLIONS, play.general("q") - MILLIONS]).toEqual([216_037n, -216_037n]);
  expect([play.pnl("p"), play.pnl("q")]).toEqual(["0/0/216038", "0/0/-216038"]);
});

// docs/protocol/70-trading-events.md#95-how-position-rows-are-computed
test("reported profit and loss of a market whose decimals differ from the asset's", () => {
  const play = trading(
    { ...FLAT, positionDecimals: 1 },
    { rich: "p q" },
    { assets: { ETH: { decimals: 1 } } },
  );
  const step = (line: string) => play.run(line).pnl("p");
  expect(step("q S 50@1000; p B 50@1000; /; q B 5@1005; p S 5@1005; /")).toBe("45/225/25");
  expect(step("q B 5@995; p S 5@995; /")).toBe("40/-200/0");
  expect(step("q B 60@1009; p S 60@1009; /")).toBe("-20/0/360");
  expect(step("q B 10@1000; p S 10@1000; /")).toBe("-30/180/360");
  const whole = trading(FLAT, { rich: "p q" }, { assets: { ETH: { decimals: 1 } } });
  whole.run("q S 50@1000; p B 50@1000; /; q B 5@1005; p S 5@1005");
  // 1005 of the market against 10000 of the asset, until the next mark.
  expect(whole.pnl("p")).toBe("45/-404775/-44975");
  expect(whole.run("/").pnl("p")).toBe("45/2250/250");
});
