// Segments of the history by pages, and the stretches of blocks that they hold: for the page.
import { countSegments, listNewestSegments, listStretches } from "../../history/segment-table.ts";
import type { Segments } from "../../http/chain-bodies.ts";
import type { DataContext } from "./context.ts";

const SEGMENTS_MAX = 500;
const SEGMENTS_DEFAULT = 50;
const STRETCHES_MAX = 100;

interface SegmentsRequest {
  readonly limit: number | undefined;
  /** Segments that begin below this height. */
  readonly before: number | undefined;
}

export function segmentPage({ db }: Pick<DataContext, "db">, { limit, before }: SegmentsRequest): Segments {
  const rows = listNewestSegments(db, {
    before: before ?? Number.MAX_SAFE_INTEGER,
    limit: Math.min(limit || SEGMENTS_DEFAULT, SEGMENTS_MAX),
  });
  return {
    segments: rows.map(({ id, from, to, chainId, bytes }) => ({ id, from, to, chainId, bytes })),
    total: countSegments(db),
    stretches: listStretches(db, STRETCHES_MAX),
  };
}
