// Worlds of the markets' comparison: a market, its parties and its network parameters, by a seed.

import type { RigTrigger } from "../../../src/testing/market-config.ts";
import type { MarketRigOptions, RigMarket } from "../../../src/testing/market-rig.ts";
import { Decimal } from "./decimal.ts";
import type { Dice } from "./dice.ts";
import { logNormalFactors } from "./risk.ts";
import type { Terms } from "./state.ts";

const SECOND = 1_000_000_000n;

export interface World {
  readonly market: Omit<RigMarket, "asset">;
  readonly options: MarketRigOptions;
  readonly deposits: ReadonlyMap<string, bigint>;
  readonly insurance: bigint;
}

interface Parameters {
  readonly maker: string;
  readonly infrastructure: string;
  readonly penalty: string;
  readonly frequencySeconds: number;
  readonly distributionSeconds: number;
  readonly tauScaling: string;
  readonly minimumOdds: string;
  readonly windowSeconds: number;
  readonly refreshSeconds: number;
}

export const PARTIES = ["ann", "bob", "cid", "dan", "eve", "fay"];
export const PROVIDERS = ["lea", "lou", "lia"];
export const MAKERS = ["max", "meg"];

const TRIGGERS: readonly RigTrigger[][] = [
  [],
  [],
  [{ horizon: 5, probability: 0.99, extension: 3 }],
  [
    { horizon: 60, probability: 0.95, extension: 2 },
    { horizon: 600, probability: 0.99, extension: 4 },
  ],
  [
    { horizon: 600, probability: 0.95, extension: 5 },
    { horizon: 10, probability: 0.999, extension: 1 },
  ],
];

export function worldOf(dice: Dice): { readonly world: World; readonly terms: (startNs: bigint) => Terms } {
  const decimals = dice.below(3);
  const market: Omit<RigMarket, "asset"> = {
    ...dice.one([
      { simple: { long: 0.11, short: 0.1, up: 12, down: -11 } },
      { simple: { long: 0.2, short: 0.1, up: 30, down: -30 } },
      { logNormal: { lambda: 0.001, tau: 0.0001, sigma: 1.5 } },
      { logNormal: { lambda: 1e-6, tau: 0.01, sigma: 1 } },
    ]),
    decimals: 0,
    positionDecimals: dice.one([0, 0, 0, 1, 2, -1]),
    linearSlippage: dice.one(["0", "0.01", "0.1", "1", "1000000"]),
    quadraticSlippage: dice.one(["0", "0", "0.001", "1000000"]),
    lpPriceRange: dice.one(["0.1", "0.5", "1"]),
    triggers: dice.one(TRIGGERS),
    targetStake: { windowSeconds: dice.one([3_600, 6]), scaling: dice.one([0.01, 1]) },
    triggeringRatio: dice.one(["0", "0", "0.5"]),
    openingSeconds: 1 + dice.below(3),
  };
  const parameters: Parameters = {
    maker: dice.one(["0", "0.0003", "0.005"]),
    infrastructure: dice.one(["0", "0.0005", "0.002"]),
    penalty: dice.one(["0", "0.5", "1"]),
    frequencySeconds: dice.one([0, 0, 0, 3]),
    distributionSeconds: dice.one([0, 3, 20, 1_000_000]),
    tauScaling: dice.one(["1", "1", "10"]),
    minimumOdds: dice.one(["1e-8", "0.01"]),
    windowSeconds: dice.one([60, 60, 604_800]),
    refreshSeconds: dice.one([10, 300]),
  };
  const unit = 10n ** BigInt(decimals);
  const deposits = new Map<string, bigint>();
  for (const party of MAKERS) deposits.set(party, 1_000_000_000n * unit);
  for (const party of PARTIES)
    deposits.set(party, BigInt(dice.one([500, 2_000, 5_000, 20_000, 1_000_000])) * unit);
  for (const party of PROVIDERS) deposits.set(party, BigInt(dice.one([3_000, 30_000, 10_000_000])) * unit);
  const world: World = {
    market,
    options: {
      assets: { ETH: { decimals } },
      parameters: {
        "market.fee.factors.makerFee": parameters.maker,
        "market.fee.factors.infrastructureFee": parameters.infrastructure,
        "market.liquidity.bondPenaltyParameter": parameters.penalty,
        "network.markPriceUpdateMaximumFrequency": `${parameters.frequencySeconds}s`,
        "market.liquidity.providers.fee.distributionTimeStep": `${parameters.distributionSeconds}s`,
        "market.liquidity.probabilityOfTrading.tau.scaling": parameters.tauScaling,
        "market.liquidity.minimum.probabilityOfTrading.lpOrders": parameters.minimumOdds,
        "market.value.windowLength": `${parameters.windowSeconds}s`,
        "network.floatingPointUpdates.delay": `${parameters.refreshSeconds}s`,
      },
      keepsEvents: true,
    },
    deposits,
    insurance: dice.one([0n, 0n, 200n, 5_000n]) * unit,
  };
  return { world, terms: (startNs) => termsOf(world, parameters, unit, startNs) };
}

function termsOf({ market }: World, parameters: Parameters, unit: bigint, startNs: bigint): Terms {
  const { logNormal, simple } = market;
  const [long, short] = logNormal
    ? logNormalFactors(logNormal.lambda, logNormal.tau, 0, logNormal.sigma)
    : [simple!.long, simple!.short];
  return {
    startNs,
    openingNs: BigInt(market.openingSeconds ?? 1) * SECOND,
    priceFactor: unit,
    sizeFactor: Decimal.of(`1e${market.positionDecimals ?? 0}`),
    long: Decimal.of(long),
    short: Decimal.of(short),
    logNormal: logNormal && { mu: 0, sigma: logNormal.sigma, tau: logNormal.tau },
    simple: simple && { up: simple.up!, down: simple.down!, probability: 0.1 },
    linear: Decimal.of(market.linearSlippage!),
    quadratic: Decimal.of(market.quadraticSlippage!),
    maker: Decimal.of(parameters.maker),
    infrastructure: Decimal.of(parameters.infrastructure),
    scaling: [110_000n, 120_000n, 140_000n],
    markFrequencyNs: BigInt(parameters.frequencySeconds) * SECOND,
    auctionMinimumNs: SECOND,
    triggers: market.triggers!.map(({ horizon, probability, extension }) => ({
      horizonNs: BigInt(horizon) * SECOND,
      probability,
      extensionNs: BigInt(extension) * SECOND,
    })),
    stakeWindowNs: BigInt(market.targetStake!.windowSeconds!) * SECOND,
    stakeScaling: Decimal.of(market.targetStake!.scaling!).times(Decimal.of(100_000n)).trunc(),
    triggeringRatio: Decimal.of(market.triggeringRatio!),
    liquidityExtensionNs: SECOND,
    bondPenalty: Decimal.of(parameters.penalty),
    lpRange: Decimal.of(market.lpPriceRange!),
    distributionNs: BigInt(parameters.distributionSeconds) * SECOND,
    quantum: 1n,
    tauScaling: Number(parameters.tauScaling),
    minimumOdds: Decimal.of(parameters.minimumOdds),
    valueWindowNs: BigInt(parameters.windowSeconds) * SECOND,
    refreshNs: BigInt(parameters.refreshSeconds) * SECOND,
  };
}
