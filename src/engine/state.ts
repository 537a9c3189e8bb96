/**
 * The chain's whole state: named tables of plain values. Every change goes through here, which gives four things at
 * once: a failed transaction is taken back, a snapshot is a mark in the journal and reverting to it costs what has
 * changed since, the changes of a block can be stored, and a digest of all entries is kept at the cost of the changes.
 *
 * Values are never changed in place: `set` puts a new one. Tables are walked in the order of their keys, so that a
 * state that was loaded behaves as the one that was saved.
 */
import { sha256Of } from "../crypto/sha.ts";
import { compare } from "../wire/arithmetic.ts";
import { DIGEST_BYTES, EntryLoad, EntryTree } from "./entry-tree.ts";

/** An entry as it is stored: `value` undefined where it was removed. */
export interface StateChange {
  readonly table: string;
  readonly key: string;
  readonly value: string | undefined;
}

/** An entry as it is stored. */
export interface StateEntry {
  readonly table: string;
  readonly key: string;
  readonly value: string;
}

/** A place in the journal to come back to. */
export type Mark = number;

interface Undo {
  readonly table: Table<unknown>;
  readonly key: string;
  readonly before: unknown;
}

/** Digest of a table: equal for equal entries. */
export interface TableDigest {
  readonly table: string;
  readonly entries: number;
  /** 64 hex, of the name and all entries. */
  readonly digest: string;
}

export class State {
  private readonly tables = new Map<string, Table<unknown>>();
  /** In the order of their names. */
  private sorted: readonly Table<unknown>[] = [];
  private readonly commitment = new Commitment();
  private journal: Undo[] = [];
  /** Number of undo entries that were dropped in front of `journal`. */
  private dropped = 0;
  /** Marks that must stay reachable, with how often each was asked for. */
  private readonly held = new Map<Mark, number>();

  /** Makes a table; a name is used once. */
  table<V>(name: string): Table<V> {
    if (this.tables.has(name)) throw new Error(`the state has two tables '${name}'`);
    const table = new Table<V>(name, (key, before) =>
      this.journal.push({ table: table as Table<unknown>, key, before }),
    );
    this.tables.set(name, table as Table<unknown>);
    this.sorted = [...this.sorted, table as Table<unknown>].sort((a, b) => compare(a.name, b.name));
    return table;
  }

  /** Makes a single value. */
  cell<V>(name: string, initial: V): Cell<V> {
    return new Cell(this.table<V>(name), initial);
  }

  /** Entries of all tables. */
  get size(): number {
    let size = 0;
    for (const { map } of this.sorted) size += map.size;
    return size;
  }

  /** Where the state stands now. */
  mark(): Mark {
    return this.dropped + this.journal.length;
  }

  /** Takes back everything that was done since `mark`. */
  rollback(mark: Mark): void {
    if (mark < this.dropped) throw new Error("the mark is older than the journal");
    while (this.dropped + this.journal.length > mark) {
      const { table, key, before } = this.journal.pop()!;
      table.restore(key, before);
    }
  }

  /** Keeps the way back to this place open, over any number of blocks, until it is released. */
  hold(): Mark {
    const mark = this.mark();
    this.held.set(mark, (this.held.get(mark) ?? 0) + 1);
    return mark;
  }

  /** As `hold`, at the end of a block whose changes were taken. */
  place(): Mark {
    for (const { touched, map } of this.sorted) {
      for (const [key, before] of touched)
        if (map.get(key) !== before) throw new Error("changes of the state were not taken");
    }
    return this.hold();
  }

  /** Reverts to a place as if nothing had come after it: `takeChanges` has none. */
  returnTo(place: Mark): void {
    this.rollback(place);
    this.takeChanges();
  }

  release(mark: Mark): void {
    const times = this.held.get(mark) ?? 0;
    if (times > 1) this.held.set(mark, times - 1);
    else this.held.delete(mark);
  }

  /** Drops the way back unless a place holds it: called when a block is done. */
  dropJournal(): void {
    if (this.held.size === 0) {
      this.dropped += this.journal.length;
      this.journal = [];
    }
  }

  /**
   * Changes since the last call, by table and key in order. An entry whose value was set again counts, also with the same text:
   * all who execute the same transactions have the same changes.
   */
  takeChanges(): StateChange[] {
    const changes: StateChange[] = [];
    for (const table of this.sorted) {
      const { touched } = table;
      if (touched.size === 0) continue;
      const { map, name } = table;
      for (const key of touched.size === 1 ? touched.keys() : [...touched.keys()].sort()) {
        const now = map.get(key);
        if (now === touched.get(key)) continue;
        const value = now === undefined ? undefined : encodeValue(now);
        changes.push({ table: name, key, value });
        this.commitment.add(table, key, value);
      }
      touched.clear();
    }
    return changes;
  }

  /** Digest of all entries as of the last `takeChanges`, independent of their history: 64 hex. Costs what has changed. */
  digest(): string {
    return this.commitment.digest(this.sorted);
  }

  /** The tables that hold something, by name: `digest` is the SHA-256 of their digests. */
  tableDigests(): TableDigest[] {
    return this.commitment.tableDigests(this.sorted);
  }

  /** Commitment to a table's entries; undefined for an unknown name. */
  tree(name: string): EntryTree | undefined {
    this.digest();
    return this.tables.get(name)?.tree;
  }

  /** An entry's text as it is stored; undefined where there is none. */
  find(table: string, key: string): string | undefined {
    const value = this.tables.get(table)?.get(key);
    return value === undefined ? undefined : encodeValue(value);
  }

  /** The keys of a table, in ascending order; none for an unknown name. */
  keysOf(table: string): readonly string[] {
    return this.tables.get(table)?.keys() ?? [];
  }

  /** Every entry, by table and key. */
  *entries(): Generator<StateEntry> {
    for (const table of this.sorted) {
      for (const key of table.keys()) yield { table: table.name, key, value: encodeValue(table.get(key)) };
    }
  }

  /** Replaces everything by stored entries; none counts as changed. @throws Error for an unknown table, or an entry twice */
  load(entries: Iterable<StateEntry>): void {
    for (const table of this.sorted) table.clear();
    this.journal = [];
    this.dropped = 0;
    this.held.clear();
    for (const { tree } of this.sorted) tree.clear();
    const decode = decoder();
    const loads = new Map<Table<unknown>, EntryLoad>();
    for (const { table: name, key, value } of entries) {
      const table = this.tables.get(name);
      if (table === undefined) throw new Error(`the stored state has an unknown table '${name}'`);
      table.load(key, decode(value));
      loadOf(loads, table, table.tree).add(key, value);
    }
    for (const load of loads.values()) load.finish();
    this.commitment.reset();
  }
}

/** The changes that are not part of their table's tree yet, and the digest of the tables. */
class Commitment {
  private readonly pending = new Map<Table<unknown>, Map<string, string | undefined>>();
  private count = 0;
  /** The tables that hold something, with their digests one behind the other. */
  private filled: readonly Table<unknown>[] = [];
  private digests = new Uint8Array(0);
  private isComplete = true;

  add(table: Table<unknown>, key: string, value: string | undefined): void {
    let changes = this.pending.get(table);
    if (changes === undefined) {
      changes = new Map();
      this.pending.set(table, changes);
    }
    changes.set(key, value);
    if (++this.count >= PENDING_MAX) this.apply();
  }

  /** All trees were replaced. */
  reset(): void {
    this.pending.clear();
    this.count = 0;
    this.isComplete = false;
  }

  digest(tables: readonly Table<unknown>[]): string {
    this.settle(tables);
    return sha256Of(this.digests, new Uint8Array(DIGEST_BYTES)).toHex();
  }

  tableDigests(tables: readonly Table<unknown>[]): TableDigest[] {
    this.settle(tables);
    return this.filled.map(({ name, tree }, n) => ({
      table: name,
      entries: tree.size,
      digest: this.digestAt(n).toHex(),
    }));
  }

  private digestAt(n: number): Uint8Array {
    return this.digests.subarray(n * DIGEST_BYTES, (n + 1) * DIGEST_BYTES);
  }

  private settle(tables: readonly Table<unknown>[]): void {
    this.apply();
    if (!this.isComplete) {
      this.filled = tables.filter(({ tree }) => tree.size > 0);
      this.digests = new Uint8Array(this.filled.length * DIGEST_BYTES);
      for (const table of this.filled) table.isDigestStale = true;
      this.isComplete = true;
    }
    for (const [n, table] of this.filled.entries()) {
      if (!table.isDigestStale) continue;
      table.isDigestStale = false;
      digestTable(table.name, table.tree, this.digestAt(n));
    }
  }

  private apply(): void {
    if (this.count === 0) return;
    for (const [table, changes] of this.pending) {
      const { tree } = table;
      const { size } = tree;
      for (const [key, value] of changes) {
        if (value === undefined) tree.delete(key);
        else tree.set(key, value);
      }
      table.isDigestStale = true;
      if ((size === 0) !== (tree.size === 0)) this.isComplete = false;
    }
    this.pending.clear();
    this.count = 0;
  }
}

function digestTable(name: string, tree: EntryTree, into: Uint8Array): void {
  sha256Of(`${name}\n${tree.size}\n${tree.hash(ROOT).toHex()}`, into);
}

/** The digest of a state that has these entries, whatever their tables, without loading it. */
export function digestOfEntries(entries: Iterable<StateEntry>): string {
  const loads = new Map<string, EntryLoad>();
  for (const { table, key, value } of entries) loadOf(loads, table).add(key, value);
  const digests = new Uint8Array(loads.size * DIGEST_BYTES);
  for (const [n, name] of [...loads.keys()].sort().entries())
    digestTable(name, loads.get(name)!.finish(), digests.subarray(n * DIGEST_BYTES, (n + 1) * DIGEST_BYTES));
  return sha256Of(digests, new Uint8Array(DIGEST_BYTES)).toHex();
}

function loadOf<T>(loads: Map<T, EntryLoad>, table: T, tree?: EntryTree): EntryLoad {
  let load = loads.get(table);
  if (load === undefined) loads.set(table, (load = new EntryLoad(tree ?? new EntryTree())));
  return load;
}

/** Pending changes at the most: more go into the trees at once. */
const PENDING_MAX = 10_000;
const ROOT = new Uint8Array(DIGEST_BYTES);
/** Values by key. */
export class Table<V> {
  /** @internal */
  readonly map = new Map<string, V>();
  /** @internal Entries that were touched since the last `takeChanges`, with their values at that time. */
  readonly touched = new Map<string, V | undefined>();
  /** @internal Commitment to the entries, except for changes that are pending. */
  readonly tree = new EntryTree();
  /** @internal */
  isDigestStale = false;
  private sorted: string[] | undefined = [];
  private listener: ((key: string, before: V | undefined, now: V | undefined) => void) | undefined;

  constructor(
    readonly name: string,
    private readonly recordUndo: (key: string, before: V | undefined) => void,
  ) {}

  get size(): number {
    return this.map.size;
  }

  get(key: string): V | undefined {
    return this.map.get(key);
  }

  has(key: string): boolean {
    return this.map.has(key);
  }

  /** Puts a value; it must not change any more. */
  set(key: string, value: V): void {
    const before = this.map.get(key);
    this.recordUndo(key, before);
    this.put(key, before, value);
  }

  delete(key: string): void {
    const before = this.map.get(key);
    if (before === undefined) return;
    this.recordUndo(key, before);
    this.put(key, before, undefined);
  }

  /** All keys in ascending order: a copy, so the table may change during a walk. */
  keys(): readonly string[] {
    this.sorted ??= [...this.map.keys()].sort();
    return this.sorted;
  }

  /** In ascending order, without sorting the others. */
  keysWithPrefix(prefix: string): string[] {
    return [...this.map.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  values(): V[] {
    return this.keys().map((key) => this.map.get(key)!);
  }

  entries(): [string, V][] {
    return this.keys().map((key) => [key, this.map.get(key)!]);
  }

  /** For indexes that are derived from the table and not part of the state: called for every change, reverted and loaded ones too. */
  onChange(listener: (key: string, before: V | undefined, now: V | undefined) => void): void {
    this.listener = listener;
  }

  /** @internal */
  restore(key: string, value: V | undefined): void {
    this.put(key, this.map.get(key), value);
  }

  /** @internal A stored entry, after `clear`: it does not count as touched. @throws Error for one that the table has already */
  load(key: string, value: V): void {
    const { size } = this.map;
    this.map.set(key, value);
    if (this.map.size === size)
      throw new Error(`the stored state has an entry of table '${this.name}' twice`);
    this.listener?.(key, undefined, value);
  }

  /** @internal */
  clear(): void {
    for (const [key, value] of [...this.map]) this.put(key, value, undefined);
    this.touched.clear();
    this.sorted = undefined;
  }

  private put(key: string, before: V | undefined, value: V | undefined): void {
    if (!this.touched.has(key)) this.touched.set(key, before);
    if (value === undefined) {
      this.map.delete(key);
      this.sorted = undefined;
    } else {
      this.map.set(key, value);
      if (before === undefined) this.sorted = undefined;
    }
    this.listener?.(key, before, value);
  }
}

/** A single value. */
export class Cell<V> {
  constructor(
    private readonly table: Table<V>,
    private readonly initial: V,
  ) {}

  get(): V {
    return this.table.get("") ?? this.initial;
  }

  /** A value that is undefined has no entry: it is the initial one of such a cell. */
  set(value: V): void {
    if (value === undefined) this.table.delete("");
    else this.table.set("", value);
  }
}

// The canonical text of a value in state: the same value has the same text on every machine. Members stand by name, and one that
// is undefined is left out: a value that was loaded, and then changed, has the text of one that was changed all along.

/** Bigints are marked by this character in front, as is a string that begins with it. */
const MARK = "\u0001";

export function encodeValue(value: unknown): string {
  return JSON.stringify(markedValue(value));
}

/** A copy that JSON can hold, with marked bigints. `JSON.stringify` with a replacer takes twice the time. */
function markedValue(value: unknown): unknown {
  switch (typeof value) {
    case "bigint":
      return `${MARK}${value}`;
    case "string":
      return value.startsWith(MARK) ? `${MARK}${value}` : value;
    case "number":
    case "boolean":
      return value;
    case "object": {
      if (value === null) return null;
      if (Array.isArray(value)) return value.map(markedValue);
      // Without a prototype: every name is a plain member.
      const copy = Object.create(null) as Record<string, unknown>;
      for (const name of sortedNames(value)) {
        const member = (value as Record<string, unknown>)[name];
        if (member !== undefined) copy[name] = markedValue(member);
      }
      return copy;
    }
    default:
      throw new TypeError(`state cannot hold a ${typeof value}`);
  }
}

/** A value that was loaded has its members by name already. */
function sortedNames(value: object): readonly string[] {
  const names = Object.keys(value);
  for (let n = 1; n < names.length; n++) if (names[n - 1]! > names[n]!) return names.sort();
  return names;
}

export function decodeValue<V>(text: string): V {
  return decoder()(text) as V;
}

/** Texts that values share, as those of assets and markets, are one in memory as long as there are not more. */
const SHARED_MAX = 256;
/** Shorter ones are not worth it. */
const SHARED_LENGTH_MIN = 16;
/** Reads one text after the other; those with marks are gone through. `JSON.parse` with a reviver takes three times the time. */
function decoder(): <V>(text: string) => V {
  const shared = new Map<string, string>();
  const share = (text: string): string => {
    if (text.length < SHARED_LENGTH_MIN) return text;
    const before = shared.get(text);
    if (before !== undefined) return before;
    if (shared.size >= SHARED_MAX) shared.clear();
    shared.set(text, text);
    return text;
  };
  const unmarked = (value: unknown): unknown => {
    if (typeof value === "string") {
      if (!value.startsWith(MARK)) return share(value);
      return value.charAt(1) === MARK ? value.slice(1) : BigInt(value.slice(1));
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      for (const [n, member] of value.entries()) value[n] = unmarked(member);
      return value;
    }
    const members = value as Record<string, unknown>;
    for (const name in members) members[name] = unmarked(members[name]);
    return members;
  };
  return <V>(text: string) => unmarked(JSON.parse(text)) as V;
}
