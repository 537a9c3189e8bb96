// From an event file to the exported CSVs, over chains of unusual but legal values: byte for byte what a plain second
// implementation of the rules makes of them. Nothing may be fitted to one recording.
// Other chains: LYRA_TEST_SEED; more of them: LYRA_TEST_LENGTH.
import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { unzipSync } from "fflate";
import { exportChunks } from "../../src/history/export.ts";
import { planExport } from "../../src/history/export-plan.ts";
import { SegmentMaker } from "../../src/history/segment-maker.ts";
import { listSegments, recordSegment } from "../../src/history/segment-table.ts";
import { EXPORT_TABLES } from "../../src/history/tables.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter, segmentDirectory } from "../../src/store/database.ts";
import { Scratch } from "../rig/homes.ts";
import { CsvModel } from "../support/csv-model/model.ts";
import { eventFile, oddChain } from "../support/odd-events.ts";
import { runs, SEED } from "../support/seed.ts";
import { collect } from "./fixtures.ts";

const BLOCKS = 17;
const SEGMENT_LENGTH = 5;
const SEGMENT_ENDS = [5, 10, 15];

const scratch = new Scratch("csv-model");
afterAll(() => scratch.remove());

/** The CSV out of an archive. */
async function exported(
  home: string,
  db: ReturnType<typeof openWriter>,
  table: number,
  from: number,
  to: number,
) {
  const request = { table, from: BigInt(from), to: BigInt(to), manifest: false };
  const plan = await planExport(segmentDirectory(home), listSegments(db), request);
  const [csv] = Object.values(unzipSync(await collect(exportChunks(plan))));
  return Buffer.from(csv!).toString();
}

describe(`every table, every range of segments (seed ${SEED})`, () => {
  const chains = fc.sample(oddChain(BLOCKS), { seed: SEED, numRuns: runs(2) });
  for (const [number, blocks] of chains.entries()) {
    test(`chain ${number + 1}`, async () => {
      const home = scratch.path();
      const db = openWriter(home);
      const result = await replayFiles(new BlockWriter(db), db, [scratch.file(eventFile(blocks))]);
      expect(result.files[0]!.damage).toBeUndefined();
      expect(result.head?.height).toBe(BLOCKS + 1);
      const maker = new SegmentMaker({
        home,
        db,
        segmentLength: SEGMENT_LENGTH,
        record: (row) => recordSegment(db, row),
      });
      maker.onCommitted(BLOCKS + 1);
      await maker.idle();
      await maker.stop();
      const model = new CsvModel();
      for (const block of blocks) model.block(block);
      for (const [i, { name, header }] of EXPORT_TABLES.entries()) {
        for (const [from, ends] of [
          [1, SEGMENT_ENDS],
          [6, [10]],
        ] as const) {
          const csv = await exported(home, db, i + 1, from, ends.at(-1)!);
          const want = [`${header}\n`, ...model.lines(name, from, ends)].join("");
          if (csv !== want) throw new Error(`${name} ${from}-${ends.at(-1)}: ${difference(csv, want)}`);
        }
        expect(model.lines(name, 1, SEGMENT_ENDS).length).toBeGreaterThan(5);
      }
      db.close();
    });
  }
});

/** The first place where two texts part. */
function difference(actual: string, want: string): string {
  let at = 0;
  while (actual[at] === want[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 200), at + 100));
  return `at ${at}\n got ${around(actual)}\nwant ${around(want)}`;
}
