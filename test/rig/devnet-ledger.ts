// What a devnet has told its clients, and what of it must still be so after it was killed.
import type { Database } from "bun:sqlite";
import { sha256HexOf } from "../../src/crypto/sha256.ts";
import { blockHash } from "../../src/store/block-hash.ts";
import { pointOf } from "./chain-again.ts";

/** A transaction that was answered with the block that holds it. */
interface Acknowledged {
  readonly hash: string;
  readonly height: number;
  readonly code: number;
  /** Turns of `Ledger.era` at which it was sent and answered. */
  readonly sent: number;
  readonly answered: number;
}

interface Snapshot {
  readonly id: string;
  readonly height: number;
  readonly era: number;
}

/**
 * A revert takes back what was acknowledged. What overlaps with one is in doubt: it may be there or not. A revert that
 * was cut short by a kill has happened as a whole or not at all.
 */
export class Ledger {
  /** Counts snapshots and reverts, at their begin and at their end. */
  era = 0;
  readonly snapshots: Snapshot[] = [];
  private acknowledged: Acknowledged[] = [];
  private readonly heights = new Map<number, { hash: string; era: number }>();
  /** Height that the chain cannot be below. */
  private floor = 0;
  private reverting: { to: number; era: number; since: number } | undefined;
  /** All that was ever acknowledged, for the report. */
  count = 0;

  acknowledge(answer: Omit<Acknowledged, "answered">): void {
    this.count++;
    this.acknowledged.push({ ...answer, answered: this.era });
    this.raise(answer.height, answer.sent);
  }

  /** A height that somebody was told. @param hash empty where only the height was told */
  seen(height: number, hash: string, sentEra: number): void {
    if (sentEra !== this.era || this.reverting) return;
    if (hash !== "") this.heights.set(height, { hash, era: sentEra });
    this.raise(height, sentEra);
  }

  beginSnapshot(): void {
    this.era++;
  }

  /** @param height that the chain had at the most when it was taken, and at the least */
  endSnapshot(id: string, height: number): void {
    this.era++;
    this.snapshots.push({ id, height, era: this.era });
  }

  beginRevert({ id, height, era }: Snapshot): void {
    this.era++;
    this.reverting = { to: height, era: this.era, since: era };
    while (this.snapshots.at(-1)!.id !== id) this.snapshots.pop();
  }

  endRevert(height: number): void {
    const { era } = this.reverting!;
    this.era++;
    this.forget(height, era);
    this.reverting = undefined;
  }

  /** It was refused: nothing has happened. */
  cancelRevert(): void {
    this.reverting = undefined;
  }

  /** Looks at what a killed process left. @returns what is wrong */
  check(db: Database): string[] {
    const failures: string[] = [];
    const { height: head } = pointOf(db);
    const stored = storedTransactions(db);
    if (this.reverting) failures.push(...this.settleRevert(stored));
    if (head < this.floor) failures.push(`block ${this.floor} was told and is gone: the chain ends at ${head}`);
    for (const { hash, height, code } of this.acknowledged) {
      const found = stored.get(hash);
      if (found === undefined) failures.push(`transaction ${hash} of block ${height} is lost`);
      else if (found.height !== height || found.code !== code) {
        const is = `is in block ${found.height} with code ${found.code}`;
        failures.push(`transaction ${hash} ${is}, and was told to be in block ${height} with code ${code}`);
      }
    }
    const hashes = blockHashes(db);
    for (const [height, { hash }] of this.heights) {
      if (height <= head && hashes.get(height) !== hash) failures.push(`block ${height} is another one than was told`);
    }
    return failures;
  }

  private raise(height: number, sentEra: number): void {
    if (sentEra === this.era && !this.reverting) this.floor = Math.max(this.floor, height);
  }

  /** Whether a revert that nobody heard the end of has happened: as a whole, or not at all. */
  private settleRevert(stored: ReadonlyMap<string, { height: number }>): string[] {
    const { to, era, since } = this.reverting!;
    this.reverting = undefined;
    const sure = this.acknowledged.filter((each) => each.height > to && each.sent >= since && each.answered < era);
    const there = sure.filter(({ hash, height }) => stored.get(hash)?.height === height).length;
    if (there === 0 || sure.length === 0) this.forget(to, era);
    else if (there < sure.length) {
      this.forget(to, era);
      return [`a revert to block ${to} took back ${sure.length - there} of ${sure.length} transactions`];
    }
    this.acknowledged = this.acknowledged.filter(({ height, answered }) => height <= to || answered < era);
    this.era++;
    return [];
  }

  private forget(above: number, era: number): void {
    this.acknowledged = this.acknowledged.filter(({ height, sent }) => height <= above || sent > era);
    for (const [height, seen] of this.heights) if (height > above && seen.era <= era) this.heights.delete(height);
    const kept = this.acknowledged.map(({ height }) => height);
    this.floor = Math.max(Math.min(this.floor, above), ...kept);
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
  const statement = db.prepare("SELECT height, hash FROM blocks WHERE hash IS NOT NULL");
  const rows = statement.all() as { height: bigint; hash: Uint8Array }[];
  return new Map(rows.map(({ height, hash }) => [Number(height), Buffer.from(hash).toString("hex")]));
}
void blockHash;
