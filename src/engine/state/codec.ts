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

export function encodeValue(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member === "bigint") return `${MARK}${member}`;
    if (typeof member === "string" && member.startsWith(MARK)) return `${MARK}${member}`;
    return member;
  });
}

export function decodeValue<V>(text: string): V {
  return JSON.parse(text, (_name, member: unknown) => {
    if (typeof member !== "string" || !member.startsWith(MARK)) return member;
    return member.charAt(1) === MARK ? member.slice(1) : BigInt(member.slice(1));
  }) as V;
}
