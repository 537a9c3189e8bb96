/**
 * Names the field in which decoding failed. Generated code keeps no path while it reads, because that would
 * cost every good message; after a failure the bytes are walked once more by the schema, up to the offset.
 */
import type { WireError } from "./errors.ts";
import { messageDescriptor } from "./schema/index.ts";

/** The error again, with a path such as `vega.Asset.details.name`. */
export function blame(
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
    const known = messageDescriptor(message).byNumber.get(field.number);
    path += `.${known?.name ?? field.number}`;
    const inside = error.offset >= field.start && error.offset <= field.end;
    if (known?.kind !== "message" || field.wireType !== 2 || !inside) return error.at(path);
    message = known.typeName;
    from = field.start;
    to = field.end;
  }
}

interface FoundField {
  number: number;
  wireType: number;
  /** Where the content stands, behind tag and length. */
  start: number;
  end: number;
}

/**
 * The field whose tag or content holds `offset`, or the last one that could be read before it. What stands inside
 * a group counts as the group: only unknown fields are groups, so nothing in it has a name.
 */
function fieldAround(bytes: Uint8Array, from: number, to: number, offset: number): FoundField | undefined {
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
  for (let index = 0; index < 10; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) return undefined;
    value += (byte & 127) * 2 ** (7 * index);
    if (byte < 128) return { value, next: start + index + 1 };
  }
  return undefined;
}
