// The canonical text of a value in state: the same value has the same text on every machine. Objects keep the order
// in which their members were written down, so a table's values must be made in one place, in one order.

/** A value that state can hold: plain data, never changed once set. */
export type StateValue =
  | string
  | number
  | bigint
  | boolean
  | undefined
  | readonly StateValue[]
  | { readonly [name: string]: StateValue };

/** Bigints are marked by this character in front, as is a string that begins with it. */
const MARK = "\u0001";

/** Text that stands in JSON as it is. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const ESCAPED_MARK = "\\u0001";

/** JSON, with a mark in front of bigints. By hand: `JSON.stringify` with a function for each member takes three times as long. */
export function encodeValue(value: unknown): string {
  switch (typeof value) {
    case "bigint":
      return `"${ESCAPED_MARK}${value}"`;
    case "string":
      if (PLAIN.test(value)) return `"${value}"`;
      return JSON.stringify(value.startsWith(MARK) ? `${MARK}${value}` : value);
    case "number":
    case "boolean":
      return String(value);
    case "object": {
      if (Array.isArray(value)) return `[${value.map(encodeValue).join(",")}]`;
      let text = "";
      for (const name in value as object) {
        const member = (value as Record<string, unknown>)[name];
        if (member === undefined) continue;
        text += `${text === "" ? "" : ","}${encodeName(name)}${encodeValue(member)}`;
      }
      return `{${text}}`;
    }
    default:
      throw new TypeError(`state cannot hold a ${typeof value}`);
  }
}

/** Names of members as they are written: a handful of them, which come with every value. */
const names = new Map<string, string>();
const NAMES_MAX = 1_000;

/** A member's name: never marked. */
function encodeName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const text = `${PLAIN.test(name) ? `"${name}"` : JSON.stringify(name)}:`;
  if (names.size < NAMES_MAX) names.set(name, text);
  return text;
}

export function decodeValue<V>(text: string): V {
  return JSON.parse(text, (_name, member: unknown) => {
    if (typeof member !== "string" || !member.startsWith(MARK)) return member;
    return member.charAt(1) === MARK ? member.slice(1) : BigInt(member.slice(1));
  }) as V;
}
