/**
 * A commitment to a set of entries that depends on the entries alone, whatever order they came in: a tree over the hashes
 * of their keys, in which at most `LEAF_MAX` entries share a leaf. A change costs the path to its leaf; hashes are worked
 * out when the root is read, so that changes of one block share them (docs/decisions/037-application-hash.md).
 *
 *   record   first 24 bytes of SHA-256(key), its position, then SHA-256(length of key ":" key value): 56 bytes
 *   leaf     SHA-256 of its records in ascending order
 *   branch   SHA-256 of the hashes of its 16 children, by the next four bits of the position; a missing one is zero
 *
 * The records lie in one array in the order of their positions, each at the place that its position stands for or behind
 * it: an entry costs 75 to 100 bytes, and no object.
 */
import { sha256Of } from "../crypto/sha.ts";

/** Two keys with the same position would share a record: to find such keys takes 2^96 attempts. */
const POSITION_BYTES = 24;
export const DIGEST_BYTES = 32;
const RECORD_BYTES = POSITION_BYTES + DIGEST_BYTES;
const RECORD_WORDS = RECORD_BYTES / 4;
/** Digits of a position that branches are made by; a leaf below takes all records that share them. */
const DEPTH_MAX = 12;
/** No multiple of 56 is 512: a leaf cannot be taken for a branch. */
const LEAF_MAX = 16;
const CHILDREN = 16;
const BRANCH_BYTES = CHILDREN * DIGEST_BYTES;

/** Of the places at the most, before there are more. */
const LOAD_MAX = 0.85;
const GROWTH = 1.3;
const PLACES_MIN = 4;
/** Behind the last place, for records that are moved on. */
const SPARE = 4;
const SPARE_SHARE = 512;
/** Hashes of nodes are kept down to the depth where a node has this many entries. */
const KEPT_NODE_MIN = 4;
const WORD = 2 ** 32;
const HALF_WORD = 2 ** 16;
/** The digits that branches are made by, as a number. */
const POSITIONS = WORD * HALF_WORD;
const FREE = -1;

// The record in hand. A digest is longer than the position that is taken from it.
const key256 = new Uint8Array(DIGEST_BYTES);
const keyView = new DataView(key256.buffer);
const value256 = new Uint8Array(DIGEST_BYTES);
const leafWords = new Int32Array((LEAF_MAX + 1) * RECORD_WORDS);
/** A leaf's bytes, by the number of its records. */
const leaves = Array.from(
  { length: LEAF_MAX + 1 },
  (_, records) => new Uint8Array(leafWords.buffer, 0, records * RECORD_BYTES),
);

function positionInHand(): number {
  return keyView.getUint32(0) * HALF_WORD + keyView.getUint16(4);
}

/** Whether a key lies below a place of the tree, given as hexadecimal digits of positions. */
export function isBelow(key: string, prefix: string): boolean {
  return sha256Of(key, key256).toHex().startsWith(prefix);
}

/** A place of the tree, for a walk down to where two trees differ. */
export interface Place {
  readonly entries: number;
  readonly hash: string;
  /** Hashes by the next hexadecimal digit, empty where there is nothing; undefined for a leaf. */
  readonly children: readonly string[] | undefined;
}

/** Nodes of one depth, as far as they are kept. */
interface Level {
  readonly hashes: Uint8Array;
  /** 1: out of date. */
  readonly stale: Uint8Array;
}

export class EntryTree {
  private count = 0;
  private places = 0;
  private bytes = new Uint8Array(0);
  private words = new Int32Array(0);
  /** The first digits of each record's position; `FREE` without one. */
  private positions = new Float64Array(0);
  private levels: readonly Level[] = [];

  get size(): number {
    return this.count;
  }

  clear(): void {
    this.count = 0;
    this.allocate(0);
  }

  set(key: string, value: string): void {
    if (this.count >= this.places * LOAD_MAX) this.grow();
    sha256Of(key, key256);
    sha256Of(`${key.length}:${key}${value}`, value256);
    let at = this.indexOf();
    if (!this.isHere(at)) {
      // More places may end full as well: the last records of the table lie close together.
      while (!this.makeRoom(at)) {
        this.grow();
        at = this.indexOf();
      }
      this.count++;
      this.positions[at] = positionInHand();
      for (let n = 0; n < POSITION_BYTES; n++) this.bytes[at * RECORD_BYTES + n] = key256[n]!;
    }
    this.bytes.set(value256, at * RECORD_BYTES + POSITION_BYTES);
    this.markStale();
  }

  delete(key: string): void {
    sha256Of(key, key256);
    const at = this.indexOf();
    if (!this.isHere(at)) return;
    let end = at + 1;
    while (
      end < this.positions.length &&
      this.homeOf(this.positions[end]!) < end &&
      this.positions[end] !== FREE
    )
      end++;
    this.bytes.copyWithin(at * RECORD_BYTES, (at + 1) * RECORD_BYTES, end * RECORD_BYTES);
    this.positions.copyWithin(at, at + 1, end);
    this.positions[end - 1] = FREE;
    this.count--;
    this.markStale();
  }

  /** Of an empty tree: the hash of nothing. @param into 32 bytes */
  hash(into: Uint8Array): Uint8Array {
    return this.hashGathered(0, 0, this.gather(0, 0), into);
  }

  /** The place below these hexadecimal digits; undefined where the tree has nothing, or does not branch so far. */
  place(prefix: string): Place | undefined {
    const depth = prefix.length;
    const number = depth === 0 ? 0 : Number.parseInt(prefix, 16);
    if (depth > DEPTH_MAX || (depth > 0 && this.gather(depth - 1, Math.floor(number / CHILDREN)) <= LEAF_MAX))
      return undefined;
    const entries = this.recordsBelow(depth, number).length / RECORD_BYTES;
    if (entries === 0 && depth > 0) return undefined;
    const children =
      entries <= LEAF_MAX || depth === DEPTH_MAX
        ? undefined
        : Array.from({ length: CHILDREN }, (_, n) => this.hashOf(depth + 1, number * CHILDREN + n));
    return { entries, hash: this.hashOf(depth, number), children };
  }

  /** Empty for a node without records. */
  private hashOf(depth: number, number: number): string {
    const records = this.gather(depth, number);
    if (records === 0 && depth > 0) return "";
    return this.hashGathered(depth, number, records, new Uint8Array(DIGEST_BYTES)).toHex();
  }

  private homeOf(position: number): number {
    return Math.floor((position * this.places) / POSITIONS);
  }

  /** Index of the record in hand, or of the place where it would be. */
  private indexOf(): number {
    const { positions } = this;
    const position = positionInHand();
    let at = this.homeOf(position);
    for (let other = positions[at]!; other !== FREE && at < positions.length; other = positions[++at]!) {
      if (other > position || (other === position && this.compareRest(at) >= 0)) break;
    }
    return at;
  }

  /** Order of a record and the one in hand, which have the same digits in front. */
  private compareRest(index: number): number {
    for (let n = 0; n < POSITION_BYTES; n++) {
      const difference = this.bytes[index * RECORD_BYTES + n]! - key256[n]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  private isHere(index: number): boolean {
    return this.positions[index] === positionInHand() && this.compareRest(index) === 0;
  }

  /** Moves records on, so that a place is free. @returns false where there is no room behind them */
  private makeRoom(at: number): boolean {
    const end = this.positions.indexOf(FREE, at);
    if (end < 0) return false;
    this.bytes.copyWithin((at + 1) * RECORD_BYTES, at * RECORD_BYTES, end * RECORD_BYTES);
    this.positions.copyWithin(at + 1, at, end);
    return true;
  }

  private allocate(places: number): void {
    this.places = places;
    const all = places === 0 ? 0 : places + SPARE + Math.ceil(places / SPARE_SHARE);
    this.bytes = new Uint8Array(all * RECORD_BYTES);
    this.words = new Int32Array(this.bytes.buffer);
    this.positions = new Float64Array(all).fill(FREE);
    const levels: Level[] = [];
    for (let nodes = 1; nodes === 1 || places / nodes >= KEPT_NODE_MIN; nodes *= CHILDREN)
      levels.push({ hashes: new Uint8Array(nodes * DIGEST_BYTES), stale: new Uint8Array(nodes).fill(1) });
    this.levels = levels;
  }

  /** With more places; the records keep their order. */
  private grow(): void {
    const { words, positions } = this;
    let places = Math.max(PLACES_MIN, Math.ceil(this.places * GROWTH));
    while (!this.moveTo(places, words, positions)) places = Math.ceil(places * GROWTH);
  }

  private moveTo(places: number, words: Int32Array, positions: Float64Array): boolean {
    this.allocate(places);
    let next = 0;
    for (let from = 0; from < positions.length; from++) {
      const position = positions[from]!;
      if (position === FREE) continue;
      const to = Math.max(next, this.homeOf(position));
      if (to >= this.positions.length) return false;
      copyRecord(words, from, this.words, to);
      this.positions[to] = position;
      next = to + 1;
    }
    return true;
  }

  /** The nodes on the way to the record in hand. */
  private markStale(): void {
    const position = positionInHand();
    for (let depth = 0; depth < this.levels.length; depth++)
      this.levels[depth]!.stale[Math.floor(position / WIDTHS[depth]!)] = 1;
  }

  /**
   * Copies the first records below a node; nodes of a depth are numbered by position.
   * @returns how many there are, counted to one more than are copied
   */
  private copyBelow(depth: number, number: number, into: Int32Array, max: number): number {
    const width = WIDTHS[depth]!;
    const low = number * width;
    const end = low + width;
    const { positions, words } = this;
    const lastHome = this.homeOf(end - 1);
    let count = 0;
    for (let at = this.homeOf(low); at < positions.length; at++) {
      const position = positions[at]!;
      if (position === FREE && at >= lastHome) break;
      if (position >= end) break;
      if (position < low) continue;
      if (count === max) return max + 1;
      copyRecord(words, at, into, count++);
    }
    return count;
  }

  /** Copies the records below a node for its leaf. @returns their number, one more than a leaf has where there are more */
  private gather(depth: number, number: number): number {
    if (depth === 0 && this.count > LEAF_MAX) return LEAF_MAX + 1;
    return this.copyBelow(depth, number, leafWords, LEAF_MAX);
  }

  /** @param records what `gather` returned for the node just now */
  private hashGathered(depth: number, number: number, records: number, into: Uint8Array): Uint8Array {
    if (records <= LEAF_MAX) return sha256Of(leaves[records]!, into);
    if (depth === DEPTH_MAX) return sha256Of(this.recordsBelow(depth, number), into);
    const level = this.levels[depth + 1];
    const hashes =
      level === undefined
        ? new Uint8Array(BRANCH_BYTES)
        : level.hashes.subarray(number * BRANCH_BYTES, (number + 1) * BRANCH_BYTES);
    for (let n = 0; n < CHILDREN; n++) {
      const child = number * CHILDREN + n;
      if (level !== undefined && level.stale[child] === 0) continue;
      const below = this.gather(depth + 1, child);
      const hash = below === 0 ? NOTHING : this.hashGathered(depth + 1, child, below, digests[depth]!);
      hashes.set(hash, n * DIGEST_BYTES);
      if (level !== undefined) level.stale[child] = 0;
    }
    return sha256Of(hashes, into);
  }

  private recordsBelow(depth: number, number: number): Uint8Array {
    const records = new Int32Array(this.count * RECORD_WORDS);
    const count = this.copyBelow(depth, number, records, this.count);
    return new Uint8Array(records.buffer, 0, count * RECORD_BYTES);
  }
}

/** Positions below a node, by its depth. */
const WIDTHS: number[] = [];
for (let width = 1; WIDTHS.length <= DEPTH_MAX; width *= CHILDREN) WIDTHS.unshift(width);
/** Places for the digests of children, by depth. */
const digests = Array.from({ length: DEPTH_MAX }, () => new Uint8Array(DIGEST_BYTES));
const NOTHING = new Uint8Array(DIGEST_BYTES);

function copyRecord(from: Int32Array, fromIndex: number, to: Int32Array, toIndex: number): void {
  const source = fromIndex * RECORD_WORDS;
  const target = toIndex * RECORD_WORDS;
  for (let n = 0; n < RECORD_WORDS; n++) to[target + n] = from[source + n]!;
}
