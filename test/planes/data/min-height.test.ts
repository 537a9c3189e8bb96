// `X-Min-Height`: an answer from at least that height, after a bounded wait, or 412 with the height there is.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNode } from "../../../src/start-node.ts";
import { eventually, staysOpen } from "../../support/eventually.ts";
import { assetEvent, ServedChain } from "../../support/served-chain.ts";

const WAIT_MS = 150;
const A = "aa".repeat(32);
const B = "bb".repeat(32);

describe("minimum height", () => {
  const served = new ServedChain({ minHeightWaitMs: WAIT_MS });
  /** For heights that are reached, however slow the machine is. */
  const patient = new ServedChain({ minHeightWaitMs: 60_000, minHeightLookMs: 5 });
  beforeAll(() => {
    for (const chain of [served, patient]) chain.commit(assetEvent(A, "a"));
  });
  afterAll(async () => {
    for (const chain of [served, patient]) await chain.stop();
  });

  const areWaiting = (count: number) => eventually(() => patient.chain.plane.heightWaiters.count === count);
  const ask = async (least: string, path = "/api/v2/assets", of = served) => {
    const startedMs = performance.now();
    const response = await fetch(of.url + path, { headers: { "x-min-height": least } });
    const body = await response.text();
    return {
      response,
      body,
      height: response.headers.get("x-block-height"),
      ms: performance.now() - startedMs,
    };
  };

  test("reached: answered at once", async () => {
    for (const least of ["0", "1", String(served.height), `000${served.height}`]) {
      const { response, body, height } = await ask(least);
      expect([response.status, height]).toEqual([200, String(served.height)]);
      expect(body).toContain(A);
    }
  });

  test("reached while waiting: the answer is from the new block, not from the cache", async () => {
    const before = patient.height;
    expect((await ask("0", undefined, patient)).body).not.toContain(B);
    const waiting = Array.from({ length: 20 }, () => ask(String(before + 1), undefined, patient));
    await areWaiting(20);
    patient.commit(assetEvent(B, "b"));
    for (const { response, body, height } of await Promise.all(waiting)) {
      expect([response.status, height]).toEqual([200, String(before + 1)]);
      expect(body).toContain(B);
    }
  });

  test("not reached: 412 with the height and time there are, after the wait", async () => {
    const minHeight = served.height + 5;
    const { response, body, height, ms } = await ask(String(minHeight));
    expect(response.status).toBe(412);
    expect(JSON.parse(body)).toEqual({
      code: 9,
      message: `height ${minHeight} is not reached: the last block is ${served.height}`,
      details: [],
    });
    expect([height, response.headers.get("x-block-timestamp")]).toEqual([
      String(served.height),
      String(served.chain.timeNs),
    ]);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(ms).toBeGreaterThanOrEqual(WAIT_MS - 1);
  });

  test.each(["", "-1", "1.5", "abc", "1e3", "0x1", "9".repeat(16), "1, 2"])(
    "malformed %p: 400, without a wait",
    async (least) => {
      const { response, body, height } = await ask(least);
      expect([response.status, height]).toEqual([400, null]);
      expect(JSON.parse(body)).toEqual({
        code: 3,
        message: "X-Min-Height must be a block height",
        details: [],
      });
    },
  );

  test("a posted form waits as a GET does, any other method does not", async () => {
    const post = (of: ServedChain, least: number, contentType: string) =>
      fetch(`${of.url}/api/v2/assets`, {
        method: "POST",
        body: "pagination.first=1",
        headers: { "x-min-height": String(least), "content-type": contentType },
      });
    const form = "application/x-www-form-urlencoded";
    expect((await post(served, served.height + 1, form)).status).toBe(412);
    const posted = post(patient, patient.height + 1, form);
    await areWaiting(1);
    patient.commit();
    const answer = await posted;
    expect([answer.status, answer.headers.get("x-block-height")]).toEqual([200, String(patient.height)]);
    expect(((await answer.json()) as { assets: { edges: unknown[] } }).assets.edges.length).toBe(1);
    expect((await post(served, served.height + 1, "text/plain")).status).toBe(501);
  });

  test("errors are waited for alike, and a height beyond what a chain can reach is only late", async () => {
    expect((await ask("1", "/api/v2/asset/00")).response.status).toBe(400);
    expect((await ask("9".repeat(15))).response.status).toBe(412);
  });

  test("a client that leaves while it waits stops the wait; others are served meanwhile", async () => {
    const client = new AbortController();
    const headers = { "x-min-height": String(served.height + 9) };
    const left = fetch(`${served.url}/api/v2/assets`, { headers, signal: client.signal });
    client.abort();
    await expect(left).rejects.toThrow();
    expect((await ask("1")).response.status).toBe(200);
  });
});

test("commits that nobody tells of are looked for as often as the limit says", async () => {
  for (const minHeightLookMs of [120_000, 1]) {
    const served = new ServedChain({ minHeightWaitMs: 60_000, minHeightLookMs });
    served.commit(assetEvent(A, "a"));
    const { heightWaiters } = served.chain.plane;
    const height = served.height + 1;
    const pending = fetch(`${served.url}/api/v2/assets`, { headers: { "x-min-height": String(height) } });
    await eventually(() => heightWaiters.count === 1);
    served.commit();
    if (minHeightLookMs > 1) {
      expect(await staysOpen(pending, 250)).toBe(true);
      heightWaiters.notify();
    }
    expect((await pending).headers.get("x-block-height")).toBe(String(height));
    await served.stop();
  }
});

test("an empty store has height 0", async () => {
  const served = new ServedChain({ minHeightWaitMs: 20 });
  const headers = { "x-min-height": "1" };
  const response = await fetch(`${served.url}/api/v2/assets`, { headers });
  expect([response.status, response.headers.get("x-block-height")]).toEqual([412, "0"]);
  await served.stop();
});

test("beside a writer in another thread: times and heights agree, never go back, and are waited for", async () => {
  const home = mkdtempSync(join(tmpdir(), "lyra-min-height-"));
  const sample = join(import.meta.dir, "../../../data/sample.evts.gz");
  const node = await startNode({ kind: "data", home, replay: [sample] });
  let isLoading = true;
  const ask = async (headers: Record<string, string> = {}) => {
    const response = await fetch(`${node.dataUrl}/api/v2/vega/time`, { headers });
    const time = response.headers.get("x-block-timestamp");
    if (response.status === 200) expect((await response.json()).timestamp).toBe(time);
    return Number(response.headers.get("x-block-height"));
  };
  const read = async () => {
    for (let highest = 0; isLoading; ) {
      const height = await ask();
      expect(height).toBeGreaterThanOrEqual(highest);
      highest = height;
    }
  };
  const readers = [read(), read(), read()];
  const waiting = [1, 10, 50].map(async (least) => {
    expect(await ask({ "x-min-height": String(least) })).toBeGreaterThanOrEqual(least);
  });
  const result = await node.loaded;
  isLoading = false;
  await Promise.all([...readers, ...waiting]);
  expect(await ask()).toBe(result!.head!.height);
  await node.stop();
  rmSync(home, { recursive: true });
});
