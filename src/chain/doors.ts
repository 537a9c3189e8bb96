// The two doors of a chain to the world, and what else is saved with it. The node brings them: devnet/clock.ts and
// devnet/random.ts; a test brings its own.

/** Something that belongs to the chain and is saved with every block: its text is small. */
export interface ChainPart {
  /** Names it in the store and in dumps. */
  readonly name: string;
  /** Everything it knows, as text. */
  save(): string;
  load(text: string): void;
}

export interface ChainClock extends ChainPart {
  /**
   * Time of the next block: whole microseconds in Unix nanoseconds. Changes nothing.
   * @param roomNs whole microseconds, at least one, that the last block needs for its rows
   */
  timeAfter(lastNs: bigint, roomNs: bigint): bigint;
  /** How far a running clock is behind the last block: time stands nearly still until it has caught up. */
  behindNs(lastNs: bigint): bigint;
  /** A block of this time is made. */
  made(timeNs: bigint): void;
  /** Moves the clock forward from where the chain is: a clock that is behind the last block goes on from there. */
  forward(nanoseconds: bigint, lastNs: bigint): void;
  setNext(timeNs: bigint): void;
  /** @param lastNs time of the last block: a clock that was frozen goes on from there */
  freeze(frozen: boolean, lastNs: bigint): void;
  readonly isFrozen: boolean;
}

export interface ChainRandom extends ChainPart {
  /** So many bytes, none like the ones before. */
  bytes(count: number): Uint8Array;
}
