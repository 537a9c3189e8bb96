// Proof-of-work parameters, and the sets of them that a transaction can fall under (reference 40, section 2.2).
import { HeightCounters, type HeightCountersState } from "./counters.ts";

/** Values of the `spam.pow.*` network parameters (reference 40, section 2.1). */
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
