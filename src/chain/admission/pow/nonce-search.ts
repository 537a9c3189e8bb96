// The search of a range of nonces, by any hash function.

import { keccakP } from "@noble/hashes/sha3.js";
import { leadingZeroBits, NONCE_BYTES, type ProofInput, preimagePrefix, proofHash } from "./function.ts";
import { KERNEL } from "./kernel.generated.ts";

// The search kernel: WebAssembly that tries three nonces at a time (scripts/generate-pow-kernel.ts).

/** Bytes of a block of SHA3-256 (FIPS 202, table 3). */
const RATE = 136;
const LANES = 25;
const LANE_BYTES = 8;
/** Bytes of a vector in the kernel's memory: each lane of the state twice. */
const VECTOR_BYTES = 16;
/** Bits that the kernel looks at: the first lane of the hash. */
const KERNEL_BITS_MAX = 64;

type SearchExport = (start: bigint, count: number, address: number, shift: number, mask: bigint) => bigint;

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly search: SearchExport;
}

/** The kernel in this thread. An instance costs milliseconds, a search of low difficulty microseconds: all share one. */
class Machine {
  readonly exports: Exports;
  private readonly words: BigUint64Array;
  private loaded: Vectors | undefined;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(KERNEL, "base64"));
    this.exports = new WebAssembly.Instance(module).exports as unknown as Exports;
    this.words = new BigUint64Array(this.exports.memory.buffer);
  }

  /** Puts what a search starts from into the memory. */
  load(vectors: Vectors): void {
    if (this.loaded === vectors) return;
    for (const [vector, lane] of vectors.entries()) this.words.fill(lane, vector * 2, vector * 2 + 2);
    this.loaded = vectors;
  }
}

/** Lanes, each of which is twice in the kernel's memory; never changed. */
type Vectors = BigUint64Array;

let machine: Machine | undefined;
let isMissing = false;

/** Made once a thread; undefined on machines whose WebAssembly has no vectors. */
function theMachine(): Machine | undefined {
  if (machine || isMissing) return machine;
  try {
    machine = new Machine();
  } catch {
    // Only speed is missing without it: the search then goes by CryptoHasher (nonce-search.ts).
    isMissing = true;
  }
  return machine;
}

/**
 * Whether the kernel can search behind a prefix of this many bytes: the nonce and the padding after it have to lie in
 * one block, which holds for 128 of 136 lengths, among them the 141 bytes of a usual proof.
 */
export function kernelFits(prefixBytes: number): boolean {
  return theMachine() !== undefined && (prefixBytes % RATE) + NONCE_BYTES < RATE;
}

/** A search behind one prefix. All blocks before the one with the nonce are absorbed when it is made. */
class Kernel {
  /** The state; the two lanes that the nonce falls into follow once more: the kernel writes over the first ones. */
  private readonly vectors: Vectors;
  private readonly lane: number;
  private readonly shift: number;
  private readonly mask: bigint;

  /** @param difficulty leading zero bits; beyond 64 the first 64 are looked for */
  constructor(prefix: Uint8Array, difficulty: number) {
    const nonceAt = prefix.length % RATE;
    this.lane = Math.floor(nonceAt / LANE_BYTES);
    this.shift = (nonceAt % LANE_BYTES) * 8;
    this.mask = leadingBitsMask(Math.min(difficulty, KERNEL_BITS_MAX));
    const state = absorb(prefix);
    this.vectors = BigUint64Array.of(...state, state[this.lane]!, state[this.lane + 1]!);
  }

  /**
   * The first nonce from `start` on whose hash begins with the wanted zero bits.
   * @param count how many to try, below 2^31
   */
  search(start: bigint, count: number): bigint | undefined {
    const machine = theMachine()!;
    machine.load(this.vectors);
    const address = this.lane * VECTOR_BYTES;
    const attempt = machine.exports.search(BigInt.asIntN(64, start), count, address, this.shift, this.mask);
    // It tries three at a time, the last of which may be beyond.
    return attempt >= 0n && attempt < BigInt(count) ? start + attempt : undefined;
  }
}

/** The sponge's state when everything but the nonce has been put in, before the last permutation. */
function absorb(prefix: Uint8Array): BigUint64Array {
  const words = new Uint32Array(LANES * 2);
  const state = new Uint8Array(words.buffer);
  let at = 0;
  const put = (end: number) => {
    for (let offset = 0; at < end; offset++, at++) state[offset]! ^= prefix[at]!;
  };
  while (at + RATE <= prefix.length) {
    put(at + RATE);
    keccakP(words);
  }
  put(prefix.length);
  // SHA-3's suffix and the padding (FIPS 202, sections 6.1 and 5.1), behind the nonce.
  state[(prefix.length % RATE) + NONCE_BYTES]! ^= 0x06;
  state[RATE - 1]! ^= 0x80;
  return new BigUint64Array(words.buffer);
}

/** The lane's bits that are the first of the hash: lanes are little-endian. As the signed number the kernel takes. */
function leadingBitsMask(bits: number): bigint {
  const bytes = Buffer.alloc(LANE_BYTES);
  bytes.writeBigUInt64BE(((1n << BigInt(bits)) - 1n) << BigInt(KERNEL_BITS_MAX - bits));
  return bytes.readBigInt64LE();
}

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
