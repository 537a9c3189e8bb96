/**
 * The proofs of transactions that wait in this node's mempool: no two may have the same identifier, and a proof that
 * was good for the mempool need not be worked out again for the block. It holds as much as the mempool does; a refusal
 * leaves nothing here, but for the original's rules, which are bounded.
 */
import { LruCache } from "../../../cache/lru.ts";
import { sha256HexOf } from "../../../crypto/sha.ts";
import type { Proof } from "./function.ts";
import type { PowParameters } from "./windows.ts";

/** Identifiers are 64 hexadecimal digits; the network takes any text, and a mempool of long ones would be all there is. */
export const TID_BYTES_MAX = 256;
/** Longer ones are remembered by their hash, which has as many characters. */
const TID_KEPT_MAX = 64;
/** Proofs held, and identifiers of refused ones: more than a mempool takes. */
const HELD_MAX = 20_000;
const BURNT_MAX = 100_000;

export interface Proven {
  /** Of the transaction. */
  readonly hash: string;
  readonly proof: Proof;
  readonly parameters: PowParameters;
  readonly bits: number;
}

interface Holder {
  readonly hash: string;
  readonly tid: string;
}

/** What an identifier is remembered by; of a key it is the key. */
export function tidKey(tid: string): string {
  return tid.length <= TID_KEPT_MAX ? tid : sha256HexOf(Buffer.from(tid, "utf8"));
}

export class WaitingProofs {
  private readonly tids = new Set<string>();
  private readonly byHash = new LruCache<string, Proven>(HELD_MAX);
  /** Of refused submissions since the last commit. */
  private readonly burnt = new LruCache<string, true>(BURNT_MAX);

  /** @param isSpending whether leaving the mempool leaves the identifier spent until the next commit */
  constructor(private readonly isSpending: boolean) {}

  has(tid: string): boolean {
    const key = tidKey(tid);
    return this.tids.has(key) || this.burnt.has(key);
  }

  reserve({ hash, tid }: Holder, proven: Proven | undefined): void {
    this.tids.add(tidKey(tid));
    if (proven === undefined) return;
    this.byHash.set(hash, proven);
  }

  release({ hash, tid }: Holder): void {
    this.byHash.delete(hash);
    this.tids.delete(tidKey(tid));
    if (this.isSpending) this.burn(tid);
  }

  burn(tid: string): void {
    this.burnt.set(tidKey(tid), true);
  }

  proven(hash: string): Proven | undefined {
    return this.byHash.get(hash);
  }

  /** A block has it. */
  delivered(hash: string): void {
    this.byHash.delete(hash);
  }

  commit(): void {
    this.tids.clear();
    this.burnt.clear();
  }
}
