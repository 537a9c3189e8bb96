// Updates of markets by proposals: data sources, fees and risk models
// (docs/protocol/70-trading-markets.md#16-data-sources-oracles and #17-market-update). Notation of statements and
// results: rig.ts.
import { expect, test } from "bun:test";
import { createMarketRig, idOf, type MarketRig, Play, type RigMarket } from "./rig.ts";
import { around1000, M3, market } from "./sample-markets.ts";

const [ACTIVE, DEACTIVATED] = [1, 2];
const [TERMINATED, SETTLED] = [8, 9];

const CONFIG: RigMarket = {
  asset: "ETH",
  simple: { long: 0.1, short: 0.1 },
  targetStake: { scaling: 0.1 },
  linearSlippage: "0",
  quadraticSlippage: "0",
};

const OTHER = idOf("other");

/** A market that trades at 1000, with a cheap small provider and a dear large one. */
function opened(): MarketRig {
  const rig = createMarketRig();
  rig.createMarket("M", CONFIG);
  const play = new Play(rig, "M").deposit(1_000_000n, "few", "many", "a", "b");
  play.run(`lp few(100, 0.001, BID-10, ASK+10); lp many(10000, 0.005, BID-10, ASK+10)`);
  play.run(`a B 1@900; b S 1@1100; a B 2@1000; b S 2@1000`).open();
  rig.nextBlock();
  return rig;
}

/** Sources in the order in which they were shown: the price's or the end's, with their status. */
const sources = (rig: MarketRig, from = 0): string[] =>
  rig
    .events("oracleSpec")
    .slice(from)
    .map(({ payload }) => {
      const { data, status } = payload.externalDataSourceSpec.spec;
      const { name } = data.external.oracle.filters[0].key;
      return `${name === "prices.settlement" ? "price" : "end"} ${status}`;
    });

const state = (rig: MarketRig) => rig.shownMarket("M")!.state;

// docs/protocol/70-trading-markets.md#17-market-update
test("a market update drops old data sources before it adds new ones, termination first", () => {
  const rig = opened();
  const seen = rig.events("oracleSpec").length;
  rig.updateMarket("M", { ...CONFIG, oracle: OTHER });
  expect(sources(rig, seen)).toEqual([
    ...[`end ${DEACTIVATED}`, `price ${DEACTIVATED}`],
    ...[`price ${ACTIVE}`, `end ${ACTIVE}`],
  ]);
});

// docs/protocol/70-trading-markets.md#17-market-update
test("an update after the end of trading emits a new termination source that nothing listens to", () => {
  const rig = opened();
  rig.terminate();
  const seen = rig.events("oracleSpec").length;
  rig.updateMarket("M", { ...CONFIG, oracle: OTHER });
  expect(sources(rig, seen)).toEqual([
    ...[`price ${DEACTIVATED}`, `price ${ACTIVE}`],
    ...[`end ${ACTIVE}`, `end ${DEACTIVATED}`],
  ]);
  expect(rig.terminate(OTHER).text).toBe("there are no subscribes to the oracle data");
  expect([rig.settle(1_000, OTHER).text, state(rig)]).toEqual(["", SETTLED]);
});

// docs/protocol/70-trading-markets.md#16-data-sources-oracles
test.each([OTHER, undefined])(
  "a settlement price received before a market update settles nothing",
  (oracle) => {
    const rig = opened();
    rig.settle(900);
    rig.updateMarket("M", { ...CONFIG, code: "NEXT", ...(oracle && { oracle }) });
    rig.terminate(oracle);
    expect(state(rig)).toBe(TERMINATED);
    rig.settle(1_100, oracle);
    expect(state(rig)).toBe(SETTLED);
    expect(rig.events("settleMarket").map(({ payload }) => payload.price)).toEqual(["1100"]);
  },
);

// docs/protocol/70-trading-markets.md#17-market-update and docs/protocol/70-trading-liquidity.md#76-liquidity-fee-factor
test("the liquidity fee follows an updated target stake from the next trade on", () => {
  const rig = opened();
  const fee = () => rig.shownMarket("M")!.fees!.factors!.liquidityFee;
  expect(fee()).toBe("0.001");
  rig.updateMarket("M", { ...CONFIG, targetStake: { scaling: 10 } });
  expect(fee()).toBe("0.005");
  new Play(rig, "M").run("a S 1@1000; b B 1@1000");
  expect(rig.trades("M").at(-1)!.buyerFee!.liquidityFee).toBe("5");
});

test("a changed risk model recomputes margins of an opening auction by its indicative price", () => {
  const play = market(M3);
  play.deposit(1_000_000n, "aux", "aux2", "p1").run("aux B 1@1000; aux2 S 1@1000; p1 B 10@900");
  expect(play.levels("p1")).toBe("990/1089/1188/1386");
  play.rig.updateMarket("M", { ...M3, asset: "ETH", simple: { long: 0.2, short: 0.1 } });
  play.rig.nextBlock();
  expect(play.levels("p1")).toBe("1800/1980/2160/2520");
  expect(play.margin("p1")).toBe(2160n);
});

test("a changed risk model with the same factors recomputes margins as well", () => {
  const play = around1000({ simple: { long: 0.1, short: 0.1, up: 10, down: -10 } });
  play.run("p1 B 5@1000; p2 S 5@1000; p2 B 5@990 =near; aux B 5@950; /");
  expect(play.levels("p1").split("/")[0]).toBe("550");
  play.run("cancel near");
  const config = { ...M3, linearSlippage: "1", quadraticSlippage: "0", asset: "ETH" };
  play.rig.updateMarket("M", { ...config, simple: { long: 0.1, short: 0.1, up: 20, down: -10 } });
  play.rig.nextBlock();
  // 50 below the mark price, and a tenth of it, for each.
  expect(play.levels("p1").split("/")[0]).toBe("750");
});
