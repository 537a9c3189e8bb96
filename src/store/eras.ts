// Eras: stretches of blocks with about as many rows each in the tables that are clustered by party. Such a table begins
// its key with the era, so that new rows fall into one bounded stretch of its tree, wherever their parties stand: the
// cost of a row does not grow with the store. A party's rows are read era by era.
import type { Database, Statement } from "bun:sqlite";

/** Rows of an era; its stretches of both tables then have some tens of megabytes. */
const ERA_ROWS = 2 ** 20;

/** The rows of a party in a table clustered by it, era by era: `p` is the table, `e` its era, which goes first in an order. */
export function byParty(table: string, p = "p", e = "e"): string {
  // The few eras are walked in order, and in each the party's rows.
  return `eras ${e} CROSS JOIN ${table} ${p} ON ${p}.era = ${e}.no`;
}

/** Era of the rows of a block. @param block a column */
export function eraOf(block: string): string {
  return `(SELECT max(no) FROM eras WHERE first_block <= ${block})`;
}

interface EraRow {
  readonly no: bigint;
  readonly rows: bigint;
}

/** The writer's view: the era of the block that is being written. */
export class Eras {
  private readonly select: Statement;
  private readonly insert: Statement;
  private readonly update: Statement;
  private no = 0;
  private rows = 0;
  private isChanged = false;

  constructor(
    db: Database,
    private readonly rowsMax = ERA_ROWS,
  ) {
    this.select = db.prepare("SELECT no, rows FROM eras ORDER BY no DESC LIMIT 1");
    this.insert = db.prepare("INSERT INTO eras(no, rows, first_block) VALUES(?, 0, ?)");
    this.update = db.prepare("UPDATE eras SET rows = ? WHERE no = ?");
  }

  /** Before a block's first row; blocks that share a row of `blocks` share the era. */
  startBlock(block: number, isContinued: boolean): void {
    if (this.no === 0) {
      const last = this.select.get() as EraRow | null;
      this.no = Number(last?.no ?? 0n);
      this.rows = Number(last?.rows ?? 0n);
    }
    if (this.no > 0 && (this.rows < this.rowsMax || isContinued)) return;
    this.no++;
    this.rows = 0;
    this.insert.run(this.no, block);
  }

  /** Era of a row that is written now. */
  nextRow(): number {
    this.rows++;
    this.isChanged = true;
    return this.no;
  }

  endBlock(): void {
    if (!this.isChanged) return;
    this.isChanged = false;
    this.update.run(this.rows, this.no);
  }

  /** The transaction was rolled back. */
  reset(): void {
    this.no = 0;
    this.isChanged = false;
  }
}
