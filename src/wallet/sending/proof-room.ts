// How hard the next proof on a block has to be, so that no order in which a wallet's transactions arrive gets its key
// banned (reference 40, section 3.4). Pure arithmetic.
import { requiredTotal } from "../../chain/admission/pow/difficulty.ts";
import { DIFFICULTY_MAX } from "../../chain/admission/pow/function.ts";

/** What a block hash takes of one party. */
export interface BlockQuota {
  /** Base difficulty, leading zero bits. */
  readonly difficulty: number;
  /** Transactions at that difficulty. */
  readonly txPerBlock: bigint;
  /** Whether more are taken at growing difficulty. */
  readonly increasingDifficulty: boolean;
}

/** What is known of a party's transactions on one block. */
export interface BlockUse {
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
 * than the quota, the bits of all n reach T(n). What n show at least is known twice over: by what the network has
 * seen and the smallest bits of those that may follow, and by the smallest bits of n altogether. It must also hold
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

/** Bits that the statistics prove, from what they expect of the next transaction (section 5.3). */
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

/** Whether so many transactions that show so many bits are all accepted. */
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
