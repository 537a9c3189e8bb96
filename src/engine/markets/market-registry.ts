/** All markets of the chain: their commands, their steps in a block, and their facts for other domains. */

import type { CommandText } from "../../errors/result-codes.ts";
import { compare } from "../../wire/arithmetic.ts";
import { Decimal } from "../../wire/decimal.ts";
import type {
  BatchMarketInstructions,
  LiquidityProvisionAmendment,
  LiquidityProvisionCancellation,
  LiquidityProvisionSubmission,
  OracleDataSubmission,
  OrderAmendment,
  OrderCancellation,
  OrderSubmission,
} from "../../wire/generated/commands.ts";
import { DispatchMetric, MarketState } from "../../wire/generated/vega.ts";
import { SECOND_NS } from "../../wire/time-text.ts";
import { type Check, PropertyErrors } from "../../wire/validate/check.ts";
import { cancellationIds, orderAmendment, orderSubmission } from "../../wire/validate/orders.ts";
import { CommandError, ResultCode } from "../errors.ts";
import type { ProposalRecord } from "../proposals.ts";
import type { MarketScore, MarketScores, ScoreRequest } from "../recurring.ts";
import type { Contributions } from "../rewards.ts";
import type { Table } from "../state.ts";
import { UINT_MAX } from "../values.ts";
import { type MarketPorts, MIN_AUCTION_DURATION } from "./context.ts";
import { capped, measuredBy, paidKey, rewardedOf } from "./contributions.ts";
import { failingAlone, HaltedMarkets } from "./halting.ts";
import { IdGenerator } from "./id-generator.ts";
import { Market } from "./market.ts";
import type { OracleMessage } from "./open-oracle.ts";
import { BUILTIN_TIME, Oracles } from "./oracles.ts";
import { newDefinition, updatedDefinition, withScaling } from "./proposals.ts";
import {
  type MarketRecord,
  type MarketStep,
  type RestoredMarket,
  type RewardedMarket,
  statusBeforeOpening,
  type TrackedMarket,
} from "./records.ts";
import { ORDER_ERRORS, refusal } from "./refusals.ts";
import { hasSameModel, riskModelOf } from "./risk.ts";
import { keepScoredModel } from "./scores.ts";
import { keyOf, MarketTables } from "./tables.ts";

const MAKER_FEE = "market.fee.factors.makerFee";
const INFRASTRUCTURE_FEE = "market.fee.factors.infrastructureFee";
const SCALING = "market.margin.scalingFactors";
const FREQUENCY = "network.markPriceUpdateMaximumFrequency";
const BATCH_MAX = "spam.protection.max.batchSize";
/** No settlement data has come. */
const NO_PRICE = -1n;
const CREATION_MULTIPLE = "rewards.marketCreationQuantumMultiple";

export class MarketRegistry implements MarketScores {
  readonly tables: MarketTables;
  readonly oracles: Oracles;
  readonly faults: HaltedMarkets;
  private readonly ports: MarketPorts;
  /** By id; derived from the records, not part of the state. */
  private readonly known = new Map<string, Market>();
  /** In the order of their creation. */
  private ordered: readonly Market[] | undefined;
  /** Markets that a proposer's bonus has paid, by who paid it. */
  private readonly paid: Table<true>;
  /** Markets that ended since the epoch began: their activity counts at its end. */
  private readonly ended: Table<RewardedMarket>;

  constructor(ports: Omit<MarketPorts, "tables">) {
    this.tables = new MarketTables(ports.core.state);
    this.ports = { ...ports, tables: this.tables };
    this.oracles = new Oracles(ports.core);
    this.faults = new HaltedMarkets(ports.core, this.tables, (id) => this.renew(id), ports.onHalted);
    this.paid = ports.core.state.table("markets.paid");
    this.ended = ports.core.state.table("markets.ended");
    this.tables.markets.onChange((id, before, now) => {
      this.tables.of(id).record = now;
      if ((before === undefined) === (now === undefined)) return;
      this.ordered = undefined;
      if (now === undefined) this.known.delete(id);
      else this.known.set(id, this.marketOf(now));
    });
    const { params } = ports;
    params.watch([INFRASTRUCTURE_FEE], () =>
      this.onParameter({ infrastructureFee: params.decimal(INFRASTRUCTURE_FEE).toString() }),
    );
    params.watch([MAKER_FEE], () => this.onParameter({ makerFee: params.decimal(MAKER_FEE).toString() }));
    params.watch([SCALING], () => {
      this.eachMarket("parameter", (market) => {
        market.context.updateRecord({ definition: withScaling(market.context.record.definition, params) });
        market.context.emitUpdated();
      });
    });
    params.watch([FREQUENCY], () => this.onFrequency());
    params.watch([MIN_AUCTION_DURATION], () => {
      this.eachMarket("parameter", (market) => market.parts.auctions.onMinDurationChanged());
    });
  }

  get(id: string): Market | undefined {
    return this.known.get(id);
  }

  /** In the order of their creation. */
  list(): readonly Market[] {
    this.ordered ??= [...this.known.values()].sort(
      (a, b) => a.context.record.sequence - b.context.record.sequence,
    );
    return this.ordered;
  }

  /**
   * The chain's own time as data of an oracle: early in the tick, before the markets look at it
   * (docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact).
   */
  publishTime(): void {
    if (!this.oracles.hasTimed) return;
    const properties = new Map([[BUILTIN_TIME, this.ports.core.nowSeconds.toString()]]);
    this.takeData({ signers: [], properties });
  }

  /** docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order. */
  onTick(): void {
    const over = new Set<string>();
    this.eachMarket("tick", (market) => {
      if (!market.onTick()) over.add(market.id);
    });
    this.eachMarket("tick", (market) => {
      if (market.context.record.state !== MarketState.STATE_REJECTED) market.emitData();
    });
    this.eachMarket("tick", (market) => {
      if (over.has(market.id)) this.remove(market);
    });
  }

  onBlockEnd(): void {
    this.eachMarket("block end", (market) => market.onBlockEnd());
  }

  /**
   * A proposal of a market was accepted: the market exists, and waits for the vote
   * (docs/protocol/70-trading-markets.md#14-creation-and-transitions, step 1).
   */
  propose(proposal: ProposalRecord): void {
    failingAlone(() => this.create(proposal));
  }

  private create(proposal: ProposalRecord): void {
    const { id, terms, party } = proposal;
    const { core, params, rules } = this.ports;
    const definition = newDefinition(terms, params, rules);
    const beginNs = terms.closingTimestamp * SECOND_NS;
    const endNs = terms.enactmentTimestamp * SECOND_NS;
    const factors = riskModelOf(definition.tradableInstrument!).factors;
    this.tables.statuses.set(id, statusBeforeOpening(beginNs, endNs, params.duration(FREQUENCY)));
    this.tables.markets.set(id, {
      id,
      sequence: this.tables.next(),
      proposer: party,
      definition,
      makerFee: params.decimal(MAKER_FEE).toString(),
      infrastructureFee: params.decimal(INFRASTRUCTURE_FEE).toString(),
      liquidityFee: "0",
      state: MarketState.STATE_PROPOSED,
      proposedAt: core.nowNs,
      pendingAt: beginNs,
      openAt: endNs,
      riskLong: factors.long,
      riskShort: factors.short,
      settlementPrice: NO_PRICE,
    });
    const market = this.get(id)!;
    this.subscribe(market);
    market.context.accounts.open();
    market.parts.prices.reset();
    market.emitData();
    core.emit("marketCreated", market.context.message);
    market.context.emitUpdated();
    core.emit("riskFactor", { market: id, long: factors.long, short: factors.short });
  }

  /**
   * The market of a checkpoint's proposal is made, and its opening auction begins
   * (docs/protocol/60-state-engine-parameters.md#12-checkpoints).
   */
  reopen(proposal: ProposalRecord): void {
    this.propose(proposal);
    this.get(proposal.id)!.openAuction();
  }

  /** The vote on a proposed market has ended. */
  onVoteClosed(id: string, isPassed: boolean): void {
    const market = this.get(id);
    if (market === undefined) return;
    this.faults.attempt(market, "vote", () => {
      if (isPassed) {
        market.openAuction();
        return;
      }
      market.end.reject();
      this.remove(market);
    });
  }

  /**
   * An update was enacted (docs/protocol/70-trading-markets.md#17-market-update): a halted market goes on with it.
   * @throws CommandError when the market is not there any more
   */
  update(proposal: ProposalRecord): void {
    const { marketId } = proposal.terms.updateMarket!;
    const market = this.get(marketId);
    if (market === undefined || market.isOver) throw refusal("market does not exist");
    failingAlone(() => {
      if (this.faults.resume(market)) this.passParameters(market);
      this.change(market, proposal);
    });
  }

  private change(market: Market, { terms }: ProposalRecord): void {
    const { marketId, changes } = terms.updateMarket!;
    const before = market.context.record.definition;
    const { params, rules } = this.ports;
    const definition = updatedDefinition(before, changes!, params, rules);
    this.unsubscribe(market, "termination");
    this.unsubscribe(market, "settlement");
    const factors = riskModelOf(definition.tradableInstrument!).factors;
    // A price from the former source does not count for the new one.
    const risk = { riskLong: factors.long, riskShort: factors.short };
    const { linearSlippageFactor, quadraticSlippageFactor } = market.context.record.slippage ?? before;
    market.context.updateRecord({
      definition,
      ...risk,
      liquidityFee: "0",
      settlementPrice: NO_PRICE,
      ...(rules.keepsSlippage && { slippage: { linearSlippageFactor, quadraticSlippageFactor } }),
    });
    this.subscribe(market);
    market.parts.prices.onUpdate();
    keepScoredModel(market.context, before.tradableInstrument!);
    // Trading cannot end twice: the new source is emitted without a subscription.
    if (market.context.record.state === MarketState.STATE_TRADING_TERMINATED)
      this.unsubscribe(market, "termination");
    // With the target stake.
    market.parts.liquidityFees.update();
    this.ports.core.emit("riskFactor", { market: marketId, long: factors.long, short: factors.short });
    if (!hasSameModel(before.tradableInstrument!, definition.tradableInstrument!)) market.recheckAll();
    market.emitData();
    market.context.emitUpdated();
  }

  submitOrder(command: OrderSubmission): void {
    const { party, id } = this.ports.core.currentTx;
    const ids = this.idsFrom(id);
    const orderId = ids.next();
    this.command(command.marketId, ids, (market) => market.orders.submit(party, orderId, command));
  }

  amendOrder(command: OrderAmendment): void {
    const { party, id } = this.ports.core.currentTx;
    this.command(command.marketId, this.idsFrom(id), (market) => market.orders.amend(party, command));
  }

  cancelOrder(command: OrderCancellation): void {
    const { party, id } = this.ports.core.currentTx;
    this.cancel(party, command, this.idsFrom(id));
  }

  submitProvision(command: LiquidityProvisionSubmission): void {
    const { party, id } = this.ports.core.currentTx;
    const ids = this.idsFrom(id);
    const provisionId = ids.next();
    this.command(command.marketId, ids, (market) => market.commitments.submit(party, provisionId, command));
  }

  amendProvision(command: LiquidityProvisionAmendment): void {
    // Before any other check, even of the market (docs/protocol/70-trading-liquidity.md#79-amend-and-cancel).
    if (command.fee === "") throw refusal("can't convert  to decimal");
    const { party, id } = this.ports.core.currentTx;
    this.command(command.marketId, this.idsFrom(id), (market) => market.commitments.amend(party, command));
  }

  cancelProvision({ marketId }: LiquidityProvisionCancellation): void {
    const { party, id } = this.ports.core.currentTx;
    this.command(marketId, this.idsFrom(id), (market) => market.commitments.cancel(party));
  }

  /** Mempool's check of a batch, made again when it is executed. @throws CommandError */
  checkBatch({ cancellations, amendments, submissions }: BatchMarketInstructions): void {
    const count = BigInt(cancellations.length + amendments.length + submissions.length);
    const max = this.ports.params.integer(BATCH_MAX);
    if (count === 0n) throw refusal("batch market instructions cannot be empty");
    if (count > max) throw refusal(`market batch instructions too big, got(${count}), expected(${max})`);
  }

  /**
   * Cancellations, then amendments, then submissions; each stands or falls alone
   * (docs/protocol/70-trading-orders.md#28-amend-cancel-batch).
   */
  batch(command: BatchMarketInstructions): void {
    this.checkBatch(command);
    const { party, id } = this.ports.core.currentTx;
    const ids = this.idsFrom(id);
    const orderIds = command.submissions.map(() => ids.next());
    const errors = new PropertyErrors();
    let done = 0;
    let index = 0;
    const attempt = (run: () => void) => {
      const error = this.alone(run);
      if (error === undefined) done++;
      else errors.add(String(index), error);
      index++;
    };
    for (const cancellation of command.cancellations) {
      attempt(() => {
        checkInner(cancellationIds, cancellation);
        this.cancel(party, cancellation, ids);
      });
    }
    const amended = new Set<string>();
    for (const amendment of command.amendments) {
      attempt(() => {
        if (amended.has(amendment.orderId)) throw refusal("order already amended in batch");
        checkInner(orderAmendment, amendment);
        this.command(amendment.marketId, ids, (market) => market.orders.amend(party, amendment));
        amended.add(amendment.orderId);
      });
    }
    for (const [at, submission] of command.submissions.entries()) {
      attempt(() => {
        checkInner(orderSubmission, submission);
        this.command(submission.marketId, ids, (market) =>
          market.orders.submit(party, orderIds[at]!, submission),
        );
      });
    }
    if (errors.isEmpty) return;
    const code = done > 0 ? ResultCode.partlyFailed : ResultCode.failed;
    throw new CommandError(errors.toString() as CommandText, { code, keepChanges: true });
  }

  /** Mempool's check of oracle data: a specification must wait for it. @throws CommandError */
  checkOracleData(command: OracleDataSubmission): void {
    this.oracles.read(this.ports.core.currentTx.party, command);
  }

  submitOracleData(command: OracleDataSubmission): void {
    this.takeData(this.oracles.read(this.ports.core.currentTx.party, command));
  }

  /** Contributions of parties to a market in the epoch (docs/protocol/70-trading-orders.md#45-activity-tracking-for-rewards). */
  readonly contributions: Contributions = (id, metric) => {
    if (metric !== DispatchMetric.DISPATCH_METRIC_MARKET_VALUE) {
      return this.measured(id, metric).sort((a, b) => compare(a.party, b.party));
    }
    const proposer = (this.get(id)?.context.record ?? this.ended.get(id))?.proposer;
    return proposer === undefined ? [] : [{ party: proposer, amount: 1n }];
  };

  marketScores({ strategy, payoutAsset, funder }: ScoreRequest): readonly MarketScore[] {
    const { metric, assetForMetric, markets } = strategy;
    const byId = new Map(this.rewarded().map((market) => [market.id, market] as const));
    // A market named twice counts twice. Only the metric of proposers works without an asset.
    const inScope = [...(markets.length > 0 ? markets : byId.keys())]
      .sort()
      .flatMap((id) => byId.get(id) ?? [])
      .filter(({ asset }) => assetForMetric === "" || asset === assetForMetric);
    if (metric === DispatchMetric.DISPATCH_METRIC_MARKET_VALUE) {
      // Fees of a market that has ended still count, its proposer does not.
      const eligible = inScope.filter(
        (market) =>
          this.get(market.id) !== undefined &&
          this.earnsBonus(market) &&
          !this.paid.has(paidKey(market.id, payoutAsset, funder, markets)),
      );
      const share =
        eligible.length > 0 ? Decimal.one.dividedBy(Decimal.of(BigInt(eligible.length))) : Decimal.zero;
      return capped(eligible.map(({ id }) => ({ market: id, score: share })));
    }
    const totals = inScope.map(({ id }) => ({
      market: id,
      total: this.measured(id, metric).reduce((sum, { amount }) => sum + amount, 0n),
    }));
    const whole = totals.reduce((sum, { total }) => sum + total, 0n);
    if (whole === 0n) return [];
    return capped(
      totals
        .filter(({ total }) => total > 0n)
        .map(({ market, total }) => ({ market, score: Decimal.of(total).dividedBy(Decimal.of(whole)) })),
    );
  }

  markPaid({ strategy, payoutAsset, funder }: ScoreRequest, market: string): void {
    if (strategy.metric !== DispatchMetric.DISPATCH_METRIC_MARKET_VALUE) return;
    this.paid.set(paidKey(market, payoutAsset, funder, strategy.markets), true);
  }

  /** Everything that rewards depend on, market by market. For checkpoints. */
  tracked(): readonly TrackedMarket[] {
    const activities = Map.groupBy(this.tables.activities.values(), ({ market }) => market);
    const paid = Map.groupBy(this.paid.keys(), (key) => key.slice(0, key.indexOf("/")));
    return this.rewarded().map((market) => ({
      market,
      isOver: this.get(market.id) === undefined,
      activities: activities.get(market.id) ?? [],
      paid: (paid.get(market.id) ?? []).map((key) => key.slice(market.id.length + 1)),
    }));
  }

  /**
   * Restores the epoch's activity on the markets of a checkpoint
   * (docs/protocol/60-state-engine-parameters.md#12-checkpoints), ended ones included.
   */
  restore(markets: readonly RestoredMarket[]): void {
    for (const { market, activities, paid } of markets) {
      const open = this.get(market.id);
      if (open === undefined) this.ended.set(market.id, { ...market, sequence: this.tables.next() });
      else open.context.updateStatus({ tradedValue: market.tradedValue });
      for (const activity of activities)
        this.tables.activities.set(keyOf(market.id, activity.party), activity);
      for (const by of paid) this.paid.set(`${market.id}/${by}`, true);
    }
  }

  /** A new epoch counts from zero. */
  onEpochStart(): void {
    for (const key of this.tables.activities.keys()) this.tables.activities.delete(key);
    for (const id of this.ended.keys()) this.ended.delete(id);
  }

  /** Equity-like share of a party in a market: a decimal from 0 to 1. */
  equityShare(id: string, party: string): Decimal {
    return this.get(id)?.parts.equity.shareOf(party) ?? Decimal.zero;
  }

  /** Markets that rewards can go to, in the order of their creation, including those that ended within the epoch. */
  private rewarded(): RewardedMarket[] {
    return [...this.ended.values(), ...this.list().map(rewardedOf)].sort((a, b) => a.sequence - b.sequence);
  }

  /** Fees of an epoch by party; parties without fees are left out. @param metric other than that of proposers */
  private measured(id: string, metric: number) {
    return [...this.tables.of(id).activities.values()]
      .map((activity) => ({ party: activity.party, amount: measuredBy(activity, metric) }))
      .filter(({ amount }) => amount > 0n);
  }

  private earnsBonus({ asset, tradedValue }: RewardedMarket): boolean {
    const quantum = Decimal.parse(this.ports.assets.get(asset)!.details.quantum);
    const least = quantum.times(this.ports.params.decimal(CREATION_MULTIPLE));
    return least.isLess(Decimal.of(tradedValue));
  }

  /** Runs one instruction of a batch. @returns its refusal */
  private alone(run: () => void): string | undefined {
    const { core } = this.ports;
    const mark = core.state.mark();
    const events = core.log.length;
    try {
      run();
      return undefined;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      if (!error.options.keepChanges) {
        core.state.rollback(mark);
        core.log.truncate(events);
      }
      return error.message;
    }
  }

  private idsFrom(root: string): IdGenerator {
    return new IdGenerator(root, this.ports.idAfter);
  }

  private cancel(party: string, { marketId, orderId }: OrderCancellation, ids: IdGenerator): void {
    if (orderId !== "" && marketId === "") throw refusal("invalid order cancellation");
    if (orderId !== "") {
      this.command(marketId, ids, (market) => market.orders.cancel(party, orderId));
      return;
    }
    if (marketId !== "") {
      this.command(marketId, ids, (market) => {
        if (!market.context.canTrade) throw refusal(ORDER_ERRORS.marketClosed[1]);
        market.orders.cancelAll(party);
      });
      return;
    }
    for (const market of this.list()) {
      if (!market.context.canTrade || !market.context.index.ordersOf.has(party) || this.faults.has(market.id))
        continue;
      this.command(market.id, ids, () => market.orders.cancelAll(party));
    }
  }

  /** A command to a market; margin levels are emitted at its end. */
  private command(id: string, ids: IdGenerator, run: (market: Market) => void): void {
    const market = this.get(id);
    if (market === undefined) throw refusal(ORDER_ERRORS.invalidMarket[1]);
    if (this.faults.has(id)) throw refusal("the market is halted by an internal error");
    market.context.ids = ids;
    const waiting = market.parts.margins.waiting();
    const { state, log } = this.ports.core;
    const [mark, events] = [state.mark(), log.length];
    try {
      failingAlone(() => run(market));
    } catch (error) {
      if (error instanceof CommandError && error.options.keepChanges) {
        market.flush();
        throw error;
      }
      market.parts.margins.restoreLevels(waiting);
      if (waiting.size === 0 || !(error instanceof CommandError)) throw error;
      state.rollback(mark);
      log.truncate(events);
      market.flush();
      throw error.keepingChanges();
    }
    market.flush();
  }

  /** Data has arrived: subscribers take it, then its event is emitted. */
  private takeData(message: OracleMessage): void {
    const matched = this.oracles.matches(message);
    if (matched.length === 0) return;
    const specs = this.oracles.matchingIds(message);
    for (const { market: id, what, properties } of matched) {
      const market = this.get(id);
      if (market === undefined || market.isOver) continue;
      this.faults.attempt(market, "oracle data", () => {
        if (what === "termination") market.end.terminate();
        else this.settle(market, properties);
      });
    }
    this.oracles.emitData(message, specs);
  }

  private eachMarket(step: MarketStep, run: (market: Market) => void): void {
    for (const market of this.list()) this.faults.attempt(market, step, run);
  }

  private renew(id: string): Market {
    const market = this.marketOf(this.get(id)!.context.record);
    this.known.set(id, market);
    this.ordered = undefined;
    return market;
  }

  private marketOf({ id, definition }: MarketRecord): Market {
    const asset = definition.tradableInstrument!.instrument!.future!.settlementAsset;
    return new Market(this.ports, id, asset, (what) => this.unsubscribe(this.get(id)!, what));
  }

  /** Settlement data in the units of the market's asset (docs/protocol/70-trading-markets.md#16-data-sources-oracles). */
  private settle(market: Market, properties: ReadonlyMap<string, string>): void {
    const text = properties.get(market.context.terms.settlementProperty);
    if (text === undefined) return;
    const assetDecimals = Number(this.ports.assets.get(market.context.accounts.asset)!.details.decimals);
    const places = market.context.terms.settlementDecimals - assetDecimals;
    // With this many decimals nothing of the number is left: they can be too many to compute with.
    const value = places > text.length ? 0n : BigInt(text.replace("+", ""));
    const price = value === 0n ? 0n : Decimal.shifted(value, places).truncated();
    if (price < 0n || price > UINT_MAX) return;
    market.end.setSettlementPrice(price);
  }

  private subscribe(market: Market): void {
    const future = market.context.record.definition.tradableInstrument!.instrument!.future!;
    this.oracles.subscribe(future.dataSourceSpecForSettlementData!.data!, {
      market: market.id,
      what: "settlement",
    });
    this.oracles.subscribe(future.dataSourceSpecForTradingTermination!.data!, {
      market: market.id,
      what: "termination",
    });
  }

  private unsubscribe(market: Market, what: "settlement" | "termination"): void {
    const { settlementSource, terminationSource } = market.context.terms;
    const source = what === "settlement" ? settlementSource : terminationSource;
    this.oracles.unsubscribe(source, { market: market.id, what });
  }

  private remove(market: Market): void {
    this.ended.set(market.id, rewardedOf(market));
    market.end.drop();
    this.tables.markets.delete(market.id);
    this.tables.statuses.delete(market.id);
    this.tables.monitors.delete(market.id);
    this.tables.windows.delete(market.id);
  }

  /** Records changed while the market was halted. */
  private passParameters(market: Market): void {
    const { params } = this.ports;
    market.context.updateRecord({
      makerFee: params.decimal(MAKER_FEE).toString(),
      infrastructureFee: params.decimal(INFRASTRUCTURE_FEE).toString(),
      definition: withScaling(market.context.record.definition, params),
    });
    market.setMarkFrequency(params.duration(FREQUENCY));
  }

  private onParameter(changes: { readonly makerFee?: string; readonly infrastructureFee?: string }): void {
    this.eachMarket("parameter", (market) => {
      market.context.updateRecord(changes);
      market.context.emitUpdated();
    });
  }

  private onFrequency(): void {
    const now = this.ports.params.duration(FREQUENCY);
    this.eachMarket("parameter", (market) => market.setMarkFrequency(now));
  }
}

/** Instructions of a batch are checked when they are executed. @throws CommandError */
function checkInner<T>(check: Check<T>, instruction: T): void {
  const errors = new PropertyErrors();
  check.run(instruction, errors, []);
  if (!errors.isEmpty) throw refusal(errors.toString() as CommandText);
}
