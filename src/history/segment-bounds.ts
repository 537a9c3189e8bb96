// Where segments end (docs/protocol/20-network-history-segments.md#42-when-a-segment-is-made): at every multiple
// of a length, or at the heights that the network names. Both follow from the chain's data, so nodes with the same blocks have
// the same segments.
import type { Database } from "bun:sqlite";
import { NodeError } from "../errors/node-error.ts";
import { readHead } from "../store/head.ts";

/** `network`: at the core's own snapshots, its last one before an upgrade among them; `length`: every fixed number of blocks. */
export const SEGMENT_MODES = ["network", "length"] as const;
export type SegmentMode = (typeof SEGMENT_MODES)[number];

export interface SegmentBounds {
  /**
   * Last height of the segment that begins at a height; undefined until the network has named it.
   * @param headHeight of the last block to consider
   */
  endOf(from: number, headHeight: number): number | undefined;
}

export function fixedBounds(length: number): SegmentBounds {
  return { endOf: (from) => Math.ceil(from / length) * length };
}

/**
 * An announcement counts only in the block whose height it names, so that no later one can name an earlier end.
 * Blocks of one time share a row; its heights end where the next row begins.
 */
const FIRST_ANNOUNCED = `
  SELECT s.height FROM core_snapshots s JOIN blocks b ON b.no = s.block LEFT JOIN blocks n ON n.no = s.block + 1
  WHERE s.height >= ?1 AND s.height >= b.height AND s.height < coalesce(n.height, ?2 + 1)
  ORDER BY s.height LIMIT 1`;

export function networkBounds(db: Database): SegmentBounds {
  const first = db.prepare(FIRST_ANNOUNCED);
  return {
    endOf(from, headHeight) {
      const row = first.get(from, headHeight) as { height: bigint } | null;
      return row === null ? undefined : Number(row.height);
    },
  };
}

/** Missing heights, inclusive: of a sidecar that continued without them. */
interface Gap {
  readonly from: number;
  readonly to: number;
}

/** The first gap that touches a range of heights. */
export function gapWithin(db: Database, from: number, to: number): Gap | undefined {
  const row = db
    .query(
      "SELECT from_height, to_height FROM gaps WHERE to_height >= ? AND from_height <= ? ORDER BY from_height LIMIT 1",
    )
    .get(from, to) as { from_height: bigint; to_height: bigint } | null;
  return row === null ? undefined : { from: Number(row.from_height), to: Number(row.to_height) };
}

const KEY = "segments";

/** The mode in this home's store; a store that predates the choice has segments of a length. */
function storedMode(db: Database): SegmentMode | undefined {
  const row = db.query("SELECT value FROM meta WHERE key = ?").get(KEY) as { value: SegmentMode } | null;
  return row?.value ?? (hasSegments(db) ? "length" : undefined);
}

/**
 * Chooses a home's mode and stores it. Only on the writer's connection.
 * @param requested undefined to keep the stored mode
 * @param ofNew mode of a home without blocks
 * @throws NodeError `segments_differ` for a home that has segments of the other kind
 */
export function chooseMode(
  db: Database,
  requested: SegmentMode | undefined,
  ofNew: SegmentMode = "length",
): SegmentMode {
  const stored = storedMode(db);
  // A home with blocks and without segments has segments of a length unless its store says otherwise.
  const mode = requested ?? stored ?? (readHead(db) === undefined ? ofNew : "length");
  if (mode === stored) return mode;
  if (hasSegments(db)) throw differ(stored!);
  // Segments of a length are stored as no entry, like in older stores.
  if (mode === "length") db.query("DELETE FROM meta WHERE key = ?").run(KEY);
  else db.query("INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)").run(KEY, mode);
  return mode;
}

function hasSegments(db: Database): boolean {
  return db.query("SELECT 1 FROM segments LIMIT 1").get() !== null;
}

function differ(stored: SegmentMode): NodeError {
  const has = stored === "network" ? "end at the network's snapshots" : "have a fixed number of blocks";
  return new NodeError(
    "history.segment",
    "segments_differ",
    `the history segments of this home ${has}, and a home does not mix them`,
    `choose another --home, or go on with: --segments ${stored}`,
  );
}
