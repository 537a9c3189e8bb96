// Event files that are read while they are written.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { loadConfig } from "../../src/node/config.ts";
import { Loading } from "../../src/node/loading.ts";
import { startNode } from "../../src/start-node.ts";
import { digestOf, headOf, load, MEMORY, SAMPLE, Scratch } from "../rig/homes.ts";
import { PROGRAM } from "../rig/lyra.ts";
import { type BlockSpan, blockSpans, inflated } from "../rig/stream.ts";
import { eventually } from "../support/eventually.ts";

const scratch = new Scratch("follow", MEMORY);
let sample: Buffer;
let spans: BlockSpan[];
let whole: ReturnType<typeof rowsOf>;

/** Everything but how segments are to be made. */
function rowsOf(home: string) {
  const { meta: _, ...tables } = digestOf(home).tables;
  return { tables, head: headOf(home) };
}

beforeAll(async () => {
  sample = inflated(SAMPLE);
  spans = blockSpans(sample);
  const home = scratch.path();
  await load(home, SAMPLE);
  whole = rowsOf(home);
});
afterAll(() => scratch.remove());

/** A file that is followed; `states` are the codes of what it says. */
function following(path: string) {
  const home = scratch.path();
  const loading = new Loading(home, loadConfig({ home, "segment-length": "1000000" }, [], {}));
  const states: (string | undefined)[] = [];
  const intake = loading.intake(
    { kind: "file", path },
    {
      onCommit: () => {},
      onRead: () => {},
      onState: (trouble) => states.push(trouble?.code),
      onKnown: () => {},
      onRefused: () => {},
      onUpgrade: async () => {},
    },
  );
  const running = intake.run();
  const reaches = async (height: number) => {
    await eventually(() => loading.writer.committedHead?.height === height);
  };
  const stop = async () => {
    intake.stop();
    await running;
    await loading.close();
    return rowsOf(home);
  };
  return { states, reaches, running, stop, close: () => loading.close() };
}

const last = () => spans.at(-1)!;
const spanAt = (height: number) => spans.find((span) => span.height === height)!;

test("a file that grows in any pieces makes the store that the whole file makes", async () => {
  const path = scratch.file(sample.subarray(0, 5));
  const file = following(path);
  for (const [n, { height, end }] of spans.entries()) {
    if (n % 400 !== 7) continue;
    const before = n >= 400 ? spans[n - 400]!.end + 9 : 5;
    appendFileSync(path, sample.subarray(before, end + 9));
    await file.reaches(height);
  }
  expect(file.states.filter((code) => code !== undefined)).toEqual([]);
  const written = spans.findLast((_, n) => n % 400 === 7)!.end + 9;
  appendFileSync(path, sample.subarray(written));
  await file.reaches(last().height);
  expect(await file.stop()).toEqual(whole);
});

test("a core that restarts begins its file again: shorter, longer than what was read, or another file", async () => {
  const path = scratch.file(sample.subarray(0, spanAt(20).end + 100));
  const file = following(path);
  await file.reaches(20);
  writeFileSync(path, sample.subarray(spanAt(15).start, spanAt(21).end));
  await file.reaches(21);
  writeFileSync(path, sample.subarray(spanAt(19).start, spanAt(60).end));
  await file.reaches(60);
  const next = scratch.file(sample.subarray(spanAt(55).start));
  renameSync(next, path);
  await file.reaches(last().height);
  expect(await file.stop()).toEqual(whole);
});

test("a pipe that takes the file's place ends it with a sentence", async () => {
  const path = scratch.file(sample.subarray(0, spanAt(20).end));
  const file = following(path);
  await file.reaches(20);
  rmSync(path);
  Bun.spawnSync(["mkfifo", path]);
  await expect(file.running).rejects.toThrow("it is not a file any more");
  await file.close();
});

test("missing blocks stop it; it goes on when the file begins further back", async () => {
  const path = scratch.file(sample.subarray(0, spanAt(20).end));
  const file = following(path);
  await file.reaches(20);
  rmSync(path);
  writeFileSync(path, sample.subarray(spanAt(25).start, spanAt(30).end));
  await eventually(
    () => file.states.includes("height_gap"),
    () => `it says ${file.states}`,
  );
  writeFileSync(path, sample);
  await file.reaches(last().height);
  expect(await file.stop()).toEqual(whole);
});

async function throughPipe(bytes: Uint8Array) {
  const home = scratch.path();
  const child = Bun.spawn([...PROGRAM, "replay", "--follow", "-", "--home", home, "--json"], {
    stdin: bytes,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { home, code, report: JSON.parse(out), err };
}

test("standard input is read to its end; one that ends inside a record says so", async () => {
  const [sound, cut] = await Promise.all([
    throughPipe(sample),
    throughPipe(sample.subarray(0, spanAt(20).end + 20)),
  ]);
  expect(sound).toMatchObject({ code: 0, report: { height: last().height, blocks: spans.length } });
  expect(rowsOf(sound.home).head).toEqual(whole.head);
  expect(cut).toMatchObject({ code: 1, report: { height: 20 } });
  expect(cut.report.missingBytes).toBeGreaterThan(0);
});

test("a served home tells of the file that it follows", async () => {
  const path = scratch.file(sample.subarray(0, spanAt(20).end));
  const node = await startNode({ kind: "data", home: scratch.path(), follow: path });
  const status = async () => (await fetch(`${node.dataUrl}/status`)).json();
  try {
    await eventually(async () => (await status()).height === 20);
    expect((await status()).sources).toMatchObject([{ kind: "file", state: "waiting" }]);
    expect((await fetch(`${node.dataUrl}/readyz`)).status).toBe(200);
    appendFileSync(path, sample.subarray(spanAt(22).start, spanAt(23).end));
    await eventually(async () => (await status()).sources[0].state === "stopped");
    expect((await status()).sources[0]).toMatchObject({ code: "height_gap" });
  } finally {
    await node.stop();
  }
});
