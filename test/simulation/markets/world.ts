// Worlds of the markets' comparison: a market, its parties and its network parameters, by a seed.

import type { RigTrigger } from "../../../src/testing/market-config.ts";
import type { MarketRigOptions, RigMarket } from "../../../src/testing/market-rig.ts";
import { Decimal } from "./decimal.ts";
import type { Dice } from "./dice.ts";
import { logNormalFactors } from "./risk.ts";
import type { Terms } from "./state.ts";

const SECOND = 1_000_000_000n;

export interface WorldMarket {
  readonly name: string;
  readonly asset: string;
  readonly config: Omit<RigMarket, "asset">;
  readonly insurance: bigint;
  readonly terms: (startNs: bigint) => Terms;
  /** The market as it would be with another configuration. */
  readonly updated: (config: Omit<RigMarket, "asset">) => {
    readonly config: RigMarket;
    readonly terms: (startNs: bigint) => Terms;
  };
}

export interface World {
  readonly markets: readonly WorldMarket[];
  readonly options: MarketRigOptions;
  readonly deposits: readonly { readonly party: string; readonly asset: string; readonly amount: bigint }[];
  readonly pegsMax: number;
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

/** Names of markets in the order of their creation. */
export const MARKETS = ["M", "N", "O"];

/** @param marketsMax how many markets there are; some of them may have another asset */
export function worldOf(dice: Dice, marketsMax: number): World {
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
  const assets: Record<string, { readonly decimals: number }> = { ETH: { decimals: dice.below(3) } };
  if (marketsMax > 1 && dice.isOne(3)) assets.DAI = { decimals: dice.below(3) };
  const names = Object.keys(assets);
  const unitOf = (asset: string) => 10n ** BigInt(assets[asset]!.decimals);
  const deposits = names.flatMap((asset) => {
    const deposit = (party: string, whole: number) => ({
      party,
      asset,
      amount: BigInt(whole) * unitOf(asset),
    });
    return [
      ...MAKERS.map((party) => deposit(party, 1_000_000_000)),
      ...PARTIES.map((party) => deposit(party, dice.one([500, 2_000, 5_000, 20_000, 1_000_000]))),
      ...PROVIDERS.map((party) => deposit(party, dice.one([3_000, 30_000, 10_000_000]))),
    ];
  });
  const markets = MARKETS.slice(0, marketsMax).map((name, at) => {
    const asset = at === 0 ? "ETH" : dice.one(names);
    const config = { ...configOf(dice), oracle: `oracle ${name}` };
    const insurance = BigInt(dice.one([0, 0, 200, 5_000])) * unitOf(asset);
    const terms = (startNs: bigint) => termsOf(config, parameters, unitOf(asset), startNs);
    const updated = (changes: Omit<RigMarket, "asset">) => {
      const { positionDecimals, openingSeconds } = config;
      const whole = { ...changes, asset, positionDecimals, openingSeconds } as RigMarket;
      return {
        config: whole,
        terms: (startNs: bigint) => termsOf(whole, parameters, unitOf(asset), startNs),
      };
    };
    return { name, asset, config, insurance, terms, updated };
  });
  const pegsMax = dice.one([1_500, 1_500, 2]);
  return {
    markets,
    deposits,
    pegsMax,
    options: {
      assets,
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
        "limits.markets.maxPeggedOrders": `${pegsMax}`,
      },
      keepsEvents: true,
    },
  };
}

/** A configuration by chance. */
export function configOf(dice: Dice): Omit<RigMarket, "asset"> {
  return {
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
}

function termsOf(
  market: Omit<RigMarket, "asset">,
  parameters: Parameters,
  unit: bigint,
  startNs: bigint,
): Terms {
  const { logNormal, simple } = market;
  const [long, short] = logNormal
    ? logNormalFactors(logNormal.lambda, logNormal.tau, 0, logNormal.sigma)
    : [simple!.long, simple!.short];
  return {
    oracle: market.oracle!,
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
