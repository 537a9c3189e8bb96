// JSON in which each member stands once. The format allows a member to stand twice in an object, and parsers keep the last in
// silence: a policy could show one limit and hold to a second, a command show one amount and sign a second.

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

interface Level {
  /** Of an object; a list has none. */
  readonly names: Set<string> | undefined;
  /** The member that is being read. */
  at: string;
  /** The number of the entry that is being read. */
  count: number;
}

/** A member that stands twice in its object. */
export class RepeatedMember extends SyntaxError {
  override readonly name = "RepeatedMember";
  constructor(
    /** Such as `rules[0].assets`. */
    readonly place: string,
  ) {
    super(`the member ${place} is there twice`);
  }
}

/**
 * The value of a text in which no member stands twice.
 * @param parse the parser; it has to take JSON only
 * @throws RepeatedMember, and what the parser throws
 */
export function parseUniqueJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  const value = parse(text);
  const place = repeatedMember(text);
  if (place !== undefined) throw new RepeatedMember(place);
  return value;
}

/**
 * The place of the first member that stands twice in its object.
 * @param text JSON that was parsed without an error
 */
function repeatedMember(text: string): string | undefined {
  const levels: Level[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === "{" || token === "[") {
      levels.push({ names: token === "{" ? new Set() : undefined, at: "", count: 0 });
    } else if (token === "}" || token === "]") {
      levels.pop();
    } else if (token === ",") {
      level!.count++;
    } else if (token === ":") {
      const { names } = level!;
      level!.at = JSON.parse(last) as string;
      if (names!.has(level!.at)) return levels.reduce(placeIn, "");
      names!.add(level!.at);
    }
    last = token;
  }
  return undefined;
}

function placeIn(outer: string, { names, at, count }: Level): string {
  if (names === undefined) return `${outer}[${count}]`;
  const isPlain = /^\w{1,80}$/.test(at);
  if (isPlain) return outer === "" ? at : `${outer}.${at}`;
  return `${outer}[${JSON.stringify(at.slice(0, 80))}]`;
}
