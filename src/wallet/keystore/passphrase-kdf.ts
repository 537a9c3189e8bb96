// How a passphrase becomes a key in Lyra's own files: scrypt, with limits on what a file may ask for. A file's
// parameters are read before anything in it can be trusted, so they must not exhaust the machine.
import { type ScryptCost, scryptKey, scryptMemoryBytes } from "../../crypto/secrets.ts";
import { walletError } from "../errors.ts";

export type { ScryptCost };

/** 128 MiB, and about half a second on one core of 2024 (bench: open a wallet). */
export const KDF_COST: ScryptCost = { log2N: 17, r: 8, p: 2 };
export const SALT_BYTES = 32;
/** A key for the cipher and one for the check value. */
const DERIVED_BYTES = 64;

/** Limits of parameters: four times the memory and eight times the work of new files. */
const MEMORY_BYTES_MAX = 513 * 1024 * 1024;
const WORK_MAX = 8 * workOf(KDF_COST);
/** Less is for tests alone, which say so. */
const MEMORY_BYTES_MIN = 16 * 1024 * 1024;

export interface KdfRules {
  /** Open and write files whose passphrase can be guessed fast. For tests: the command line never sets it. */
  readonly allowWeakKdf?: boolean;
}

export function isWeak(cost: ScryptCost): boolean {
  return scryptMemoryBytes(cost) < MEMORY_BYTES_MIN;
}

/** @throws NodeError `kdf_refused` for parameters beyond the limits, or weak ones where nobody allowed them */
export function checkCost(cost: ScryptCost, { allowWeakKdf = false }: KdfRules): void {
  const { log2N, r, p } = cost;
  // RFC 7914, section 2: N is below 2^(16 r).
  const isSound = log2N >= 1 && log2N <= 30 && r >= 1 && p >= 1 && log2N < 16 * r;
  if (!isSound || scryptMemoryBytes(cost) > MEMORY_BYTES_MAX || workOf(cost) > WORK_MAX) {
    throw walletError(
      "kdf_refused",
      "the wallet file asks for more memory or time than a passphrase may take",
      "it was not made by Lyra: open only files of your own",
    );
  }
  if (isWeak(cost) && !allowWeakKdf) {
    throw walletError(
      "kdf_refused",
      "the wallet file's passphrase is protected too weakly",
      "it was made by a test, not by Lyra's command line",
    );
  }
}

/** @returns 64 secret bytes: the caller wipes them */
export async function deriveFromPassphrase(
  passphrase: Uint8Array,
  salt: Uint8Array,
  cost: ScryptCost,
): Promise<Uint8Array> {
  try {
    return await scryptKey(passphrase, salt, cost, DERIVED_BYTES);
  } catch (error) {
    const megabytes = Math.ceil(scryptMemoryBytes(cost) / 1024 / 1024);
    throw walletError(
      "kdf_failed",
      "no key could be made from the passphrase",
      `it takes ${megabytes} MiB of memory, which may not be there`,
      { cause: error },
    );
  }
}

function workOf({ log2N, r, p }: ScryptCost): number {
  return 2 ** log2N * r * p;
}
