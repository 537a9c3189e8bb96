// Rows of balance changes for a page. Rows that a filter on accounts excludes are read and passed over, up to a limit:
// a page that has looked at too many rows ends there and says that more follow.

import { assemblePage, type PageRequest, type PageRows, type Param } from "../../http/pagination.ts";
import type { StoredAmount } from "../../store/amount.ts";
import { byParty } from "../../store/eras.ts";
import { Conditions, type DataContext } from "./context.ts";

/** Rows read in one go: at first for each row of the page, then the factor of growth, and in all. */
const STEP_FACTOR = 16;
const STEP_ROWS_MAX = 50_000;
/** After this many, the filter is a rare one, and it is worth a look where its accounts begin and end. */
const ROWS_BEFORE_NARROWING = 25_000;
/** The least of many parties' rows that is read in one go. */
const PART_ROWS_MIN = 16;
const PART_GROWTH = 4;

/** Where a row stands. */
export interface BalancePlace {
  readonly block: number | bigint;
  readonly account: number | bigint;
}

interface BalanceRow extends BalancePlace {
  readonly block: bigint;
  readonly account: bigint;
  readonly balance: StoredAmount;
}

/** A checked request: which rows, in which window of blocks, from which place. */
export interface BalanceQuery {
  readonly page: PageRequest;
  /** Running numbers of the parties to read, or undefined for all. */
  readonly parties: readonly number[] | undefined;
  /** Conditions on `accounts a`. */
  readonly accounts: Conditions;
  /** First block of the range, and the block after its last. */
  readonly fromBlock: number | undefined;
  readonly beforeBlock: number | undefined;
  readonly key: BalancePlace | undefined;
}

interface BalancePage extends PageRows<BalanceRow> {
  /** The last row looked at, in reading direction, where the page ended before it was full. */
  readonly endedAt?: BalancePlace;
}

export function readBalances(context: DataContext, query: BalanceQuery): BalancePage {
  const { key, page } = query;
  let endedAt: BalancePlace | undefined;
  const read = assemblePage<BalanceRow>(page, key !== undefined, {
    fetch(descending, limit) {
      const first = new RowReading(context, query, descending, true).firstRows(limit);
      endedAt = first.endedAt;
      return first.rows;
    },
    isAtKey: (row) => compare(row, key!) === 0,
    existsBehind(descending) {
      const behind = new RowReading(context, query, !descending, false).firstRows(1);
      // Rows beyond the limit may match.
      return behind.rows.length > 0 || behind.endedAt !== undefined;
    },
  });
  const isAhead = page.forward ? read.hasNextPage : read.hasPreviousPage;
  if (endedAt === undefined || isAhead) return read;
  const more = page.forward ? { hasNextPage: true } : { hasPreviousPage: true };
  return { ...read, ...more, endedAt };
}

function compare(a: BalancePlace, b: BalancePlace): number {
  if (a.block !== b.block && Number(a.block) !== Number(b.block)) return a.block < b.block ? -1 : 1;
  return a.account < b.account ? -1 : a.account > b.account ? 1 : 0;
}

interface Found {
  readonly rows: BalanceRow[];
  readonly endedAt: BalancePlace | undefined;
}

/** A reading of rows in one direction. */
class RowReading {
  readonly sign: number;
  readonly parties: readonly (number | undefined)[];
  /** Blocks outside these have no rows that are wanted. */
  from: number | undefined;
  before: number | undefined;
  /** Rows that may still be looked at. */
  left: number;
  looked = 0;
  private isNarrowed = false;

  constructor(
    readonly context: DataContext,
    readonly query: BalanceQuery,
    readonly descending: boolean,
    /** Whether a row at the key counts. */
    readonly inclusive: boolean,
  ) {
    this.sign = descending ? -1 : 1;
    this.left = context.limits.rowsPassedMax;
    this.parties = query.parties ?? [undefined];
    this.from = query.fromBlock;
    this.before = query.beforeBlock;
  }

  get isFiltered(): boolean {
    return this.query.accounts.where.length > 0;
  }

  /** The first rows, at most `limit`. */
  firstRows(limit: number): Found {
    const sources = this.parties.map((party) => new Source(this, party, limit));
    if (sources.length === 1 && !this.isFiltered) return { rows: sources[0]!.rows, endedAt: undefined };
    const rows: BalanceRow[] = [];
    for (let first: Source | undefined; rows.length < limit; ) {
      // Not before the next row is needed: it may have to be read.
      first?.advance();
      first = undefined;
      for (const source of sources) {
        if (source.place === undefined) continue;
        if (!first || compare(source.place, first.place!) * this.sign < 0) first = source;
      }
      if (!first) return { rows, endedAt: undefined };
      if (first.row === undefined) return { rows, endedAt: first.place };
      rows.push(first.row);
    }
    return { rows, endedAt: undefined };
  }

  /** Leaves out the blocks before the first and after the last change of the accounts that are wanted. */
  narrow(): void {
    if (this.isNarrowed) return;
    this.isNarrowed = true;
    const sql = `SELECT min(a.block) AS first, max(c.block) AS last
      FROM accounts a JOIN balances_current c ON c.account = a.ref WHERE ${this.query.accounts.where.join(" AND ")}`;
    const ends = this.context.get<{ first: bigint | null; last: bigint | null }>(
      sql,
      ...this.query.accounts.params,
    );
    this.from = Math.max(this.from ?? 0, Number(ends?.first ?? 0n));
    this.before = Math.min(this.before ?? Number.MAX_SAFE_INTEGER, Number(ends?.last ?? 0n) + 1);
  }
}

/** The rows of one party, or of all, in order. */
class Source {
  /** The next row; undefined when there is none, or when reading ended at `place` before one was found. */
  row: BalanceRow | undefined;
  /** Place of the next row, or where reading ended early; undefined when there are no more rows. */
  place: BalancePlace | undefined;
  /** As many as were read in one go: with one source and no filter, all that are wanted. */
  rows: BalanceRow[] = [];
  private at = 0;
  /** Everything before it is read. */
  private key: BalancePlace | undefined;
  private isKeyRead: boolean;
  private isThrough = false;
  private chunk: number;
  private step: number;

  constructor(
    private readonly reading: RowReading,
    private readonly party: number | undefined,
    private readonly limit: number,
  ) {
    const { query, inclusive, parties } = reading;
    this.key = query.key;
    this.isKeyRead = !inclusive;
    const share = Math.ceil((2 * limit) / parties.length);
    this.chunk = parties.length === 1 ? limit : Math.min(limit, Math.max(PART_ROWS_MIN, share));
    this.step = STEP_FACTOR * limit;
    this.read();
    this.advance();
  }

  advance(): void {
    while (this.at >= this.rows.length && !this.isThrough) {
      if (this.reading.left <= 0) {
        this.row = undefined;
        this.place = this.key;
        return;
      }
      this.read();
    }
    this.row = this.rows[this.at++];
    this.place = this.row;
  }

  private read(): void {
    const { reading, chunk } = this;
    const end = reading.isFiltered ? this.stepEnd() : undefined;
    this.rows = this.select("b.block, b.account, b.balance", chunk, end);
    this.at = 0;
    if (this.rows.length === chunk) this.key = this.rows.at(-1);
    else if (end) this.key = end;
    else this.isThrough = true;
    this.isKeyRead = true;
    this.chunk = Math.min(this.limit, chunk * PART_GROWTH);
    const isRare = reading.looked >= ROWS_BEFORE_NARROWING;
    if (end && isRare && reading.parties.length === 1 && this.rows.length < chunk) reading.narrow();
  }

  /** The last row that the next step looks at; undefined when the rest is shorter. */
  private stepEnd(): BalancePlace | undefined {
    const { reading } = this;
    const share = Math.ceil(reading.context.limits.rowsPassedMax / reading.parties.length);
    // Two at least: the first can be the row at the key, and a page must come further than that.
    const step = Math.max(2, Math.min(this.step, STEP_ROWS_MAX, share));
    this.step *= STEP_FACTOR;
    reading.left -= step;
    reading.looked += step;
    const { sql, params } = this.sql("b.block, b.account", false);
    return reading.context.get<BalanceRow>(`${sql} LIMIT 1 OFFSET ?`, ...params, step - 1);
  }

  private select(columns: string, limit: number, end: BalancePlace | undefined): BalanceRow[] {
    const { sql, params } = this.sql(columns, true, end);
    return this.reading.context.all<BalanceRow>(`${sql} LIMIT ?`, ...params, limit);
  }

  private sql(columns: string, isFiltered: boolean, end?: BalancePlace): { sql: string; params: Param[] } {
    const { query, descending, from, before } = this.reading;
    const conditions = new Conditions();
    const [beyond, back, direction] = descending ? ["<", ">=", "DESC"] : [">", "<=", "ASC"];
    if (this.party !== undefined) conditions.add("b.party_no = ?", this.party);
    // Before the bounds of blocks, because of two on one side SQLite takes the earlier one for its index (pagination.ts);
    // left out where those are the narrower ones.
    if (this.key && !this.isKeyOutside(this.key)) {
      const operator = this.isKeyRead ? beyond : `${beyond}=`;
      conditions.add(`(b.block, b.account) ${operator} (?, ?)`, this.key.block, this.key.account);
    }
    if (end) conditions.add(`(b.block, b.account) ${back} (?, ?)`, end.block, end.account);
    if (isFiltered && this.reading.isFiltered)
      conditions.add(query.accounts.where.join(" AND "), ...query.accounts.params);
    if (from !== undefined) conditions.add("b.block >= ?", from);
    if (before !== undefined) conditions.add("b.block < ?", before);
    const table = this.party === undefined ? "balances b" : byParty("balances_by_party", "b");
    // CROSS JOIN keeps the order of the tables: the history is walked in order and each account looked up.
    const join = isFiltered && this.reading.isFiltered ? " CROSS JOIN accounts a ON a.ref = b.account" : "";
    // The order that they lie in, which needs no sorting.
    const era = this.party === undefined ? "" : `e.no ${direction}, `;
    const { where, params } = conditions;
    const condition = where.length > 0 ? ` WHERE ${where.join(" AND ")}` : "";
    const order = `ORDER BY ${era}b.block ${direction}, b.account ${direction}`;
    return { sql: `SELECT ${columns} FROM ${table}${join}${condition} ${order}`, params };
  }

  /** Whether the bounds of blocks begin behind the key, seen in reading direction. */
  private isKeyOutside({ block }: BalancePlace): boolean {
    const { descending, from, before } = this.reading;
    if (descending) return before !== undefined && Number(block) >= before;
    return from !== undefined && Number(block) < from;
  }
}
