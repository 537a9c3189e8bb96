// The vocabulary of the naive market (docs/protocol/70-*.md): codes, orders, positions, provisions and terms.
import type { Accounts } from "./accounts.ts";
import type { Decimal } from "./decimal.ts";

export const BUY = 1;
export const SELL = 2;
export type Side = 1 | 2;
export const NETWORK = "network";

export const Tif = { gtc: 1, gtt: 2, ioc: 3, fok: 4, gfa: 5, gfn: 6 } as const;
export const OrderType = { limit: 1, market: 2, network: 3 } as const;
export const Status = {
  active: 1,
  expired: 2,
  cancelled: 3,
  stopped: 4,
  filled: 5,
  rejected: 6,
  partial: 7,
  parked: 8,
} as const;
export const State = {
  pending: 3,
  cancelled: 4,
  active: 5,
  suspended: 6,
  terminated: 8,
  settled: 9,
} as const;
export const Trigger = { none: 0, opening: 2, price: 3, stake: 5, orders: 6 } as const;
export const Peg = { mid: 1, bid: 2, ask: 3 } as const;
export const Provided = {
  active: 1,
  stopped: 2,
  cancelled: 3,
  rejected: 4,
  undeployed: 5,
  pending: 6,
} as const;
export const Move = {
  loss: 1,
  win: 2,
  mtmLoss: 4,
  mtmWin: 5,
  marginLow: 6,
  marginHigh: 7,
  confiscated: 8,
  makerPay: 9,
  makerReceive: 10,
  infrastructure: 11,
  liquidityPay: 13,
  liquidityShare: 14,
  bondLow: 15,
  bondHigh: 16,
  slash: 20,
  clear: 24,
} as const;

export interface Order {
  readonly id: string;
  readonly party: string;
  readonly side: Side;
  /** Internal. */
  price: bigint;
  size: bigint;
  remaining: bigint;
  tif: number;
  readonly type: number;
  status: number;
  reason: number;
  readonly createdNs: bigint;
  expiresNs: bigint;
  version: bigint;
  batch: bigint;
  peg: { readonly reference: number; readonly offset: bigint } | undefined;
  /** Id of its provision; empty for others. */
  readonly provision: string;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
}

export interface Position {
  readonly party: string;
  size: bigint;
  buy: bigint;
  sell: bigint;
  buySum: bigint;
  sellSum: bigint;
}

/** A trade that is not marked to market yet. */
export interface Unsettled {
  readonly party: string;
  readonly size: bigint;
  readonly price: bigint;
  readonly shown: bigint;
}

export interface ShapeEntry {
  readonly id: string;
  readonly reference: number;
  readonly offset: bigint;
  readonly proportion: bigint;
}

export interface Provision {
  readonly id: string;
  readonly party: string;
  readonly createdNs: bigint;
  commitment: bigint;
  fee: Decimal;
  buys: readonly ShapeEntry[];
  sells: readonly ShapeEntry[];
  version: bigint;
  status: number;
  reference: string;
  /** Its first orders are still to be deployed. */
  isNew: boolean;
}

export interface TriggerTerms {
  readonly horizonNs: bigint;
  readonly probability: number;
  readonly extensionNs: bigint;
}

export interface Terms {
  /** Key whose data ends and settles the market. */
  readonly oracle: string;
  readonly startNs: bigint;
  readonly openingNs: bigint;
  readonly priceFactor: bigint;
  readonly sizeFactor: Decimal;
  readonly long: Decimal;
  readonly short: Decimal;
  /** Of a log-normal model; the simple one has moves and a constant. */
  readonly logNormal: { readonly mu: number; readonly sigma: number; readonly tau: number } | undefined;
  readonly simple: { readonly up: number; readonly down: number; readonly probability: number } | undefined;
  readonly linear: Decimal;
  readonly quadratic: Decimal;
  readonly maker: Decimal;
  readonly infrastructure: Decimal;
  /** Search, initial and release factors times 100,000. */
  readonly scaling: readonly [bigint, bigint, bigint];
  readonly markFrequencyNs: bigint;
  readonly stakeToVolume: Decimal;
  readonly auctionMinimumNs: bigint;
  readonly triggers: readonly TriggerTerms[];
  readonly stakeWindowNs: bigint;
  readonly stakeScaling: bigint;
  readonly triggeringRatio: Decimal;
  readonly liquidityExtensionNs: bigint;
  readonly bondPenalty: Decimal;
  readonly lpRange: Decimal;
  readonly distributionNs: bigint;
  /** Least commitment, highest fee and most entries of a side of a provision. */
  readonly stakeLeast: Decimal;
  readonly feeMost: Decimal;
  readonly shapeMost: number;
  /** Factor of a log-normal model's time in probabilities of trading, and the least of these. */
  readonly tauScaling: number;
  readonly minimumOdds: Decimal;
  readonly valueWindowNs: bigint;
  /** Time after which bounds and probabilities are worked out again. */
  readonly refreshNs: bigint;
}

export interface Verdict {
  readonly isTaken: boolean;
  readonly text: string;
}
export const TAKEN: Verdict = { isTaken: true, text: "" };
export const refusal = (text: string): Verdict => ({ isTaken: false, text });

export const general = (party: string) => `general ${party}`;
export const margin = (party: string) => `margin ${party}`;
export const bond = (party: string) => `bond ${party}`;

/** Where a market stands among the others. */
export interface Home {
  readonly name: string;
  readonly id: string;
  readonly asset: string;
  readonly accounts: Accounts;
  /** Insurance accounts of the asset's other markets, by the markets' ids. */
  readonly insurances: () => string[];
}

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);
export const absolute = (a: bigint): bigint => (a < 0n ? -a : a);
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
export const opposite = (side: Side): Side => (side === BUY ? SELL : BUY);
