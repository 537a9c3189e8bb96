/**
 * Messages to JSON text, by the rules of the data API (reference 10, sections 1.3 and 6.1).
 *
 * A message first becomes a plain object, by steps that are compiled once a message type, and the runtime's own
 * `JSON.stringify` does the rest. Measured on 50 rows of 20 fields: 37 µs, against 90 µs for joining texts.
 * It prints numbers as Go does, since Go's printing is defined as ECMAScript's.
 */
import {
  type EnumDescriptor,
  enumDescriptor,
  type FieldDescriptor,
  messageDescriptor,
} from "./schema/index.ts";

/**
 * - `normal`: unary replies. Everything is printed, also zero, except what is absent by choice.
 * - `pretty`: the same, one space of indentation a level.
 * - `node`: the same, two spaces a level: what the core node answers (reference 30, REST conventions).
 * - `stream`: streams, and `Accept: application/json+stream`. Zero values left out, enums as numbers.
 */
export type JsonMode = "normal" | "pretty" | "node" | "stream";

export type PlainObject = { [name: string]: unknown };
type Message = Readonly<Record<string, unknown>>;
type Convert = (value: unknown) => unknown;

/** What a plain object holds: all fields or only those that are not zero; enums by name or by number. */
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

/** Renders what is no message, such as an envelope around a plain object, with the same layout and escapes. */
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
 * Go's JSON printer escapes HTML, and writes \b and \f by number. All of these can only stand inside strings, so
 * the finished text is searched once: 1.5 µs for 39 kB.
 */
function escapeText(text: string): string {
  if (!unsafe.test(text)) return text;
  return text.replace(unsafeOrEscape, (found) => {
    if (found === "\\b") return "\\u0008";
    if (found === "\\f") return "\\u000c";
    return found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

interface Step {
  readonly name: string;
  readonly convert: Convert;
  /** What stands for a field that is not there; undefined prints nothing. */
  readonly absent: unknown;
  readonly keepZero: boolean;
}

/** How to make a plain object of one message type in one style. */
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

/** Plans are made empty and filled at first use, so that making one does not make all that it could reach. */
function plan(fullName: string, style: Style): Plan {
  let known = style.plans.get(fullName);
  if (known === undefined) style.plans.set(fullName, (known = new Plan(fullName, style)));
  return known;
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

/** A message that a handler has put together may leave fields out: they print as their defaults. */
function absentOf(field: FieldDescriptor, style: Style): unknown {
  if (field.repeated) return Object.freeze([]);
  if (field.kind === "map") return Object.freeze({});
  if (field.kind === "message") return null;
  if (field.kind === "string" || field.kind === "bytes") return "";
  return field.kind === "bool" ? false : converter(field, style)(0);
}

/** Zero of any kind, an empty list and an empty map; a message is never zero, however empty. */
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
      return (value) => base64(value as Uint8Array);
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

/** Sorted by key, as Go prints maps; without a prototype, because a key can have any name. */
function mapObject(map: ReadonlyMap<string, Message>, inner: Plan): PlainObject {
  const made: PlainObject = Object.create(null);
  for (const key of [...map.keys()].sort()) made[key] = inner.plain(map.get(key)!);
  return made;
}

/** A number without a name is printed as it is: it comes from a newer writer. */
function enumName({ nameOf }: EnumDescriptor): Convert {
  return (value) => nameOf.get(value as number) ?? value;
}

function base64(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
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
