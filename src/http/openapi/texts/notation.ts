// Descriptions are written as a name on a line of its own and, below it, a line `member: description` for each member.

/** Descriptions by message (or enum) and member (or value). */
export type Texts = ReadonlyMap<string, ReadonlyMap<string, string>>;

const HEADING = /^\w+(?:\.\w+)+$/;
const ENTRY = /^(\w+): (.+)$/;

/** @throws Error for a line that is neither, and for a name that stands there twice */
export function parseTexts(...blocks: readonly string[]): Texts {
  const texts = new Map<string, Map<string, string>>();
  for (const block of blocks) {
    let entries: Map<string, string> | undefined;
    for (const line of block.split("\n").map((each) => each.trim())) {
      if (line === "") continue;
      const entry = ENTRY.exec(line);
      if (HEADING.test(line) && !texts.has(line)) texts.set(line, (entries = new Map()));
      else if (entry && entries && !entries.has(entry[1]!)) entries.set(entry[1]!, entry[2]!);
      else throw new Error(`not a description, or the second of its name: ${line}`);
    }
  }
  return texts;
}
