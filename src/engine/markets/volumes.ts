// Volumes of orders: positions may be more than 64 bits hold.

/** The largest size of an order: a position may become as large. */
export const ORDER_SIZE_MAX = (1n << 63n) - 1n;

/** The size of an order or trade of a close-out: positions can be larger than orders. */
export const asOrderSize = (volume: bigint): bigint => (volume > ORDER_SIZE_MAX ? ORDER_SIZE_MAX : volume);
