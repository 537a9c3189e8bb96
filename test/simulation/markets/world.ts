// Worlds of the markets' comparison: a market, its parties and its network parameters, by a seed.

import type { RigTrigger } from "../../../src/testing/market-config.ts";
import type { MarketRigOptions, RigMarket } from "../../../src/testing/market-rig.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { Decimal } from "./decimal.ts";
import type { Dice } from "./dice.ts";
import type { Terms } from "./model.ts";
import { logNormalFactors } from "./risk.ts";

interface WorldMarket {
  readonly name: string;
  readonly asset: string;
  readonly config: Omit<RigMarket, "asset">;
  readonly insurance: bigint;
  /** Terms of a configuration, by the parameters of this moment. */
  readonly terms: (config: Omit<RigMarket, "asset">, startNs: bigint) => Terms;
  /** A configuration with what cannot be changed. */
  readonly updated: (changes: Omit<RigMarket, "asset">) => RigMarket;
}

export interface World {
  readonly markets: readonly WorldMarket[];
  readonly options: MarketRigOptions;
  readonly deposits: readonly { readonly party: string; readonly asset: string; readonly amount: bigint }[];
  /** They change in the middle of a sequence. */
  readonly parameters: Parameters;
}

/** Network parameters, and what they may be. */
const PARAMETERS = {
  "market.fee.factors.makerFee": ["0", "0.0003", "0.005"],
  "market.fee.factors.infrastructureFee": ["0", "0.0005", "0.002"],
  "market.margin.scalingFactors": [scaling(1.1, 1.2, 1.4), scaling(1.1, 1.2, 1.4), scaling(1.5, 2, 3)],
  "market.auction.minimumDuration": ["1s", "1s", "3s"],
  "market.liquidity.bondPenaltyParameter": ["0", "0.5", "1"],
  "market.liquidity.stakeToCcyVolume": ["1", "1", "0.7"],
  "market.liquidity.maximumLiquidityFeeFactorLevel": ["1", "1", "1", "0.02"],
  "market.liquidityProvision.shapes.maxSize": ["5", "5", "5", "1"],
  "market.liquidityProvision.minLpStakeQuantumMultiple": ["1", "1", "1000.5"],
  "market.liquidity.providers.fee.distributionTimeStep": ["0s", "3s", "20s", "1000000s"],
  "market.liquidity.probabilityOfTrading.tau.scaling": ["1", "1", "10"],
  "market.liquidity.minimum.probabilityOfTrading.lpOrders": ["1e-8", "0.01", "1e-12"],
  "market.value.windowLength": ["60s", "60s", "604800s"],
  "network.markPriceUpdateMaximumFrequency": ["0s", "0s", "0s", "3s"],
  "network.floatingPointUpdates.delay": ["10s", "300s"],
  "limits.markets.maxPeggedOrders": ["1500", "1500", "2"],
} as const;
type Key = keyof typeof PARAMETERS;
export type Parameters = Record<Key, string>;
/** Those that change while markets trade: all but the time between refreshes, of which the protocol does not say when it begins. */
const CHANGING = (Object.keys(PARAMETERS) as Key[]).filter(
  (key) => key !== "network.floatingPointUpdates.delay",
);

function scaling(search_level: number, initial_margin: number, collateral_release: number): string {
  return JSON.stringify({ search_level, initial_margin, collateral_release });
}

/** Another value of a parameter. */
export function changeOf(dice: Dice): { readonly key: Key; readonly value: string } {
  const key = dice.one(CHANGING);
  return { key, value: dice.one<string>(PARAMETERS[key]) };
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
  const parameters = Object.fromEntries(
    Object.entries(PARAMETERS).map(([key, values]) => [
      key,
      // With limits of provisions fewer markets would open.
      key.startsWith("market.liquidityProvision.") ? values[0] : dice.one<string>(values),
    ]),
  ) as Parameters;
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
    const { positionDecimals, openingSeconds } = config;
    const whole = (changes: Omit<RigMarket, "asset">) =>
      ({ ...changes, asset, positionDecimals, openingSeconds }) as RigMarket;
    const terms = (of: Omit<RigMarket, "asset">, startNs: bigint) =>
      termsOf(of, parameters, unitOf(asset), startNs);
    return { name, asset, config, insurance, terms, updated: whole };
  });
  return {
    markets,
    deposits,
    parameters,
    options: { assets, parameters: { ...parameters }, keepsEvents: true },
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
  const seconds = (key: Key) => BigInt(parameters[key].slice(0, -1)) * SECOND_NS;
  const factors = JSON.parse(parameters["market.margin.scalingFactors"]);
  return {
    oracle: market.oracle!,
    startNs,
    openingNs: BigInt(market.openingSeconds ?? 1) * SECOND_NS,
    priceFactor: unit,
    sizeFactor: Decimal.of(`1e${market.positionDecimals ?? 0}`),
    long: Decimal.of(long),
    short: Decimal.of(short),
    logNormal: logNormal && { mu: 0, sigma: logNormal.sigma, tau: logNormal.tau },
    simple: simple && { up: simple.up!, down: simple.down!, probability: 0.1 },
    linear: Decimal.of(market.linearSlippage!),
    quadratic: Decimal.of(market.quadraticSlippage!),
    maker: Decimal.of(parameters["market.fee.factors.makerFee"]),
    infrastructure: Decimal.of(parameters["market.fee.factors.infrastructureFee"]),
    scaling: [factors.search_level, factors.initial_margin, factors.collateral_release].map((factor) =>
      Decimal.of(factor).times(Decimal.of(100_000n)).trunc(),
    ) as [bigint, bigint, bigint],
    stakeToVolume: Decimal.of(parameters["market.liquidity.stakeToCcyVolume"]),
    markFrequencyNs: seconds("network.markPriceUpdateMaximumFrequency"),
    auctionMinimumNs: seconds("market.auction.minimumDuration"),
    triggers: market.triggers!.map(({ horizon, probability, extension }) => ({
      horizonNs: BigInt(horizon) * SECOND_NS,
      probability,
      extensionNs: BigInt(extension) * SECOND_NS,
    })),
    stakeWindowNs: BigInt(market.targetStake!.windowSeconds!) * SECOND_NS,
    stakeScaling: Decimal.of(market.targetStake!.scaling!).times(Decimal.of(100_000n)).trunc(),
    triggeringRatio: Decimal.of(market.triggeringRatio!),
    liquidityExtensionNs: SECOND_NS,
    bondPenalty: Decimal.of(parameters["market.liquidity.bondPenaltyParameter"]),
    lpRange: Decimal.of(market.lpPriceRange!),
    distributionNs: seconds("market.liquidity.providers.fee.distributionTimeStep"),
    stakeLeast: Decimal.of(parameters["market.liquidityProvision.minLpStakeQuantumMultiple"]),
    feeMost: Decimal.of(parameters["market.liquidity.maximumLiquidityFeeFactorLevel"]),
    shapeMost: Number(parameters["market.liquidityProvision.shapes.maxSize"]),
    tauScaling: Number(parameters["market.liquidity.probabilityOfTrading.tau.scaling"]),
    minimumOdds: Decimal.of(parameters["market.liquidity.minimum.probabilityOfTrading.lpOrders"]),
    valueWindowNs: seconds("market.value.windowLength"),
    refreshNs: seconds("network.floatingPointUpdates.delay"),
  };
}
