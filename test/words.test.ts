// The rules of the house's words that a machine can check: CONTRIBUTING notes in docs/architecture.md.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const filesIn = (folder: string, ending: RegExp) =>
  (readdirSync(join(root, folder), { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => ending.test(path) && !path.includes("node_modules") && !path.includes("generated"));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Rooms whose words are not gone over yet: the list only shrinks. */
const NOT_YET = ["src/chain/", "src/http/", "src/planes/", "src/wallet/"];
const isDone = (path: string) => !NOT_YET.some((room) => path.startsWith(room));
const sources = filesIn("src", /\.ts$/).filter(isDone);
/** Written from the original's own documents, whose words they keep. */
const documents = ["README.md", ...filesIn("docs", /\.md$/).filter((path) => !path.includes("protocol/"))];

/** The comments of a file, each paragraph as one line. */
function commentsOf(text: string): string[] {
  const blocks =
    text.match(/^[ \t]*(?:\/\/.*\n?)+(?:[ \t]*\/\/.*\n?)*|\/\*\*?[\s\S]*?\*\/|(?<=\S\s)\/\/ .*$/gm) ?? [];
  return blocks.flatMap((block) =>
    block
      .replace(/^[ \t]*(?:\/\/|\/\*\*?|\*\/|\* ?)|\*\/$/gm, "")
      .split(/\n[ \t]*\n|\n[ \t]*(?=@)/)
      .map((paragraph) => paragraph.replace(/\s+/g, " ").trim()),
  );
}

function paragraphsOf(markdown: string): string[] {
  const prose = markdown.replace(/```[\s\S]*?```/g, "");
  return prose.split(/\n\s*\n|\n(?=[-*|#] )/).map((paragraph) => paragraph.replace(/\s+/g, " ").trim());
}

/** Sentences that hide their subject; a question may begin so. */
const HIDDEN_SUBJECT = /(?:^|[.!?] |\*\* )(?:[-*>] )?(?:What|Who|Whoever|One)\b[^.?!]*(?:[.!]|$)/;

function hits(paths: readonly string[], split: (text: string) => string[], pattern: RegExp): string[] {
  return paths.flatMap((path) =>
    split(read(path)).flatMap((text) => {
      const found = pattern.exec(text);
      return found === null
        ? []
        : [`${path}: ${text.slice(Math.max(0, found.index - 20), found.index + 60)}`];
    }),
  );
}

describe("words", () => {
  test("a sentence begins with its subject", () => {
    expect(hits(sources, commentsOf, HIDDEN_SUBJECT)).toEqual([]);
    expect(hits(documents, paragraphsOf, HIDDEN_SUBJECT)).toEqual([]);
  });

  test("code is not a person", () => {
    expect(hits(sources, commentsOf, /\b(?:nobody|somebody|whoever|the one who|those who)\b/i)).toEqual([]);
  });

  test("a message says what something is not, not that it is none", () => {
    const strings = (text: string) =>
      [...text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, "").matchAll(/(["`])(?:\\.|(?!\1)[^\\\n])*\1/g)].map(
        ([all]) => all,
      );
    const isNone = /(?<!\b(?:there|There|nothing)) is (?:none\b|no (?!longer|more|room))/;
    const kept = /no base-10 number|no devnet|it is no address/;
    expect(hits(sources, strings, isNone).filter((hit) => !kept.test(hit))).toEqual([]);
  });

  test("methods carry their object in their name", () => {
    const method = /^ {2}(?:private |protected |static |async )*(?:take|tell|say|forget|judge|begin)\(.*\{$/;
    expect(hits(sources, (text) => text.split("\n"), method)).toEqual([]);
  });
});
