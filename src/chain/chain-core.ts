/**
 * The chain without its mempool: executes blocks through admission and engine, and makes them durable. Several blocks
 * may be executed before one commit; either all of them become real or none.
 *
 *   execute … → commit, or undo by itself when anything fails
 */

import type { BlockInfo } from "../engine/core.ts";
import type { BlockHeader } from "../engine/engine.ts";
import type { Genesis } from "../engine/genesis.ts";
import type { StateChange, StateEntry } from "../engine/state.ts";
import { logFailure } from "../errors/log.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import type { BlockWriter } from "../store/block-writer.ts";
import { blockHash } from "../store/head.ts";
import { type Block, Field } from "../wire/block.ts";
import { type CheckedTransaction, readTrusted } from "../wire/transaction-check.ts";
import { PropertyErrors } from "../wire/validate/check.ts";
import { Admission } from "./admission/admission.ts";
import { appHashOf } from "./app-hash.ts";
import {
  BlockRunner,
  type BlockTx,
  type ExecutedBlock,
  pointBefore,
  type RunBlock,
  roomOf,
} from "./block-runner.ts";
import {
  type ChainPoint,
  ChainStore,
  type ExecutedTx,
  type GivenHeader,
  type StoredBlock,
  storeErrorOf,
} from "./chain-store.ts";
import { EventFile, type FilePlace } from "./event-file.ts";
import type {
  ChainClock,
  ChainEngine,
  ChainPart,
  EngineResult,
  LocalChainOptions,
  Resumption,
  SequencerLimits,
  ToolCommand,
} from "./options.ts";
import type { BlockSink } from "./outbox.ts";
import { TapSink } from "./tap-sink.ts";
import { type BlockBatch, type UnsavedAt, UnsavedState } from "./unsaved-state.ts";
import { VerdictMemo } from "./verdict-memo.ts";

// The position of a chain beyond its store: what a return to it needs besides the rows and the state.

export interface SavePoint {
  readonly point: ChainPoint;
  readonly unsaved: UnsavedAt;
  /** In the file that the run is written to. */
  readonly recorded: FilePlace | undefined;
}

/** The block that a chain is at, as the engine knows it. */
function infoOf({ height, timeNs, hash }: ChainPoint): BlockInfo {
  return { height, timeNs: BigInt(timeNs), hash };
}

/** The options of a chain whose blocks come from a sequencer, or, without a clock, from elsewhere. */
type CoreOptions = Pick<
  LocalChainOptions,
  "db" | "genesis" | "makeEngine" | "rules" | "parts" | "keepTexts" | "recordTo" | "outbox" | "tap"
> &
  Partial<Pick<LocalChainOptions, "clock" | "random">> & {
    /** The headers of blocks are given: times, hashes and proposers that nothing here could work out again. */
    readonly keepHeaders?: boolean;
  };

/** Content of a block besides its transactions. */
interface Origin {
  readonly tool?: ToolCommand | undefined;
  readonly header?: GivenHeader | undefined;
}

interface Batch extends BlockBatch {
  readonly mark: number;
  readonly point: ChainPoint;
  readonly clock: string;
  readonly changes: StateChange[];
  blocks: number;
  txs: number;
  /** It holds the genesis, which cannot be replayed: the state must be stored with it. */
  readonly isForced: boolean;
}

export class ChainCore {
  readonly engine: ChainEngine;
  readonly admission: Admission;
  readonly store: ChainStore;
  private readonly clock: ChainClock | undefined;
  readonly parts: readonly ChainPart[];
  private readonly runner: BlockRunner;
  private readonly recording: EventFile | undefined;
  private readonly sinks: readonly BlockSink[];
  genesis: Genesis;
  private point_!: ChainPoint;
  private isHashDue = false;
  private readonly verdicts = new VerdictMemo<EngineResult>();
  private batch: Batch | undefined;
  private readonly unsaved: UnsavedState;
  /** The state is stored with the batch under way. */
  private isSavedWithBatch = false;

  constructor(
    options: CoreOptions,
    private readonly writer: BlockWriter,
    limits: SequencerLimits,
  ) {
    const { genesis, db, rules } = options;
    this.genesis = genesis;
    this.unsaved = new UnsavedState(limits);
    this.engine = options.makeEngine({
      onEpochStart: ({ seq }) => this.admission.startEpoch(seq),
      onParameter: (key, value) => void this.admission.setParameter(key, value),
      onCommandError: (subject, error) => logFailure(commandFault(subject, error)),
      onMarketHalted: (market, step, error) => logFailure(marketFault(market, step, error)),
    });
    this.admission = new Admission(genesis.chainId, rules, this.engine.state);
    this.runner = new BlockRunner(this.engine, this.admission);
    const { keepTexts = false, keepHeaders = false } = options;
    this.store = new ChainStore(db, writer, { keepTexts, keepHeaders });
    this.clock = options.clock;
    const { clock, random, parts = [] } = options;
    this.parts = [...[clock, random].filter((part) => part !== undefined), ...parts];
    this.recording = options.recordTo === undefined ? undefined : new EventFile(options.recordTo);
    this.sinks = [options.outbox, options.tap && new TapSink(options.tap)].filter(
      (sink) => sink !== undefined,
    );
  }

  /** The last block. */
  get point(): ChainPoint {
    if (this.isHashDue) {
      this.isHashDue = false;
      this.point_ = { ...this.point_, appHash: appHashOf(this.engine.state, this.point_) };
    }
    return this.point_;
  }

  /** The last block; its application hash is empty while nothing has asked for it: of many empty blocks only the last one has one. */
  get place(): ChainPoint {
    return this.point_;
  }

  /** The engine's verdict on a transaction over the last block. It follows from that block alone, and is worked out once for it. */
  check(tx: CheckedTransaction): EngineResult {
    return this.verdicts.of(tx, this.point_, () => this.engine.check(tx));
  }

  /** The last block that is durable: blocks that are executed only are not. */
  get committedPoint(): ChainPoint {
    return this.batch?.point ?? this.point_;
  }

  /** Last block whose rows came from another node before the chain has executed it; 0 without such rows. */
  get rowsTo(): number {
    return this.store.rowsTo;
  }

  /** Whether there are executed blocks, or a genesis, that are not durable yet. */
  get isExecuting(): boolean {
    return this.batch !== undefined;
  }

  /**
   * Time of the next block if it were made now. Block 1 has the time of the genesis
   * (docs/protocol/30-node-api-events.md#93-block-markers).
   */
  get nextTimeNs(): bigint {
    const lastNs = BigInt(this.place.timeNs);
    if (this.place.height < this.genesis.initialHeight) return lastNs;
    if (this.clock === undefined) throw new Error("the times of this chain's blocks are given");
    return this.clock.timeAfter(lastNs, roomOf(this.place));
  }

  /** The earliest time that the next block can have. */
  get earliestTimeNs(): bigint {
    return BigInt(this.place.timeNs) + roomOf(this.place);
  }

  /**
   * Begins the chain, or goes on with the one in the store.
   * @param begins whether a new chain begins here: else its genesis and its first block are to come, and the home may have
   *   rows of blocks that another node has executed
   * @throws NodeError
   */
  open(begins = true): Resumption {
    const began = performance.now();
    const head = this.store.head();
    this.recording?.open(head);
    for (const sink of this.sinks) sink.open(head);
    const rows = this.writer.committedHead;
    if (rows && !begins && rows.height > (head?.height ?? 0) && rows.chainId === this.genesis.chainId)
      this.store.rowsTo = rows.height;
    if (head === undefined) {
      if (rows && this.store.rowsTo === 0) {
        const text = "this home holds a recording, and a chain of its own cannot go on with it";
        throw new NodeError("chain.open", "not_a_chain", text, "choose another --home");
      }
      if (begins) this.openBatch();
      else this.point_ = pointBefore(this.genesis);
      return newChain(this.point.height);
    }
    const stateHeight = this.load(head);
    return resumed(head.height, stateHeight, Math.round(performance.now() - began));
  }

  /** Reads everything again from the store, whose rows were changed. */
  reopen(): void {
    this.writer.reload();
    this.store.dropStaged();
    const head = this.store.head()!;
    this.recording?.rewind(head);
    this.load(head);
  }

  /**
   * Executes a block and stages it. When that fails, it and what was staged before it is undone.
   * @param timeNs its time, a `nextTimeNs` since the last block
   * @throws NodeError of the store; CommandError of the tool
   */
  execute(txs: readonly BlockTx[], tool?: ToolCommand, timeNs = this.nextTimeNs): ExecutedBlock {
    const height = this.place.height + 1;
    const info = { height, timeNs, hash: hashOf(height, timeNs, txs) };
    this.batch ??= this.newBatch();
    this.clock?.made(timeNs);
    return this.executeAt(info, txs, tool);
  }

  /** Executes a block whose header a consensus engine gives, and stages it. @throws NodeError; then all that is staged is undone */
  executeGiven(info: Required<BlockHeader>, txs: readonly BlockTx[]): ExecutedBlock {
    this.batch ??= this.newBatch();
    return this.executeAt(info, txs);
  }

  private executeAt(info: BlockHeader, txs: readonly BlockTx[], tool?: ToolCommand): ExecutedBlock {
    const batch = this.batch!;
    const { timeNs, proposer } = info;
    try {
      const { block, executed } = this.applyRun(this.runner.run(this.place, info, txs, tool));
      this.stage(
        block,
        txs.map(({ bytes, isImpersonated }, n) => {
          const { code, text } = executed.results[n]!;
          return { bytes, isImpersonated, code, text };
        }),
        { tool, header: proposer === undefined ? undefined : { timeNs, proposer } },
      );
      batch.blocks++;
      batch.txs += txs.length;
      return executed;
    } catch (error) {
      this.undo();
      throw storeErrorOf(error);
    }
  }

  /**
   * Makes everything executed durable.
   * @returns what failed after it: the blocks are safe, but the log could not be folded back into the store
   * @throws NodeError of the store; then all of it is undone
   */
  commit(): NodeError | undefined {
    const { batch } = this;
    if (batch === undefined) return undefined;
    try {
      this.stageRest(batch);
      this.recording?.flush();
      this.writer.commit();
    } catch (error) {
      if (!(error instanceof NodeError) || this.writer.committedHead?.height !== this.point.height) {
        this.undo();
        throw storeErrorOf(error);
      }
      this.settle(batch);
      return error;
    }
    this.settle(batch);
    return undefined;
  }

  /** Stores the state of the last block: after it a restart has nothing to replay. @throws NodeError */
  flush(): void {
    this.commit();
    if (this.unsaved.isEmpty) {
      this.saveParts();
      return;
    }
    this.storeState();
  }

  /** Changes admission outside of blocks, and stores it. @throws NodeError: then nothing has changed */
  changeAdmission(change: (admission: Admission) => void): void {
    this.commit();
    const { state } = this.engine;
    const before = this.point_;
    const mark = state.hold();
    try {
      change(this.admission);
      const changes = state.takeChanges();
      this.point_ = { ...before, appHash: appHashOf(state, before) };
      this.storeState(changes);
    } catch (error) {
      state.returnTo(mark);
      this.point_ = before;
      throw error;
    } finally {
      state.release(mark);
      state.dropJournal();
    }
  }

  /**
   * Begins the chain behind a block that was not executed here, with a state that was verified. Its rows came from another
   * node before, or until blocks come there are none. @throws NodeError: then nothing has changed
   */
  restore(point: ChainPoint, entries: () => Iterable<StateEntry>): void {
    const { rowsTo } = this.store;
    const hasEarlierRows = this.writer.committedHead !== undefined && rowsTo < point.height;
    if (this.store.head() !== undefined || hasEarlierRows) {
      const text = "this home holds a chain, and a snapshot is restored into an empty one";
      throw new NodeError("chain.restore", "home_not_empty", text, "choose another --home");
    }
    this.store.checkRows(point.height, point.hash);
    this.undo();
    const { state } = this.engine;
    const before = this.point_;
    try {
      state.load(entries());
      const appHash = appHashOf(state, point);
      if (appHash !== point.appHash)
        throw contradiction(`the restored state has the application hash ${appHash}`);
      this.writer.beginTransaction();
      this.guarded(() => {
        this.store.stageGenesis(this.genesis.document);
        this.store.stageHead(point);
        this.store.stageParts(this.parts);
        this.store.stageState(entries(), point);
      });
    } catch (error) {
      state.load([]);
      this.resume(before);
      throw error;
    }
    this.unsaved.clear();
    this.resume(point);
    this.admission.commit();
  }

  /** Writes existing content again: fails while nothing can be written. @throws NodeError */
  storeHead(): void {
    this.writer.beginTransaction();
    this.guarded(() => this.store.stageHead(this.point));
  }

  private storeState(changes: readonly StateChange[] = []): void {
    this.writer.beginTransaction();
    this.guarded(() => {
      this.store.stageHead(this.point);
      this.store.stageParts(this.parts);
      this.store.stageState(this.unsaved.changesWith({ changes }), this.point);
    });
    this.unsaved.clear();
  }

  /**
   * A place to come back to with `resumeAt`. The state is not stored for it: a restart replays up to here as to any
   * other block. @throws NodeError
   */
  savePoint(): SavePoint {
    this.commit();
    this.saveParts();
    return { point: this.point, unsaved: this.unsaved.save(), recorded: this.recording?.kept };
  }

  /** Back to a place that the state and the store are at already. */
  resumeAt({ point, unsaved, recorded }: SavePoint): void {
    this.unsaved.load(unsaved);
    this.writer.reload();
    this.store.dropStaged();
    for (const part of this.parts) this.store.loadPart(part);
    if (recorded) this.recording?.cutAt(recorded);
    this.resume(point);
    this.admission.commit();
  }

  /** The state is at this point. */
  private resume(point: ChainPoint): void {
    const info = infoOf(point);
    this.point_ = point;
    this.isHashDue = false;
    this.engine.resume(info);
    // Before its first block a chain has neither height nor time.
    if (point.height < this.genesis.initialHeight) this.admission.resume(0n, 0n);
    else this.admission.resume(BigInt(info.height), info.timeNs);
  }

  /** The last word of a chain that stops for an upgrade, for event file and data node alone: no block has it. @throws NodeError */
  recordUpgrade(): void {
    const { engine, point } = this;
    const upgrade = engine.upgradeStarted();
    if (upgrade === undefined) return;
    const last = { chainId: engine.chainId, ...point, ...upgrade, hash: point.hash.toUpperCase() };
    this.recording?.addLast(last);
    for (const sink of this.sinks) sink.addLast(last);
  }

  close(): void {
    this.recording?.close();
  }

  /** Stores what has changed of clock, randomness and the other parts since the last block. @throws NodeError */
  saveParts(): void {
    if (!this.store.hasChanged(this.parts)) return;
    this.writer.beginTransaction();
    this.guarded(() => this.store.stageParts(this.parts));
  }

  private guarded(stage: () => void): void {
    try {
      stage();
      this.writer.commit();
    } catch (error) {
      this.writer.rollback();
      this.store.dropStaged();
      throw storeErrorOf(error);
    }
  }

  /** The genesis and block 1, which has the same time. */
  private openBatch(): void {
    this.beginGenesis();
    try {
      this.execute([]);
      this.commit();
    } catch (error) {
      this.undo();
      throw error;
    }
  }

  /**
   * Executes the genesis; it becomes durable with the first block. Whatever was executed of the chain before is undone, so
   * that it may be repeated.
   */
  beginGenesis(): void {
    this.undo();
    this.point_ = pointBefore(this.genesis);
    this.isHashDue = false;
    this.batch = this.newBatch(true);
    try {
      this.stage(this.applyRun(this.runner.genesis(this.genesis, this.point)).block, []);
      this.store.stageGenesis(this.genesis.document);
    } catch (error) {
      this.undo();
      throw storeErrorOf(error);
    }
  }

  /** Takes back what was executed and is not durable. */
  dropExecuted(): void {
    this.undo();
  }

  /** Takes over the changes and the place of an executed block, in memory. */
  private applyRun(run: RunBlock): RunBlock {
    for (const change of run.changes) this.batch!.changes.push(change);
    this.point_ = { ...run.executed.point, appHash: "" };
    this.isHashDue = true;
    return run;
  }

  /** @returns the height of the stored state */
  private load(head: ChainPoint): number {
    const { engine, store } = this;
    if (store.isForeign()) throw foreignState();
    const point = store.statePoint();
    try {
      engine.state.load(store.state());
    } catch (error) {
      throw contradiction(`the state of block ${point.height} cannot be read: ${reasonOf(error)}`);
    }
    const appHash = appHashOf(engine.state, point);
    if (appHash !== point.appHash) {
      const text = `the state of block ${point.height} has the application hash ${appHash}, but it had ${point.appHash}`;
      throw contradiction(text);
    }
    this.unsaved.clear();
    this.resume(point);
    this.admission.commit();
    for (const block of store.blocksAfter(point.height, head.height)) this.replay(block);
    checkArrived(point.height, head, this.point);
    this.point_ = head;
    for (const part of this.parts) store.loadPart(part);
    return point.height;
  }

  private replay(stored: StoredBlock): void {
    const { height, hash, timeNs, tool, proposer } = stored;
    const txs = storedTxs(stored);
    const batch = (this.batch = this.newBatch());
    this.applyRun(
      this.runner.run(
        this.point,
        { height, timeNs, hash, ...(proposer !== undefined && { proposer }) },
        txs,
        tool,
      ),
    );
    if (stored.appHash !== undefined) checkReplayed(stored, this.point);
    batch.blocks++;
    batch.txs += txs.length;
    this.settle(batch);
  }

  /** The writer wants the events between a block's markers; an event file has them all. */
  private stage(block: Block, txs: readonly ExecutedTx[], { tool, header }: Origin = {}): void {
    const { events, height } = block;
    const isWhole = events[0]?.field === Field.beginBlock && events.at(-1)?.field === Field.endBlock;
    if (!isWhole) throw new Error(`block ${height} has no markers`);
    this.recording?.append(block);
    const isAsked = txs.length > 0 || tool !== undefined || header !== undefined;
    this.store.stageBlock(
      { ...block, events: events.slice(1, -1) },
      { txs, tool, header, appHash: isAsked ? this.point.appHash : undefined },
    );
    for (const sink of this.sinks) sink.append(block);
  }

  private newBatch(isForced = false): Batch {
    return {
      mark: this.engine.state.hold(),
      point: this.point,
      clock: this.clock?.save() ?? "",
      changes: [],
      blocks: 0,
      txs: 0,
      isForced,
    };
  }

  /** Written last, for the batch as a whole. */
  private stageRest(batch: Batch): void {
    this.store.stageHead(this.point);
    this.store.stageParts(this.parts);
    if (!batch.isForced && !this.unsaved.isDueWith(batch)) return;
    this.store.stageState(this.unsaved.changesWith(batch), this.point);
    this.isSavedWithBatch = true;
  }

  /** The batch is real. */
  private settle(batch: Batch): void {
    const { state } = this.engine;
    state.release(batch.mark);
    state.dropJournal();
    this.batch = undefined;
    this.recording?.keep();
    for (const sink of this.sinks) sink.keep();
    if (this.isSavedWithBatch) {
      this.isSavedWithBatch = false;
      this.unsaved.clear();
    } else this.unsaved.add(batch);
  }

  private undo(): void {
    const { batch, engine } = this;
    if (batch === undefined) return;
    this.batch = undefined;
    this.isSavedWithBatch = false;
    // Nothing of it is a change to what is stored.
    engine.state.returnTo(batch.mark);
    engine.state.release(batch.mark);
    engine.state.dropJournal();
    this.clock?.load(batch.clock);
    this.writer.rollback();
    this.store.dropStaged();
    this.recording?.undo();
    for (const sink of this.sinks) sink.undo();
    this.resume(batch.point);
  }
}

function hashOf(height: number, timeNs: bigint, txs: readonly BlockTx[]): string {
  return blockHash(
    BigInt(height),
    timeNs,
    txs.map(({ tx }) => tx.hash),
  );
}

const faultOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${reasonOf(error)}` : reasonOf(error);

function marketFault(market: string, step: string, error: unknown): NodeError {
  return new NodeError(
    "chain.execute",
    "market_halted",
    `market ${market} is halted by a fault of this program in its ${step}: ${faultOf(error)}`,
    "The step was taken back and the chain goes on; report it. An enacted update of the market lets it go on.",
  );
}

function commandFault(subject: string, error: unknown): NodeError {
  return new NodeError(
    "chain.execute",
    "command_fault",
    `${subject} failed by a fault of this program: ${faultOf(error)}`,
    "The command had no effect and the chain goes on; report it with the transaction.",
  );
}

/**
 * The blocks after the stored state are made again at a start. Each is held against what it was when it was made: a
 * chain that comes to another result than the one that its users saw does not go on.
 */

/** The start of a new chain. */
function newChain(height: number): Resumption {
  return { height, stateHeight: undefined, replayed: 0, tookMs: 0, sentence: "a new chain" };
}

/** The start of a chain that goes on. */
function resumed(height: number, stateHeight: number, tookMs: number): Resumption {
  const replayed = height - stateHeight;
  const sentence = `resumed at block ${height}: state of block ${stateHeight}, ${replayed} blocks replayed in ${tookMs} ms`;
  return { height, stateHeight, replayed, tookMs, sentence };
}

/** Its transactions, to be executed. @throws NodeError `state_mismatch` */
function storedTxs({ height, txs }: StoredBlock): BlockTx[] {
  return txs.map(({ bytes, isImpersonated }) => {
    const tx = readTrusted(bytes);
    if (tx instanceof PropertyErrors)
      throw contradiction(`block ${height} holds an invalid transaction: ${tx}`);
    return { bytes, tx, isImpersonated };
  });
}

/** @param now where the block led this time @throws NodeError `state_mismatch` */
function checkReplayed({ height, appHash }: StoredBlock, now: ChainPoint): void {
  if (appHash === undefined || appHash === now.appHash) return;
  throw contradiction(
    `block ${height} gives the application hash ${now.appHash}, but it had ${appHash} when it was made`,
  );
}

/** @param now where the last block led @throws NodeError `state_mismatch` */
function checkArrived(stateHeight: number, head: ChainPoint, now: ChainPoint): void {
  if (now.height === head.height && now.appHash === head.appHash) return;
  throw contradiction(
    `replaying from block ${stateHeight} ends at block ${now.height} with application hash ${now.appHash}, but block ${head.height} had ${head.appHash}`,
  );
}

function foreignState(): NodeError {
  return new NodeError(
    "chain.open",
    "state_version",
    "the chain in this home was made by another version of Lyra, whose state this version cannot go on from",
    "go on with the version that made it, or use another --home",
  );
}

function contradiction(text: string): NodeError {
  return new NodeError(
    "chain.open",
    "state_mismatch",
    `the chain in this home contradicts itself: ${text}`,
    "it was changed by hand, or made by another version of Lyra: go on with the version that made it, or use another --home",
  );
}
