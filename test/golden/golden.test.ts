// Fidelity over recordings of this project's own, in every clone: the answers and the exports that the original gave
// over the files of test/golden. Each answer is equal, or stands with its reason in docs/compatibility.md.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SegmentMaker } from "../../src/history/segment-maker.ts";
import { listSegments, recordSegment, type SegmentRow } from "../../src/history/segment-table.ts";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { BUILD } from "../../src/node/build.ts";
import { dataApp } from "../../src/planes/data/app.ts";
import { DataContext } from "../../src/planes/data/context.ts";
import { DataPlane } from "../../src/planes/data/plane.ts";
import { openReader, openWriter, segmentDirectory } from "../../src/store/database.ts";
import { removeFolders } from "../history/fixtures.ts";
import { checkCsv, goldenCsvs } from "../support/golden-csv.ts";
import { type RecordedHome, recordedHome } from "../support/recorded-home.ts";
import { DEVNET_DEMO, type Fetch, ListedAnswers, SAMPLE, VectorRun } from "./vectors.ts";

afterAll(removeFolders);

const SETS = [
  { set: SAMPLE, answers: 1_295, chainId: "lyra-sample-1", csvs: "sample-csv.md", files: 60, blocks: 1_000 },
  { set: DEVNET_DEMO, answers: 1_071, chainId: "lyra-devnet", csvs: "devnet-csv.md", files: 15, blocks: 100 },
] as const;

describe.each(SETS.map((each) => [each.set.title, each] as const))("%s", (_, each) => {
  const answers = new ListedAnswers(each.set);
  const csvs = goldenCsvs(readFileSync(join(import.meta.dir, ".", each.csvs), "utf8"));
  let home: RecordedHome;
  let context: DataContext;
  let handle: Fetch;
  let segments: SegmentRow[] = [];

  beforeAll(async () => {
    home = await recordedHome(each.set.recording);
    context = new DataContext(openReader(home.path), {
      limits: DEFAULT_LIMITS,
      build: BUILD,
      home: home.path,
    });
    const app = dataApp(new DataPlane(context));
    handle = async (request) => app.handle(request);
  });
  afterAll(() => {
    context.db.close();
    home.remove();
  });

  test("every difference in docs/compatibility.md is that of an entry", () => {
    expect(new Set(answers.vectors.map(({ name }) => name)).size).toBe(each.answers);
    expect(answers.unknown).toEqual([]);
  });

  describe("answers", () => {
    const run = new VectorRun((request) => handle(request));
    test.each(answers.entries)("%s", (_, vector) => answers.check(run, vector));
  });

  describe("exports", () => {
    beforeAll(async () => {
      const db = openWriter(home.path);
      const record = (row: SegmentRow) => recordSegment(db, row);
      const maker = new SegmentMaker({ home: home.path, db, segmentLength: each.blocks, record });
      await maker.idle();
      await maker.stop();
      segments = listSegments(db);
      db.close();
    });

    test.each(csvs.map((golden) => [`${golden.table} ${golden.from}-${golden.to}`, golden] as const))(
      "%s",
      (_, golden) => checkCsv(segmentDirectory(home.path), segments, each.chainId, golden),
    );

    test(`all ${each.files} were checked`, () => {
      expect(csvs).toHaveLength(each.files);
    });
  });
});
