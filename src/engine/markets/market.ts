/**
 * A market: the parts it is made of, and its life from its opening auction to its settlement
 * (docs/protocol/70-trading-markets.md#14-creation-and-transitions and #15-per-block-hooks-in-order). The chain calls
 * it at each tick and each block's end; commands reach it through market-registry.ts.
 */

import { MarketState } from "../../wire/generated/vega.ts";
import { SECOND_NS } from "../../wire/time-text.ts";
import { Auctions } from "./auctions.ts";
import { Bonds } from "./bonds.ts";
import { CloseOut } from "./close-out.ts";
import { MarketContext, type MarketPorts } from "./context.ts";
import { Executions } from "./executions.ts";
import { IdGenerator } from "./id-generator.ts";
import { LiquidityFees } from "./liquidity-fees.ts";
import { LiveOrders } from "./live-orders.ts";
import { MarkToMarket } from "./mark-to-market.ts";
import { emitMarketData } from "./market-data.ts";
import { MarketEnd } from "./market-end.ts";
import { type MarketParts, partsOf } from "./market-parts.ts";
import { OrderEntry } from "./order-entry.ts";
import { PegRepricer } from "./peg-repricer.ts";
import { ProvisionCommands } from "./provision-commands.ts";
import { ProvisionUpkeep } from "./provision-upkeep.ts";
import { liquidityScores, refreshModels } from "./scores.ts";

const FEE_STEP = "market.liquidity.providers.fee.distributionTimeStep";

/** All parts of a market, each composed of those before it. */
interface AllParts extends MarketParts {
  readonly liveOrders: LiveOrders;
  readonly bonds: Bonds;
  readonly liquidityFees: LiquidityFees;
  readonly marks: MarkToMarket;
  readonly auctions: Auctions;
}

export class Market {
  readonly parts: AllParts;
  /** Order commands, and the expiry of orders. */
  readonly orders: OrderEntry;
  /** Commands about liquidity. */
  readonly commitments: ProvisionCommands;
  readonly end: MarketEnd;

  /** @param unsubscribe ends the market's subscription to a data source */
  constructor(
    ports: MarketPorts,
    readonly id: string,
    asset: string,
    unsubscribe: (what: "settlement" | "termination") => void,
  ) {
    const bottom = partsOf(new MarketContext(ports, id, asset));
    const base = {
      ...bottom,
      executions: new Executions(bottom),
      liveOrders: new LiveOrders(bottom),
      bonds: new Bonds(bottom),
      liquidityFees: new LiquidityFees(bottom),
    };
    const upkeep = new ProvisionUpkeep(base);
    const pegs = new PegRepricer({ ...base, upkeep });
    const closeOut = new CloseOut({ ...base, upkeep, pegs });
    const marks = new MarkToMarket({ ...base, pegs, closeOut });
    const auctions = new Auctions({ ...base, pegs, marks });
    this.parts = { ...base, marks, auctions };
    this.orders = new OrderEntry({ ...base, pegs, auctions });
    this.commitments = new ProvisionCommands({ ...base, upkeep, pegs });
    this.end = new MarketEnd({ ...base, upkeep, marks, unsubscribe });
  }

  /** Records, book and accounts of the market, and the chain around it. */
  get context(): MarketContext {
    return this.parts.market;
  }

  /** Settled, cancelled or rejected: the next tick drops it. */
  get isOver(): boolean {
    const { market } = this.parts;
    const { state } = market.record;
    return OVER.has(state);
  }

  /** docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order, the market's tick. @returns false when the market has ended */
  onTick(): boolean {
    const { market, liquidityFees, prices, auctions, equity } = this.parts;
    if (this.isOver) return false;
    market.ids = IdGenerator.ofTick(market.core.block.hash, market.id);
    // Before the market's own steps: book and prices are those of the last block
    // (docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order).
    if (prices.isRefreshDue) refreshModels(this.parts);
    if (market.canTrade) this.orders.expire();
    prices.onTime();
    const { state } = market.record;
    if (state !== MarketState.STATE_PROPOSED && state !== MarketState.STATE_TRADING_TERMINATED) {
      const { distributedNs } = market.status;
      if (market.nowNs - distributedNs > market.params.duration(FEE_STEP)) {
        market.updateStatus({ distributedNs: market.nowNs });
        liquidityFees.distribute();
      }
      auctions.onTick();
      if (equity.onTick()) liquidityFees.keepShares();
      this.score();
      liquidityFees.update();
      market.core.emit("marketTick", { id: market.id, time: market.nowNs / SECOND_NS });
    }
    this.flush();
    return true;
  }

  emitData(): void {
    emitMarketData(this.parts);
  }

  /** docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order, the end of a block. */
  onBlockEnd(): void {
    const { market, marks, settlement, positions } = this.parts;
    // A market that ended in this block still has its block end: the next tick drops it.
    if (market.record.state === MarketState.STATE_REJECTED) return;
    market.ids = IdGenerator.ofBlock(market.core.block.hash, `blockend${market.id}`);
    const { mark, lastTraded, nextMarkNs } = market.status;
    const hasTraded = settlement.hasTrades;
    const price = !hasTraded && mark > 0n ? mark : lastTraded;
    if (price > 0n && !market.isInAuction && market.nowNs >= nextMarkNs) {
      if (price !== mark) market.updateStatus({ mark: price });
      market.scheduleMark();
      if (hasTraded) marks.run(price);
      this.dropFlat();
      if (market.status.lastTraded !== price) market.updateStatus({ lastTraded: price });
    }
    this.releaseFlat();
    positions.flush();
    this.flush();
  }

  /** The time between two marks was changed, nanoseconds. */
  setMarkFrequency(markFrequencyNs: bigint): void {
    const { market } = this.parts;
    const { nextMarkNs, markFrequencyNs: before } = market.status;
    const shifted = nextMarkNs > 0n ? nextMarkNs + markFrequencyNs - before : nextMarkNs;
    market.updateStatus({ markFrequencyNs, nextMarkNs: shifted });
  }

  /** The risk model was changed: margins are computed again, in an opening auction by the indicative price. */
  recheckAll(): void {
    const { marks, margins } = this.parts;
    // Without an indicative price there are only orders, which count at their own prices.
    marks.recheckMargins(margins.priceFor(0n));
  }

  /** The vote on the market's proposal has ended (docs/protocol/70-trading-markets.md#14-creation-and-transitions, step 2). */
  openAuction(): void {
    const { auctions } = this.parts;
    auctions.startOpening();
    this.flush();
  }

  /**
   * Emits changed margin levels: at the end of a command, a tick and a block. Levels changed by an update or a
   * termination wait for the next of these (docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order).
   */
  flush(): void {
    const { margins } = this.parts;
    margins.flush();
  }

  private score(): void {
    const { market, equity } = this.parts;
    if (market.isInAuction) return;
    const scores = liquidityScores(this.parts);
    if (scores.size > 0) equity.addScores(scores);
  }

  /** Drops empty positions. */
  private dropFlat(): void {
    const { market, settlement, provisions, margins, positions } = this.parts;
    for (const party of [...market.index.flat].sort()) {
      if (settlement.hasTradesOf(party)) continue;
      if (provisions.get(party) === undefined) {
        margins.releaseAll(party);
        market.forgetParty(party);
      }
      positions.dropFlat(party);
    }
  }

  /** In the order in which the positions were opened. */
  private releaseFlat(): void {
    const { market, positions, settlement, margins } = this.parts;
    const flat = [...market.index.flat].map((party) => positions.get(party)!);
    for (const { party } of flat.sort((a, b) => a.sequence - b.sequence)) {
      if (settlement.hasPositionOf(party)) continue;
      margins.releaseAll(party);
      market.forgetParty(party);
    }
  }
}

const OVER: ReadonlySet<number> = new Set([
  MarketState.STATE_SETTLED,
  MarketState.STATE_CANCELLED,
  MarketState.STATE_REJECTED,
  MarketState.STATE_CLOSED,
]);
