// The commands of a real network's markets, re-executed, give what it has recorded: every event and every field, except for what
// its version did otherwise. A recording that differs is found.
// Notation of statements and results: rig.ts.
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NetworkBefore071 } from "../../../scripts/older-networks.ts";
import { RecordingReader } from "../../../src/ingest/recording.ts";
import { FactsOfRecording, ReExecution } from "../../../src/testing/re-execution.ts";
import { type RecordedBlock, RecordedBlocks } from "../../../src/testing/recorded-blocks.ts";
import { Lyra } from "../../rig/lyra.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const RECORDING = join(ROOT, "..", "shared", "data", "smoketest_to_block_5000.evts.gz");
const folder = mkdtempSync(join(tmpdir(), "lyra-re-execution-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isThere = existsSync(RECORDING);
if (!isThere) console.log("no recording of a real network beside the project: re-execution is skipped");

interface Report {
  readonly blocks: number;
  readonly commands: number;
  readonly faults: number;
  readonly kinds: Record<string, { same: number; explained: number; different: number }>;
  readonly explained: Record<string, number>;
  readonly different: { readonly height: number; readonly kind: string }[];
}

test.skipIf(!isThere)(
  "a real network's markets give the recorded events again",
  async () => {
    const program = [process.execPath, join(ROOT, "scripts", "re-execute.ts")];
    const { code, out } = await new Lyra([RECORDING, "--json"], { program }).end();
    const report = JSON.parse(out) as Report;
    expect(report).toMatchObject({ blocks: 5_001, commands: 119, faults: 0, different: [] });
    expect(code).toBe(0);
    for (const { different } of Object.values(report.kinds)) expect(different).toBe(0);
    expect(report.kinds).toMatchObject({
      verdict: { same: 119, explained: 0 },
      marketTick: { same: 4_553, explained: 0 },
      liquidityProvision: { same: 23, explained: 9 },
      lossSocialization: { same: 3, explained: 0 },
      oracleData: { same: 17, explained: 0 },
      settleMarket: { same: 8, explained: 0 },
      settlePosition: { same: 60 },
      ledgerEntry: { same: 276 },
    });
    expect(Object.keys(report.explained).length).toBeLessThan(20);
  },
  120_000,
);

async function blocksOf(path: string): Promise<RecordedBlock[]> {
  const reader = new RecordingReader<RecordedBlock>(path, new RecordedBlocks());
  const blocks: RecordedBlock[] = [];
  for await (const batch of reader.batches()) blocks.push(...batch);
  return blocks;
}

test.skipIf(!isThere)("an event that differs from the recording is named, with its field", async () => {
  const blocks = (await blocksOf(RECORDING)).slice(0, 500);
  const facts = new FactsOfRecording();
  for (const block of blocks) facts.read(block);
  const trade = blocks.flatMap(({ events }) => events).find(({ member }) => member === "trade")!;
  trade.payload.size += 1n;
  const execution = new ReExecution(blocks[0]!, facts.facts, "0.71.6", new NetworkBefore071());
  for (const block of blocks.slice(1)) execution.run(block);
  const different = [...execution.results.values()].flatMap(({ differences }) =>
    differences.filter(({ reason }) => reason === undefined),
  );
  expect(different.map(({ height, kind, fields }) => [height, kind, fields.map(({ path }) => path)])).toEqual(
    [[383, "trade", ["size", "aggressor"]]],
  );
});

test.skipIf(!isThere)("the executable refuses a network before 0.71, and says what executes it", async () => {
  const { code, err } = await new Lyra(["replay", "--re-execute", RECORDING, "--quiet"]).end();
  expect(code).toBe(1);
  expect(err).toContain("the recording is of a network before 0.71");
  expect(err).toContain("bun scripts/re-execute.ts");
});

test("a file that is not a recording is refused, and so are flags that contradict each other", async () => {
  const path = join(folder, "text.evts");
  writeFileSync(path, "not a recording");
  const failed = await new Lyra(["replay", "--re-execute", path]).end();
  expect(failed.code).toBe(1);
  expect(failed.err).toContain("the file is damaged");
  const clash = await new Lyra(["replay", "--re-execute", "data/sample.evts.gz", "--serve"]).end();
  expect(clash.code).toBe(2);
  expect(clash.err).toContain("--re-execute stores nothing: it takes no --serve");
});
