// A running node whose home has history: the documents have an example of a segment, and HEAD describes exports without making them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RunningNode, startNode } from "../../src/start-node.ts";
import { load, MEMORY, SAMPLE, Scratch } from "../rig/homes.ts";
import { eventually } from "../support/eventually.ts";

const scratch = new Scratch("documented-home", MEMORY);
afterAll(() => scratch.remove());

interface Parameter {
  readonly name: string;
  readonly example?: string;
}

interface Segment {
  readonly historySegmentId: string;
  readonly fromHeight: string;
  readonly toHeight: string;
}

let node: RunningNode;
let segments: readonly Segment[];
beforeAll(async () => {
  const home = scratch.path();
  await load(home, SAMPLE);
  node = await startNode({ kind: "data", home });
  await eventually(async () => {
    const answer = await fetch(`${node.dataUrl}/api/v2/networkhistory/segments`);
    segments = ((await answer.json()) as { segments: Segment[] }).segments;
    return segments.length >= 3;
  });
});
afterAll(() => node.stop());

test("a home with segments is documented, with a segment for an example", async () => {
  const response = await fetch(`${node.dataUrl}/docs/json`);
  expect(response.status).toBe(200);
  const { paths } = (await response.json()) as {
    paths: Record<string, { get: { parameters: Parameter[] } }>;
  };
  const ids = segments.map(({ historySegmentId }) => historySegmentId);
  const { parameters } = paths["/lyra/v1/history/segments/{id}"]!.get;
  expect(ids).toContain(parameters.find(({ name }) => name === "id")!.example!);
});

test("HEAD of an export has the length and the tag of the archive; a range is of GET alone", async () => {
  const { fromHeight } = segments.at(-1)!;
  const { toHeight } = segments[0]!;
  const url = `${node.dataUrl}/api/v2/networkhistory/export?table=1&fromBlock=${fromHeight}&toBlock=${toHeight}`;
  const head = (headers: Record<string, string> = {}) => fetch(url, { method: "HEAD", headers });
  const archive = await fetch(url);
  const { byteLength } = await archive.arrayBuffer();
  const shown = ({ headers }: Response) =>
    ["content-type", "content-disposition", "accept-ranges", "etag"].map((name) => headers.get(name));
  const whole = await head();
  expect([whole.status, whole.headers.get("content-length")]).toEqual([200, String(byteLength)]);
  expect(shown(whole)).toEqual(shown(archive));
  expect((await whole.arrayBuffer()).byteLength).toBe(0);
  const part = await head({ range: "bytes=0-9" });
  expect([part.status, part.headers.get("content-length")]).toEqual([200, String(byteLength)]);
  expect((await head({ "if-none-match": archive.headers.get("etag")! })).status).toBe(304);
  const messages = await head({ accept: "application/json+stream" });
  expect([messages.status, messages.headers.get("content-type")]).toEqual([200, "application/json+stream"]);
  const metrics = await (await fetch(`${node.dataUrl}/metrics`)).text();
  expect(metrics).toMatch(/^lyra_exports_running 0$/m);
});

test("HEAD of a segment's file has its length", async () => {
  const url = `${node.dataUrl}/lyra/v1/history/segments/${segments[0]!.historySegmentId}`;
  const { byteLength } = await (await fetch(url)).arrayBuffer();
  const { status, headers } = await fetch(url, { method: "HEAD" });
  expect([status, headers.get("content-length")]).toEqual([200, String(byteLength)]);
});
