// Numbers and identifiers of the sample network: all from names and a fixed seed, never from a clock or the system.
import { keccak_256 } from "@noble/hashes/sha3.js";

export const CHAIN_ID = "lyra-sample-1";

/**
 * Most of every identifier only says whose it is: a recording is mostly identifiers, and a hash does not compress.
 * In hex: the chain's name and padding.
 */
const ID_TAIL = Buffer.from(`-${CHAIN_ID}`.padEnd(26, "-")).toString("hex");
const BLOCK_TAIL = Buffer.from(`-${CHAIN_ID}-block`.padEnd(27, "-")).toString("hex");

/** 32 bytes that stand for a name, as lower-case hex. The first six are a hash: as many as the store tells them apart by. */
export function idOf(...name: readonly (string | number)[]): string {
  return hashOf(...name).slice(0, 12) + ID_TAIL;
}

/** 32 bytes that stand for a block; the first ones are its height in decimal digits. */
export function blockHashOf(height: number): string {
  return String(height).padStart(10, "0") + BLOCK_TAIL;
}

/** SHA-256 of a name. */
export function hashOf(...name: readonly (string | number)[]): string {
  return new Bun.CryptoHasher("sha256").update([CHAIN_ID, ...name].join("/")).digest("hex");
}

/** An Ethereum address that stands for a name, in the mixed case of EIP-55. */
export function addressOf(...name: readonly (string | number)[]): string {
  const hex = hashOf("address", ...name).slice(0, 40);
  const hash = Buffer.from(keccak_256(new TextEncoder().encode(hex))).toString("hex");
  const letters = [...hex].map((letter, i) => (hash[i]! >= "8" ? letter.toUpperCase() : letter));
  return `0x${letters.join("")}`;
}

/**
 * 65 bytes in the form of a bridge signature, r, s and v
 * (docs/protocol/60-state-engine-accounts.md#47-what-exactly-is-signed); not a signature of anything.
 */
export function signatureOf(...name: readonly (string | number)[]): Uint8Array {
  const r = Buffer.from(hashOf("r", ...name), "hex");
  const s = Buffer.from(hashOf("s", ...name), "hex");
  s[0]! &= 0x7f;
  return Buffer.concat([r, s, Uint8Array.of(r[31]! & 1)]);
}

/** Small seeded generator (mulberry32). */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}
