/**
 * A chain whose blocks a consensus engine makes: the driver of the chain's core beside the sequencer. The engine's
 * calls come from `application.ts`; planes see it as any chain.
 */

import type { Database } from "bun:sqlite";
import { dirname } from "node:path";
import { LruCache } from "../cache/lru.ts";
import { spamStatistics } from "../chain/admission/admission.ts";
import type { BlockTx, ExecutedBlock, TxExecution } from "../chain/block-runner.ts";
import { ChainCore } from "../chain/chain-core.ts";
import type { ChainPoint } from "../chain/chain-store.ts";
import { Mempool, type PooledTx, TransactionIntake } from "../chain/mempool.ts";
import { type LocalChainOptions, type Resumption, SEQUENCER_LIMITS } from "../chain/options.ts";
import { RecentOutcomes } from "../chain/outcomes.ts";
import { RecentRefusals, refusalDetails } from "../chain/refusals.ts";
import { statePartOf } from "../chain/state-view.ts";
import { StatusBoard } from "../chain/status-board.ts";
import { Waiters } from "../chain/waiters.ts";
import { consensusAddress } from "../crypto/consensus-address.ts";
import {
  ChainCallError,
  type ChainPort,
  type ChainStatus,
  type ConsensusReport,
  NOT_SENT,
  type PendingTransaction,
  type ProofBlock,
  type RememberedRefusal,
  type StatePart,
  type TxOutcome,
  type TxState,
} from "../engine/chain-port.ts";
import type { ConsensusPower } from "../engine/consensus-set.ts";
import type { Genesis } from "../engine/genesis.ts";
import type { Duty } from "../engine/ports.ts";
import type { StateEntry } from "../engine/state.ts";
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { BlockWriter } from "../store/block-writer.ts";
import { hexOf } from "../wire/identifiers.ts";
import { TRANSACTION_BYTES_MAX, tooLargeText } from "../wire/transaction.ts";
import { type CheckForm, ParsedTransactions, type ParsedTx } from "./parsed.ts";
import { Proposals } from "./proposals.ts";
import { WaitingTxs } from "./waiting.ts";

const CHECKPOINT_BYTES = 2 * 1024 * 1024;
/** A transaction that the engine has not checked for this many blocks is not expected any more. */
const WAITING_BLOCKS_MAX = 100;

/** Hands a transaction to the consensus engine's own mempool, and waits for the verdict. */
type Broadcast = (bytes: Uint8Array) => Promise<{ readonly code: number; readonly text: string }>;

export interface AbciChainOptions
  extends Pick<
    LocalChainOptions,
    | "genesis"
    | "makeEngine"
    | "startedNs"
    | "rules"
    | "limits"
    | "parts"
    | "disk"
    | "recordTo"
    | "outbox"
    | "tap"
    | "keepTexts"
    | "onCommitted"
    | "onOutcome"
    | "onHalt"
  > {
  /** The writer's connection (store/database.ts): the chain alone writes on it. */
  readonly db: Database;
  /** Checks transactions without state; default: here and now. */
  readonly checkTransaction?: CheckForm;
  readonly broadcast: Broadcast;
  /** Part of the status: the consensus engine, and the other validators. */
  report?(): ConsensusReport | undefined;
  /** Told when the transaction of an executed block has ended: it is committed, or undone. */
  onSettled?(): void;
}

/** A block as the consensus engine decided it. */
interface DecidedBlock {
  readonly height: number;
  /** Unix nanoseconds. */
  readonly timeNs: bigint;
  /** Lower-case hex. */
  readonly hash: string;
  /** Node id; empty for a validator that the chain does not know. */
  readonly proposer: string;
  readonly txs: readonly Uint8Array[];
}

interface ExecutedTx {
  readonly code: number;
  readonly text: string;
  readonly events: ParsedTx["events"];
}

interface ExecutedDecision {
  /** Of each transaction, in order. */
  readonly results: readonly ExecutedTx[];
  readonly updates: readonly ConsensusPower[];
  /** Lower-case hex. */
  readonly appHash: string;
}

/** A block that is executed and not committed. */
interface Executed {
  readonly height: number;
  readonly block: ExecutedBlock;
  readonly txs: readonly PooledTx[];
  readonly decision: ExecutedDecision;
}

export class AbciChain implements ChainPort {
  readonly proposals: Proposals;
  private readonly core: ChainCore;
  private readonly writer: BlockWriter;
  private readonly parsed: ParsedTransactions;
  private readonly intake: TransactionIntake;
  private readonly board: StatusBoard;
  private readonly waiters: Waiters;
  private readonly refusals = new RecentRefusals();
  private readonly outcomes = new RecentOutcomes();
  /** Verdicts of the engine's mempool, for submissions. */
  private readonly checked = new RecentOutcomes();
  /** Transactions that passed the check, until a block has them. */
  private readonly waiting: WaitingTxs;
  private readonly listeners = new Set<(status: ChainStatus) => void>();
  private readonly afterCommit: (() => void)[] = [];
  private executed: Executed | undefined;
  private failed: string | undefined;
  private isBegun = false;
  private isStopped = false;
  private halted: string | undefined;
  /** Why nothing is submitted, although reads go on. */
  private barred: string | undefined;
  /** The opening of the chain: a sentence for the log, and the numbers in it. */
  readonly resumption: Resumption;

  /** Opens the chain of a home, or prepares a new one. @throws NodeError when the home holds something else, or is damaged */
  constructor(private readonly options: AbciChainOptions) {
    const { db, genesis, disk } = options;
    const limits = { ...SEQUENCER_LIMITS, ...options.limits };
    this.writer = new BlockWriter(db, { allOrNothing: true, checkpointBytes: CHECKPOINT_BYTES, disk });
    db.run(`PRAGMA journal_size_limit = ${CHECKPOINT_BYTES}`);
    this.core = new ChainCore({ ...options, keepHeaders: true }, this.writer, limits);
    this.parsed = new ParsedTransactions(genesis.chainId, options.checkTransaction);
    this.proposals = new Proposals(this.core, this.parsed);
    // Transactions wait with the consensus engine: of this mempool only the checks are used.
    this.intake = new TransactionIntake(this.core, new Mempool(limits), undefined, () => this.status);
    this.waiting = new WaitingTxs({ txsMax: limits.mempoolTxsMax, bytesMax: limits.mempoolBytesMax });
    this.waiters = new Waiters(limits.commitWaitMs);
    this.board = new StatusBoard(this.core, options);
    this.resumption = this.core.open(false);
    this.board.update();
    this.noteHalt();
  }

  get genesis(): Genesis {
    return this.core.genesis;
  }

  get home(): string {
    return dirname(this.options.db.filename);
  }

  /** Entries of the state. */
  get entries(): number {
    return this.core.engine.state.size;
  }

  /** Last block whose rows came from another node before the chain has executed it; 0 without such rows. */
  get rowsTo(): number {
    return this.core.rowsTo;
  }

  /** Stores the state of the last block: a restart has nothing to replay. @throws NodeError */
  storeState(): void {
    this.core.flush();
  }

  /** Begins behind a block that was not executed here. @throws NodeError: then nothing has changed */
  restore(point: ChainPoint, entries: () => Iterable<StateEntry>): void {
    this.executed = undefined;
    this.isBegun = false;
    this.core.restore(point, entries);
    this.board.update();
    this.noteHalt();
    this.settle();
    const { status } = this;
    for (const listener of this.listeners) listener(status);
  }

  /** The last block that is durable. */
  get committed(): ChainPoint {
    return this.core.committedPoint;
  }

  /** Why the last block could not be stored, where the disk is the cause; undefined where it was. */
  get failure(): string | undefined {
    return this.failed;
  }

  get status(): ChainStatus {
    const mempool = { count: this.waiting.size, bytes: this.waiting.bytes };
    const consensus = this.options.report?.();
    const halted = this.halted ?? this.barred;
    return { ...this.board.status, mempool, halted, ...(consensus && { consensus }) };
  }

  /** Why no further block is made here: an upgrade. */
  get haltReason(): string | undefined {
    return this.core.engine.haltReason();
  }

  onBlock(listener: (status: ChainStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // Calls of planes.

  /** @throws ChainCallError */
  async submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome> {
    this.checkRunning(`; ${NOT_SENT}`);
    const parsed = this.read(bytes);
    const { hash } = parsed;
    if (!parsed.verdict.ok) return this.refused(parsed);
    const included = wait === "commit" ? this.waiters.wait(hash, 0) : undefined;
    // It settles later, or is not wanted any more.
    included?.catch(() => {});
    const { code, text } = await this.options.broadcast(bytes);
    if (code === POOL_FULL) throw new ChainCallError("mempool_full", text);
    if (code !== 0) return this.checked.find(hash) ?? this.outcomeOf(hash, code, text);
    return included ?? this.checked.find(hash) ?? this.outcomeOf(hash, 0, "");
  }

  async check(bytes: Uint8Array): Promise<TxOutcome> {
    this.checkRunning();
    const parsed = this.read(bytes);
    if (!parsed.verdict.ok) return this.refused(parsed);
    return this.intake.verdictOf({
      hash: parsed.hash,
      tx: parsed.verdict.transaction,
      isImpersonated: false,
    });
  }

  async spamStatistics(party: string) {
    const { chainId, pow, spam, rules } = this.core.admission;
    return spamStatistics({ chainId, pow, spam, rules }, party);
  }

  /** The node with this address in consensus; undefined for one that the chain does not know. */
  nodeAt(address: Uint8Array): string | undefined {
    return this.memberAt(hexOf(address))?.nodeId;
  }

  /** Name of the node with this address in consensus. @param address lower-case hex */
  nameAt(address: string): string | undefined {
    return this.memberAt(address)?.name;
  }

  /** Validators with a vote. */
  get validators(): number {
    return this.core.engine.consensusMembers().length;
  }

  private memberAt(address: string) {
    // Of two nodes with one key the first by id counts.
    return this.core.engine.consensusNodes().find(({ key }) => addressOf(key) === address);
  }

  duties(nodeId: string): readonly Duty[] {
    return this.core.engine.duties(nodeId);
  }

  /** @param hash hexadecimal */
  async refusalOf(hash: string): Promise<RememberedRefusal | undefined> {
    return this.refusals.find(hash.toUpperCase());
  }

  async proofBlocks(): Promise<readonly ProofBlock[]> {
    const { chainId, pow } = this.core.admission;
    return pow
      .namedBlocks()
      .map(({ height, hash, parameters }) => ({ chainId, height, hash, ...parameters }));
  }

  /** @throws ChainCallError */
  outcomesOf(hashes: readonly string[], waitMs: number): Promise<readonly TxState[]> {
    const isWaiting = (hash: string) => this.waiting.has(hash);
    return this.outcomes.statesOf(hashes, waitMs, isWaiting, () => this.checkRunning());
  }

  /** Transactions that wait for a block, as they came. @param most of them */
  async pending(most: number): Promise<readonly PendingTransaction[]> {
    const all = this.waiting.entries().take(most);
    return all.map(([hash, { bytes }]) => ({ hash, bytes, isImpersonated: false })).toArray();
  }

  /** A checkpoint for another chain (JSON). */
  async checkpoint(): Promise<string> {
    await this.settled();
    return JSON.stringify(this.core.engine.checkpoint());
  }

  /** An entry of the state as of the last block, as it is stored; undefined where there is none. */
  async entry(table: string, key: string): Promise<string | undefined> {
    await this.settled();
    return this.core.engine.state.find(table, key);
  }

  /** As of the last block that is durable. */
  async statePart(table: string | undefined, prefix: string): Promise<StatePart | undefined> {
    await this.settled();
    return statePartOf({ state: this.core.engine.state, point: this.committed }, table, prefix);
  }

  /** Stops or lets go on what is submitted here; reads go on. @param reason in one sentence */
  bar(reason: string | undefined): void {
    if (reason === this.barred) return;
    this.barred = reason;
    if (reason !== undefined) this.waiters.failAll(new ChainCallError("halted", reason));
    this.options.onHalt?.(this.status.halted);
  }

  // Calls of the consensus engine.

  /** Undoes a block that is executed and not committed: the engine brings it again. */
  dropExecuted(): void {
    this.executed = undefined;
    this.isBegun = false;
    this.core.dropExecuted();
    this.settle();
  }

  /** The engine's mempool is a new one: what waited in it may come again. */
  clearMempool(): void {
    this.waiting.clear();
    this.core.admission.commit();
  }

  /** Executes the genesis; may come again until the first block is committed. @throws NodeError */
  beginChain(): { readonly members: readonly ConsensusPower[]; readonly appHash: string } {
    this.core.beginGenesis();
    this.executed = undefined;
    this.isBegun = true;
    return { members: this.core.engine.consensusMembers(), appHash: this.core.point.appHash };
  }

  /**
   * The verdict for the engine's mempool; a transaction that passes is held until the next commit.
   * @param isAgain of one that was taken: for it there is room
   */
  checkTx(bytes: Uint8Array, isAgain = false): TxOutcome {
    let outcome: TxOutcome;
    try {
      const { hash, verdict } = this.read(bytes);
      if (!verdict.ok) outcome = this.intake.refusedBytes(hash, verdict.refusal);
      else {
        const { transaction: tx } = verdict;
        const hasRoom = isAgain || this.waiting.has(hash);
        const full = hasRoom ? undefined : this.waiting.lacksRoom(tx, bytes.length);
        if (full !== undefined) return this.outcomeOf(hash, POOL_FULL, full);
        outcome = this.intake.recheck({ hash, tx, isImpersonated: false });
        if (outcome.code === 0) this.waiting.put(hash, tx, bytes, this.height);
        else this.leave(outcome, tx, isAgain);
      }
    } catch (error) {
      if (!(error instanceof ChainCallError)) throw error;
      outcome = this.outcomeOf("", TOO_LARGE, error.message);
    }
    if (outcome.hash !== "") this.checked.add(outcome);
    return outcome;
  }

  /** @throws NodeError when it is not the block after the last one, or the store fails; then nothing of it is left */
  execute(decided: DecidedBlock): ExecutedDecision {
    const expected = this.committed.height + 1;
    if (this.executed !== undefined)
      throw outOfOrder(`block ${decided.height} comes, and block ${this.executed.height} is not committed`);
    if (decided.height !== expected)
      throw outOfOrder(`block ${decided.height} comes where block ${expected} should`);
    if (decided.hash.length !== HASH_DIGITS)
      throw outOfOrder(`block ${decided.height} has a hash of ${decided.hash.length / 2} bytes`);
    // The first block has the time of the genesis, which its pseudo block has, too.
    if (expected > this.core.genesis.initialHeight && decided.timeNs <= BigInt(this.core.point.timeNs))
      throw outOfOrder(`block ${decided.height} is not later than the block before it`);
    if (expected === this.core.genesis.initialHeight && !this.isBegun)
      throw outOfOrder(`block ${decided.height} comes before the chain has begun`);
    const parsed = this.parsed.block(decided.txs);
    const txs: PooledTx[] = parsed.flatMap(({ bytes, hash, verdict }) =>
      verdict.ok ? [{ bytes, hash, tx: verdict.transaction, gas: 0, isImpersonated: false }] : [],
    );
    let block: ExecutedBlock;
    try {
      block = this.core.executeGiven(decided, txs satisfies readonly BlockTx[]);
    } catch (error) {
      this.noteFailure(error);
      throw error;
    }
    const executions = block.results[Symbol.iterator]();
    const results = parsed.map(({ verdict, events }): ExecutedTx => {
      const { code, text } = verdict.ok ? (executions.next().value as TxExecution) : verdict.refusal;
      return { code, text, events };
    });
    this.holdWaiting(txs);
    const updates = this.core.engine.consensusUpdates();
    const decision = { results, updates, appHash: this.core.point.appHash };
    this.executed = { height: decided.height, block, txs, decision };
    return decision;
  }

  /** @throws NodeError of the store: then the block is undone */
  commit(): void {
    const { executed } = this;
    if (executed === undefined)
      throw new NodeError(
        "validator.commit",
        "abci_order",
        "a commit comes where a block should",
        "start the consensus engine again",
      );
    this.executed = undefined;
    let trouble: NodeError | undefined;
    try {
      trouble = this.core.commit();
      this.failed = undefined;
    } catch (error) {
      this.isBegun = false;
      this.noteFailure(error);
      throw error;
    }
    if (trouble) logFailure(trouble);
    this.isBegun = false;
    this.committedBlock(executed);
    this.settle();
  }

  private noteFailure(error: unknown): void {
    if (error instanceof NodeError && error.code === "disk_full") this.failed = error.message;
  }

  /** Ends cleanly: nothing has to be replayed at the next start. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.dropExecuted();
    this.waiters.failAll(new ChainCallError("stopped", "the chain is being stopped"));
    this.outcomes.wake();
    try {
      if (this.committed.height >= this.core.genesis.initialHeight) this.core.flush();
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
    }
    this.core.close();
    this.writer.checkpoint();
  }

  /** The block's end let go of what waits: until the commit, checks come that must not take its proofs. */
  private holdWaiting(txs: readonly PooledTx[]): void {
    const inBlock = new Set(txs.map(({ hash }) => hash));
    for (const [hash, { tx }] of this.waiting.entries())
      if (!inBlock.has(hash)) this.intake.reserve({ hash, tx, isImpersonated: false });
  }

  private get height(): number {
    return this.committed.height;
  }

  private committedBlock({ block, txs }: Executed): void {
    const { height } = block.point;
    const { admission } = this.core;
    // The engine checks all that waits again, the transactions of the last moment among them.
    admission.commit();
    this.board.after(block, txs);
    for (const [n, { hash, tx }] of txs.entries()) {
      const result = block.results[n]!;
      this.waiting.delete(hash);
      const outcome = this.intake.outcome(hash, result, 0, height);
      this.refusals.add(outcome, tx);
      this.options.onOutcome?.(outcome, tx);
      this.outcomes.add(outcome);
      this.waiters.resolve(hash, outcome);
    }
    for (const [hash, { checkedAt }] of this.waiting.entries())
      if (height - checkedAt > WAITING_BLOCKS_MAX) this.waiting.delete(hash);
    if (txs.length > 0) this.outcomes.wake();
    this.noteHalt();
    this.options.onCommitted?.(height);
    const whole = this.status;
    for (const listener of this.listeners) listener(whole);
  }

  /** A transaction left the engine's mempool, or did not come in. */
  private leave(outcome: TxOutcome, tx: Parameters<RecentRefusals["add"]>[1], wasTaken: boolean): void {
    this.refusals.add(outcome, tx);
    this.options.onOutcome?.(outcome, tx);
    if (!this.waiting.delete(outcome.hash) && !wasTaken) return;
    this.outcomes.add(outcome);
    this.waiters.resolve(outcome.hash, outcome);
    this.outcomes.wake();
  }

  private noteHalt(): void {
    const reason = this.haltReason;
    if (reason === undefined || this.halted !== undefined) return;
    this.halted = reason;
    this.waiters.failAll(new ChainCallError("halted", reason));
    try {
      this.core.recordUpgrade();
    } catch (error) {
      this.halted = `${reason}; ${reasonOf(error)}`;
    }
    logNotice("validator", this.halted);
    this.options.onHalt?.(this.halted);
  }

  /** Settles when no block is half done: what is read then is of the last block. */
  private settled(): Promise<void> {
    if (!this.core.isExecuting) return Promise.resolve();
    return new Promise((resolve) => this.afterCommit.push(resolve));
  }

  private settle(): void {
    this.options.onSettled?.();
    for (const resolve of this.afterCommit.splice(0)) resolve();
  }

  /** @throws ChainCallError */
  private checkRunning(rest = ""): void {
    if (this.isStopped) throw new ChainCallError("stopped", "the chain is being stopped");
    const reason = this.halted ?? this.barred;
    if (reason !== undefined) throw new ChainCallError("halted", `${reason}${rest}`);
    if (this.height < this.core.genesis.initialHeight)
      throw new ChainCallError("stopped", "tendermint client is not ready");
  }

  /** @throws ChainCallError `too_large` */
  private read(bytes: Uint8Array): ParsedTx {
    if (bytes.length > TRANSACTION_BYTES_MAX)
      throw new ChainCallError("too_large", tooLargeText(bytes.length));
    return this.parsed.of(bytes);
  }

  private refused({ hash, verdict }: ParsedTx): TxOutcome {
    if (verdict.ok) throw new Error("the transaction is valid");
    const outcome = this.intake.refusedBytes(hash, verdict.refusal);
    this.options.onOutcome?.(outcome, undefined);
    return outcome;
  }

  private outcomeOf(hash: string, code: number, text: string): TxOutcome {
    const details = code === 0 ? undefined : refusalDetails("command_failed", text, {}, this.status);
    return { hash, code, text, details, gasWanted: 0, height: 0 };
  }
}

/** SHA-256. */
const HASH_DIGITS = 64;

function outOfOrder(text: string): NodeError {
  return new NodeError("validator.execute", "abci_order", text, "start the consensus engine again");
}

/** Addresses by key: pure, and asked for in each block. */
const addresses = new LruCache<string, string>(10_000);

/** A validator's address in consensus, lower-case hex. @param key base64 */
function addressOf(key: string): string {
  let address = addresses.get(key);
  if (address === undefined) {
    address = consensusAddress(Buffer.from(key, "base64"));
    addresses.set(key, address);
  }
  return address;
}

/** As of any transaction that has no valid form. */
const TOO_LARGE = 60;
/** Between the engine's mempool and this chain alone: a sender gets the error of a full mempool. */
const POOL_FULL = 90;
