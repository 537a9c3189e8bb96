// Terms of markets: data sources of a proposal, and network parameters for what it leaves out
// (docs/protocol/70-trading-markets.md#12-fields-proto, #16-data-sources-oracles and #17-market-update). Notation of
// statements and results: rig.ts.
import { expect, test } from "bun:test";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { createMarketRig, Play, type RigMarket } from "./rig.ts";
import { BOUND, bounds, eventsFrom, LIGHT, MILLIONS, opened, quoted } from "./sample-markets.ts";

type Changes = Parameters<NonNullable<RigMarket["adjust"]>>[0];

/** A market, the specifications of whose data are changed. */
const withFuture = (more: (future: NonNullable<NonNullable<Changes["instrument"]>["future"]>) => object) =>
  opened({
    adjust: (changes) => {
      const future = changes.instrument!.future!;
      return { ...changes, instrument: { ...changes.instrument, future: { ...future, ...more(future) } } };
    },
  });

test("a settlement price counts only if it meets all conditions", () => {
  const play = withFuture(({ dataSourceSpecForSettlementData: source }) => {
    const { signers, filters } = source!.external!.oracle!;
    const conditions = [
      { operator: 2, value: "100" },
      { operator: 5, value: "120" },
    ];
    const oracle = { signers, filters: [{ ...filters![0], conditions }] };
    return { dataSourceSpecForSettlementData: { external: { oracle } } };
  });
  const state = () => play.rig.marketData("M").marketState;
  play.rig.terminate();
  for (const price of [100, 121]) expect(play.rig.settle(price).code).not.toBe(0);
  expect(state()).toBe(8);
  expect(play.rig.settle(120).code).toBe(0);
  expect(state()).toBe(9);
  expect(play.general("p1")).toBe(MILLIONS + 20n);
});

test("data must have every property that a filter asks for, and may have others", () => {
  const play = withFuture(({ dataSourceSpecForTradingTermination: source }) => {
    const { signers, filters } = source!.external!.oracle!;
    const why = { key: { name: "why", type: 3 }, conditions: [{ operator: 1, value: "end" }] };
    return {
      dataSourceSpecForTradingTermination: { external: { oracle: { signers, filters: [...filters!, why] } } },
    };
  });
  const say = (more: object) => play.rig.oracleData({ "trading.terminated": "true", ...more }).code;
  expect(say({})).not.toBe(0);
  expect(say({ why: "none" })).not.toBe(0);
  expect(play.rig.marketData("M").marketState).toBe(5);
  expect(say({ why: "end", more: "1" })).toBe(0);
  expect(play.rig.marketData("M").marketState).toBe(8);
});

test("a single oracle message can end trading and settle", () => {
  const play = opened();
  play.rig.oracleData({ "trading.terminated": "true", "prices.settlement": "90" });
  expect(play.rig.marketData("M").marketState).toBe(9);
  expect(play.general("p1")).toBe(MILLIONS - 10n);
});

test("network parameters fill in the target stake and price triggers that a proposal leaves out", () => {
  const stake = quoted(
    { openingSeconds: 50, adjust: (changes) => ({ ...changes, liquidityMonitoringParameters: undefined }) },
    {
      parameters: {
        "market.stake.target.scalingFactor": "7",
        "market.liquidity.targetstake.triggering.ratio": "0.5",
      },
    },
  );
  // 1 at 100, a tenth of it, seven times.
  expect(stake.rig.marketData("M").targetStake).toBe("70");
  expect(stake.rig.shownMarket("M")!.liquidityMonitoringParameters).toMatchObject({
    triggeringRatio: "0.5",
    targetStakeParameters: { scalingFactor: 7, timeWindow: 3_600n },
  });
  const triggers = [{ horizon: 60, probability: "0.95", auction_extension: 5 }];
  const bound = opened(
    { ...BOUND, adjust: (changes) => ({ ...changes, priceMonitoringParameters: undefined }) },
    { parameters: { "market.monitor.price.defaultParameters": JSON.stringify({ triggers }) } },
  );
  expect(bounds(bound)).toEqual(["60 90-110 100"]);
});

test("a market update changes the code, but neither name, decimals nor state", () => {
  const play = opened();
  const change = { ...LIGHT, code: "NEW", positionDecimals: 3, decimals: 1 };
  play.rig.updateMarket("M", { asset: "ETH", ...change });
  expect(play.rig.shownMarket("M")).toMatchObject({
    decimalPlaces: 0n,
    positionDecimalPlaces: 0n,
    tradableInstrument: { instrument: { code: "NEW", name: "M" } },
    state: 5,
    tradingMode: 1,
  });
});

test("a declined market drops its data sources, then its provisions, and returns their money", () => {
  const rig = createMarketRig();
  rig.proposeMarket("P", { asset: "ETH", ...LIGHT });
  const play = new Play(rig, "P").deposit(1_000n, "lp").run("lp lp(1000, 0, BID-10, ASK+10)");
  const seen = rig.events().length;
  rig.decide("P", false);
  const events = eventsFrom(
    play,
    seen,
    "oracleSpec",
    "liquidityProvision",
    "ledgerMovements",
    "marketUpdated",
  );
  expect(events.map(({ member }) => member)).toEqual([
    ...["oracleSpec", "oracleSpec", "liquidityProvision"],
    ...["ledgerMovements", "marketUpdated"],
  ]);
  const [first] = events.map(({ payload }) => payload.externalDataSourceSpec?.spec);
  expect(first.data.external.oracle.filters[0].key.name).toBe("trading.terminated");
  expect(play.general("lp")).toBe(1_000n);
});

test("a market terminated before it opens drops its termination source, then orders, then provisions with their orders", () => {
  const play = quoted();
  const seen = play.rig.events().length;
  play.rig.terminate();
  const events = eventsFrom(play, seen, "oracleSpec", "order", "liquidityProvision", "marketUpdated");
  expect(events.map(({ member }) => member)).toEqual([
    ...["oracleSpec", "order", "order", "order", "order"],
    ...["oracleSpec", "marketUpdated", "order", "order", "liquidityProvision"],
  ]);
});

test("equal definitions are one data source, dropped with the last market that listens to it", () => {
  const rig = createMarketRig();
  rig.createMarket("M", { asset: "ETH", ...LIGHT });
  rig.proposeMarket("P", { asset: "ETH", ...LIGHT });
  const statuses = () =>
    rig.events("oracleSpec").map(({ payload }) => payload.externalDataSourceSpec.spec.status);
  expect(statuses()).toEqual([1, 1]);
  rig.decide("P", false);
  expect(statuses()).toEqual([1, 1]);
  rig.terminate();
  expect(statuses()).toEqual([1, 1, 2, 2]);
});

test.each(["internal", "external"])(
  "the chain's time ends trading as an %s source, without any signer",
  (kind) => {
    const name = "vegaprotocol.builtin.timestamp";
    const at = createMarketRig().nowNs / SECOND_NS + 5n;
    const play = withFuture(
      ({ dataSourceSpecForTradingTermination: source, dataSourceSpecBinding: binding }) => {
        const first = { operator: 3, value: at.toString() };
        const { signers } = source!.external!.oracle!;
        const filters = [{ key: { name, type: 6 }, conditions: [first] }];
        // Of the conditions of an internal source the first one counts.
        const time = { conditions: [first, { operator: 3, value: (at + 1_000n).toString() }] };
        return {
          dataSourceSpecForTradingTermination:
            kind === "internal" ? { internal: { time } } : { external: { oracle: { signers, filters } } },
          dataSourceSpecBinding: { ...binding, tradingTerminationProperty: name },
        };
      },
    );
    while (play.rig.nowNs / SECOND_NS < at - 1n) play.run("/");
    expect(play.rig.marketData("M").marketState).toBe(5);
    play.run("/");
    // The mode is that of the auctions, which know nothing of the end.
    expect(play.rig.marketData("M")).toMatchObject({ marketState: 8, marketTradingMode: 1 });
    expect(play.rig.shownMarket("M")).toMatchObject({ state: 8, tradingMode: 5 });
  },
);

test("an opening auction without a duration does not end", () => {
  const play = quoted({ openingSeconds: 0 }).run("/ 5");
  play.rig.nextBlock(100_000);
  expect(play.rig.marketData("M")).toMatchObject({
    marketTradingMode: 3,
    marketState: 3,
    indicativeVolume: 1n,
  });
});
