// Start of the executable to the first 200, and its memory at rest, on a home that holds a recording.
// bun bench/start.ts [--binary PATH] [--rounds N]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SegmentMaker } from "../src/history/segment-maker.ts";
import { recordSegment } from "../src/history/segment-table.ts";
import { replayFiles } from "../src/ingest/replay.ts";
import { BlockWriter } from "../src/store/block-writer.ts";
import { openWriter } from "../src/store/database.ts";
import { freePort } from "../src/testnet/ports.ts";
import { defaultRecording, median, residentMb } from "./support.ts";

const REST_MS = 1_500;

async function prepare(home: string): Promise<void> {
  const db = openWriter(home);
  const writer = new BlockWriter(db);
  const maker = new SegmentMaker({ db, home, record: (row) => recordSegment(db, row) });
  await replayFiles(writer, db, [defaultRecording()], { onCommit: (head) => maker.onCommitted(head.height) });
  await maker.idle();
  await maker.stop();
  writer.checkpoint();
  db.close();
}

async function startOnce(binary: string, home: string): Promise<{ ms: number; mb: number }> {
  const port = freePort();
  const started = performance.now();
  const child = Bun.spawn([binary, "serve", "--home", home, "--data-port", String(port), "--quiet"], {
    stdout: "ignore",
    stderr: "inherit",
  });
  let ms = 0;
  while (ms === 0 && performance.now() - started < 10_000) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/api/v2/assets`);
      if (response.status === 200) ms = performance.now() - started;
    } catch {
      await Bun.sleep(1);
    }
  }
  await Bun.sleep(REST_MS);
  const mb = residentMb(child.pid);
  child.kill();
  await child.exited;
  return { ms, mb };
}

export async function benchStart(binary: string, rounds: number) {
  const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  try {
    await prepare(home);
    const runs: { ms: number; mb: number }[] = [];
    for (let r = 0; r < rounds + 1; r++) runs.push(await startOnce(binary, home));
    runs.shift();
    return {
      firstAnswerMs: median(runs.map((run) => run.ms)),
      residentMb: median(runs.map((run) => run.mb)),
    };
  } finally {
    rmSync(home, { recursive: true });
  }
}

if (import.meta.main) {
  const option = (name: string, fallback: string) => {
    const at = process.argv.indexOf(name);
    return at < 0 ? fallback : process.argv[at + 1]!;
  };
  console.log(
    JSON.stringify(
      await benchStart(option("--binary", "dist/lyra"), Number(option("--rounds", "7"))),
      undefined,
      1,
    ),
  );
}
