/**
 * A quick look at a message that is kept as it came: is it what nearly all are, with plain values in every field?
 * Nothing is made of it, no object and no string; the few fields that a caller wants are noted as places.
 *
 * A skim only ever says yes or no. Yes means that decoding it would succeed and that every field obeys its rule. No
 * means nothing: the long way, decoding and checking by field, decides and says what is wrong. So a skim may be as
 * narrow as it likes, and the values it takes are a part of what the long way takes (skim.test.ts).
 */

import { enumDescriptor, type FieldDescriptor, messageDescriptor } from "./descriptors.ts";
import { latinAt, Reader } from "./reader.ts";

/** Form of a plain field. Without a rule a text is ASCII and a number anything. */
export type Rule =
  | { readonly is: "number" }
  | { readonly is: "digits"; readonly max: number }
  | { readonly is: "id" }
  | { readonly is: "label" }
  | { readonly is: "below"; readonly bits: 14 | 28 | 49 | 56 }
  | { readonly is: "upTo"; readonly max: number }
  | { readonly is: "finite" };

/** Rules by the names of the fields; fields of parts with a point: `buyer_fee.maker_fee`. */
export type Rules = Readonly<Record<string, Rule>>;

const NO = 0;
const VARINT = 1;
const CHOICE = 2;
const FIXED64 = 3;
const FINITE64 = 4;
const FIXED32 = 5;
const BYTES = 6;
const TEXT = 7;
const NUMBER = 8;
const DIGITS = 9;
const ID = 10;
const MESSAGE = 11;

/** Both parts of a number: no limit of store/field.ts is below. */
const NUMBER_CHARACTERS_MAX = 100;
/** The tenth byte of a varint holds the last one of 64 bits. */
const VARINT_BYTES_MAX = 10;
const DEPTH_MAX = 16;
/** Exact as a JavaScript number. */
const EXACT_DIGITS = 15;
const ID_CHARACTERS = 64;

/** 1 for a digit, 2 for a to f. */
const hexKind = new Uint8Array(256);
for (let code = 48; code <= 57; code++) hexKind[code] = 1;
for (let code = 97; code <= 102; code++) hexKind[code] = 2;

const NOT_WANTED = -1;

/** How to look at the fields of one message, by tag: number * 8 + wire type. */
class Shape {
  readonly codes: Uint8Array;
  readonly limits: Uint8Array;
  readonly wanted: Int8Array;
  /** Plain values of a CHOICE, by tag. */
  readonly choices: (Uint8Array | undefined)[];
  private readonly parts: (Shape | undefined)[];

  constructor(
    private readonly fullName: string,
    private readonly rules: Rules,
    wanted: readonly string[],
    private readonly depth = 0,
  ) {
    const { fields } = messageDescriptor(fullName);
    const size = 8 * (1 + Math.max(0, ...fields.map((field) => field.number)));
    // Every place is filled, so that no look-up meets a hole.
    this.choices = new Array(size).fill(undefined);
    this.parts = new Array(size).fill(undefined);
    this.codes = new Uint8Array(size);
    this.limits = new Uint8Array(size);
    this.wanted = new Int8Array(size).fill(NOT_WANTED);
    for (const field of fields) this.add(field, rules[field.name], wanted.indexOf(field.name));
  }

  /** Shape of the message in a field; made when first met, because messages may hold themselves. */
  part(tag: number): Shape {
    const known = this.parts[tag];
    if (known) return known;
    const field = messageDescriptor(this.fullName).byNumber.get(tag >>> 3)!;
    const made = new Shape(field.typeName, below(this.rules, field.name), [], this.depth + 1);
    this.parts[tag] = made;
    return made;
  }

  private add(field: FieldDescriptor, rule: Rule | undefined, wanted: number): void {
    const [code, wireType] = codeOf(field, rule);
    const isTooDeep = code === MESSAGE && this.depth >= DEPTH_MAX;
    // A list of numbers is packed, with another wire type: it goes the long way.
    if (code === NO || isTooDeep || (field.repeated && code < BYTES)) return;
    const tag = field.number * 8 + wireType;
    this.codes[tag] = code;
    this.wanted[tag] = wanted;
    if (code === CHOICE) this.choices[tag] = plainValues(field, rule!);
    if (code === DIGITS && rule?.is === "digits") this.limits[tag] = rule.max;
    if (code === VARINT) this.limits[tag] = rule?.is === "below" ? rule.bits / 7 : VARINT_BYTES_MAX;
  }
}

function plainValues(field: FieldDescriptor, rule: Rule): Uint8Array {
  const values = new Uint8Array(128);
  if (rule.is === "upTo") return values.fill(1, 0, rule.max + 1);
  for (const value of enumDescriptor(field.typeName).nameOf.keys()) values[value] = 1;
  return values;
}

function codeOf(field: FieldDescriptor, rule: Rule | undefined): [code: number, wireType: number] {
  switch (field.kind) {
    case "message":
      return [MESSAGE, 2];
    case "map":
      return [NO, 2];
    case "string":
      if (rule?.is === "number") return [NUMBER, 2];
      if (rule?.is === "digits") return [DIGITS, 2];
      return [rule?.is === "id" ? ID : TEXT, 2];
    case "bytes":
      return [BYTES, 2];
    case "double":
      return [rule?.is === "finite" ? FINITE64 : FIXED64, 1];
    case "float":
      return [FIXED32, 5];
    default:
      return [rule?.is === "label" || rule?.is === "upTo" ? CHOICE : VARINT, 0];
  }
}

function below(rules: Rules, name: string): Rules {
  const start = `${name}.`;
  const inside = Object.entries(rules).filter(([path]) => path.startsWith(start));
  return Object.fromEntries(inside.map(([path, rule]) => [path.slice(start.length), rule]));
}

/**
 * Skims messages of one kind, one after the other: the wanted places hold until the next. There is one for each kind
 * for the life of the process: its tables take a while to make.
 */
export class Skim {
  private readonly starts: number[];
  private readonly ends: number[];
  private bytes: Uint8Array = new Uint8Array(0);
  private shape: Shape | undefined;

  /** @param wanted fields of the message itself, by name: their places in this list are how a caller asks */
  constructor(
    private readonly fullName: string,
    private readonly rules: Rules,
    private readonly wanted: readonly string[],
  ) {
    this.starts = wanted.map(() => 0);
    this.ends = wanted.map(() => 0);
  }

  /** True when the message in `bytes[start..end)` is plain. */
  isPlain(bytes: Uint8Array, start: number, end: number): boolean {
    // Made when first used: most processes never load anything.
    this.shape ??= new Shape(this.fullName, this.rules, this.wanted);
    this.bytes = bytes;
    for (let i = 0; i < this.starts.length; i++) this.starts[i] = this.ends[i] = 0;
    return end <= bytes.length && this.walk(this.shape, start, end);
  }

  /** A wanted text. */
  text(wanted: number): string {
    return latinAt(this.bytes, this.starts[wanted]!, this.ends[wanted]!);
  }

  start(wanted: number): number {
    return this.starts[wanted]!;
  }

  end(wanted: number): number {
    return this.ends[wanted]!;
  }

  /** A wanted whole number: of a field that has a rule, and at most 49 bits. */
  number(wanted: number): number {
    let value = 0;
    let unit = 1;
    const end = this.ends[wanted]!;
    for (let at = this.starts[wanted]!; at < end; at++, unit *= 128) value += (this.bytes[at]! & 127) * unit;
    return value;
  }

  /** A wanted text of digits, at most 15 of them, as a number; -1 for a longer one. */
  digits(wanted: number): number {
    const start = this.starts[wanted]!;
    const end = this.ends[wanted]!;
    if (start === end || end - start > EXACT_DIGITS) return -1;
    let value = 0;
    for (let at = start; at < end; at++) value = value * 10 + this.bytes[at]! - 48;
    return value;
  }

  /** A wanted whole number of 64 bits. */
  int64(wanted: number): bigint {
    const start = this.starts[wanted]!;
    const end = this.ends[wanted]!;
    return start === end ? 0n : new Reader(this.bytes, start, end).int64();
  }

  private walk(shape: Shape, start: number, end: number): boolean {
    const { bytes } = this;
    const { codes, wanted } = shape;
    let pos = start;
    while (pos < end) {
      let tag = bytes[pos++]!;
      if (tag >= 128) {
        const high = bytes[pos++]!;
        if (high >= 128) return false;
        tag = (high << 7) | (tag & 127);
      }
      const code = codes[tag];
      if (code === undefined || code === NO) return false;
      if (code <= CHOICE) {
        const from = pos;
        if (code === CHOICE) {
          const value = bytes[pos++]!;
          if (value >= 128 || shape.choices[tag]![value] === 0) return false;
        } else {
          const stop = pos + shape.limits[tag]!;
          while (bytes[pos++]! >= 128) if (pos >= stop) return false;
          if (pos - from === VARINT_BYTES_MAX && bytes[pos - 1]! > 1) return false;
        }
        if (wanted[tag] !== NOT_WANTED) {
          this.starts[wanted[tag]!] = from;
          this.ends[wanted[tag]!] = pos;
        }
        continue;
      }
      if (code <= FIXED32) {
        pos += code === FIXED32 ? 4 : 8;
        // All ones in the exponent are no finite number.
        if (code === FINITE64 && (bytes[pos - 1]! & 127) === 127 && bytes[pos - 2]! >= 240) return false;
        continue;
      }
      let length = bytes[pos++]!;
      if (length >= 128) {
        const high = bytes[pos++]!;
        if (high >= 128) return false;
        length = (high << 7) | (length & 127);
      }
      const stop = pos + length;
      // NaN, past the end of the bytes, is not within the end either.
      if (!(stop <= end)) return false;
      if (code === MESSAGE) {
        // A part that comes twice is put together from both.
        if (wanted[tag] !== NOT_WANTED && this.ends[wanted[tag]!] !== 0) return false;
        if (!this.walk(shape.part(tag), pos, stop)) return false;
      } else if (code === NUMBER && length === 1) {
        if (hexKind[bytes[pos]!] !== 1) return false;
      } else if (code !== BYTES && !this.isText(code, pos, stop, shape.limits[tag]!)) return false;
      if (wanted[tag] !== NOT_WANTED) {
        this.starts[wanted[tag]!] = pos;
        this.ends[wanted[tag]!] = stop;
      }
      pos = stop;
    }
    return pos === end;
  }

  private isText(code: number, start: number, end: number, limit: number): boolean {
    const { bytes } = this;
    if (code === TEXT) {
      let seen = 0;
      let at = start;
      for (; at + 4 <= end; at += 4) seen |= bytes[at]! | bytes[at + 1]! | bytes[at + 2]! | bytes[at + 3]!;
      for (; at < end; at++) seen |= bytes[at]!;
      return seen < 128;
    }
    if (start === end) return true;
    if (code === NUMBER) return isNumber(bytes, start, end);
    const kinds = code === ID ? 3 : 1;
    if (code === ID ? end - start !== ID_CHARACTERS : end - start > limit) return false;
    for (let at = start; at < end; at++) if ((hexKind[bytes[at]!]! & kinds) === 0) return false;
    return true;
  }
}

/** Digits, with a sign before and a point between them if need be. */
function isNumber(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > NUMBER_CHARACTERS_MAX) return false;
  const whole = bytes[start] === 45 /* - */ ? start + 1 : start;
  let at = digitsEnd(bytes, whole, end);
  if (at === whole) return false;
  if (at === end) return true;
  if (bytes[at] !== 46 /* . */) return false;
  const fraction = ++at;
  at = digitsEnd(bytes, fraction, end);
  return at === end && at > fraction;
}

function digitsEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && hexKind[bytes[at]!] === 1) at++;
  return at;
}
