// One way to look through a range of nonces, whatever does the hashing.
import { leadingZeroBits, NONCE_BYTES, type ProofInput, preimagePrefix, proofHash } from "./function.ts";
import { Kernel, kernelFits } from "./kernel.ts";

/** Nonces tried in one go: half a millisecond of the kernel, so that a cancelled search ends at once. The kernel tries three. */
export const CHUNK = 3 * 700;

export interface NonceSearch {
  readonly engine: "kernel" | "hasher";
  /** The first nonce of `start` … `start + count - 1` that is good; undefined when none is. */
  search(start: bigint, count: number): bigint | undefined;
}

/** @param difficulty leading zero bits, 0 to 256 */
export function openSearch(input: ProofInput, difficulty: number): NonceSearch {
  const prefix = preimagePrefix(input);
  return kernelFits(prefix.length)
    ? new KernelSearch(input, prefix, difficulty)
    : new HasherSearch(prefix, difficulty);
}

export class KernelSearch implements NonceSearch {
  readonly engine = "kernel";
  private readonly kernel: Kernel;

  constructor(
    private readonly input: ProofInput,
    prefix: Uint8Array,
    private readonly difficulty: number,
  ) {
    this.kernel = new Kernel(prefix, difficulty);
  }

  search(start: bigint, count: number): bigint | undefined {
    const end = start + BigInt(count);
    for (let from = start; from < end; ) {
      const nonce = this.kernel.search(from, Number(end - from));
      if (nonce === undefined || nonce >= end) return undefined;
      // The native hash has the last word: the kernel sees 64 bits only, and nothing unproven leaves this room.
      if (leadingZeroBits(proofHash({ ...this.input, nonce })) >= this.difficulty) return nonce;
      from = nonce + 1n;
    }
    return undefined;
  }
}

/** For prefixes that the kernel does not fit, and machines that do not fit the kernel. */
export class HasherSearch implements NonceSearch {
  readonly engine = "hasher";
  private readonly absorbed = new Bun.CryptoHasher("sha3-256");
  private readonly nonceBytes = Buffer.alloc(NONCE_BYTES);

  constructor(
    prefix: Uint8Array,
    private readonly difficulty: number,
  ) {
    this.absorbed.update(prefix);
  }

  search(start: bigint, count: number): bigint | undefined {
    const end = start + BigInt(count);
    for (let nonce = start; nonce < end; nonce++) {
      this.nonceBytes.writeBigUInt64BE(nonce);
      const hash = this.absorbed.copy().update(this.nonceBytes).digest();
      if (leadingZeroBits(hash) >= this.difficulty) return nonce;
    }
    return undefined;
  }
}
