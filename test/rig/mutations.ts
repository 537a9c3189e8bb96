// Bad values for every field of every stored message: one field at a time, the rest as it came.
import { Field } from "../../src/wire/block.ts";
import { type FieldDescriptor, messageDescriptor } from "../../src/wire/descriptors.ts";
import { type AnyMessage, codecOf } from "../wire/codecs.ts";

/** Message of a payload field of the bus event. */
export function messageOf(field: number): string {
  return messageDescriptor("vega.events.v1.BusEvent").byNumber.get(field)!.typeName;
}

/** Payloads that some projection keeps. */
export const STORED_FIELDS = Object.values(Field).filter((field) => {
  return field !== Field.beginBlock && field !== Field.endBlock;
});

export interface Mutation {
  /** As an error names it: `buyer_fee.maker_fee`. */
  readonly path: string;
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

const TEXTS = [
  "",
  "abc",
  "a",
  "-1",
  "-0",
  "1.5",
  "5.",
  "1e3",
  "1e-3",
  "1e999",
  "1e99999999",
  "0x10",
  "NaN",
  "Infinity",
  "٣",
  "1\n",
  "!",
  "*",
  "\0",
  'quote " comma , line\r\nend',
  "\u001b[31m",
  "9".repeat(78),
  "9".repeat(79),
  `-${"9".repeat(150)}`,
  `0.${"1".repeat(150)}`,
  "9".repeat(985),
  "9".repeat(5_000),
  "network",
  "VOTE",
  "AB".repeat(32),
  "ab".repeat(40),
];
const INT32 = [-(2 ** 31), -32_769, -1, 0, 1, 99, 32_768, 2 ** 31 - 1];
const INT64 = [
  -(2n ** 63n),
  -(2n ** 53n) - 1n,
  -101n,
  -1n,
  0n,
  101n,
  2n ** 31n,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
];
const UINT64 = [
  0n,
  1n,
  101n,
  2n ** 31n,
  2n ** 32n,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n - 1n,
];
const DOUBLES = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 1e308, 5e-324, -1.5];

function badValues(field: FieldDescriptor): readonly unknown[] {
  switch (field.kind) {
    case "string":
      return TEXTS;
    case "bytes":
      return [new Uint8Array(0), Uint8Array.of(0), new Uint8Array(500).fill(255)];
    case "bool":
      return [false, true];
    case "enum":
    case "int32":
      return INT32;
    case "uint32":
      return [0, 1, 2 ** 31, 2 ** 32 - 1];
    case "int64":
      return INT64;
    case "uint64":
      return UINT64;
    default:
      return DOUBLES;
  }
}

/** Depth of messages inside messages that are gone into: products and proposals nest without end. */
const DEPTH_MAX = 3;

/** Each field of a message replaced by each bad value of its kind. */
export function* mutations(fullName: string, payload: Uint8Array): Generator<Mutation> {
  const codec = codecOf(fullName);
  for (const { path, set, values } of places(fullName, DEPTH_MAX)) {
    for (const value of values) {
      const message = codec.decode(payload);
      set(message, value);
      yield { path, value, bytes: codec.encode(message) };
    }
  }
}

interface Place {
  readonly path: string;
  readonly values: readonly unknown[];
  set(message: AnyMessage, value: unknown): void;
}

function places(fullName: string, depth: number): Place[] {
  return messageDescriptor(fullName).fields.flatMap((field): Place[] => {
    if (field.kind !== "message") return field.kind === "map" ? [] : [scalarPlace(fullName, field)];
    const absent: Place = { path: field.name, values: [undefined], set: (m) => clear(m, field) };
    if (depth === 0) return [absent];
    const inner = places(field.typeName, depth - 1);
    return [absent, ...inner.map((place) => nested(fullName, field, place))];
  });
}

function scalarPlace(fullName: string, field: FieldDescriptor): Place {
  return {
    path: field.name,
    values: badValues(field),
    set(message, value) {
      choose(fullName, message, field);
      message[field.jsonName] = field.repeated ? [value] : value;
    },
  };
}

function nested(fullName: string, field: FieldDescriptor, place: Place): Place {
  return {
    path: `${field.name}.${place.path}`,
    values: place.values,
    set(message, value) {
      choose(fullName, message, field);
      const list = field.repeated ? (message[field.jsonName] as AnyMessage[]) : undefined;
      let inner = list ? list[0] : (message[field.jsonName] as AnyMessage | undefined);
      if (!inner) {
        inner = codecOf(field.typeName).empty();
        if (list) list.push(inner);
        else message[field.jsonName] = inner;
      }
      place.set(inner, value);
    },
  };
}

/** The other members of a oneof go. */
function choose(fullName: string, message: AnyMessage, field: FieldDescriptor): void {
  if (field.oneof === "") return;
  for (const other of messageDescriptor(fullName).fields) {
    if (other.oneof === field.oneof && other !== field) message[other.jsonName] = undefined;
  }
}

function clear(message: AnyMessage, field: FieldDescriptor): void {
  message[field.jsonName] = field.repeated ? [] : undefined;
}
