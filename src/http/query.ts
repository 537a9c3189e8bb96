// Query strings to request messages, under the rules of the original's gateway (reference 10, section 1.4):
// dot paths, snake_case or camelCase for each part, repeated lists, and its error texts.
import { enumDescriptor, type FieldDescriptor, messageDescriptor } from "../wire/schema/index.ts";
import { badRequest } from "./errors.ts";

/** A request message as handlers see it: only what the client sent is present. */
export type RequestFields = { [name: string]: RequestValue };
type RequestValue =
  | string
  | number
  | bigint
  | boolean
  | RequestFields
  | Array<string | number | bigint | boolean>;

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

/**
 * Where the bracket of `key[x]` opens, -1 for any other key. Not by an expression: one that looks for brackets on both
 * sides takes time in the square of a key made of them.
 */
function bracketOf(key: string): number {
  return key.endsWith("]") && !key.includes("\n") ? key.lastIndexOf("[") : -1;
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
    if (field.kind !== "message") throw badRequest(`invalid path: "${part}" is not a message`);
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
    throw badRequest(`parsing field "${field.name}": unsupported message type: "${field.typeName}"`);
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
    const { numberOf, nameOf } = enumDescriptor(field.typeName);
    const number = numberOf.get(text) ?? (/^\d{1,9}$/.test(text) ? Number(text) : undefined);
    if (number === undefined || !nameOf.has(number)) throw fail(`${quoted(text)} is not a valid value`);
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
