// Words and flags of commands that are not declared yet, out of their help.
import { orderHelp } from "./tx-order.ts";
import { HELP_WORDS, helpOf } from "./wallet-help.ts";

const WORD = /^[a-z][a-z-]*$/;

/** @returns flags and words by place */
export async function oldCompletions(helps: ReadonlyMap<string, string>) {
  const texts = new Map(helps);
  for (const word of HELP_WORDS) texts.set(`wallet ${word}`, helpOf([word]));
  texts.set("tx build", texts.get("tx")!).set("tx build order", orderHelp);
  return [...texts].map(([place, text]) => ({
    place,
    flags: [...new Set(text.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [])],
    words: verbsIn(place, text),
  }));
}

function verbsIn(place: string, text: string): string[] {
  const last = place.split(" ").at(-1)!;
  const verbs: string[] = [];
  for (const line of text.split("\n").slice(1)) {
    const words = line
      .trim()
      .replace(/^lyra /, "")
      .split(/\s+/);
    const at = words.indexOf(last);
    if (at < 0 || at > 1) continue;
    for (const word of (words[at + 1] ?? "").split("|")) if (WORD.test(word)) verbs.push(word);
  }
  return verbs;
}
