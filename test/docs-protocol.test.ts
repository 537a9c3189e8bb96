// Comments and documents cite the protocol by file and heading: `docs/protocol/60-state-engine-blocks.md#17-epochs and #18-...`.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { anchorOf, anchorsOf } from "./support/headings.ts";

const root = join(import.meta.dir, "..");
const chapters = join(root, "docs/protocol");

/** Anchors by the path of the file that has them. */
const ANCHORS = new Map(
  readdirSync(chapters)
    .filter((name) => name.endsWith(".md"))
    .map((name) => [`docs/protocol/${name}`, new Set(anchorsOf(readFileSync(join(chapters, name), "utf8")))]),
);

const textsBelow = (folder: string): string[] =>
  readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (name === "node_modules" || name === "generated") return [];
    if (statSync(join(root, path)).isDirectory()) return textsBelow(path);
    return /\.(?:ts|mjs|md|graphql|proto)$/.test(path) ? [path] : [];
  });

const CITATION = /\bdocs\/protocol\/[\w*-]+\.md(?:#[\w-]+)?|(?<=[ (])#[a-z\d]+(?:-+\w+)+/g;

/** The citations of a text. `#18-endblock-and-commit` behind a full citation is a heading of the same file. */
function citationsOf(text: string): { readonly path: string; readonly anchor?: string }[] {
  let path = "";
  return [...text.matchAll(CITATION)].flatMap(([citation]) => {
    const [file, anchor] = citation.split("#") as [string, string?];
    if (file !== "") path = file;
    return path === "" ? [] : [{ path, ...(anchor !== undefined && { anchor }) }];
  });
}

function exists({ path, anchor }: { readonly path: string; readonly anchor?: string }): boolean {
  if (path.includes("*")) {
    const [before, after] = path.split("*") as [string, string];
    return [...ANCHORS.keys()].some((file) => file.startsWith(before) && file.endsWith(after));
  }
  const anchors = ANCHORS.get(path);
  return anchors !== undefined && (anchor === undefined || anchors.has(anchor));
}

/** Lines of a comment joined, so that a citation may wrap. */
const joined = (source: string) => source.replace(/\n\s*(?:\/\/|\*) /g, " ");

describe("the protocol's chapters", () => {
  const texts = ["src", "test", "bench", "scripts", "docs"]
    .flatMap(textsBelow)
    .filter((path) => path !== "test/docs-protocol.test.ts")
    .map((path) => ({ path, text: joined(readFileSync(join(root, path), "utf8")) }));

  test("headings have the anchors that GitHub gives them", () => {
    expect(anchorOf("3.2 Cursor encoding")).toBe("32-cursor-encoding");
    expect(anchorOf("6.6 Result JSON of `transaction`")).toBe("66-result-json-of-transaction");
    expect(anchorOf("S7 MTM, of (all)")).toBe("s7-mtm-of-all");
  });

  test("citations are read in all their forms", () => {
    expect(citationsOf("(docs/protocol/a.md#11-x to #12-y-z, step 3; docs/protocol/b-*.md)")).toEqual([
      { path: "docs/protocol/a.md", anchor: "11-x" },
      { path: "docs/protocol/a.md", anchor: "12-y-z" },
      { path: "docs/protocol/b-*.md" },
    ]);
    expect(exists({ path: "docs/protocol/60-*.md" })).toBe(true);
    expect(exists({ path: "docs/protocol/61-*.md" })).toBe(false);
    expect(exists({ path: "docs/protocol/00-interface.md", anchor: "1-scope" })).toBe(true);
    expect(exists({ path: "docs/protocol/00-interface.md", anchor: "1-scopes" })).toBe(false);
  });

  test("each citation names a heading that exists", () => {
    const cited = texts.flatMap(({ path: file, text }) =>
      citationsOf(text).map((citation) => ({ file, ...citation })),
    );
    expect(cited.length).toBeGreaterThan(900);
    expect(cited.filter((citation) => !exists(citation))).toEqual([]);
  });

  test("no citation is by number alone", () => {
    const byNumber =
      /\breferences? (?:[1-9]0|95)\b|(?<!\b(?:RFC|FIPS|ISO|UAX|ECMA|Fetch|sqlite)\b.{0,60})\bsections? \d/i;
    const outside = (path: string) => !path.startsWith("docs/protocol/") && path !== "scripts/webassembly.ts";
    const left = texts.filter(({ path, text }) => outside(path) && byNumber.test(text));
    expect(left.map(({ path }) => path)).toEqual([]);
  });

  test("a file has each heading once", () => {
    for (const [path, anchors] of ANCHORS) {
      const all = anchorsOf(readFileSync(join(root, path), "utf8"));
      expect({ path, headings: all.length }).toEqual({ path, headings: anchors.size });
    }
  });
});
