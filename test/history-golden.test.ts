// The thirty CSVs of reference 20, section 6.6, from the recording to the archive: byte for byte.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { exportChunks } from "../src/history/export.ts";
import { planExport } from "../src/history/export-plan.ts";
import { SegmentMaker } from "../src/history/segment-maker.ts";
import { listSegments, recordSegment, type SegmentRow } from "../src/history/segment-table.ts";
import { EXPORT_TABLES } from "../src/history/tables.ts";
import { verifyArchive } from "../src/history/verify.ts";
import { replayFiles } from "../src/sources/replay.ts";
import { BlockWriter } from "../src/store/block-writer.ts";
import { openWriter, segmentDirectory } from "../src/store/database.ts";
import { collect, folder, removeFolders } from "./history-fixtures.ts";

afterAll(removeFolders);

const SHARED = join(import.meta.dir, "..", "..", "shared");
const RECORDING = join(SHARED, "data", "smoketest_to_block_5000.evts.gz");
const REFERENCE = join(SHARED, "reference", "20-network-history.md");
const isThere = existsSync(RECORDING) && existsSync(REFERENCE);
if (!isThere)
  console.log("SKIPPED: the golden CSVs need ../shared/data and ../shared/reference, which are not here");

interface Golden {
  readonly table: string;
  readonly to: number;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** The rows of both tables of section 6.6. */
function goldenCsvs(): Golden[] {
  const found: Golden[] = [];
  let to = 0;
  for (const line of readFileSync(REFERENCE, "utf8").split("\n")) {
    const range = /^smoketest_to_block_5000, fromBlock 1, toBlock (\d+)/.exec(line);
    if (range) to = Number(range[1]);
    const row = /^\| (\w+) \| (\d+) \| (\d+) \| `([0-9a-f]{64})` \|$/.exec(line);
    if (row && to > 0) {
      found.push({ table: row[1]!, to, rows: Number(row[2]), bytes: Number(row[3]), sha256: row[4]! });
    }
  }
  return found;
}

describe.skipIf(!isThere)("the recording", () => {
  let directory = "";
  let segments: SegmentRow[] = [];

  beforeAll(async () => {
    const home = folder();
    const db = openWriter(home);
    const maker = new SegmentMaker({ home, db, record: (row) => recordSegment(db, row) });
    // Segments are made while blocks still come in, as in a node.
    await replayFiles(new BlockWriter(db), db, [RECORDING], {
      onCommit: (head) => maker.onCommitted(head.height),
    });
    await maker.idle();
    await maker.stop();
    segments = listSegments(db);
    directory = segmentDirectory(home);
    db.close();
  });

  test("makes five segments", () => {
    expect(segments.map((row) => `${row.from}-${row.to}`)).toEqual([
      "1-1000",
      "1001-2000",
      "2001-3000",
      "3001-4000",
      "4001-5000",
    ]);
  });

  for (const golden of isThere ? goldenCsvs() : []) {
    test(`${golden.table} 1-${golden.to}: ${golden.rows} rows, ${golden.sha256.slice(0, 12)}`, async () => {
      const table = EXPORT_TABLES.findIndex(({ name }) => name === golden.table) + 1;
      const request = { table, from: 1n, to: BigInt(golden.to), manifest: true };
      const plan = await planExport(directory, segments, request);
      const zip = await collect(exportChunks(plan));
      const [[name, csv]] = Object.entries(unzipSync(zip)) as [[string, Uint8Array]];
      expect(name).toBe(`testnet-001-${golden.table}-001-000001-00${golden.to}.csv`);
      expect(new Bun.CryptoHasher("sha256").update(csv).digest("hex")).toBe(golden.sha256);
      expect([plan.files[0]!.rows, csv.length]).toEqual([golden.rows, golden.bytes]);
      const path = join(folder(), plan.name);
      writeFileSync(path, zip);
      expect((await verifyArchive(path)).files).toEqual([
        { name, rows: golden.rows, bytes: golden.bytes, sha256: golden.sha256 },
      ]);
    });
  }

  test("thirty were checked", () => {
    expect(goldenCsvs()).toHaveLength(30);
  });
});
