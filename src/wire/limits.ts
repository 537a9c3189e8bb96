/** Limits of the codec for untrusted bytes. */

/** Largest message, envelope or record, in bytes. A block of bus events is far smaller; files are read record by record. */
export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

/** Nesting of groups and of JSON objects, as the reference implementations limit it. */
export const DEPTH_MAX = 100;

/** Largest field number (protobuf encoding guide, "message structure"): 2^29 - 1. */
export const FIELD_NUMBER_MAX = 536_870_911;

/** Largest values of integer fields. */
export const UINT32_MAX = 2 ** 32 - 1;
export const UINT64_MAX = 2n ** 64n - 1n;
export const INT64_MAX = 2n ** 63n - 1n;

/** A sum, clamped to the range of a signed field. */
export function asInt64(sum: bigint): bigint {
  if (sum > INT64_MAX) return INT64_MAX;
  return sum < -INT64_MAX ? -INT64_MAX : sum;
}

/** A sum, clamped to the range of an unsigned field. */
export const asUint64 = (sum: bigint): bigint => (sum > UINT64_MAX ? UINT64_MAX : sum);
