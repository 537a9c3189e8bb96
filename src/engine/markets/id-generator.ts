/**
 * Ids for objects of a transaction, a tick or a block's end: each is the hash of the one before
 * (docs/protocol/60-state-engine-parameters.md#131-deterministic-root-id).
 */
import { sha3HexOf } from "../../crypto/sha.ts";

export class IdGenerator {
  private last: string | undefined;

  /**
   * @param root hex, of any length: the first id
   * @param after the id that follows an id, where a recording states it
   */
  constructor(
    private readonly root: string,
    private readonly after?: (id: string) => string | undefined,
  ) {}

  /** Hashed when it is asked for: most transactions make one thing or nothing. */
  next(): string {
    const { last } = this;
    this.last = last === undefined ? this.root : (this.after?.(last) ?? sha3HexOf(Uint8Array.fromHex(last)));
    return this.last;
  }

  /**
   * For objects made outside of transactions: the first id is as long as block hash and label's hash together
   * (docs/protocol/70-trading-orders.md#23-commands-inputdata-oneof-tag).
   * @param blockHash hex
   */
  static ofBlock(blockHash: string, label: string): IdGenerator {
    const suffix = sha3HexOf(new TextEncoder().encode(label));
    return new IdGenerator(blockHash.toLowerCase() + suffix);
  }

  /** For a market's tick, where the root itself is not an id. @param blockHash hex */
  static ofTick(blockHash: string, market: string): IdGenerator {
    const generator = IdGenerator.ofBlock(blockHash, market);
    generator.next();
    return generator;
  }
}
