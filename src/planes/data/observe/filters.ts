// Filters of streams: identifiers in the form that messages have them, and changes that match.
import { invalidArgument } from "../../../http/errors.ts";
import type { Param } from "../../../http/pagination.ts";
import { canonicalIdentifier } from "../../../wire/identifiers.ts";
import { type DataContext, isPartyFilter } from "../context.ts";
import { Element } from "./message.ts";

/** An identifier; undefined where any will do: it is not given, or empty. @throws ApiError 400 for a text that is not one */
export function idIn(context: DataContext, text = "", failure: string): string | undefined {
  return text === "" ? undefined : context.query(failure, () => canonicalIdentifier(text));
}

/** Several, sorted; any will do where none is given. @throws ApiError 400, with the text that lists have for either */
export function idsIn(ids: readonly string[] = [], title: "market" | "party"): string[] {
  if (!ids.every(isPartyFilter))
    throw invalidArgument("invalid party id", `one or more ${title} id is invalid`);
  return [...new Set(ids.map(canonicalIdentifier))].sort();
}

export function fits(filter: string | undefined, value: string): boolean {
  return filter === undefined || filter === value;
}

export function fitsOne(filter: readonly string[], ...values: readonly string[]): boolean {
  return filter.length === 0 || values.some((value) => filter.includes(value));
}

/** Memory of a row beside its message: objects, and their texts. */
const ROW_BYTES = 200;

interface BlockRow {
  readonly block: bigint;
  readonly data?: Uint8Array;
}

export function elementOf<R extends BlockRow>(row: R, value: object): Element {
  return new Element(Number(row.block), value, ROW_BYTES + 2 * (row.data?.length ?? 0));
}

/** The rows of a snapshot, one by one: nothing of them is kept. */
export function* iterateRows<R>(
  context: DataContext,
  sql: string,
  params: readonly Param[],
  make: (row: R) => Element,
): Generator<Element> {
  // A statement of its own: another stream may read by the same text meanwhile.
  const statement = context.db.prepare(sql);
  try {
    for (const row of statement.iterate(...params) as Iterable<R>) yield make(row);
  } finally {
    statement.finalize();
  }
}
