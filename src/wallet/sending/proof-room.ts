// How hard the next proof on a block has to be, so that no order in which a wallet's transactions arrive gets its key
// banned (reference 40, section 3.4). Pure arithmetic.
import { requiredTotal } from "../../admission/pow/difficulty.ts";
import { DIFFICULTY_MAX } from "../../admission/pow/function.ts";

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
 * than the quota, the bits of all n reach T(n). The worst part of a size is its smallest bits. It must also hold when
 * the network forgets what it counted, as the original does whenever another party uses the same block.
 */
export function roomOn(quota: BlockQuota, use: BlockUse): number | undefined {
  const counted = use.foreign + BigInt(use.sent.length);
  if (counted < quota.txPerBlock) return quota.difficulty;
  if (!quota.increasingDifficulty) return undefined;
  const inFlight = Number(counted - use.seen);
  const sorted = [...use.sent].sort((a, b) => a - b);
  const counting = { seen: use.seen, observed: largest(use.observed, ownBits(use, sorted)) };
  const forgotten = { seen: 0n, observed: 0n };
  for (let bits = quota.difficulty; bits <= DIFFICULTY_MAX; bits++) {
    const smallest = withOne(sorted, bits).slice(0, inFlight + 1);
    if (isSafe(quota, counting, smallest) && isSafe(quota, forgotten, smallest)) return bits;
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

/** What the counted ones showed at least, as far as all of them are this wallet's. */
function ownBits({ seen, foreign }: BlockUse, sorted: readonly number[]): bigint {
  if (foreign > 0n) return 0n;
  return BigInt(sorted.slice(0, Number(seen)).reduce((sum, bits) => sum + bits, 0));
}

const largest = (a: bigint, b: bigint) => (a > b ? a : b);

function isSafe(
  quota: BlockQuota,
  { seen, observed }: { readonly seen: bigint; readonly observed: bigint },
  smallest: readonly number[],
): boolean {
  let count = seen;
  let total = observed;
  for (const bits of smallest) {
    count += 1n;
    total += BigInt(bits);
    if (count > quota.txPerBlock && total < requiredTotal(count, quota)) return false;
  }
  return true;
}

function withOne(sorted: readonly number[], bits: number): number[] {
  const place = sorted.findIndex((other) => other > bits);
  return place < 0 ? [...sorted, bits] : [...sorted.slice(0, place), bits, ...sorted.slice(place)];
}
