/**
 * Executes the market commands of a recording again, block by block at the recorded times and with the recorded identifiers, and
 * compares what comes of them with what the chain has recorded, event by event and field by field. Deposits, decided votes and
 * network parameters are taken from the recording: they are the other domains' affair.
 */

import { sha3HexOf } from "../crypto/sha.ts";
import { CommandError } from "../engine/errors.ts";
import { type MarketRules, marketRulesOf } from "../engine/markets/rules.ts";
import { PARAMETERS } from "../engine/parameter-definitions.ts";
import { reasonOf } from "../errors/node-error.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import type { Difference } from "./difference.ts";
import { createMarketRig, type MarketRig } from "./market-rig.ts";
import { isOfBlock, type RecordedBlock, type RecordedEvent } from "./recorded-blocks.ts";
import {
  accountKey,
  entriesOf,
  GENERAL,
  isOfMarkets,
  isParty,
  isSetAlone,
  type LedgerEntry,
} from "./recorded-money.ts";
import { isOpenMarket, isUpgrade, MARKET_SHOWN, type RecordingFacts } from "./recording-facts.ts";
import { differingFields, LEDGER, type Said, type Statement, saidOf, short } from "./statements.ts";

export { FactsOfRecording } from "./recording-facts.ts";

export interface Tally {
  /** Events that are the same in every field. */
  same: number;
  readonly differences: Difference[];
}

/** The ways of a network before 0.71: its rules, and where its events differ from those of the engine. */
export interface OlderNetwork {
  readonly rules: MarketRules;
  /** Kinds of events of which a block's last about each subject counts. */
  readonly lastOnly: ReadonlySet<string>;
  /** An event of the recording, whether it differs or not. */
  note(event: RecordedEvent): void;
  /** Why a difference is to be expected; undefined where it is not. */
  reasonFor(difference: Difference, event: RecordedEvent): string | undefined;
}

const STATE_PROPOSED = 1;
const STATE_PASSED = 3;
const STATE_DECLINED = 5;
const STATE_ENACTED = 6;
/** Parameters of other domains stay as they are by default: some of them would ask for what the rig does not have. */
const MARKET_PARAMETER =
  /^(market\.|network\.markPrice|network\.floating|limits\.markets\.max|rewards\.marketCreation|spam\.protection\.max\.batchSize)/;
/** Events that only a command makes when they come with a transaction. */
const OF_COMMANDS: ReadonlySet<string> = new Set(["order", "liquidityProvision", "oracleData"]);
/** State variables of price bounds. */
const BOUNDS = /_([0-9a-f]{64})_bound-factors$/;

const MARKET_COMMANDS = [
  "orderSubmission",
  "orderAmendment",
  "orderCancellation",
  "liquidityProvisionSubmission",
  "liquidityProvisionAmendment",
  "liquidityProvisionCancellation",
  "batchMarketInstructions",
  "oracleDataSubmission",
] as const;

export class ReExecution {
  private readonly rig: MarketRig;
  /** Markets whose commands are not executed. */
  private readonly foreign: Set<string>;
  private readonly missingKinds: ReadonlySet<string>;
  /** Markets that the engine has made. */
  private readonly own = new Set<string>();
  /** Orders that the recording has shown. */
  private readonly shown = new Set<string>();
  /** Balances of general accounts that recorded events said last. */
  private readonly balances = new Map<string, bigint>();
  /** Counts of things that are not the engine's to judge. */
  private readonly counts = new Map<string, number>();
  private readonly ownFaults: string[] = [];
  private readonly decided = new Set<string>();
  private readonly hasUpgrade: boolean;
  /** The last recorded event of each kind about each subject, where an upgrade may show it again. */
  private readonly lastShown = new Map<string, string>();
  /** The last block ended with an upgrade: the nodes restart from a snapshot. */
  private isRestored = false;
  private last: Pick<RecordedBlock, "height" | "hash">;
  private isStopped = false;
  /** Markets whose price bounds the chain's validators have agreed on by now. */
  private readonly agreed = new Set<string>();
  private readonly tallies = new Map<string, Tally>();
  private readonly lastOnly: ReadonlySet<string>;
  blocks = 0;
  commands = 0;

  /**
   * @param first block of the recording: its state is where the execution begins
   * @param rules of the network that it is of, unless that is an older one
   * @param older the older network that it is of
   */
  constructor(
    first: RecordedBlock,
    facts: RecordingFacts,
    rules: "default" | "0.71.6" = "0.71.6",
    private readonly older?: OlderNetwork,
  ) {
    const { assets, hasAgreements, foreignMarkets, missingKinds, opening } = facts;
    this.last = first;
    this.foreign = new Set(foreignMarkets);
    this.missingKinds = missingKinds;
    this.hasUpgrade = facts.hasUpgrade;
    const parameters: Record<string, string> = {};
    for (const [key, { initial }] of PARAMETERS) if (MARKET_PARAMETER.test(key)) parameters[key] = initial;
    this.rig = createMarketRig({
      ...(assets.length > 0 && { assets: Object.fromEntries(assets.map((asset) => [asset.id, asset])) }),
      parameters,
      startSeconds: first.timeNs / SECOND_NS,
      rules: older?.rules ?? marketRulesOf(rules),
    });
    if (hasAgreements) this.rig.hasModels = (market) => this.agreed.has(market);
    this.lastOnly = older?.lastOnly ?? new Set();
    for (const { member, payload } of first.events) {
      if (member === "networkParameter") this.setParameter(payload);
      if (member === "account") this.noteBalance(payload);
    }
    const isWhole = first.events.some(({ member }) => member === "networkParameter");
    // Behind its first block a chain's accounts begin empty.
    if (first.height > 1 || !isWhole)
      for (const [key, balance] of opening) if (!this.balances.has(key)) this.balances.set(key, balance);
    for (const [key, balance] of this.balances) {
      const [owner, asset] = JSON.parse(key) as [string, string];
      this.giveMoney(owner, asset, balance);
    }
    this.rig.endBlock();
    if (!isWhole)
      this.count(
        `the recording begins at block ${first.height}, without the state of that block: parameters have their defaults until they change`,
      );
    if (first.events.some(({ member, payload }) => member === "transactionResult" && commandOf(payload)))
      this.count(`block ${first.height} is where the execution begins: its own commands are not executed`);
    if (assets.length === 0) this.count("the recording names no asset");
    for (const kind of missingKinds) this.count(`the recording has no ${kind}: that is not compared`);
  }

  /** Errors of the engine that no rule meant. */
  get faults(): readonly unknown[] {
    return [...this.rig.faults, ...this.ownFaults];
  }

  /** In words: what the recording does not say, and what was passed over because of that. */
  get notes(): readonly string[] {
    return [...this.counts].map(([text, count]) => (count > 1 ? `${text} (${count} times)` : text));
  }

  /** By kind of event. */
  get results(): ReadonlyMap<string, Readonly<Tally>> {
    return new Map([...this.tallies].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  run(block: RecordedBlock): void {
    if (this.isStopped || this.isRepeated(block)) return;
    this.blocks++;
    try {
      this.execute(block);
    } catch (error) {
      // The state is not to be trusted behind an error that came out of a block.
      this.isStopped = true;
      this.ownFaults.push(`block ${block.height}, where the execution ends: ${reasonOf(error)}`);
    }
  }

  private execute(block: RecordedBlock): void {
    const ticked = markedTick(block);
    // Epochs end before the markets' turn: what they pay out is available for margins.
    for (const event of block.events.slice(0, ticked)) this.takeOver(block, event);
    this.rig.beginBlockAt(block.timeNs, block.hash);
    for (const [at, event] of block.events.entries()) {
      this.older?.note(event);
      if (at >= ticked) this.takeOver(block, event);
      if (event.member === "transactionResult") this.deliver(block, event);
    }
    for (const { member, payload } of block.events) {
      if (member === "order") this.shown.add(payload.id);
      const [, market] = (member === "stateVar" && BOUNDS.exec(payload.id)) || [];
      if (market !== undefined && /consensus_reached|perfect_match/.test(payload.state))
        this.agreed.add(market);
    }
    const produced = saidOf(this.rig.endBlock(), this.lastOnly);
    this.rig.forgetEvents();
    const events = this.foreign.size === 0 ? block.events : block.events.filter((event) => this.isOwn(event));
    const recorded = saidOf(events, this.lastOnly, this.foreign);
    this.compare(block.height, recorded, produced);
    if (this.hasUpgrade) {
      for (const [kind, statements] of recorded)
        for (const { subject, text } of statements) this.lastShown.set(`${kind} ${subject}`, text);
    }
    this.noteUnknown(block, events);
    this.isRestored = block.events.some(({ member, payload }) => isUpgrade(member, payload));
  }

  /** Transactions that did something on markets, and whose command is not there. */
  private noteUnknown(block: RecordedBlock, own: readonly RecordedEvent[]): void {
    const results = block.events.filter(({ member }) => member === "transactionResult");
    const withResult = new Set(results.map(({ tx }) => tx));
    const unknown = own.filter(
      ({ member, tx }) => OF_COMMANDS.has(member) && !withResult.has(tx) && !isOfBlock(block, tx),
    );
    for (const _tx of new Set(unknown.map(({ tx }) => tx)))
      this.count("a transaction did something on a market, and the recording has no result of it");
  }

  /** Files may overlap, and a node that takes up its stream again may send a block twice. */
  private isRepeated({ height, hash }: RecordedBlock): boolean {
    const { last } = this;
    // The first block of a chain has the height of the pseudo block of its genesis.
    if (height < last.height || (height === last.height && hash === last.hash)) {
      this.count("a block came again and was passed over");
      return true;
    }
    if (height > last.height + 1) {
      const missing = `${last.height + 1}${height > last.height + 2 ? ` to ${height - 1}` : ""}`;
      this.count(`the recording has no block ${missing}: what was done there is not known`);
    }
    this.last = { height, hash };
    return false;
  }

  /** The recording decides on money, parameters and votes. */
  private takeOver(block: RecordedBlock, { member, payload, tx }: RecordedEvent): void {
    const { rig } = this;
    if (member === "ledgerMovements") {
      const entries = entriesOf(payload);
      if (!isOfMarkets(entries) || entries.some((entry) => this.isForeign(entry)))
        for (const entry of entries) this.moveMoney(entry);
    }
    const isSet = member === "account" && !this.missingKinds.has("ledgerMovements");
    if (member === "account") this.noteBalance(payload, isSet && isSetAlone(block, payload, tx));
    // Several validators worked these out, within a tolerance: the last digits are theirs.
    if (member === "riskFactor" && rig.hasMarket(payload.market))
      rig.setRiskFactors(payload.market, payload.long, payload.short);
    if (member === "networkParameter") this.setParameter(payload);
    if (member !== "proposal") return;
    const { id, state, terms } = payload;
    const market: string | undefined = terms?.updateMarket?.marketId;
    const isUpdate = market !== undefined && state === STATE_ENACTED && !this.decided.has(id);
    if (isUpdate) this.decided.add(id);
    if (isUpdate && rig.hasMarket(market) && terms.updateMarket.changes?.instrument?.future !== undefined)
      this.attempt(`block ${block.height}, the update of market ${short(market)}`, () =>
        rig.updateRecorded(payload, block.timeNs),
      );
    if (isOpenMarket(member, payload) && !this.own.has(id) && !this.foreign.has(id))
      this.propose(block, payload);
    const isDecided = state === STATE_PASSED || state === STATE_DECLINED;
    if (terms?.newMarket !== undefined && isDecided && rig.hasMarket(id) && !this.decided.has(id)) {
      this.decided.add(id);
      rig.decide(id, state === STATE_PASSED);
    }
  }

  private propose({ timeNs }: RecordedBlock, proposal: RecordedEvent["payload"]): void {
    const { id, terms } = proposal;
    const future = terms.newMarket.changes?.instrument?.future;
    const problem =
      future === undefined
        ? "it is not a future"
        : this.rig.hasAsset(future.settlementAsset)
          ? undefined
          : "the recording does not describe its asset";
    if (problem !== undefined) {
      this.foreign.add(id);
      this.count(`market ${short(id)} is passed over: ${problem}`);
      return;
    }
    this.own.add(id);
    this.rig.proposeRecorded(proposal, timeNs);
  }

  private setParameter({ key, value }: RecordedEvent["payload"]): void {
    if (!MARKET_PARAMETER.test(key)) return;
    try {
      this.rig.setParameter(key, value);
    } catch (error) {
      this.count(`the parameter ${key} = ${cut(value)} is not one of this version: ${reasonOf(error)}`);
    }
  }

  private attempt(what: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.ownFaults.push(`${what}: ${error.message}`);
    }
  }

  private count(text: string): void {
    this.counts.set(text, (this.counts.get(text) ?? 0) + 1);
  }

  /** Other domains change the accounts that markets take margins from. */
  private moveMoney({ fromAccount: from, toAccount: to, amount }: LedgerEntry): void {
    if (from?.type === GENERAL && isParty(from.owner))
      this.takeMoney(from.owner, from.assetId, BigInt(amount));
    if (to?.type === GENERAL && isParty(to.owner)) this.giveMoney(to.owner, to.assetId, BigInt(amount));
  }

  private giveMoney(owner: string, asset: string, amount: bigint): void {
    if (amount > 0n && this.rig.hasAsset(asset)) this.rig.deposit(owner, asset, amount);
  }

  private takeMoney(owner: string, asset: string, amount: bigint): void {
    if (!this.rig.hasAsset(asset)) return;
    const balance = this.rig.balance(owner, asset);
    const there = amount < balance ? amount : balance;
    if (there < amount)
      this.count("a party paid more than the engine has on its account: the rest is left out");
    if (there > 0n) this.rig.withdraw(owner, asset, there);
  }

  /** @param isSet a tool has set the balance without a movement */
  private noteBalance({ type, owner, asset, balance }: RecordedEvent["payload"], isSet = false): void {
    if (type !== GENERAL || !isParty(owner)) return;
    const key = accountKey(owner, asset);
    const now = BigInt(balance);
    const change = now - (this.balances.get(key) ?? 0n);
    this.balances.set(key, now);
    if (!isSet) return;
    if (change < 0n) this.takeMoney(owner, asset, -change);
    else this.giveMoney(owner, asset, change);
  }

  private isForeign({ fromAccount, toAccount }: LedgerEntry): boolean {
    return [fromAccount, toAccount].some((account) => this.foreign.has(account?.marketId));
  }

  /** Of no market whose state is unknown. */
  private isOwn({ member, payload }: RecordedEvent): boolean {
    // Data can be for both.
    if (member === "oracleData") return false;
    const market = MARKET_SHOWN[member]?.(payload) ?? payload.marketId;
    return !this.foreign.has(market);
  }

  private deliver(block: RecordedBlock, event: RecordedEvent): void {
    const { payload } = event;
    const kind = commandOf(payload);
    if (kind === undefined) return;
    const markets = marketsOf(kind, payload[kind]);
    const foreign = markets.filter((market) => this.foreign.has(market));
    if (foreign.length > 0 && foreign.length === markets.length) {
      this.count(FOREIGN_COMMAND);
      return;
    }
    // Markets that are left out have pegged orders, too.
    if (this.foreign.size > 0 && kind === "orderSubmission" && payload.failure?.error.includes(PEGS_FULL)) {
      this.count("a pegged order that was refused because of all markets' pegged orders was passed over");
      return;
    }
    const command = { kind, payload: payload[kind] } as never;
    const { code, text } = this.rig.deliver(payload.partyId, command, this.idOf(block, event), true);
    this.commands++;
    // Verdicts on what concerns markets of both kinds, and data that either may wait for, say nothing.
    if (foreign.length > 0 || (kind === "oracleDataSubmission" && this.foreign.size > 0)) return;
    const tally = this.tallyOf("verdict");
    if ((code === 0) === payload.status) {
      tally.same++;
      return;
    }
    tally.differences.push({
      height: block.height,
      kind: "verdict",
      subject: `${kind} of ${short(payload.partyId)}`,
      recorded: payload.failure?.error ?? "accepted",
      made: text || "accepted",
      fields: [],
      reason: undefined,
    });
  }

  /** The root of a transaction's identifiers, by what it made. */
  private idOf(block: RecordedBlock, { tx, payload }: RecordedEvent): string | undefined {
    const mine = block.events.filter((event) => event.tx === tx);
    const ownOrder = mine.find(({ member, payload: order }) => {
      const isOwn = order.partyId === payload.partyId && order.liquidityProvisionId === "";
      return member === "order" && isOwn && !this.shown.has(order.id);
    });
    for (const { member, payload: order } of mine) if (member === "order") this.shown.add(order.id);
    const provision = mine.find(({ member }) => member === "liquidityProvision")?.payload;
    if (payload.liquidityProvisionSubmission !== undefined) return provision?.id;
    if (payload.liquidityProvisionAmendment !== undefined)
      return (provision?.buys[0] ?? provision?.sells[0])?.orderId;
    // An amendment may trade, and makes nothing else.
    const first = ownOrder ?? mine.find(({ member }) => member === "trade");
    const { batchMarketInstructions: batch } = payload;
    if (batch === undefined || first === undefined) return first?.payload.id;
    // Submissions of a batch that are refused without an order have taken their ids all the same.
    const isIts = (submission: LedgerEntry) =>
      SAME_OF_ORDER.every((name) => submission[name] === first.payload[name]);
    const at = ownOrder === undefined ? batch.submissions.length : batch.submissions.findIndex(isIts);
    let { id } = first.payload;
    const isForeign =
      batch.submissions.length > at &&
      marketsOf("batchMarketInstructions", batch).some((market) => this.foreign.has(market));
    if (isForeign) {
      // The trades of the other markets have taken ids, too.
      const trades = mine.filter(
        ({ member, payload: trade }) => member === "trade" && !this.foreign.has(trade.marketId),
      );
      let last = id;
      for (let left = batch.submissions.length - at; left > 1; left--)
        last = sha3HexOf(Uint8Array.fromHex(last));
      for (const { payload: trade } of trades) {
        this.rig.idsAfter.set(last, trade.id);
        last = trade.id;
      }
    }
    for (let before = 0; before < at; before++) {
      const unknown = sha3HexOf(new TextEncoder().encode(`before ${id}`));
      this.rig.idsAfter.set(unknown, id);
      id = unknown;
    }
    return id;
  }

  private compare(height: number, recorded: Said, executed: Said): void {
    for (const kind of new Set([...recorded.keys(), ...executed.keys()])) {
      const member = kind === LEDGER ? "ledgerMovements" : kind;
      if (this.missingKinds.has(member) || (kind === "oracleData" && this.foreign.size > 0)) continue;
      const tally = this.tallyOf(kind);
      const rest = [...(executed.get(kind) ?? [])];
      const missing: Statement[] = [];
      for (const statement of recorded.get(kind) ?? []) {
        const at = rest.findIndex(({ text }) => text === statement.text);
        if (at < 0) missing.push(statement);
        else {
          tally.same++;
          rest.splice(at, 1);
        }
      }
      for (const one of missing) {
        const at = rest.findIndex(({ subject }) => subject === one.subject);
        const other = at < 0 ? undefined : rest.splice(at, 1)[0];
        tally.differences.push(this.difference(height, kind, one, other));
      }
      for (const other of rest) tally.differences.push(this.difference(height, kind, undefined, other));
    }
  }

  private difference(
    height: number,
    kind: string,
    recorded: Statement | undefined,
    executed: Statement | undefined,
  ): Difference {
    const { subject, event } = (recorded ?? executed)!;
    const difference: Difference = {
      height,
      kind,
      subject,
      recorded: recorded?.text,
      made: executed?.text,
      fields: recorded && executed ? differingFields(recorded.event.payload, executed.event.payload) : [],
      reason: undefined,
    };
    const reason = isShownAgain(difference, event)
      ? "a new market is shown once, and not again for each of its parameters"
      : this.isShownByRestart(difference)
        ? "nodes that restart after an upgrade show the existing state again"
        : this.older?.reasonFor(difference, event);
    return { ...difference, reason };
  }

  private isShownByRestart({ kind, subject, recorded, made: executed }: Difference): boolean {
    return this.isRestored && executed === undefined && this.lastShown.get(`${kind} ${subject}`) === recorded;
  }

  private tallyOf(kind: string): Tally {
    const tally = this.tallies.get(kind) ?? { same: 0, differences: [] };
    this.tallies.set(kind, tally);
    return tally;
  }
}

/** A market's creation shows it once for each of its parameters, ours once. */
function isShownAgain({ kind, made: executed }: Difference, { payload }: RecordedEvent): boolean {
  return kind === "marketUpdated" && executed === undefined && payload.state === STATE_PROPOSED;
}

const commandOf = (result: RecordedEvent["payload"]) =>
  MARKET_COMMANDS.find((name) => result[name] !== undefined);

/** Place of the markets' turn in a block's tick; 0 where no market existed. */
function markedTick(block: RecordedBlock): number {
  const { events } = block;
  const isTheirs = (member: string) => member === "marketTick" || member === "marketData";
  const at = events.findIndex(({ member, tx }) => isTheirs(member) || !isOfBlock(block, tx));
  return at >= 0 && isTheirs(events[at]!.member) ? at : 0;
}

/** Members that an order has of its submission. */
const SAME_OF_ORDER = ["marketId", "side", "size", "type", "timeInForce", "reference"];
const PEGS_FULL = "too many pegged orders";
const FOREIGN_COMMAND = "a command of a market that was there before the recording was passed over";

/** Markets that a command names. */
function marketsOf(kind: string, payload: RecordedEvent["payload"]): string[] {
  if (kind === "batchMarketInstructions") {
    const { cancellations, amendments, submissions } = payload;
    return [...cancellations, ...amendments, ...submissions].map(({ marketId }) => marketId);
  }
  return payload.marketId ? [payload.marketId] : [];
}

const TEXT_MAX = 60;
const cut = (text: string) => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)} ...` : text);
