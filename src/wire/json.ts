/**
 * Messages to JSON, by the rules of the data API (docs/protocol/10-data-api-serving.md#13-json-output-rules and
 * docs/protocol/10-data-api-streams.md#61-transport), and back.
 *
 * A plan compiled once for each message type turns a message into a plain object, which `JSON.stringify` prints. It prints
 * numbers as Go does, because Go's encoder follows ECMAScript.
 */

import { didYouMean } from "../errors/nearest.ts";
import {
  type EnumDescriptor,
  enumDescriptor,
  type FieldDescriptor,
  messageDescriptor,
} from "./descriptors.ts";
import { WireError } from "./errors.ts";

/**
 * - `normal`: unary replies. Everything is printed, including zero values, except absent members of a choice.
 * - `pretty`: as `normal`, indented by one space a level.
 * - `node`: as `normal`, indented by two spaces a level, as the core node answers
 * (docs/protocol/30-node-api-transactions.md#1-transports).
 * - `stream`: streams, and `Accept: application/json+stream`. Zero values are omitted, enums are numbers.
 */
export type JsonMode = "normal" | "pretty" | "node" | "stream";

export type PlainObject = { [name: string]: unknown };
type Message = Readonly<Record<string, unknown>>;
type Convert = (value: unknown) => unknown;

/** Content of a plain object: all fields or only non-zero ones; enums by name or by number. */
interface Style {
  readonly zeros: boolean;
  readonly enumNames: boolean;
  readonly plans: Map<string, Plan>;
}
const full: Style = { zeros: true, enumNames: true, plans: new Map() };
const stream: Style = { zeros: false, enumNames: false, plans: new Map() };
const stored: Style = { zeros: false, enumNames: true, plans: new Map() };
const styles: Readonly<Record<JsonMode | "stored", Style>> = {
  normal: full,
  pretty: full,
  node: full,
  stream,
  stored,
};

/** The text of a message, compact and without a newline at the end. */
export function renderJson(fullName: string, message: object, mode: JsonMode = "normal"): string {
  return renderPlain(toPlain(fullName, message, mode), mode);
}

/** Renders a value that is not a message, such as an envelope around a plain object, with the same layout and escapes. */
export function renderPlain(value: unknown, mode: JsonMode = "normal"): string {
  return escapeText(JSON.stringify(value, undefined, indent[mode]));
}

/**
 * The message as a plain object. `stored` is plain proto3 JSON, as it stands in CSV cells: zero left out, enums
 * by name, 64 bits as text. With another mode it is what `renderJson` would print.
 */
export function toPlain(
  fullName: string,
  message: object,
  mode: JsonMode | "stored" = "stored",
): PlainObject {
  return plan(fullName, styles[mode]).plain(message as Message);
}

const indent: Readonly<Record<JsonMode, number>> = { normal: 0, pretty: 1, node: 2, stream: 0 };
const unsafe = /[<>&\u2028\u2029]|\\[bf]/;
const unsafeOrEscape = /[<>&\u2028\u2029]|\\./g;

/**
 * Go's JSON encoder escapes HTML, and writes \b and \f by number. All of these occur only inside strings, so one search of
 * the finished text suffices.
 */
function escapeText(text: string): string {
  if (!unsafe.test(text)) return text;
  return text.replace(unsafeOrEscape, (match) => {
    if (match === "\\b") return "\\u0008";
    if (match === "\\f") return "\\u000c";
    return match.length > 1 ? match : `\\u${match.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

interface Step {
  readonly name: string;
  readonly convert: Convert;
  /** Value of an absent field; undefined omits it. */
  readonly absent: unknown;
  readonly keepZero: boolean;
}

/** Makes a plain object of one message type in one style. */
class Plan {
  private readonly fullName: string;
  private readonly style: Style;
  private steps: Step[] | undefined;

  constructor(fullName: string, style: Style) {
    this.fullName = fullName;
    this.style = style;
  }

  plain(message: Message): PlainObject {
    this.steps ??= messageDescriptor(this.fullName).fields.map((field) => stepOf(field, this.style));
    const plain: PlainObject = {};
    for (const step of this.steps) {
      const value = message[step.name];
      if (value === undefined) {
        if (step.absent !== undefined) plain[step.name] = step.absent;
      } else if (step.keepZero || !isZero(value)) {
        plain[step.name] = step.convert(value);
      }
    }
    return plain;
  }
}

/** Plans are created empty and filled on first use, so that one plan does not create all that it can reach. */
function plan(fullName: string, style: Style): Plan {
  let plan = style.plans.get(fullName);
  if (plan === undefined) style.plans.set(fullName, (plan = new Plan(fullName, style)));
  return plan;
}

function stepOf(field: FieldDescriptor, style: Style): Step {
  const presence = field.optional || field.oneof !== "";
  const one = converter(field, style);
  const convert = field.repeated ? (value: unknown) => (value as unknown[]).map(one) : one;
  return {
    name: field.jsonName,
    convert,
    absent: style.zeros && !presence ? absentOf(field, style) : undefined,
    keepZero: style.zeros || (presence && !field.repeated),
  };
}

/** A handler's message may omit fields: they print as their defaults. */
function absentOf(field: FieldDescriptor, style: Style): unknown {
  if (field.repeated) return Object.freeze([]);
  if (field.kind === "map") return Object.freeze({});
  if (field.kind === "message") return null;
  if (field.kind === "string" || field.kind === "bytes") return "";
  return field.kind === "bool" ? false : converter(field, style)(0);
}

/** True for a scalar zero, an empty list or an empty map; a message is never zero. */
function isZero(value: unknown): boolean {
  if (typeof value !== "object") return !value && !Number.isNaN(value);
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  return value instanceof Map && value.size === 0;
}

function converter(field: FieldDescriptor, style: Style): Convert {
  switch (field.kind) {
    case "int64":
    case "uint64":
      return String;
    case "double":
      return (value) => number(value as number);
    case "float":
      return (value) => number(shortestFloat(value as number));
    case "bytes":
      return (value) => (value as Uint8Array).toBase64();
    case "enum":
      return style.enumNames ? enumName(enumDescriptor(field.typeName)) : (value) => value;
    case "message": {
      const inner = plan(field.typeName, style);
      return (value) => inner.plain(value as Message);
    }
    case "map": {
      const inner = plan(field.typeName, style);
      return (value) => mapObject(value as ReadonlyMap<string, Message>, inner);
    }
    default:
      return (value) => value;
  }
}

/** Sorted by key, as Go prints maps; no prototype, because a key can be any text. */
function mapObject(map: ReadonlyMap<string, Message>, inner: Plan): PlainObject {
  const object: PlainObject = Object.create(null);
  for (const key of [...map.keys()].sort()) object[key] = inner.plain(map.get(key)!);
  return object;
}

/** An unnamed number, from a newer writer, is printed as a number. */
function enumName({ nameOf }: EnumDescriptor): Convert {
  return (value) => nameOf.get(value as number) ?? value;
}

/** JSON has no NaN and no infinities; proto3 JSON writes their names. */
function number(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

/** The number with the fewest digits that is the same 32-bit float: 0.1, and not 0.10000000149011612. */
function shortestFloat(value: number): number {
  for (let digits = 1; digits < 10; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

// JSON values to messages (proto3 JSON mapping): the bodies that clients post.
//
// As lenient as the mapping: both spellings of a field name, enums by name or number, 64-bit integers as text, number or
// bigint, `null` for "not set". Everything else is refused; the error has the path of the value.

interface FromJsonOptions {
  /** Treatment of an unknown member; default `reject`. */
  readonly unknown?: "reject" | "ignore";
}

type PlainMessage = Record<string, unknown>;

/** Decodes a JSON value to a message with all its defaults. @throws WireError with code `json_invalid` */
export function fromJson<T extends object>(
  fullName: string,
  value: unknown,
  options: FromJsonOptions = {},
): T {
  return readMessage(fullName, value, fullName, options) as T;
}

function refuse(path: string, sentence: string): never {
  throw new WireError("json_invalid", sentence, -1, path);
}

function readMessage(fullName: string, value: unknown, path: string, options: FromJsonOptions): PlainMessage {
  if (!isObject(value)) refuse(path, `must be an object, is ${kindOf(value)}`);
  const shape = shapeOf(fullName);
  const message = emptyMessage(fullName);
  const seen = new Set<FieldDescriptor | string>();
  for (const [name, member] of Object.entries(value)) {
    const field = shape.get(name);
    if (field === undefined) {
      if (options.unknown === "ignore") continue;
      refuse(path, `has no field called ${JSON.stringify(name)}`);
    }
    const place = `${path}.${field.jsonName}`;
    if (seen.has(field)) refuse(place, "is given twice, in both spellings");
    seen.add(field);
    if (member === null) continue;
    if (field.oneof !== "") {
      if (seen.has(field.oneof))
        refuse(place, `cannot be set together with another member of ${field.oneof}`);
      seen.add(field.oneof);
    }
    message[field.jsonName] = readField(field, member, place, options);
  }
  return message;
}

const shapes = new Map<string, ReadonlyMap<string, FieldDescriptor>>();

/** Fields by both of their names. */
function shapeOf(fullName: string): ReadonlyMap<string, FieldDescriptor> {
  let shape = shapes.get(fullName);
  if (shape === undefined) {
    const { fields } = messageDescriptor(fullName);
    shape = new Map(
      fields.flatMap((field) => [
        [field.name, field],
        [field.jsonName, field],
      ]),
    );
    shapes.set(fullName, shape);
  }
  return shape;
}

interface Blank {
  readonly message: PlainMessage;
  /** Fields whose defaults are not shared: lists, maps and bytes. */
  readonly own: readonly FieldDescriptor[];
}

const blanks = new Map<string, Blank>();

/** All fields at their defaults, in the order in which generated code has them. */
export function emptyMessage(fullName: string): PlainMessage {
  let blank = blanks.get(fullName);
  if (blank === undefined) {
    const { fields } = messageDescriptor(fullName);
    blank = {
      message: Object.fromEntries(fields.map((field) => [field.jsonName, initial(field)])),
      own: fields.filter((field) => typeof initial(field) === "object"),
    };
    blanks.set(fullName, blank);
  }
  const message = { ...blank.message };
  for (const field of blank.own) message[field.jsonName] = initial(field);
  return message;
}

function initial(field: FieldDescriptor): unknown {
  if (field.kind === "map") return new Map();
  if (field.repeated) return [];
  if (field.kind === "message" || field.optional || field.oneof !== "") return undefined;
  if (field.kind === "string") return "";
  if (field.kind === "bytes") return new Uint8Array(0);
  if (field.kind === "bool") return false;
  return field.kind === "int64" || field.kind === "uint64" ? 0n : 0;
}

function readField(field: FieldDescriptor, value: unknown, path: string, options: FromJsonOptions): unknown {
  if (field.kind === "map") {
    if (!isObject(value)) refuse(path, `must be an object, is ${kindOf(value)}`);
    const entries = Object.entries(value);
    return new Map(
      entries.map(([key, member]) => [key, readMessage(field.typeName, member, `${path}.${key}`, options)]),
    );
  }
  if (!field.repeated) return readOne(field, value, path, options);
  if (!Array.isArray(value)) refuse(path, `must be a list, is ${kindOf(value)}`);
  return value.map((item, index) => readOne(field, item, `${path}[${index}]`, options));
}

function readOne(field: FieldDescriptor, value: unknown, path: string, options: FromJsonOptions): unknown {
  switch (field.kind) {
    case "message":
      return readMessage(field.typeName, value, path, options);
    case "enum":
      return readEnum(field.typeName, value, path);
    case "string":
      return readText(value, path);
    case "bytes":
      return readBytes(value, path);
    case "bool":
      return typeof value === "boolean" ? value : refuse(path, `must be true or false, is ${kindOf(value)}`);
    case "int32":
      return Number(readInteger(value, path, -(1n << 31n), (1n << 31n) - 1n));
    case "uint32":
      return Number(readInteger(value, path, 0n, (1n << 32n) - 1n));
    case "int64":
      return readInteger(value, path, -(1n << 63n), (1n << 63n) - 1n);
    case "uint64":
      return readInteger(value, path, 0n, (1n << 64n) - 1n);
    default:
      return readFloat(value, path, field.kind === "float");
  }
}

function readEnum(typeName: string, value: unknown, path: string): number {
  if (typeof value === "string") {
    const { numberOf } = enumDescriptor(typeName);
    const number = numberOf.get(value);
    if (number !== undefined) return number;
    refuse(path, `${quoted(value)} is not a ${typeName}${didYouMean(value, [...numberOf.keys()])}`);
  }
  if (typeof value === "number" && value === (value | 0)) return value;
  refuse(path, `must be the name or the number of a ${typeName}, is ${kindOf(value)}`);
}

function readText(value: unknown, path: string): string {
  if (typeof value !== "string") refuse(path, `must be a text, is ${kindOf(value)}`);
  if (!value.isWellFormed()) refuse(path, "has a lone surrogate, which no UTF-8 can hold");
  return value;
}

function readBytes(value: unknown, path: string): Uint8Array {
  if (typeof value !== "string") refuse(path, `must be a base64 text, is ${kindOf(value)}`);
  return base64Bytes(value, path);
}

const notBase64 = /[^A-Za-z0-9+/]/;
const lineEnds = /[\r\n]+/g;

/**
 * Bytes of standard base64 with its padding; line ends are ignored, because tools wrap their output.
 * @param path of the value, for the error
 * @throws WireError in the original's words (docs/protocol/30-node-api-transactions.md#1-transports)
 */
export function base64Bytes(text: string, path = ""): Uint8Array {
  const joined = text.replace(lineEnds, "");
  const digits = joined.replace(/={1,2}$/, "");
  const isBase64 = joined.length % 4 === 0 && digits.length % 4 !== 1 && !notBase64.test(digits);
  if (isBase64) return Uint8Array.fromBase64(joined);
  refuse(path, `illegal base64 data at input byte ${whereBase64Ends(text)}`);
}

/** Offset of the first invalid character, as the original's decoder counts it: line ends included. */
function whereBase64Ends(text: string): number {
  let digits = 0;
  let padding = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (letter === "\r" || letter === "\n") continue;
    // Two digits of a group need two padding characters, three need one: the decoder looks ahead for the second.
    if (padding > 0 && digits + padding === 4) return at;
    if (letter === "=" && digits >= 2) padding++;
    else if (padding > 0) return at - 1;
    else if (notBase64.test(letter)) return at;
    else digits = (digits + 1) % 4;
  }
  return padding > 0 ? text.length : text.length - digits;
}

/** Longer texts are refused without parsing: no 64-bit integer needs more than 20 characters. */
const integerForm = /^-?\d{1,20}$/;

function readInteger(value: unknown, path: string, least: bigint, most: bigint): bigint {
  let integer: bigint;
  if (typeof value === "number") {
    // A JSON number above 2^53 has already lost digits.
    if (!Number.isSafeInteger(value))
      refuse(path, `must be a whole number, given as text above 2^53, is ${value}`);
    integer = BigInt(value);
  } else if (typeof value === "bigint" || (typeof value === "string" && integerForm.test(value))) {
    integer = BigInt(value);
  } else {
    refuse(path, `must be a whole number, is ${quoted(value)}`);
  }
  if (integer < least || integer > most) refuse(path, `must be from ${least} to ${most}, is ${integer}`);
  return integer;
}

const floatForm = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const floatNames: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

function readFloat(value: unknown, path: string, single: boolean): number {
  let float: number;
  if (typeof value === "number" || typeof value === "bigint") float = Number(value);
  else if (typeof value !== "string") refuse(path, `must be a number, is ${kindOf(value)}`);
  else if (Object.hasOwn(floatNames, value)) return floatNames[value]!;
  else if (floatForm.test(value)) float = Number(value);
  else refuse(path, `must be a number, is ${quoted(value)}`);
  const rounded = single ? Math.fround(float) : float;
  if (!Number.isFinite(rounded)) refuse(path, `is out of range: ${quoted(value)}`);
  return rounded;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** An untrusted value for an error message, truncated. */
function quoted(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : kindOf(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
