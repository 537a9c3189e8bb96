/**
 * Decides when there is a block and what is in it. A block is made at one go, so whatever arrives meanwhile is in the
 * next one.
 */
import {
  type BlockMode,
  ChainCallError,
  type ChainStatus,
  type TxOutcome,
  type TxState,
} from "../engine/chain-port.ts";
import { CommandError } from "../engine/errors.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import type { CheckedTransaction } from "../wire/transaction-check.ts";
import type { ExecutedBlock } from "./block-runner.ts";
import type { ChainCore } from "./chain-core.ts";
import { type CheckTxResult, Mempool, type PooledTx, TransactionIntake } from "./mempool.ts";
import type { LocalChainOptions, SequencerLimits, ToolCommand } from "./options.ts";
import { RecentOutcomes } from "./outcomes.ts";
import { StatusBoard } from "./status-board.ts";
import { Waiters } from "./waiters.ts";

/** Empty blocks that are made at one go, and how long that may take. */
const BATCH_BLOCKS_MAX = 1_000;
const BATCH_MS_MAX = 20;
/** A chain whose disk is full tries again after this. */
const RETRY_MS = 1_000;
const RETRY_ON_REQUEST_MS = 200;
/** Between two blocks waiting callers have a turn, even when blocks take longer than their interval. */
const PAUSE_MS = 1;
/** Blocks in a row that the engine wants by itself, so that a mistake of its cannot go on forever. */
const WANTED_BLOCKS_MAX = 100;
const PASSING: ReadonlySet<string> = new Set(["disk_full", "store_failed"]);

interface MadeBlock {
  readonly executed: ExecutedBlock;
  readonly txs: readonly PooledTx[];
  readonly status: ChainStatus;
}

/** The purpose of a tool's block. */
interface Wanted {
  readonly tool?: ToolCommand | undefined;
  readonly first?: readonly PooledTx[] | undefined;
  readonly timeNs?: bigint | undefined;
}

export interface ToolTransaction {
  readonly bytes: Uint8Array;
  readonly tx: CheckedTransaction;
  readonly isImpersonated: boolean;
}

export class Sequencer {
  readonly mempool: Mempool;
  private readonly board: StatusBoard;
  private readonly intake: TransactionIntake;
  private readonly waiters: Waiters;
  private readonly outcomes = new RecentOutcomes();
  private readonly listeners = new Set<(status: ChainStatus) => void>();
  private mode: BlockMode;
  private soon: ReturnType<typeof setImmediate> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private lastAttemptMs = 0;
  private wanted = 0;
  private halted: string | undefined;
  /** It will not go on by itself. */
  private isHaltedForGood = false;
  private isStopped = false;
  /** Blocks wait until those before them are taken. */
  private held:
    | { readonly reason: string | undefined; readonly released: PromiseWithResolvers<void> }
    | undefined;

  constructor(
    private readonly core: ChainCore,
    private readonly options: LocalChainOptions,
    limits: SequencerLimits,
  ) {
    this.mode = options.mode ?? { kind: "instant" };
    this.mempool = new Mempool(limits);
    this.waiters = new Waiters(limits.commitWaitMs);
    this.board = new StatusBoard(core, options);
    this.intake = new TransactionIntake(core, this.mempool, options.checkTransaction, () => this.status);
  }

  get status(): ChainStatus {
    const { count, bytes } = this.mempool;
    return { ...this.board.status, mempool: { count, bytes }, halted: this.halted ?? this.held?.reason };
  }

  /** @param reason for the status */
  hold(isHeld: boolean, reason: string | undefined): void {
    const { held } = this;
    if (isHeld) {
      this.held = { reason, released: held?.released ?? Promise.withResolvers() };
      this.unschedule();
    } else {
      this.held = undefined;
      held?.released.resolve();
      this.schedule();
    }
    if (held?.reason !== this.held?.reason) this.options.onHalt?.(this.status.halted);
  }

  onBlock(listener: (status: ChainStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  start(): void {
    this.lastAttemptMs = performance.now();
    this.board.update();
    this.noteHalt();
    this.schedule();
  }

  stop(): void {
    this.isStopped = true;
    this.held?.released.resolve();
    this.unschedule();
    clearTimeout(this.retry);
    this.waiters.failAll(new ChainCallError("stopped", "the chain is being stopped"));
    this.outcomes.wake();
  }

  /** The state changed without a block. */
  updateStatus(): void {
    this.board.update();
  }

  get blockMode(): BlockMode {
    return this.mode;
  }

  setMode(mode: BlockMode): void {
    this.mode = mode;
    this.lastAttemptMs = performance.now();
    this.unschedule();
    this.schedule();
  }

  /** @throws ChainCallError */
  submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome> {
    // Thousands arrive together: what is settled at once is not waited for.
    try {
      this.checkRunning();
      const taken = this.intake.checkTx(bytes);
      if (taken instanceof Promise) return taken.then((later) => this.settleCheck(later, wait));
      return Promise.resolve(this.settleCheck(taken, wait));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Waits for its block, unless blocks are made by hand. @throws ChainCallError: then no block has it, and none will */
  async submitUnsigned(bytes: Uint8Array, tx: CheckedTransaction): Promise<TxOutcome> {
    this.checkRunning();
    const taken = this.intake.checkTrusted(bytes, tx, true);
    try {
      const { mode } = this;
      if (mode.kind === "manual") return await this.settleCheck(taken, "check");
      return await this.settleCheck(taken, "commit", "intervalMs" in mode ? mode.intervalMs : 0);
    } catch (error) {
      this.withdraw(taken.outcome.hash);
      throw error;
    }
  }

  /**
   * Executes transactions of the devnet's tools as the first ones of a block that is made now: nothing comes between,
   * and the disk has them in the end.
   * @param make their bytes, with all that changes beside the chain; it gets the block's time
   * @param takeBack undoes those changes, for a transaction that was refused, or that no block has, and none will
   * @returns an outcome for each
   * @throws ChainCallError
   */
  execute(make: (timeNs: bigint) => readonly ToolTransaction[], takeBack: () => void): readonly TxOutcome[] {
    this.checkRunning();
    this.checkFree();
    const first: PooledTx[] = [];
    try {
      const timeNs = this.core.nextTimeNs;
      const checked = make(timeNs).map(({ bytes, tx, isImpersonated }) => {
        const result = this.intake.checkTrusted(bytes, tx, isImpersonated);
        this.evicted(result.dropped);
        if (result.entry !== undefined) first.push(result.entry);
        else this.options.onOutcome?.(result.outcome, result.tx);
        return result;
      });
      const block = first.length > 0 ? this.produce(1, { first, timeNs })[0]!.executed : undefined;
      const outcomes = checked.map(({ outcome, entry }) => {
        if (entry === undefined || block === undefined) return outcome;
        const execution = block.results[first.indexOf(entry)]!;
        return this.intake.outcome(entry.hash, execution, entry.gas, block.point.height);
      });
      if (outcomes.some(({ code }) => code !== 0)) takeBack();
      return outcomes;
    } catch (error) {
      // A block has them, and whether the disk has the block is not known.
      const isIn = first.length > 0 && first.filter(({ hash }) => this.withdraw(hash)).length === 0;
      if (!isIn) takeBack();
      throw error;
    }
  }

  /** Takes a transaction out of the mempool. @returns whether the mempool had it */
  private withdraw(hash: string): boolean {
    const entry = this.mempool.find(hash);
    if (entry === undefined) return false;
    this.mempool.remove(entry);
    this.intake.release(entry);
    return true;
  }

  private evicted(dropped: readonly PooledTx[]): void {
    for (const { hash, bytes } of dropped) this.waiters.fail(hash, this.mempool.full(bytes.length));
    if (dropped.length > 0) this.outcomes.wake();
  }

  /** @throws ChainCallError */
  outcomesOf(hashes: readonly string[], waitMs: number): Promise<readonly TxState[]> {
    const isWaiting = (hash: string) => this.mempool.find(hash) !== undefined;
    return this.outcomes.statesOf(hashes, waitMs, isWaiting, () => this.checkRunning());
  }

  /** @throws ChainCallError */
  async check(bytes: Uint8Array): Promise<TxOutcome> {
    this.checkRunning();
    return this.intake.check(bytes);
  }

  /** Makes this many blocks. @throws ChainCallError `halted`, `stopped` */
  async mine(blocks: number): Promise<void> {
    for (let left = blocks; left > 0; ) {
      await this.held?.released.promise;
      this.checkRunning();
      left -= this.produce(left).length;
      // Followers of the blocks get to answer them.
      if (left > 0) await yieldToOthers();
    }
  }

  /** Makes a block with a command of the devnet's tools. @throws CommandError, ChainCallError */
  makeBlockWith(tool: ToolCommand): void {
    this.checkRunning();
    this.checkFree();
    this.produce(1, { tool });
  }

  /** A block of the tools comes at once, or not. @throws ChainCallError */
  private checkFree(): void {
    if (this.held?.reason !== undefined) throw new ChainCallError("halted", this.held.reason);
  }

  /**
   * The chain went back: examines everything that waits again.
   * @param mempoolIsValid whether the waiting transactions were valid at this very block before
   */
  onChainRewound(mempoolIsValid = false): void {
    this.wanted = 0;
    this.outcomes.clear();
    this.resume();
    this.board.update();
    if (mempoolIsValid) this.reserveWaiting();
    else this.recheck();
    this.waiters.failAll(new ChainCallError("stopped", "the chain was taken back to another block"));
    for (const listener of this.listeners) listener(this.status);
    this.noteHalt();
    this.schedule();
  }

  /** The chain was read again at a place where what waits was found good: its proofs are spent as before. */
  reserveWaiting(): void {
    for (const entry of this.mempool.entries()) this.intake.reserve(entry);
  }

  /** @throws ChainCallError */
  checkRunning(): void {
    if (this.isStopped) throw new ChainCallError("stopped", "the chain is being stopped");
    if (this.halted === undefined) return;
    if (!this.isHaltedForGood && performance.now() - this.lastAttemptMs > RETRY_ON_REQUEST_MS)
      this.tryAgain();
    if (this.halted !== undefined) throw new ChainCallError("halted", this.halted);
  }

  private settleCheck(
    { outcome, entry, tx, dropped }: CheckTxResult,
    wait: "check" | "commit",
    extraMs = 0,
  ): TxOutcome | Promise<TxOutcome> {
    this.evicted(dropped);
    this.schedule();
    if (entry === undefined) {
      this.options.onOutcome?.(outcome, tx);
      return outcome;
    }
    return wait === "commit" ? this.waiters.wait(outcome.hash, extraMs) : outcome;
  }

  /**
   * A block, or several while nothing happens in them.
   * @throws ChainCallError `halted`; CommandError of the tool
   */
  private produce(max: number, { tool, first, timeNs }: Wanted = {}): readonly MadeBlock[] {
    this.lastAttemptMs = performance.now();
    const madeBlocks: MadeBlock[] = [];
    let trouble: NodeError | undefined;
    try {
      do madeBlocks.push(this.executeNext({ tool, first, timeNs }));
      while (madeBlocks.length < Math.min(max, BATCH_BLOCKS_MAX) && this.isQuietAfter(madeBlocks.at(-1)!));
      trouble = this.core.commit();
      const last = madeBlocks.pop()!;
      madeBlocks.push({ ...last, status: this.board.update() });
    } catch (error) {
      this.reserveWaiting();
      if (error instanceof CommandError) throw error;
      this.board.update();
      throw this.halt(error);
    }
    this.halted = undefined;
    clearTimeout(this.retry);
    this.retry = undefined;
    const isDurable = trouble?.code !== "sync_failed";
    for (const each of madeBlocks) this.committed(each, isDurable);
    if (trouble) this.halt(trouble);
    this.noteHalt();
    this.schedule();
    if (!isDurable && (tool ?? first) !== undefined) {
      throw new ChainCallError("halted", this.halted ?? trouble!.message);
    }
    return madeBlocks;
  }

  private executeNext({ tool, first, timeNs }: Wanted): MadeBlock {
    const txs = this.mempool.pick(this.core.engine.blockGasMax, first);
    const executed = this.core.execute(txs, tool, timeNs);
    const status = this.board.after(executed, txs);
    return { executed, txs, status };
  }

  private isQuietAfter({ executed }: MadeBlock): boolean {
    const { engine } = this.core;
    return (
      executed.isEmpty &&
      this.mempool.count === 0 &&
      !engine.wantsBlock() &&
      engine.haltReason() === undefined &&
      performance.now() - this.lastAttemptMs < BATCH_MS_MAX
    );
  }

  /** A block is real: mempool and listeners are notified, and its callers, unless the disk may not have it. */
  private committed({ executed, txs, status }: MadeBlock, isDurable: boolean): void {
    const { height } = executed.point;
    this.mempool.removePicked(txs);
    for (const [n, entry] of txs.entries()) {
      const result = executed.results[n]!;
      if (result.code !== 0) this.mempool.uncache(entry.hash);
      const outcome = this.intake.outcome(entry.hash, result, entry.gas, height);
      this.options.onOutcome?.(outcome, entry.tx);
      if (isDurable) this.outcomes.add(outcome);
      if (isDurable) this.waiters.resolve(entry.hash, outcome);
    }
    this.wanted = txs.length > 0 ? 0 : this.wanted;
    if (txs.length > 0 || this.mempool.count > 0) this.recheck();
    if (txs.length > 0) this.outcomes.wake();
    this.options.onCommitted?.(height);
    const { count, bytes } = this.mempool;
    for (const listener of this.listeners) listener({ ...status, mempool: { count, bytes } });
  }

  /** Evicts invalid transactions, and notifies their waiters. */
  private recheck(): void {
    for (const entry of [...this.mempool.entries()]) {
      const outcome = this.intake.recheck(entry);
      if (outcome.code === 0) continue;
      this.mempool.remove(entry);
      this.mempool.uncache(entry.hash);
      this.options.onOutcome?.(outcome, entry.tx);
      this.outcomes.add(outcome);
      this.waiters.resolve(entry.hash, outcome);
    }
  }

  private isBlockDue(): boolean {
    return this.mempool.count > 0 || (this.wanted < WANTED_BLOCKS_MAX && this.core.engine.wantsBlock());
  }

  private schedule(): void {
    const isStanding = this.isStopped || this.halted !== undefined || this.held !== undefined;
    if (isStanding || this.mode.kind === "manual") return;
    const { kind } = this.mode;
    if (kind !== "interval" && this.isBlockDue() && this.soon === undefined) {
      this.soon = setImmediate(() => {
        this.soon = undefined;
        // A block that came first has the transactions, or a revert has taken them away.
        if (!this.isBlockDue()) return;
        if (this.mempool.count === 0) this.wanted++;
        this.tick();
      });
    }
    if (kind !== "instant" && this.timer === undefined) {
      // From the start of one block to the start of the next, however long the first one took.
      const passedMs = performance.now() - this.lastAttemptMs;
      const timer = setTimeout(
        () => {
          this.timer = undefined;
          this.tick();
        },
        Math.max(PAUSE_MS, this.mode.intervalMs - passedMs),
      );
      timer.unref?.();
      this.timer = timer;
    }
  }

  private unschedule(): void {
    clearImmediate(this.soon);
    clearTimeout(this.timer);
    this.soon = undefined;
    this.timer = undefined;
  }

  private tick(): void {
    if (this.isStopped || this.halted !== undefined) return;
    // A block that comes at once counts for the interval too.
    if (this.mode.kind === "mixed") {
      clearTimeout(this.timer);
      this.timer = undefined;
    }
    try {
      this.produce(1);
    } catch (error) {
      // Halted: every caller gets the error.
      if (!(error instanceof ChainCallError)) throw error;
    }
  }

  /** Stops the chain, for good unless the reason may pass. */
  private halt(error: unknown): ChainCallError {
    const isPassing = error instanceof NodeError && PASSING.has(error.code);
    this.halted = isPassing ? error.message : `the chain stopped: ${reasonOf(error)}`;
    this.isHaltedForGood = !isPassing;
    this.unschedule();
    const halt = new ChainCallError("halted", this.halted);
    this.waiters.failAll(halt);
    if (isPassing && this.retry === undefined) {
      this.retry = setTimeout(() => {
        this.retry = undefined;
        this.tryAgain();
      }, RETRY_MS);
      this.retry.unref?.();
    }
    this.options.onHalt?.(this.halted);
    return halt;
  }

  private tryAgain(): void {
    if (this.isStopped || this.isHaltedForGood || this.halted === undefined) return;
    try {
      if (this.mode.kind === "manual") {
        // Blocks are made by hand: that the disk has room again is found without one.
        this.lastAttemptMs = performance.now();
        this.core.storeHead();
        this.resume();
        return;
      }
      this.produce(1);
      if (this.halted === undefined) this.options.onHalt?.(undefined);
    } catch (error) {
      if (error instanceof ChainCallError) return;
      if (!(error instanceof NodeError)) throw error;
      this.halt(error);
    }
  }

  /** The trouble that held the chain was at the place that it has left. */
  private resume(): void {
    if (this.halted === undefined) return;
    this.halted = undefined;
    this.isHaltedForGood = false;
    clearTimeout(this.retry);
    this.retry = undefined;
    this.options.onHalt?.(undefined);
  }

  private noteHalt(): void {
    const reason = this.core.engine.haltReason();
    if (reason === undefined || this.halted !== undefined) return;
    this.halted = reason;
    this.isHaltedForGood = true;
    this.unschedule();
    this.waiters.failAll(new ChainCallError("halted", reason));
    try {
      this.core.recordUpgrade();
    } catch (error) {
      this.halted = `${reason}; ${reasonOf(error)}`;
    }
    this.options.onHalt?.(this.halted);
  }
}

export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
