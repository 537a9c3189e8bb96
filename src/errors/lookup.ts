// Finding an explanation by number, by name, or by a piece of text.
import { DETAIL_CODES } from "./detail-codes.ts";
import { EXECUTION, VALIDATOR_TEXTS } from "./execution.ts";
import { type Explanation, explanationsOf, messageExplanations } from "./explanation.ts";
import { PROGRAM_CODES } from "./program-codes.ts";
import { PROPOSAL_REASONS } from "./proposal-reasons.ts";
import { RESULT_CODES } from "./result-codes.ts";
import { RULES } from "./rules.ts";
import { STATUSES } from "./statuses.ts";
import { VALIDATION } from "./validation.ts";
import { WALLET_CODES } from "./wallet-codes.ts";
import { WIRE_CODES } from "./wire-codes.ts";

export interface Found {
  /** All that match, the closest first; none when nothing does. */
  readonly explanations: readonly Explanation[];
  /** Similar codes and texts, where nothing matches. */
  readonly near: readonly string[];
}

/** Explanations shown at once, and suggestions made, at the most. */
const SHOWN_MAX = 8;
const NEAR_MAX = 5;
/** A shorter piece of text would be found nearly everywhere. */
const PIECE_CHARACTERS_MIN = 4;
const QUERY_CHARACTERS_MAX = 2_000;
/** The parts of a text that differ from case to case. */
const GAP = /<[^>]*>/g;
/** Part of all pairs of letters that must agree for a suggestion. */
const LIKENESS_MIN = 0.35;

export function lookUp(query: string): Found {
  const text = normal(query.slice(0, QUERY_CHARACTERS_MAX));
  if (text === "") return { explanations: [], near: [] };
  const named = CATALOGUE.filter(({ code }) => normal(code) === text);
  const matches = named.length > 0 ? named : byText(text);
  return { explanations: matches.slice(0, SHOWN_MAX), near: matches.length > 0 ? [] : near(text) };
}

/** Lower case, one space between words, no quotes around it. */
function normal(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^["'`](.*)["'`]$/, "$1")
    .trim();
}

/**
 * A text that is told as a whole, else one that stands inside of what is asked (a line of a log, with the text in
 * it), else one that holds what is asked. The longest text leads: it says the most.
 */
function byText(query: string): Explanation[] {
  const whole = longest(query, true);
  if (whole.length > 0) return whole;
  const inside = longest(query, false);
  if (inside.length > 0) return inside;
  if (query.length < PIECE_CHARACTERS_MIN) return [];
  return CATALOGUE.filter(({ code, texts }) => [code, ...texts].some((text) => normal(text).includes(query)));
}

/** Those whose text fits with the most characters of its own: of texts that hold each other, the longest is meant. */
function longest(query: string, isWhole: boolean): Explanation[] {
  const fits = CATALOGUE.map((one) => ({ one, length: longestFit(one, query, isWhole) }));
  const most = Math.max(...fits.map(({ length }) => length));
  return most === 0 ? [] : fits.filter(({ length }) => length === most).map(({ one }) => one);
}

/** Characters of the longest text that fits, without its gaps; 0 when none does. */
function longestFit({ code, texts }: Explanation, query: string, isWhole: boolean): number {
  let length = 0;
  for (const text of [...texts, code]) {
    // Inside of a line numbers stand everywhere, and single words are no message.
    if (!isWhole && !/[ _]/.test(text)) continue;
    if (pattern(text, isWhole).test(query)) length = Math.max(length, text.replace(GAP, "").length);
  }
  return length;
}

/** A text of the catalogue as an expression: `<…>` stands for anything. */
function pattern(text: string, isWhole: boolean): RegExp {
  const parts = normal(text).split(GAP);
  const body = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".{0,400}?");
  if (isWhole) return new RegExp(`^${body}$`);
  // At the bounds of words: "invalid" is not inside of "invalidated".
  return new RegExp(`(?:^|[^a-z0-9_])${body}(?:$|[^a-z0-9_])`);
}

function near(query: string): string[] {
  const pairs = pairsOf(query);
  return CATALOGUE.flatMap(({ code, texts }) => [code, ...texts])
    .map((text) => ({ text, likeness: likeness(pairs, pairsOf(normal(text))) }))
    .filter(({ likeness: value }) => value >= LIKENESS_MIN)
    .sort((a, b) => b.likeness - a.likeness || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text)
    .filter((text, index, all) => all.indexOf(text) === index)
    .slice(0, NEAR_MAX);
}

/** Pairs of neighbouring characters, its ends marked. */
function pairsOf(text: string): Set<string> {
  const marked = `^${text}$`;
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < marked.length; at++) pairs.add(marked.slice(at, at + 2));
  return pairs;
}

/** Common pairs over all pairs, twice counted: 1 for the same text (Dice's coefficient). */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of a) if (b.has(pair)) common++;
  return (2 * common) / (a.size + b.size);
}

/** In the order in which they are shown where several match. */
export const CATALOGUE: readonly Explanation[] = [
  ...explanationsOf("result code", RESULT_CODES),
  ...RULES,
  ...VALIDATION,
  ...messageExplanations("execution", EXECUTION),
  ...messageExplanations("execution", VALIDATOR_TEXTS),
  ...PROPOSAL_REASONS,
  ...STATUSES,
  ...DETAIL_CODES,
  ...explanationsOf("wallet code", WALLET_CODES),
  ...explanationsOf("program code", PROGRAM_CODES),
  ...explanationsOf("wire code", WIRE_CODES),
];
