// The table `segments`: which segments this store has.
import type { Database } from "bun:sqlite";

export interface SegmentRow {
  readonly from: number;
  readonly to: number;
  /** SHA-256 of the segment's record, hex; names the file. */
  readonly id: string;
  /** Id of the segment before; empty for the first. */
  readonly previousId: string;
  readonly databaseVersion: number;
  readonly chainId: string;
  /** Size of the file. */
  readonly bytes: number;
}

/** All segments, ascending. */
export function listSegments(db: Database): SegmentRow[] {
  const rows = db.query("SELECT * FROM segments ORDER BY to_height").all() as {
    to_height: bigint;
    from_height: bigint;
    id: string;
    previous_id: string;
    database_version: bigint;
    chain_id: string;
    bytes: bigint;
  }[];
  return rows.map((row) => ({
    from: Number(row.from_height),
    to: Number(row.to_height),
    id: row.id,
    previousId: row.previous_id,
    databaseVersion: Number(row.database_version),
    chainId: row.chain_id,
    bytes: Number(row.bytes),
  }));
}

/** Id of the segment that ends at a height. */
export function idOfSegment(db: Database, to: number): string | undefined {
  const row = db.query("SELECT id FROM segments WHERE to_height = ?").get(to) as { id: string } | null;
  return row?.id;
}

/**
 * Records segments between the transactions of the connection that also writes blocks. Inside one a row would be
 * taken back with it, while the maker goes on from that segment: the chain would have a hole at the next start.
 */
export class SegmentRecorder {
  private waiting: (() => void)[] = [];

  constructor(private readonly db: Database) {}

  /** Settles when the row is stored. */
  record(row: SegmentRow): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push(() => {
        try {
          recordSegment(this.db, row);
          resolve();
        } catch (error) {
          reject(error as Error);
        }
      });
      this.onCommitted();
    });
  }

  /** To be called when a transaction has ended, either way, and when none will come any more. */
  onCommitted(): void {
    if (this.db.inTransaction) return;
    const waiting = this.waiting;
    this.waiting = [];
    for (const store of waiting) store();
  }
}

/** Only on the writer's connection. A segment with the same end is replaced (reference 20, section 4.4). */
export function recordSegment(db: Database, row: SegmentRow): void {
  db.query(
    "INSERT OR REPLACE INTO segments(to_height, from_height, id, previous_id, database_version, chain_id, bytes) VALUES(?, ?, ?, ?, ?, ?, ?)",
  ).run(row.to, row.from, row.id, row.previousId, row.databaseVersion, row.chainId, row.bytes);
}
