// The programs of the README and of the package's README: kept beside this file, where `npm run check` looks at their types, and run.
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ran, Workshop } from "./program.ts";

const ROOT = join(import.meta.dir, "..", "..");
const workshop = new Workshop();
afterAll(() => workshop.remove());

/** The program below a heading of a document. */
const programOf = (document: string, heading: string) =>
  readFileSync(join(ROOT, document), "utf8")
    .split(`\n${heading}\n`)[1]
    ?.match(/```ts\n([\s\S]+?)```/)?.[1];

/** Without line breaks and what the formatter adds with them. */
const unformatted = (text = "") => text.replaceAll(/\s+/g, "").replaceAll(/,([}\])])/g, "$1");

const fileOf = (name: string) => join(import.meta.dir, name);

test.each([
  ["README.md", "## The package", "readme-child.ts"],
  ["docs/package-readme.md", "## The first test", "package-readme-child.ts"],
])("the program of %s is the one that is type-checked and run", (document, heading, file) => {
  const program = programOf(document, heading)?.replace('"vitest"', '"bun:test"');
  const checked = readFileSync(fileOf(file), "utf8").replace(/^(?:\/\/.*\n)+/, "");
  expect(unformatted(program)).toBe(unformatted(checked));
});

test("the README's program runs to its end", async () => {
  const env = { LYRA_BINARY: workshop.lyra };
  const { code, out, err } = await ran([process.execPath, fileOf("readme-child.ts")], { env });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("SIDE_BUY");
}, 20_000);

test("the test of the package's README passes", async () => {
  const env = { LYRA_BINARY: workshop.lyra };
  const { code, err } = await ran([process.execPath, "test", fileOf("package-readme-child.ts")], { env });
  expect({ code, passed: /\b1 pass\b/.test(err), err }).toMatchObject({ code: 0, passed: true });
}, 20_000);
