/**
 * Protobuf's own description of the schema, for server reflection: each file as a serialised
 * `google.protobuf.FileDescriptorProto`. Field numbers are those of descriptor.proto.
 */
import { type ProtoEnum, type ProtoFile, type ProtoMessage, protoFiles } from "./proto-files.ts";
import type { FieldDescriptor } from "./schema/index.ts";
import type { MethodDescriptor } from "./schema/services.ts";
import { Writer } from "./writer.ts";

/** FieldDescriptorProto.Type */
const TYPES: Readonly<Record<FieldDescriptor["kind"], number>> = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  bool: 8,
  string: 9,
  message: 11,
  map: 11,
  bytes: 12,
  uint32: 13,
  enum: 14,
};
const OPTIONAL = 1;
const REPEATED = 3;
const STRING = TYPES.string;
const MESSAGE = TYPES.message;

/** Tag of a field with a length: a text, bytes, a message. */
const lengthTag = (number: number): number => number * 8 + 2;
const varintTag = (number: number): number => number * 8;

/** The file as FileDescriptorProto. */
export function fileDescriptor(file: ProtoFile): Uint8Array {
  const out = new Writer();
  out.string(lengthTag(1), file.path);
  out.string(lengthTag(2), file.packageName);
  for (const path of file.imports) out.string(lengthTag(3), path);
  for (const message of file.messages)
    inside(out, 4, () => writeMessage(out, message, `.${file.packageName}`));
  for (const one of file.enums) inside(out, 5, () => writeEnum(out, one));
  for (const { fullName, methods } of file.services) {
    inside(out, 6, () => {
      out.string(lengthTag(1), fullName.slice(file.packageName.length + 1));
      for (const method of methods) inside(out, 2, () => writeMethod(out, method));
    });
  }
  inside(out, 8, () => out.string(lengthTag(11), file.goPackage));
  out.string(lengthTag(12), "proto3");
  return out.finish();
}

/** The file of each message, enum, service, method and field by its full name. */
export function symbols(): ReadonlyMap<string, ProtoFile> {
  const found = new Map<string, ProtoFile>();
  for (const file of protoFiles()) {
    const addEnum = ({ name, values }: ProtoEnum, above: string) => {
      found.set(`${above}.${name}`, file);
      // The values of an enum stand beside it.
      for (const [value] of values) found.set(`${above}.${value}`, file);
    };
    const addMessage = ({ name, fields, messages, enums }: ProtoMessage, above: string) => {
      const own = `${above}.${name}`;
      found.set(own, file);
      for (const field of fields) found.set(`${own}.${field.name}`, file);
      for (const one of messages) addMessage(one, own);
      for (const one of enums) addEnum(one, own);
    };
    for (const one of file.messages) addMessage(one, file.packageName);
    for (const one of file.enums) addEnum(one, file.packageName);
    for (const { fullName, methods } of file.services) {
      found.set(fullName, file);
      for (const { name } of methods) found.set(`${fullName}.${name}`, file);
    }
  }
  return found;
}

function inside(out: Writer, number: number, write: () => void): void {
  const start = out.open(lengthTag(number));
  write();
  out.close(start);
}

function writeMessage(out: Writer, message: ProtoMessage, above: string): void {
  const own = `${above}.${message.name}`;
  const oneofs = oneofsOf(message.fields);
  out.string(lengthTag(1), message.name);
  for (const field of message.fields) inside(out, 2, () => writeField(out, field, own, oneofs));
  for (const nested of message.messages) inside(out, 3, () => writeMessage(out, nested, own));
  for (const field of message.fields) if (field.kind === "map") inside(out, 3, () => writeEntry(out, field));
  for (const one of message.enums) inside(out, 4, () => writeEnum(out, one));
  for (const name of oneofs) inside(out, 8, () => out.string(lengthTag(1), name));
}

/** Declared groups first, then the one that stands for each `optional` field. */
function oneofsOf(fields: readonly FieldDescriptor[]): string[] {
  const declared = new Set(fields.map(({ oneof }) => oneof).filter((name) => name !== ""));
  return [...declared, ...fields.filter(({ optional }) => optional).map(({ name }) => `_${name}`)];
}

function writeField(out: Writer, field: FieldDescriptor, own: string, oneofs: readonly string[]): void {
  const { name, jsonName, number, kind, typeName, repeated, optional, oneof } = field;
  const type = kind === "map" ? `${own}.${entryName(field)}` : typeName && `.${typeName}`;
  out.string(lengthTag(1), name);
  out.int32(varintTag(3), number);
  out.int32(varintTag(4), repeated || kind === "map" ? REPEATED : OPTIONAL);
  out.int32(varintTag(5), TYPES[kind]);
  if (type !== "") out.string(lengthTag(6), type);
  const group = optional ? `_${name}` : oneof;
  if (group !== "") out.int32(varintTag(9), oneofs.indexOf(group));
  out.string(lengthTag(10), jsonName);
  if (optional) out.bool(varintTag(17), true);
}

/** The message that an entry of a map is: `key` and `value`. */
function writeEntry(out: Writer, field: FieldDescriptor): void {
  const member = (name: string, number: number, type: number, typeName = "") =>
    inside(out, 2, () => {
      out.string(lengthTag(1), name);
      out.int32(varintTag(3), number);
      out.int32(varintTag(4), OPTIONAL);
      out.int32(varintTag(5), type);
      if (typeName !== "") out.string(lengthTag(6), typeName);
      out.string(lengthTag(10), name);
    });
  out.string(lengthTag(1), entryName(field));
  member("key", 1, STRING);
  member("value", 2, MESSAGE, `.${field.typeName}`);
  inside(out, 7, () => out.bool(varintTag(7), true));
}

function entryName({ jsonName }: FieldDescriptor): string {
  return `${jsonName[0]!.toUpperCase()}${jsonName.slice(1)}Entry`;
}

function writeEnum(out: Writer, { name, values }: ProtoEnum): void {
  out.string(lengthTag(1), name);
  for (const [value, number] of values) {
    inside(out, 2, () => {
      out.string(lengthTag(1), value);
      out.int32(varintTag(2), number);
    });
  }
}

function writeMethod(out: Writer, method: MethodDescriptor): void {
  out.string(lengthTag(1), method.name);
  out.string(lengthTag(2), `.${method.request}`);
  out.string(lengthTag(3), `.${method.response}`);
  if (method.isRequestStream) out.bool(varintTag(5), true);
  if (method.isResponseStream) out.bool(varintTag(6), true);
}
