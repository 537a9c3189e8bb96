/**
 * A second decoder: slow, plain, driven by the schema, written from the protobuf encoding guide and sharing no
 * line with the generated code. Where both agree on good and on broken bytes, both are likely right.
 */
import { type FieldDescriptor, messageDescriptor } from "../../src/wire/descriptors.ts";
import type { AnyMessage } from "./codecs.ts";

class OracleError extends Error {}

interface Item {
  number: number;
  wireType: number;
  /** The varint, or undefined. */
  value: bigint;
  /** The content of fixed and length-delimited fields. */
  content: Uint8Array;
}

/** Splits bytes into fields; unknown groups are checked and dropped. */
function split(bytes: Uint8Array): Item[] {
  let pos = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[pos++];
      if (byte === undefined) throw new OracleError("truncated varint");
      value |= BigInt(byte & 127) << shift;
      if (value >= 1n << 64n || (shift === 63n && byte > 1)) throw new OracleError("varint above 64 bits");
      if (byte < 128) return value;
    }
  };
  const take = (size: number): Uint8Array => {
    if (pos + size > bytes.length) throw new OracleError("truncated content");
    pos += size;
    return bytes.subarray(pos - size, pos);
  };
  const item = (open: number[]): Item | "end" => {
    const tag = varint();
    const number = Number(tag >> 3n);
    const wireType = Number(tag & 7n);
    if (number === 0 || number >= 2 ** 29) throw new OracleError("field number");
    const field: Item = { number, wireType, value: 0n, content: new Uint8Array(0) };
    if (wireType === 0) field.value = varint();
    else if (wireType === 1) field.content = take(8);
    else if (wireType === 5) field.content = take(4);
    else if (wireType === 2) field.content = take(Number(varint()));
    else if (wireType === 3) {
      if (open.length >= 100) throw new OracleError("too deep");
      while (item([...open, number]) !== "end");
    } else if (wireType === 4 && open.at(-1) === number) return "end";
    else throw new OracleError("wire type");
    return field;
  };
  const items: Item[] = [];
  while (pos < bytes.length) items.push(item([]) as Item);
  return items;
}

function wireTypeOf(field: FieldDescriptor): number {
  if (["string", "bytes", "message", "map"].includes(field.kind)) return 2;
  return field.kind === "double" ? 1 : field.kind === "float" ? 5 : 0;
}

export function oracleDecode(fullName: string, bytes: Uint8Array): AnyMessage {
  const { fields, byNumber } = messageDescriptor(fullName);
  const message: AnyMessage = {};
  for (const field of fields) message[field.jsonName] = initial(field);
  const raw = new Map<FieldDescriptor, Uint8Array>();
  for (const item of split(bytes)) {
    const field = byNumber.get(item.number);
    if (field === undefined) continue;
    const packed = field.repeated && wireTypeOf(field) !== 2 && item.wireType === 2;
    if (item.wireType !== wireTypeOf(field) && !packed) continue;
    for (const other of fields) {
      if (field.oneof === "" || other === field || other.oneof !== field.oneof) continue;
      message[other.jsonName] = undefined;
      raw.delete(other);
    }
    if (packed) unpack(field, item.content, message[field.jsonName] as unknown[]);
    else if (field.repeated) (message[field.jsonName] as unknown[]).push(one(field, item));
    else if (field.kind === "map")
      addEntry(field, item.content, message[field.jsonName] as Map<string, unknown>);
    else if (field.kind !== "message") message[field.jsonName] = one(field, item);
    else {
      // A repeated singular message means the same as its contents in a row; each must be whole by itself.
      oracleDecode(field.typeName, item.content);
      raw.set(field, new Uint8Array([...(raw.get(field) ?? []), ...item.content]));
      message[field.jsonName] = oracleDecode(field.typeName, raw.get(field)!);
    }
  }
  return message;
}

function initial(field: FieldDescriptor): unknown {
  if (field.kind === "map") return new Map();
  if (field.repeated) return [];
  if (field.kind === "message" || field.optional || field.oneof !== "") return undefined;
  const zeros: Record<string, unknown> = {
    string: "",
    bytes: new Uint8Array(0),
    bool: false,
    int64: 0n,
    uint64: 0n,
  };
  return zeros[field.kind] ?? 0;
}

function unpack(field: FieldDescriptor, content: Uint8Array, list: unknown[]): void {
  const size = wireTypeOf(field) === 1 ? 8 : wireTypeOf(field) === 5 ? 4 : 0;
  let start = 0;
  content.forEach((byte, index) => {
    if (size === 0 ? byte > 127 : index + 1 - start < size) return;
    // An element is a field of its own, with a tag in front.
    const alone = new Uint8Array([8 + wireTypeOf(field), ...content.subarray(start, index + 1)]);
    list.push(one(field, split(alone)[0]!));
    start = index + 1;
  });
  if (start !== content.length) throw new OracleError("truncated element");
}

function addEntry(field: FieldDescriptor, content: Uint8Array, map: Map<string, unknown>): void {
  let key = "";
  let value = new Uint8Array(0);
  for (const item of split(content)) {
    if (item.number > 2 || item.wireType !== 2) continue;
    if (item.number === 1) key = text(item.content);
    else {
      oracleDecode(field.typeName, item.content);
      value = new Uint8Array([...value, ...item.content]);
    }
  }
  map.set(key, oracleDecode(field.typeName, value));
}

function one(field: FieldDescriptor, { value, content }: Item): unknown {
  const view = new DataView(content.buffer, content.byteOffset, content.length);
  switch (field.kind) {
    case "string":
      return text(content);
    case "bytes":
      return content.slice();
    case "message":
      return oracleDecode(field.typeName, content);
    case "bool":
      return value !== 0n;
    case "int64":
      return BigInt.asIntN(64, value);
    case "uint64":
      return value;
    case "uint32":
      return Number(BigInt.asUintN(32, value));
    case "double":
      return view.getFloat64(0, true);
    case "float":
      return view.getFloat32(0, true);
    default:
      return Number(BigInt.asIntN(32, value));
  }
}

function text(content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new OracleError("utf-8");
  }
}
