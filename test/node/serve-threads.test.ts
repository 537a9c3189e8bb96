// A served home while the thread that writes is in trouble, and after it.
import { afterAll, afterEach, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import type { WriterOrder, WriterReport } from "../../src/node/writer.worker.ts";
import { startNode } from "../../src/start-node.ts";
import { load, SAMPLE, Scratch } from "../rig/homes.ts";
import { ServingLyra } from "../rig/lyra.ts";
import { eventually } from "../support/eventually.ts";

const scratch = new Scratch("serve-threads");
const RealWorker = globalThis.Worker;
afterEach(() => {
  globalThis.Worker = RealWorker;
  EndingWriter.failures = [];
});
afterAll(() => scratch.remove());

const readyz = async (url: string) => (await fetch(`${url}/readyz`)).status;

test("segments that can be made after all make the node ready again", async () => {
  const home = scratch.path();
  await load(home, SAMPLE);
  writeFileSync(`${home}/segments`, "in the way");
  const lyra = new ServingLyra(["serve", "--home", home]);
  const { url } = await lyra.listening();
  await eventually(async () => (await readyz(url)) === 503);
  rmSync(`${home}/segments`);
  await eventually(async () => (await readyz(url)) === 200);
  const { segments } = await (await fetch(`${url}/api/v2/networkhistory/segments`)).json();
  expect(segments).toHaveLength(3);
  const { err } = await lyra.stop();
  expect(err).toContain("history segments could not be made");
});

test("a writer's thread that ends after everything is loaded is told, without its place in the sources", async () => {
  const home = scratch.path();
  await load(home, SAMPLE);
  globalThis.Worker = EndingWriter as unknown as typeof Worker;
  const node = await startNode({ kind: "data", home });
  try {
    await node.loaded;
    expect(await readyz(node.dataUrl)).toBe(200);
    EndingWriter.last?.onerror?.({
      message:
        "7 | throw it;\n          ^\nRangeError: no memory\n      at <anonymous> (/somewhere/else.ts:7:1)\n",
    });
    const { code, message } = await node.broken;
    expect([code, message]).toEqual(["writer_failed", "the writer stopped: no memory"]);
    expect(await readyz(node.dataUrl)).toBe(503);
  } finally {
    await node.stop();
  }
});

test("of two failures the first is told: the blocks that were not stored, not the segments after them", async () => {
  const home = scratch.path();
  await load(home, SAMPLE);
  globalThis.Worker = EndingWriter as unknown as typeof Worker;
  const failed = { kind: "failed", code: "disk_full", hint: "" } as const;
  EndingWriter.failures = [
    { ...failed, attempt: "store.write", message: "the disk is full: block 7 could not be stored" },
    { ...failed, attempt: "history.segment", message: "the disk is full: segments could not be made" },
  ];
  const node = await startNode({ kind: "data", home, replay: [SAMPLE] });
  try {
    await expect(node.loaded).rejects.toThrow("block 7 could not be stored");
  } finally {
    await node.stop();
  }
});

/** A thread that has nothing to do, until it is ended. */
class EndingWriter {
  static last: EndingWriter | undefined;
  /** The report on its work. */
  static failures: WriterReport[] = [];
  onmessage: ((event: { data: WriterReport }) => void) | undefined;
  onerror: ((event: { message: string }) => void) | undefined;

  constructor() {
    EndingWriter.last = this;
  }

  postMessage(message: WriterOrder | "stop"): void {
    const reports: WriterReport[] =
      message === "stop" ? [{ kind: "stopped" }] : [...EndingWriter.failures, { kind: "idle" }];
    queueMicrotask(() => {
      for (const data of reports) this.onmessage?.({ data });
    });
  }

  terminate(): void {}
}
