// Names that members of a command take in place of identifiers.
import { signal } from "@preact/signals";
import type { IdOf } from "./command-draft.ts";

type Rows = readonly (readonly [id: string, name: string])[];

/** Identifiers with names, by kind. */
export const namedIds = signal<Readonly<Record<string, Rows>>>({});

/** Nothing is asked about half a name or identifier. */
export const idOf: IdOf = (kind, text) => {
  const rows = namedIds.value[kind] ?? [];
  const row = rows.find(([id]) => id === text) ?? rows.find(([, name]) => name !== "" && name === text);
  return row?.[0] ?? (/^[\da-f]{64}$/i.test(text) ? text.toLowerCase() : undefined);
};
