// A market in the state (docs/protocol/70-trading-scenarios.md#124-state-of-a-market, "Snapshot/restart"). Plain
// values: decimals and prices that may be fractions are texts, amounts and internal prices are bigints. Orders have a
// file of their own (stored-order.ts).
import {
  AuctionTrigger,
  type Market,
  MarketTradingMode,
  type TradableInstrument,
} from "../../wire/generated/vega.ts";

/** The terms of a proposal; changed by an update, or by network parameters. */
export type MarketDefinition = Pick<
  Market,
  | "tradableInstrument"
  | "decimalPlaces"
  | "positionDecimalPlaces"
  | "openingAuction"
  | "priceMonitoringSettings"
  | "liquidityMonitoringParameters"
  | "lpPriceRange"
  | "linearSlippageFactor"
  | "quadraticSlippageFactor"
>;

export interface MarketRecord {
  readonly id: string;
  /** Order of creation. */
  readonly sequence: number;
  readonly proposer: string;
  readonly definition: MarketDefinition;
  /** Fee factors: decimals. */
  readonly makerFee: string;
  readonly infrastructureFee: string;
  readonly liquidityFee: string;
  /** vega.Market.State */
  readonly state: number;
  /** Times in Unix nanoseconds; 0 where there is none. */
  readonly proposedAt: bigint;
  readonly pendingAt: bigint;
  readonly openAt: bigint;
  /** Risk factors: decimals. */
  readonly riskLong: string;
  readonly riskShort: string;
  /** Slippage factors that margins go by where they are not the definition's (rules.ts, keepsSlippage). */
  readonly slippage?: Pick<MarketDefinition, "linearSlippageFactor" | "quadraticSlippageFactor">;
  /** Settlement data that has come, in asset precision; -1 without any. */
  readonly settlementPrice: bigint;
}

export interface Auction {
  /** vega.Market.TradingMode; unchanged when trading ends. */
  readonly mode: number;
  /** vega.AuctionTrigger, twice. */
  readonly trigger: number;
  readonly extension: number;
  /** Unix nanoseconds; an auction without a time limit ends at its begin. */
  readonly beginNs: bigint;
  readonly endNs: bigint;
  /** False before the opening auction begins and while trading is continuous; trading that ends in an auction leaves it running. */
  readonly isRunning: boolean;
  /** Its orders are being uncrossed: margins are those of continuous trading already. */
  readonly isLeaving: boolean;
  /** An extension was announced; not announced again before the auction is left. */
  readonly isExtended: boolean;
}

/** Static prices that pegged orders follow, as they were last seen; 0 where there is none. */
export interface References {
  readonly bid: bigint;
  readonly ask: bigint;
  readonly midBuy: bigint;
  readonly midSell: bigint;
}

const NO_REFERENCES: References = { bid: 0n, ask: 0n, midBuy: 0n, midSell: 0n };

/** Steps of a market's life that no command of a party asks for. */
export type MarketStep = "tick" | "block end" | "oracle data" | "parameter" | "vote";

/** A market that a fault of this program has stopped: nothing is done on it until an update of it is enacted. */
export interface HaltedMarket {
  readonly market: string;
  /** The block, and the step that was taken back. */
  readonly height: number;
  readonly step: MarketStep;
  /** vega.Market.State, with which it goes on. */
  readonly state: number;
}

/** The part of a market that changes with trading. */
export interface MarketStatus {
  readonly auction: Auction;
  /** Internal prices; 0 before there is one. */
  readonly mark: bigint;
  readonly lastTraded: bigint;
  /** Mark price of the last run of mark to market. */
  readonly settledMark: bigint;
  /** Unix nanoseconds. */
  readonly nextMarkNs: bigint;
  /** Time between two marks when the next one was set, nanoseconds. */
  readonly markFrequencyNs: bigint;
  /** Auctions that were left so far. */
  readonly batch: bigint;
  readonly references: References;
  /** Rules by which the orders of provisions were last planned. */
  readonly plannedBy: string;
  /** Indication that a market which has ended in an auction goes on to show. */
  readonly lastIndication?: Indicated;
  /** When orders of provisions last left the book and came back, those among them that stayed as they were, Unix nanoseconds. */
  readonly deployedNs?: bigint;
  /** Best static prices when the probabilities of trading were last worked out; 0 before. */
  readonly scoredBid: bigint;
  readonly scoredAsk: bigint;
  /** Risk model of that time, where an update has changed it since. */
  readonly scoredModel?: Pick<TradableInstrument, "logNormalRiskModel" | "simpleRiskModel"> | undefined;
  /** Factor of tau at that time: a decimal; a stored state of earlier versions has none. */
  readonly scoredScaling?: string;
  /** Ticks since the last distribution that have had liquidity scores; a stored state of earlier versions has none. */
  readonly scoredTicks?: number;
  /** Liquidity scores of providers that have left since the last tick; a stored state of earlier versions has none. */
  readonly leftScores?: readonly Pick<EquityShare, "party" | "score" | "scores">[];
  /** When liquidity fees were last distributed, Unix nanoseconds; 0 before: the first tick of the opening auction is due. */
  readonly distributedNs: bigint;
  /** Open interest: sum of long positions. */
  readonly openInterest: bigint;
  /** Value of all trades since the market began, floored order by order. */
  readonly tradedValue: bigint;
  /** The market's worth at its last update before the first window; absent in states of earlier versions. */
  readonly worth?: bigint;
}

/** Indication of an auction; the price is internal. */
interface Indicated {
  readonly price: bigint;
  readonly volume: bigint;
}

/** Of a market whose opening auction has not begun. */
export function statusBeforeOpening(beginNs: bigint, endNs: bigint, markFrequencyNs: bigint): MarketStatus {
  return {
    auction: {
      mode: MarketTradingMode.TRADING_MODE_OPENING_AUCTION,
      trigger: AuctionTrigger.AUCTION_TRIGGER_OPENING,
      extension: AuctionTrigger.AUCTION_TRIGGER_UNSPECIFIED,
      beginNs,
      endNs,
      isRunning: false,
      isLeaving: false,
      isExtended: false,
    },
    mark: 0n,
    lastTraded: 0n,
    settledMark: 0n,
    nextMarkNs: 0n,
    markFrequencyNs,
    batch: 0n,
    references: NO_REFERENCES,
    plannedBy: "",
    scoredBid: 0n,
    scoredAsk: 0n,
    scoredTicks: 0,
    distributedNs: 0n,
    openInterest: 0n,
    tradedValue: 0n,
  };
}

export interface Position {
  readonly market: string;
  readonly party: string;
  /** Order of the first appearance among the market's positions. */
  readonly sequence: number;
  readonly size: bigint;
  /** Remaining volume of live orders, and the sum of internal price times remaining. */
  readonly buy: bigint;
  readonly sell: bigint;
  readonly buySum: bigint;
  readonly sellSum: bigint;
  /** Size at the last run of mark to market. */
  readonly settled: bigint;
  /** A run of mark to market has seen it. */
  readonly isSettled: boolean;
  readonly isDistressed: boolean;
}

/** A trade's part that mark to market has not settled yet. */
export interface UnsettledTrade {
  readonly market: string;
  readonly party: string;
  /** Signed. */
  readonly size: bigint;
  readonly price: bigint;
  /** In market precision. */
  readonly marketPrice: bigint;
}

/** Facts of a party beside its position and orders. A party with accounts and no record is listed. */
export interface Member {
  /**
   * Not listed: the end of the market does not clear its accounts (docs/protocol/70-trading-positions.md#54-when-margin-moves
   * and #65-final-settlement).
   */
  readonly isForgotten: boolean;
  /** Its last position was dropped after mark to market had seen it (docs/protocol/70-trading-positions.md#62-mtm-run). */
  readonly isSettled: boolean;
  /** Order in which parties were listed before the market opened, else 0. */
  readonly sequence: number;
}

export interface ShapeEntry {
  readonly orderId: string;
  /** vega.PeggedReference. */
  readonly reference: number;
  readonly proportion: number;
  /** In market precision. */
  readonly offset: bigint;
}

export interface Provision {
  readonly market: string;
  readonly party: string;
  readonly id: string;
  readonly createdAt: bigint;
  readonly updatedAt: bigint;
  readonly commitment: bigint;
  readonly fee: string;
  readonly buys: readonly ShapeEntry[];
  readonly sells: readonly ShapeEntry[];
  readonly version: bigint;
  /** vega.LiquidityProvision.Status */
  readonly status: number;
  readonly reference: string;
  /** Order in which provisions came; a stored state of earlier versions has none. */
  readonly sequence?: number;
  /** Its first orders were never placed: bond money cannot be slashed yet. */
  readonly isPending: boolean;
}

/** A provider's part of the market (docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy): decimals. */
export interface EquityShare {
  readonly market: string;
  readonly party: string;
  readonly stake: string;
  readonly virtualStake: string;
  readonly average: string;
  /** Published part of the virtual stake: of the last time when all providers were active. */
  readonly share: string;
  /** Average of liquidity scores since the last distribution, and the number of its last one. */
  readonly score: string;
  readonly scores: number;
}

/** Growth of a market's trade, window after window (docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy). */
export interface ValueWindow {
  readonly startNs: bigint;
  /** Traded value in the running window. */
  readonly traded: bigint;
  /** Windows that have ended, and their mean traded value; the opening's trades before the first one has ended. */
  readonly windows: number;
  readonly average: string;
  /** The market's worth as the last tick or change of stakes has found it; there is none at the opening. */
  readonly value?: bigint;
}

export interface TriggerState {
  readonly isActive: boolean;
  /** Factors of the reference price: decimals. */
  readonly down: string;
  readonly up: string;
}

/** Price monitoring (docs/protocol/70-trading-liquidity.md#81-price-monitoring). */
export interface PriceMonitorState {
  readonly isInitialised: boolean;
  readonly nowNs: bigint;
  /** Prices of the running block: the first, Σ price × volume, and Σ volume. */
  readonly first: bigint;
  readonly sum: bigint;
  readonly volume: bigint;
  readonly triggers: readonly TriggerState[];
  /** When the factors are next worked out. */
  readonly refreshNs: bigint;
}

/** A volume-weighted price of a block. */
export interface PastPrice {
  readonly market: string;
  readonly timeNs: bigint;
  readonly price: string;
}

/** Open interest and when it was reached; entries that a later one exceeds are dropped. */
export interface InterestRecord {
  readonly market: string;
  readonly timeNs: bigint;
  readonly interest: bigint;
}

/**
 * A party's fees in a market in the running epoch
 * (docs/protocol/70-trading-orders.md#45-activity-tracking-for-rewards), in asset units.
 */
export interface Activity extends ActivityFees {
  readonly market: string;
  readonly party: string;
}

export interface ActivityFees {
  readonly makerPaid: bigint;
  readonly makerReceived: bigint;
  readonly liquidityReceived: bigint;
}

export const NO_FEES: ActivityFees = { makerPaid: 0n, makerReceived: 0n, liquidityReceived: 0n };

/** A market as rewards look at it. */
export interface RewardedMarket extends Pick<MarketRecord, "id" | "sequence" | "proposer"> {
  readonly asset: string;
  /** Value of all trades since the market began. */
  readonly tradedValue: bigint;
}

/** All that rewards go by of a market in the running epoch. */
export interface TrackedMarket {
  readonly market: RewardedMarket;
  readonly isOver: boolean;
  readonly activities: readonly Activity[];
  /** By what its proposer's bonus was paid: asset, funder and scope. */
  readonly paid: readonly string[];
}

/** As a checkpoint has it. */
export interface RestoredMarket extends Pick<TrackedMarket, "activities" | "paid"> {
  readonly market: Omit<RewardedMarket, "sequence">;
}
