// A home that holds a recording, made once for a test file.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { load, MEMORY, RECORDING } from "../rig/homes.ts";

export interface RecordedHome {
  readonly path: string;
  remove(): void;
}

/** @param recording the test network's by default */
export async function recordedHome(recording = RECORDING): Promise<RecordedHome> {
  const folder = mkdtempSync(join(MEMORY, "lyra-recorded-"));
  const path = join(folder, "home");
  await load(path, recording);
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}
