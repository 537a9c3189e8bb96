/** What generated code shares: the doors in and out, maps, and the rules of proto3 that are rare. */
import { blame } from "./blame.ts";
import { WireError } from "./errors.ts";
import { Reader } from "./reader.ts";
import { Writer } from "./writer.ts";

/** A message as one may write it: everything that is left out has its default. */
export type Init<T> = T extends string | number | bigint | boolean | undefined | Uint8Array
  ? T
  : T extends ReadonlyMap<infer K, infer V>
    ? ReadonlyMap<K, Init<V>>
    : T extends readonly (infer E)[]
      ? readonly Init<E>[]
      : { readonly [K in keyof T]?: Init<T[K]> | undefined };

export type Read<T> = (reader: Reader, end: number, into?: T) => T;

/** Reads one message from `bytes[start..end)` without a copy; errors name message, field and offset. */
export function readRange<T>(
  fullName: string,
  read: Read<T>,
  bytes: Uint8Array,
  start: number,
  end: number,
): T {
  try {
    return read(new Reader(bytes, start, end), end);
  } catch (error) {
    if (error instanceof WireError) throw blame(error, fullName, bytes, start, end);
    throw error;
  }
}

/** One writer serves all: writing is synchronous and never calls back into user code. */
const writer = new Writer();

export function writeAll<T>(write: (writer: Writer, message: T) => void, message: T): Uint8Array {
  writer.reset();
  write(writer, message);
  return writer.take();
}

/**
 * Reads one entry of a `map<string, message>` into `map` (encoding guide, "maps": a message with key = 1 and
 * value = 2, each of which may be left out; the last entry of a key wins).
 */
export function readEntry<V>(
  reader: Reader,
  end: number,
  map: Map<string, V>,
  read: Read<V>,
  empty: () => V,
): void {
  let key = "";
  let value: V | undefined;
  while (reader.pos < end) {
    const tag = reader.tag();
    if (tag === 10) key = reader.string(end);
    else if (tag === 18) value = read(reader, reader.open(end), value);
    else reader.skip(tag, end);
  }
  reader.close(end);
  map.set(key, value ?? empty());
}

/** Entries go out sorted by key, so that equal maps give equal bytes; key and value are always both there. */
export function writeEntries<V>(
  out: Writer,
  tag: number,
  map: ReadonlyMap<string, V>,
  write: (writer: Writer, message: V) => void,
): void {
  for (const key of [...map.keys()].sort()) {
    const entry = out.open(tag);
    out.string(10, key);
    const value = out.open(18);
    write(out, map.get(key)!);
    out.close(value);
    out.close(entry);
  }
}

/** The member of a oneof that is set, as field number and value; 0 when none is. */
export function chosen(members: readonly (readonly [number, unknown])[]): readonly [number, unknown] {
  return members.find((member) => member[1] !== undefined) ?? [0, undefined];
}
