// The chain's only source of randomness: numbers that follow from a seed, so that a saved or reverted chain continues with
// the same ones. For values that must differ, not for keys.
import type { ChainRandom } from "../chain/options.ts";

const BLOCK_BYTES = 32;

interface RandomState {
  /** Hex. */
  readonly seed: string;
  /** Blocks of bytes that were given out. */
  readonly taken: number;
}

export class Random implements ChainRandom {
  readonly name = "random";
  private taken = 0;

  /** @param seed any text; default: the system's randomness */
  constructor(
    private seed: string = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex"),
  ) {}

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count; at += BLOCK_BYTES) {
      const block = new Bun.CryptoHasher("sha256").update(`${this.seed}\n${this.taken++}`).digest();
      bytes.set(block.subarray(0, Math.min(BLOCK_BYTES, count - at)), at);
    }
    return bytes;
  }

  save(): string {
    const state: RandomState = { seed: this.seed, taken: this.taken };
    return JSON.stringify(state);
  }

  load(text: string): void {
    const { seed, taken } = JSON.parse(text) as RandomState;
    this.seed = seed;
    this.taken = taken;
  }
}
