// One block in the planner's memory: what the network takes on it, has counted on it, and was given away on it.
import type { Haste } from "./key-sharing.ts";
import type { Slot } from "./plan.ts";
import { type BlockQuota, roomOn } from "./proof-room.ts";

/** A place that was given away. */
export interface Sent {
  readonly id: number;
  bits: number;
  /** Of a place that is looked for again later. */
  tag?: string | undefined;
  /** How fast it has to leave. */
  readonly haste?: Haste;
  hasLeft?: boolean;
  /** When the counts were asked for that it was chosen by. */
  readonly takenAtMs?: number;
}

export interface PlannedBlock extends BlockQuota {
  readonly height: bigint;
  /** Empty for one that a transaction names and nobody has shown. */
  readonly hash: string;
  readonly hashFunction: string;
  /** Of the parameters in force at this block; undefined for one that was never seen as the newest. */
  pastBlocks: bigint | undefined;
  readonly knownAtMs: number;
  passedAtMs: number | undefined;
  seen: bigint;
  observed: bigint;
  foreign: bigint;
  readonly sent: Sent[];
}

export const UNUSED = { seen: 0n, observed: 0n, foreign: 0n } as const;

/** The same as plain JSON. */
export interface BlockState {
  readonly height: string;
  readonly hash: string;
  readonly hashFunction: string;
  readonly difficulty: number;
  readonly txPerBlock: string;
  readonly increasingDifficulty: boolean;
  readonly pastBlocks: string | null;
  readonly seen: string;
  readonly observed: string;
  readonly foreign: string;
  readonly sent: readonly (readonly [id: number, bits: number, tag?: string])[];
}

export function stateOf(block: PlannedBlock): BlockState {
  const { hash, hashFunction, difficulty, increasingDifficulty } = block;
  return {
    height: block.height.toString(),
    ...{ hash, hashFunction, difficulty, increasingDifficulty },
    txPerBlock: block.txPerBlock.toString(),
    pastBlocks: block.pastBlocks?.toString() ?? null,
    seen: block.seen.toString(),
    observed: block.observed.toString(),
    foreign: block.foreign.toString(),
    sent: block.sent.map(({ id, bits, tag }) => (tag === undefined ? [id, bits] : [id, bits, tag])),
  };
}

export function blockOfState({ sent, ...block }: BlockState): PlannedBlock {
  return {
    ...block,
    height: BigInt(block.height),
    txPerBlock: BigInt(block.txPerBlock),
    pastBlocks: block.pastBlocks === null ? undefined : BigInt(block.pastBlocks),
    seen: BigInt(block.seen),
    observed: BigInt(block.observed),
    foreign: BigInt(block.foreign),
    // By a clock of another process: never long enough ago.
    knownAtMs: Number.POSITIVE_INFINITY,
    passedAtMs: undefined,
    sent: sent.map(([id, bits, tag]) => ({ id, bits, tag })),
  };
}

/** What the next transaction on a block needs; without one of those that have a place on it. */
export function roomBeside(
  { seen, observed, foreign, sent, ...quota }: PlannedBlock,
  without?: Sent,
): number | undefined {
  const others = without === undefined ? sent : sent.filter((one) => one !== without);
  return roomOn(quota, { seen, observed, foreign, sent: others.map(({ bits }) => bits) });
}

export function slotOf({ height, hash, hashFunction, difficulty }: PlannedBlock, { id, bits }: Sent): Slot {
  return { id, height, hash, difficulty: bits, extraBits: bits - difficulty, hashFunction };
}
