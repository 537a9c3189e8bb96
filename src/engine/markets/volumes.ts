// Volumes and times as events can say them: sums may be more than 64 bits hold.
const INT64_MAX = (1n << 63n) - 1n;
const UINT64_MAX = (1n << 64n) - 1n;

/** The largest size of an order: a position may become as large. */
export const ORDER_SIZE_MAX = INT64_MAX;

/** The size of an order or trade of a close-out: positions can be larger than orders. */
export const asOrderSize = (volume: bigint): bigint => (volume > ORDER_SIZE_MAX ? ORDER_SIZE_MAX : volume);

export const asUint64 = (volume: bigint): bigint => (volume > UINT64_MAX ? UINT64_MAX : volume);

export function asInt64(volume: bigint): bigint {
  if (volume > INT64_MAX) return INT64_MAX;
  return volume < -INT64_MAX ? -INT64_MAX : volume;
}
