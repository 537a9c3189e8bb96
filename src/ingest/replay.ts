// Feeds a recording into the store: skips stored blocks, commits several whole blocks at once while catching up.
import type { Database } from "bun:sqlite";
import { NodeError } from "../errors/node-error.ts";
import type { BlockWriter } from "../store/block-writer.ts";
import { isOfConsensus } from "../store/chain-tables.ts";
import type { EventTap } from "../store/event-feed.ts";
import { GarbageLimit } from "../store/garbage-limit.ts";
import { type ChainHead, hasChain } from "../store/head.ts";
import { type Block, eventCount } from "../wire/block.ts";
import { BlockAssembler } from "./block-assembler.ts";
import { BlockOrder } from "./block-order.ts";
import { COMMIT_MS, commitEvents, GARBAGE_EVENTS } from "./commit-size.ts";
import { type RecordingEnd, type RecordingProgress, RecordingReader } from "./recording.ts";

/** Failures of the store itself: the file has no part in them. */
const STORE_CODES: ReadonlySet<string> = new Set(["disk_full", "store_failed", "sync_failed"]);

/** Other work of this thread, signals and messages among it, waits no longer than this and one batch. */
const TURN_MS = 10;

export interface ReplayHooks {
  /** Called after each commit. */
  onCommit?(head: ChainHead, progress: RecordingProgress): void;
  /** Called with each block that is stored, before its commit; it will not be rolled back. */
  onBlock?(block: Block): void;
  /** Called at the start of a file. */
  onFile?(path: string): void;
  /** Wants the events of blocks, whole. */
  readonly tap?: EventTap;
  /** True ends the replay at the next block boundary; staged blocks are committed. */
  isStopping?(): boolean;
}

export interface ReplayResult {
  readonly files: ReadonlyArray<{ path: string } & RecordingEnd>;
  /** Blocks stored by this call. */
  readonly blocks: number;
  /** Blocks that were stored before. */
  readonly known: number;
  /** Events of the stored blocks, begin and end markers included. */
  readonly events: number;
  readonly head: ChainHead | undefined;
  readonly stopped: boolean;
}

/**
 * Loads event files in the order given, as one stream: a block may begin in one and end in the next. A damaged file ends
 * the replay, and `files` has its damage.
 * @throws NodeError from the store; earlier blocks are committed
 */
export async function replayFiles(
  writer: BlockWriter,
  db: Database,
  paths: readonly string[],
  hooks: ReplayHooks = {},
): Promise<ReplayResult> {
  const files: ({ path: string } & RecordingEnd)[] = [];
  const count = { blocks: 0, known: 0, events: 0 };
  const assembler = new BlockAssembler(hooks.tap && { tap: hooks.tap });
  let stopped = false;
  for (const path of paths) {
    hooks.onFile?.(path);
    const reader = new RecordingReader(path, assembler);
    stopped = await new FileReplay(writer, db, path, reader, hooks, count).run();
    if (stopped) break;
    files.push({ path, ...reader.end! });
    if (reader.end!.damage) break;
  }
  return { files, ...count, head: writer.committedHead, stopped };
}

interface Count {
  blocks: number;
  known: number;
  events: number;
}

/** A file on its way into the store. */
class FileReplay {
  private pending = 0;
  private lastCommit = performance.now();
  private lastTurn = performance.now();
  private readonly order: BlockOrder;
  private readonly garbage = new GarbageLimit(GARBAGE_EVENTS);
  /** Whether the home's chain goes on by itself. */
  private readonly isOwnChain: boolean;

  constructor(
    private readonly writer: BlockWriter,
    db: Database,
    private readonly path: string,
    private readonly reader: RecordingReader,
    private readonly hooks: ReplayHooks,
    private readonly count: Count,
  ) {
    this.order = new BlockOrder(db, writer, count.blocks + count.known > 0);
    this.isOwnChain = hasChain(db) || isOfConsensus(db);
  }

  /** True when it was asked to stop before the end. */
  async run(): Promise<boolean> {
    try {
      for await (const blocks of this.reader.batches()) {
        await this.yieldTurn();
        if (this.isCommitDue()) this.commit();
        if (this.hooks.isStopping?.()) return true;
        for (const block of blocks) {
          if (this.hooks.isStopping?.()) return true;
          this.settleDoubt(block);
          this.placed(block, () => this.accept(block));
        }
      }
      // The damage of a file goes before this doubt.
      if (!this.reader.end!.damage) this.settleDoubt(undefined);
    } finally {
      this.commit();
    }
    return false;
  }

  /** @param next the block after the one in doubt */
  private settleDoubt(next: Block | undefined): void {
    const { waiting } = this.order;
    if (waiting === undefined) return;
    this.placed(waiting, () => {
      const settled = this.order.settleDoubt(next);
      if (settled) this.store(settled);
      else this.count.known++;
    });
  }

  private accept(block: Block): void {
    const kind = this.order.sort(block);
    if (kind === "known") this.count.known++;
    else if (kind === "new") this.store(block);
  }

  private store(block: Block): void {
    if (this.isOwnChain) throw ownChain();
    this.writer.stage(block);
    this.notify(block);
    const events = eventCount(block);
    this.count.blocks++;
    this.count.events += events;
    this.pending += events;
    this.garbage.noteWork(events);
    if (this.pending >= commitEvents(this.count.events - this.pending)) this.commit();
  }

  /** A block that a listener refuses (a file on a full disk) is not stored: the listener never lags behind the home. */
  private notify(block: Block): void {
    try {
      this.hooks.onBlock?.(block);
    } catch (error) {
      this.writer.rollback();
      throw error;
    }
  }

  /** Checked with each piece of the file: reading the clock costs time, too. */
  private isCommitDue(): boolean {
    return this.pending > 0 && performance.now() - this.lastCommit > COMMIT_MS;
  }

  private commit(): void {
    this.writer.commit();
    this.pending = 0;
    this.lastCommit = performance.now();
    if (this.writer.committedHead) this.hooks.onCommit?.(this.writer.committedHead, this.reader.progress);
  }

  private async yieldTurn(): Promise<void> {
    if (performance.now() - this.lastTurn <= TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.lastTurn = performance.now();
  }

  /** Failures of a block name its place in the file. */
  private placed(block: Block, work: () => void): void {
    try {
      work();
    } catch (error) {
      throw placed(error, this.path, block);
    }
  }
}

/** The same error with the place in the file where the stored blocks end. */
function placed(error: unknown, path: string, block: Block): unknown {
  if (!(error instanceof NodeError) || !block.place || STORE_CODES.has(error.code)) return error;
  const { record, offset } = block.place;
  const place = `block ${block.height} begins at record ${record}, byte ${offset} of the inflated data`;
  const message = `${path}: ${error.message} (${place})`;
  return new NodeError(error.attempt, error.code, message, error.hint, { cause: error });
}

function ownChain(): NodeError {
  const text = "this home holds a chain of its own, and a recording cannot go on with it";
  return new NodeError("replay", "own_chain", text, "choose another --home");
}
