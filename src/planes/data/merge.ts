// Lists with a filter of several values. An index gives the rows of each value in order; a UNION ALL of one SELECT
// a value is merged by SQLite without sorting, so a page costs its own length and not that of the whole history.
import type { Param } from "../../http/pagination.ts";

/** Values of a filter that get a SELECT each; with more, the rows are sorted. SQLite merges 500 at the most. */
export const ARMS_MAX = 200;

export interface Condition {
  readonly where: readonly string[];
  readonly params: readonly Param[];
}

/** A table expression `t` of the rows that meet `common` and one of `arms` (which exclude each other). */
export function mergedRows(
  columns: string,
  table: string,
  common: Condition,
  arms: readonly Condition[],
): { from: string; params: Param[] } {
  const all = arms.length > 0 ? arms : [{ where: [], params: [] }];
  const selects = all.map((arm) => {
    const conditions = [...arm.where, ...common.where];
    const where = conditions.length > 0 ? ` WHERE ${conditions.join(" AND ")}` : "";
    return `SELECT ${columns} FROM ${table}${where}`;
  });
  return {
    from: `(${selects.join(" UNION ALL ")}) t`,
    params: all.flatMap((arm) => [...arm.params, ...common.params]),
  };
}

/** One arm a value, or a single one that names them all when they are many; no arms for no values. */
export function armsOf(column: string, values: readonly Param[]): Condition[] {
  const different = [...new Set(values)];
  if (different.length <= ARMS_MAX)
    return different.map((value) => ({ where: [`${column} = ?`], params: [value] }));
  return [{ where: [`${column} IN (${different.map(() => "?").join(", ")})`], params: different }];
}
