/**
 * Keeps a home inside a disk budget, or to the original's retention
 * (docs/protocol/20-network-history-segments.md#45-store-retention, #46-retention-modes and #51-hypertables). Runs in
 * the writer's own transactions, a slice at a time. Rows that no finished segment has yet never go.
 */
import type { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { segmentPath } from "../history/segment-format.ts";
import { listSegments, type SegmentRow } from "../history/segment-table.ts";
import { segmentDirectory } from "../store/database.ts";
import type { ChainHead } from "../store/head.ts";
import { PRUNABLE_TABLES, Retention, storePages } from "../store/retention.ts";
import { TxSweep } from "../store/tx-sweep.ts";
import type { DiskPolicy } from "./config.ts";
import { homeSize } from "./home-size.ts";

/** Parts of a budget: that of the segments, and that which is kept free for the log. */
const SEGMENT_PARTS = 5;
const LOG_PARTS = 8;
/** Headroom for growth between two checks: a commit's share of the log, a segment that is being made. */
const RESERVE_PARTS = 25;
const LOG_BYTES_MAX = 256 * 1024 * 1024;
/** Blocks of segments that the original keeps: a week of them. */
const SEGMENT_SPAN_BLOCKS = 604_800;
/** Of the store's share: slices go from here on, a few milliseconds for each commit, more of them the fuller it is. */
const PRUNE_FROM = 0.92;
const COMMIT_MS = 4;
/** Of a commit when the share is all but used; beyond it slices go for as long as it takes. */
const FULL_COMMIT_MS = 200;
const SWEEP_MS = 4;
/** Interval at which files are measured and tables weighed again. */
const LOOK_MS = 2_000;
const WEIGH_MS = 10_000;
const DAY_US = 86_400_000_000;

interface Weight {
  readonly name: string;
  bytes: number;
  /** There is nothing more of it to delete for now. */
  isDone: boolean;
}

interface TablePlan {
  readonly name: string;
  /** Heights of the first and the last block whose rows go. */
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

interface PrunePlan {
  readonly tables: readonly TablePlan[];
  readonly segments: readonly SegmentRow[];
}

interface Clock {
  /** Milliseconds of a clock that never goes back. */
  steadyMs(): number;
}

const CLOCK: Clock = { steadyMs: () => performance.now() };

/** The log's part of a budget, which its writer keeps to. */
export function logShare(budgetBytes: number): number {
  return Math.min(LOG_BYTES_MAX, Math.floor(budgetBytes / LOG_PARTS));
}

export class DiskBudget {
  private readonly retention: Retention;
  private readonly sweep: TxSweep;
  private weights: Weight[] = [];
  private weighedMs = Number.NEGATIVE_INFINITY;
  private lookedMs = Number.NEGATIVE_INFINITY;
  /** Bytes that the store's file may have. */
  private storeMax = Number.POSITIVE_INFINITY;
  /** Up to this row of `blocks` everything is in segments. */
  private upTo = 0;
  /** Segments whose rows go with this commit, and their files after it. */
  private leaving: SegmentRow[] = [];
  /** Rows and segments that the last commit deleted. */
  private deleted = 0;
  /** The last commit had no more time; slices without rows of their own take some as well. */
  private isCutShort = false;
  private readonly timeOf: (no: number) => number;
  private readonly heightOf: (no: number) => number;

  constructor(
    private readonly home: string,
    private readonly db: Database,
    private readonly policy: DiskPolicy,
    private readonly clock: Clock = CLOCK,
  ) {
    this.retention = new Retention(db);
    this.sweep = new TxSweep(db);
    const time = db.prepare("SELECT time FROM blocks WHERE no = ?");
    this.timeOf = (no) => Number((time.get(no) as { time: bigint }).time);
    const height = db.prepare("SELECT height FROM blocks WHERE no = ?");
    this.heightOf = (no) => Number((height.get(no) as { height: bigint }).height);
  }

  /** Deletes what is due, in the transaction that is about to be committed. */
  beforeCommit(head: ChainHead): void {
    const nowMs = this.clock.steadyMs();
    if (nowMs - this.lookedMs > LOOK_MS) {
      this.lookedMs = nowMs;
      this.look(head);
    }
    this.deleted = this.leaving.length;
    this.isCutShort = false;
    this.sweep.noteBlock(head.no);
    const untilMs = nowMs + COMMIT_MS;
    if (this.policy.bytes === undefined) this.pruneByAge(head, untilMs);
    else this.pruneBySize(head, untilMs);
    this.sweepHashes(head);
  }

  /** The transaction has ended: files of segments that went with it go, or nothing of it happened. */
  afterCommit(isCommitted: boolean): void {
    const leaving = this.leaving.splice(0);
    if (!isCommitted) {
      this.retention.reload();
      this.sweep.reload();
      this.weighedMs = Number.NEGATIVE_INFINITY;
      return;
    }
    for (const { id } of leaving) rmSync(segmentPath(segmentDirectory(this.home), id), { force: true });
  }

  /** Whether the last commit had nothing to delete. */
  get isDone(): boolean {
    return this.deleted === 0 && !this.isCutShort;
  }

  /** Everything is measured again with the next commit. */
  lookAgain(): void {
    this.lookedMs = Number.NEGATIVE_INFINITY;
    this.weighedMs = Number.NEGATIVE_INFINITY;
  }

  /** The plan of the next commits: rows by estimate, segments exactly. Changes nothing. */
  plan(head: ChainHead): PrunePlan {
    this.db.run("BEGIN IMMEDIATE");
    try {
      this.look(head);
      const segments = this.leaving.splice(0);
      return { tables: this.planTables(head), segments };
    } finally {
      this.db.run("ROLLBACK");
    }
  }

  private planTables(head: ChainHead): TablePlan[] {
    const weights = this.retention.weigh(head.no);
    const planned = (name: string, from: number, to: number, bytes: number): TablePlan[] =>
      to <= from
        ? []
        : [{ name, from: this.heightOf(from + 1), to: this.heightOf(to), bytes: Math.round(bytes) }];
    if (this.policy.bytes === undefined) {
      return weights.flatMap(({ name, bytes, floor }) => {
        const to = this.ageFloor(name, head);
        return planned(name, floor.no, to, (bytes * (to - floor.no)) / Math.max(1, head.no - floor.no));
      });
    }
    const excess = storePages(this.db).usedBytes - this.storeMax * PRUNE_FROM;
    // The heaviest come down to one level, as far as segments have their rows.
    const shares = weights.map(({ name, bytes, floor }) => {
      const span = Math.max(1, head.no - floor.no);
      return { name, bytes, floor, span, most: (bytes * Math.max(0, this.upTo - floor.no)) / span };
    });
    const above = (level: number) =>
      shares.map(({ bytes, most }) => Math.min(most, Math.max(0, bytes - level)));
    let [low, high] = [0, Math.max(0, ...shares.map(({ bytes }) => bytes))];
    for (let round = 0; round < 50; round++) {
      const level = (low + high) / 2;
      if (above(level).reduce((sum, bytes) => sum + bytes, 0) > excess) low = level;
      else high = level;
    }
    return above(high).flatMap((bytes, at) => {
      const share = shares[at]!;
      const to = share.floor.no + Math.floor((share.span * bytes) / Math.max(1, share.bytes));
      return planned(share.name, share.floor.no, Math.min(to, this.upTo), bytes);
    });
  }

  private pruneBySize(head: ChainHead, untilMs: number): void {
    const start = this.storeMax * PRUNE_FROM;
    for (;;) {
      const { usedBytes } = storePages(this.db);
      if (usedBytes <= start) return;
      const fullness = (usedBytes - start) / (this.storeMax - start);
      const moreMs = FULL_COMMIT_MS * fullness * fullness;
      if (fullness < 1 && this.clock.steadyMs() > untilMs + moreMs) {
        this.isCutShort = true;
        return;
      }
      const heaviest = this.heaviest(head);
      if (heaviest === undefined) return;
      const pruned = this.retention.pruneSlice(heaviest.name, this.upTo);
      if (pruned === undefined) heaviest.isDone = true;
      else {
        heaviest.bytes -= usedBytes - storePages(this.db).usedBytes;
        this.deleted += pruned.rows;
      }
    }
  }

  /** Hashes of transactions go once no table has rows around them any more. */
  private sweepHashes(head: ChainHead): void {
    this.weigh(head);
    const nowMs = () => this.clock.steadyMs();
    const isByAge = this.policy.bytes === undefined;
    const floors = this.weights
      .map(({ name, bytes }) => ({ no: this.retention.floorNo(name), bytes }))
      .filter(({ no, bytes }) => (isByAge ? no > 0 : bytes > 0))
      .map(({ no }) => no);
    const floorNo = floors.length === 0 ? 0 : Math.min(...floors);
    if (floorNo > 0) this.deleted += this.sweep.sweepUntil(nowMs() + SWEEP_MS, floorNo, nowMs);
  }

  private weigh(head: ChainHead): void {
    const nowMs = this.clock.steadyMs();
    if (nowMs - this.weighedMs <= WEIGH_MS) return;
    this.weighedMs = nowMs;
    this.weights = this.retention.weigh(head.no).map(({ name, bytes }) => ({ name, bytes, isDone: false }));
  }

  private heaviest(head: ChainHead): Weight | undefined {
    this.weigh(head);
    let heaviest: Weight | undefined;
    let longest: Weight | undefined;
    for (const weight of this.weights) {
      if (weight.isDone || weight.bytes <= 0) continue;
      if (heaviest === undefined || weight.bytes > heaviest.bytes) heaviest = weight;
      const isLonger = longest && this.retention.floorNo(weight.name) < this.retention.floorNo(longest.name);
      if (longest === undefined || isLonger) longest = weight;
    }
    // Hashes of transactions wait for the table that reaches back the furthest.
    return heaviest && this.sweep.unsweptBytes > heaviest.bytes ? longest : heaviest;
  }

  private pruneByAge(head: ChainHead, untilMs: number): void {
    for (const { name } of PRUNABLE_TABLES) {
      const upTo = this.ageFloor(name, head);
      for (;;) {
        const pruned = this.retention.pruneSlice(name, upTo);
        if (pruned === undefined) break;
        this.deleted += pruned.rows;
        if (this.clock.steadyMs() > untilMs) {
          this.isCutShort = true;
          return;
        }
      }
    }
  }

  /** Up to this row of `blocks` a table's rows are older than they are kept; 0 for rows that are never removed. */
  private ageFloor(name: string, head: ChainHead): number {
    const days = PRUNABLE_TABLES.find((table) => table.name === name)?.days;
    if (days === undefined || this.policy.retention === "archive") return 0;
    const kept = this.policy.retention === "lite" ? 1 : days;
    return Math.min(this.upTo, this.rowBefore(head.timeUs - kept * DAY_US));
  }

  /** The last row of `blocks` before a time; 0 where there is none. */
  private rowBefore(timeUs: number): number {
    let [low, high] = [0, this.upTo];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.timeOf(middle) < timeUs) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Measures the files, and lets the oldest segments go. */
  private look(head: ChainHead): void {
    const segments = listSegments(this.db);
    const last = segments.at(-1);
    // Heights may have gaps, and blocks of one time share a row: then it is a little earlier.
    this.upTo = last === undefined ? 0 : Math.max(0, head.no - (head.height - last.to));
    this.dropSegments(segments, head);
    const { bytes } = this.policy;
    if (bytes === undefined) return;
    const { logBytes, segmentBytes, otherBytes } = homeSize(this.home);
    const log = Math.max(logShare(bytes), logBytes);
    const kept = Math.max(Math.floor(bytes / SEGMENT_PARTS), segmentBytes);
    const reserve = Math.floor(bytes / RESERVE_PARTS);
    this.storeMax = Math.max(0, bytes - log - kept - otherBytes - reserve);
    this.weights.forEach((weight) => {
      weight.isDone = false;
    });
  }

  /** The newest one stays in any case: the next is chained to it. */
  private dropSegments(segments: readonly SegmentRow[], head: ChainHead): void {
    const { bytes } = this.policy;
    const isOver = (total: number, to: number) =>
      bytes === undefined ? to < head.height - SEGMENT_SPAN_BLOCKS : total > bytes / SEGMENT_PARTS;
    let total = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    for (const segment of segments.slice(0, -1)) {
      if (!isOver(total, segment.to)) return;
      total -= segment.bytes;
      this.db.query("DELETE FROM segments WHERE to_height = ?").run(segment.to);
      this.leaving.push(segment);
    }
  }
}
