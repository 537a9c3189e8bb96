// Comparisons and sizes of values of the chain.

/** Strings by UTF-16 units: the same everywhere, whatever the locale. */
export function compare<T extends string | number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export const absolute = (value: bigint): bigint => (value < 0n ? -value : value);
export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
