/**
 * A chain for tests of markets: the real engine, without signatures, proofs, store or HTTP, with time and identifiers handed
 * in. Commands are checked as the chain checks them, and everything can be read at any moment, also in the middle of a block.
 */

import { type Account, accountId } from "../engine/collateral.ts";
import { Engine } from "../engine/engine.ts";
import { readGenesis } from "../engine/genesis.ts";
import type { Market } from "../engine/markets/market.ts";
import type { Position, Provision } from "../engine/markets/records.ts";
import type { MarketRules } from "../engine/markets/rules.ts";
import { BUY, SELL, type StoredOrder } from "../engine/markets/stored-order.ts";
import { type OptionNames, unknownOption } from "../errors/options.ts";
import type { Block } from "../wire/block.ts";
import type { Init } from "../wire/codec.ts";
import type { BatchMarketInstructions } from "../wire/generated/commands.ts";
import { decodeBusEvent, type LedgerMovements } from "../wire/generated/events.ts";
import {
  AccountType,
  decodeProposalTerms,
  encodeProposalTerms,
  type LedgerEntry,
  type LiquidityProvision,
  type MarginLevels,
  type MarketData,
  type Market as MarketMessage,
  type Order,
  type Proposal,
  ProposalState,
  type Trade,
  TransferType,
} from "../wire/generated/vega.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import type { CommandInit } from "../wire/transaction.ts";
import { COMMAND_KINDS } from "../wire/transaction-commands.ts";
import { PropertyErrors } from "../wire/validate/check.ts";
import { noteCommandErrors } from "../wire/validate/commands.ts";
import { bareEvent } from "../wire/whole-event.ts";
import { refusesForm } from "./engine-forms.ts";
import {
  amendmentOf,
  orderOf,
  provisionOf,
  type RigAmendment,
  type RigOrder,
  type RigProvision,
  transactionOf,
} from "./market-commands.ts";
import {
  configurationOf,
  idOf,
  RIG_ORACLE,
  type RigMarket,
  SETTLEMENT_PROPERTY,
  TERMINATION_PROPERTY,
  updateOf,
} from "./market-config.ts";
import { type RigAsset, rigGenesis } from "./market-genesis.ts";
import { memberOf } from "./recorded-blocks.ts";
import { positionOfEvents, type ShownPosition } from "./shown-position.ts";

export * from "./market-commands.ts";
export { idOf, type RigMarket } from "./market-config.ts";
export type { RigAsset } from "./market-genesis.ts";

const START = 1_700_000_000n;

export interface MarketRigOptions {
  /** By name: ids are the names' hashes unless the name is 64 hex digits. */
  readonly assets?: Readonly<Record<string, RigAsset>>;
  /** Network parameters that differ from their defaults. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Unix seconds of the first block. */
  readonly startSeconds?: bigint;
  /** False for long runs that look at no events: those of blocks that have ended are not kept then. */
  readonly keepsEvents?: boolean;
  /** The present ones unless they are given. */
  readonly rules?: MarketRules;
}

export interface RigResult {
  /** 0, or a code of docs/protocol/30-node-api-endpoints.md#71-abci-result-codes. */
  readonly code: number;
  readonly text: string;
  /** Of a refusal: the party's own, such as `needed` and `available`. */
  readonly numbers?: Readonly<Record<string, bigint | string>>;
  /** The transaction's root: the id of the order or provision that it made. */
  readonly id: string;
}

export interface RigBookLevel {
  /** In market precision, floored. */
  readonly price: bigint;
  readonly volume: bigint;
}

export interface RigEvent {
  readonly member: string;
  // biome-ignore lint/suspicious/noExplicitAny: an event is looked at as it is
  readonly payload: any;
}

const MARKET_EVENTS: ReadonlySet<string> = new Set(["marketCreated", "marketUpdated"]);

const OPTIONS: OptionNames<MarketRigOptions> = {
  assets: true,
  parameters: true,
  startSeconds: true,
  keepsEvents: true,
  rules: true,
};

/** @throws Error for an unknown option */
export function createMarketRig(options: MarketRigOptions = {}): MarketRig {
  const wrong = unknownOption(options, Object.keys(OPTIONS));
  if (wrong) throw new Error(`${wrong.message}; ${wrong.hint}`);
  return new MarketRig(options);
}

/** A proposal as the engine keeps it: its vote is not held here. */
function recordOf(
  { id, reference, partyId, terms }: Pick<Proposal, "id" | "reference" | "partyId" | "terms">,
  timestampNs: bigint,
) {
  return {
    sequence: 0,
    id,
    reference,
    party: partyId,
    state: ProposalState.STATE_OPEN,
    timestampNs,
    terms: terms!,
    rationale: { description: "", title: "" },
    requiredParticipation: "0",
    requiredMajority: "0",
    requiredLpParticipation: "0",
    requiredLpMajority: "0",
  };
}

/** @throws Error for an amount that would break the ledger */
function checkAmount(amount: bigint): void {
  if (typeof amount !== "bigint" || amount < 0n)
    throw new Error(`an amount is a bigint, 0n or more, not ${String(amount)}`);
}

export class MarketRig {
  readonly engine: Engine;
  /** Whether a market's price bounds exist; a chain of several validators takes some blocks to agree on them. */
  hasModels: (market: string) => boolean = () => true;
  /** Ids that follow others in a transaction otherwise than by their hash: those that a chain has recorded. */
  readonly idsAfter = new Map<string, string>();
  /** Errors that no rule of the engine meant: there should be none. */
  readonly faults: unknown[] = [];
  private timeNs: bigint;
  private nonce = 0;
  private isOpen = false;
  /** Events of blocks that have ended, and how many of the running one were read. */
  private readonly past: RigEvent[] = [];

  private readonly keepsEvents: boolean;
  private readonly assetIds: ReadonlyMap<string, string>;
  private blocks = 0;

  constructor({
    assets = { ETH: {} },
    parameters = {},
    startSeconds = START,
    keepsEvents = true,
    rules,
  }: MarketRigOptions) {
    this.keepsEvents = keepsEvents;
    this.assetIds = new Map(Object.entries(assets).map(([name, { id }]) => [name, id ?? idOf(name)]));
    this.timeNs = startSeconds * SECOND_NS;
    const genesis = rigGenesis({ assets, assetIds: this.assetIds, parameters, startSeconds });
    this.engine = new Engine(readGenesis(genesis), {
      onCommandError: (_subject, error) => this.faults.push(error),
      onMarketHalted: (_market, _step, error) => this.faults.push(error),
      hasModels: (market) => this.hasModels(market),
      idAfter: (id) => this.idsAfter.get(id),
      ...(rules && { marketRules: rules }),
    });
    this.engine.initChain();
    this.finish();
    this.beginBlock();
  }

  /** Block time, Unix nanoseconds. */
  get nowNs(): bigint {
    return this.timeNs;
  }

  /** Begins a block. @param afterSeconds since the last one */
  beginBlock(afterSeconds: number | bigint = 1): void {
    if (this.isOpen) throw new Error("a block is open already");
    this.timeNs += BigInt(afterSeconds) * SECOND_NS;
    this.beginBlockAt(this.timeNs);
  }

  /** Begins a block at a time. @param hash of the block, hex; identifiers of ticks come from it */
  beginBlockAt(timeNs: bigint, hash?: string): void {
    this.timeNs = timeNs;
    const height = this.engine.core.height + (this.blocks <= 1 ? 0 : 1);
    this.engine.beginBlock({ height, timeNs, hash: hash ?? height.toString(16).padStart(64, "0") });
    this.isOpen = true;
  }

  /** Ends the block. @returns its events */
  endBlock(): RigEvent[] {
    this.engine.endBlock();
    this.isOpen = false;
    return this.finish();
  }

  /** Ends this block and begins the next, so often. */
  nextBlock(afterSeconds: number | bigint = 1, times = 1): void {
    for (let i = 0; i < times; i++) {
      this.endBlock();
      this.beginBlock(afterSeconds);
    }
  }

  /** Makes a market, its vote won: its opening auction runs. @returns its id */
  createMarket(name: string, config: RigMarket): string {
    const id = this.proposeMarket(name, config);
    this.engine.domains.markets.onVoteClosed(id, true);
    return id;
  }

  /** Makes a market whose vote is not over. @returns its id */
  proposeMarket(name: string, config: RigMarket): string {
    const id = idOf(name);
    if (this.hasMarket(name)) throw new Error(`there is a market ${name} already`);
    const now = this.timeNs / SECOND_NS;
    const changes = configurationOf(config, this.assetId(config.asset), name);
    const terms = decodeProposalTerms(
      encodeProposalTerms({
        closingTimestamp: now,
        enactmentTimestamp: now + BigInt(config.openingSeconds ?? 1),
        newMarket: { changes },
      }),
    );
    const proposal = { id, reference: name, partyId: idOf("proposer"), terms };
    this.engine.domains.markets.propose(recordOf(proposal, this.timeNs));
    return id;
  }

  /** Changes a market, the vote on that won and its time come. Asset and decimals stay what they were. */
  updateMarket(name: string, config: RigMarket): void {
    const now = this.timeNs / SECOND_NS;
    const changes = updateOf(config, this.assetId(config.asset), name);
    const terms = decodeProposalTerms(
      encodeProposalTerms({
        closingTimestamp: now,
        enactmentTimestamp: now,
        updateMarket: { marketId: idOf(name), changes },
      }),
    );
    const proposal = { id: this.nextId(), reference: name, partyId: idOf("proposer"), terms };
    this.updateRecorded(proposal, this.timeNs);
  }

  /** Makes the market of a proposal that a chain has recorded as open. */
  proposeRecorded(
    proposal: Pick<Proposal, "id" | "reference" | "partyId" | "terms">,
    timestampNs: bigint,
  ): void {
    this.engine.domains.markets.propose(recordOf(proposal, timestampNs));
  }

  /** Changes the market of a proposal that a chain has recorded as enacted. */
  updateRecorded(
    proposal: Pick<Proposal, "id" | "reference" | "partyId" | "terms">,
    timestampNs: bigint,
  ): void {
    this.engine.domains.markets.update(recordOf(proposal, timestampNs));
  }

  /** Factors of a market's risk model as a chain has agreed on them. @param long decimals */
  setRiskFactors(market: string, long: string, short: string): void {
    this.market(market).context.updateRecord({ riskLong: long, riskShort: short });
  }

  /** The vote on a market has ended. */
  decide(market: string, isPassed: boolean): void {
    this.engine.domains.markets.onVoteClosed(idOf(market), isPassed);
  }

  /** Money from outside, on a party's general account. @param party any name: the same from here on */
  deposit(party: string, asset: string, amount: bigint): void {
    const { collateral } = this.engine.domains;
    const id = this.knownAssetId(asset);
    checkAmount(amount);
    const to = collateral.ensureGeneral(party, id);
    collateral.emitMovements([collateral.deposit(id, to, amount, TransferType.TRANSFER_TYPE_DEPOSIT)]);
  }

  /** Money into a market's insurance. */
  fundInsurance(market: string, amount: bigint): void {
    const { collateral } = this.engine.domains;
    const { accounts } = this.market(market).context;
    checkAmount(amount);
    const movement = collateral.deposit(
      accounts.asset,
      accounts.insurance,
      amount,
      TransferType.TRANSFER_TYPE_DEPOSIT,
    );
    collateral.emitMovements([movement]);
  }

  /** Takes money out of a general account. */
  withdraw(party: string, asset: string, amount: bigint): void {
    const { collateral } = this.engine.domains;
    const id = this.knownAssetId(asset);
    checkAmount(amount);
    const from = accountId(id, AccountType.ACCOUNT_TYPE_GENERAL, party);
    collateral.emitMovements([collateral.withdraw(id, from, amount, TransferType.TRANSFER_TYPE_WITHDRAW)]);
  }

  /** Sets a network parameter, as an enacted proposal does. */
  setParameter(key: string, value: string): void {
    this.engine.setParameter(key, value);
  }

  /**
   * A command of a party, without signature and proof. Its code is 60 where the mempool would refuse its form, unless the
   * engine has a refusal of its own for it.
   * @param id root of the identifiers that it makes; one of its own unless it is given
   * @param isRecorded a chain has executed it: its form is not looked at, because another version's rules may differ
   */
  deliver(party: string, command: CommandInit, id = this.nextId(), isRecorded = false): RigResult {
    if (!COMMAND_KINDS.includes(command.kind)) throw new Error(`there is no command ${command.kind}`);
    const tx = transactionOf(party, command, id);
    const errors = new PropertyErrors();
    if (!isRecorded) noteCommandErrors(command.kind, tx.payload as never, errors);
    if (!errors.isEmpty && !refusesForm(command.kind, tx.payload, errors))
      return { code: 60, text: errors.toString(), id };
    const { code, text, numbers } = this.engine.deliver(tx);
    return { code, text, id, ...(numbers && { numbers }) };
  }

  /** A limit or market order, in the market's own decimals. */
  order(
    party: string,
    market: string,
    side: "buy" | "sell",
    size: bigint | number,
    price: bigint | number | undefined,
    more: RigOrder & { readonly id?: string } = {},
  ): RigResult {
    return this.deliver(party, orderOf(market, side, size, price, more), more.id);
  }

  /** Changes an order of the party. */
  amend(party: string, market: string, orderId: string, change: RigAmendment): RigResult {
    return this.deliver(party, { kind: "orderAmendment", payload: amendmentOf(market, orderId, change) });
  }

  /** Cancels an order, all orders of the party in a market, or, where no market is named, all that it has. */
  cancel(party: string, market?: string, orderId = ""): RigResult {
    const payload = { orderId, marketId: market === undefined ? "" : idOf(market) };
    return this.deliver(party, { kind: "orderCancellation", payload });
  }

  /** Carries out instructions of a party as one transaction; {@link amendmentOf} and {@link orderOf} make parts of it. */
  batch(
    party: string,
    { cancellations = [], amendments = [], submissions = [] }: Partial<Init<BatchMarketInstructions>>,
  ): RigResult {
    const payload = { cancellations, amendments, submissions };
    return this.deliver(party, { kind: "batchMarketInstructions", payload });
  }

  /** Commits liquidity. */
  provide(party: string, market: string, provision: RigProvision): RigResult {
    return this.deliver(party, {
      kind: "liquidityProvisionSubmission",
      payload: provisionOf(market, provision),
    });
  }

  /** Changes the party's provision; what is left out stays: commitment and fee are stated then, because the network refuses an amendment without them. */
  amendProvision(party: string, market: string, change: Partial<RigProvision>): RigResult {
    const commitment = this.hasMarket(market) ? (this.provision(party, market)?.commitment ?? 0n) : 0n;
    const payload = provisionOf(market, { commitment: commitment.toString(), fee: "0", ...change });
    return this.deliver(party, { kind: "liquidityProvisionAmendment", payload });
  }

  cancelProvision(party: string, market: string): RigResult {
    return this.deliver(party, {
      kind: "liquidityProvisionCancellation",
      payload: { marketId: idOf(market) },
    });
  }

  /** Data of the market's oracle: the end of its trading. */
  terminate(oracle = RIG_ORACLE): RigResult {
    return this.oracleData({ [TERMINATION_PROPERTY]: "true" }, oracle);
  }

  /** Data of the market's oracle: the price at which it settles. */
  settle(price: bigint | number, oracle = RIG_ORACLE): RigResult {
    return this.oracleData({ [SETTLEMENT_PROPERTY]: price.toString() }, oracle);
  }

  oracleData(data: Readonly<Record<string, string>>, oracle = RIG_ORACLE): RigResult {
    const payload = new TextEncoder().encode(JSON.stringify(data));
    return this.deliver(oracle, { kind: "oracleDataSubmission", payload: { source: 2, payload } });
  }

  /** The market as the engine has it. @throws Error when it is not there (any more) */
  market(name: string): Market {
    const market = this.engine.domains.markets.get(idOf(name));
    if (market === undefined) throw new Error(`there is no market ${name}`);
    return market;
  }

  hasAsset(name: string): boolean {
    return this.engine.domains.assets.isEnabled(this.assetId(name));
  }

  hasMarket(name: string): boolean {
    return this.engine.domains.markets.get(idOf(name)) !== undefined;
  }

  /** A live order: on a book or parked. */
  liveOrder(id: string): StoredOrder | undefined {
    return this.engine.domains.markets.tables.orders.get(id);
  }

  /** Live orders of a party, by id. */
  liveOrders(party: string, market: string): StoredOrder[] {
    return this.market(market).parts.liveOrders.ofParty(party);
  }

  /** Levels of a side, the best first. */
  book(market: string, side: "buy" | "sell"): RigBookLevel[] {
    const { book, terms } = this.market(market).context;
    const levels: { price: bigint; volume: bigint }[] = [];
    for (const { price: internal, volume } of book.levels(side === "buy" ? BUY : SELL)) {
      const price = internal / terms.priceFactor;
      const last = levels.at(-1);
      // Pegs can lie between ticks.
      if (last?.price === price) last.volume += volume;
      else levels.push({ price, volume });
    }
    return levels;
  }

  /** Orders of a side as they are matched: by price, and in the order of their levels. */
  queue(market: string, side: "buy" | "sell"): StoredOrder[] {
    const levels = this.market(market).context.book.levels(side === "buy" ? BUY : SELL);
    return [...levels].flatMap(({ orders }) => [...orders]);
  }

  /** An order as it was shown last, also one that has ended. @returns undefined where no event showed it */
  shownOrder(id: string): Order | undefined {
    return this.events("order").findLast(({ payload }) => payload.id === id)?.payload;
  }

  /** A market as it was shown last: state, mode, fees, times. Also one that is gone. */
  shownMarket(market: string): MarketMessage | undefined {
    const id = idOf(market);
    return this.events().findLast(({ member, payload }) => MARKET_EVENTS.has(member) && payload.id === id)
      ?.payload;
  }

  /** A party's provision as it was shown last, also one that has ended. */
  shownProvision(party: string, market: string): LiquidityProvision | undefined {
    const id = idOf(market);
    return this.events("liquidityProvision").findLast(
      ({ payload }) => payload.partyId === party && payload.marketId === id,
    )?.payload;
  }

  /** Entries of the ledger so far, in their order. @param type of transfer; all unless it is given */
  transfers(type?: number): LedgerEntry[] {
    return this.events("ledgerMovements")
      .flatMap(({ payload }) => (payload as LedgerMovements).ledgerMovements)
      .flatMap(({ entries }) => entries)
      .filter((entry) => type === undefined || entry.type === type);
  }

  position(party: string, market: string): Position | undefined {
    return this.market(market).parts.positions.get(party);
  }

  /**
   * The position as the data API shows it, with profits and losses, of the events so far. Also of a market that is gone.
   * @returns undefined where the party has not traded
   */
  shownPosition(party: string, market: string): ShownPosition | undefined {
    return positionOfEvents(this.events(), idOf(market), party);
  }

  provision(party: string, market: string): Provision | undefined {
    return this.market(market).parts.provisions.get(party);
  }

  /** Balance of a party's account; 0 where there is none. */
  balance(
    party: string,
    asset: string,
    type: "general" | "margin" | "bond" = "general",
    market?: string,
  ): bigint {
    const types = {
      general: AccountType.ACCOUNT_TYPE_GENERAL,
      margin: AccountType.ACCOUNT_TYPE_MARGIN,
      bond: AccountType.ACCOUNT_TYPE_BOND,
    };
    const of = market === undefined ? undefined : idOf(market);
    return this.engine.domains.collateral.balance(
      accountId(this.knownAssetId(asset), types[type], party, of),
    );
  }

  /** Balance of an account of a market, or of the network in an asset. */
  systemBalance(asset: string, type: number, market?: string): bigint {
    const of = market === undefined ? undefined : idOf(market);
    return this.engine.domains.collateral.balance(
      accountId(this.assetId(asset), type as never, undefined, of),
    );
  }

  /** Every account, by id. */
  accounts(): readonly Account[] {
    return this.engine.domains.collateral.entries().map(([, account]) => account);
  }

  /** All events so far: those of the running block, too. */
  events(member?: string): RigEvent[] {
    const all = [...this.past, ...this.running()];
    return member === undefined ? all : all.filter((event) => event.member === member);
  }

  /** All trades so far, of a market if one is named. */
  trades(market?: string): Trade[] {
    const id = market === undefined ? undefined : idOf(market);
    return this.events("trade")
      .map(({ payload }) => payload as Trade)
      .filter(({ marketId }) => id === undefined || marketId === id);
  }

  /** The margin levels that were shown last. */
  marginLevels(party: string, market: string): MarginLevels | undefined {
    const id = idOf(market);
    return this.events("marginLevels")
      .map(({ payload }) => payload as MarginLevels)
      .findLast((levels) => levels.partyId === party && levels.marketId === id);
  }

  /** The market's data at this moment. */
  marketData(market: string): MarketData {
    const { core } = this.engine;
    const events = core.log.length;
    this.market(market).emitData();
    const [data] = this.decoded({ events: core.log.blockEvents().events.slice(-1) });
    core.log.truncate(events);
    return data!.payload as MarketData;
  }

  /** Forgets the events of blocks that have ended: a long run does not grow by them. */
  forgetEvents(): void {
    this.past.length = 0;
  }

  /** The state's digest: the same for the same state, whatever led to it. */
  digest(): string {
    return this.engine.state.digest();
  }

  /** @throws Error for a name of no asset */
  private knownAssetId(name: string): string {
    if (!this.hasAsset(name)) throw new Error(`there is no asset ${name}`);
    return this.assetId(name);
  }

  private assetId(name: string): string {
    return this.assetIds.get(name) ?? idOf(name);
  }

  private nextId(): string {
    this.nonce += 1;
    return idOf(`transaction ${this.nonce}`);
  }

  private finish(): RigEvent[] {
    const { block } = this.engine.commit();
    this.blocks += 1;
    if (!this.keepsEvents) return [];
    const events = this.decoded(block);
    this.past.push(...events);
    return events;
  }

  private running(): RigEvent[] {
    return this.isOpen ? this.decoded(this.engine.core.log.blockEvents()) : [];
  }

  private decoded({ events }: Pick<Block, "events">): RigEvent[] {
    return events.map((event) => {
      const decoded = decodeBusEvent(bareEvent(event));
      const member = memberOf(decoded)!;
      return { member, payload: decoded[member] };
    });
  }
}
