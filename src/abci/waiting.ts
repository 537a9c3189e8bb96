/**
 * Transactions that wait in the consensus engine's own mempool, as far as its checks show. Nothing is evicted there, and at the
 * engine's own limit transactions are lost whose senders believe that they were taken. So the room is counted here, where
 * they come one after the other, and the engine's limit lies above it.
 */

import type { CheckedTransaction } from "../wire/transaction-check.ts";
import { COMMANDS } from "../wire/transaction-commands.ts";

interface WaitingTx {
  readonly tx: CheckedTransaction;
  readonly bytes: Uint8Array;
  /** Height of its last check. */
  checkedAt: number;
}

interface Room {
  readonly txsMax: number;
  readonly bytesMax: number;
}

/** A mempool that is half full is shared: a party has a tenth of it. */
const SHARED_FROM = 2;
const SHARES = 10;

export class WaitingTxs {
  private readonly byHash = new Map<string, WaitingTx>();
  /** Numbers of transactions by party; those of validators' work are not counted: there is always room for them. */
  private readonly ofParty = new Map<string, number>();
  private counted = 0;
  private bytes_ = 0;

  constructor(private readonly room: Room) {}

  get size(): number {
    return this.byHash.size;
  }

  get bytes(): number {
    return this.bytes_;
  }

  /** As they came. */
  entries(): MapIterator<[string, WaitingTx]> {
    return this.byHash.entries();
  }

  has(hash: string): boolean {
    return this.byHash.has(hash);
  }

  /** Why there is no room for one more; undefined where there is. */
  lacksRoom({ party, kind }: CheckedTransaction, size: number): string | undefined {
    if (COMMANDS[kind].isValidatorCommand) return undefined;
    const { txsMax, bytesMax } = this.room;
    const totals = `number of txs ${this.counted} (max: ${txsMax}), total txs bytes ${this.bytes_} (max: ${bytesMax})`;
    if (this.counted >= txsMax || this.bytes_ + size > bytesMax) return `mempool is full: ${totals}`;
    const own = this.ofParty.get(party) ?? 0;
    const share = Math.max(1, Math.floor(txsMax / SHARES));
    if (this.counted * SHARED_FROM < txsMax || own < share) return undefined;
    return `mempool is full for this party: ${own} of its transactions wait (max: ${share} while half of it is taken), ${totals}`;
  }

  /** @param height of the check that it passed */
  put(hash: string, tx: CheckedTransaction, bytes: Uint8Array, height: number): void {
    const entry = this.byHash.get(hash);
    if (entry !== undefined) {
      entry.checkedAt = height;
      return;
    }
    this.byHash.set(hash, { tx, bytes, checkedAt: height });
    this.count(tx, bytes, 1);
  }

  /** @returns false for an unknown hash */
  delete(hash: string): boolean {
    const entry = this.byHash.get(hash);
    if (entry === undefined) return false;
    this.byHash.delete(hash);
    this.count(entry.tx, entry.bytes, -1);
    return true;
  }

  clear(): void {
    for (const hash of [...this.byHash.keys()]) this.delete(hash);
  }

  private count({ party, kind }: CheckedTransaction, { length }: Uint8Array, change: 1 | -1): void {
    this.bytes_ += change * length;
    if (COMMANDS[kind].isValidatorCommand) return;
    this.counted += change;
    const own = (this.ofParty.get(party) ?? 0) + change;
    if (own > 0) this.ofParty.set(party, own);
    else this.ofParty.delete(party);
  }
}
