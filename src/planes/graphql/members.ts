/**
 * The one mapping of message members to fields: numbers of 64 bits and enums as text, times, null against empty, objects that
 * a member names by their identifier (docs/protocol/95-graphql-queries.md#5-values and #7-nested-fields).
 * `schema.graphql` says which member a field is.
 */
import { type GraphQLOutputType, getNamedType, getNullableType, isListType, isNonNullType } from "graphql";
import { enumDescriptor, type FieldDescriptor, messageDescriptor } from "../../wire/descriptors.ts";
import { rfc3339Nano, SECOND_NS, timeNs } from "../../wire/time-text.ts";
import { FieldError } from "./errors.ts";
import type { Message, QueryReads } from "./reads.ts";
import { NO_TIME } from "./scalars.ts";

export interface MemberNote {
  /** `details.name` is a member of a member. */
  readonly path: string;
  /** The party must exist and is read; otherwise `Party` is made from its identifier alone. */
  readonly read: boolean;
  /** The member counts seconds. */
  readonly isSeconds: boolean;
}

export type Resolve = (source: Message, args: Message, reads: QueryReads) => unknown;
type Convert = (value: unknown, reads: QueryReads) => unknown;

/** Reads a field out of a message; undefined where the message has no such member. */
export function memberResolver(
  message: string,
  type: GraphQLOutputType,
  note: MemberNote,
): Resolve | undefined {
  const path = note.path.split(".");
  const field = fieldAt(message, path);
  if (field === undefined) return undefined;
  const convert = converterOf(field, type, note);
  const [name] = path;
  if (path.length === 1) return (source, _, reads) => convert(source[name!], reads);
  return (source, _, reads) => {
    let value: unknown = source;
    for (const part of path) value = (value as Message | undefined)?.[part];
    return convert(value, reads);
  };
}

/** The message and the name of a member, where there is one. */
export function memberAt(message: string, path: string): { message: string; member: string } | undefined {
  const parts = path.split(".");
  const member = parts.pop()!;
  const inner = parts.length === 0 ? message : fieldAt(message, parts)?.typeName;
  return inner !== undefined && fieldAt(inner, [member]) ? { message: inner, member } : undefined;
}

function fieldAt(message: string, path: readonly string[]): FieldDescriptor | undefined {
  let inner = message;
  let field: FieldDescriptor | undefined;
  for (const part of path) {
    field = messageDescriptor(inner).fields.find(({ jsonName }) => jsonName === part);
    if (field === undefined) return undefined;
    inner = field.typeName;
  }
  return field;
}

function converterOf(field: FieldDescriptor, type: GraphQLOutputType, note: MemberNote): Convert {
  const isNonNull = isNonNullType(type);
  const one = valueConverter(field, getNamedType(type).name, isNonNull, note);
  if (!isListType(getNullableType(type))) return one;
  const empty = isNonNull ? [] : null;
  const isPlain = field.kind === "message" || field.kind === "string";
  return (value, reads) => {
    const list = (value ?? []) as readonly unknown[];
    if (list.length === 0) return empty;
    return reads.rows(isPlain ? list : list.map((each) => one(each, reads)));
  };
}

function valueConverter(
  field: FieldDescriptor,
  typeName: string,
  isNonNull: boolean,
  { read, isSeconds }: MemberNote,
): Convert {
  const reader = READERS[typeName];
  if (reader !== undefined && field.kind !== "message") {
    const readOne = typeName === "Party" && !read ? (id: string) => ({ id }) : reader;
    return (value, reads) => {
      const id = (value ?? "") as string;
      return id === "" && !isNonNull ? null : readOne(id, reads);
    };
  }
  if (typeName === "Timestamp")
    return field.kind === "string"
      ? timeTextConverter(isNonNull)
      : timeConverter(isNonNull, isSeconds ? SECOND_NS : 1n);
  const absent = field.optional || field.oneof !== "" ? null : undefined;
  switch (field.kind) {
    case "message":
      return (value) => value;
    case "int64":
    case "uint64":
    case "int32":
    case "uint32": {
      const zero = typeName === "Int" ? 0 : "0";
      const convert = typeName === "Int" ? Number : String;
      return (value) => (value === undefined ? (absent === null ? null : zero) : convert(value));
    }
    case "enum": {
      const { nameOf } = enumDescriptor(field.typeName);
      return (value) => {
        if (value === undefined && absent === null) return null;
        return nameOf.get((value ?? 0) as number) ?? String(value);
      };
    }
    case "bytes":
      return (value) => (value === undefined ? "" : (value as Uint8Array).toBase64());
    default: {
      const zero = absent === null ? null : DEFAULTS[field.kind];
      return (value) => value ?? zero;
    }
  }
}

const DEFAULTS: Readonly<Record<string, unknown>> = { string: "", bool: false, double: 0, float: 0 };

function timeConverter(isNonNull: boolean, factor: bigint): Convert {
  const none = isNonNull ? NO_TIME : null;
  return (value) => {
    const ns = (value ?? 0n) as bigint;
    return ns === 0n ? none : rfc3339Nano(ns * factor);
  };
}

/** For a time that the message holds as text. */
function timeTextConverter(isNonNull: boolean): Convert {
  const none = isNonNull ? NO_TIME : null;
  return (value) => {
    const ns = timeNs((value ?? "") as string);
    return ns === undefined ? none : rfc3339Nano(ns);
  };
}

type ReadById = (id: string, reads: QueryReads) => unknown;

/** Objects by their identifiers: the same call as the root field's, and the same failures. */
export const READERS: Readonly<Record<string, ReadById>> = {
  Asset(id, reads) {
    if (id === "") throw new FieldError("missing id or reference");
    return reads.byId("GetAsset", "assetId", id).asset;
  },
  Market: (id, reads) => reads.byId("GetMarket", "marketId", id).market,
  Node: (id, reads) => reads.byId("GetNode", "id", id).node,
  Order: (id, reads) => reads.byId("GetOrder", "orderId", id).order,
  Party: (id, reads) => {
    if (id === "") throw new FieldError("invalid party");
    return reads.byId("GetParty", "partyId", id).party;
  },
  Epoch: (seq, reads) => reads.call("GetEpoch", { id: seq }).epoch,
};
