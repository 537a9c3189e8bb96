// "Did you mean": the name that a mistyped one is nearest to.

/** Changes of a letter, exchanges of neighbours among them, up to which a word counts as mistyped. */
const DISTANCE_MAX = 2;
const LENGTH_MAX = 60;

/** @returns undefined where none is near */
export function nearest(word: string, names: readonly string[]): string | undefined {
  if (word.length > LENGTH_MAX || word === "") return undefined;
  const lower = word.toLowerCase();
  const near = names
    .map((name) => ({ name, distance: distance(lower, name.toLowerCase()) }))
    .filter(
      ({ name, distance }) => distance <= Math.min(DISTANCE_MAX, name.length - 2) || name.startsWith(word),
    )
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.name;
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
