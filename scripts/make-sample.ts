// Writes data/sample.evts.gz: a small recording of a network that this project made up, which `npm start` shows.
// The same bytes every time: no clock, no chance, and the compressor that comes with the pinned Bun.
import { join } from "node:path";
import { tellStory } from "./sample/story.ts";

export const SAMPLE_PATH = join(import.meta.dir, "..", "data", "sample.evts.gz");

/** The recording, compressed with the strongest deflate at hand: it saves a tenth of the file. */
export function makeSample(): Uint8Array {
  return Bun.gzipSync(Buffer.from(tellStory()), { library: "libdeflate", level: 12 });
}

if (import.meta.main) {
  const bytes = makeSample();
  await Bun.write(SAMPLE_PATH, bytes);
  console.log(`${SAMPLE_PATH}: ${bytes.length} bytes`);
}
