// What a node says of the chain and of one party, in the planner's terms.
import type { GetSpamStatisticsResponse, PoWBlockState } from "../../wire/generated/core-api.ts";
import type { BlockQuota } from "./proof-room.ts";

/** The largest window there is (reference 40, section 2.1): more is remembered of no network. */
const PAST_BLOCKS_MAX = 500n;

export interface SeenBlock extends BlockQuota {
  readonly height: bigint;
  /** As the network writes it: it is hashed as text. */
  readonly hash: string;
  readonly hashFunction: string;
  /** The party's transactions that the network has counted on it. */
  readonly seen: bigint;
  /** Least difficulty of the next one, where the network says so. */
  readonly expected: bigint | undefined;
}

export interface ChainView {
  /** The newest block. */
  readonly head: bigint;
  /** Blocks back from the newest that may be named; holds for the newest block. */
  readonly pastBlocks: bigint;
  /** The newest, and those that the party has used. */
  readonly blocks: readonly SeenBlock[];
  /** Until when the network takes nothing of the party; the text as it came. */
  readonly bannedUntil: string | undefined;
}

/** The newest block alone, of `GET /blockchain/height`. */
export interface LastBlock {
  readonly chainId: string;
  readonly height: bigint;
  readonly hash: string;
  readonly hashFunction: string;
  readonly difficulty: number;
  readonly pastBlocks: bigint;
  readonly txPerBlock: bigint;
  readonly increasingDifficulty: boolean;
}

/** @returns undefined when the statistics name no block, so that nothing can be built on them */
export function viewOf({ statistics }: GetSpamStatisticsResponse): ChainView | undefined {
  const pow = statistics?.pow;
  const blocks = (pow?.blockStates ?? []).filter(({ blockHash }) => blockHash !== "").map(seenBlock);
  if (pow === undefined || blocks.length === 0) return undefined;
  const head = blocks.reduce((max, { height }) => (height > max ? height : max), 0n);
  const bannedUntil = pow.bannedUntil === "" ? undefined : pow.bannedUntil;
  return { head, pastBlocks: pastBlocksOf(pow.numberOfPastBlocks), blocks, bannedUntil };
}

export function pastBlocksOf(told: bigint): bigint {
  return told < PAST_BLOCKS_MAX ? told : PAST_BLOCKS_MAX;
}

function seenBlock(state: PoWBlockState): SeenBlock {
  return {
    height: state.blockHeight,
    hash: state.blockHash,
    hashFunction: state.hashFunction,
    difficulty: Number(state.difficulty),
    // A quota of none is none that a network can have; it would divide by zero in the original.
    txPerBlock: state.txPerBlock > 0n ? state.txPerBlock : 1n,
    increasingDifficulty: state.increasingDifficulty,
    seen: state.transactionsSeen,
    expected: state.expectedDifficulty,
  };
}
