// Writes data/sample.evts.gz: a small recording of a network that this project made up, which `npm start` shows.
// The same bytes every time: no clock, no chance, and a compressor that is the same on every machine.
import { join } from "node:path";
import { gzipSync } from "fflate";
import { tellStory } from "./sample/story.ts";

export const SAMPLE_PATH = join(import.meta.dir, "..", "data", "sample.evts.gz");

export function makeSample(): Uint8Array {
  return gzipSync(tellStory(), { level: 9, mtime: 0 });
}

if (import.meta.main) {
  const bytes = makeSample();
  await Bun.write(SAMPLE_PATH, bytes);
  console.log(`${SAMPLE_PATH}: ${bytes.length} bytes`);
}
