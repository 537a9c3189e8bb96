// Transactions by the hash of their bytes, read and verified once: the engine shows each of them several times.
import { LruCache } from "../cache/lru.ts";
import { sha256HexOf } from "../crypto/sha.ts";
import { attributesOfChecked, eventsOf } from "../wire/transaction-attributes.ts";
import { type CheckedTransaction, checkTransaction, type Verdict } from "../wire/transaction-check.ts";

const BYTES_MAX = 64 * 1024 * 1024;
/** Size of its members as objects, about. */
const OBJECT_BYTES = 4_000;

export interface ParsedTx {
  readonly bytes: Uint8Array;
  /** Upper-case hex. */
  readonly hash: string;
  readonly verdict: Verdict;
  /** Attributes for the engine's index: they follow from the transaction alone. */
  readonly events: ReturnType<typeof eventsOf>;
}

/** A transaction that has a valid form and signature. */
export interface ValidTx {
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly tx: CheckedTransaction;
}

export type CheckForm = (bytes: Uint8Array, chainId: string, hash: string) => Verdict;

export class ParsedTransactions {
  private readonly byHash = new LruCache<string, ParsedTx>(
    BYTES_MAX,
    ({ bytes }) => bytes.length + OBJECT_BYTES,
  );

  /** The block shown last: most come again, in a proposal that is judged and then decided. */
  private shown: readonly ParsedTx[] = [];

  constructor(
    private readonly chainId: string,
    private readonly check: CheckForm = checkTransaction,
  ) {}

  /** A block's transactions. To compare them with those shown last costs a tenth of their hashes. */
  block(txs: readonly Uint8Array[]): readonly ParsedTx[] {
    const before = this.shown;
    this.shown = txs.map((bytes, n) => {
      const same = before[n];
      return same !== undefined && Buffer.compare(same.bytes, bytes) === 0 ? same : this.of(bytes);
    });
    return this.shown;
  }

  of(bytes: Uint8Array): ParsedTx {
    const plainHash = sha256HexOf(bytes);
    const hash = plainHash.toUpperCase();
    const before = this.byHash.get(hash);
    if (before !== undefined) return before;
    const verdict = this.check(bytes, this.chainId, plainHash);
    const events = verdict.ok ? eventsOf(attributesOfChecked(verdict.transaction)) : [];
    const parsed = { bytes, hash, verdict, events };
    this.byHash.set(hash, parsed);
    return parsed;
  }

  /** Undefined for bytes that no block may hold. */
  validOf(bytes: Uint8Array): ValidTx | undefined {
    return validTx(this.of(bytes));
  }
}

/** Undefined for what no block may hold. */
export function validTx({ bytes, hash, verdict }: ParsedTx): ValidTx | undefined {
  return verdict.ok ? { bytes, hash, tx: verdict.transaction } : undefined;
}
