// Feeds a recording into the store: skips what is there, commits several whole blocks at once while catching up.
import type { Database, Statement } from "bun:sqlite";
import { NodeError } from "../errors/node-error.ts";
import type { BlockWriter } from "../store/block-writer.ts";
import { type ChainHead, hasChain, hashOfRow } from "../store/head.ts";
import { microseconds } from "../store/project/context.ts";
import { type Block, eventCount } from "../wire/block.ts";
import { BlockAssembler } from "./block-assembler.ts";
import { type RecordingEnd, type RecordingProgress, RecordingReader } from "./recording.ts";

/** Failures of the store itself: the file has no part in them. */
const STORE_CODES: ReadonlySet<string> = new Set(["disk_full", "store_failed", "sync_failed"]);
/** A commit is due after this many events ... */
const COMMIT_EVENTS = 8_192;
/** ... or this long after the last one, so that readers see the height move. */
const COMMIT_MS = 250;

/** Other work of this thread, signals and messages among it, waits no longer than this and one batch. */
const TURN_MS = 10;

export interface ReplayHooks {
  /** Called after each commit. */
  onCommit?(head: ChainHead, progress: RecordingProgress): void;
  /** Called with each block that is stored, before its commit; it will not be rolled back. */
  onBlock?(block: Block): void;
  /** Called at the start of a file. */
  onFile?(path: string): void;
  /** True ends the replay at the next block boundary; staged blocks are committed. */
  isStopping?(): boolean;
}

export interface ReplayResult {
  readonly files: ReadonlyArray<{ path: string } & RecordingEnd>;
  /** Blocks stored by this call. */
  readonly blocks: number;
  /** Blocks that were there before. */
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
  const assembler = new BlockAssembler();
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
  /** A block whose kind the block after it decides. */
  private doubtful: Block | undefined;
  private known: KnownBlocks;
  /** The last block that came. */
  private last: Block | undefined;
  /** Whether the home's chain goes on by itself. */
  private readonly isOwnChain: boolean;

  /** Whether this file goes on with the blocks of an earlier one. */
  private readonly follows: boolean;

  constructor(
    private readonly writer: BlockWriter,
    private readonly db: Database,
    private readonly path: string,
    private readonly reader: RecordingReader,
    private readonly hooks: ReplayHooks,
    private readonly count: Count,
  ) {
    this.follows = count.blocks + count.known > 0;
    this.known = new KnownBlocks(db, writer.writtenHead);
    this.isOwnChain = hasChain(db);
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

  /** @param next the block after the one in doubt; undefined at the end, when no block follows */
  private settleDoubt(next: Block | undefined): void {
    const { doubtful } = this;
    if (!doubtful) return;
    this.doubtful = undefined;
    this.placed(doubtful, () => {
      const isOther = next === undefined ? !this.follows : next.height === doubtful.height;
      if (isOther) throw mismatch(doubtful);
      this.store(doubtful);
    });
  }

  private accept(block: Block): void {
    if (this.goesBack(block)) this.known = new KnownBlocks(this.db, this.writer.writtenHead);
    this.last = block;
    if (this.known.isDoubtful(block)) this.doubtful = block;
    else if (this.known.has(block)) this.count.known++;
    else this.store(block);
  }

  /** A stream that comes to earlier blocks again goes on as another file would: known blocks are passed over. */
  private goesBack(block: Block): boolean {
    const { last } = this;
    if (last === undefined || block.height > last.height) return false;
    return block.height < last.height || block.hash === last.hash;
  }

  private store(block: Block): void {
    if (this.isOwnChain) throw ownChain();
    this.writer.stage(block);
    this.notify(block);
    const events = eventCount(block);
    this.count.blocks++;
    this.count.events += events;
    this.pending += events;
    if (this.pending >= COMMIT_EVENTS) this.commit();
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

interface BlockRow {
  readonly no: number;
  readonly height: number;
  /** Upper-case hex. */
  readonly hash: string;
}

/**
 * Separates blocks that the store already holds from new ones, and refuses another history of the same chain. The blocks
 * of the file and those of the store ascend, so a look-up goes on from the last one.
 */
export class KnownBlocks {
  private readonly select: Statement;
  private at = 1;
  private hasUnchecked = false;
  /** Whether one of these blocks was one of the store's. */
  private hasMet = false;

  constructor(
    db: Database,
    private readonly head: ChainHead | undefined,
  ) {
    this.select = db.prepare("SELECT no, time, height, hash FROM blocks WHERE no = ?");
  }

  /**
   * True for a block that is either the second one of the first height or the first one of another history: a store
   * that holds the first block alone cannot decide (reference 20, section 6.4). The block after it can: only the
   * latter is followed by another one of its height. The former has the time of the first one.
   * @throws NodeError `history_mismatch` when it has another
   */
  isDoubtful(block: Block): boolean {
    const { head } = this;
    if (!head || this.hasMet || head.height !== head.firstHeight || head.blocksAtHeight !== 1) return false;
    if (block.chainId !== head.chainId || block.height !== head.height || isHead(block, head)) return false;
    if (microseconds(block.timeNs) !== head.timeUs) throw mismatch(block);
    return true;
  }

  /** @throws NodeError `history_mismatch` when the store holds another block in this one's place */
  has(block: Block): boolean {
    const { head } = this;
    if (!head || block.height > head.height || block.chainId !== head.chainId) return false;
    if (block.height < head.firstHeight) throw beforeHome(block, head);
    this.hasMet = true;
    const hash = block.hash.toUpperCase();
    const rows = this.rowsAt(block.height);
    if (rows.some((row) => row.hash === hash)) return true;
    if (block.height === head.height) {
      if (isHead(block, head)) return true;
      // The first height comes twice (reference 20, section 6.4): this may be its second block.
      if (head.height === head.firstHeight && head.blocksAtHeight === 1) return false;
      throw mismatch(block);
    }
    if (!this.canLackRow(block, rows.length, head)) throw mismatch(block);
    return true;
  }

  /** A block at the time of the one before it has no row, and so no hash to compare (store/schema.ts). */
  private canLackRow(block: Block, rows: number, head: ChainHead): boolean {
    if (block.height !== head.firstHeight) return rows === 0;
    const isSecondUnchecked = this.hasUnchecked;
    this.hasUnchecked = true;
    return rows === 1 && !isSecondUnchecked;
  }

  private rowsAt(height: number): BlockRow[] {
    if ((this.row(this.at)?.height ?? height) < height) this.at++;
    if ((this.row(this.at)?.height ?? height) < height) this.at = this.firstRow(height);
    const rows: BlockRow[] = [];
    for (let no = this.at; ; no++) {
      const row = this.row(no);
      if (row?.height !== height) return rows;
      rows.push(row);
    }
  }

  /** Number of the first row at or above a height. Rows have no gaps. */
  private firstRow(height: number): number {
    let low = this.at;
    let high = this.head!.no + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.row(middle)!.height >= height) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private row(no: number): BlockRow | undefined {
    const row = this.select.get(no) as { time: bigint; height: bigint; hash: Uint8Array } | null;
    if (!row) return undefined;
    return {
      no,
      height: Number(row.height),
      hash: Buffer.from(hashOfRow(row)).toString("hex").toUpperCase(),
    };
  }
}

function isHead(block: Block, head: ChainHead): boolean {
  return block.hash.toUpperCase() === head.hash.toUpperCase();
}

/** Rows are numbered from the first block on: nothing can be put before it, and there is nothing to compare with. */
function beforeHome(block: Block, { firstHeight }: ChainHead): NodeError {
  return new NodeError(
    "replay",
    "block_before_home",
    `block ${block.height} of the recording comes before block ${firstHeight}, the first one of this home`,
    "load the recording into another --home, from its first block on; or one that begins where this home does",
  );
}

export function mismatch(block: Block): NodeError {
  return new NodeError(
    "replay",
    "history_mismatch",
    `block ${block.height} of the recording is not the block ${block.height} of this home`,
    "use another --home for another history of the chain",
  );
}
