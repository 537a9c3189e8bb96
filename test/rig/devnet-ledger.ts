// A devnet's promises to its clients, and which of them must still hold after it was killed.
import type { Database } from "bun:sqlite";
import { sha256HexOf } from "../../src/crypto/sha.ts";
import { hashOfRow } from "../../src/store/head.ts";
import { hexOf } from "../../src/wire/identifiers.ts";
import { pointOf } from "./chain-again.ts";

/** A transaction that was answered with the block that holds it. */
interface Acknowledged {
  readonly hash: string;
  readonly height: number;
  readonly code: number;
}

export interface Snapshot {
  readonly id: string;
  readonly height: number;
}

/**
 * Nothing is under way while a snapshot is taken or gone back to: so it is known what a revert takes back, and one
 * that a kill cut short has happened as a whole or not at all.
 */
export class Ledger {
  readonly snapshots: Snapshot[] = [];
  /** All that was ever acknowledged. */
  count = 0;
  private acknowledged: Acknowledged[] = [];
  private readonly hashes = new Map<number, string>();
  private height = 0;
  private reverting: Snapshot | undefined;

  acknowledge(answer: Acknowledged): void {
    this.count++;
    this.acknowledged.push(answer);
    this.height = Math.max(this.height, answer.height);
  }

  /** A height that a client was given. @param hash empty where only the height was given */
  seen(height: number, hash = ""): void {
    if (hash !== "") this.hashes.set(height, hash);
    this.height = Math.max(this.height, height);
  }

  /** A revert has begun, and its end was not reported. */
  get isReverting(): boolean {
    return this.reverting !== undefined;
  }

  beginRevert(snapshot: Snapshot): void {
    this.reverting = snapshot;
  }

  endRevert(): void {
    const { id, height } = this.reverting!;
    this.reverting = undefined;
    const at = this.snapshots.findIndex((snapshot) => snapshot.id === id);
    this.snapshots.length = at + 1;
    this.acknowledged = this.acknowledged.filter((each) => each.height <= height);
    for (const each of this.hashes.keys()) if (each > height) this.hashes.delete(each);
    this.height = Math.min(this.height, height);
  }

  /** Looks at what a killed process left. @returns what is wrong */
  check(db: Database): string[] {
    const stored = storedTransactions(db);
    const { height: head } = pointOf(db);
    const failures = this.settleRevert(stored, head);
    if (head < this.height)
      failures.push(`block ${this.height} was told and is gone: the chain ends at ${head}`);
    for (const { hash, height, code } of this.acknowledged) {
      const row = stored.get(hash);
      if (row === undefined) failures.push(`transaction ${hash} of block ${height} is lost`);
      else if (row.height !== height || row.code !== code) {
        const is = `is in block ${row.height} with code ${row.code}`;
        failures.push(`transaction ${hash} ${is}, and was told to be in block ${height} with code ${code}`);
      }
    }
    const hashes = blockHashes(db);
    for (const [height, hash] of this.hashes) {
      if (hashes.get(height) !== hash) failures.push(`block ${height} is another one than was told`);
    }
    return failures;
  }

  /** Of a revert whose end was not reported. */
  private settleRevert(stored: ReadonlyMap<string, { height: number }>, head: number): string[] {
    if (this.reverting === undefined) return [];
    const { height } = this.reverting;
    const reverted = this.acknowledged.filter((each) => each.height > height);
    const left = reverted.filter(({ hash }) => stored.has(hash)).length;
    const isWhole = left === reverted.length && head >= this.height;
    if (isWhole) {
      this.reverting = undefined;
      return [];
    }
    this.endRevert();
    return left === 0 ? [] : [`a revert to block ${height} left ${left} of ${reverted.length} transactions`];
  }
}

function storedTransactions(db: Database): Map<string, { height: number; code: number }> {
  const rows = db.query("SELECT height, code, bytes FROM chain_txs").all() as {
    height: bigint;
    code: bigint;
    bytes: Uint8Array;
  }[];
  return new Map(
    rows.map(({ height, code, bytes }) => [
      sha256HexOf(bytes).toUpperCase(),
      { height: Number(height), code: Number(code) },
    ]),
  );
}

function blockHashes(db: Database): Map<number, string> {
  const rows = db.query("SELECT height, time, hash FROM blocks").all() as {
    height: bigint;
    time: bigint;
    hash: Uint8Array;
  }[];
  return new Map(rows.map((row) => [Number(row.height), hexOf(hashOfRow(row))]));
}
