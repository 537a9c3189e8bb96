// The data API and its documentation over the recording that ships with the program.
import { Elysia } from "elysia";
import { SAMPLE_PATH } from "../../scripts/make-sample.ts";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { joinRoutes } from "../../src/http/plugin.ts";
import { ServerStatus } from "../../src/http/status.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { dataApp } from "../../src/planes/data/app.ts";
import { DataContext } from "../../src/planes/data/context.ts";
import { DataPlane } from "../../src/planes/data/plane.ts";
import { factsRoutes } from "../../src/planes/explorer/facts-routes.ts";
import { explorerOf } from "../../src/planes/explorer/routes.ts";
import { pageRoutes } from "../../src/planes/page/routes.ts";
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
  const status = new ServerStatus();
  const mounted = joinRoutes(factsRoutes(plane, status, explorerOf(plane)), pageRoutes(status, build));
  const app = new Elysia({ strictPath: true }).use(dataApp(plane, status, undefined, mounted));
  return { app, close: () => db.close() };
}
