/**
 * A commitment to a set of entries that depends on the entries alone, whatever order they came in: a tree over the hashes
 * of their keys, in which at most `LEAF_MAX` entries share a leaf. A change costs the path to its leaf; hashes are worked
 * out when the root is read, so that changes of one block share them (docs/decisions/035-application-hash.md).
 *
 *   record   first 24 bytes of SHA-256(key), then SHA-256(length of key ":" key value): 56 bytes
 *   leaf     SHA-256 of its records in ascending order
 *   branch   SHA-256 of the hashes of its 16 children, by the next four bits of the position; a missing one is zero
 */
import { sha256Of } from "../crypto/sha.ts";

/** Two keys with the same position would share a record: to find such keys takes 2^96 attempts. */
const POSITION_BYTES = 24;
export const DIGEST_BYTES = 32;
export const RECORD_BYTES = POSITION_BYTES + DIGEST_BYTES;
const LEAF_MAX = 16;
const CHILDREN = 16;

/** Records in ascending order. A leaf's length is no multiple of 512: it cannot be taken for a branch. */
type Leaf = Uint8Array;
type Node = Leaf | Branch;

class Branch {
  count = 0;
  readonly children: (Node | undefined)[] = new Array(CHILDREN).fill(undefined);
  readonly hashes = new Uint8Array(CHILDREN * DIGEST_BYTES);
  /** Bits of the children whose hash is out of date. */
  stale = 0;
}

const EMPTY: Leaf = new Uint8Array(0);

// The record in hand; positions are made in a larger place, because a digest is longer.
const scratch = new Uint8Array(RECORD_BYTES);
const scratchDigest = scratch.subarray(POSITION_BYTES);
const keyDigest = new Uint8Array(DIGEST_BYTES);
const keyPosition = keyDigest.subarray(0, POSITION_BYTES);

/** Writes an entry's record. */
export function writeRecord(target: Uint8Array, offset: number, key: string, value: string): void {
  target.set(positionOf(key), offset);
  digestEntry(key, value);
  target.set(scratchDigest, offset + POSITION_BYTES);
}

/** Valid until the next call. */
function positionOf(key: string): Uint8Array {
  sha256Of(key, keyDigest);
  return keyPosition;
}

function digestEntry(key: string, value: string): void {
  sha256Of(`${key.length}:${key}${value}`, scratchDigest);
}

/** Whether a key lies below a place of the tree, given as hexadecimal digits of positions. */
export function isBelow(key: string, prefix: string): boolean {
  const position = positionOf(key);
  for (let depth = 0; depth < prefix.length; depth++) {
    if (nibbleAt(position, 0, depth) !== Number.parseInt(prefix.charAt(depth), 16)) return false;
  }
  return true;
}

/** A place of the tree, for a walk down to where two trees differ. */
export type Place =
  | { readonly kind: "leaf"; readonly entries: number; readonly hash: string }
  | {
      readonly kind: "branch";
      readonly entries: number;
      readonly hash: string;
      /** By the next hexadecimal digit; empty where there is nothing. */
      readonly children: readonly string[];
    };

export class EntryTree {
  private root: Node = EMPTY;

  get size(): number {
    return sizeOf(this.root);
  }

  set(key: string, value: string): void {
    scratch.set(positionOf(key));
    digestEntry(key, value);
    this.root = put(this.root, 0);
  }

  delete(key: string): void {
    scratch.set(positionOf(key));
    this.root = removed(this.root, 0) ?? EMPTY;
  }

  /** Replaces everything by records in any order, each key once. */
  build(records: Uint8Array): void {
    this.root = built(records, 0);
  }

  /** Of an empty tree: the hash of nothing. @param into 32 bytes */
  hash(into: Uint8Array): Uint8Array {
    hashNode(this.root, into);
    return into;
  }

  /** The place that lies below these hexadecimal digits; undefined where the tree does not branch so far, or has nothing. */
  place(prefix: string): Place | undefined {
    this.hash(new Uint8Array(DIGEST_BYTES));
    let node: Node | undefined = this.root;
    for (const digit of prefix) {
      if (!(node instanceof Branch)) return undefined;
      node = node.children[Number.parseInt(digit, 16)];
    }
    if (node === undefined) return undefined;
    const hash = hashNode(node, new Uint8Array(DIGEST_BYTES)).toHex();
    const entries = sizeOf(node);
    if (!(node instanceof Branch)) return { kind: "leaf", entries, hash };
    const { hashes, children } = node;
    return {
      kind: "branch",
      entries,
      hash,
      children: children.map((child, n) =>
        child === undefined ? "" : hashes.subarray(n * DIGEST_BYTES, (n + 1) * DIGEST_BYTES).toHex(),
      ),
    };
  }
}

function sizeOf(node: Node): number {
  return node instanceof Branch ? node.count : node.length / RECORD_BYTES;
}

/** Four bits of a position. */
function nibbleAt(records: Uint8Array, offset: number, depth: number): number {
  const byte = records[offset + (depth >> 1)]!;
  return (depth & 1) === 0 ? byte >> 4 : byte & 15;
}

/** Order of a record's position and that of the scratch record. */
function comparePosition(leaf: Leaf, offset: number): number {
  for (let at = 0; at < POSITION_BYTES; at++) {
    const difference = leaf[offset + at]! - scratch[at]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Offset of the first record that does not lie before the scratch record. */
function offsetIn(leaf: Leaf): number {
  let offset = 0;
  while (offset < leaf.length && comparePosition(leaf, offset) < 0) offset += RECORD_BYTES;
  return offset;
}

/** Puts the scratch record. @returns the node with it */
function put(node: Node, depth: number): Node {
  if (node instanceof Branch) {
    const n = nibbleAt(scratch, 0, depth);
    const child = node.children[n];
    const before = child === undefined ? 0 : sizeOf(child);
    const now = child === undefined ? scratch.slice() : put(child, depth + 1);
    node.children[n] = now;
    node.count += sizeOf(now) - before;
    node.stale |= 1 << n;
    return node;
  }
  const offset = offsetIn(node);
  if (offset < node.length && comparePosition(node, offset) === 0) {
    node.set(scratchDigest, offset + POSITION_BYTES);
    return node;
  }
  const grown = new Uint8Array(node.length + RECORD_BYTES);
  grown.set(node.subarray(0, offset));
  grown.set(scratch, offset);
  grown.set(node.subarray(offset), offset + RECORD_BYTES);
  return grown.length > LEAF_MAX * RECORD_BYTES ? built(grown, depth) : grown;
}

/** Removes the record with the scratch record's position. @returns what is left, undefined for nothing */
function removed(node: Node, depth: number): Node | undefined {
  if (node instanceof Branch) {
    const n = nibbleAt(scratch, 0, depth);
    const child = node.children[n];
    if (child === undefined) return node;
    const before = sizeOf(child);
    const now = removed(child, depth + 1);
    const difference = before - (now === undefined ? 0 : sizeOf(now));
    if (difference === 0) return node;
    node.children[n] = now;
    node.count -= difference;
    if (node.count <= LEAF_MAX) return joined(node);
    if (now === undefined) node.hashes.fill(0, n * DIGEST_BYTES, (n + 1) * DIGEST_BYTES);
    node.stale = now === undefined ? node.stale & ~(1 << n) : node.stale | (1 << n);
    return node;
  }
  const offset = offsetIn(node);
  if (offset === node.length || comparePosition(node, offset) !== 0) return node;
  if (node.length === RECORD_BYTES) return undefined;
  const left = new Uint8Array(node.length - RECORD_BYTES);
  left.set(node.subarray(0, offset));
  left.set(node.subarray(offset + RECORD_BYTES), offset);
  return left;
}

/** The leaves of a branch that has become small enough to be one. */
function joined({ children, count }: Branch): Leaf {
  const leaf = new Uint8Array(count * RECORD_BYTES);
  let offset = 0;
  for (const child of children) {
    if (child === undefined) continue;
    leaf.set(child as Leaf, offset);
    offset += (child as Leaf).length;
  }
  return leaf;
}

/** The node of records in any order that share the first `depth` digits of their positions. */
function built(records: Uint8Array, depth: number): Node {
  if (records.length <= LEAF_MAX * RECORD_BYTES || depth === 2 * POSITION_BYTES) return sorted(records);
  const ends = new Uint32Array(CHILDREN);
  for (let offset = 0; offset < records.length; offset += RECORD_BYTES)
    ends[nibbleAt(records, offset, depth)]! += RECORD_BYTES;
  const parts = Array.from(ends, (length) => new Uint8Array(length));
  ends.fill(0);
  for (let offset = 0; offset < records.length; offset += RECORD_BYTES) {
    const n = nibbleAt(records, offset, depth);
    parts[n]!.set(records.subarray(offset, offset + RECORD_BYTES), ends[n]!);
    ends[n]! += RECORD_BYTES;
  }
  const branch = new Branch();
  branch.count = records.length / RECORD_BYTES;
  for (const [n, part] of parts.entries()) {
    if (part.length === 0) continue;
    branch.children[n] = built(part, depth + 1);
    branch.stale |= 1 << n;
  }
  return branch;
}

function sorted(records: Uint8Array): Leaf {
  let leaf: Leaf = EMPTY;
  for (let offset = 0; offset < records.length; offset += RECORD_BYTES) {
    scratch.set(records.subarray(offset, offset + RECORD_BYTES));
    leaf = put(leaf, 0) as Leaf;
  }
  return leaf;
}

function hashNode(node: Node, into: Uint8Array): Uint8Array {
  if (!(node instanceof Branch)) return sha256Of(node, into);
  for (let n = 0; node.stale !== 0; n++) {
    if ((node.stale & (1 << n)) === 0) continue;
    hashNode(node.children[n]!, node.hashes.subarray(n * DIGEST_BYTES, (n + 1) * DIGEST_BYTES));
    node.stale &= ~(1 << n);
  }
  return sha256Of(node.hashes, into);
}
