/** Markets of a test's rig: what may be said of one, and the proposal that it stands for. */
import { sha3HexOf } from "../crypto/sha.ts";
import type { Init } from "../wire/codec.ts";
import { ConditionOperator, type Signer } from "../wire/generated/data.ts";
import type { NewMarketConfiguration, UpdateMarketConfiguration } from "../wire/generated/vega.ts";

export const SETTLEMENT_PROPERTY = "prices.settlement";
export const TERMINATION_PROPERTY = "trading.terminated";
export const RIG_ORACLE = sha3HexOf(new TextEncoder().encode("oracle"));

/** Hash of a name: how the rig makes ids. */
export const idOf = (name: string): string =>
  /^[0-9a-f]{64}$/.test(name) ? name : sha3HexOf(new TextEncoder().encode(name));

export interface RigTrigger {
  /** Seconds. */
  readonly horizon: number;
  readonly probability: number;
  readonly extension: number;
}

/**
 * A market's configuration; what is left out has the values of the protocol's scenarios
 * (docs/protocol/70-trading-scenarios.md#10-scenarios).
 */
export interface RigMarket {
  readonly asset: string;
  /** Instrument's code, which an update can change; the market's name unless it is given. */
  readonly code?: string;
  readonly decimals?: number;
  readonly positionDecimals?: number;
  readonly simple?: {
    readonly long: number;
    readonly short: number;
    readonly up?: number;
    readonly down?: number;
    readonly probability?: number;
  };
  readonly logNormal?: {
    readonly lambda: number;
    readonly tau: number;
    readonly mu?: number;
    readonly r?: number;
    readonly sigma: number;
  };
  readonly linearSlippage?: string;
  readonly quadraticSlippage?: string;
  readonly lpPriceRange?: string;
  readonly triggers?: readonly RigTrigger[];
  readonly targetStake?: { readonly windowSeconds?: number; readonly scaling?: number };
  readonly triggeringRatio?: string;
  readonly liquidityExtension?: number;
  /** Seconds of the opening auction. */
  readonly openingSeconds?: number;
  /** Decimals of the settlement data. */
  readonly settlementDecimals?: number;
  /** Unix seconds from which on the chain's own time ends the market's trading; the oracle does unless they are given. */
  readonly terminationSeconds?: bigint;
  /** Key whose data ends and settles the market. */
  readonly oracle?: string;
  /** Last word on the proposal's changes: for conditions of data, absent parts and other rare things. */
  readonly adjust?: (changes: Init<NewMarketConfiguration>) => Init<NewMarketConfiguration>;
  /** The settlement price is of the Open Oracle instead: property `prices.SYMBOL.value`, signed by an Ethereum address. */
  readonly openOracle?: { readonly address: string; readonly symbol: string };
}

/** A configuration as a proposal states it. @param name of the market, for people */
export function configurationOf(
  config: RigMarket,
  asset: string,
  name: string,
): Init<NewMarketConfiguration> {
  const { openOracle } = config;
  const key = { pubKey: { key: config.oracle ?? RIG_ORACLE } };
  const priceSigner = openOracle === undefined ? key : { ethAddress: { address: openOracle.address } };
  const priceProperty = openOracle === undefined ? SETTLEMENT_PROPERTY : `prices.${openOracle.symbol}.value`;
  const source = (signer: Init<Signer>, name: string, type: number, decimals?: number) => ({
    external: {
      oracle: {
        signers: [signer],
        filters: [
          {
            key: {
              name,
              type,
              numberDecimalPlaces: decimals === undefined ? undefined : BigInt(decimals),
            },
            conditions: [],
          },
        ],
      },
    },
  });
  const { simple, logNormal, terminationSeconds, adjust = (changes) => changes } = config;
  return adjust({
    instrument: {
      name,
      code: config.code ?? name,
      future: {
        settlementAsset: asset,
        quoteName: config.asset,
        dataSourceSpecForSettlementData: source(
          priceSigner,
          priceProperty,
          2,
          config.settlementDecimals ?? 0,
        ),
        dataSourceSpecForTradingTermination:
          terminationSeconds === undefined ? source(key, TERMINATION_PROPERTY, 4) : from(terminationSeconds),
        dataSourceSpecBinding: {
          settlementDataProperty: priceProperty,
          tradingTerminationProperty:
            terminationSeconds === undefined ? TERMINATION_PROPERTY : "vegaprotocol.builtin.timestamp",
        },
      },
    },
    decimalPlaces: BigInt(config.decimals ?? 0),
    positionDecimalPlaces: BigInt(config.positionDecimals ?? 0),
    metadata: [],
    priceMonitoringParameters: {
      triggers: (config.triggers ?? []).map(({ horizon, probability, extension }) => ({
        horizon: BigInt(horizon),
        probability: String(probability),
        auctionExtension: BigInt(extension),
      })),
    },
    liquidityMonitoringParameters: {
      targetStakeParameters: {
        timeWindow: BigInt(config.targetStake?.windowSeconds ?? 3_600),
        scalingFactor: config.targetStake?.scaling ?? 10,
      },
      triggeringRatio: config.triggeringRatio ?? "0",
      auctionExtension: BigInt(config.liquidityExtension ?? 1),
    },
    simple: simple && {
      factorLong: simple.long,
      factorShort: simple.short,
      maxMoveUp: simple.up ?? 1_000_000,
      minMoveDown: simple.down ?? -1_000_000,
      probabilityOfTrading: simple.probability ?? 0.1,
    },
    logNormal: logNormal && {
      riskAversionParameter: logNormal.lambda,
      tau: logNormal.tau,
      params: { mu: logNormal.mu ?? 0, r: logNormal.r ?? 0, sigma: logNormal.sigma },
    },
    lpPriceRange: config.lpPriceRange ?? "1",
    linearSlippageFactor: config.linearSlippage ?? "1000000",
    quadraticSlippageFactor: config.quadraticSlippage ?? "1000000",
  });
}

/** The chain's time, from a second on. */
const from = (seconds: bigint) => ({
  internal: {
    time: {
      conditions: [{ operator: ConditionOperator.OPERATOR_GREATER_THAN_OR_EQUAL, value: seconds.toString() }],
    },
  },
});

/** The same as a proposal to change a market states it: what cannot be changed is left out. */
export function updateOf(config: RigMarket, asset: string, name: string): Init<UpdateMarketConfiguration> {
  const { instrument, decimalPlaces, positionDecimalPlaces, ...changes } = configurationOf(
    config,
    asset,
    name,
  );
  const { settlementAsset, ...future } = instrument!.future!;
  return { ...changes, instrument: { code: instrument!.code!, future } };
}
