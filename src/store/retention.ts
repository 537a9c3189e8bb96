/**
 * Old rows go, current state never. Each table of history has a floor: the last block whose rows may be gone. A slice of
 * blocks at a time is deleted inside the writer's own transaction, with the floor; the pages are used again.
 */
import type { Database, Statement } from "bun:sqlite";
import { eraOf } from "./eras.ts";
import { OPTIONAL_TABLES } from "./schema.ts";

/** Of a row beside its data: keys, numbers, and its entries in indices. */
const ROW_BYTES = 60;
/** Places in the history at which rows are counted, and blocks at each. */
const SAMPLES = 32;
const SAMPLE_BLOCKS = 1;
/** A slice that took longer, or shorter, than this is followed by a smaller, or larger, one. */
const SLICE_MS = 3;
const SLICE_BLOCKS_MAX = 2_000;

interface PrunableTable {
  readonly name: string;
  /** Days that the original keeps; undefined for what it keeps for good. */
  readonly days?: number;
  /** Delete the rows of blocks above ?1 and up to ?2, companions first. */
  readonly deletes: readonly string[];
  /** Column whose length is a row's size. */
  readonly data?: string;
  /** Entries in other tables and indices, beside the row itself. */
  readonly entries?: number;
}

const sliceOf = (table: string) => `${table}.block > ?1 AND ${table}.block <= ?2`;

/** Keeps the rows that the table of current ones points at. */
function superseded(
  name: string,
  keys: readonly string[],
  days: number | undefined,
  data = "data",
): PrunableTable {
  const same = keys.map((key) => `c.${key} = ${name}.${key}`).join(" AND ");
  const pointer = `SELECT 1 FROM ${name}_current c WHERE ${same} AND c.block = ${name}.block`;
  const deletes = [`DELETE FROM ${name} WHERE ${sliceOf(name)} AND NOT EXISTS (${pointer})`];
  return { name, data, deletes, ...(days !== undefined && { days }) };
}

function all(name: string, days: number, more: Partial<PrunableTable> = {}): PrunableTable {
  return { name, days, deletes: [`DELETE FROM ${name} WHERE ${sliceOf(name)}`], ...more };
}

/** A ledger entry stands in the lists of both parties. */
const ledgerOf = (end: "from" | "to") =>
  `DELETE FROM ledger_by_party WHERE (era, party_no, block, n) IN
    (SELECT ${eraOf("l.block")}, a.party_no, l.block, l.n FROM ledger l JOIN accounts a ON a.ref = l.${end}_account WHERE ${sliceOf("l")})`;
const DAYS_A_WEEK = 7;
const DAYS_A_MONTH = 30;
const DAYS_HALF_A_YEAR = 182;
const DAYS_A_YEAR = 365;

/** With the days of docs/protocol/20-network-history-segments.md#51-hypertables. */
const TABLES: readonly PrunableTable[] = [
  all("balances", DAYS_A_WEEK, {
    entries: 1,
    deletes: [
      `DELETE FROM balances_by_party WHERE (era, party_no, block, account) IN
        (SELECT ${eraOf("b.block")}, a.party_no, b.block, b.account FROM balances b JOIN accounts a ON a.ref = b.account WHERE ${sliceOf("b")})`,
      `DELETE FROM balances WHERE ${sliceOf("balances")}`,
    ],
  }),
  all("ledger", DAYS_HALF_A_YEAR, {
    entries: 2,
    deletes: [ledgerOf("from"), ledgerOf("to"), `DELETE FROM ledger WHERE ${sliceOf("ledger")}`],
  }),
  {
    name: "orders",
    days: DAYS_A_MONTH,
    data: "data",
    entries: 3,
    deletes: [
      // Orders that have ended are history: lists of them end where it does.
      `DELETE FROM orders_current WHERE (id, created) IN (SELECT c.id, c.created FROM orders o
        JOIN orders_current c ON c.id = o.id AND c.block = o.block AND c.ord = o.ord WHERE ${sliceOf("o")} AND c.live = 0)`,
      `DELETE FROM orders WHERE ${sliceOf("orders")} AND NOT EXISTS (SELECT 1 FROM orders_current c
        WHERE c.id = orders.id AND c.block = orders.block AND c.ord = orders.ord)`,
    ],
  },
  all("trades", DAYS_A_YEAR, { data: "data", entries: 5 }),
  {
    name: "market_data",
    days: DAYS_A_WEEK,
    data: "data",
    deletes: [
      // The newest of each market is its current one.
      `DELETE FROM market_data WHERE (market, block, ord) IN (SELECT d.market, d.block, d.ord FROM markets_current m
        CROSS JOIN market_data d ON d.market = m.id AND d.block > ?1 AND d.block <= ?2
        WHERE d.block < (SELECT max(block) FROM market_data WHERE market = m.id))`,
    ],
  },
  superseded("margin_levels", ["account"], DAYS_A_WEEK),
  superseded("positions", ["party", "market"], DAYS_A_WEEK, "state"),
  superseded("liquidity_provisions", ["id"], 1),
  superseded("markets", ["id"], DAYS_A_YEAR),
  superseded("deposits", ["id", "party"], DAYS_A_YEAR),
  superseded("withdrawals", ["id", "party"], DAYS_A_YEAR),
  all("rewards", DAYS_A_YEAR, { data: "data", entries: 3 }),
  all("delegations", DAYS_A_WEEK),
  all("checkpoints", DAYS_A_WEEK, { data: "data", entries: 1 }),
  all("tx_results", DAYS_A_MONTH, { data: "data" }),
  superseded("transfers", ["ref"], undefined),
  superseded("votes", ["proposal", "party"], undefined),
];

export const PRUNABLE_TABLES: readonly { readonly name: string; readonly days?: number }[] = TABLES;

/** Where a table's history begins: its rows up to this block may be gone. */
export interface Floor {
  readonly no: number;
  readonly height: number;
  /** Of the block, Unix microseconds. */
  readonly timeUs: number;
}

/** The floors of a store; none where nothing was ever removed. */
export function readFloors(db: Database): ReadonlyMap<string, Floor> {
  const isThere = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'retention'").get() !== null;
  if (!isThere) return new Map();
  const rows = db.query("SELECT name, value FROM retention WHERE name NOT LIKE 'tx%'").all() as {
    name: string;
    value: string;
  }[];
  return new Map(rows.map(({ name, value }) => [name, JSON.parse(value) as Floor]));
}

/** Bytes of the store's file: all, and those that hold something. */
export function storePages(db: Database): { readonly bytes: number; readonly usedBytes: number } {
  const pragma = (name: string) =>
    Number(Object.values(db.query(`PRAGMA ${name}`).get() as Record<string, bigint>)[0]);
  const size = pragma("page_size");
  const pages = pragma("page_count");
  return { bytes: pages * size, usedBytes: (pages - pragma("freelist_count")) * size };
}

interface Slicing {
  readonly table: PrunableTable;
  readonly deletes: readonly Statement[];
  /** Counts rows and bytes above ?1 and up to ?2. */
  readonly sample: Statement;
  /** The first block above ?1 that has rows. */
  readonly next: Statement | undefined;
  floor: Floor;
  /** Blocks of the next slice. */
  blocks: number;
  /** Second pass over what the first has left: rows that were current then. */
  again: { at: number; readonly to: number } | undefined;
  /** Height of the floor when the last second pass began. */
  againFrom: number;
}

interface Pruned {
  readonly table: string;
  readonly rows: number;
}

/** The history tables of a store that is being written. All calls are inside a transaction of its writer. */
export class Retention {
  private readonly slicings: readonly Slicing[];
  private readonly write: Statement;
  private readonly blockOf: Statement;

  constructor(private readonly db: Database) {
    db.run(OPTIONAL_TABLES.retention);
    this.write = db.prepare("INSERT OR REPLACE INTO retention(name, value) VALUES(?, ?)");
    this.blockOf = db.prepare("SELECT no, height, time FROM blocks WHERE no = ?");
    this.slicings = TABLES.map((table) => slicingOf(db, table));
    this.reload();
  }

  /** Reads the floors again, after a transaction that was rolled back. */
  reload(): void {
    const floors = readFloors(this.db);
    for (const slicing of this.slicings) {
      slicing.floor = floors.get(slicing.table.name) ?? { no: 0, height: 0, timeUs: 0 };
      slicing.again = undefined;
      slicing.againFrom = slicing.floor.no;
    }
  }

  /** Tables with what their history takes, the heaviest first: an estimate from samples. */
  weigh(headNo: number): { readonly name: string; readonly bytes: number; readonly floor: Floor }[] {
    return this.slicings
      .map((slicing) => ({
        name: slicing.table.name,
        bytes: weightOf(slicing, headNo),
        floor: slicing.floor,
      }))
      .sort((a, b) => b.bytes - a.bytes);
  }

  /** Row of `blocks` up to which the old rows of a table are gone. */
  floorNo(name: string): number {
    return this.slicings.find(({ table }) => table.name === name)!.floor.no;
  }

  /**
   * Deletes a slice of a table's oldest rows, at most up to a block.
   * @returns undefined when there is nothing to delete up to there
   */
  pruneSlice(name: string, upTo: number): Pruned | undefined {
    const slicing = this.slicings.find(({ table }) => table.name === name)!;
    const second = this.secondPass(slicing, upTo);
    if (second) return second;
    const { floor } = slicing;
    if (floor.no >= upTo) return undefined;
    const first = this.firstRow(slicing, floor.no);
    const to =
      first === undefined ? upTo : Math.min(upTo, Math.max(first, floor.no + 1) + slicing.blocks - 1);
    const rows = first === undefined || first > upTo ? 0 : this.deleteSlice(slicing, floor.no, to);
    this.setFloor(slicing, Math.min(upTo, to));
    return { table: name, rows };
  }

  /** When the floor has passed as many blocks again as are kept, rows that were current are looked at once more. */
  private secondPass(slicing: Slicing, upTo: number): Pruned | undefined {
    const { floor, againFrom } = slicing;
    if (slicing.again === undefined) {
      if (againFrom === 0) slicing.againFrom = floor.no;
      if (againFrom === 0 || floor.no - againFrom < Math.max(1_000, (upTo - floor.no) * 2)) return undefined;
      slicing.again = { at: 0, to: againFrom };
      slicing.againFrom = floor.no;
    }
    const { again } = slicing;
    const first = this.firstRow(slicing, again.at);
    if (first === undefined || first > again.to || slicing.next === undefined) {
      slicing.again = undefined;
      return undefined;
    }
    const to = Math.min(again.to, first + slicing.blocks - 1);
    const rows = this.deleteSlice(slicing, first - 1, to);
    again.at = to;
    return { table: slicing.table.name, rows };
  }

  private deleteSlice(slicing: Slicing, from: number, to: number): number {
    const began = performance.now();
    let rows = 0;
    for (const statement of slicing.deletes) rows += Number(statement.run(from, to).changes);
    const tookMs = performance.now() - began;
    if (tookMs > SLICE_MS) slicing.blocks = Math.max(1, Math.floor(slicing.blocks / 2));
    else if (tookMs < SLICE_MS / 4) slicing.blocks = Math.min(SLICE_BLOCKS_MAX, slicing.blocks * 2);
    return rows;
  }

  private firstRow({ next }: Slicing, above: number): number | undefined {
    if (next === undefined) return above + 1;
    const { block } = next.get(above) as { block: bigint | null };
    return block === null ? undefined : Number(block);
  }

  private setFloor(slicing: Slicing, no: number): void {
    const row = this.blockOf.get(no) as { no: bigint; height: bigint; time: bigint };
    slicing.floor = { no, height: Number(row.height), timeUs: Number(row.time) };
    this.write.run(slicing.table.name, JSON.stringify(slicing.floor));
  }
}

function slicingOf(db: Database, table: PrunableTable): Slicing {
  const { name, data, deletes } = table;
  const size = data === undefined ? "0" : `coalesce(sum(length(${data})), 0)`;
  // Its key begins with the market.
  const isByMarket = name === "market_data";
  const from = isByMarket ? "markets_current m CROSS JOIN market_data ON market = m.id AND" : `${name} WHERE`;
  return {
    table,
    deletes: deletes.map((sql) => db.prepare(sql)),
    sample: db.prepare(`SELECT count(*) AS rows, ${size} AS bytes FROM ${from} ${sliceOf(name)}`),
    next: isByMarket ? undefined : db.prepare(`SELECT min(block) AS block FROM ${name} WHERE block > ?`),
    floor: { no: 0, height: 0, timeUs: 0 },
    blocks: 1,
    again: undefined,
    againFrom: 0,
  };
}

/** From rows at evenly spaced places of the history that is kept. */
function weightOf({ table, sample, floor }: Slicing, headNo: number): number {
  const span = headNo - floor.no;
  if (span <= 0) return 0;
  const width = Math.min(SAMPLE_BLOCKS, span);
  const places = Math.min(SAMPLES, Math.ceil(span / width));
  const rowBytes = ROW_BYTES * (1 + (table.entries ?? 0) / 2);
  let bytes = 0;
  for (let at = 0; at < places; at++) {
    const from = floor.no + Math.floor(((span - width) * at) / Math.max(1, places - 1));
    const row = sample.get(from, from + width) as { rows: bigint; bytes: bigint };
    bytes += Number(row.rows) * rowBytes + Number(row.bytes);
  }
  return Math.round((bytes / (places * width)) * span);
}
