// Figures at the edges of the arithmetic rules (docs/protocol/70-trading-positions.md#63-loss-socialisation,
// docs/protocol/70-trading-liquidity.md#77-distribution, #78-equity-like-share-and-market-value-proxy,
// #81-price-monitoring and docs/protocol/70-trading-scenarios.md#11-arithmetic-rules), each worked out by hand.
// Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import { liquidityScores } from "../../../src/engine/markets/scores.ts";
import { createMarketRig, idOf, Play } from "./rig.ts";
import { M2, M3, market, socialised } from "./sample-markets.ts";

const PROVIDED = {
  ...M3,
  linearSlippage: "1",
  quadraticSlippage: "0",
  targetStake: { scaling: 0.001 },
};
const WIDE = "aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000";

test("virtual stakes stay within bounds after many windows and smaller commitments", () => {
  const parameters = { "market.value.windowLength": "60s" };
  const play = market(PROVIDED, { parameters, keepsEvents: false });
  play.deposit(100_000_000n, "aux", "aux2", "lp", "p1", "p2");
  play.run(`${WIDE}; lp lp(5003, 0, BID-1, ASK+1)`);
  play.rig.nextBlock(1, 3);
  const amended = (commitmentAmount: string) => {
    const payload = { marketId: idOf("M"), commitmentAmount, fee: "0" };
    return play.rig.deliver("lp", { kind: "liquidityProvisionAmendment", payload }).code;
  };
  for (let round = 0; round < 140; round++) {
    play.run(`p1 B ${1 + (round % 7)}@1000; p2 S ${1 + (round % 7)}@1000`);
    expect([amended("5000"), amended("5003")]).toEqual([0, 0]);
    play.rig.nextBlock(61);
  }
  const [share] = play.rig.market("M").parts.equity.list();
  expect(share!.virtualStake.length).toBeLessThan(100);
  expect(play.rig.faults).toEqual([]);
});

test("a share rounded up promises more than losers paid: the last winner gets what is left", () => {
  const play = market({ ...M2, linearSlippage: "0", quadraticSlippage: "0" });
  const size = 10n ** 18n;
  play.deposit(10n ** 30n, "sp", "bp", "a1", "a2", "p2");
  play.deposit(700_000_000_000_012_345n, "p1").deposit(1_000n, "p4");
  play.run("lp sp(1, 0, BID-1, ASK+1); sp S 1000@120; bp B 1000@80; a1 S 1@120; a2 B 1@80");
  play.run("a1 S 1@100; a2 B 1@100").open();
  play.run(`p1 S ${size}@100; p2 B ${size}@100; sp S 3@100; p4 B 3@100; /; sp B 1@118; bp S 1@118; /`);
  // 700000000000012417 of 18000000000000000072, p1's money and 18 and 54 of a1 and sp, is a ratio of 0.0388888888888896 (and
  // not 0.03888888888888957…): of 18, 18·10^18 and 54 it makes 0, 700000000000012800 and 2, which is 385 too much; they go to the last one's event, up to
  // what was due to it.
  expect(socialised(play)).toEqual([
    "p1 17299999999999987655",
    "a2 -18",
    `p2 -${18n * size - 700_000_000_000_012_800n}`,
    "p4 0",
  ]);
  expect([play.margin("p2") + play.general("p2") - 10n ** 30n, play.general("p4")]).toEqual([
    700_000_000_000_012_417n,
    1_000n,
  ]);
});

test("the lowest valid price is emitted in market precision, one tick higher if rounded", () => {
  const rig = createMarketRig({ assets: { ETH: { decimals: 1 } } });
  const simple = { long: 0.1, short: 0.1, up: 10.5, down: -10.5 };
  const triggers = [{ horizon: 60, probability: 0.95, extension: 5 }];
  rig.createMarket("M", { asset: "ETH", ...PROVIDED, simple, triggers });
  const play = new Play(rig, "M").deposit(100_000_000n, "aux", "aux2", "lp");
  play.run("aux B 1@90; aux2 S 1@110; aux B 1@100; aux2 S 1@100; lp lp(50000, 0, BID-1, ASK+1)").open();
  // Internally 989.5 to 1010.5 of 1000, so that 990 to 1010 are valid.
  expect(rig.market("M").parts.prices.allowed()).toEqual({ min: 990n, max: 1_010n });
  const [bounds] = rig.marketData("M").priceMonitoringBounds;
  expect(bounds).toMatchObject({ minValidPrice: "100", maxValidPrice: "101", referencePrice: "100" });
});

test("the probability table of bids ends with 0 at a price of 0", () => {
  const logNormal = { lambda: 0.1, tau: 1, sigma: 5 };
  const parameters = { "market.liquidity.providers.fee.distributionTimeStep": "100h" };
  const play = market({ ...PROVIDED, logNormal }, { parameters });
  play.deposit(100_000_000n, "aux", "aux2", "near", "far");
  play.run("aux B 1@1001; aux2 S 1@1100; aux B 1@1050; aux2 S 1@1050");
  play.run("lp near(50000, 0, BID-1, ASK+1); lp far(50000, 0, BID-1000, ASK+1)").open();
  expect(play.deployed("far")).toContain("buy 50000@1");
  const scores = play.rig.marketData("M").liquidityProviderFeeShare.map(({ averageScore }) => averageScore);
  // The bid at 1 is 999,000 millionths of the best one away, on the grid: 0.43686899, half of 0.87373797; the other provider's ask,
  // 909 millionths away, is worth 0.47685981.
  expect(scores).toEqual(["0.466501736", "0.533498264"]);
});

test("a provider that goes and comes back again and again leaves one score behind", () => {
  const play = market({ ...PROVIDED, targetStake: { scaling: 0.00001 } });
  play.deposit(100_000_000n, "aux", "aux2", "stays", "goes");
  play.run(`${WIDE}; lp stays(50000, 0, BID-1, ASK+1); lp goes(50000, 0, BID-2, ASK+2)`).open();
  play.rig.nextBlock(1, 2);
  for (let round = 0; round < 4; round++) {
    expect(play.rig.cancelProvision("goes", "M").code).toBe(0);
    play.run("lp goes(50000, 0, BID-2, ASK+2)");
  }
  const { leftScores } = play.rig.market("M").context.status;
  expect(leftScores!.map(({ party }) => party)).toEqual(["goes"]);
});

test("probabilities of trading stay those of the scaling for which they were worked out until the next time", () => {
  const parameters = { "network.floatingPointUpdates.delay": "10s" };
  const logNormal = { lambda: 0.001, tau: 0.01, sigma: 1.2 };
  const play = market({ ...PROVIDED, ...{ logNormal, targetStake: { scaling: 0.00001 } } }, { parameters });
  play.deposit(100_000_000n, "aux", "aux2", "near", "far");
  play.run(`${WIDE}; lp near(50000, 0, BID-1, ASK+1); lp far(50000, 0, BID-20, ASK+20)`).open();
  const scores = () =>
    [...liquidityScores(play.rig.market("M").parts)].map(([party, score]) => `${party} ${score}`);
  const before = scores();
  play.rig.setParameter("market.liquidity.probabilityOfTrading.tau.scaling", "3");
  play.rig.nextBlock(1, 5);
  expect(scores()).toEqual(before);
  play.rig.nextBlock(11);
  expect(scores()).not.toEqual(before);
});
