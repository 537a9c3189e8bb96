/**
 * Tables: rows of one page. New rows move nothing: rows have a fixed height and stay in their places, where their content
 * changes; columns do not become narrower. While the pointer or the focus is in a table it stands still, until a button in it
 * is pressed.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, Key } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
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
  /** For rows with a state of their own; others are told apart by their places. */
  readonly keyOf?: (row: Row) => Key;
  /** In place of a table without rows. */
  readonly empty: ComponentChildren;
  /** Room that is kept while it loads. */
  readonly expected?: number;
}

export function Table<Row>({ label, columns, rows: newest, keyOf, empty, expected = 8 }: TableProps<Row>) {
  const frame = useRef<HTMLElement>(null);
  const { rows, handlers } = useHeld(newest);
  const { data, failure } = rows;
  useColumnWidths(frame, data !== undefined && data.length > 0);
  if (failure !== undefined) return <Failure text={failure.message} />;
  if (data?.length === 0 && !("page" in rows && rows.page > 1)) return <>{empty}</>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section ref={frame} class="table-frame" aria-label={label} tabIndex={0} {...handlers}>
        <table
          aria-busy={data === undefined}
          class={columns.some(({ isWide }) => isWide) ? undefined : "even"}
        >
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
            {data?.map((row, place) => (
              <tr key={keyOf?.(row) ?? place}>
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

/** The rows as the pointer or the focus found them, until both have left, a button is pressed, or a new page is opened. */
function useHeld<Row>(newest: TableProps<Row>["rows"]) {
  const isUnderPointer = useSignal(false);
  const hasFocus = useSignal(false);
  const isHeld = isUnderPointer.value || hasFocus.value;
  const last = useRef(newest);
  const isSamePage = ("page" in newest && newest.page) === ("page" in last.current && last.current.page);
  if (!isHeld || !isSamePage || newest.data === undefined || last.current.data === undefined)
    last.current = newest;
  const handlers = {
    onPointerEnter: () => void (isUnderPointer.value = true),
    onPointerLeave: () => void (isUnderPointer.value = false),
    onFocusIn: () => void (hasFocus.value = true),
    onFocusOut: ({ currentTarget, relatedTarget }: FocusEvent) => {
      const table = currentTarget as Element;
      if (!table.contains(relatedTarget as Element | null)) hasFocus.value = false;
    },
    // Its outcome is to be seen, and the row with the focus may be gone with it.
    onClick: ({ target }: Event) => {
      if ((target as Element).closest("button") !== null) isUnderPointer.value = hasFocus.value = false;
    },
  };
  return { rows: last.current, handlers };
}

/** A column keeps the width that its content once needed, until the table's own width changes. */
function useColumnWidths(frame: { readonly current: HTMLElement | null }, hasRows: boolean): void {
  const width = useRef(0);
  useLayoutEffect(() => {
    const box = frame.current;
    if (box === null || !hasRows) return;
    const heads = [...box.querySelectorAll<HTMLElement>("table:not(.even) th:not(.wide)")];
    if (box.clientWidth !== width.current) for (const { style } of heads) style.minWidth = "";
    width.current = box.clientWidth;
    const widths = heads.map((each) => each.getBoundingClientRect().width);
    for (const [at, { style }] of heads.entries()) style.minWidth = `${widths[at]}px`;
  });
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
