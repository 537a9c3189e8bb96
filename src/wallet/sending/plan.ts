// What the planner is asked for, what it answers, and what it remembers.
import type { KeySharingState } from "./key-sharing.ts";
import type { BlockState } from "./planned-block.ts";

export interface PlannerOptions {
  /** Bits above the base that a proof may cost before waiting for a block is better; each doubles the work. */
  readonly extraBitsMax?: number;
  /** How long a node may say a lower height and still be taken for one that is late, milliseconds. */
  readonly rewindMs?: number;
  /**
   * How long places are remembered on blocks that a node does not show any more, milliseconds: another one that is not
   * behind, ahead or astray brings them back.
   */
  readonly keepMs?: number;
  /** Nobody else uses these keys, so nothing is left to others. A ban is the price where that is wrong. */
  readonly isSoleUser?: boolean;
}

/** A place on a block for one transaction. */
export interface Slot {
  readonly id: number;
  readonly height: bigint;
  readonly hash: string;
  /** Leading zero bits that the proof needs. */
  readonly difficulty: number;
  /** Of them, how many more than the block's base difficulty. */
  readonly extraBits: number;
  readonly hashFunction: string;
}

export type Plan =
  | { readonly kind: "go"; readonly slot: Slot }
  /** Every known block has as many as it takes: the next block takes more. */
  | { readonly kind: "full"; readonly txPerBlock: bigint; readonly left: "nothing" | "for another wallet" }
  /** There is room, at a difficulty that nobody wants to wait for. */
  | { readonly kind: "hard"; readonly difficulty: number }
  | { readonly kind: "banned"; readonly until: string }
  | { readonly kind: "unknown_function"; readonly hashFunction: string }
  /** No block is known. */
  | { readonly kind: "no_block" }
  /** The block that was asked for is not in the chain yet, or cannot be named any more. */
  | { readonly kind: "out_of_reach"; readonly height: bigint; readonly head: bigint }
  /** The proof that there is does not show enough bits. */
  | { readonly kind: "weak"; readonly difficulty: number; readonly bits: number };

/** A transaction that is signed already, so that its block cannot be chosen any more. */
export interface GivenPlace {
  readonly height: bigint;
  /** What the place is remembered by: the proof's identifier. */
  readonly tag: string;
  /** What its proof shows, where it has one. */
  readonly bits?: number;
}

export interface PlanWish {
  readonly tag?: string;
  /** At most the planner's own. */
  readonly extraBitsMax?: number;
}

/** The memory as plain JSON. */
export interface PlannerState {
  readonly head: string;
  readonly lastId: number;
  readonly sharing: KeySharingState;
  readonly blocks: readonly BlockState[];
}
