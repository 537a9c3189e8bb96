/**
 * The engine's whole state: named tables of plain values. Every change goes through here, which gives four things at
 * once: a failed transaction is taken back, a snapshot is a mark in the journal and reverting to it costs what has
 * changed since, the changes of a block can be stored, and a digest of the whole is kept up with them.
 *
 * Values are never changed in place: `set` puts a new one. Tables are walked in the order of their keys, so that a
 * state that was loaded behaves as the one that was saved.
 */
import { sha256TextInto } from "../crypto/sha.ts";

/** An entry as it is stored: `value` undefined where it was removed. */
export interface StateChange {
  readonly table: string;
  readonly key: string;
  readonly value: string | undefined;
}

/** A place in the journal to come back to. */
type Mark = number;

/** A mark between two blocks, with the digest there. */
export interface Place {
  readonly mark: Mark;
  readonly sum: Uint32Array;
}

interface Undo {
  readonly table: Table<unknown>;
  readonly key: string;
  readonly before: unknown;
}

/** An entry's part of the digest: its SHA-256; undefined for an entry that is not there. */
type EntryDigest = Uint8Array | undefined;

/** A key of a table with its value. */
interface Entry<V> {
  readonly key: string;
  /** Undefined where it was removed: it stays in the table until its removal was taken. */
  value: V | undefined;
  /** Where it has changed lately. */
  known: Known | undefined;
}

/** An entry that has changed lately, as the digest knows it. */
interface Known {
  /** Its value as the digest of the state counts it, and its own digest, where that was worked out. */
  counted: unknown;
  digest: EntryDigest;
  /** It is among its table's touched ones. */
  isTouched: boolean;
  /** Where the digest has seen it change since the last `takeChanges`: its own digest then, and its text now. */
  isChanged: boolean;
  taken: EntryDigest;
  text: string | undefined;
}

/** The digest is eight sums of 32 bits: of each entry's SHA-256, word by word. */
const DIGEST_WORDS = 8;
/** Entries whose digests are remembered: those that change do so again and again. Some 200 bytes each. */
const KNOWN_MAX = 50_000;

export class State {
  private readonly tables = new Map<string, Table<unknown>>();
  private journal: Undo[] = [];
  /** Number of undo entries that were dropped in front of `journal`. */
  private dropped = 0;
  /** Marks that must stay reachable, with how often each was asked for. */
  private readonly held = new Map<Mark, number>();
  /** Tables with entries that were touched since the last `takeChanges`. */
  private readonly touched = new Set<Table<unknown>>();
  private readonly sum = new Uint32Array(DIGEST_WORDS);

  /** Makes a table; a name is used once. */
  table<V>(name: string): Table<V> {
    if (this.tables.has(name)) throw new Error(`the state has two tables '${name}'`);
    const table = new Table<V>(name, (entry) =>
      this.recordUndo(table as Table<unknown>, entry as Entry<unknown>),
    );
    this.tables.set(name, table as Table<unknown>);
    return table;
  }

  /** Makes a single value. */
  cell<V>(name: string, initial: V): Cell<V> {
    return new Cell(this.table<V>(name), initial);
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
      // A change that is taken back may have been stored already: taking it back is a change too.
      this.touch(table, table.entry(key));
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
  place(): Place {
    this.updateDigest();
    for (const { touched } of this.touched) {
      if (touched.some(({ known }) => known!.isChanged))
        throw new Error("changes of the state were not taken");
    }
    return { mark: this.hold(), sum: this.sum.slice() };
  }

  /** Back to a place as if nothing had come after it: the digest is not worked out again, and no change is left to take. */
  returnTo({ mark, sum }: Place): void {
    if (mark < this.dropped) throw new Error("the place is older than the journal");
    while (this.mark() > mark) {
      const { table, key, before } = this.journal.pop()!;
      table.restore(key, before);
    }
    this.sum.set(sum);
    this.forgetKnown();
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

  /** Changes since the last call, by table and key in order; the digest goes with it. */
  takeChanges(): StateChange[] {
    this.updateDigest();
    const changes: StateChange[] = [];
    for (const table of [...this.touched].sort((a, b) => compare(a.name, b.name))) {
      // Keys are sorted as texts: a comparison of entries by a function of ours is slow.
      for (const key of table.touched.map((entry) => entry.key).sort()) {
        const { text, isChanged, taken, digest } = table.entry(key).known!;
        if (isChanged && !isSame(taken, digest)) changes.push({ table: table.name, key, value: text });
      }
      table.endTouched();
    }
    this.touched.clear();
    if (this.knownCount > KNOWN_MAX) {
      for (const table of this.tables.values()) table.dropGone();
      if (this.knownCount > KNOWN_MAX) this.forgetKnown();
    }
    return changes;
  }

  /** Brings the digest up to date at any moment; costs what has been touched since the last `takeChanges`. */
  updateDigest(): void {
    for (const table of this.touched) {
      for (const { key, value, known } of table.touched) {
        if (known!.counted !== value) this.count(table.name, key, known!, value);
      }
    }
  }

  /** Puts an entry's value into the digest, in the place of the one that it had. */
  private count(table: string, key: string, known: Known, current: unknown): void {
    const { counted } = known;
    const before =
      counted === undefined ? undefined : (known.digest ?? digestOf(table, key, encodeValue(counted)));
    const text = current === undefined ? undefined : encodeValue(current);
    const digest = text === undefined ? undefined : digestOf(table, key, text);
    known.counted = current;
    known.digest = digest;
    if (isSame(before, digest)) return;
    if (before !== undefined) this.addToDigest(-1, before);
    if (digest !== undefined) this.addToDigest(1, digest);
    if (!known.isChanged) known.taken = before;
    known.isChanged = true;
    known.text = text;
  }

  /** Digest of all entries, whatever way led to them: 64 hex. As of the last `updateDigest` or `takeChanges`. */
  get digest(): string {
    return [...this.sum].map((word) => word.toString(16).padStart(8, "0")).join("");
  }

  /** Every entry, by table and key. */
  *entries(): Generator<{ table: string; key: string; value: string }> {
    for (const name of [...this.tables.keys()].sort()) {
      const table = this.tables.get(name)!;
      for (const key of table.keys()) yield { table: name, key, value: encodeValue(table.get(key)) };
    }
  }

  /** Replaces everything by what was stored; nothing counts as changed after it. @throws Error for an unknown table */
  load(entries: Iterable<{ table: string; key: string; value: string }>): void {
    for (const table of this.tables.values()) table.clear();
    this.journal = [];
    this.dropped = 0;
    this.held.clear();
    this.sum.fill(0);
    for (const { table: name, key, value } of entries) {
      const table = this.tables.get(name);
      if (table === undefined) throw new Error(`the stored state has an unknown table '${name}'`);
      table.restore(key, decodeValue(value));
      this.addToDigest(1, digestOf(name, key, value));
    }
    this.forgetKnown();
  }

  /** Puts an entry into the digest, or takes it out. Sums wrap around at 32 bits by themselves. */
  private addToDigest(sign: 1 | -1, digest: Uint8Array): void {
    const { sum } = this;
    for (let word = 0; word < DIGEST_WORDS; word++) {
      const at = word * 4;
      const value = (digest[at]! << 24) | (digest[at + 1]! << 16) | (digest[at + 2]! << 8) | digest[at + 3]!;
      sum[word]! += sign * value;
    }
  }

  private recordUndo(table: Table<unknown>, entry: Entry<unknown>): void {
    this.journal.push({ table, key: entry.key, before: entry.value });
    this.touch(table, entry);
  }

  /** The entry is about to change. */
  private touch(table: Table<unknown>, entry: Entry<unknown>): void {
    if (entry.known?.isTouched) return;
    if (table.touched.length === 0) this.touched.add(table);
    table.touch(entry);
  }

  private get knownCount(): number {
    let count = 0;
    for (const table of this.tables.values()) count += table.knownCount;
    return count;
  }

  private forgetKnown(): void {
    for (const table of this.tables.values()) table.forgetKnown();
    this.touched.clear();
  }
}

function digestOf(table: string, key: string, text: string): Uint8Array {
  const digest = new Uint8Array(DIGEST_WORDS * 4);
  sha256TextInto(`${table}\u0000${key}\u0000${text}`, digest);
  return digest;
}

function isSame(a: EntryDigest, b: EntryDigest): boolean {
  if (a === undefined || b === undefined) return a === b;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/** Values by key. */
export class Table<V> {
  /** Removed ones are among them until their removal was taken. */
  private readonly map = new Map<string, Entry<V>>();
  private count = 0;
  private sorted: string[] | undefined = [];
  private listener: ((key: string, before: V | undefined, now: V | undefined) => void) | undefined;
  /** Entries that have changed lately, and those that are gone since. */
  private known: Entry<V>[] = [];
  /** @internal Entries that changed since the last `takeChanges`. */
  touched: Entry<V>[] = [];

  constructor(
    readonly name: string,
    private readonly note: (entry: Entry<V>) => void,
  ) {}

  get size(): number {
    return this.count;
  }

  get(key: string): V | undefined {
    return this.map.get(key)?.value;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** Puts a value; it must not change any more. */
  set(key: string, value: V): void {
    const entry = this.entry(key);
    this.note(entry);
    this.put(entry, value);
  }

  delete(key: string): void {
    const entry = this.map.get(key);
    if (entry?.value === undefined) return;
    this.note(entry);
    this.put(entry, undefined);
  }

  /** All keys in ascending order: a list of its own, so the table may change while it is walked. */
  keys(): readonly string[] {
    if (this.sorted === undefined) {
      const sorted: string[] = [];
      for (const { key, value } of this.map.values()) if (value !== undefined) sorted.push(key);
      this.sorted = sorted.sort();
    }
    return this.sorted;
  }

  values(): V[] {
    return this.keys().map((key) => this.get(key)!);
  }

  entries(): [string, V][] {
    return this.keys().map((key) => [key, this.get(key)!]);
  }

  /** For indexes that are derived from the table and not part of the state: told of every change, taken back or loaded. */
  onChange(listener: (key: string, before: V | undefined, now: V | undefined) => void): void {
    this.listener = listener;
  }

  /** @internal The entry of a key, made if need be. */
  entry(key: string): Entry<V> {
    let entry = this.map.get(key);
    if (entry === undefined) {
      entry = { key, value: undefined, known: undefined };
      this.map.set(key, entry);
    }
    return entry;
  }

  /** @internal */
  restore(key: string, value: V | undefined): void {
    const entry = this.entry(key);
    this.put(entry, value);
    this.removeUnused(entry);
  }

  /** @internal */
  clear(): void {
    for (const entry of this.map.values()) if (entry.value !== undefined) this.put(entry, undefined);
    this.map.clear();
    this.known = [];
    this.touched = [];
  }

  /** @internal The digest and `takeChanges` must look at this entry, which has its value still. */
  touch(entry: Entry<V>): void {
    if (entry.known === undefined) {
      entry.known = {
        counted: entry.value,
        digest: undefined,
        isTouched: true,
        isChanged: false,
        taken: undefined,
        text: undefined,
      };
      this.known.push(entry);
    }
    entry.known.isTouched = true;
    this.touched.push(entry);
  }

  /** @internal Changes were taken. */
  endTouched(): void {
    for (const entry of this.touched) {
      const known = entry.known!;
      known.isTouched = false;
      known.isChanged = false;
      known.taken = undefined;
      known.text = undefined;
      if (entry.value === undefined) entry.known = undefined;
      this.removeUnused(entry);
    }
    this.touched = [];
  }

  /** @internal How many entries have changed lately, those counted that are gone. */
  get knownCount(): number {
    return this.known.length;
  }

  /** @internal */
  dropGone(): void {
    this.known = this.known.filter(({ known }) => known !== undefined);
  }

  /** @internal */
  forgetKnown(): void {
    this.dropGone();
    for (const entry of this.known) {
      entry.known = undefined;
      this.removeUnused(entry);
    }
    this.known = [];
    this.touched = [];
  }

  private removeUnused(entry: Entry<V>): void {
    if (entry.value === undefined && entry.known === undefined) this.map.delete(entry.key);
  }

  private put(entry: Entry<V>, value: V | undefined): void {
    const before = entry.value;
    entry.value = value;
    if ((before === undefined) !== (value === undefined)) {
      this.count += value === undefined ? -1 : 1;
      this.sorted = undefined;
    }
    this.listener?.(entry.key, before, value);
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

  set(value: V): void {
    this.table.set("", value);
  }
}

/** By UTF-16 units: the same everywhere, whatever the locale. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// The canonical text of a value in state: the same value has the same text on every machine. Objects keep the order
// in which their members were written down, so a table's values must be made in one place, in one order.

/** Bigints are marked by this character in front, as is a string that begins with it. */
const MARK = "\u0001";

/** Text that stands in JSON as it is. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const ESCAPED_MARK = "\\u0001";

/** JSON, with a mark in front of bigints. By hand: `JSON.stringify` with a function for each member is slow. */
export function encodeValue(value: unknown): string {
  switch (typeof value) {
    case "bigint":
      return `"${ESCAPED_MARK}${value}"`;
    case "string":
      if (PLAIN.test(value)) return `"${value}"`;
      return JSON.stringify(value.startsWith(MARK) ? `${MARK}${value}` : value);
    case "number":
    case "boolean":
      return String(value);
    case "object": {
      if (Array.isArray(value)) return `[${value.map(encodeValue).join(",")}]`;
      let text = "";
      for (const name in value as object) {
        const member = (value as Record<string, unknown>)[name];
        if (member === undefined) continue;
        text += `${text === "" ? "" : ","}${encodeName(name)}${encodeValue(member)}`;
      }
      return `{${text}}`;
    }
    default:
      throw new TypeError(`state cannot hold a ${typeof value}`);
  }
}

/** Names of members as they are written: a handful of them, which come with every value. */
const names = new Map<string, string>();
const NAMES_MAX = 1_000;

/** A member's name: never marked. */
function encodeName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const text = `${PLAIN.test(name) ? `"${name}"` : JSON.stringify(name)}:`;
  if (names.size < NAMES_MAX) names.set(name, text);
  return text;
}

export function decodeValue<V>(text: string): V {
  return JSON.parse(text, (_name, member: unknown) => {
    if (typeof member !== "string" || !member.startsWith(MARK)) return member;
    return member.charAt(1) === MARK ? member.slice(1) : BigInt(member.slice(1));
  }) as V;
}
