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
const SHOWN_LENGTH_MAX = 300;

/** A line that shows every character of a text. */
export function plain(text: string, lengthMax: number = SHOWN_LENGTH_MAX): string {
  const cut = text.length > lengthMax ? `${text.slice(0, lengthMax)}… (${text.length} characters)` : text;
  const shown = cut
    .toWellFormed()
    .replace(TRICKS, (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`)
    .replace(BLANKS, (found) => ` \\u{20}×${found.length - 2} `)
    .replace(STACKED, "$1…");
  return RIGHT_TO_LEFT.test(shown) ? ISOLATED.join(shown) : shown;
}

/** Letters of other scripts, and forms of letters, that look like those of ASCII: what they look like is in their order. */
const LOOK_ALIKE =
  /[\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b9\u03bd\u03bf\u03c1\u03c5\u0405\u0406\u0408\u0410\u0412\u0415\u041a\u041c-\u041e\u0420-\u0423\u0425\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u04c0\u04cf\u0501\u051b\u051d\u0585\u0578\u057d\uff01-\uff5e\u2100-\u214f\u{1d400}-\u{1d7ff}]/gu;
const OTHER_SCRIPT = /(?!\p{Script=Latin})\p{L}/u;
const MARKED_MAX = 5;

/**
 * The letters of a name that look like others, which a person cannot see. Empty where there are none; a name that is wholly
 * of another script, and holds a letter that looks like nothing in ASCII, reads as what it is.
 */
export function lookAlikes(text: string): string {
  const found = [...new Set(text.match(LOOK_ALIKE) ?? [])];
  if (found.length === 0) return "";
  const isMixed = /[a-z0-9]/i.test(text);
  const isAll = [...text].every((sign) => sign.match(LOOK_ALIKE) !== null || !OTHER_SCRIPT.test(sign));
  if (!isMixed && !isAll) return "";
  const numbers = found
    .slice(0, MARKED_MAX)
    .map((sign) => `${sign} is U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);
  return ` (look-alike letters: ${numbers.join(", ")}${found.length > MARKED_MAX ? ", ..." : ""})`;
}

/** The form of names that are not a sentence: identifiers, addresses, hosts, origins. */
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
