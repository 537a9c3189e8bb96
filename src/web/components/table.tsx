// Tables: rows of one page, with a fixed height each, so that new ones move nothing.
import type { ComponentChildren, Key } from "preact";
import type { Pages, Reading } from "../data/read.ts";
import { Failure } from "./states.tsx";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** Takes what room is left, and is cut off. */
  readonly isWide?: boolean;
  /** Left out on narrow screens. */
  readonly isMinor?: boolean;
}

interface TableProps<Row> {
  /** Names the rows for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: Reading<readonly Row[]> | Pages<Row>;
  readonly keyOf: (row: Row) => Key;
  /** In place of a table without rows. */
  readonly empty: ComponentChildren;
  /** Room that is kept while it loads. */
  readonly expected?: number;
}

export function Table<Row>({ label, columns, rows, keyOf, empty, expected = 8 }: TableProps<Row>) {
  const { data, failure } = rows;
  if (failure !== undefined) return <Failure text={failure.message} />;
  if (data?.length === 0 && !("page" in rows && rows.page > 1)) return <>{empty}</>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section class="table-frame" aria-label={label} tabIndex={0}>
        <table aria-busy={data === undefined}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.title} scope="col" class={classOf(column)}>
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data?.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map((column) => (
                  <td key={column.title} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
            {data === undefined &&
              Array.from({ length: expected }, (_, n) => (
                <tr key={n}>
                  <td colSpan={columns.length}>&nbsp;</td>
                </tr>
              ))}
          </tbody>
        </table>
      </section>
      {"page" in rows && <Pager pages={rows} label={label} />}
    </>
  );
}

function classOf<Row>({ isNumber, isWide, isMinor }: Column<Row>): string | undefined {
  return [isNumber && "right", isWide && "wide", isMinor && "minor"].filter(Boolean).join(" ") || undefined;
}

function Pager<Row>({ pages, label }: { readonly pages: Pages<Row>; readonly label: string }) {
  const { page, next, previous } = pages;
  if (next === undefined && previous === undefined) return null;
  return (
    <nav class="pager" aria-label={`Pages of ${label}`}>
      <button type="button" disabled={previous === undefined} onClick={previous}>
        Newer
      </button>
      <span class="number muted">page {page}</span>
      <button type="button" disabled={next === undefined} onClick={next}>
        Older
      </button>
    </nav>
  );
}
