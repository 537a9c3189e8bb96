// Requests as messages, by the rules of the original's gateway. Query strings first
// (docs/protocol/10-data-api-serving.md#14-query-parameter-parsing): dot paths, snake_case or camelCase for each part,
// repeated lists, and its error texts.

import { enumDescriptor, type FieldDescriptor, messageDescriptor } from "../wire/descriptors.ts";
import { WireError } from "../wire/errors.ts";
import { fromJson } from "../wire/json.ts";
import { badRequest } from "./errors.ts";

/** A request message as handlers see it: only what the client sent is present. */
export type RequestFields = { [name: string]: RequestValue };
type RequestValue =
  | string
  | number
  | bigint
  | boolean
  | RequestFields
  | Array<string | number | bigint | boolean>
  | RequestFields[];

const INT_RANGE: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};
const TRUE = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const FALSE = new Set(["0", "f", "F", "FALSE", "false", "False"]);

export type QueryPairs = ReadonlyArray<readonly [key: string, value: string]>;

/** Splits and unescapes a raw query or form body. @throws ApiError 400 */
export function parsePairs(raw: string): QueryPairs {
  if (raw === "") return [];
  const pairs: [string, string][] = [];
  for (const part of raw.split("&")) {
    if (part.includes(";")) throw badRequest("invalid semicolon separator in query");
    if (part === "") continue;
    const equals = part.indexOf("=");
    const key = equals < 0 ? part : part.slice(0, equals);
    const value = equals < 0 ? "" : part.slice(equals + 1);
    pairs.push([unescapeQuery(key), unescapeQuery(value)]);
  }
  return pairs;
}

function unescapeQuery(text: string): string {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text);
  if (bad) throw badRequest(`invalid URL escape "${bad[0]}"`);
  if (!/[%+]/.test(text)) return text;
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw badRequest("the query is not UTF-8");
  }
}

/**
 * Reads query pairs into the fields of a request message.
 * @param fixed fields that the path sets: a query parameter of the same name is ignored
 * @throws ApiError 400 with the original's text
 */
export function readRequest(
  messageName: string,
  pairs: QueryPairs,
  fixed: RequestFields,
  filterValuesMax: number,
): RequestFields {
  const request: RequestFields = {};
  for (const [key, values] of groupByKey(pairs)) {
    const bracket = bracketOf(key);
    if (bracket < 0) assign(messageName, request, key, values, fixed, filterValuesMax);
    else {
      const inside = key.slice(bracket + 1, -1);
      assign(messageName, request, key.slice(0, bracket), [inside, ...values], fixed, filterValuesMax);
    }
  }
  return Object.assign(request, fixed);
}

/** Parameters of a request, as `readRequest` takes them: `filter.partyIds`. */
export function parameterNames(messageName: string): readonly string[] {
  return messageDescriptor(messageName).fields.flatMap(({ kind, jsonName, typeName, repeated }) => {
    if (kind !== "message") return [jsonName];
    return repeated ? [] : parameterNames(typeName).map((name) => `${jsonName}.${name}`);
  });
}

/** The field that a parameter sets, each part of its path in either spelling. */
export function parameterField(messageName: string, path: string): FieldDescriptor | undefined {
  const [part = "", ...rest] = path.split(".");
  const field = fieldNamed(messageName, part);
  if (field === undefined || rest.length === 0) return field;
  if (field.kind !== "message" || field.repeated) return undefined;
  return parameterField(field.typeName, rest.join("."));
}

/** The value of an enum that a text names; undefined where it names none. */
export function enumValue(typeName: string, text: string): number | undefined {
  const { numberOf, nameOf } = enumDescriptor(typeName);
  const number = numberOf.get(text) ?? (/^\d{1,9}$/.test(text) ? Number(text) : undefined);
  return number !== undefined && nameOf.has(number) ? number : undefined;
}

export function notAValue(field: FieldDescriptor, text: string, advice = ""): Error {
  const what = field.repeated ? "list" : "field";
  const refusal = `parsing ${what} "${field.name}": ${quoted(text)} is not a valid value`;
  return badRequest(refusal + advice);
}

/**
 * Where the bracket of `key[x]` opens, -1 for any other key. Not by an expression: one that looks for brackets on both
 * sides takes time in the square of a key made of them.
 */
function bracketOf(key: string): number {
  return key.endsWith("]") && !key.includes("\n") ? key.lastIndexOf("[") : -1;
}

/** A parameter of ours that the request message does not have. @throws ApiError 400 */
export function flagIn(pairs: QueryPairs, name: string): boolean {
  const value = pairs.find(([key]) => key === name)?.[1];
  if (value === undefined || value === "false" || value === "0") return false;
  if (value === "true" || value === "1") return true;
  throw badRequest(`parsing field "${name}": ${JSON.stringify(value.slice(0, 100))} is not true or false`);
}

function groupByKey(pairs: QueryPairs): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [key, value] of pairs) {
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

function assign(
  messageName: string,
  request: RequestFields,
  path: string,
  values: string[],
  fixed: RequestFields,
  filterValuesMax: number,
): void {
  const parts = path.split(".");
  let message = messageName;
  let target = request;
  for (const [i, part] of parts.entries()) {
    const field = fieldNamed(message, part);
    if (!field) return;
    if (i === 0 && field.jsonName in fixed) return;
    if (i === parts.length - 1) {
      setField(target, field, values, filterValuesMax);
      return;
    }
    if (field.kind !== "message" || field.repeated)
      throw badRequest(`invalid path: "${part}" is not a message`);
    target[field.jsonName] ??= {};
    target = target[field.jsonName] as RequestFields;
    message = field.typeName;
  }
}

function fieldNamed(message: string, name: string): FieldDescriptor | undefined {
  return messageDescriptor(message).fields.find((field) => field.name === name || field.jsonName === name);
}

function setField(
  target: RequestFields,
  field: FieldDescriptor,
  values: string[],
  filterValuesMax: number,
): void {
  if (field.kind === "message") {
    const reason = `unsupported message type: "${field.typeName}"`;
    if (field.repeated) throw badRequest(`parsing list "${field.name}": ${reason}`);
    throw badRequest(`parsing field "${field.name}": ${reason}`);
  }
  if (field.repeated) {
    target[field.jsonName] ??= [];
    const list = target[field.jsonName] as Array<string | number | bigint | boolean>;
    for (const value of values) list.push(parseScalar(field, value, "list"));
    if (list.length > filterValuesMax) {
      throw badRequest(`parsing list "${field.name}": more than ${filterValuesMax} values`);
    }
    return;
  }
  if (values.length > 1)
    throw badRequest(`too many values for field "${field.name}": ${values.join(", ").slice(0, 200)}`);
  if (field.optional && field.jsonName in target)
    throw badRequest(`field already set for oneof "_${field.name}"`);
  target[field.jsonName] = parseScalar(field, values[0]!, "field");
}

function parseScalar(
  field: FieldDescriptor,
  text: string,
  what: "field" | "list",
): string | number | bigint | boolean {
  const fail = (reason: string) => badRequest(`parsing ${what} "${field.name}": ${reason}`);
  if (field.kind === "string" || field.kind === "bytes") return text;
  if (field.kind === "bool") {
    if (TRUE.has(text)) return true;
    if (FALSE.has(text)) return false;
    throw fail(`strconv.ParseBool: parsing ${quoted(text)}: invalid syntax`);
  }
  if (field.kind === "enum") {
    const number = enumValue(field.typeName, text);
    if (number === undefined) throw notAValue(field, text);
    return number;
  }
  const range = INT_RANGE[field.kind];
  if (!range) {
    const value = Number(text);
    if (text.trim() === "" || Number.isNaN(value))
      throw fail(`strconv.ParseFloat: parsing ${quoted(text)}: invalid syntax`);
    return value;
  }
  return parseInteger(field, text, range, fail);
}

function parseInteger(
  field: FieldDescriptor,
  text: string,
  [minimum, maximum]: readonly [bigint, bigint],
  fail: (reason: string) => Error,
): number | bigint {
  const unsigned = field.kind.startsWith("u");
  const parser = unsigned ? "strconv.ParseUint" : "strconv.ParseInt";
  if (!(unsigned ? /^\d+$/ : /^[+-]?\d+$/).test(text))
    throw fail(`${parser}: parsing ${quoted(text)}: invalid syntax`);
  const value = text.length > 25 ? maximum + 1n : BigInt(text.startsWith("+") ? text.slice(1) : text);
  if (value < minimum || value > maximum)
    throw fail(`${parser}: parsing ${quoted(text)}: value out of range`);
  return field.kind.endsWith("32") ? Number(value) : value;
}

/** As the original quotes values, cut so that an answer never grows with its request. */
function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}

// Bodies of requests: JSON by the rules of the original's gateway
// (docs/protocol/30-node-api-transactions.md#1-transports), with limits. The content type does not matter, an empty
// body is an empty request, and what follows the first value is ignored.

const BLANK = /^\s*$/;
/** Digits of the shortest number that JavaScript may not hold exactly. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d+$/;
const QUOTED_PART = / ".*$/s;

/** The message that a body stands for, complete with defaults. @param unknown treatment of unknown members @throws ApiError 400 */
export function readMessage<T extends object>(
  fullName: string,
  body: string,
  depthMax: number,
  unknown: "reject" | "ignore" = "ignore",
): T {
  const value = parseBody(body, depthMax);
  try {
    return fromJson<T>(fullName, value, { unknown });
  } catch (error) {
    if (error instanceof WireError) throw badRequest(error.message);
    throw error;
  }
}

/** @throws ApiError 400 */
export function parseBody(body: string, depthMax: number): unknown {
  if (BLANK.test(body)) return {};
  checkDepth(body, depthMax);
  const keepDigits = LONG_NUMBER.test(body) ? exactNumbers : undefined;
  try {
    return JSON.parse(body, keepDigits);
  } catch (error) {
    const end = endOfObject(body);
    if (end === undefined || end === body.length) throw notJson(error);
    try {
      return JSON.parse(body.slice(0, end), keepDigits);
    } catch (inner) {
      throw notJson(inner);
    }
  }
}

/** Whole numbers that JavaScript would round become the text that was written. */
function exactNumbers(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const { source } = context ?? {};
  return source !== undefined && INTEGER.test(source) ? source : value;
}

function notJson(error: unknown): Error {
  // The parser's reason without the piece of the body that it repeats.
  const reason = (error as Error).message.replace(/^JSON Parse error: /, "").replace(QUOTED_PART, "");
  return badRequest(`the request body is not JSON: ${reason.slice(0, 100)}`);
}

/** @throws ApiError 400 for objects and lists that are nested too deep */
export function checkDepth(body: string, depthMax: number): void {
  // No deeper than there are opening brackets; a transaction has two, so it is not walked.
  if (!hasMoreBrackets(body, depthMax)) return;
  let depth = 0;
  walk(body, 0, (change) => {
    depth += change;
    if (depth > depthMax) throw badRequest(`the request body is nested deeper than ${depthMax} levels`);
    return true;
  });
}

function hasMoreBrackets(body: string, maximum: number): boolean {
  let count = 0;
  for (const bracket of "{[") {
    for (let at = body.indexOf(bracket); at >= 0; at = body.indexOf(bracket, at + 1)) {
      if (++count > maximum) return true;
    }
  }
  return false;
}

/** Where the object that a text begins with ends; undefined when it does not. */
function endOfObject(body: string): number | undefined {
  const start = body.search(/\S/);
  if (body[start] !== "{") return undefined;
  let depth = 0;
  let end: number | undefined;
  walk(body, start, (change, at) => {
    depth += change;
    if (depth === 0) end = at + 1;
    return depth > 0;
  });
  return end;
}

/** Visits the brackets that stand outside of strings, with +1 or -1, until `visit` says no. */
function walk(body: string, start: number, visit: (change: 1 | -1, at: number) => boolean): void {
  const marks = /["{}[\]]/g;
  marks.lastIndex = start;
  for (let mark = marks.exec(body); mark !== null; mark = marks.exec(body)) {
    if (mark[0] === '"') {
      marks.lastIndex = endOfString(body, mark.index);
      continue;
    }
    const isOpening = mark[0] === "{" || mark[0] === "[";
    if (!visit(isOpening ? 1 : -1, mark.index)) return;
  }
}

/** The place after the string that begins at `start`; the end of the text when it has none. */
function endOfString(body: string, start: number): number {
  for (let at = body.indexOf('"', start + 1); at >= 0; at = body.indexOf('"', at + 1)) {
    let slashes = 0;
    while (body[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return body.length;
}
