// The data API and its documentation over the recording that ships with the program.
import { Elysia } from "elysia";
import { SAMPLE_PATH } from "../../scripts/make-sample.ts";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { dataApp } from "../../src/planes/data/app.ts";
import { DataContext } from "../../src/planes/data/context.ts";
import { DataPlane } from "../../src/planes/data/plane.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter } from "../../src/store/database.ts";

/** Loads the sample into an empty home. */
export async function openSample(home: string) {
  const writing = openWriter(home);
  await replayFiles(new BlockWriter(writing), writing, [SAMPLE_PATH]);
  writing.close();
  const db = openReader(home);
  const build = { version: "v0.71.6", commit: "test" };
  const plane = new DataPlane(new DataContext(db, { limits: DEFAULT_LIMITS, build, home }));
  const app = new Elysia({ strictPath: true }).use(dataApp(plane));
  return { app, close: () => db.close() };
}
