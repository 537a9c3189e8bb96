/** Differences between what a chain has recorded and what the engine makes of the same commands. */

export interface FieldDifference {
  /** Such as `tradableInstrument.instrument.code`. */
  readonly path: string;
  readonly recorded: string;
  readonly made: string;
}

/** An event that only one of the two has, or that differs in a field. */
export interface Difference {
  readonly height: number;
  /** Of event: `order`, `ledgerEntry`; `verdict` of a command. */
  readonly kind: string;
  /** The thing that the event is about, in words. */
  readonly subject: string;
  /** Undefined where the other one alone has the event. */
  readonly recorded: string | undefined;
  readonly made: string | undefined;
  /** Of an event that both have; none otherwise. */
  readonly fields: readonly FieldDifference[];
  /** Why that is to be expected; undefined where the engine and the chain disagree. */
  readonly reason: string | undefined;
}
