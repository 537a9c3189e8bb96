// Wrong uses of a command, and "did you mean": the name that a mistyped one is nearest to.

import { NodeError } from "../../errors/node-error.ts";

export function usageError(command: string, message: string): NodeError {
  return new NodeError(command, "usage", message, `see: lyra ${command} --help`);
}

/** @param least said only where it is not 0 by itself @throws NodeError with exit code 2 */
export function wholeNumber(
  command: string,
  flag: string,
  text: string,
  most: number,
  least?: number,
): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= (least ?? 0) && value <= most) return value;
  const range = least === undefined ? `up to ${most}` : `from ${least} to ${most}`;
  throw usageError(command, `${flag} must be a whole number ${range}`);
}

/** Changes of a letter, exchanges of neighbours among them, up to which a word counts as mistyped. */
const DISTANCE_MAX = 2;
const LENGTH_MAX = 40;

/** @returns undefined where none is near */
export function nearest(word: string, names: readonly string[]): string | undefined {
  if (word.length > LENGTH_MAX) return undefined;
  const near = names
    .map((name) => ({ name, distance: distance(word.toLowerCase(), name) }))
    .filter(
      ({ name, distance }) => distance <= Math.min(DISTANCE_MAX, name.length - 2) || name.startsWith(word),
    )
    .sort((a, b) => a.distance - b.distance);
  return word === "" ? undefined : near[0]?.name;
}

/** `: did you mean 'balance'?`, or nothing. */
export function didYouMean(word: string, names: readonly string[]): string {
  const name = nearest(word, names);
  return name === undefined ? "" : `: did you mean '${name}'?`;
}

/** Damerau and Levenshtein's, of adjacent letters. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)]);
  for (let j = 0; j <= b.length; j++) rows[0]![j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, rows[i - 2]![j - 2]! + 1);
      rows[i]![j] = least;
    }
  }
  return rows[a.length]![b.length]!;
}
