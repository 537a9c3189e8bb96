// Writes blocks. A block is whole or not there: its rows and the height are one transaction; when the source is
// far ahead several whole blocks may share a commit.
import type { Database, Statement } from "bun:sqlite";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { isDiskFull, isSqliteError, sqliteCode } from "../files/sqlite-error.ts";
import type { Block, BlockEvent } from "../wire/block.ts";
import { hexOf } from "../wire/identifiers.ts";
import { checkpoint, markLog, PAGE_BYTES } from "./database.ts";
import { Eras } from "./eras.ts";
import { type ChainHead, followsRule, hashOfRow, readHead, writeHead } from "./head.ts";
import { Accounts, Ids } from "./ids.ts";
import { PROJECTIONS } from "./project/all.ts";
import {
  BlockContext,
  type Handler,
  IMPLIED_HASH,
  microseconds,
  NO_ROW,
  type Projection,
  type TxRows,
} from "./project/context.ts";
import { type FileSync, LogBound, LogSync } from "./wal.ts";

/** A commit that adds this much to the log belongs to a busy time. */
const BUSY_COMMIT_BYTES = 128 * 1024;
const BUSY_CHECKPOINT_BYTES = 48 * 1024 * 1024;
/** After this much of the log it is copied back into the store, between blocks. */
const CHECKPOINT_BYTES = 16 * 1024 * 1024;
const NO_HASH = new Uint8Array();

interface BlockWriterOptions {
  /** A block that fails rolls back everything staged with it: the transaction holds more than blocks. */
  readonly allOrNothing?: boolean;
  /** After this much of the log it is copied back into the store. */
  readonly checkpointBytes?: number;
  /** Beyond this much of the log the writer waits for its readers. */
  readonly logBytesMax?: number;
  /** Rows of an era (store/eras.ts); tests take few. */
  readonly eraRows?: number;
  /** The store is not opened again after a crash: nothing waits for the disk. */
  readonly isTemporary?: boolean;
  /** Sync of the log; tests let it fail. */
  readonly disk?: FileSync;
  /** Work of others in the transactions of this writer. */
  readonly companion?: CommitCompanion;
}

interface CommitCompanion {
  /** Called in a transaction that is about to be committed. */
  beforeCommit(head: ChainHead): void;
  /** Called when it has ended, one way or the other. */
  afterCommit(isCommitted: boolean): void;
}

export class BlockWriter {
  private readonly ids: Ids;
  private readonly accounts: Accounts;
  private readonly eras: Eras;
  private readonly projections: readonly Projection[];
  /** Those that write at the end of a block. */
  private readonly collecting: readonly Projection[];
  private readonly handlers: ReadonlyArray<readonly Handler[] | undefined>;
  private readonly beginImmediate: Statement;
  private readonly insertBlock: Statement;
  private readonly insertTx: Statement;
  private readonly updateBlockHash: Statement;
  private readonly selectBlockHash: Statement;
  private readonly insertGap: Statement;
  private readonly walPages: Statement;
  /** Not for a store in memory, or a temporary one. */
  private readonly logSync: LogSync | undefined;
  private committed: ChainHead | undefined;
  private head: ChainHead | undefined;
  private inTransaction = false;
  /** Blocks of the open transaction. */
  private staged: { readonly block: Block; readonly allowsGap: boolean }[] = [];
  private nextTx = 0;
  /** Length of the log after the last commit. */
  private logBytes = 0;
  private readonly logBound: LogBound;
  /** Called with the blocks that are about to be committed. */
  onCommitting: (blocks: readonly Block[]) => void = () => {};
  /** Called with the blocks of each commit. */
  onCommitted: (blocks: readonly Block[]) => void = () => {};
  private readonly txRows: TxRows = {
    insert: (hex) => this.insertTxRow(hex),
    hashOf: (no) => hexOf(this.blockHash(no)),
    keepBlockHash: (no, hex) => void this.updateBlockHash.run(Uint8Array.fromHex(hex), no),
  };
  /** The event that is being written, for errors. */
  private event: BlockEvent | undefined;

  constructor(
    private readonly db: Database,
    private readonly options: BlockWriterOptions = {},
  ) {
    this.ids = new Ids(db);
    this.accounts = new Accounts(db, this.ids);
    this.eras = new Eras(db, options.eraRows);
    this.projections = PROJECTIONS.map((make) => make(db));
    this.collecting = this.projections.filter((projection) => projection.endBlock !== undefined);
    this.handlers = handlersByField(this.projections);
    this.beginImmediate = db.prepare("BEGIN IMMEDIATE");
    this.insertBlock = db.prepare("INSERT INTO blocks(no, time, height, hash) VALUES(?, ?, ?, ?)");
    this.insertTx = db.prepare("INSERT INTO txs(id, hash) VALUES(?, ?)");
    this.updateBlockHash = db.prepare("UPDATE blocks SET hash = ? WHERE no = ?");
    this.selectBlockHash = db.prepare("SELECT height, time, hash FROM blocks WHERE no = ?");
    this.insertGap = db.prepare("INSERT INTO gaps(from_height, to_height) VALUES(?, ?)");
    this.walPages = db.prepare("PRAGMA wal_checkpoint(NOOP)");
    const isInMemory = db.filename === "" || db.filename === ":memory:";
    this.logSync =
      isInMemory || options.isTemporary ? undefined : new LogSync(`${db.filename}-wal`, options.disk);
    if (options.isTemporary) db.run("PRAGMA synchronous = OFF");
    this.logBound = new LogBound(db, options.logBytesMax);
    this.head = readHead(db);
    this.committed = this.head;
  }

  /** The last block that is committed, which a killed process cannot lose; undefined for an empty store. */
  get committedHead(): ChainHead | undefined {
    return this.committed;
  }

  /** The last block written, committed or not. */
  get writtenHead(): ChainHead | undefined {
    return this.head;
  }

  /** Writes a block and commits it. @throws NodeError when the block does not fit or cannot be stored; nothing of it stays */
  write(block: Block): void {
    this.stage(block);
    this.commit();
  }

  /**
   * Writes a block into the open transaction; it counts only after `commit`. On error nothing of this block stays,
   * and what was staged before it is committed. (No savepoint for each block: it would copy every page the block
   * touches, three quarters of the whole cost. The good blocks are written again in the rare case.)
   * @param allowsGap whether blocks may be missing before it: the gap is then marked
   */
  stage(block: Block, allowsGap = false): void {
    const timeUs = microseconds(block.timeNs);
    const missing = missingBefore(this.head, block);
    checkFits(this.head, block, timeUs, missing !== undefined && allowsGap);
    this.beginTransaction();
    try {
      if (missing) this.insertGap.run(missing.from, missing.to);
      this.head = this.apply(block, timeUs);
      if (!this.options.allOrNothing) this.staged.push({ block, allowsGap });
    } catch (error) {
      const refused = storeError(block, error, this.event);
      if (this.options.allOrNothing) this.rollback();
      else this.keepStaged();
      throw refused;
    }
  }

  /** Opens the transaction of the next commit, if it is not open: for what belongs into it besides blocks. */
  beginTransaction(): void {
    if (this.inTransaction) return;
    this.logSync?.check();
    try {
      // This transaction is synced by the writer itself; all else on this connection is left to SQLite.
      if (this.logSync) this.db.run("PRAGMA synchronous = NORMAL");
      this.beginImmediate.run();
    } catch (error) {
      this.afterTransaction();
      throw storeError(undefined, error);
    }
    this.inTransaction = true;
  }

  /** Makes everything staged durable: it waits for the disk. @throws NodeError; with `sync_failed` it is committed, but may not be durable */
  commit(): void {
    if (!this.inTransaction) return;
    const { staged } = this;
    this.commitStaged();
    const frames = this.logFrames();
    if (this.logSync) {
      const keepMark = markLog(this.db, frames);
      this.logSync.sync();
      keepMark();
    }
    this.onCommitted(staged.map(({ block }) => block));
    this.checkpointIfLarge(frames);
  }

  private commitStaged(): void {
    try {
      if (this.head) writeHead(this.db, this.head);
      if (this.head) this.options.companion?.beforeCommit(this.head);
      this.onCommitting(this.staged.map(({ block }) => block));
      this.db.run("COMMIT");
    } catch (error) {
      this.rollback();
      throw storeError(undefined, error);
    }
    this.afterTransaction();
    this.staged = [];
    this.committed = this.head;
    this.options.companion?.afterCommit(true);
  }

  private afterTransaction(): void {
    this.inTransaction = false;
    if (this.logSync) this.db.run("PRAGMA synchronous = FULL");
  }

  /** Drops everything staged since the last commit. */
  rollback(): void {
    if (this.inTransaction && this.db.inTransaction) this.db.run("ROLLBACK");
    this.afterTransaction();
    this.staged = [];
    this.head = this.committed;
    this.resetCaches();
    this.options.companion?.afterCommit(false);
  }

  /** Reads the head again: the rows were changed by other code than this writer. Not inside a transaction. */
  reload(): void {
    this.head = readHead(this.db);
    this.committed = this.head;
    this.resetCaches();
  }

  /**
   * Folds the log back into the store; called before a clean close. Where that fails (a full disk), the log
   * stays beside the store and is read at the next start: nothing is lost, so nothing is thrown.
   */
  checkpoint(): void {
    try {
      checkpoint(this.db, "TRUNCATE");
    } catch (error) {
      if (!isSqliteError(error) && !isDiskFull(error)) throw error;
    }
  }

  /** Rolls back, then writes and commits the blocks that were staged before the one that failed. */
  private keepStaged(): void {
    const good = this.staged;
    this.rollback();
    if (good.length === 0) return;
    for (const { block, allowsGap } of good) this.stage(block, allowsGap);
    this.commit();
  }

  private resetCaches(): void {
    this.ids.reset();
    this.accounts.reset();
    this.eras.reset();
    this.nextTx = 0;
    this.event = undefined;
    for (const projection of this.projections) projection.reset?.();
  }

  private apply(block: Block, timeUs: number): ChainHead {
    const context = this.open(block, timeUs);
    for (const event of block.events) {
      const handlers = this.handlers[event.field];
      if (handlers === undefined) continue;
      this.event = event;
      for (const handle of handlers) handle(context, event);
    }
    this.event = undefined;
    for (const projection of this.collecting) projection.endBlock!(context);
    this.eras.endBlock();
    return context.head;
  }

  private open(block: Block, timeUs: number): BlockContext {
    const before = this.head;
    const hash = block.hashBytes ?? Uint8Array.fromHex(block.hash);
    const sharesRow = before !== undefined && before.timeUs === timeUs;
    const head: ChainHead = {
      chainId: block.chainId,
      height: block.height,
      hash: block.hash,
      timeUs,
      no: sharesRow ? before.no : (before?.no ?? 0) + 1,
      part: sharesRow ? before.part + 1 : 0,
      firstHeight: before?.firstHeight ?? block.height,
      blocksAtHeight: before?.height === block.height ? before.blocksAtHeight + 1 : 1,
    };
    let ownTx = 0;
    if (!sharesRow) {
      // A recording's hashes are stored as they came: to look at each would be a tenth of the whole ingest.
      const isImplied = block.place === undefined && followsRule(hash, block.height, BigInt(timeUs) * 1_000n);
      this.insertBlock.run(head.no, timeUs, block.height, isImplied ? NO_HASH : hash);
      // The first row that refers to it needs it in its place.
      if (isImplied) ownTx = IMPLIED_HASH;
    } else if (Buffer.compare(this.blockHash(head.no), hash) !== 0) ownTx = NO_ROW;
    return new BlockContext(block, head, this.ids, this.accounts, this.eras, ownTx, this.txRows);
  }

  private blockHash(no: number): Uint8Array {
    return hashOfRow(this.selectBlockHash.get(no) as { height: bigint; time: bigint; hash: Uint8Array });
  }

  private insertTxRow(hex: string): number {
    if (this.nextTx === 0) {
      const row = this.db.query("SELECT max(id) AS id FROM txs").get() as { id: bigint };
      this.nextTx = Number(row.id) + 1;
    }
    this.insertTx.run(this.nextTx, Uint8Array.fromHex(hex));
    return this.nextTx++;
  }

  private logFrames(): number {
    const state = this.walPages.get() as { log: bigint } | null;
    return Number(state?.log ?? 0n);
  }

  private checkpointIfLarge(frames: number): void {
    const bytes = frames * PAGE_BYTES;
    const { checkpointBytes = CHECKPOINT_BYTES } = this.options;
    // While much is written the log is folded back more rarely: each time costs as much as several commits.
    const isBusy = bytes - this.logBytes > BUSY_COMMIT_BYTES;
    this.logBytes = bytes;
    try {
      if (this.logBound.exceeds(bytes)) {
        if (this.logBound.restart(bytes)) this.logBytes = 0;
        return;
      }
    } catch (error) {
      throw storeError(undefined, error);
    }
    if (bytes <= (isBusy ? Math.max(checkpointBytes, BUSY_CHECKPOINT_BYTES) : checkpointBytes)) return;
    try {
      checkpoint(this.db, "PASSIVE");
    } catch (error) {
      throw storeError(undefined, error);
    }
  }
}

function handlersByField(projections: readonly Projection[]): Handler[][] {
  const byField: Handler[][] = [];
  for (const projection of projections) {
    for (const [field, handler] of projection.handlers) {
      byField[field] ??= [];
      byField[field]!.push(handler);
    }
  }
  return byField;
}

/** Heights that are missing between the last block and this one. */
function missingBefore(head: ChainHead | undefined, block: Block): { from: number; to: number } | undefined {
  if (head === undefined || block.height <= head.height + 1) return undefined;
  return { from: head.height + 1, to: block.height - 1 };
}

/**
 * A block must follow the last one; the first height comes twice, as genesis and as a block
 * (docs/protocol/20-network-history-segments.md#64-the-doubled-first-height).
 */
function checkFits(head: ChainHead | undefined, block: Block, timeUs: number, isGap: boolean): void {
  if (head === undefined) return;
  if (block.chainId !== head.chainId) {
    throw new NodeError(
      "store.write",
      "chain_mismatch",
      `this home holds chain ${head.chainId}, the source is chain ${block.chainId}`,
      "use another --home for another chain",
    );
  }
  const isSecondFirst =
    block.height === head.height && block.height === head.firstHeight && head.blocksAtHeight === 1;
  if (block.height !== head.height + 1 && !isSecondFirst && !isGap) {
    throw new NodeError(
      "store.write",
      "height_gap",
      `block ${block.height} does not follow block ${head.height}, the last one in this home`,
      "load the missing blocks first",
    );
  }
  if (timeUs < head.timeUs) {
    throw new NodeError(
      "store.write",
      "time_backwards",
      `block ${block.height} is older than block ${head.height}`,
    );
  }
}

/** @param event the one that was being written, if it was not the block as a whole */
function storeError(block: Block | undefined, error: unknown, event?: BlockEvent): NodeError {
  if (error instanceof NodeError) return error;
  const where = block ? `block ${block.height}` : "the last blocks";
  if (isDiskFull(error)) {
    return new NodeError(
      "store.write",
      "disk_full",
      `the disk is full: ${where} could not be stored`,
      "make room and start again; everything before it is safe",
    );
  }
  // An existing row or a wrong type is the event's fault, not the disk's.
  const isEvents = event !== undefined && sqliteCode(error).startsWith("SQLITE_CONSTRAINT");
  if (isSqliteError(error) && !isEvents) {
    return new NodeError(
      "store.write",
      "store_failed",
      `${where} could not be stored: ${reasonOf(error)}`,
      "check the disk, then: lyra doctor --home DIR",
      { cause: error },
    );
  }
  return new NodeError(
    "store.write",
    "block_invalid",
    `${block && event ? `event ${block.height}-${event.seq}` : where} cannot be stored: ${reasonOf(error)}`,
    "the source is damaged; what came before is stored",
    { cause: error },
  );
}
