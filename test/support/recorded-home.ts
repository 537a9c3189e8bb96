// A home that holds a recording, made once for a test file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { RECORDING } from "../rig/homes.ts";

export interface RecordedHome {
  readonly path: string;
  remove(): void;
}

/** @param recording the test network's by default */
export async function recordedHome(recording = RECORDING): Promise<RecordedHome> {
  const path = mkdtempSync(join(tmpdir(), "lyra-recorded-"));
  const db = openWriter(path);
  const writer = new BlockWriter(db);
  await replayFiles(writer, db, [recording]);
  writer.checkpoint();
  db.close();
  return { path, remove: () => rmSync(path, { recursive: true }) };
}
