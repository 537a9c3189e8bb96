// The blocks in a planner's memory: the quota of each, the network's count on it, and the places given away on it.

import { LruCache } from "../../cache/lru.ts";
import { DIFFICULTY_MAX, requiredTotal } from "../../chain/admission/pow/function.ts";
import type { ProofBlock } from "../../engine/chain-port.ts";
import { NodeError } from "../../errors/node-error.ts";
import type { GetSpamStatisticsResponse, PoWBlockState } from "../../wire/generated/core-api.ts";

/**
 * Bits beyond which no search is begun. The network's own base is 15; each bit doubles the work, and 40 take the fastest
 * machine hours, while a block is good for minutes.
 */
export const PROOF_BITS_MAX = 40;

/** @param allowed bits that the rules of the block can ask for */
export function proofTooHard(bits: number, allowed = PROOF_BITS_MAX): NodeError {
  const why =
    allowed < PROOF_BITS_MAX
      ? `the rules of its block ask for ${allowed} at the most`
      : `none of more than ${PROOF_BITS_MAX} is found while a block is good`;
  const text = `a proof of ${bits} bits is not searched for: ${why}`;
  return new NodeError("tx.prove", "proof_too_hard", text, "ask another node what the chain asks for");
}

// Difficulty of the next proof on a block, so that no order in which a wallet's transactions arrive gets its key banned
// (docs/protocol/40-pow-spam.md#34-delivertx). Pure arithmetic.

/** The transactions that a block hash takes of one party. */
interface BlockQuota {
  /** Base difficulty, leading zero bits. */
  readonly difficulty: number;
  /** Transactions at that difficulty. */
  readonly txPerBlock: bigint;
  /** Whether more are taken at growing difficulty. */
  readonly increasingDifficulty: boolean;
}

/** A party's transactions on one block. */
interface BlockUse {
  /** Counted by the network, as of the last statistics. */
  readonly seen: bigint;
  /** Bits that the counted ones showed together, at least. */
  readonly observed: bigint;
  /** Counted ones that this wallet did not send. */
  readonly foreign: bigint;
  /** Bits of every transaction that this wallet gave away and that may have arrived, or may yet. */
  readonly sent: readonly number[];
}

/**
 * The least difficulty at which one more transaction is safe, or undefined when none is.
 *
 * Those in flight may arrive in any order, or never. So it must hold for every part of them: with n counted and more
 * than the quota, the bits of all n reach T(n). The least that n show is known twice over: by what the network has
 * seen and the smallest bits of proofs that may follow, and by the smallest bits of n altogether. It must also hold
 * when the network forgets what it counted, as the original does whenever another party uses the same block.
 */
export function roomOn(quota: BlockQuota, use: BlockUse): number | undefined {
  const counted = use.foreign + BigInt(use.sent.length);
  if (counted < quota.txPerBlock) return quota.difficulty;
  if (!quota.increasingDifficulty) return undefined;
  const inFlight = Number(counted - use.seen);
  const sorted = [...use.sent].sort((a, b) => a - b);
  const ownSeen = Math.max(0, Number(use.seen - use.foreign));
  for (let bits = quota.difficulty; bits <= DIFFICULTY_MAX; bits++) {
    const own = withOne(sorted, bits);
    const following = sumsOf(own.slice(0, inFlight + 1));
    const altogether = sumsOf(own);
    const foreignBits = use.foreign * BigInt(quota.difficulty);
    const shown = (more: number) =>
      largest(use.observed + following[more]!, foreignBits + altogether[ownSeen + more]!);
    const isSafe = following.every(
      (forgotten, more) =>
        more === 0 ||
        (reaches(quota, use.seen + BigInt(more), shown(more)) && reaches(quota, BigInt(more), forgotten)),
    );
    if (isSafe) return bits;
  }
  return undefined;
}

/** Bits that the statistics prove, from what they expect of the next transaction (docs/protocol/40-pow-spam.md#53-block-states). */
export function observedBits(quota: BlockQuota, seen: bigint, expected: bigint | undefined): bigint {
  const base = BigInt(quota.difficulty);
  const least = seen * base;
  if (!quota.increasingDifficulty || expected === undefined || seen === 0n) return least;
  // The original's subtraction wraps where a party has shown more than enough.
  const missing = BigInt.asIntN(64, expected);
  const observed = requiredTotal(seen + 1n, quota) - missing;
  return observed > least ? observed : least;
}

const largest = (a: bigint, b: bigint) => (a > b ? a : b);

/** Whether this many transactions with this many bits are all accepted. */
function reaches(quota: BlockQuota, count: bigint, bits: bigint): boolean {
  return count <= quota.txPerBlock || bits >= requiredTotal(count, quota);
}

/** The sums of the first none, one, two, … */
function sumsOf(bits: readonly number[]): bigint[] {
  const sums = [0n];
  for (const one of bits) sums.push(sums.at(-1)! + BigInt(one));
  return sums;
}

function withOne(sorted: readonly number[], bits: number): number[] {
  const place = sorted.findIndex((other) => other > bits);
  return place < 0 ? [...sorted, bits] : [...sorted.slice(0, place), bits, ...sorted.slice(place)];
}

/** A place that was given away. */
export interface Sent {
  readonly id: number;
  bits: number;
  /** Of a place that is looked for again later. */
  tag?: string | undefined;
}

export interface PlannedBlock extends BlockQuota {
  readonly height: bigint;
  /** Empty for a block that a transaction names and no node has shown. */
  readonly hash: string;
  readonly hashFunction: string;
  /** Of the parameters in force at this block; undefined for one that was never seen as the newest. */
  pastBlocks: bigint | undefined;
  seen: bigint;
  observed: bigint;
  foreign: bigint;
  readonly sent: Sent[];
}

export const UNUSED = { seen: 0n, observed: 0n, foreign: 0n } as const;

/** The same as plain JSON. */
interface BlockState {
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
    sent: sent.map(([id, bits, tag]) => ({ id, bits, tag })),
  };
}

/** The bits that the next transaction on a block needs; `without`: as if that one had no place on it. */
export function roomBeside(
  { seen, observed, foreign, sent, ...quota }: PlannedBlock,
  without?: Sent,
): number | undefined {
  const others = without === undefined ? sent : sent.filter((one) => one !== without);
  return roomOn(quota, { seen, observed, foreign, sent: others.map(({ bits }) => bits) });
}

export function slotOf({ height, hash, hashFunction }: PlannedBlock, { id, bits }: Sent): Slot {
  return { id, height, hash, difficulty: bits, hashFunction };
}

// The planner's questions, answers and memory.

export interface PlannerOptions {
  /** Bits above the base that a proof may cost before waiting for a block is better; each doubles the work. */
  readonly extraBitsMax?: number;
  /** Time for which a node may say a lower height and still be taken for one that is late, milliseconds. */
  readonly rewindMs?: number;
  /**
   * Time for which places are remembered on blocks that a node does not show any more, milliseconds: a node that is neither
   * behind nor ahead nor astray brings them back.
   */
  readonly keepMs?: number;
  /** No other wallet uses these keys, so nothing is left to one. Where that is wrong, the price is a ban. */
  readonly isSoleUser?: boolean;
}

/** A place on a block for one transaction. */
export interface Slot {
  readonly id: number;
  readonly height: bigint;
  readonly hash: string;
  /** Leading zero bits that the proof needs. */
  readonly difficulty: number;
  readonly hashFunction: string;
}

/** Why a wallet does not use what is left of a block. */
type LeftOver = "nothing" | "for another wallet" | "until another wallet is quiet";

export type Plan =
  | { readonly kind: "go"; readonly slot: Slot }
  /** Every known block has as many as it takes: the next block takes more. */
  | { readonly kind: "full"; readonly txPerBlock: bigint; readonly left: LeftOver }
  /** There is room, at a difficulty that takes longer than the next block. */
  | { readonly kind: "hard"; readonly difficulty: number }
  /** More bits than anyone can find while the block is good: a node that says so is wrong, or lies. */
  | { readonly kind: "out_of_bounds"; readonly difficulty: number }
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
  /** The place is found again by it: the proof's identifier. */
  readonly tag: string;
  /** The bits that its proof shows, where it has one. */
  readonly bits?: number;
}

/** The memory as plain JSON. */
export interface PlannerState {
  readonly head: string;
  readonly lastId: number;
  readonly blocks: readonly BlockState[];
}

// A node's answers about the chain and one party, in the planner's terms.

/** The largest window there is (docs/protocol/40-pow-spam.md#21-proof-of-work): more is remembered of no network. */
const PAST_BLOCKS_MAX = 500;

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
export type LastBlock = ProofBlock;

/** @returns undefined when the statistics name no block, so that nothing can be built on them */
export function viewOf({ statistics }: GetSpamStatisticsResponse): ChainView | undefined {
  const pow = statistics?.pow;
  const blocks = (pow?.blockStates ?? []).filter(({ blockHash }) => blockHash !== "").map(seenBlock);
  if (pow === undefined || blocks.length === 0) return undefined;
  const head = blocks.reduce((max, { height }) => (height > max ? height : max), 0n);
  const bannedUntil = pow.bannedUntil === "" ? undefined : pow.bannedUntil;
  return { head, pastBlocks: pastBlocksOf(pow.numberOfPastBlocks), blocks, bannedUntil };
}

export function pastBlocksOf(reported: bigint): bigint {
  return reported < PAST_BLOCKS_MAX ? reported : BigInt(PAST_BLOCKS_MAX);
}

function seenBlock(state: PoWBlockState): SeenBlock {
  return {
    height: state.blockHeight,
    hash: state.blockHash,
    hashFunction: state.hashFunction,
    difficulty: Number(state.difficulty),
    // No network has a quota of zero; it would divide by zero in the original.
    txPerBlock: state.txPerBlock > 0n ? state.txPerBlock : 1n,
    increasingDifficulty: state.increasingDifficulty,
    seen: state.transactionsSeen,
    expected: state.expectedDifficulty,
  };
}

// The newest blocks of a chain as they were seen: what a planner that is new can build on.

export class BlockMemory {
  private blocks: LastBlock[] = [];

  get newest(): LastBlock | undefined {
    return this.blocks.at(-1);
  }

  /** Oldest first. */
  ofChain(chainId: string): readonly LastBlock[] {
    return this.blocks.filter((block) => block.chainId === chainId);
  }

  /** @returns whether it is news */
  add(block: LastBlock): boolean {
    const newest = this.blocks.at(-1);
    if (newest?.height === block.height && newest.hash === block.hash) return false;
    // A chain that begins again at a lower height has other blocks above it.
    this.blocks = [...this.blocks.filter(({ height }) => height < block.height), block].slice(
      -PAST_BLOCKS_MAX,
    );
    return true;
  }
}

// Blocks with places on them that are out of sight, by their hash: a node that is behind, ahead or astray does not show
// them, and the next good node brings them back.

const KEEP_MS = 60_000;

export class KeptBlocks {
  private readonly kept = new LruCache<string, { readonly block: PlannedBlock; readonly untilMs: number }>(
    PAST_BLOCKS_MAX,
  );

  /** @param keepMs how long they are remembered, milliseconds */
  constructor(private readonly keepMs = KEEP_MS) {}

  add(block: PlannedBlock, nowMs: number): void {
    if (this.keepMs === 0 || block.hash === "" || block.sent.length === 0) return;
    this.kept.set(block.hash, { block, untilMs: nowMs + this.keepMs });
  }

  /** The memory of a block that is in sight again. The network says again what it has counted. */
  restore(hash: string, nowMs: number): Partial<PlannedBlock> {
    const kept = this.kept.get(hash);
    this.kept.delete(hash);
    if (kept === undefined || nowMs >= kept.untilMs) return {};
    return { ...kept.block, seen: UNUSED.seen, observed: UNUSED.observed };
  }
}
