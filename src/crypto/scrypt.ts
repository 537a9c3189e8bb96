// scrypt (RFC 7914) of node:crypto, on a thread of its own: the caller's event loop goes on meanwhile.
import { scrypt } from "node:crypto";

export interface ScryptCost {
  /** Base-2 logarithm of N, the cost of processor and memory. */
  readonly log2N: number;
  /** Size of a block. */
  readonly r: number;
  /** Passes, one after the other here. */
  readonly p: number;
}

/** Memory that a derivation takes: 128 r for each of N blocks, and a little (RFC 7914, section 5). */
export function scryptMemoryBytes({ log2N, r, p }: ScryptCost): number {
  return 128 * r * (2 ** log2N + p);
}

/** @param length bytes wanted */
export function scryptKey(
  passphrase: Uint8Array,
  salt: Uint8Array,
  cost: ScryptCost,
  length: number,
): Promise<Uint8Array> {
  // The library's own account of its memory has some blocks more than the formula.
  const maxmem = 2 * scryptMemoryBytes(cost) + 1024 * 1024;
  const options = { N: 2 ** cost.log2N, r: cost.r, p: cost.p, maxmem };
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, length, options, (error, key) => {
      if (error) reject(error);
      else resolve(new Uint8Array(key.buffer, key.byteOffset, key.length));
    });
  });
}
