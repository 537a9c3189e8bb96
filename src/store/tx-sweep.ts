/**
 * Hashes of transactions that no row refers to any more, once the history around them is gone. Their numbers go up with
 * the blocks: those of blocks below the floors of history are looked for in the rows that stayed, and the others are
 * deleted, by and by in the writer's transactions.
 */
import type { Database, Statement } from "bun:sqlite";
import { TX_NONE } from "./schema.ts";

/** Blocks between two notes of how far the numbers have come. */
const NOTE_BLOCKS = 500;
/** Numbers of a round: as many bits, and too few are not worth a look through the rows. */
const ROUND_MAX = 8_000_000;
const ROUND_MIN = 20_000;
/** Numbers looked at between two looks at the clock. */
const PIECE = 2_000;
const PIECE_BLOCKS = 200;
const ROWID_MIN = -(2n ** 63n);
const NOTE = "tx:";
const SWEPT = "tx-swept";
const DIGITS = 12;
const HASH_BYTES = 45;

interface Round {
  /** Numbers above `from` and up to `to`; a bit is set for each that a row has. */
  readonly from: number;
  readonly to: number;
  readonly bits: Uint8Array;
  /** The rows of one table after the other; undefined when all are read. */
  rows: Iterator<readonly Numbered[]> | undefined;
  /** Up to here they are deleted. */
  at: number;
}

export class TxSweep {
  private round: Round | undefined;
  private notedNo: number;
  private swept: number;
  private readonly write: Statement;
  private readonly remove: Statement;
  private readonly lastId: Statement;

  /** @param roundMin fewer numbers than this are not worth a round */
  constructor(
    private readonly db: Database,
    private readonly roundMin = ROUND_MIN,
  ) {
    this.write = db.prepare("INSERT OR REPLACE INTO retention(name, value) VALUES(?, ?)");
    this.remove = db.prepare("DELETE FROM txs WHERE id > ? AND id <= ?");
    this.lastId = db.prepare("SELECT max(id) AS id FROM txs");
    this.notedNo = 0;
    this.swept = TX_NONE;
    this.reload();
  }

  /** A transaction was rolled back: its deleted rows exist again. */
  reload(): void {
    this.round = undefined;
    const rows = this.db.query("SELECT name, value FROM retention WHERE name LIKE 'tx%' ORDER BY name").all();
    const facts = new Map(
      (rows as { name: string; value: string }[]).map(({ name, value }) => [name, value]),
    );
    this.swept = Number(facts.get(SWEPT) ?? TX_NONE);
    facts.delete(SWEPT);
    this.notedNo = Math.max(0, ...[...facts.keys()].map((name) => Number(name.slice(NOTE.length))));
  }

  /** Bytes of the hashes that no round has looked at yet, about. */
  get unsweptBytes(): number {
    const { id } = this.lastId.get() as { id: bigint };
    return Math.max(0, Number(id) - this.swept) * HASH_BYTES;
  }

  /** Notes now and then how far the numbers have come. In a transaction, behind all rows of a block. */
  noteBlock(no: number): void {
    if (no < this.notedNo + NOTE_BLOCKS) return;
    this.notedNo = no;
    const { id } = this.lastId.get() as { id: bigint };
    this.write.run(NOTE + String(no).padStart(DIGITS, "0"), String(id));
  }

  /**
   * Goes on for a while, in a transaction.
   * @param floorNo below it there is only what stays
   * @returns numbers that were deleted
   */
  sweepUntil(untilMs: number, floorNo: number, nowMs: () => number): number {
    this.round ??= this.beginRound(floorNo);
    const { round } = this;
    if (round === undefined) return 0;
    while (round.rows !== undefined) {
      const { value, done } = round.rows.next();
      if (done) round.rows = undefined;
      else for (const { tx } of value) setBit(round, Number(tx));
      if (nowMs() > untilMs) return 0;
    }
    let deleted = 0;
    while (round.at < round.to) {
      deleted += this.deletePiece(round);
      if (nowMs() > untilMs) return deleted;
    }
    this.round = undefined;
    return deleted;
  }

  private deletePiece(round: Round): number {
    const { from, bits } = round;
    const to = Math.min(round.to, round.at + PIECE);
    let deleted = 0;
    let free = round.at;
    for (let id = round.at + 1; id <= to + 1; id++) {
      const isKept = id > to || hasBit(bits, id - from);
      if (!isKept) continue;
      if (id - 1 > free) deleted += Number(this.remove.run(free, id - 1).changes);
      free = id;
    }
    round.at = to;
    this.swept = to;
    this.write.run(SWEPT, String(to));
    return deleted;
  }

  private beginRound(floorNo: number): Round | undefined {
    const note = this.db
      .query(
        "SELECT name, value FROM retention WHERE name LIKE 'tx:%' AND name <= ? ORDER BY name DESC LIMIT 1",
      )
      .get(NOTE + String(floorNo).padStart(DIGITS, "0")) as { name: string; value: string } | null;
    if (note === null) return undefined;
    const from = this.swept;
    const to = Math.min(Number(note.value), from + ROUND_MAX);
    if (to - from < this.roundMin) return undefined;
    this.db.query("DELETE FROM retention WHERE name LIKE 'tx:%' AND name < ?").run(note.name);
    const rows = numbersIn(this.db, Number(note.name.slice(NOTE.length)), from, to);
    return { from, to, bits: new Uint8Array(Math.ceil((to - from + 1) / 8) + 1), rows, at: from };
  }
}

function setBit({ bits, from }: Round, id: number): void {
  const at = id - from;
  bits[at >> 3] = bits[at >> 3]! | (1 << (at & 7));
}

function hasBit(bits: Uint8Array, at: number): boolean {
  return (bits[at >> 3]! & (1 << (at & 7))) !== 0;
}

/**
 * Numbers that rows of blocks up to one have, a piece at a time. No statement is open between two pieces: it would keep
 * the log from restarting.
 */
function* numbersIn(db: Database, no: number, from: number, to: number): Generator<readonly Numbered[]> {
  const bounds = `tx > ${from} AND tx <= ${to}`;
  for (const { name, key, isRowid } of tablesWithTx(db)) {
    if (name === "market_data" || key === "block") yield* byBlock(db, name, no, bounds);
    else if (isRowid) yield* byRowid(db, name, key, bounds);
    else yield db.query(`SELECT tx FROM ${name} WHERE ${bounds}`).all() as Numbered[];
  }
}

interface Numbered {
  readonly tx: bigint;
}

function* byBlock(db: Database, name: string, no: number, bounds: string): Generator<readonly Numbered[]> {
  const source =
    name === "market_data"
      ? "markets_current m CROSS JOIN market_data t ON t.market = m.id AND"
      : `${name} t WHERE`;
  const select = db.prepare(`SELECT t.tx AS tx FROM ${source} t.block > ? AND t.block <= ? AND t.${bounds}`);
  for (let at = 0; at < no; at += PIECE_BLOCKS)
    yield select.all(at, Math.min(no, at + PIECE_BLOCKS)) as Numbered[];
}

function* byRowid(db: Database, name: string, key: string, bounds: string): Generator<readonly Numbered[]> {
  const select = db.prepare(
    `SELECT ${key} AS id, tx, ${bounds} AS isIn FROM ${name} WHERE ${key} > ? ORDER BY ${key} LIMIT ${PIECE}`,
  );
  for (let at = ROWID_MIN; ; ) {
    const rows = select.all(at) as (Numbered & { readonly id: bigint; readonly isIn: bigint })[];
    const last = rows.at(-1);
    if (last === undefined) return;
    at = last.id;
    yield rows.filter(({ isIn }) => isIn !== 0n);
  }
}

interface TableWithTx {
  readonly name: string;
  /** The first column of its key. */
  readonly key: string;
  readonly isRowid: boolean;
}

function tablesWithTx(db: Database): TableWithTx[] {
  const sql = `SELECT s.name, (SELECT i.name FROM pragma_table_info(s.name) i WHERE i.pk = 1) AS key,
      s.sql NOT LIKE '%WITHOUT ROWID%' AS isRowid FROM sqlite_schema s
    WHERE s.type = 'table' AND s.name NOT LIKE 'chain_%'
    AND (SELECT count(*) FROM pragma_table_info(s.name) WHERE name = 'tx') = 1 ORDER BY s.name`;
  const tables = db.query(sql).all() as { name: string; key: string; isRowid: bigint }[];
  return tables.map(({ name, key, isRowid }) => ({ name, key, isRowid: isRowid !== 0n }));
}
