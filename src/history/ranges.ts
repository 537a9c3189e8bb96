// Which block ranges can be exported: whole segments that follow each other without a gap (reference 20, section 1.2).
import { NodeError } from "../errors/node-error.ts";
import type { ProgramCode } from "../errors/program-codes.ts";
import type { SegmentRow } from "./segment-table.ts";

/** Runs and boundaries that a refusal names, at most. */
const NAMED_MAX = 5;

/** A request for an export that cannot be: `summary` and `inner` are the two texts of the API's error detail. */
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

/** The segments of exactly `from` to `to`. @throws ExportRefusal when there are none, saying what there is */
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

function whatExists(runs: readonly SegmentRun[], from: bigint, to: bigint): string {
  if (runs.length === 0) return "no segment is stored yet";
  const shown = runs.slice(0, NAMED_MAX).map((run) => {
    const count = run.length === 1 ? "1 segment" : `${run.length} segments`;
    return `${run[0]!.from} to ${run.at(-1)!.to} (${count})`;
  });
  if (runs.length > NAMED_MAX) shown.push(`and ${runs.length - NAMED_MAX} more`);
  const all = runs.flat();
  const starts = `a range starts at ${named(
    all.map((segment) => segment.from),
    from,
  )}`;
  const ends = `and ends at ${named(
    all.map((segment) => segment.to),
    to,
  )}`;
  return `stored are ${shown.join(", ")}; ${starts} ${ends}`;
}

/** The boundaries nearest to what was asked for. */
function named(heights: readonly number[], wanted: bigint): string {
  const near = [...heights].sort((a, b) => distance(a, wanted) - distance(b, wanted)).slice(0, NAMED_MAX);
  const list = near.sort((a, b) => a - b).join(", ");
  return heights.length > near.length ? `${list} (the nearest of ${heights.length})` : list;
}

function distance(height: number, wanted: bigint): number {
  const difference = BigInt(height) - wanted;
  return Number(difference < 0n ? -difference : difference);
}
