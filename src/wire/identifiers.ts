// Identifiers on the wire are text; in the store they are bytes (docs/protocol/10-data-api-serving.md#21-identifiers).
// Input is hex in either case, output is lower-case hex; eleven well-known words are encoded as one byte each,
// and the words that the genesis of a chain names its assets by as their characters behind a mark.

const WELL_KNOWN: ReadonlyArray<readonly [string, number]> = [
  ["VOTE", 0x00],
  ["network", 0x03],
  ["XYZalpha", 0x04],
  ["XYZbeta", 0x05],
  ["XYZdelta", 0x06],
  ["XYZepsilon", 0x07],
  ["XYZgamma", 0x08],
  ["fBTC", 0x09],
  ["fDAI", 0x0a],
  ["fEURO", 0x0b],
  ["fUSDC", 0x0c],
];
const bytesOfWord = new Map(WELL_KNOWN.map(([word, byte]) => [word, new Uint8Array([byte])]));
const wordOfByte = new Map(WELL_KNOWN.map(([word, byte]) => [byte, word]));

/** First byte of the word of a genesis, in front of its characters. */
const WORD = 0xff;
const admitted = new Set<string>();
const WORD_FORM = /^[\w.-]{1,48}$/;
/** Every text that is an identifier without being hexadecimal fits. */
const WORD_LENGTH_MAX = 48;

/**
 * Makes a word an identifier from now on: the id of an asset in the genesis of a chain of its own. A store of the original
 * could not hold it; everywhere else such a word is refused.
 * @returns whether it is an identifier
 */
export function admitWord(text: string): boolean {
  if (isHex(text)) return text !== "";
  if (!WORD_FORM.test(text)) return false;
  admitted.add(text);
  if (!bytesOfWord.has(text)) bytesOfWord.set(text, new Uint8Array([WORD, ...Buffer.from(text, "latin1")]));
  return true;
}

/** True for 64 hexadecimal digits, and for the words that a genesis names assets by. */
export function isAssetIdentifier(text: string): boolean {
  return isHex64(text) || admitted.has(text);
}

/** The word that bytes stand for; undefined for those of a hexadecimal identifier. */
function wordOf(bytes: Uint8Array): string | undefined {
  if (bytes.length === 1) return wordOfByte.get(bytes[0]!);
  if (bytes[0] !== WORD || bytes.length > WORD_LENGTH_MAX + 1) return undefined;
  const text = Buffer.from(bytes.subarray(1)).toString("latin1");
  return WORD_FORM.test(text) && !isHex(text) ? text : undefined;
}

/** Owner of the network's accounts. */
export const NETWORK_PARTY = "network";

export class InvalidIdentifier extends Error {
  override readonly name = "InvalidIdentifier";
  constructor(readonly value: string) {
    super("not a valid hex id (or well known exception)");
  }
}

/** Bytes of an even number of hexadecimal digits in either case; undefined for anything else. */
export function hexBytes(text: string): Uint8Array | undefined {
  // Four times as fast as a regular expression and `Buffer.from`.
  try {
    return Uint8Array.fromHex(text);
  } catch {
    return undefined;
  }
}

/** Values of hexadecimal digits by their codes; 255 for anything else. */
const digitOf = new Uint8Array(256).fill(255);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  digitOf[digit.charCodeAt(0)] = value;
  digitOf[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Decodes hexadecimal digits, in either case, that are text inside other bytes; undefined for anything else. */
export function hexBytesAt(text: Uint8Array, start: number, end: number): Uint8Array | undefined {
  const length = (end - start) >> 1;
  if (start + 2 * length !== end) return undefined;
  const bytes = new Uint8Array(length);
  let seen = 0;
  for (let i = 0, at = start; i < length; i++, at += 2) {
    const high = digitOf[text[at]!]!;
    const low = digitOf[text[at + 1]!]!;
    seen |= high | low;
    bytes[i] = (high << 4) | low;
  }
  return seen < 16 ? bytes : undefined;
}

/** True for an even number of hexadecimal digits (none included) in either case. */
export function isHex(text: string): boolean {
  return hexBytes(text) !== undefined;
}

/** True for exactly 64 hexadecimal digits ("a valid id" in the endpoints' errors). */
export function isHex64(text: string): boolean {
  return text.length === 64 && isHex(text);
}

/** True if `identifierBytes` accepts the text. */
export function isIdentifier(text: string): boolean {
  return bytesOfWord.has(text) || isHex(text);
}

/** Bytes of an identifier. @throws InvalidIdentifier for odd length or anything that is not hex. */
export function identifierBytes(text: string): Uint8Array {
  const word = text.length <= WORD_LENGTH_MAX ? bytesOfWord.get(text) : undefined;
  if (word !== undefined) return word.slice();
  const bytes = hexBytes(text);
  if (bytes === undefined) throw new InvalidIdentifier(text);
  return bytes;
}

/** Text of stored identifier bytes: a word, or lower-case hex; empty for no bytes. */
export function identifierText(bytes: Uint8Array): string {
  return wordOf(bytes) ?? hexOf(bytes);
}

/** The canonical text of an identifier: `identifierText(identifierBytes(text))`. */
export function canonicalIdentifier(text: string): string {
  if (text.length === 64) {
    if (!isHex(text)) throw new InvalidIdentifier(text);
    return text.toLowerCase();
  }
  return identifierText(identifierBytes(text));
}

export function hexOf(bytes: Uint8Array): string {
  return bytes.toHex();
}
