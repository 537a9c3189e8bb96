// Bodies of requests: JSON by the rules of the original's gateway (reference 30, section 1), with limits. The content
// type does not matter, an empty body is an empty request, and what follows the first value is ignored.

import { badRequest } from "../../http/errors.ts";
import { WireError } from "../../wire/errors.ts";
import { fromJson } from "../../wire/json.ts";

const BLANK = /^\s*$/;
/** Digits of the shortest number that JavaScript may not hold exactly. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d+$/;
const QUOTED_PART = / ".*$/s;

/** The message that a body stands for, complete with defaults. @throws ApiError 400 */
export function readMessage<T extends object>(fullName: string, body: string, depthMax: number): T {
  const value = parseBody(body, depthMax);
  try {
    return fromJson<T>(fullName, value, { unknown: "ignore" });
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
function checkDepth(body: string, depthMax: number): void {
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
  for (let found = marks.exec(body); found !== null; found = marks.exec(body)) {
    if (found[0] === '"') {
      marks.lastIndex = endOfString(body, found.index);
      continue;
    }
    const isOpening = found[0] === "{" || found[0] === "[";
    if (!visit(isOpening ? 1 : -1, found.index)) return;
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
