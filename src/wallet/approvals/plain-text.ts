// Texts of others, made fit to be shown: what cannot be seen, or turns the direction of writing, or moves a cursor, is
// shown as its number instead. Nothing is left away in silence.

/**
 * Control, format, private and unassigned characters; separators other than the blank; what fonts show as nothing, the
 * empty pattern of Braille and the notehead of nothing among them.
 */
const TRICKS = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]|(?! )\p{Zs}/gu;
/** Blanks enough to push what follows into the next line of a terminal, where it could pass for a line of its own. */
const BLANKS = / {3,}/g;
/** Marks stacked on one letter climb over the lines above. */
const STACKED = /(\p{M}{3})\p{M}+/gu;
/** Letters that are written from right to left take the digits and signs beside them along. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** First strong isolate, and its end (UAX 9, section 2.4): what is between them turns nothing around it. */
const ISOLATED = ["\u2068", "\u2069"] as const;
export const SHOWN_LENGTH_MAX = 300;

/** One line that shows everything that is there. */
export function plain(text: string, lengthMax: number = SHOWN_LENGTH_MAX): string {
  const cut = text.length > lengthMax ? `${text.slice(0, lengthMax)}… (${text.length} characters)` : text;
  const shown = cut
    .toWellFormed()
    .replace(TRICKS, (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`)
    .replace(BLANKS, (found) => ` \\u{20}×${found.length - 2} `)
    .replace(STACKED, "$1…");
  return RIGHT_TO_LEFT.test(shown) ? ISOLATED.join(shown) : shown;
}

/** What names look like that are no sentence: identifiers, addresses, hosts, origins. */
const NAME = /^(?:https?:\/\/)?[\w.:[\]-]+$/;

/** A name that stands within a sentence: as it is where it looks like one, else in quotation marks. */
export function named(text: string): string {
  return NAME.test(text) && text.length <= SHOWN_LENGTH_MAX ? text : quoted(text);
}

/** The same in quotation marks, so that it cannot pass for a part of the sentence around it. */
export function quoted(text: string): string {
  return `"${plain(text).replaceAll('"', '\\"')}"`;
}

/** The same within JSON: blanks at the beginning of a line are its indentation. */
const INNER_BLANKS = /(?<=[^\n ]) {3,}/g;

const STACK = /(\p{M}{3})(\p{M}+)/gu;

const TRICK = new RegExp(TRICKS.source, "u");

/** JSON text with every such character escaped, and what is written from right to left; it stays the same JSON. */
export function plainJson(json: string): string {
  return json
    .replace(/[^\n\x20-\x7e]/gu, (found) =>
      TRICK.test(found) || RIGHT_TO_LEFT.test(found) ? escapedUnits(found) : found,
    )
    .replace(INNER_BLANKS, escapedUnits)
    .replace(STACK, (_, first: string, rest: string) => first + escapedUnits(rest));
}

function escapedUnits(text: string): string {
  return text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
