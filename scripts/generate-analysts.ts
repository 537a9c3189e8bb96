/**
 * Writes the tables of docs/analysts.md and examples/analysis/types.json, out of the columns of the exported tables.
 *
 * `bun run generate` does it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Column } from "../src/history/columns.ts";
import { EXPORT_TABLES } from "../src/history/tables.ts";
import { enumDescriptor } from "../src/wire/descriptors.ts";

const ROOT = join(import.meta.dir, "..");
const DOCUMENT = join(ROOT, "docs/analysts.md");
const TYPES = join(ROOT, "examples/analysis/types.json");
const TABLES = /(?<=<!-- made from src\/history\/columns\.ts -->\n)[\s\S]*?(?=<!-- end -->)/;

/** Values of an enum with at most this many are listed. */
const LISTED_MAX = 12;

/** The tables of the columns, for the document. */
export function columnTables(): string {
  return EXPORT_TABLES.map(({ name, columns }) => {
    const rows = Object.entries(columns).map(
      ([column, declared]) => `| \`${column}\` | ${typeText(declared)} | ${noteText(declared)} |`,
    );
    return [`#### ${name}`, "", "| column | type | |", "|---|---|---|", ...rows].join("\n");
  }).join("\n\n");
}

function typeText(column: Column): string {
  const article = column.type === "id" && /^[aeiou]/.test(column.of) ? "an" : "a";
  const type = column.type === "id" ? `id of ${article} ${column.of}` : column.type;
  return column.isNullable ? `${type}, or empty` : type;
}

function noteText(column: Column): string {
  const note = column.note ?? "";
  if (column.type === "code") {
    const { numberOf } = enumDescriptor(column.of);
    const values = [...numberOf].filter(([, number]) => number !== 0);
    if (values.length > LISTED_MAX) return `\`${column.of}\``;
    return values.map(([label, number]) => `${number} \`${label}\``).join(", ");
  }
  return column.type === "label" ? `\`${column.of}\`` : note;
}

/** Types by table and column, for programs. */
export function typesText(): string {
  const types = EXPORT_TABLES.map(({ name, columns }) => [
    name,
    Object.fromEntries(Object.entries(columns).map(([column, { type }]) => [column, type])),
  ]);
  return `${JSON.stringify(Object.fromEntries(types), undefined, 2)}\n`;
}

/** docs/analysts.md with the tables in their place. */
export function documentText(document: string): string {
  return document.replace(TABLES, () => `\n${columnTables()}\n\n`);
}

if (import.meta.main) {
  writeFileSync(TYPES, typesText());
  const document = readFileSync(DOCUMENT, "utf8");
  const written = documentText(document);
  if (written !== document) writeFileSync(DOCUMENT, written);
}
