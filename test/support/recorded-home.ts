// A home that holds the recording of the test network, made once for a test file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replayFiles } from "../../src/sources/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { RECORDING } from "../vectors.ts";

export interface RecordedHome {
  readonly path: string;
  remove(): void;
}

export async function recordedHome(): Promise<RecordedHome> {
  const path = mkdtempSync(join(tmpdir(), "lyra-recorded-"));
  const db = openWriter(path);
  const writer = new BlockWriter(db);
  await replayFiles(writer, db, [RECORDING]);
  writer.checkpoint();
  db.close();
  return { path, remove: () => rmSync(path, { recursive: true }) };
}
