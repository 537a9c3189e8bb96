// Proof-of-work parameters, and the sets of them that a transaction can fall under
// (docs/protocol/40-pow-spam.md#22-parameter-sets).
import { compare } from "../../../wire/arithmetic.ts";
import { sortedEntries } from "../rules.ts";

// Counts of each party's transactions on each height, with the difficulty that they showed.

export interface PartyCounter {
  /** Sum of the zero bits found. */
  observed: bigint;
  /** Transactions accepted. */
  seen: bigint;
}

type CounterState = readonly [party: string, observed: string, seen: string];
type HeightCountersState = readonly (readonly [height: string, counters: readonly CounterState[]])[];

class HeightCounters {
  private readonly heights = new Map<bigint, Map<string, PartyCounter>>();

  has(height: bigint): boolean {
    return this.heights.has(height);
  }

  of(height: bigint, party: string): PartyCounter | undefined {
    return this.heights.get(height)?.get(party);
  }

  /**
   * Begins a party's counter for a height.
   * @param isAlone the original's defect: the counters of all other parties for this height are lost
   */
  open(height: bigint, party: string, bits: bigint, isAlone: boolean): void {
    const counter = { observed: bits, seen: 1n };
    const parties = this.heights.get(height);
    if (parties && !isAlone) parties.set(party, counter);
    else this.heights.set(height, new Map([[party, counter]]));
  }

  evict(height: bigint): void {
    this.heights.delete(height);
  }

  /** The party's counters, by ascending height. */
  ofParty(party: string): { height: bigint; counter: Readonly<PartyCounter> }[] {
    return sortedHeights(this.heights).flatMap(([height, parties]) => {
      const counter = parties.get(party);
      return counter ? [{ height, counter }] : [];
    });
  }

  save(): HeightCountersState {
    return sortedHeights(this.heights).map(([height, parties]) => [
      height.toString(),
      sortedEntries(parties).map(
        ([party, { observed, seen }]) => [party, observed.toString(), seen.toString()] as const,
      ),
    ]);
  }

  load(state: HeightCountersState): void {
    this.heights.clear();
    for (const [height, counters] of state) {
      const parties = counters.map(
        ([party, observed, seen]) => [party, { observed: BigInt(observed), seen: BigInt(seen) }] as const,
      );
      this.heights.set(BigInt(height), new Map(parties));
    }
  }
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

/** Parameters with the heights they hold for, and the counters of those heights. */
class ParameterSet {
  readonly counters = new HeightCounters();

  constructor(
    public parameters: PowParameters,
    /** First height. */
    readonly from: bigint,
    /** Last height; open for the newest set. */
    public until: bigint | undefined,
  ) {}

  holds(height: bigint): boolean {
    return height >= this.from && (this.until === undefined || height <= this.until);
  }
}

export interface ParameterSetState extends Omit<PowParameters, "pastBlocks" | "txPerBlock"> {
  readonly from: string;
  readonly until: string | null;
  readonly pastBlocks: string;
  readonly txPerBlock: string;
  readonly counters: HeightCountersState;
}

export class ParameterSets {
  private sets: ParameterSet[] = [];

  get all(): readonly ParameterSet[] {
    return this.sets;
  }

  /**
   * Takes new values while block `height` is being processed: they hold for proofs built on the heights after it.
   * Several changes of one block merge. The very first set holds from the current height on.
   */
  change(height: bigint, values: Partial<PowParameters>): void {
    const newest = this.sets.at(-1);
    if (!newest) {
      this.sets.push(new ParameterSet({ ...EMPTY, ...values }, height, undefined));
      return;
    }
    const isOnlyOfNow = this.sets.length === 1 && newest.from === height;
    if (isOnlyOfNow || newest.from === height + 1n) {
      newest.parameters = { ...newest.parameters, ...values };
      return;
    }
    newest.until = height;
    this.sets.push(new ParameterSet({ ...newest.parameters, ...values }, height + 1n, undefined));
  }

  /** The set that judges a proof built on this height; undefined when none is kept any more. */
  of(height: bigint): ParameterSet | undefined {
    return this.sets.find((set) => set.holds(height));
  }

  /** The set in force at this height: the newest, unless it only begins after it. */
  inForce(height: bigint): ParameterSet | undefined {
    const newest = this.sets.at(-1);
    return newest && newest.from > height ? (this.sets.at(-2) ?? newest) : newest;
  }

  /** Drops closed sets that no usable height falls under any more, at the end of block `height`. */
  dropExpired(height: bigint): void {
    this.sets = this.sets.filter(
      ({ until, parameters }) => until === undefined || until + parameters.pastBlocks > height,
    );
  }

  save(): ParameterSetState[] {
    return this.sets.map(({ parameters, from, until, counters }) => ({
      from: from.toString(),
      until: until?.toString() ?? null,
      pastBlocks: parameters.pastBlocks.toString(),
      difficulty: parameters.difficulty,
      hashFunction: parameters.hashFunction,
      txPerBlock: parameters.txPerBlock.toString(),
      increasingDifficulty: parameters.increasingDifficulty,
      counters: counters.save(),
    }));
  }

  load(states: readonly ParameterSetState[]): void {
    this.sets = states.map(({ from, until, counters, pastBlocks, txPerBlock, ...rest }) => {
      const parameters = { ...rest, pastBlocks: BigInt(pastBlocks), txPerBlock: BigInt(txPerBlock) };
      const set = new ParameterSet(parameters, BigInt(from), until === null ? undefined : BigInt(until));
      set.counters.load(counters);
      return set;
    });
  }
}

// The engine's records by height: the hashes of past blocks, and what has been seen under each.

/** Slots for past blocks: the window cannot be larger (docs/protocol/40-pow-spam.md#21-proof-of-work and #31-state). */
const PAST_BLOCKS_MAX = 500n;

/** The entries of a map by height, lowest first. */
function sortedHeights<V>(map: ReadonlyMap<bigint, V>): [bigint, V][] {
  return [...map].sort(([a], [b]) => compare(a, b));
}

export type BlockHashesState = readonly (readonly [height: string, hash: string])[];

/** The hashes of the last 500 heights, in slots that are written over. */
export class BlockHashes {
  private readonly slots = new Map<bigint, { readonly height: bigint; readonly hash: string }>();

  put(height: bigint, hash: string): void {
    this.slots.set(height % PAST_BLOCKS_MAX, { height, hash });
  }

  of(height: bigint): string | undefined {
    const slot = this.slots.get(height % PAST_BLOCKS_MAX);
    return slot?.height === height ? slot.hash : undefined;
  }

  /** Oldest first. */
  all(): { readonly height: bigint; readonly hash: string }[] {
    return [...this.slots.values()].sort((a, b) => (a.height < b.height ? -1 : 1));
  }

  save(): BlockHashesState {
    const blocks = new Map([...this.slots.values()].map(({ height, hash }) => [height, hash]));
    return sortedHeights(blocks).map(([height, hash]) => [height.toString(), hash]);
  }

  load(state: BlockHashesState): void {
    this.slots.clear();
    for (const [height, hash] of state) this.put(BigInt(height), hash);
  }
}

export type SeenState = readonly (readonly [height: string, texts: readonly string[]])[];

/** Texts that may not come again, forgotten by the height they were recorded under. */
export class Seen {
  private readonly texts = new Set<string>();
  private readonly byHeight = new Map<bigint, string[]>();
  /** Per height, the prefix of byHeight that is already persisted. */
  private readonly saved = new Map<bigint, readonly string[]>();

  has(text: string): boolean {
    return this.texts.has(text);
  }

  hasHeight(height: bigint): boolean {
    return this.byHeight.has(height);
  }

  add(height: bigint, text: string): void {
    this.texts.add(text);
    const texts = this.byHeight.get(height);
    if (texts) texts.push(text);
    else this.byHeight.set(height, [text]);
  }

  evict(height: bigint): void {
    for (const text of this.byHeight.get(height) ?? []) this.texts.delete(text);
    this.byHeight.delete(height);
    this.saved.delete(height);
  }

  /** Costs what was added since the last time. */
  save(): SeenState {
    return sortedHeights(this.byHeight).map(([height, texts]) => {
      const saved = this.saved.get(height) ?? [];
      if (saved.length === texts.length) return [height.toString(), saved];
      const all = merged(saved, texts.slice(saved.length).sort());
      this.saved.set(height, all);
      return [height.toString(), all];
    });
  }

  /** Costs what differs, for a state that this one gave out itself. */
  load(state: SeenState): void {
    const target = new Map(state.map(([height, texts]) => [BigInt(height), texts]));
    for (const height of [...this.byHeight.keys()]) {
      if (!this.isAsSaved(height, target.get(height))) this.evict(height);
    }
    for (const [height, texts] of target) {
      if (this.saved.has(height)) continue;
      for (const text of texts) this.add(height, text);
      this.saved.set(height, texts);
    }
  }

  private isAsSaved(height: bigint, texts: readonly string[] | undefined): boolean {
    return (
      texts !== undefined &&
      texts === this.saved.get(height) &&
      texts.length === this.byHeight.get(height)!.length
    );
  }
}

/** Two lists in ascending order as one. */
function merged(a: readonly string[], b: readonly string[]): string[] {
  const all: string[] = [];
  let next = 0;
  for (const text of a) {
    while (next < b.length && b[next]! < text) all.push(b[next++]!);
    all.push(text);
  }
  while (next < b.length) all.push(b[next++]!);
  return all;
}
