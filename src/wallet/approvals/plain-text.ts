// Texts of others, made fit to be shown: what cannot be seen, or turns the direction of writing, or moves a cursor, is
// shown as its number instead. Nothing is left away in silence.

/** Control, format, private and unassigned characters; separators other than the blank; what fonts show as nothing. */
const TRICKS = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;
/** Marks stacked on one letter climb over the lines above. */
const STACKED = /(\p{M}{3})\p{M}+/gu;
export const SHOWN_LENGTH_MAX = 300;

/** One line that shows everything that is there. */
export function plain(text: string, lengthMax: number = SHOWN_LENGTH_MAX): string {
  const cut = text.length > lengthMax ? `${text.slice(0, lengthMax)}… (${text.length} characters)` : text;
  return cut
    .toWellFormed()
    .replace(TRICKS, (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`)
    .replace(STACKED, "$1…");
}

/** The same in quotation marks, so that it cannot pass for a part of the sentence around it. */
export function quoted(text: string): string {
  return `"${plain(text).replaceAll('"', '\\"')}"`;
}

/** JSON text with every such character escaped; it stays the same JSON. */
export function plainJson(json: string): string {
  return json.replace(/[^\n\x20-\x7e]/gu, (found) => {
    if (!new RegExp(TRICKS.source, "u").test(found)) return found;
    return [...found.split("")]
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join("");
  });
}
