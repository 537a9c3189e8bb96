/** Ids of what a transaction, a tick or a block's end makes: each is the hash of the one before (reference 60, section 13.1). */
import { sha3HexOf } from "../../crypto/sha.ts";

export class IdGenerator {
  private id: string;

  /** @param root hex, of any length: the first id */
  constructor(root: string) {
    this.id = root;
  }

  next(): string {
    const id = this.id;
    this.id = sha3HexOf(Uint8Array.fromHex(id));
    return id;
  }

  /** For what is made outside of transactions: the root itself is not an id (section 2.3). @param blockHash hex */
  static ofBlock(blockHash: string, label: string): IdGenerator {
    const suffix = sha3HexOf(new TextEncoder().encode(label));
    const generator = new IdGenerator(blockHash.toLowerCase() + suffix);
    generator.next();
    return generator;
  }
}
