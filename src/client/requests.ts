// Requests of the client as addresses: names are checked, members become parameters.
import { LyraError } from "../errors/lyra-error.ts";
import { didYouMean } from "../errors/nearest.ts";

type Value = Readonly<Record<string, unknown>>;

/** A row of the generated table. */
export interface Resource {
  readonly method: "GET" | "POST";
  readonly plane: "data" | "node";
  readonly path: string;
  /** The member of the answer that holds the pages; empty where there are none. */
  readonly pages: string;
  /** Names of the members that the path has. */
  readonly inPath: readonly string[];
  /** Names of parameters, or of the members of the body. */
  readonly names: readonly string[];
}

const PARAMETER = /\{(\w+)\}/g;
const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export function resourceOf(row: string): Resource {
  const [method, plane, path, pages, ...names] = row.split(" ") as [
    Resource["method"],
    Resource["plane"],
    string,
    string,
    ...string[],
  ];
  const inPath = [...path.matchAll(PARAMETER)].map(([, name]) => camel(name!));
  return { method, plane, path, pages: pages === "-" ? "" : pages, inPath, names };
}

/** Path and query. @throws LyraError `unknown_member`, `missing_member` */
export function addressOf(call: string, { path, inPath, names }: Resource, request: Value): string {
  const { ...rest }: Record<string, unknown> = request;
  const filled = path.replace(PARAMETER, (_, name: string) => {
    const member = camel(name);
    const value = rest[member];
    delete rest[member];
    if (value === undefined || value === "") throw missing(call, member);
    return encodeURIComponent(String(value));
  });
  const query = queryOf(call, names, rest, inPath);
  // Names of enums are the node's to check: it says which one was meant.
  return `${filled}?strict=true${query === "" ? "" : `&${query}`}`;
}

/** @param others further names, for the advice */
export function queryOf(
  call: string,
  names: readonly string[],
  request: Value,
  others: readonly string[] = [],
): string {
  const pairs: string[] = [];
  const add = (name: string, value: unknown) => {
    if (value === undefined || value === null) return;
    if (names.includes(name)) {
      const values = Array.isArray(value) ? value : [value];
      for (const each of values) pairs.push(`${name}=${encodeURIComponent(String(each))}`);
      return;
    }
    const isParent = names.some((one) => one.startsWith(`${name}.`));
    if (!isParent || typeof value !== "object") throw unknown(call, name, [...names, ...others]);
    for (const [member, each] of Object.entries(value)) add(`${name}.${member}`, each);
  };
  for (const [name, value] of Object.entries(request)) add(name, value);
  return pairs.join("&");
}

/** A body. @throws LyraError `unknown_member` */
export function bodyOf(call: string, names: readonly string[], request: Value): string {
  const wrong = Object.keys(request).find((name) => !names.includes(name));
  if (wrong !== undefined) throw unknown(call, wrong, names);
  return JSON.stringify(request, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

/** @throws LyraError `missing_member` */
export function checkNeeded(call: string, needed: readonly string[], request: Value): void {
  const lacking = needed.find((name) => request[name] === undefined || String(request[name]) === "");
  if (lacking !== undefined) throw missing(call, lacking);
}

function unknown(call: string, name: string, names: readonly string[]): LyraError {
  const above = name.slice(0, name.lastIndexOf(".") + 1);
  // Of the same level: `filter.partyIds` is `filter` at the top.
  const level = names
    .filter((one) => one.startsWith(above))
    .map((one) => above + one.slice(above.length).split(".")[0]);
  const near = didYouMean(name, [...new Set(level)]);
  const text = `${call} has no member '${name.slice(0, 100)}'${near}`;
  const hint = level.length === 0 ? "it has no members" : `it has ${[...new Set(level)].join(", ")}`;
  return new LyraError("unknown_member", text, { hint });
}

function missing(call: string, name: string): LyraError {
  return new LyraError("missing_member", `${call} needs '${name}'`);
}
