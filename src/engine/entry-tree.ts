/**
 * A commitment to a set of entries that depends on the entries alone, whatever order they came in: a tree over the hashes
 * of their keys, in which at most `LEAF_MAX` entries share a leaf. A change costs the path to its leaf; hashes are worked
 * out when the root is read, so that changes of one block share them (docs/decisions/037-application-hash.md).
 *
 *   record   first 24 bytes of SHA-256(key), its position, then SHA-256(length of key ":" key value): 56 bytes
 *   leaf     SHA-256 of its records in ascending order
 *   branch   SHA-256 of the hashes of its 16 children, by the next four bits of the position; a missing one is zero
 *
 * Leaves and branches are blocks of arenas, not objects: an entry costs 65 to 80 bytes. Nothing is ever made again as a
 * whole, and keys with positions side by side, which an attacker can search for, make the tree deeper there and cost others nothing.
 */
import { sha256Of } from "../crypto/sha.ts";
import { BlockArena } from "./block-arena.ts";

/** Two keys with the same position would share a record: to find such keys takes 2^96 attempts. */
const POSITION_BYTES = 24;
export const DIGEST_BYTES = 32;
const RECORD_BYTES = POSITION_BYTES + DIGEST_BYTES;
const POSITION_WORDS = POSITION_BYTES / 4;
const DIGEST_WORDS = DIGEST_BYTES / 4;
const RECORD_WORDS = RECORD_BYTES / 4;
/** Digits of a position that branches are made by; a leaf below takes all records that share them. */
const DEPTH_MAX = 12;
/** No multiple of 56 is 512: a leaf cannot be taken for a branch. */
const LEAF_MAX = 16;
const CHILDREN = 16;

// References to nodes: 0 for none, a branch as its index below zero, a leaf as its index and the size of its block.
type Node = number;
const NONE: Node = 0;
const BLOCK_SHIFT = 4;
const BLOCK_MASK = (1 << BLOCK_SHIFT) - 1;
/** Blocks of leaves have room for an even number of records. */
const BLOCK_STEP = 2;
/** Instead of a block's size: a leaf with more records than `LEAF_MAX`, all of which have the same digits. */
const OVERFULL = BLOCK_MASK;
const blockFor = (records: number): number => Math.ceil(records / BLOCK_STEP);
const leafAt = (index: number, block: number): Node => (index << BLOCK_SHIFT) | block;
const blockOf = (leaf: Node): number => leaf & BLOCK_MASK;
const indexOf = (leaf: Node): number => leaf >>> BLOCK_SHIFT;
const branchAt = (index: number): Node => -1 - index;
const isBranch = (node: Node): boolean => node < 0;

// Words of a leaf's block: where it hangs, the number of its records, and the records.
const RECORDS = 1;
const LEAF_HEAD = 2;
// Words of a branch's block.
const SLOT = 0;
const COUNT = 1;
/** Children whose hash is out of date, a bit each. */
const STALE = 2;
const CHILD = 3;
const HASH = CHILD + CHILDREN;
const BRANCH_WORDS = HASH + CHILDREN * DIGEST_WORDS;

/** Where the root hangs; other nodes hang at `branch index * CHILDREN + digit`. */
const ROOT_SLOT = -1;

// The record in hand.
const position = new Uint8Array(DIGEST_BYTES);
const positionWords = new Int32Array(position.buffer);
const value256 = new Uint8Array(DIGEST_BYTES);
const valueWords = new Int32Array(value256.buffer);
/** The branches on the way to it. */
const way = new Int32Array(DEPTH_MAX);

// Records that are moved or hashed, and the bytes of leaves by the number of their records.
const gathered = new Int32Array((LEAF_MAX + 1) * RECORD_WORDS);
const gatheredBytes = Array.from(
  { length: LEAF_MAX + 1 },
  (_, records) => new Uint8Array(gathered.buffer, 0, records * RECORD_BYTES),
);
const branchBytes = new Uint8Array(CHILDREN * DIGEST_BYTES);
const branchWords = new Int32Array(branchBytes.buffer);
/** The hash that was worked out last. */
const hash256 = new Uint8Array(DIGEST_BYTES);
const hashWords = new Int32Array(hash256.buffer);
const isLittleEndian = new Uint8Array(new Int32Array([1]).buffer)[0] === 1;

/** Takes an entry in hand. */
function hashEntry(key: string, value: string): void {
  sha256Of(key, position);
  sha256Of(`${key.length}:${key}${value}`, value256);
}

const digitOf = (depth: number): number => digitIn(position, 0, depth);

function digitIn(bytes: Uint8Array, start: number, depth: number): number {
  const byte = bytes[start + (depth >> 1)]!;
  return depth % 2 === 0 ? byte >> 4 : byte & 15;
}

/** Whether a key lies below a place of the tree, given as hexadecimal digits of positions. */
export function isBelow(key: string, prefix: string): boolean {
  return sha256Of(key, position).toHex().startsWith(prefix);
}

/** A place of the tree, for a walk down to where two trees differ. */
export interface Place {
  readonly entries: number;
  readonly hash: string;
  /** Hashes by the next hexadecimal digit, empty where there is nothing; undefined for a leaf. */
  readonly children: readonly string[] | undefined;
}

export class EntryTree {
  private count = 0;
  private root = NONE;
  /** By the size of their blocks. */
  private leaves: BlockArena[] = [];
  private overfull = new Map<number, Int32Array>();
  private branches = new BlockArena(BRANCH_WORDS);

  get size(): number {
    return this.count;
  }

  clear(): void {
    this.count = 0;
    this.root = NONE;
    this.leaves = [];
    this.overfull = new Map();
    this.branches = new BlockArena(BRANCH_WORDS);
  }

  set(key: string, value: string): void {
    hashEntry(key, value);
    this.setRecord(position, value256);
  }

  delete(key: string): void {
    this.deleteRecord(sha256Of(key, position));
  }

  /** As `set`, by the hashes. */
  setRecord(keyHash: Uint8Array, valueHash: Uint8Array): void {
    if (keyHash !== position) position.set(keyHash.subarray(0, POSITION_BYTES));
    if (valueHash !== value256) value256.set(valueHash);
    const depth = this.descend();
    const slot = this.slotAt(depth);
    const leaf = this.nodeAt(slot);
    if (leaf === NONE) {
      putRecord(gathered, 0);
      this.hang(slot, this.newLeaf(slot, 0, 1));
    } else {
      const words = this.recordsOf(leaf);
      const size = this.recordsIn(leaf);
      const start = this.firstRecord(leaf);
      const at = search(words, start, size);
      if (at >= 0) {
        words.set(valueWords, start + at * RECORD_WORDS + POSITION_WORDS);
        this.markStale(depth);
        return;
      }
      this.insert(slot, depth, ~at);
    }
    this.count++;
    for (let n = 0; n < depth; n++) this.branchWord(way[n]!, COUNT, 1);
    this.markStale(depth);
  }

  /** As `delete`, by the hash. */
  deleteRecord(keyHash: Uint8Array): void {
    if (keyHash !== position) position.set(keyHash.subarray(0, POSITION_BYTES));
    const depth = this.descend();
    const slot = this.slotAt(depth);
    const leaf = this.nodeAt(slot);
    if (leaf === NONE) return;
    const size = this.recordsIn(leaf);
    const at = search(this.recordsOf(leaf), this.firstRecord(leaf), size);
    if (at < 0) return;
    this.removeFromLeaf(leaf, slot, at);
    this.count--;
    this.markStale(depth);
    let narrow = -1;
    for (let n = 0; n < depth; n++)
      if (this.branchWord(way[n]!, COUNT, -1) <= LEAF_MAX && narrow < 0) narrow = n;
    if (narrow >= 0) this.collapse(way[narrow]!);
  }

  /** Of an empty tree: the hash of nothing. @param into 32 bytes */
  hash(into: Uint8Array): Uint8Array {
    this.hashNode(this.root);
    into.set(hash256);
    return into;
  }

  /** The place below these hexadecimal digits; undefined where the tree has nothing, or does not branch so far. */
  place(prefix: string): Place | undefined {
    let node = this.root;
    for (const digit of prefix) {
      if (!isBranch(node)) return undefined;
      node = this.childOf(~node, Number.parseInt(digit, CHILDREN));
    }
    if (node === NONE && prefix !== "") return undefined;
    // Works out the hashes of all below.
    this.hashNode(node);
    const hash = hash256.toHex();
    if (!isBranch(node))
      return { entries: node === NONE ? 0 : this.recordsIn(node), hash, children: undefined };
    const index = ~node;
    const page = this.branches.page(index);
    const start = this.branches.start(index);
    const children = Array.from({ length: CHILDREN }, (_, n) => {
      const at = start + HASH + n * DIGEST_WORDS;
      return page[start + CHILD + n] === NONE ? "" : bytesOf(page.slice(at, at + DIGEST_WORDS)).toHex();
    });
    return { entries: page[start + COUNT]!, hash, children };
  }

  /** Goes down to the leaf of the record in hand, or to where it would be. @returns its depth; `way` has the branches above it */
  private descend(): number {
    let node = this.root;
    let depth = 0;
    while (isBranch(node)) {
      const index = ~node;
      way[depth] = index;
      node = this.childOf(index, digitOf(depth++));
    }
    return depth;
  }

  /** Where the node at a depth of the way hangs. */
  private slotAt(depth: number): number {
    return depth === 0 ? ROOT_SLOT : way[depth - 1]! * CHILDREN + digitOf(depth - 1);
  }

  private childOf(index: number, digit: number): Node {
    return this.branches.page(index)[this.branches.start(index) + CHILD + digit]!;
  }

  private nodeAt(slot: number): Node {
    return slot === ROOT_SLOT ? this.root : this.childOf(Math.floor(slot / CHILDREN), slot % CHILDREN);
  }

  private hang(slot: number, node: Node): void {
    if (slot === ROOT_SLOT) this.root = node;
    else {
      const index = Math.floor(slot / CHILDREN);
      const page = this.branches.page(index);
      const start = this.branches.start(index);
      page[start + CHILD + (slot % CHILDREN)] = node;
      // Nothing has no hash to be worked out.
      const at = start + HASH + (slot % CHILDREN) * DIGEST_WORDS;
      if (node === NONE) page.fill(0, at, at + DIGEST_WORDS);
    }
  }

  /** Adds to a word of a branch. @returns what it is then */
  private branchWord(index: number, word: number, more: number): number {
    return (this.branches.page(index)[this.branches.start(index) + word]! += more);
  }

  /** The hashes on the way to the record in hand. */
  private markStale(depth: number): void {
    for (let n = 0; n < depth; n++) {
      const index = way[n]!;
      this.branches.page(index)[this.branches.start(index) + STALE]! |= 1 << digitOf(n);
    }
  }

  private recordsIn(leaf: Node): number {
    const block = blockOf(leaf);
    const index = indexOf(leaf);
    if (block === OVERFULL) return this.overfull.get(index)!.length / RECORD_WORDS;
    const arena = this.leaves[block]!;
    return arena.page(index)[arena.start(index) + RECORDS]!;
  }

  /** The words that hold a leaf's records. */
  private recordsOf(leaf: Node): Int32Array {
    const block = blockOf(leaf);
    return block === OVERFULL ? this.overfull.get(indexOf(leaf))! : this.leaves[block]!.page(indexOf(leaf));
  }

  private firstRecord(leaf: Node): number {
    const block = blockOf(leaf);
    return block === OVERFULL ? 0 : this.leaves[block]!.start(indexOf(leaf)) + LEAF_HEAD;
  }

  /** A leaf of gathered records. @param slot where it will hang */
  private newLeaf(slot: number, firstGathered: number, size: number): Node {
    const from = firstGathered * RECORD_WORDS;
    if (size > LEAF_MAX) {
      const index = nextFree(this.overfull);
      this.overfull.set(index, gathered.slice(from, from + size * RECORD_WORDS));
      return leafAt(index, OVERFULL);
    }
    const block = blockFor(size);
    const arena = (this.leaves[block] ??= new BlockArena(LEAF_HEAD + block * BLOCK_STEP * RECORD_WORDS));
    const index = arena.add();
    const page = arena.page(index);
    const start = arena.start(index);
    page[start] = slot;
    page[start + RECORDS] = size;
    copyWords(gathered, from, page, start + LEAF_HEAD, size * RECORD_WORDS);
    return leafAt(index, block);
  }

  /** Gives back the block of a leaf, which hangs nowhere any more: the last one takes its place. */
  private freeLeaf(leaf: Node): void {
    const block = blockOf(leaf);
    const index = indexOf(leaf);
    if (block === OVERFULL) {
      this.overfull.delete(index);
      return;
    }
    const arena = this.leaves[block]!;
    if (arena.remove(index)) this.hang(arena.page(index)[arena.start(index)]!, leaf);
  }

  /** Puts the record in hand into the leaf at a slot, which has other ones. @param at its place among them */
  private insert(slot: number, depth: number, at: number): void {
    const leaf = this.nodeAt(slot);
    const size = this.recordsIn(leaf);
    const words = this.recordsOf(leaf);
    const start = this.firstRecord(leaf);
    const middle = at * RECORD_WORDS;
    if (size > LEAF_MAX) {
      const after = new Int32Array(words.length + RECORD_WORDS);
      after.set(words.subarray(0, middle));
      putRecord(after, middle);
      after.set(words.subarray(middle), middle + RECORD_WORDS);
      this.overfull.set(indexOf(leaf), after);
    } else if (size < blockOf(leaf) * BLOCK_STEP) {
      const end = start + size * RECORD_WORDS;
      words.copyWithin(start + middle + RECORD_WORDS, start + middle, end);
      putRecord(words, start + middle);
      words[start - LEAF_HEAD + RECORDS]!++;
    } else {
      copyWords(words, start, gathered, 0, middle);
      putRecord(gathered, middle);
      copyWords(words, start + middle, gathered, middle + RECORD_WORDS, size * RECORD_WORDS - middle);
      this.hang(slot, NONE);
      this.freeLeaf(leaf);
      this.hang(slot, this.newNode(slot, depth, size + 1));
    }
  }

  /** A leaf of all gathered records, or branches above several. @param slot where it will hang */
  private newNode(slot: number, depth: number, size: number): Node {
    if (size <= LEAF_MAX || depth === DEPTH_MAX) return this.newLeaf(slot, 0, size);
    const index = this.branches.add();
    const page = this.branches.page(index);
    const start = this.branches.start(index);
    page.fill(0, start, start + BRANCH_WORDS);
    page[start + SLOT] = slot;
    // The record in hand is counted by its way, which does not lead through here yet.
    page[start + COUNT] = size;
    const bytes = gatheredBytes[LEAF_MAX]!.buffer;
    const all = new Uint8Array(bytes);
    let stale = 0;
    for (let first = 0; first < size; ) {
      const digit = digitIn(all, first * RECORD_BYTES, depth);
      let end = first + 1;
      while (end < size && digitIn(all, end * RECORD_BYTES, depth) === digit) end++;
      const below = index * CHILDREN + digit;
      const node =
        end - first === size ? this.newNode(below, depth + 1, size) : this.newLeaf(below, first, end - first);
      this.hang(below, node);
      stale |= 1 << digit;
      first = end;
    }
    this.branches.page(index)[this.branches.start(index) + STALE] = stale;
    return branchAt(index);
  }

  private removeFromLeaf(leaf: Node, slot: number, at: number): void {
    const words = this.recordsOf(leaf);
    const start = this.firstRecord(leaf);
    const size = this.recordsIn(leaf);
    const middle = at * RECORD_WORDS;
    if (size > LEAF_MAX + 1) {
      const after = new Int32Array(words.length - RECORD_WORDS);
      after.set(words.subarray(0, middle));
      after.set(words.subarray(middle + RECORD_WORDS), middle);
      this.overfull.set(indexOf(leaf), after);
    } else if (size <= LEAF_MAX && blockFor(size - 1) === blockOf(leaf)) {
      words.copyWithin(start + middle, start + middle + RECORD_WORDS, start + size * RECORD_WORDS);
      words[start - LEAF_HEAD + RECORDS]!--;
    } else {
      copyWords(words, start, gathered, 0, middle);
      copyWords(words, start + middle + RECORD_WORDS, gathered, middle, (size - 1) * RECORD_WORDS - middle);
      this.hang(slot, NONE);
      this.freeLeaf(leaf);
      if (size > 1) this.hang(slot, this.newLeaf(slot, 0, size - 1));
    }
  }

  /** Makes a branch that has no more records than a leaf into one. */
  private collapse(index: number): void {
    const slot = this.branches.page(index)[this.branches.start(index) + SLOT]!;
    const chain: number[] = [];
    const size = this.gatherBelow(index, 0, chain);
    this.hang(slot, NONE);
    for (const each of chain) {
      for (let digit = 0; digit < CHILDREN; digit++) {
        const child = this.childOf(each, digit);
        if (child === NONE || isBranch(child)) continue;
        this.hang(each * CHILDREN + digit, NONE);
        this.freeLeaf(child);
      }
    }
    // By descending index: the last branch, which takes the place of a removed one, stays.
    let place = slot;
    for (const each of chain.sort((a, b) => b - a)) {
      const last = this.branches.size - 1;
      if (Math.floor(place / CHILDREN) === last && place !== ROOT_SLOT)
        place = each * CHILDREN + (place % CHILDREN);
      this.freeBranch(each);
    }
    this.hang(place, this.newLeaf(place, 0, size));
  }

  /** @param chain takes the branches @returns the number of gathered records */
  private gatherBelow(index: number, gatheredBefore: number, chain: number[]): number {
    chain.push(index);
    let size = gatheredBefore;
    for (let digit = 0; digit < CHILDREN; digit++) {
      const child = this.childOf(index, digit);
      if (child === NONE) continue;
      if (isBranch(child)) size = this.gatherBelow(~child, size, chain);
      else {
        const records = this.recordsIn(child);
        copyWords(
          this.recordsOf(child),
          this.firstRecord(child),
          gathered,
          size * RECORD_WORDS,
          records * RECORD_WORDS,
        );
        size += records;
      }
    }
    return size;
  }

  /** Gives back the block of a branch; the one that takes its place stays where it hangs. */
  private freeBranch(index: number): void {
    const { branches } = this;
    if (!branches.remove(index)) return;
    const page = branches.page(index);
    const start = branches.start(index);
    this.hang(page[start + SLOT]!, branchAt(index));
    for (let digit = 0; digit < CHILDREN; digit++) {
      const child = page[start + CHILD + digit]!;
      if (child === NONE) continue;
      const below = index * CHILDREN + digit;
      if (isBranch(child)) branches.page(~child)[branches.start(~child) + SLOT] = below;
      else if (blockOf(child) !== OVERFULL) {
        const arena = this.leaves[blockOf(child)]!;
        arena.page(indexOf(child))[arena.start(indexOf(child))] = below;
      }
    }
  }

  /** Works out the hash of a node, into `hash256`. */
  private hashNode(node: Node): void {
    if (node === NONE) sha256Of(gatheredBytes[0]!, hash256);
    else if (isBranch(node)) this.hashBranch(~node);
    else {
      const size = this.recordsIn(node);
      if (size > LEAF_MAX) sha256Of(bytesOf(this.recordsOf(node)), hash256);
      else {
        copyWords(this.recordsOf(node), this.firstRecord(node), gathered, 0, size * RECORD_WORDS);
        sha256Of(gatheredBytes[size]!, hash256);
      }
    }
  }

  private hashBranch(index: number): void {
    const page = this.branches.page(index);
    const start = this.branches.start(index);
    const stale = page[start + STALE]!;
    page[start + STALE] = 0;
    for (let digit = 0; digit < CHILDREN; digit++) {
      if ((stale & (1 << digit)) === 0) continue;
      const child = page[start + CHILD + digit]!;
      if (child === NONE) continue;
      this.hashNode(child);
      copyWords(hashWords, 0, page, start + HASH + digit * DIGEST_WORDS, DIGEST_WORDS);
    }
    copyWords(page, start + HASH, branchWords, 0, CHILDREN * DIGEST_WORDS);
    sha256Of(branchBytes, hash256);
  }
}

/** Records of a page of `EntryLoad`. */
const LOAD_RECORDS = 8_192;
/** Records are put in order by these bits of their positions. */
const LOAD_BITS = 16;

/**
 * The entries of a tree that is loaded. They are set in the order of their positions: the one after the other then goes
 * into the same leaf, whose memory is at hand, which takes half the time of leaves all over the tree.
 */
export class EntryLoad {
  private readonly pages: Int32Array[] = [];
  private count = 0;

  constructor(private readonly tree: EntryTree) {}

  add(key: string, value: string): void {
    hashEntry(key, value);
    const at = this.count++ % LOAD_RECORDS;
    if (at === 0) this.pages.push(new Int32Array(LOAD_RECORDS * RECORD_WORDS));
    putRecord(this.pages.at(-1)!, at * RECORD_WORDS);
  }

  /** Sets all of them. @returns the tree */
  finish(): EntryTree {
    const { count, tree } = this;
    const order = new Uint32Array(count);
    const next = new Uint32Array((1 << LOAD_BITS) + 1);
    for (let n = 0; n < count; n++) next[this.bitsOf(n) + 1]!++;
    for (let bits = 1; bits <= 1 << LOAD_BITS; bits++) next[bits]! += next[bits - 1]!;
    for (let n = 0; n < count; n++) order[next[this.bitsOf(n)]!++] = n;
    for (const n of order) {
      const page = this.pages[Math.floor(n / LOAD_RECORDS)]!;
      const at = (n % LOAD_RECORDS) * RECORD_WORDS;
      copyWords(page, at, positionWords, 0, POSITION_WORDS);
      copyWords(page, at + POSITION_WORDS, valueWords, 0, DIGEST_WORDS);
      tree.setRecord(position, value256);
    }
    return tree;
  }

  private bitsOf(n: number): number {
    const word = this.pages[Math.floor(n / LOAD_RECORDS)]![(n % LOAD_RECORDS) * RECORD_WORDS]!;
    return ((word & 255) << 8) | ((word >>> 8) & 255);
  }
}

function putRecord(into: Int32Array, at: number): void {
  copyWords(positionWords, 0, into, at, POSITION_WORDS);
  copyWords(valueWords, 0, into, at + POSITION_WORDS, DIGEST_WORDS);
}

/** @returns the place of the record in hand, or the complement of where it would be */
function search(words: Int32Array, start: number, size: number): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = compareAt(words, start + middle * RECORD_WORDS);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return ~low;
}

/** Order of a record and the one in hand, by their bytes. */
function compareAt(words: Int32Array, start: number): number {
  for (let n = 0; n < POSITION_WORDS; n++) {
    const a = words[start + n]!;
    const b = positionWords[n]!;
    if (a !== b) return asBytes(a) - asBytes(b);
  }
  return 0;
}

/** A word as a number whose order is the one of its bytes. */
function asBytes(word: number): number {
  if (!isLittleEndian) return word >>> 0;
  return (((word & 0xff) << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;
}

function bytesOf(words: Int32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

function copyWords(
  from: Int32Array,
  fromStart: number,
  to: Int32Array,
  toStart: number,
  count: number,
): void {
  for (let n = 0; n < count; n++) to[toStart + n] = from[fromStart + n]!;
}

function nextFree(map: ReadonlyMap<number, unknown>): number {
  let index = 0;
  while (map.has(index)) index++;
  return index;
}
