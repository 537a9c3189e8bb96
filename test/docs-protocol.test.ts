// Citations of the protocol ("reference 30, section 4.6"; "interface 4.2" is chapter 00) name sections of docs/protocol.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const chapters = join(root, "docs/protocol");

interface Chapter {
  readonly sections: ReadonlySet<string>;
  readonly text: string;
}

function readChapter(number: string): Chapter {
  const files = readdirSync(chapters).filter((name) => name.startsWith(`${number}-`));
  const text = files.map((name) => readFileSync(join(chapters, name), "utf8")).join("\n");
  const headings = [...text.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map((match) => match[1]!);
  return { sections: new Set(headings), text: text.toLowerCase() };
}

const CHAPTERS = new Map(
  ["00", "10", "20", "30", "40", "50", "60", "70", "95"].map((number) => [number, readChapter(number)]),
);

function typescriptBelow(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (name === "node_modules" || name === "generated") return [];
    if (statSync(join(root, path)).isDirectory()) return typescriptBelow(path);
    return path.endsWith(".ts") ? [path] : [];
  });
}

interface Citation {
  readonly chapter: string;
  /** `4.6`, or the words of a named part. */
  readonly section?: string;
}

const CHAPTER = /\breferences? (\d\d)\b|\binterface(?=,? (?:sections? )?\d)/g;
/** Between two numbers of a list, with steps and the like of a section, which are not looked up. */
const NEXT_SECTION = /^(?:,? steps? \d+)?(?:,| to|,? and)? (?:sections? )?(\d{1,2}(?:\.\d{1,2})?)(?![\d.]\d)/;
const FIRST_SECTION = /^,? ?\(?(?:sections? )?(\d{1,2}(?:\.\d{1,2})?)(?![\d.]\d)/;
const OTHER_CHAPTER = /^(?:;|\)? and) (\d0)(?:, | \()(?:sections? )?(\d{1,2}(?:\.\d{1,2})?)/;
const NAMED_PART = /^, (?!section|the places|and )([A-Za-z][A-Za-z ]+?)(?=[):.,;]|$)/;

/** Reads what a text cites: one entry for each section, one without a section for a whole chapter. */
function citationsOf(text: string): Citation[] {
  const found: Citation[] = [];
  for (const match of text.matchAll(CHAPTER)) {
    let chapter = match[1] ?? "00";
    let rest = text.slice(match.index + match[0].length);
    const named = NAMED_PART.exec(rest);
    let next = FIRST_SECTION.exec(rest);
    if (next === null) found.push(named === null ? { chapter } : { chapter, section: named[1]! });
    while (next !== null) {
      found.push({ chapter, section: next[1]! });
      rest = rest.slice(next[0].length);
      const other = OTHER_CHAPTER.exec(rest);
      if (other !== null) {
        chapter = other[1]!;
        found.push({ chapter, section: other[2]! });
        rest = rest.slice(other[0].length);
      }
      next = NEXT_SECTION.exec(rest);
    }
  }
  return found;
}

function isThere({ chapter, section }: Citation): boolean {
  const there = CHAPTERS.get(chapter);
  if (there === undefined) return false;
  if (section === undefined) return there.text !== "";
  return (
    there.sections.has(section) || (/^[A-Z]/i.test(section) && there.text.includes(section.toLowerCase()))
  );
}

/** Lines of a comment joined, so that a citation may wrap. */
const joined = (source: string) => source.replace(/\n\s*(?:\/\/|\*) /g, " ");

describe("the protocol's chapters", () => {
  test("citations are read in all their forms", () => {
    const read = (text: string) => citationsOf(text).map(({ chapter, section }) => `${chapter} ${section}`);
    expect(read("(reference 10, section 1.2).")).toEqual(["10 1.2"]);
    expect(read("(reference 20, sections 6.1 to 6.4), so")).toEqual(["20 6.1", "20 6.4"]);
    expect(read("(reference 30, section 7; 40, section 3.3)")).toEqual(["30 7", "40 3.3"]);
    expect(read("reference 20 (section 3.6) and 70 (9.5)")).toEqual(["20 3.6", "70 9.5"]);
    expect(read("reference 60, sections 1.4 step 8 and 7.6")).toEqual(["60 1.4", "60 7.6"]);
    expect(read("(reference 30, result matrix)")).toEqual(["30 result matrix"]);
    expect(read("as in reference 40.")).toEqual(["40 undefined"]);
    expect(read("(interface 4.1)")).toEqual(["00 4.1"]);
  });

  test("each citation names a section that exists", () => {
    const cited = ["src", "test", "bench", "scripts"]
      .flatMap(typescriptBelow)
      .filter((path) => path !== "test/docs-protocol.test.ts")
      .flatMap((path) =>
        citationsOf(joined(readFileSync(join(root, path), "utf8"))).map((citation) => ({
          path,
          ...citation,
        })),
      );
    expect(cited.length).toBeGreaterThan(300);
    expect(cited.filter((citation) => !isThere(citation))).toEqual([]);
  });

  test("a chapter has each section once", () => {
    for (const { text } of CHAPTERS.values()) {
      const headings = [...text.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map((match) => match[1]!);
      expect(headings.length).toBe(new Set(headings).size);
    }
  });
});
