// Volumes of orders: positions can exceed 64 bits.
import { INT64_MAX } from "../../wire/limits.ts";

/** The largest size of an order: a position may become as large. */
export const ORDER_SIZE_MAX = INT64_MAX;

/** The size of an order or trade of a close-out: positions can be larger than orders. */
export const asOrderSize = (volume: bigint): bigint => (volume > ORDER_SIZE_MAX ? ORDER_SIZE_MAX : volume);
