// Block times: rows hold block numbers, the interface speaks of times. Trades and market data have a time of their own:
// block time plus the event's sequence in microseconds
// (docs/protocol/20-network-history-tables.md#33-value-rules-shared-by-all-tables).
import type { Database, Statement } from "bun:sqlite";
import { LruCache } from "../../cache/lru.ts";

const CHUNK_BLOCKS = 1024;
/** Chunks kept: a million blocks in 8 MB. */
const CHUNKS_MAX = 1024;

/** A search narrower than this loads the chunk it ends in. */
const NEAR_BLOCKS = 4 * CHUNK_BLOCKS;

/** Low bits of `ord` that hold the sequence; the bits above count blocks that share a time (store/schema.ts). */
const SEQUENCE_BITS = 24;
const SEQUENCE_RANGE = 2 ** SEQUENCE_BITS;

export function sequenceOf(ord: number | bigint): number {
  return Number(ord) % SEQUENCE_RANGE;
}

interface BlockPosition {
  /** The block with exactly this time, else a number between the two around it: compares rightly with block numbers. */
  readonly no: number;
  readonly exact: boolean;
}

export class BlockTimes {
  private readonly chunks = new LruCache<number, Float64Array>(CHUNKS_MAX);
  private readonly selectChunk: Statement;
  private readonly selectOne: Statement;
  private readonly selectLast: Statement;

  constructor(db: Database) {
    this.selectChunk = db.prepare("SELECT time FROM blocks WHERE no >= ? AND no < ? ORDER BY no");
    this.selectOne = db.prepare("SELECT time FROM blocks WHERE no = ?");
    this.selectLast = db.prepare("SELECT coalesce(max(no), 0) AS no FROM blocks");
  }

  /** Time of a block in Unix microseconds. */
  timeUs(no: number): number {
    const chunkNo = Math.floor(no / CHUNK_BLOCKS);
    const chunk = this.chunks.get(chunkNo);
    const time = chunk?.[no - chunkNo * CHUNK_BLOCKS];
    if (time !== undefined) return time;
    return this.loadChunk(chunkNo)[no - chunkNo * CHUNK_BLOCKS] ?? 0;
  }

  /** Where a time lies among the blocks. Block times rise with their numbers. */
  position(timeUs: number): BlockPosition {
    const after = this.firstAtOrAfter(timeUs);
    const exact = this.timeOf(after) === timeUs;
    return exact ? { no: after, exact } : { no: after - 0.5, exact };
  }

  /**
   * Number of the first block at or after a time; one past the last block when there is none.
   * Blocks come at a steady pace, so the place is guessed between the two known sides: a few looks, not twenty.
   */
  firstAtOrAfter(timeUs: number): number {
    const last = Number((this.selectLast.get() as { no: bigint }).no);
    if (last === 0 || timeUs <= this.timeOf(1)) return 1;
    if (timeUs > this.timeOf(last)) return last + 1;
    // Always: time of `before` < timeUs <= time of `after`.
    let before = 1;
    let after = last;
    for (let step = 0; after - before > 1; step++) {
      const from = this.timeOf(before);
      const part = (timeUs - from) / (this.timeOf(after) - from);
      // Every third look halves, so that uneven times cannot make it slow.
      const guess = step % 3 === 2 ? (before + after) / 2 : before + part * (after - before);
      const look = Math.min(after - 1, Math.max(before + 1, Math.floor(guess)));
      const isNear = after - before < NEAR_BLOCKS;
      if ((isNear ? this.timeUs(look) : this.timeOf(look)) < timeUs) before = look;
      else after = look;
    }
    return after;
  }

  /** The first place at or after a synthetic time, as (block, ord). */
  syntheticPlace(timeUs: number): [block: number, ord: number] {
    const block = this.firstAtOrAfter(timeUs + 1) - 1;
    if (block < 1) return [0, 0];
    const sequence = timeUs - this.timeUs(block);
    return sequence < SEQUENCE_RANGE ? [block, sequence] : [block + 1, 0];
  }

  /** Cursor of a row: its synthetic time, and `ord`, which makes it exact where the times of two blocks overlap. */
  syntheticCursor(block: number | bigint, ord: number | bigint): { synthetic_time: string; ord: number } {
    const timeUs = this.timeUs(Number(block)) + sequenceOf(ord);
    return { synthetic_time: rfc3339(timeUs), ord: Number(ord) };
  }

  /** The place a cursor names, also one with the documented member alone. */
  syntheticCursorPlace(timeUs: number, ord: number | undefined): [block: number, ord: number] {
    if (ord === undefined) return this.syntheticPlace(timeUs);
    return [this.position(timeUs - sequenceOf(ord)).no, ord];
  }

  private timeOf(no: number): number {
    const chunkNo = Math.floor(no / CHUNK_BLOCKS);
    const cached = this.chunks.get(chunkNo)?.[no - chunkNo * CHUNK_BLOCKS];
    if (cached !== undefined) return cached;
    const row = this.selectOne.get(no) as { time: bigint } | null;
    return row ? Number(row.time) : 0;
  }

  private loadChunk(chunkNo: number): Float64Array {
    const first = chunkNo * CHUNK_BLOCKS;
    const rows = this.selectChunk.all(Math.max(first, 1), first + CHUNK_BLOCKS) as { time: bigint }[];
    // Number 0 does not exist; the first chunk keeps its place.
    const times = rows.map((row) => Number(row.time));
    if (first === 0) times.unshift(0);
    const chunk = Float64Array.from(times);
    this.chunks.set(chunkNo, chunk);
    return chunk;
  }
}

/** Unix microseconds as the nanosecond number of the interface. */
export function nanoseconds(timeUs: number): bigint {
  return BigInt(timeUs) * 1000n;
}

/**
 * RFC 3339 in UTC with up to six decimals, trailing zeros dropped: the form inside cursors
 * (docs/protocol/10-data-api-serving.md#32-cursor-encoding).
 */
export function rfc3339(timeUs: number): string {
  const seconds = Math.floor(timeUs / 1_000_000);
  const fraction = timeUs - seconds * 1_000_000;
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (fraction === 0) return `${whole}Z`;
  return `${whole}.${String(fraction).padStart(6, "0").replace(/0+$/, "")}Z`;
}

const RFC3339 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/** Unix microseconds of an RFC 3339 text, finer digits cut; undefined when it is not one. */
export function parseRfc3339(text: string): number | undefined {
  const match = RFC3339.exec(text);
  if (!match) return undefined;
  const seconds = Date.parse(`${match[1]}${match[3]}`);
  if (Number.isNaN(seconds)) return undefined;
  return seconds * 1000 + Number((match[2] ?? "").padEnd(6, "0").slice(0, 6) || 0);
}
