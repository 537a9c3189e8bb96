// JSON lets a member stand twice in one object, and its readers take one of them in silence: in a policy, a limit that
// its author reads and nobody keeps.

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

interface Level {
  /** Of an object; a list has none. */
  readonly names: Set<string> | undefined;
  /** Of the level within the one above. */
  readonly place: string;
  /** The member, or the number of the entry, that is being read. */
  at: string;
  count: number;
}

/**
 * The place of the first member that stands twice in its object, such as `rules[0].assets`.
 * @param text JSON that was parsed without an error
 */
export function repeatedMember(text: string): string | undefined {
  const levels: Level[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === "{" || token === "[") {
      levels.push({
        names: token === "{" ? new Set() : undefined,
        place: level === undefined ? "" : placeOf(level),
        at: "",
        count: 0,
      });
    } else if (token === "}" || token === "]") {
      levels.pop();
    } else if (token === ",") {
      level!.count++;
    } else if (token === ":") {
      const { names } = level!;
      level!.at = JSON.parse(last) as string;
      if (names!.has(level!.at)) return placeOf(level!);
      names!.add(level!.at);
    }
    last = token;
  }
  return undefined;
}

function placeOf({ names, place, at, count }: Level): string {
  if (names === undefined) return `${place}[${count}]`;
  const isPlain = /^\w{1,80}$/.test(at);
  if (isPlain) return place === "" ? at : `${place}.${at}`;
  return `${place}[${JSON.stringify(at.slice(0, 80))}]`;
}
