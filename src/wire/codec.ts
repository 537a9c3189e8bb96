/** Runtime of the generated code: entry points, maps, rare rules of proto3, and the path of a field that fails to decode. */

import { messageDescriptor } from "./descriptors.ts";
import { WireError } from "./errors.ts";
import { Reader } from "./reader.ts";
import { Writer } from "./writer.ts";

/** A message to encode: omitted members have their defaults. */
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
    if (error instanceof WireError) throw withFieldPath(error, fullName, bytes, start, end);
    throw error;
  }
}

/** A single writer: writing is synchronous and never calls back into user code. */
const writer = new Writer();

export function writeAll<T>(write: (writer: Writer, message: T) => void, message: T): Uint8Array {
  writer.reset();
  write(writer, message);
  return writer.finish();
}

/**
 * Reads one entry of a `map<string, message>` into `map` (encoding guide, "maps": a message with key = 1 and
 * value = 2, both of which can be missing; the last entry of a key wins).
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

/** Entries are written sorted by key, so that equal maps give equal bytes; key and value are always written. */
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

/** The oneof member that is set, as field number and value; field number 0 if none is set. */
export function setMember(members: readonly (readonly [number, unknown])[]): readonly [number, unknown] {
  return members.find((member) => member[1] !== undefined) ?? [0, undefined];
}

// Names the field in which decoding failed. Generated code tracks no path, because every valid message would pay for it;
// after a failure the bytes are walked again by the schema, up to the offset.

/** The same error with a path such as `vega.Asset.details.name`. */
export function withFieldPath(
  error: WireError,
  fullName: string,
  bytes: Uint8Array,
  start: number,
  end: number,
): WireError {
  if (error.offset < 0) return error.at(fullName);
  let path = fullName;
  let message = fullName;
  let from = start;
  let to = Math.min(end, bytes.length);
  for (;;) {
    const field = fieldAround(bytes, from, to, error.offset);
    if (field === undefined) return error.at(path);
    const descriptor = messageDescriptor(message).byNumber.get(field.number);
    path += `.${descriptor?.name ?? field.number}`;
    const inside = error.offset >= field.start && error.offset <= field.end;
    if (descriptor?.kind !== "message" || field.wireType !== 2 || !inside) return error.at(path);
    message = descriptor.typeName;
    from = field.start;
    to = field.end;
  }
}

interface FieldRange {
  number: number;
  wireType: number;
  /** Offset of the content, behind tag and length. */
  start: number;
  end: number;
}

/**
 * The field whose tag or content contains `offset`, or the last readable field before it. The content of a group counts
 * as the group: only unknown fields are groups, so nothing in it has a name.
 */
function fieldAround(bytes: Uint8Array, from: number, to: number, offset: number): FieldRange | undefined {
  let depth = 0;
  let number = 0;
  for (let pos = from; pos < to; ) {
    const tag = varint(bytes, pos);
    if (tag === undefined) return undefined;
    const wireType = tag.value & 7;
    if (depth === 0) number = Math.floor(tag.value / 8);
    if (wireType === 3) depth++;
    const head = wireType === 0 || wireType === 2 ? varint(bytes, tag.next) : undefined;
    const start = head !== undefined && wireType === 2 ? head.next : tag.next;
    const end = contentEnd(wireType, start, to, head);
    if (offset < end || end >= to) return { number, wireType, start, end: Math.min(end, to) };
    if (wireType === 4) depth--;
    pos = end;
  }
  return undefined;
}

function contentEnd(wireType: number, start: number, to: number, head: Varint | undefined): number {
  if (wireType === 0) return head?.next ?? to;
  if (wireType === 2) return start + (head?.value ?? 0);
  return start + (wireType === 1 ? 8 : wireType === 5 ? 4 : 0);
}

interface Varint {
  value: number;
  next: number;
}

function varint(bytes: Uint8Array, start: number): Varint | undefined {
  let value = 0;
  let unit = 1;
  for (let index = 0; index < 10; index++, unit *= 128) {
    const byte = bytes[start + index];
    if (byte === undefined) return undefined;
    value += (byte & 127) * unit;
    if (byte < 128) return { value, next: start + index + 1 };
  }
  return undefined;
}
