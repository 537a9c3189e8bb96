// Proof-of-work parameters, and the sets of them that a transaction can fall under
// (docs/protocol/40-pow-spam.md#22-parameter-sets). Facts that change with every transaction are kept in maps, and put
// into the tables of the state at the end of the block, a list for each height: an entry for each transaction would
// cost several times as much. A state that is taken back or loaded comes back through the tables.
import type { Cell, Table } from "../../../engine/state.ts";
import { compare } from "../../../wire/arithmetic.ts";

// Counts of each party's transactions on each height, with the difficulty that they showed.

export interface PartyCounter {
  /** Sum of the zero bits found. */
  readonly observed: bigint;
  /** Transactions accepted. */
  readonly seen: bigint;
}

/** Counters of a height under a parameter set, by party. */
export type CounterList = readonly (readonly [party: string, observed: bigint, seen: bigint])[];

type PartyCounters = Map<string, PartyCounter>;

export class Counters {
  private readonly sets = new Map<bigint, Map<bigint, PartyCounters>>();
  /** Keys of the table whose counters changed in this block. */
  private readonly changed = new Set<string>();
  private isStoring = false;

  /** @param table keys are the first height of the parameter set and the height */
  constructor(private readonly table: Table<CounterList>) {
    table.onChange((key, _before, list) => {
      if (!this.isStoring) this.read(key, list);
    });
  }

  has(set: ParameterSet, height: bigint): boolean {
    return this.sets.get(set.from)?.has(height) === true;
  }

  of(set: ParameterSet, height: bigint, party: string): PartyCounter | undefined {
    return this.sets.get(set.from)?.get(height)?.get(party);
  }

  /** The party's counters of a set, by ascending height. */
  ofParty(set: ParameterSet, party: string): { height: bigint; counter: PartyCounter }[] {
    return sortedHeights(this.sets.get(set.from) ?? new Map<bigint, PartyCounters>()).flatMap(
      ([height, parties]) => {
        const counter = parties.get(party);
        return counter ? [{ height, counter }] : [];
      },
    );
  }

  put(set: ParameterSet, height: bigint, party: string, counter: PartyCounter): void {
    const { from } = set;
    let heights = this.sets.get(from);
    if (heights === undefined) this.sets.set(from, (heights = new Map()));
    let parties = heights.get(height);
    if (parties === undefined) heights.set(height, (parties = new Map()));
    parties.set(party, counter);
    this.changed.add(keyOf(from, height));
  }

  evict({ from }: ParameterSet, height: bigint): void {
    const heights = this.sets.get(from);
    if (heights?.delete(height)) this.changed.add(keyOf(from, height));
    if (heights?.size === 0) this.sets.delete(from);
  }

  /** A parameter set is gone, with all its heights. */
  drop(set: ParameterSet): void {
    for (const height of [...(this.sets.get(set.from)?.keys() ?? [])]) this.evict(set, height);
  }

  /** At the end of a block. */
  store(): void {
    this.isStoring = true;
    for (const key of this.changed) {
      const parties = this.partiesAt(key);
      if (parties === undefined) this.table.delete(key);
      else {
        const list = [...parties].map(([party, { observed, seen }]) => [party, observed, seen] as const);
        this.table.set(
          key,
          list.sort(([a], [b]) => compare(a, b)),
        );
      }
    }
    this.isStoring = false;
    this.changed.clear();
  }

  /** Drops what the table does not have. */
  reset(): void {
    for (const key of this.changed) this.read(key, this.table.get(key));
    this.changed.clear();
  }

  private partiesAt(key: string): PartyCounters | undefined {
    const [from, height] = heightsOf(key);
    return this.sets.get(from)?.get(height);
  }

  private read(key: string, list: CounterList | undefined): void {
    const [from, height] = heightsOf(key);
    const heights = this.sets.get(from) ?? new Map<bigint, PartyCounters>();
    if (list === undefined) heights.delete(height);
    else heights.set(height, new Map(list.map(([party, observed, seen]) => [party, { observed, seen }])));
    if (heights.size === 0) this.sets.delete(from);
    else this.sets.set(from, heights);
  }
}

function keyOf(a: bigint, b: bigint): string {
  return `${a} ${b}`;
}

function heightsOf(key: string): [bigint, bigint] {
  const space = key.indexOf(" ");
  return [BigInt(key.slice(0, space)), BigInt(key.slice(space + 1))];
}

/** Values of the `spam.pow.*` network parameters (docs/protocol/40-pow-spam.md#21-proof-of-work). */
export interface PowParameters {
  /** Size of the window of usable block hashes. */
  readonly pastBlocks: bigint;
  /** Leading zero bits of a proof, 0 to 256. */
  readonly difficulty: number;
  readonly hashFunction: string;
  /** Transactions of a party for each block hash at that difficulty. */
  readonly txPerBlock: bigint;
  /** Whether more are allowed at growing difficulty. */
  readonly increasingDifficulty: boolean;
}

/** Before a value was set; the quota is the least allowed one, so that nothing is divided by zero. */
const EMPTY: PowParameters = {
  pastBlocks: 0n,
  difficulty: 0,
  hashFunction: "",
  txPerBlock: 1n,
  increasingDifficulty: false,
};

/** Parameters with the heights they hold for. */
export interface ParameterSet {
  readonly parameters: PowParameters;
  /** First height. */
  readonly from: bigint;
  /** Last height; open for the newest set. */
  readonly until: bigint | undefined;
}

export function holds({ from, until }: ParameterSet, height: bigint): boolean {
  return height >= from && (until === undefined || height <= until);
}

export class ParameterSets {
  constructor(private readonly sets: Cell<readonly ParameterSet[]>) {}

  get all(): readonly ParameterSet[] {
    return this.sets.get();
  }

  /**
   * Takes new values while block `height` is being processed: they hold for proofs built on the heights after it.
   * Several changes of one block merge. The very first set holds from the current height on.
   */
  change(height: bigint, values: Partial<PowParameters>): void {
    const { all } = this;
    const newest = all.at(-1);
    if (!newest) {
      this.sets.set([{ parameters: parametersOf(EMPTY, values), from: height, until: undefined }]);
      return;
    }
    const parameters = parametersOf(newest.parameters, values);
    const isOnlyOfNow = all.length === 1 && newest.from === height;
    const before = all.slice(0, -1);
    if (isOnlyOfNow || newest.from === height + 1n) this.sets.set([...before, { ...newest, parameters }]);
    else {
      const closed = { ...newest, until: height };
      this.sets.set([...before, closed, { parameters, from: height + 1n, until: undefined }]);
    }
  }

  /** The set that judges a proof built on this height; undefined when none is kept any more. */
  of(height: bigint): ParameterSet | undefined {
    return this.all.find((set) => holds(set, height));
  }

  /** The set in force at this height: the newest, unless it only begins after it. */
  inForce(height: bigint): ParameterSet | undefined {
    const newest = this.all.at(-1);
    return newest && newest.from > height ? (this.all.at(-2) ?? newest) : newest;
  }

  /** Drops closed sets that no usable height falls under any more, at the end of block `height`. @returns them */
  dropExpired(height: bigint): readonly ParameterSet[] {
    const isExpired = ({ until, parameters }: ParameterSet) =>
      until !== undefined && until + parameters.pastBlocks <= height;
    const expired = this.all.filter(isExpired);
    if (expired.length > 0) this.sets.set(this.all.filter((set) => !isExpired(set)));
    return expired;
  }
}

/** In one order of members, so that equal parameters have one text in the state. */
function parametersOf(before: PowParameters, values: Partial<PowParameters>): PowParameters {
  const { pastBlocks, difficulty, hashFunction, txPerBlock, increasingDifficulty } = { ...before, ...values };
  return { pastBlocks, difficulty, hashFunction, txPerBlock, increasingDifficulty };
}

// The engine's records by height: the hashes of past blocks, and what has been seen under each.

/** Slots for past blocks: the window cannot be larger (docs/protocol/40-pow-spam.md#21-proof-of-work and #31-state). */
const PAST_BLOCKS_MAX = 500n;

/** The entries of a map by height, lowest first. */
function sortedHeights<V>(map: ReadonlyMap<bigint, V>): [bigint, V][] {
  return [...map].sort(([a], [b]) => compare(a, b));
}

export interface PastBlock {
  readonly height: bigint;
  /** Lower-case hex. */
  readonly hash: string;
}

/** The hashes of the last 500 heights, in slots that are written over. */
export class BlockHashes {
  /** @param slots by height modulo their number */
  constructor(private readonly slots: Table<PastBlock>) {}

  put(height: bigint, hash: string): void {
    this.slots.set(slotOf(height), { height, hash });
  }

  of(height: bigint): string | undefined {
    const slot = this.slots.get(slotOf(height));
    return slot?.height === height ? slot.hash : undefined;
  }

  /** Oldest first. */
  all(): PastBlock[] {
    return this.slots.values().sort((a, b) => (a.height < b.height ? -1 : 1));
  }
}

function slotOf(height: bigint): string {
  return String(height % PAST_BLOCKS_MAX);
}

/** Texts that may not come again, forgotten by the height they were recorded under. */
export class Seen {
  private readonly texts = new Set<string>();
  /** Keys of the table by the height in front. */
  private readonly keys = new Map<bigint, Set<string>>();
  /** Those of this block. */
  private readonly current = new Map<bigint, string[]>();

  /** @param table the texts of a block under a height, sorted; keys are the height and the block's */
  constructor(private readonly table: Table<readonly string[]>) {
    table.onChange((key, before, now) => {
      const [height] = heightsOf(key);
      const keys = this.keys.get(height) ?? new Set<string>();
      for (const text of before ?? []) this.texts.delete(text);
      for (const text of now ?? []) this.texts.add(text);
      if (now === undefined) keys.delete(key);
      else keys.add(key);
      if (keys.size === 0) this.keys.delete(height);
      else this.keys.set(height, keys);
    });
  }

  has(text: string): boolean {
    return this.texts.has(text);
  }

  hasHeight(height: bigint): boolean {
    return this.keys.has(height) || this.current.has(height);
  }

  add(height: bigint, text: string): void {
    this.texts.add(text);
    const texts = this.current.get(height);
    if (texts) texts.push(text);
    else this.current.set(height, [text]);
  }

  evict(height: bigint): void {
    for (const key of [...(this.keys.get(height) ?? [])]) this.table.delete(key);
    for (const text of this.current.get(height) ?? []) this.texts.delete(text);
    this.current.delete(height);
  }

  /** At the end of block `block`. */
  store(block: bigint): void {
    for (const [height, texts] of this.current) this.table.set(keyOf(height, block), texts.sort());
    this.current.clear();
  }

  /** Drops what the table does not have. */
  reset(): void {
    for (const texts of this.current.values()) for (const text of texts) this.texts.delete(text);
    this.current.clear();
  }
}
