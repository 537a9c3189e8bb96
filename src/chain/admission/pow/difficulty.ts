// How much difficulty a party has to show for a number of transactions on one height (reference 40, section 3.4).
import type { PartyCounter } from "./counters.ts";
import type { PowParameters } from "./parameter-sets.ts";

type Quota = Pick<PowParameters, "difficulty" | "txPerBlock">;

/** Level of the k-th transaction: L(k) = b + floor((k - 1) / N). */
export function levelOf(k: bigint, { difficulty, txPerBlock }: Quota): bigint {
  return BigInt(difficulty) + (k - 1n) / txPerBlock;
}

/** Total for n transactions: T(n) = L(1) + … + L(n), with q whole rounds of the quota and r beyond them. */
export function requiredTotal(n: bigint, { difficulty, txPerBlock }: Quota): bigint {
  const q = n / txPerBlock;
  const r = n % txPerBlock;
  return n * BigInt(difficulty) + (txPerBlock * q * (q - 1n)) / 2n + q * r;
}

/**
 * The least difficulty of a party's next transaction on a height (section 5.3); undefined when it may send no more.
 * @param wraps the original's defect: a party that has shown more than enough is asked for nearly 2^64
 */
export function expectedDifficulty(
  { observed, seen }: Readonly<PartyCounter>,
  parameters: PowParameters,
  wraps = false,
): bigint | undefined {
  const base = BigInt(parameters.difficulty);
  if (!parameters.increasingDifficulty) return seen < parameters.txPerBlock ? base : undefined;
  const missing = requiredTotal(seen + 1n, parameters) - observed;
  if (wraps && missing < 0n) return BigInt.asUintN(64, missing);
  return missing > base ? missing : base;
}
