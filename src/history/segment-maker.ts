// Decides which segments are due and has them built, one after the other, each chained to the previous.
// The first segment begins at the store's lowest height (docs/protocol/20-network-history-segments.md#43-numbering);
// segment-bounds.ts decides where they end. After a crash, missing segments are built at the next start.
import type { Database } from "bun:sqlite";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { NodeError, nodeErrorOf } from "../errors/node-error.ts";
import { isDiskFull } from "../files/sqlite-error.ts";
import { workerUrl } from "../files/worker-url.ts";
import { openReader, segmentDirectory } from "../store/database.ts";
import { readHead } from "../store/head.ts";
import { lastRowHeight, lowestHeight, nextRowHeight } from "./block-range.ts";
import { buildSegment, type SegmentPlan, UNFINISHED_SUFFIX } from "./segment.ts";
import type { BuildReply, BuildRequest } from "./segment.worker.ts";
import {
  fixedBounds,
  gapWithin,
  networkBounds,
  type SegmentBounds,
  type SegmentMode,
} from "./segment-bounds.ts";
import { segmentPath } from "./segment-format.ts";
import { idOfSegment, listSegments, type SegmentRow } from "./segment-table.ts";

/** Blocks in a segment unless set otherwise (docs/protocol/00-interface.md#41-export-network-history-as-csv). */
const SEGMENT_LENGTH_DEFAULT = 1000;
/**
 * Pauses before a failed segment is retried; they grow to the original's
 * (docs/protocol/20-network-history-segments.md#42-when-a-segment-is-made).
 */
const FIRST_RETRY_MS = 500;
const RETRY_MS_MAX = 5_000;
/** Files that may be removed. */
const SEGMENT_NAME = /^[0-9a-f]{64}\.seg$/;

export interface SegmentMakerOptions {
  readonly home: string;
  /** A connection of this thread, for a few small reads. */
  readonly db: Database;
  /** Blocks in a segment. */
  readonly segmentLength?: number | undefined;
  /** Where segments end; default `length`. */
  readonly mode?: SegmentMode;
  /**
   * Stores a row in `segments` (`recordSegment`) on the writer's connection, which lists the segment. Rows come in order. A
   * row lost in a crash is created again, identical.
   */
  record(row: SegmentRow): void | Promise<void>;
  /** Called when a segment could not be built; it is retried. */
  onProblem?(error: unknown): void;
  /** The first pause before a retry. */
  readonly retryMs?: number;
  readonly builder?: SegmentBuilder;
}

export class SegmentMaker {
  private readonly bounds: SegmentBounds;
  private builder: SegmentBuilder;
  private height = 0;
  private first: number | undefined;
  private last: SegmentRow | undefined;
  /**
   * Head height at which the last segment was built, if its last row was the store's newest: a block of the same time would
   * join that row, and the segment would have to be rebuilt. Undefined if no block can join.
   */
  private openAtHeight: number | undefined;
  /** Listed segments without a file. */
  private pendingRebuilds: SegmentRow[] = [];
  private isRecovered = false;
  private isStopped = false;
  private running: Promise<void> | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private retryMs: number;
  private problem: unknown;
  /** A segment that cannot be rebuilt identically; retries would not help. */
  private lost: NodeError | undefined;

  constructor(private readonly options: SegmentMakerOptions) {
    this.retryMs = options.retryMs ?? FIRST_RETRY_MS;
    const length = options.segmentLength ?? SEGMENT_LENGTH_DEFAULT;
    if (!Number.isSafeInteger(length) || length < 1) {
      const message = `a segment has a whole number of blocks, 1 or more, not ${length}`;
      throw new NodeError("history.segment", "segment_length_invalid", message);
    }
    this.bounds = options.mode === "network" ? networkBounds(options.db) : fixedBounds(length);
    this.builder = options.builder ?? new WorkerBuilder(options.home);
  }

  /** Tells that every block up to `height` is on disk. Returns at once; the first call also looks for leftovers of a crash. */
  onCommitted(height: number): void {
    this.height = Math.max(this.height, height);
    this.advance();
  }

  /** Settles when nothing is due. @throws the failure of the last segment */
  async idle(): Promise<void> {
    this.advance();
    while (this.running) await this.running;
    const problem = this.lost ?? this.problem;
    if (problem !== undefined) throw problem;
  }

  /** Aborts the running build; its segment is built at the next start. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.retry);
    await this.builder.stop();
    await this.running;
  }

  private advance(): void {
    if (this.isStopped || this.running || this.retry) return;
    if (this.isRecovered && !this.nextPlan()) return;
    this.running = this.makeAllDue().finally(() => {
      this.running = undefined;
    });
  }

  private async makeAllDue(): Promise<void> {
    try {
      if (!this.isRecovered) await this.recover();
      for (let plan = this.nextPlan(); plan && !this.isStopped; plan = this.nextPlan()) await this.make(plan);
      this.problem = undefined;
      this.retryMs = this.options.retryMs ?? FIRST_RETRY_MS;
    } catch (error) {
      if (!this.isStopped) this.failed(error);
    } finally {
      if (!this.isStopped) this.builder.releaseThread();
    }
  }

  /** Removes files without a row; finds rows without a file and rows whose previous row is missing. */
  private async recover(): Promise<void> {
    const directory = segmentDirectory(this.options.home);
    const listed = listSegments(this.options.db);
    await removeUnlisted(directory, listed);
    const rows = unbrokenChain(this.options.db, listed);
    this.setLast(rows);
    this.height = Math.max(this.height, readHead(this.options.db)?.height ?? 0);
    const lost = await withoutFile(directory, rows);
    // A segment that further blocks have joined is rebuilt anyway and changes, as do those behind it.
    const joined = this.joinedSegment();
    this.pendingRebuilds = joined ? lost.filter((row) => row.to < joined.to) : lost;
    this.isRecovered = true;
  }

  private setLast(rows: readonly SegmentRow[]): void {
    this.last = rows.at(-1);
    this.openAtHeight = this.last?.to;
  }

  private async make(plan: SegmentPlan): Promise<void> {
    const madeAt = this.height;
    const isNewest = this.rowAbove(plan.to) === undefined;
    const row = await this.build(plan);
    // Its blocks may have been removed.
    if (this.isStopped) return;
    const remade = this.pendingRebuilds[0];
    const before = idOfSegment(this.options.db, row.to);
    if (remade) {
      this.pendingRebuilds.shift();
      if (row.id !== remade.id) {
        this.lost = changed(remade);
        throw this.lost;
      }
    } else {
      this.last = row;
      this.openAtHeight = isNewest ? madeAt : undefined;
    }
    await this.options.record(row);
    if (before === undefined || before === row.id) return;
    await rm(segmentPath(segmentDirectory(this.options.home), before), { force: true });
  }

  private async build(plan: SegmentPlan): Promise<SegmentRow> {
    try {
      return await this.builder.build(plan);
    } catch (error) {
      if (!(error instanceof WorkerUnavailable) || this.isStopped) throw error;
      this.builder = new InProcessBuilder(this.options.home);
      return this.builder.build(plan);
    }
  }

  private failed(error: unknown): void {
    this.problem = error;
    // A segment that was built but not recorded is built again.
    this.setLast(unbrokenChain(this.options.db, listSegments(this.options.db)));
    this.options.onProblem?.(error);
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.advance();
    }, this.retryMs);
    this.retry.unref?.();
    this.retryMs = Math.max(this.retryMs, Math.min(2 * this.retryMs, RETRY_MS_MAX));
  }

  private nextPlan(): SegmentPlan | undefined {
    const remake = this.pendingRebuilds[0];
    if (remake) return remake;
    const joined = this.joinedSegment();
    if (joined) return joined;
    const { db } = this.options;
    this.first ??= lowestHeight(db);
    if (this.first === undefined) return undefined;
    const range = this.nextRange(this.last ? this.last.to + 1 : this.first);
    if (range === undefined) return undefined;
    const { from, to } = range;
    // The lowest height can come twice (docs/protocol/20-network-history-segments.md#64-the-doubled-first-height): it
    // is complete once the next one exists.
    const isComplete = this.height > to || (this.height === to && to > this.first);
    if (!isComplete) return undefined;
    return {
      chainId: readHead(db)!.chainId,
      from,
      to,
      previousId: this.last?.to === from - 1 ? this.last.id : "",
    };
  }

  /** No segment contains a gap: a new chain begins behind it, where the next segment would begin. */
  private nextRange(first: number): { from: number; to: number } | undefined {
    for (let from = first; ; ) {
      const to = this.bounds.endOf(from, this.height);
      if (to === undefined) return undefined;
      const gap = gapWithin(this.options.db, from, to);
      if (gap === undefined) return { from, to };
      const end = this.bounds.endOf(gap.to, this.height);
      if (end === undefined) return undefined;
      from = end + 1;
    }
  }

  /**
   * The segment whose last row blocks have joined since it was built: the last one, or an earlier one if the last has no row
   * of its own; those behind it are then rebuilt as well.
   */
  private joinedSegment(): SegmentRow | undefined {
    const { last } = this;
    if (!last || this.openAtHeight === undefined || this.height <= this.openAtHeight) return undefined;
    if (this.rowAbove(last.to) === last.to + 1) {
      this.openAtHeight = undefined;
      return undefined;
    }
    const { db } = this.options;
    const joinedTo = lastRowHeight(db, last.to) ?? last.to;
    if (joinedTo >= last.from) return last;
    return listSegments(db).find(({ from, to }) => from <= joinedTo && joinedTo <= to) ?? last;
  }

  /** Height of the first row above a height that is on disk. */
  private rowAbove(height: number): number | undefined {
    const above = nextRowHeight(this.options.db, height);
    return above !== undefined && above <= this.height ? above : undefined;
  }
}

function changed({ from, to }: SegmentRow): NodeError {
  return new NodeError(
    "history.segment",
    "segment_changed",
    `segment ${from}-${to} lost its file, and the rows that are in the store now make another one`,
    "restore the file from a backup; lyra doctor says what else is wrong",
  );
}

/** Rows up to the first that does not follow its predecessor: the chain is rebuilt from there. */
function unbrokenChain(db: Database, rows: readonly SegmentRow[]): SegmentRow[] {
  const end = rows.findIndex((row, i) => i > 0 && !follows(db, row, rows[i - 1]!));
  return end < 0 ? [...rows] : rows.slice(0, end);
}

function follows(db: Database, row: SegmentRow, before: SegmentRow): boolean {
  if (row.previousId === "" && gapWithin(db, before.to + 1, row.from - 1)) return true;
  return row.from === before.to + 1 && row.previousId === before.id;
}

/** Removes files that are unfinished, replaced, or whose blocks were reverted. */
async function removeUnlisted(directory: string, rows: readonly SegmentRow[]): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const kept = new Set(rows.map((row) => basename(segmentPath(directory, row.id))));
  for (const name of await readdir(directory)) {
    const isUnlisted = name.endsWith(UNFINISHED_SUFFIX) || (SEGMENT_NAME.test(name) && !kept.has(name));
    if (isUnlisted) await rm(join(directory, name), { force: true });
  }
}

async function withoutFile(directory: string, rows: readonly SegmentRow[]): Promise<SegmentRow[]> {
  const missing: SegmentRow[] = [];
  for (const row of rows) {
    const size = await stat(segmentPath(directory, row.id)).then(
      (stats) => stats.size,
      () => -1,
    );
    if (size !== row.bytes) missing.push(row);
  }
  return missing;
}

// Where a segment is built: on a worker thread, or, if there is none, on this thread between other work.

/** A build checks its stop flag every few milliseconds; one inside a long sort is terminated after this. */
const STOP_GRACE_MS = 1_000;

export interface SegmentBuilder {
  build(plan: SegmentPlan): Promise<SegmentRow>;
  /** Ends the thread; the next build starts another. */
  releaseThread(): void;
  /** Aborts the running build, which then rejects. */
  stop(): Promise<void>;
}

export class WorkerUnavailable extends Error {
  override readonly name = "WorkerUnavailable";
}

class WorkerBuilder implements SegmentBuilder {
  private worker: Worker | undefined;
  private readonly stopFlag = new SharedArrayBuffer(4);
  private current: { plan: SegmentPlan; settle: () => void; done: Promise<void> } | undefined;

  constructor(private readonly home: string) {}

  async build(plan: SegmentPlan): Promise<SegmentRow> {
    const worker = this.thread();
    const { promise: done, resolve: settle } = Promise.withResolvers<void>();
    this.current = { plan, settle, done };
    try {
      return await this.ask(worker, plan);
    } finally {
      settle();
      this.current = undefined;
    }
  }

  releaseThread(): void {
    this.worker?.terminate();
    this.worker = undefined;
  }

  async stop(): Promise<void> {
    Atomics.store(new Int32Array(this.stopFlag), 0, 1);
    const current = this.current;
    if (current) {
      const grace = Promise.withResolvers<void>();
      const timer = setTimeout(grace.resolve, STOP_GRACE_MS);
      await Promise.race([current.done, grace.promise]);
      clearTimeout(timer);
    }
    this.releaseThread();
    if (current) await removeUnfinished(this.home, current.plan);
  }

  private ask(worker: Worker, plan: SegmentPlan): Promise<SegmentRow> {
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<BuildReply>) => {
        if ("row" in data) resolve(data.row);
        else reject(nodeErrorOf(data.failed));
      };
      // A worker file missing in the executable is reported only here.
      worker.onerror = (event) => {
        event.preventDefault();
        this.releaseThread();
        reject(new WorkerUnavailable(event.message));
      };
      worker.addEventListener("close", () => reject(new WorkerUnavailable("the worker ended")));
      worker.postMessage({ home: this.home, plan, stop: this.stopFlag } satisfies BuildRequest);
    });
  }

  private thread(): Worker {
    try {
      this.worker ??= new Worker(workerUrl("history/segment.worker.ts"), { smol: true });
      return this.worker;
    } catch (error) {
      throw new WorkerUnavailable("no worker can be started", { cause: error });
    }
  }
}

/** Yields to the event loop after each piece of a few milliseconds. */
export class InProcessBuilder implements SegmentBuilder {
  private db: Database | undefined;
  private isStopping = false;
  private current: Promise<unknown> = Promise.resolve();

  constructor(private readonly home: string) {}

  build(plan: SegmentPlan): Promise<SegmentRow> {
    this.db ??= openReader(this.home);
    const build = buildSegment(this.db, segmentDirectory(this.home), plan, () => this.pause());
    this.current = build;
    return build;
  }

  releaseThread(): void {
    this.db?.close();
    this.db = undefined;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.current.catch(() => {});
    this.releaseThread();
  }

  private async pause(): Promise<void> {
    await new Promise(setImmediate);
    if (this.isStopping) throw new NodeError("history.segment", "stopped", "the node is stopping");
  }
}

async function removeUnfinished(home: string, plan: SegmentPlan): Promise<void> {
  await rm(join(segmentDirectory(home), `${plan.from}-${plan.to}${UNFINISHED_SUFFIX}`), { force: true });
}

/** The error of a failed build. A full disk keeps its code, although a worker passes on only the sentence. */
export function segmentFailure(error: unknown): NodeError {
  const attempt = "history.segment";
  if (isDiskFull(error)) {
    const sentence = "the disk is full: history segments could not be made";
    return new NodeError(attempt, "disk_full", sentence, "make room and start again; all blocks are safe");
  }
  if (error instanceof NodeError) return error;
  const hint = "check the disk, then: lyra doctor --home DIR";
  return new NodeError(attempt, "internal", "history segments could not be made", hint, { cause: error });
}
