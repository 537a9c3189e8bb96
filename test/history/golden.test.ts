// The thirty CSVs of docs/protocol/20-network-history-segments.md#66-byte-exact-csvs, from the recording to the
// archive: byte for byte.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SegmentMaker } from "../../src/history/segment-maker.ts";
import { listSegments, recordSegment, type SegmentRow } from "../../src/history/segment-table.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter, segmentDirectory } from "../../src/store/database.ts";
import { RECORDING } from "../rig/homes.ts";
import { checkCsv, goldenCsvs } from "../support/golden-csv.ts";
import { folder, removeFolders } from "./fixtures.ts";

afterAll(removeFolders);

const REFERENCE = join(import.meta.dir, "../../docs/protocol/20-network-history-segments.md");
const isThere = existsSync(RECORDING);
if (!isThere) console.log("SKIPPED: the golden CSVs need ../shared/data, which is not here");
const all = isThere ? goldenCsvs(readFileSync(REFERENCE, "utf8"), "smoketest_to_block_5000") : [];

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

  for (const golden of all) {
    test(`${golden.table} 1-${golden.to}: ${golden.rows} rows, ${golden.sha256.slice(0, 12)}`, () =>
      checkCsv(directory, segments, "testnet-001", golden));
  }

  test("thirty were checked", () => {
    expect(all).toHaveLength(30);
  });
});
