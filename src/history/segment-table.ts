// The table `segments`: the segments of this store.
import type { Database } from "bun:sqlite";
import { NodeError } from "../errors/node-error.ts";
import type { ProgramCode } from "../errors/program-codes.ts";
import { absolute } from "../wire/arithmetic.ts";

export interface SegmentRow {
  readonly from: number;
  readonly to: number;
  /** SHA-256 of the segment's record, hex; names the file. */
  readonly id: string;
  /** Id of the previous segment; empty for the first. */
  readonly previousId: string;
  readonly databaseVersion: number;
  readonly chainId: string;
  /** Size of the file. */
  readonly bytes: number;
}

interface StoredSegment {
  readonly to_height: bigint;
  readonly from_height: bigint;
  readonly id: string;
  readonly previous_id: string;
  readonly database_version: bigint;
  readonly chain_id: string;
  readonly bytes: bigint;
}

/** All segments, ascending. */
export function listSegments(db: Database): SegmentRow[] {
  const rows = db.query("SELECT * FROM segments ORDER BY to_height").all() as StoredSegment[];
  return rows.map(segmentRow);
}

const segmentRow = (row: StoredSegment): SegmentRow => ({
  from: Number(row.from_height),
  to: Number(row.to_height),
  id: row.id,
  previousId: row.previous_id,
  databaseVersion: Number(row.database_version),
  chainId: row.chain_id,
  bytes: Number(row.bytes),
});

interface SegmentPageRequest {
  /** Segments that begin below this height. */
  readonly before: number;
  readonly limit: number;
}

/** Newest first. */
export function listNewestSegments(db: Database, { before, limit }: SegmentPageRequest): SegmentRow[] {
  const rows = db.query("SELECT * FROM segments WHERE from_height < ? ORDER BY to_height DESC LIMIT ?");
  return (rows.all(before, limit) as StoredSegment[]).map(segmentRow);
}

export function countSegments(db: Database): number {
  return Number(db.query("SELECT count(*) FROM segments").values()[0]![0]);
}

/** Blocks that segments hold without a gap, the oldest first. @param limit most of them: the newest */
export function listStretches(db: Database, limit: number): { from: number; to: number }[] {
  const rows = db
    .query(
      `SELECT min(from_height), max(to_height) FROM (
         SELECT from_height, to_height, sum(begins) OVER (ORDER BY to_height) AS stretch FROM (
           SELECT from_height, to_height, from_height IS NOT lag(to_height) OVER (ORDER BY to_height) + 1 AS begins
           FROM segments))
       GROUP BY stretch ORDER BY stretch DESC LIMIT ?`,
    )
    .values(limit);
  return rows.map(([from, to]) => ({ from: Number(from), to: Number(to) })).reverse();
}

/** Id of the segment that ends at a height. */
export function idOfSegment(db: Database, to: number): string | undefined {
  const row = db.query("SELECT id FROM segments WHERE to_height = ?").get(to) as { id: string } | null;
  return row?.id;
}

/**
 * Records segments between the transactions of the connection that also writes blocks. Inside a transaction a row could be
 * rolled back while the maker continues from that segment: the chain would have a hole at the next start.
 */
export class SegmentRecorder {
  private waiting: (() => void)[] = [];

  constructor(private readonly db: Database) {}

  /** Settles when the row is stored. */
  record(row: SegmentRow): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push(() => {
        try {
          recordSegment(this.db, row);
          resolve();
        } catch (error) {
          reject(error as Error);
        }
      });
      this.onCommitted();
    });
  }

  /** Call it when a transaction has ended, either way, and when no more will come. */
  onCommitted(): void {
    if (this.db.inTransaction) return;
    const waiting = this.waiting;
    this.waiting = [];
    for (const store of waiting) store();
  }
}

/**
 * Only on the writer's connection. A segment with the same end is replaced
 * (docs/protocol/20-network-history-segments.md#44-publishing-identity-index).
 */
export function recordSegment(db: Database, row: SegmentRow): void {
  db.query(
    "INSERT OR REPLACE INTO segments(to_height, from_height, id, previous_id, database_version, chain_id, bytes) VALUES(?, ?, ?, ?, ?, ?, ?)",
  ).run(row.to, row.from, row.id, row.previousId, row.databaseVersion, row.chainId, row.bytes);
}

// Block ranges that can be exported: whole segments that follow each other without a gap
// (docs/protocol/20-network-history-export.md#12-validation-order-and-errors).

/** Most runs and boundaries in a refusal. */
const NAMED_MAX = 5;

/** A refused export: `summary` and `inner` are the two texts of the API's error detail. */
export class ExportRefusal extends NodeError {
  constructor(
    code: ProgramCode,
    readonly summary: string,
    message: string,
    hint: string,
  ) {
    super("history.export", code, message, hint);
  }

  get inner(): string {
    return this.hint === "" ? this.message : `${this.message}: ${this.hint}`;
  }
}

/** Segments that follow each other, ascending. */
export type SegmentRun = readonly SegmentRow[];

/** Splits the stored segments at their gaps. */
export function segmentRuns(segments: readonly SegmentRow[]): SegmentRun[] {
  const sorted = [...segments].sort((a, b) => a.from - b.from || a.to - b.to);
  const runs: SegmentRow[][] = [];
  for (const segment of sorted) {
    const run = runs.find((candidate) => candidate.at(-1)!.to + 1 === segment.from);
    if (run) run.push(segment);
    else runs.push([segment]);
  }
  return runs;
}

/** The segments of exactly `from` to `to`. @throws ExportRefusal with the stored ranges if there are none */
export function segmentsOfRange(segments: readonly SegmentRow[], from: bigint, to: bigint): SegmentRun {
  const runs = segmentRuns(segments);
  for (const run of runs) {
    const first = run.findIndex((segment) => BigInt(segment.from) === from);
    const last = run.findIndex((segment) => BigInt(segment.to) === to);
    if (first >= 0 && last >= first) return run.slice(first, last + 1);
  }
  throw new ExportRefusal(
    "range_invalid",
    "failed to get contiguous history segments",
    `no contiguous segment range found with height ${from} to ${to}`,
    whatExists(runs, from, to),
  );
}

/** The refusal of an export of a young chain, and the list of its segments. */
export const NO_SEGMENT =
  "no segment is stored yet: one is made of each 1,000 blocks, or of as many as --segment-length is at the start";

function whatExists(runs: readonly SegmentRun[], from: bigint, to: bigint): string {
  if (runs.length === 0) return NO_SEGMENT;
  const shown = runs.slice(0, NAMED_MAX).map((run) => {
    const count = run.length === 1 ? "1 segment" : `${run.length} segments`;
    return `${run[0]!.from} to ${run.at(-1)!.to} (${count})`;
  });
  if (runs.length > NAMED_MAX) shown.push(`and ${runs.length - NAMED_MAX} more`);
  const all = runs.flat();
  const starts = `a range starts at ${nearestTo(
    all.map((segment) => segment.from),
    from,
  )}`;
  const ends = `and ends at ${nearestTo(
    all.map((segment) => segment.to),
    to,
  )}`;
  return `stored are ${shown.join(", ")}; ${starts} ${ends}`;
}

/** The boundaries nearest to the requested one. */
function nearestTo(heights: readonly number[], requested: bigint): string {
  const near = [...heights]
    .sort((a, b) => distance(a, requested) - distance(b, requested))
    .slice(0, NAMED_MAX);
  const list = near.sort((a, b) => a - b).join(", ");
  return heights.length > near.length ? `${list} (the nearest of ${heights.length})` : list;
}

function distance(height: number, requested: bigint): number {
  const difference = BigInt(height) - requested;
  return Number(absolute(difference));
}
