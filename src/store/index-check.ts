// Compares the indices of a store with their tables, in both directions: each row has its entry, each entry its row.
// Sums of pages say that pages are those that were written; this says that what was written agrees.
import type { Database } from "bun:sqlite";
import { NodeError } from "../errors/node-error.ts";

/** Rows, or entries, of one look: some milliseconds, and no snapshot is held between two looks. */
export const SLICE_ROWS = 500;

export interface IndexColumn {
  readonly name: string;
  readonly desc: bigint;
}

interface Index {
  readonly table: string;
  readonly name: string;
  /** Its own columns, then those of the table's key: the order of its entries. */
  readonly columns: readonly IndexColumn[];
  readonly key: readonly IndexColumn[];
  /** Statement that reads the table by its own tree. */
  readonly tree: string;
  /** Condition of a partial index. */
  readonly condition: string;
}

/**
 * @param pause after each slice
 * @returns how many indices there are @throws NodeError `store_damaged`; whatever `pause` throws
 */
export async function checkIndices(
  db: Database,
  pause?: () => Promise<void>,
  sliceRows = SLICE_ROWS,
): Promise<number> {
  const indices = listIndices(db);
  for (const index of indices) {
    await walk(db, rowsOf(index), sliceRows, pause);
    await walk(db, entriesOf(index), sliceRows, pause);
  }
  return indices.length;
}

function listIndices(db: Database): Index[] {
  const sql =
    "SELECT i.name, i.tbl_name, i.sql, t.sql LIKE '%WITHOUT ROWID' FROM sqlite_schema i JOIN sqlite_schema t ON t.name = i.tbl_name AND t.type = 'table' WHERE i.type = 'index' AND i.sql IS NOT NULL ORDER BY i.name";
  const rows = db.query(sql).values() as [string, string, string, bigint][];
  return rows.map(([name, table, text, isKeyTree]) => {
    const columns = db
      .query("SELECT name, desc FROM pragma_index_xinfo(?) WHERE name IS NOT NULL ORDER BY seqno")
      .all(name) as IndexColumn[];
    const ofKey = db
      .query("SELECT name, 0 AS desc FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk")
      .all(table) as IndexColumn[];
    return {
      table,
      name,
      // An index of a table with a number says nothing of it.
      columns: [...columns, ...ofKey.filter((one) => !columns.some((column) => column.name === one.name))],
      key: ofKey,
      tree: isKeyTree === 1n ? `INDEXED BY ${quoted(`sqlite_autoindex_${table}_1`)}` : "NOT INDEXED",
      condition: /\bWHERE\b(.*)$/is.exec(text)?.[1]?.trim() ?? "",
    };
  });
}

/** Rows or entries in their order, slice by slice, and the other side of each. */
export interface Walk {
  readonly from: string;
  readonly order: readonly IndexColumn[];
  readonly selected: readonly IndexColumn[];
  readonly condition: string;
  /** Looks for the other side of `s`. */
  readonly other: string;
  readonly fault: string;
}

function rowsOf({ table, name, columns, key, tree, condition }: Index): Walk {
  const also = condition === "" ? "" : ` AND ${condition}`;
  return {
    from: `${quoted(table)} ${tree}`,
    order: key,
    selected: columns,
    condition,
    other: `SELECT 1 FROM ${quoted(table)} AS x INDEXED BY ${quoted(name)} WHERE ${same(columns)}${also}`,
    fault: `a row of the store's table ${table} is missing in its index ${name}`,
  };
}

function entriesOf({ table, name, columns, tree, condition }: Index): Walk {
  return {
    from: `${quoted(table)} INDEXED BY ${quoted(name)}`,
    order: columns,
    selected: columns,
    condition,
    other: `SELECT 1 FROM ${quoted(table)} AS x ${tree} WHERE ${same(columns)}`,
    fault: `an entry of the store's index ${name} is not of a row of its table ${table}`,
  };
}

const same = (columns: readonly IndexColumn[]) =>
  columns.map(({ name }) => `x.${quoted(name)} = s.${quoted(name)}`).join(" AND ");

/** @throws NodeError `store_damaged` for a row whose other side is missing; whatever `pause` throws */
export async function walk(
  db: Database,
  what: Walk,
  sliceRows: number,
  pause: (() => Promise<void>) | undefined,
): Promise<void> {
  const { order } = what;
  const slices = new Map<number, ReturnType<typeof sliceOf>>();
  const look = (equal: number, place: readonly unknown[]) => {
    const slice = slices.get(equal) ?? sliceOf(db, what, sliceRows, equal);
    slices.set(equal, slice);
    return slice(place);
  };
  try {
    let place = look(-1, []);
    while (place !== undefined) {
      await pause?.();
      // Behind a place: what agrees with it in all columns but the last, then in all but the last two, and so on.
      let next: readonly unknown[] | undefined;
      for (let equal = order.length - 1; equal >= 0 && next === undefined; equal--)
        next = look(equal, place.slice(0, equal + 1));
      place = next;
    }
  } finally {
    for (const slice of slices.values()) slice.end();
  }
}

/**
 * @param equal how many columns agree with the place; -1 for the first slice of all
 * @returns looks at a slice, and tells the last place in it; undefined when nothing is behind it
 */
function sliceOf(
  db: Database,
  { from, order, selected, condition, other, fault }: Walk,
  sliceRows: number,
  equal: number,
) {
  const conditions = condition === "" ? [] : [condition];
  for (const [i, { name, desc }] of order.slice(0, equal + 1).entries())
    conditions.push(`${quoted(name)} ${i < equal ? "=" : desc === 1n ? "<" : ">"} ?${i + 1}`);
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  const sorted = order.map(({ name, desc }) => `${quoted(name)}${desc === 1n ? " DESC" : ""}`).join(", ");
  const names = (columns: readonly IndexColumn[]) => columns.map(({ name }) => quoted(name)).join(", ");
  const slice = `FROM ${from}${where} ORDER BY ${sorted} LIMIT ${sliceRows}`;
  const missing = db.prepare(
    `SELECT 1 FROM (SELECT ${names(selected)} ${slice}) AS s WHERE NOT EXISTS (${other}) LIMIT 1`,
  );
  const last = db.prepare(`SELECT ${names(order)} ${slice} OFFSET ${sliceRows - 1}`);
  const run = (place: readonly unknown[]): readonly unknown[] | undefined => {
    const bound = place as bigint[];
    if (missing.values(...bound).length > 0) {
      const hint = "restore the home from a backup, or load its recording into another home";
      throw new NodeError("store.check", "store_damaged", fault, hint);
    }
    return last.values(...bound)[0];
  };
  return Object.assign(run, {
    end() {
      missing.finalize();
      last.finalize();
    },
  });
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
