// Hashes of the CSVs that the original exported, as tables of Markdown, and the comparison with ours.
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { exportChunks } from "../../src/history/export.ts";
import { planExport } from "../../src/history/export-plan.ts";
import type { SegmentRow } from "../../src/history/segment-table.ts";
import { EXPORT_TABLES } from "../../src/history/tables.ts";
import { verifyArchive } from "../../src/history/verify.ts";
import { collect, folder } from "../history/fixtures.ts";

export interface GoldenCsv {
  readonly table: string;
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** All rows under a line that names a range of blocks. @param recording stands in front of the range, if it is named there */
export function goldenCsvs(markdown: string, recording = ""): GoldenCsv[] {
  const rows: GoldenCsv[] = [];
  const start = recording === "" ? "" : `${recording}, `;
  let range: [from: number, to: number] | undefined;
  for (const line of markdown.split("\n")) {
    const heading = /^fromBlock (\d+), toBlock (\d+)/.exec(
      line.startsWith(start) ? line.slice(start.length) : "",
    );
    if (heading) range = [Number(heading[1]), Number(heading[2])];
    const row = /^\| (\w+) \| (\d+) \| (\d+) \| `([0-9a-f]{64})` \|$/.exec(line);
    if (!row || !range) continue;
    const [from, to] = range;
    rows.push({ table: row[1]!, from, to, rows: Number(row[2]), bytes: Number(row[3]), sha256: row[4]! });
  }
  return rows;
}

/** Exports the table and compares the CSV byte for byte, and what verifies an archive with both. */
export async function checkCsv(
  directory: string,
  segments: readonly SegmentRow[],
  chainId: string,
  golden: GoldenCsv,
): Promise<void> {
  const table = EXPORT_TABLES.findIndex(({ name }) => name === golden.table) + 1;
  const request = { table, from: BigInt(golden.from), to: BigInt(golden.to), manifest: true };
  const plan = await planExport(directory, segments, request);
  const zip = await collect(exportChunks(plan));
  const [[name, csv]] = Object.entries(unzipSync(zip)) as [[string, Uint8Array]];
  const place = [golden.from, golden.to].map((height) => String(height).padStart(6, "0")).join("-");
  expect(name).toBe(`${chainId}-${golden.table}-001-${place}.csv`);
  expect(new Bun.CryptoHasher("sha256").update(csv).digest("hex")).toBe(golden.sha256);
  expect([plan.files[0]!.rows, csv.length]).toEqual([golden.rows, golden.bytes]);
  const path = join(folder(), plan.name);
  writeFileSync(path, zip);
  expect((await verifyArchive(path)).files).toEqual([
    { name, rows: golden.rows, bytes: golden.bytes, sha256: golden.sha256 },
  ]);
}
