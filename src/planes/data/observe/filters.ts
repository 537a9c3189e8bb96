// Filters of streams: identifiers in the form that messages have them, and changes that match.
import { invalidArgument } from "../../../http/errors.ts";
import type { Param } from "../../../http/pagination.ts";
import type { RequestFields } from "../../../http/query.ts";
import { canonicalIdentifier } from "../../../wire/identifiers.ts";
import { type DataContext, isPartyFilter } from "../context.ts";
import { Element } from "./message.ts";

/** An identifier; undefined where any will do: it is not given, or empty. @throws ApiError 400 for a text that is not one */
export function idIn(
  context: DataContext,
  request: RequestFields,
  name: string,
  failure: string,
): string | undefined {
  const text = (request[name] as string | undefined) ?? "";
  return text === "" ? undefined : context.query(failure, () => canonicalIdentifier(text));
}

/** Several, sorted; any will do where none is given. @throws ApiError 400, with the text that lists have for either */
export function idsIn(request: RequestFields, name: "marketIds" | "partyIds"): string[] {
  const ids = (request[name] as string[] | undefined) ?? [];
  const title = name === "marketIds" ? "market" : "party";
  if (!ids.every(isPartyFilter))
    throw invalidArgument("invalid party id", `one or more ${title} id is invalid`);
  return [...new Set(ids.map(canonicalIdentifier))].sort();
}

export function fits(wanted: string | undefined, found: string): boolean {
  return wanted === undefined || wanted === found;
}

export function fitsOne(wanted: readonly string[], ...found: readonly string[]): boolean {
  return wanted.length === 0 || found.some((each) => wanted.includes(each));
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
