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

/** An entry that has changed lately. */
interface Known {
  readonly key: string;
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
    const table = new Table<V>(name, (key, before) => this.recordUndo(table as Table<unknown>, key, before));
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
      this.touch(table, key, table.get(key));
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
      if (touched.some(({ isChanged }) => isChanged)) throw new Error("changes of the state were not taken");
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
    let known = 0;
    for (const table of [...this.touched].sort((a, b) => compare(a.name, b.name))) {
      for (const key of table.touched.map((entry) => entry.key).sort()) {
        const entry = table.known.get(key)!;
        const { text, isChanged, taken, digest } = entry;
        if (isChanged && !isSame(taken, digest)) changes.push({ table: table.name, key, value: text });
        entry.isTouched = false;
        entry.isChanged = false;
        entry.taken = undefined;
        entry.text = undefined;
        if (entry.counted === undefined) table.known.delete(key);
      }
      table.touched = [];
    }
    this.touched.clear();
    for (const table of this.tables.values()) known += table.known.size;
    if (known > KNOWN_MAX) this.forgetKnown();
    return changes;
  }

  /** Brings the digest up to date at any moment; costs what has been touched since the last `takeChanges`. */
  updateDigest(): void {
    for (const table of this.touched) {
      for (const entry of table.touched) {
        const current = table.get(entry.key);
        if (entry.counted !== current) this.count(table, entry, current);
      }
    }
  }

  /** Puts an entry's value into the digest, in the place of the one that it had. */
  private count(table: Table<unknown>, entry: Known, current: unknown): void {
    const { key, counted } = entry;
    const before =
      counted === undefined ? undefined : (entry.digest ?? digestOf(table.name, key, encodeValue(counted)));
    const text = current === undefined ? undefined : encodeValue(current);
    const digest = text === undefined ? undefined : digestOf(table.name, key, text);
    entry.counted = current;
    entry.digest = digest;
    if (isSame(before, digest)) return;
    if (before !== undefined) this.addToDigest(-1, before);
    if (digest !== undefined) this.addToDigest(1, digest);
    if (!entry.isChanged) entry.taken = before;
    entry.isChanged = true;
    entry.text = text;
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

  private recordUndo(table: Table<unknown>, key: string, before: unknown): void {
    this.journal.push({ table, key, before });
    this.touch(table, key, before);
  }

  private touch(table: Table<unknown>, key: string, before: unknown): void {
    let entry = table.known.get(key);
    if (entry === undefined) {
      entry = {
        key,
        counted: before,
        digest: undefined,
        isTouched: false,
        isChanged: false,
        taken: undefined,
        text: undefined,
      };
      table.known.set(key, entry);
    }
    if (entry.isTouched) return;
    entry.isTouched = true;
    if (table.touched.length === 0) this.touched.add(table);
    table.touched.push(entry);
  }

  private forgetKnown(): void {
    for (const table of this.tables.values()) {
      table.known.clear();
      table.touched = [];
    }
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
  private readonly map = new Map<string, V>();
  private sorted: string[] | undefined = [];
  private listener: ((key: string, before: V | undefined, now: V | undefined) => void) | undefined;
  /** @internal Entries that have changed lately, by key, and those of them that changed since the last `takeChanges`. */
  readonly known = new Map<string, Known>();
  /** @internal */
  touched: Known[] = [];

  constructor(
    readonly name: string,
    private readonly note: (key: string, before: V | undefined) => void,
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
    this.note(key, before);
    this.put(key, before, value);
  }

  delete(key: string): void {
    const before = this.map.get(key);
    if (before === undefined) return;
    this.note(key, before);
    this.put(key, before, undefined);
  }

  /** All keys in ascending order: a list of its own, so the table may change while it is walked. */
  keys(): readonly string[] {
    this.sorted ??= [...this.map.keys()].sort();
    return this.sorted;
  }

  values(): V[] {
    return this.keys().map((key) => this.map.get(key)!);
  }

  entries(): [string, V][] {
    return this.keys().map((key) => [key, this.map.get(key)!]);
  }

  /** For indexes that are derived from the table and not part of the state: told of every change, taken back or loaded. */
  onChange(listener: (key: string, before: V | undefined, now: V | undefined) => void): void {
    this.listener = listener;
  }

  /** @internal */
  restore(key: string, value: V | undefined): void {
    this.put(key, this.map.get(key), value);
  }

  /** @internal */
  clear(): void {
    for (const [key, value] of [...this.map]) this.put(key, value, undefined);
  }

  private put(key: string, before: V | undefined, value: V | undefined): void {
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
