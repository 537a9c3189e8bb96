// Writes data/devnet-sample.evts.gz: the month of `npm run demo`, recorded by a devnet as `lyra devnet --record` does.
// The clock stands still and chance follows from a text; but which transactions meet in a block depends on when they
// arrive, so two runs may differ by a block.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playDemo } from "../src/devnet/demo/demo.ts";
import { startNode } from "../src/start-node.ts";

export const DEVNET_SAMPLE_PATH = join(import.meta.dir, "..", "data", "devnet-sample.evts.gz");

const START_NS = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;

/** The recording, not compressed. */
export async function recordDemo(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "lyra-record-"));
  const record = join(folder, "run.evts");
  const nowNs = () => START_NS;
  try {
    const devnet = await startNode({
      kind: "devnet",
      record,
      seed: "the sample",
      nowNs,
      genesisTimeNs: START_NS,
    });
    try {
      await playDemo(devnet, () => {}, nowNs);
    } finally {
      await devnet.stop();
    }
    return new Uint8Array(readFileSync(record));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const bytes = Bun.gzipSync(Buffer.from(await recordDemo()), { library: "libdeflate", level: 12 });
  await Bun.write(DEVNET_SAMPLE_PATH, bytes);
  console.log(`${DEVNET_SAMPLE_PATH}: ${bytes.length} bytes`);
  process.exit(0);
}
