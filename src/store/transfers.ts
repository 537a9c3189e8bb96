// Rows of transfers. A transfer's identifier is 32 random bytes, and the rows that name one lie all over a table;
// they name it by a reference, made as those of `ids` are. It stands in `transfers_current`, the identifier in `transfers`.
import type { Database, Statement } from "bun:sqlite";
import { probeReference, referencePrefix } from "./ids.ts";

const AT = `SELECT t.id FROM transfers_current c CROSS JOIN transfers t ON t.block = c.block AND t.ref = c.ref
  WHERE c.ref = ?`;

type IdRow = { readonly id: Uint8Array } | null | undefined;

/** Where a transfer's identifier sorts among the references, known or not; an unknown identifier falls between two. */
export function transferPosition(id: Uint8Array, get: (sql: string, ref: number) => unknown): number {
  const { ref, found: isStored } = probeReference(id, (candidate) => (get(AT, candidate) as IdRow)?.id);
  return isStored ? ref : referencePrefix(id) - 0.5;
}

/** The state of a transfer that a block brings. */
export interface TransferState {
  readonly id: Uint8Array;
  readonly tx: number;
  /** The event's message. */
  readonly data: Uint8Array;
  /** Running numbers of the parties. */
  readonly fromNo: number;
  readonly toNo: number;
}

/** Only inside the writer's transaction. */
export class TransferRows {
  private readonly history: Statement;
  private readonly insertCurrent: Statement;
  private readonly updateCurrent: Statement;
  private readonly selectId: Statement;

  constructor(db: Database) {
    this.history = db.prepare(
      "INSERT OR REPLACE INTO transfers(block, ref, id, tx, data) VALUES(?, ?, ?, ?, ?)",
    );
    this.insertCurrent = db.prepare(
      "INSERT OR IGNORE INTO transfers_current(ref, block, from_no, to_no) VALUES(?, ?, ?, ?)",
    );
    this.updateCurrent = db.prepare(
      "UPDATE transfers_current SET block = ?, from_no = ?, to_no = ? WHERE ref = ?",
    );
    this.selectId = db.prepare(AT);
  }

  /** The last state of a transfer in a block is the one that stays. */
  put(block: number, { id, tx, data, fromNo, toNo }: TransferState): void {
    // Most are new, and nearly always the first reference is free: one statement then both finds out and inserts.
    const first = referencePrefix(id);
    const isFirst = this.insertCurrent.run(first, block, fromNo, toNo).changes > 0;
    const ref = isFirst ? first : this.putBeside(id, block, fromNo, toNo);
    this.history.run(block, ref, id, tx, data);
  }

  finalize(): void {
    for (const statement of [this.history, this.insertCurrent, this.updateCurrent, this.selectId])
      statement.finalize();
  }

  /** The first reference is taken: by the transfer's own earlier state, or by another transfer. */
  private putBeside(id: Uint8Array, block: number, fromNo: number, toNo: number): number {
    const { ref, found: isStored } = probeReference(
      id,
      (candidate) => (this.selectId.get(candidate) as IdRow)?.id,
    );
    if (isStored) this.updateCurrent.run(block, fromNo, toNo, ref);
    else this.insertCurrent.run(ref, block, fromNo, toNo);
    return ref;
  }
}

/** Brings the tables of schema 2 into those of schema 3; the old ones are named `transfers_2`, `transfers_current_2`. */
export function convertTransfers(db: Database): void {
  const rows = new TransferRows(db);
  const old = db.prepare(`SELECT t.block, t.id, t.tx, t.data, f.no AS from_no, o.no AS to_no
    FROM transfers_2 t CROSS JOIN transfers_current_2 c ON c.id = t.id
    CROSS JOIN ids f ON f.ref = c.from_party CROSS JOIN ids o ON o.ref = c.to_party ORDER BY t.block, t.id`);
  for (const row of old.iterate() as Iterable<OldRow>) {
    const state = { id: row.id, tx: Number(row.tx), data: row.data };
    rows.put(Number(row.block), { ...state, fromNo: Number(row.from_no), toNo: Number(row.to_no) });
  }
  old.finalize();
  rows.finalize();
}

interface OldRow {
  readonly block: bigint;
  readonly id: Uint8Array;
  readonly tx: bigint;
  readonly data: Uint8Array;
  readonly from_no: bigint;
  readonly to_no: bigint;
}
