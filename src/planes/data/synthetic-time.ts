// Trades and market data have a time of their own: block time plus the event's sequence in microseconds
// (reference 20, section 3.3). Rows are kept by (block, ord); here is the way between the two.

import { rfc3339 } from "./blocks.ts";
import type { DataContext } from "./context.ts";

/** Low bits of `ord` that hold the sequence; the bits above count blocks that share a time (store/schema.ts). */
const SEQUENCE_BITS = 24;
const SEQUENCE_RANGE = 2 ** SEQUENCE_BITS;

export function sequenceOf(ord: number | bigint): number {
  return Number(ord) % SEQUENCE_RANGE;
}

/** Unix microseconds. */
export function syntheticTimeUs(context: DataContext, block: number | bigint, ord: number | bigint): number {
  return context.blocks.timeUs(Number(block)) + sequenceOf(ord);
}

/** The first place at or after a synthetic time, as (block, ord). */
export function syntheticPlace(context: DataContext, timeUs: number): [block: number, ord: number] {
  const block = context.blocks.firstAtOrAfter(timeUs + 1) - 1;
  if (block < 1) return [0, 0];
  const sequence = timeUs - context.blocks.timeUs(block);
  return sequence < SEQUENCE_RANGE ? [block, sequence] : [block + 1, 0];
}

/** Cursor of a row: the documented time, and `ord`, which makes it exact where the times of two blocks overlap. */
export function syntheticCursor(
  context: DataContext,
  block: number | bigint,
  ord: number | bigint,
): { synthetic_time: string; ord: number } {
  return { synthetic_time: rfc3339(syntheticTimeUs(context, block, ord)), ord: Number(ord) };
}

/** The place a cursor names, also one with the documented member alone. */
export function syntheticCursorPlace(
  context: DataContext,
  timeUs: number,
  ord: number | undefined,
): [block: number, ord: number] {
  if (ord === undefined) return syntheticPlace(context, timeUs);
  return [context.blocks.position(timeUs - sequenceOf(ord)).no, ord];
}
