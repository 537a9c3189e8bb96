// The engine's only source of chance (DESIGN.md, "two doors"). It is none: every node that executes the same block
// draws the same numbers, because they follow from the block time (reference 60, section 1.4, step 8).
import { sha3Of } from "../crypto/sha3.ts";

/** Bytes of a digest that make a number: 48 bits, which a double holds exactly. */
const NUMBER_BYTES = 6;

export class Randomness {
  private drawn = 0;

  /**
   * @param seconds block time, Unix seconds
   * @param purpose what the numbers are for, so that two uses in one block do not see the same ones
   */
  constructor(
    private readonly seconds: bigint,
    private readonly purpose: string,
  ) {}

  /** A whole number from 0 to `limit - 1`. @param limit at most 2^32: the skew of the remainder stays below 2^-16 */
  below(limit: number): number {
    const digest = sha3Of(Buffer.from(`${this.purpose}/${this.seconds}/${this.drawn++}`, "utf8"));
    return Buffer.from(digest).readUIntBE(0, NUMBER_BYTES) % limit;
  }
}
