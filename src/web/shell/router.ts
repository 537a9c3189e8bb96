// Where the page is: the part of the address behind `#`, such as `#/block/812`.
import { computed, signal } from "@preact/signals";

export interface Place {
  /** Parts of the path, decoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

function read(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return {
    parts: path
      .split("/")
      .filter((part) => part !== "")
      .map(decoded),
    query: new URLSearchParams(query),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const place = signal(read());
export const path = computed(() => place.value.parts.join("/"));
addEventListener("hashchange", () => {
  place.value = read();
});

/** `link("block", 812)` is `#/block/812`. */
export const link = (...parts: readonly (string | number)[]) =>
  `#/${parts.map((part) => encodeURIComponent(part)).join("/")}`;

export function go(...parts: readonly (string | number)[]): void {
  location.hash = link(...parts);
}

/** Changes a value of the query, and stays at the same place. */
export function setQuery(name: string, value: string | undefined): void {
  const query = new URLSearchParams(place.value.query);
  if (value === undefined) query.delete(name);
  else query.set(name, value);
  const text = query.toString();
  history.replaceState(null, "", `${link(...place.value.parts)}${text === "" ? "" : `?${text}`}`);
  place.value = read();
}
