// The declared types of the exported columns: every cell of the sample has the form of its type, and the documents
// and the types for programs are those of the declarations.
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { documentText, typesText } from "../../scripts/generate-analysts.ts";
import type { Column } from "../../src/history/columns.ts";
import { RowSource } from "../../src/history/rows/source.ts";
import { EXPORT_TABLES } from "../../src/history/tables.ts";
import { openReader } from "../../src/store/database.ts";
import { enumDescriptor } from "../../src/wire/descriptors.ts";
import { load, SAMPLE, Scratch } from "../rig/homes.ts";
import { parseCsv } from "./fixtures.ts";

const scratch = new Scratch("columns");
afterAll(() => scratch.remove());

const read = (path: string) => readFileSync(join(import.meta.dir, "../..", path), "utf8");

const WHOLE = /^-?\d+$/;
const FORMS: Readonly<Record<string, RegExp>> = {
  id: /^\\x(?:[0-9a-f]{2}|[0-9a-f]{64})?$/,
  time: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/,
  amount: /^\d+$/,
  price: /^\d+$/,
  size: WHOLE,
  whole: WHOLE,
  decimal: /^-?\d+(?:\.\d+)?$/,
  double: /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$/,
  code: /^\d+$/,
  bool: /^[tf]$/,
  text: /^/,
};

function isOfType(column: Column, text: string, isQuoted: boolean): boolean {
  if (text === "" && !isQuoted) return column.isNullable === true;
  if (column.type === "label") return enumDescriptor(column.of).numberOf.has(text);
  if (column.type === "code" && !enumDescriptor(column.of).nameOf.has(Number(text))) return false;
  if (column.type === "json") return JSON.parse(text) === null || typeof JSON.parse(text) === "object";
  return FORMS[column.type]!.test(text);
}

test("every cell of the sample has a value of its column's declared type", async () => {
  const home = scratch.path();
  await load(home, SAMPLE);
  const db = openReader(home);
  const { last } = db.prepare("SELECT max(no) AS last FROM blocks").get() as { last: bigint };
  const source = new RowSource(db);
  for (const { name, columns, header, lines } of EXPORT_TABLES) {
    const declared = Object.entries(columns);
    expect(header).toBe(declared.map(([column]) => column).join());
    const rows = parseCsv([...lines(source, { first: 0, last: Number(last) })].join(""));
    const wrong = rows.flatMap((row) =>
      declared.flatMap(([column, type], at) =>
        isOfType(type, row[at]!.text, row[at]!.quoted) ? [] : [`${column}: ${row[at]!.text}`],
      ),
    );
    expect([name, rows.length > 0, rows.every((row) => row.length === declared.length), wrong]).toEqual([
      ...[name, true, true],
      [],
    ]);
  }
  source.close();
  db.close();
});

test("the analysts' page and the types for programs are those of the declarations", () => {
  const page = read("docs/analysts.md");
  expect(documentText(page)).toBe(page);
  expect(read("examples/analysis/types.json")).toBe(typesText());
});
