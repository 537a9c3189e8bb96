// Fills a home from another node: its segments, each verified on arrival, and an image of its store, whose rows must give the
// same segments. Everything stays in a work folder until it is verified; then the store is renamed.
import { Database } from "bun:sqlite";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { NodeError, reasonOf } from "../../errors/node-error.ts";
import { lockHome } from "../../files/lock.ts";
import { isDiskFull } from "../../files/sqlite-error.ts";
import { confirm, realSteps, writeFileWhole } from "../../files/whole-file.ts";
import {
  isOfConsensus,
  type OwnChain,
  ownChain,
  tablesOfBlocks,
  takeOverChain,
} from "../../store/chain-tables.ts";
import { checkCopy, checkRoom, checkSchemaKnown } from "../../store/copy.ts";
import { hasStore, openReader, openWriter, segmentDirectory, storePath } from "../../store/database.ts";
import { type ChainHead, hasChain, hashOfRow, readHead } from "../../store/head.ts";
import { checkPages } from "../../store/page-check.ts";
import { sumsPath } from "../../store/page-sums.ts";
import { rebuildStore } from "../../store/rebuild.ts";
import { checkRowsAgree } from "../../store/row-check.ts";
import { checkRows, checkSegment } from "../segment-check.ts";
import { segmentPath } from "../segment-format.ts";
import { listSegments, type SegmentRow } from "../segment-table.ts";
import type { ImageManifest } from "./image.ts";
import type { HistorySource, SourceSummary } from "./source.ts";

const ATTEMPT = "history.fetch";
/** Work folder in the home. */
const WORK = "fetch.tmp";
/** In it, the image of the source's store; the new store is built from its rows. */
const IMAGE = "image.db";
const SEGMENTS_AT_ONCE = 4;
/** Failures after which the fetched files stay valid. */
const RESUMABLE = new Set<string>(["source_unreachable", "source_slow", "source_refused", "disk_full"]);

/** Errors of the copying itself, not of the image. */
const PASSED_ON = new Set<string>(["disk_full", "schema_newer"]);

class Stopped extends Error {}

interface FetchProgress {
  readonly step: "segments" | "image" | "copying" | "checking";
  /** From 0 to 1. */
  readonly part: number;
  readonly text: string;
}

export interface FetchOptions {
  readonly home: string;
  readonly source: HistorySource;
  /** Id of a segment that the source's history must hold. */
  readonly trust?: string | undefined;
  onProgress?(progress: FetchProgress): void;
  isStopping?(): boolean;
}

export interface FetchResult {
  readonly chainId: string;
  readonly height: number;
  readonly segments: number;
  /** Last block covered by a segment; later blocks are unverified. */
  readonly verifiedTo: number;
  readonly lastSegmentId: string;
  /** Bytes received. */
  readonly bytes: number;
  /** False if the home was already complete. */
  readonly isChanged: boolean;
}

/** @returns undefined if stopped; fetched files are kept for the next time @throws NodeError; the home is unchanged */
export async function fetchHistory(options: FetchOptions): Promise<FetchResult | undefined> {
  const lock = lockHome(options.home);
  const work = join(options.home, WORK);
  try {
    return await new Fetch(options, work).run();
  } catch (error) {
    const failure = asNodeError(error);
    // The request under way was ended by the stop.
    if (options.isStopping?.() === true && failure.code === "source_unreachable") return undefined;
    if (!RESUMABLE.has(failure.code)) rmSync(work, { recursive: true, force: true });
    throw failure;
  } finally {
    lock.release();
  }
}

function asNodeError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  if (isDiskFull(error)) {
    const hint = "make room and run the same command again: it goes on where it stopped";
    return new NodeError(ATTEMPT, "disk_full", "the disk is full: the history could not be fetched", hint);
  }
  return new NodeError(ATTEMPT, "fetch_failed", `the history could not be fetched: ${reasonOf(error)}`);
}

class Fetch {
  private readonly source: HistorySource;
  private bytes = 0;

  constructor(
    private readonly options: FetchOptions,
    private readonly work: string,
  ) {
    this.source = options.source;
  }

  async run(): Promise<FetchResult | undefined> {
    const own = readOwn(this.options.home);
    const summary = await this.source.summary();
    if (summary.gaps > 0) throw this.sourceHasGaps();
    this.checkFits(own, summary);
    if (own && isComplete(own, summary)) {
      // Left by a kill right after the last step.
      rmSync(this.work, { recursive: true, force: true });
      return unchanged(own);
    }
    mkdirSync(this.work, { recursive: true, mode: 0o700 });
    const image = await this.source.image(
      () => this.report("image", 0, "the source makes an image of its store"),
      this.isStopping,
    );
    if (image === undefined) return undefined;
    this.checkImage(own, summary, image);
    const rows = this.rowsOf(image, await this.source.segments());
    // The store is built beside the image.
    checkRoom(ATTEMPT, this.work, 2 * image.bytes + rows.reduce((sum, row) => sum + row.bytes, 0));
    await this.fetchSegments(rows);
    if (!this.isStopping()) await this.fetchImage(image);
    if (this.isStopping()) return undefined;
    if (!(await this.makeStore())) return undefined;
    if (!(await this.verify(image, rows, own))) return undefined;
    if (own?.chain) this.takeOverChain();
    this.replace(rows);
    return {
      chainId: image.chainId,
      height: image.height,
      segments: rows.length,
      verifiedTo: rows.at(-1)?.to ?? 0,
      lastSegmentId: image.lastSegmentId,
      bytes: this.bytes,
      isChanged: true,
    };
  }

  private readonly isStopping = () => this.options.isStopping?.() === true;

  private report(step: FetchProgress["step"], part: number, text: string): void {
    this.options.onProgress?.({ step, part, text });
  }

  private checkFits(own: Own | undefined, summary: SourceSummary): void {
    const { url } = this.source;
    if (own && own.chainId !== summary.chainId) {
      const sentence = `this home holds chain ${own.chainId}, the node at ${url} chain ${summary.chainId}`;
      throw new NodeError(ATTEMPT, "chain_mismatch", sentence, "use another --home for another chain");
    }
    if (own && (own.height > summary.height || own.firstHeight < summary.firstHeight)) {
      const has = `blocks ${summary.firstHeight} to ${summary.height}`;
      const ours = `${own.firstHeight} to ${own.height}`;
      const sentence = `the node at ${url} has ${has}, and this home has ${ours}`;
      throw new NodeError(
        ATTEMPT,
        "source_behind",
        sentence,
        "use a node that has more, or wait for this one",
      );
    }
  }

  private checkImage(own: Own | undefined, summary: SourceSummary, image: ImageManifest): void {
    checkSchemaKnown(ATTEMPT, `the store of the node at ${this.source.url}`, image.schema);
    if (image.chainId !== summary.chainId)
      throw this.source.damaged("its image is of another chain than it says");
    this.checkFits(own, { ...summary, height: image.height });
  }

  /** The image's segments that the source still has: it may have newer ones by now, and have removed the oldest. */
  private rowsOf(image: ImageManifest, all: readonly SegmentRow[]): SegmentRow[] {
    const { trust } = this.options;
    if (trust !== undefined && !all.some(({ id }) => id === trust)) {
      const sentence = `the history of the node at ${this.source.url} does not hold the segment ${trust}`;
      throw new NodeError(
        ATTEMPT,
        "trust_missing",
        sentence,
        "it is of another history, or ends before: use another node",
      );
    }
    const end = all.findIndex(({ id }) => id === image.lastSegmentId);
    // A young chain has none yet.
    if (image.segments === 0) return [];
    if (end < 0 || end + 1 > image.segments) throw this.changed();
    const wrong = all.find(({ chainId }) => chainId !== image.chainId);
    if (wrong) throw this.source.damaged(`segment ${wrong.from}-${wrong.to} is of another chain`);
    return all.slice(0, end + 1);
  }

  private sourceHasGaps(): NodeError {
    const sentence = `the node at ${this.source.url} has gaps in its blocks itself`;
    return new NodeError(ATTEMPT, "source_gappy", sentence, "use a node that has all of them");
  }

  private changed(): NodeError {
    const sentence = `the history of the node at ${this.source.url} has changed between two requests`;
    return new NodeError(
      ATTEMPT,
      "source_changed",
      sentence,
      "run the same command again; if it stays, use another node",
    );
  }

  private async fetchSegments(rows: readonly SegmentRow[]): Promise<void> {
    const directory = segmentDirectory(this.work);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const queue = [...rows];
    let done = 0;
    const fetchNext = async () => {
      for (let row = queue.shift(); row && !this.isStopping(); row = queue.shift()) {
        await this.fetchSegment(row, directory);
        this.report("segments", ++done / rows.length, `segment ${row.from}-${row.to}`);
      }
    };
    // Wait for all downloads, even if one failed.
    const ended = await Promise.allSettled(
      Array.from({ length: SEGMENTS_AT_ONCE }, () =>
        fetchNext().catch((error: unknown) => {
          queue.length = 0;
          throw error;
        }),
      ),
    );
    const failed = ended.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  /** Verified under a temporary name, then renamed. */
  private async fetchSegment(row: SegmentRow, directory: string): Promise<void> {
    if (existsSync(segmentPath(directory, row.id))) return;
    const incoming = join(this.work, "incoming");
    mkdirSync(incoming, { recursive: true, mode: 0o700 });
    const path = segmentPath(incoming, row.id);
    const file = openSync(path, "w", 0o600);
    try {
      await this.source.segment(row, async (bytes) => {
        realSteps.write(file, bytes);
        this.bytes += bytes.length;
      });
      realSteps.sync(file);
    } finally {
      closeSync(file);
    }
    await checkSegment(incoming, row).catch((error: unknown) => {
      throw this.source.damaged(`segment ${row.from}-${row.to}: ${reasonOf(error)}`);
    });
    renameSync(path, segmentPath(directory, row.id));
  }

  /** Fetches missing chunks; chunks of an earlier run are hashed again. */
  private async fetchImage(image: ImageManifest): Promise<void> {
    const path = join(this.work, IMAGE);
    const state = join(this.work, "image.json");
    if (!existsSync(state) || readFileSync(state, "utf8") !== image.id) rmSync(path, { force: true });
    writeFileWhole(state, image.id);
    const file = openSync(path, existsSync(path) ? "r+" : "w+", 0o600);
    try {
      const buffer = Buffer.alloc(image.chunkBytes);
      for (const [i, hash] of image.chunks.entries()) {
        if (this.isStopping()) return;
        const at = i * image.chunkBytes;
        const there = readSync(file, buffer, 0, Math.min(buffer.length, image.bytes - at), at);
        if (sha256(buffer.subarray(0, there)) !== hash) writeAll(file, await this.fetchChunk(image, i), at);
        this.report("image", (i + 1) / image.chunks.length, `${Math.ceil(image.bytes / 1e6)} MB`);
      }
      realSteps.sync(file);
    } finally {
      closeSync(file);
    }
  }

  private async fetchChunk(image: ImageManifest, index: number): Promise<Uint8Array> {
    // Retry once: a bit may have flipped in transit.
    for (let attempt = 0; attempt < 2; attempt++) {
      const bytes = await this.source.chunk(image, index);
      this.bytes += bytes.length;
      if (sha256(bytes) === image.chunks[index]) return bytes;
    }
    throw this.source.damaged(`chunk ${index + 1} of its image does not have its hash`);
  }

  /** Builds the store from the image's rows. @returns false if stopped */
  private async makeStore(): Promise<boolean> {
    const [image, store] = [join(this.work, IMAGE), storePath(this.work)];
    // Left by an earlier run.
    for (const end of ["", "-wal", "-shm", "-sums"]) rmSync(store + end, { force: true });
    try {
      checkCopy(image, "foreign");
      const ofBlocks = new Set(readFrom(image, tablesOfBlocks));
      const isBlocks = (table: string) => ofBlocks.has(table);
      await rebuildStore(image, store, {
        // Of a validator's chain the facts of its blocks; its state is not given away.
        isCopied: (table) => !table.startsWith("chain_") || isBlocks(table),
        pause: async (part) => {
          await new Promise(setImmediate);
          if (this.isStopping()) throw new Stopped();
          this.report("copying", part, "rows of the image");
        },
      });
      return true;
    } catch (error) {
      if (error instanceof Stopped) return false;
      if (error instanceof NodeError && PASSED_ON.has(error.code)) throw error;
      throw this.source.damaged(`its image: ${reasonOf(error)}`);
    }
  }

  /** @returns false if stopped */
  private async verify(
    image: ImageManifest,
    rows: readonly SegmentRow[],
    own: Own | undefined,
  ): Promise<boolean> {
    this.dropOldSegments(rows[0]?.from ?? 0);
    await checkPages(this.work);
    const db = openReader(this.work);
    try {
      const head = readHead(db);
      const isHead =
        head?.chainId === image.chainId && head.height === image.height && head.hash === image.hash;
      if (!isHead) throw this.source.damaged("its image ends at another block than it says");
      if (gapsOf(db) > 0) throw this.sourceHasGaps();
      if (!Bun.deepEquals(listSegments(db), rows)) throw this.changed();
      // Such a segment will be rebuilt, so its rows would not be compared.
      const verifiedTo = rows.at(-1)?.to ?? 0;
      const isGrowing = head.height > verifiedTo && lastHeight(db) <= verifiedTo;
      if (isGrowing) throw this.changed();
      for (const [i, row] of rows.entries()) {
        await checkRows(db, segmentDirectory(this.work), row).catch((error: unknown) => {
          throw this.source.damaged(`its image: ${reasonOf(error)}`);
        });
        this.report("checking", (i + 1) / rows.length, `rows of blocks ${row.from} to ${row.to}`);
      }
      await checkRowsAgree(db, this.pauseOf(rows)).catch((error: unknown) => {
        throw error instanceof Stopped ? error : this.source.damaged(`its image: ${reasonOf(error)}`);
      });
      if (hasStore(this.options.home)) this.checkHolds(db);
      if (own?.chain) this.checkChain(db, own.chain);
      return true;
    } catch (error) {
      if (error instanceof Stopped) return false;
      throw error;
    } finally {
      db.close();
    }
  }

  private pauseOf(rows: readonly SegmentRow[]): () => Promise<void> {
    return async () => {
      await new Promise(setImmediate);
      if (this.isStopping()) throw new Stopped();
      this.report("checking", 1, `rows of blocks up to ${rows.at(-1)?.to ?? 0} against each other`);
    };
  }

  /** Deletes the rows of segments that the source has removed since. The writer connection also writes page sums. */
  private dropOldSegments(from: number): void {
    const db = openWriter(this.work);
    try {
      db.query("DELETE FROM segments WHERE to_height < ?").run(from);
    } finally {
      db.close();
    }
  }

  /**
   * Each block of the home must be in the image. The genesis, in the first row, is compared by time if the rows after it are
   * the same: its hash changes when a core starts again (ingest/block-order.ts).
   */
  private checkHolds(image: Database): void {
    const own = openReader(this.options.home);
    const select = "SELECT no, time, height, hash FROM blocks ORDER BY no";
    let genesis: BlockRow | undefined;
    try {
      const theirs = image.query(select).iterate() as Iterator<BlockRow>;
      for (const row of own.query(select).iterate() as Iterable<BlockRow>) {
        let theirRow = theirs.next();
        while (!theirRow.done && (theirRow.value.time < row.time || theirRow.value.height < row.height))
          theirRow = theirs.next();
        if (theirRow.done) throw this.differs(row.height);
        const isThere = theirRow.value.height === row.height && theirRow.value.time === row.time;
        if (isThere && Buffer.compare(hashOfRow(theirRow.value), hashOfRow(row)) === 0) genesis = undefined;
        else if (isThere && row.no === 1n && theirRow.value.no === 1n) genesis = row;
        else throw this.differs((genesis ?? row).height);
      }
      if (genesis !== undefined) throw this.differs(genesis.height);
    } finally {
      own.close();
    }
  }

  /** The block that the home's chain stands at must be in the image; of the first one the rows have the genesis. */
  private checkChain(image: Database, { height, hash }: OwnChain): void {
    const { no, height: last, firstHeight } = readHead(image)!;
    if (height === firstHeight) return;
    const select = "SELECT height, time, hash FROM blocks WHERE no = ?";
    const row = image.query(select).get(no - (last - height)) as BlockRow | null;
    if (row?.height === BigInt(height) && Buffer.from(hashOfRow(row)).toString("hex") === hash) return;
    throw this.differs(height);
  }

  private differs(height: number | bigint): NodeError {
    const sentence = `block ${height} of this home is another one than that of the node at ${this.source.url}`;
    const hint = "use another --home for another history of the chain";
    return new NodeError(ATTEMPT, "history_mismatch", sentence, hint);
  }

  /** A validator's state stays its own. */
  private takeOverChain(): void {
    const db = openWriter(this.work);
    try {
      takeOverChain(db, storePath(this.options.home));
    } finally {
      db.close();
    }
  }

  /** At every moment one of the two stores has its name. */
  private replace(rows: readonly SegmentRow[]): void {
    const { home } = this.options;
    const directory = segmentDirectory(home);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // After a kill here, moved segments are fetched again.
    for (const { id } of rows)
      renameSync(segmentPath(segmentDirectory(this.work), id), segmentPath(directory, id));
    // Remove the old store's log, so that it cannot be taken for the new one's.
    if (hasStore(home)) openWriter(home).close();
    const [from, to] = [storePath(this.work), storePath(home)];
    for (const end of ["-wal", "-shm", "-sums"]) rmSync(`${to}${end}`, { force: true });
    renameSync(from, to);
    confirm(to, realSteps);
    renameSync(sumsPath(from), sumsPath(to));
    rmSync(this.work, { recursive: true, force: true });
  }
}

interface BlockRow {
  readonly no: bigint;
  readonly time: bigint;
  readonly height: bigint;
  readonly hash: Uint8Array;
}

interface Own {
  readonly chainId: string;
  readonly firstHeight: number;
  readonly height: number;
  /** Undefined without rows. */
  readonly rows: ChainHead | undefined;
  /** Of a validator. */
  readonly chain: OwnChain | undefined;
  readonly segments: readonly SegmentRow[];
  readonly gaps: number;
}

/** State of a home that has blocks, or a chain whose blocks are to come. */
function readOwn(home: string): Own | undefined {
  if (!hasStore(home)) return undefined;
  const db = openReader(home);
  try {
    if (hasChain(db) && !isOfConsensus(db)) {
      const sentence = "this home holds a chain of its own, and another node's history cannot go on with it";
      throw new NodeError(ATTEMPT, "own_chain", sentence, "choose another --home");
    }
    const rows = readHead(db);
    const chain = ownChain(db);
    const chainId = chain?.chainId ?? rows?.chainId;
    if (chainId === undefined) return undefined;
    const height = Math.max(rows?.height ?? 0, chain?.height ?? 0);
    const firstHeight = rows?.firstHeight ?? height;
    return { chainId, firstHeight, height, rows, chain, segments: listSegments(db), gaps: gapsOf(db) };
  } finally {
    db.close();
  }
}

function isComplete({ rows, gaps }: Own, { height, firstHeight }: SourceSummary): boolean {
  return rows !== undefined && gaps === 0 && rows.height >= height && rows.firstHeight <= firstHeight;
}

function unchanged({ chainId, height, segments }: Own): FetchResult {
  return {
    chainId,
    height,
    segments: segments.length,
    verifiedTo: segments.at(-1)?.to ?? 0,
    lastSegmentId: segments.at(-1)?.id ?? "",
    bytes: 0,
    isChanged: false,
  };
}

function readFrom<T>(path: string, read: (db: Database) => T): T {
  const db = new Database(path, { readonly: true, safeIntegers: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

function gapsOf(db: Database): number {
  return Number(db.query("SELECT count(*) FROM gaps").values()[0]![0]);
}

/** Height of the first block of the last row. */
function lastHeight(db: Database): number {
  return Number(db.query("SELECT height FROM blocks ORDER BY no DESC LIMIT 1").values()[0]?.[0] ?? 0);
}

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
}
