/** The ground that the parts of a market share: its records, its book, its accounts, and the chain around it. */

import type { Init } from "../../wire/codec.ts";
import { Decimal } from "../../wire/decimal.ts";
import { type Market as MarketMessage, MarketState, MarketTradingMode } from "../../wire/generated/vega.ts";
import { SECOND_NS } from "../../wire/time-text.ts";
import { unitOf } from "../assets.ts";
import type { Collateral } from "../collateral.ts";
import type { Core } from "../core.ts";
import { InvariantError } from "../errors.ts";
import type { AssetReader, ParameterReader } from "../ports.ts";
import { MarketAccounts } from "./accounts.ts";
import type { Book } from "./book.ts";
import { IdGenerator } from "./id-generator.ts";
import type { Auction, MarketRecord, MarketStatus, MarketStep, Member } from "./records.ts";
import type { MarketRules } from "./rules.ts";
import { canRest, orderMessage, type StoredOrder } from "./stored-order.ts";
import { keyOf, type MarketIndex, type MarketTables } from "./tables.ts";
import { type Terms, termsOf } from "./terms.ts";

/** The chain around the markets. */
export interface MarketPorts {
  readonly core: Core;
  readonly params: ParameterReader;
  readonly collateral: Collateral;
  readonly assets: AssetReader;
  readonly tables: MarketTables;
  /** Whether a market's price bounds are agreed on: an opening auction waits for them. A single node always has them. */
  readonly hasModels?: (market: string) => boolean;
  /** The id that follows an id, where it is not its hash. */
  readonly idAfter?: (id: string) => string | undefined;
  readonly rules: MarketRules;
  /** A fault of this program has stopped a market. */
  readonly onHalted?: (market: string, step: MarketStep, error: unknown) => void;
}

/** Key of the parameter. */
export const MIN_AUCTION_DURATION = "market.auction.minimumDuration";
/** Key of the parameter. */
export const TAU_SCALING = "market.liquidity.probabilityOfTrading.tau.scaling";

const MARK_FREQUENCY = "network.markPriceUpdateMaximumFrequency";

/** Party of the network's own trades in a close-out. */
export const NETWORK = "network";

export class MarketContext {
  readonly core: Core;
  readonly params: ParameterReader;
  readonly tables: MarketTables;
  readonly index: MarketIndex;
  readonly book: Book;
  readonly accounts: MarketAccounts;
  /** Of the command, the tick or the block's end in hand. */
  ids = new IdGenerator("00");
  private termsOfRecord: { readonly record: MarketRecord; readonly terms: Terms } | undefined;

  constructor(
    readonly ports: MarketPorts,
    readonly id: string,
    asset: string,
  ) {
    this.core = ports.core;
    this.params = ports.params;
    this.tables = ports.tables;
    this.index = ports.tables.of(id);
    this.book = this.index.book;
    this.accounts = new MarketAccounts(ports.collateral, asset, id);
  }

  get record(): MarketRecord {
    const { record } = this.index;
    if (record === undefined) throw new InvariantError(`market ${this.id} has no record`);
    return record;
  }

  get terms(): Terms {
    const { record } = this;
    if (this.termsOfRecord?.record !== record)
      this.termsOfRecord = { record, terms: termsOf(record, this.assetDecimals) };
    return this.termsOfRecord.terms;
  }

  get status(): MarketStatus {
    return this.index.status!;
  }

  get auction(): Auction {
    return this.status.auction;
  }

  /** An auction is held, the opening one included. */
  get isInAuction(): boolean {
    return this.auction.isRunning;
  }

  /** Orders can be sent, changed and cancelled. */
  get canTrade(): boolean {
    return TRADED.has(this.record.state);
  }

  /** Liquidity can be committed. */
  get canCommit(): boolean {
    return this.canTrade || this.record.state === MarketState.STATE_PROPOSED;
  }

  get isOpening(): boolean {
    const { isRunning, mode } = this.auction;
    return isRunning && mode === MarketTradingMode.TRADING_MODE_OPENING_AUCTION;
  }

  /**
   * The minimum length of an auction, nanoseconds: in whole seconds, as every length
   * (docs/protocol/70-trading-markets.md#12-fields-proto).
   */
  get minAuctionNs(): bigint {
    const length = this.params.duration(MIN_AUCTION_DURATION);
    return length - (length % SECOND_NS);
  }

  updateRecord(changes: Partial<MarketRecord>): void {
    this.tables.markets.set(this.id, { ...this.record, ...changes });
  }

  updateStatus(changes: Partial<MarketStatus>): void {
    this.tables.statuses.set(this.id, { ...this.status, ...changes });
  }

  updateAuction(changes: Partial<Auction>): void {
    this.updateStatus({ auction: { ...this.auction, ...changes } });
  }

  /** The next mark to market is due after the parameter's time. */
  scheduleMark(): void {
    this.updateStatus({ nextMarkNs: this.nowNs + this.params.duration(MARK_FREQUENCY) });
  }

  /** Places an order at the end of its price's queue. */
  putOnBook(order: StoredOrder): void {
    if (!canRest(order.timeInForce)) throw new Error("an order of this kind cannot rest");
    this.tables.orders.set(order.id, { ...order, place: this.tables.next() });
  }

  get nowNs(): bigint {
    return this.core.nowNs;
  }

  /** Lists a party with its first order or commitment, and with the first one after the market has forgotten it. */
  listParty(party: string): void {
    const member = this.index.members.get(party);
    if (member !== undefined && !member.isForgotten) return;
    // Only a market that is cancelled before it opens uses the order of listing.
    const sequence = NOT_OPENED.has(this.record.state) ? this.tables.next() : 0;
    if (member !== undefined || sequence > 0) this.updateMember(party, { isForgotten: false, sequence });
  }

  /** The party has no position, order or commitment left in the market. */
  forgetParty(party: string): void {
    if (this.isListed(party)) this.updateMember(party, { isForgotten: true });
  }

  /** Whether a party with accounts in the market is listed. */
  isListed(party: string): boolean {
    return this.index.members.get(party)?.isForgotten !== true;
  }

  updateMember(party: string, changes: Partial<Member>): void {
    const { index, tables } = this;
    const member = { ...(index.members.get(party) ?? NEW_MEMBER), ...changes };
    const key = keyOf(this.id, party);
    if (member.isForgotten || member.isSettled || member.sequence > 0) tables.members.set(key, member);
    else tables.members.delete(key);
  }

  /** A volume as a number of contracts. */
  contracts(volume: bigint): Decimal {
    return Decimal.shifted(volume, this.terms.positionDecimals);
  }

  /** A price in market precision, floored. */
  toMarketPrice(price: bigint): string {
    return (price / this.terms.priceFactor).toString();
  }

  emitOrder(order: StoredOrder): void {
    this.core.emit("order", orderMessage(order, this.terms.priceFactor));
  }

  emitUpdated(): void {
    this.core.emit("marketUpdated", this.message);
  }

  /** The market as events show it. */
  get message(): Init<MarketMessage> {
    const { record } = this;
    const { definition } = record;
    return {
      id: record.id,
      ...definition,
      fees: {
        factors: {
          makerFee: record.makerFee,
          infrastructureFee: record.infrastructureFee,
          liquidityFee: record.liquidityFee,
        },
      },
      tradingMode: this.tradingMode,
      state: record.state,
      marketTimestamps: {
        proposed: record.proposedAt,
        pending: record.pendingAt,
        open: record.openAt,
        close: 0n,
      },
    };
  }

  /** As the market's message has it: it goes with the state, and not with the auction, which begins and ends before that. */
  private get tradingMode(): number {
    return MODES.get(this.record.state) ?? MarketTradingMode.TRADING_MODE_NO_TRADING;
  }

  private get assetDecimals(): number {
    return Number(this.assetUnit.decimals);
  }

  /** The unit of amounts in the asset, for the details of refusals. */
  get assetUnit(): { readonly symbol: string; readonly decimals: bigint } {
    const asset = this.ports.assets.get(this.accounts.asset);
    if (asset === undefined)
      throw new InvariantError(`asset ${this.accounts.asset} of a market is not there`);
    return unitOf(asset);
  }
}

/** Trading modes of the states in which a market trades: pending, active and suspended. */
const MODES: ReadonlyMap<number, number> = new Map([
  [MarketState.STATE_PENDING, MarketTradingMode.TRADING_MODE_OPENING_AUCTION],
  [MarketState.STATE_ACTIVE, MarketTradingMode.TRADING_MODE_CONTINUOUS],
  [MarketState.STATE_SUSPENDED, MarketTradingMode.TRADING_MODE_MONITORING_AUCTION],
]);

/** States before the end of the opening auction. */
const NOT_OPENED: ReadonlySet<number> = new Set([MarketState.STATE_PROPOSED, MarketState.STATE_PENDING]);

const NEW_MEMBER: Member = { isForgotten: false, isSettled: false, sequence: 0 };

const TRADED: ReadonlySet<number> = new Set(MODES.keys());
