// The part of docs/compatibility.md that a test reads: recorded answers that differ on purpose.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const DOCUMENT = join(import.meta.dir, "..", "..", "docs", "compatibility.md");
const SECTION = "## Recorded answers that differ";

/** Names of the recorded answers in the table under the title: everything in backquotes in its first column. */
export function differingAnswers(title: string): string[] {
  const text = readFileSync(DOCUMENT, "utf8");
  const start = text.indexOf(SECTION);
  if (start < 0) throw new Error(`docs/compatibility.md has no section "${SECTION}"`);
  const [section] = text.slice(start + SECTION.length).split("\n## ");
  const part = section!.split("\n### ").find((each) => each.startsWith(`${title}\n`));
  if (part === undefined) throw new Error(`"${SECTION}" has no part "${title}"`);
  const rows = part.split("\n").filter((line) => line.startsWith("| `"));
  return rows.flatMap((line) => [...line.split("|")[1]!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!));
}
