// Parts of exports: any range holds exactly those bytes of the archive, a download that broke off goes on where it
// stopped, and bytes of another archive are never mixed in.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { exportBytes, exportChunks } from "../../src/history/export.ts";
import { archiveTag, type ExportPlan, planExport } from "../../src/history/export-plan.ts";
import { segmentPath } from "../../src/history/segment-format.ts";
import { recordSegment, type SegmentRow } from "../../src/history/segment-table.ts";
import { isKnown, requestedRange } from "../../src/http/byte-range.ts";
import { ExportSlots, NetworkHistoryExports } from "../../src/planes/data/network-history.ts";
import { openReader, openWriter, segmentDirectory } from "../../src/store/database.ts";
import { runs } from "../support/seed.ts";
import { collect, folder, makeSegments, program, removeFolders } from "./fixtures.ts";

afterAll(removeFolders);

const TRADES = 6;
const segments = (count: number, lines: number) =>
  Array.from({ length: count }, (_, n) => ({
    from: n * 10 + 1,
    to: n * 10 + 10,
    lines: Array.from({ length: lines }, (_, i) => `${i},${randomBytes(24).toString("base64")}`),
  }));

describe("chunks of a range", () => {
  const directory = folder();
  let rows: SegmentRow[];
  beforeAll(async () => {
    rows = await makeSegments(directory, segments(3, 40));
  });
  const planned = (manifest: boolean) =>
    planExport(directory, rows, { table: TRADES, from: 1n, to: 30n, manifest });

  test.each([false, true])("are those of the archive, with a manifest: %p", async (manifest) => {
    const plan = await planned(manifest);
    const whole = await collect(exportChunks(plan));
    expect(whole.length).toBe(plan.totalBytes);
    const place = fc.integer({ min: 0, max: plan.totalBytes });
    await fc.assert(
      fc.asyncProperty(place, place, fc.integer({ min: 1, max: 3_000 }), async (a, b, chunkBytes) => {
        const [start, end] = a < b ? [a, b] : [b, a];
        const part = await collect(exportChunks(plan, chunkBytes, { start, end }));
        expect(part.equals(whole.subarray(start, end))).toBe(true);
        if (end > start) expect(part.equals(await exportBytes(plan, { start, end }))).toBe(true);
      }),
      { numRuns: runs(150) },
    );
  });

  test("of a damaged segment fail even where the range does not hold the damage; others are served", async () => {
    const plan = await planned(false);
    const whole = await collect(exportChunks(plan));
    const path = segmentPath(directory, rows[1]!.id);
    const bytes = readFileSync(path);
    const piece = plan.files[0]!.pieces[1]!.piece;
    const damaged = Buffer.from(bytes);
    damaged[piece.offset + piece.deflatedBytes - 1]! ^= 1;
    writeFileSync(path, damaged);
    const before = whole.length - 200;
    const first = plan.files[0]!.pieces[0]!.piece;
    const inside = first.deflatedBytes + 400;
    await expect(exportBytes(plan, { start: inside, end: inside + 10 })).rejects.toThrow("segment 11-20");
    const last = await exportBytes(plan, { start: before, end: whole.length });
    expect(whole.subarray(before).equals(last)).toBe(true);
    writeFileSync(path, bytes);
  });

  test("the tag tells archives apart, and is the same for the same", async () => {
    const tags = new Set<string>();
    const plans: ExportPlan[] = [await planned(false), await planned(true)];
    plans.push(await planExport(directory, rows, { table: TRADES, from: 1n, to: 20n, manifest: false }));
    const other = folder();
    const others = await makeSegments(other, segments(3, 40));
    plans.push(await planExport(other, others, { table: TRADES, from: 1n, to: 30n, manifest: false }));
    for (const plan of plans) tags.add(archiveTag(plan));
    expect(tags.size).toBe(plans.length);
    expect(archiveTag(await planned(false))).toBe(archiveTag(plans[0]!));
  });
});

describe("the range that is asked for", () => {
  const of = (headers: Record<string, string>, length = 100) =>
    requestedRange(new Headers(headers), length, '"t"');
  test.each([
    ["bytes=0-9", { start: 0, end: 10 }],
    ["bytes=90-", { start: 90, end: 100 }],
    ["bytes=90-1000", { start: 90, end: 100 }],
    ["bytes=-7", { start: 93, end: 100 }],
    ["bytes=-700", { start: 0, end: 100 }],
    ["BYTES= 5 - 5 ", { start: 5, end: 6 }],
    ["bytes=100-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=9-5", undefined],
    ["bytes=-", undefined],
    ["bytes=0-1,5-6", undefined],
    ["bytes=a-b", undefined],
    ["rows=0-9", undefined],
    ["bytes=1.5-9", undefined],
    [`bytes=${"9".repeat(40)}-`, undefined],
  ] as const)("%s", (range, expected) => expect(of({ range })).toEqual(expected as never));

  test("with If-Range, only of the same bytes", () => {
    expect(of({ range: "bytes=1-", "if-range": '"t"' })).toEqual({ start: 1, end: 100 });
    for (const other of ['"u"', 'W/"t"', "Wed, 21 Oct 2015 07:28:00 GMT"])
      expect(of({ range: "bytes=1-", "if-range": other })).toBeUndefined();
    expect(of({})).toBeUndefined();
  });

  test.each([
    ['"t"', true],
    ['W/"t"', true],
    ['"a", "t"', true],
    ["*", true],
    ['"a"', false],
    ["t", false],
  ])("If-None-Match %s", (etags, expected) =>
    expect(isKnown(new Headers({ "if-none-match": etags }), '"t"')).toBe(expected),
  );
});

describe("over HTTP", () => {
  /** @param lines in each of three segments: 20,000 are more than is put together first */
  async function serving(lines: number) {
    const home = folder();
    const db = openWriter(home);
    for (const row of await makeSegments(segmentDirectory(home), segments(3, lines))) recordSegment(db, row);
    const slots = new ExportSlots(2);
    const exports = new NetworkHistoryExports(openReader(home), segmentDirectory(home), slots);
    const server = Bun.serve({
      port: 0,
      development: false,
      fetch: ({ headers, signal }) =>
        exports.answer({ table: TRADES, fromBlock: 1n, toBlock: 30n }, { headers, manifest: false, signal }),
    });
    const ask = (headers: Record<string, string> = {}) => fetch(server.url, { headers });
    return { ask, server, slots };
  }

  test("a small archive has its length; a part is 206, one that is not there 416", async () => {
    const { ask, server, slots } = await serving(50);
    const whole = await ask();
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(whole.headers.get("content-length")).toBe(String(bytes.length));
    expect(whole.headers.get("accept-ranges")).toBe("bytes");
    const etag = whole.headers.get("etag")!;
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);

    const part = await ask({ range: "bytes=10-29" });
    expect([part.status, part.headers.get("content-range"), part.headers.get("etag")]).toEqual([
      206,
      `bytes 10-29/${bytes.length}`,
      etag,
    ]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(10, 30));

    const behind = await ask({ range: `bytes=${bytes.length}-` });
    expect([behind.status, behind.headers.get("content-range")]).toEqual([416, `bytes */${bytes.length}`]);
    expect(await behind.json()).toMatchObject({ error: { code: 11, details: [] } });

    const revalidated = await ask({ "if-none-match": etag });
    expect([revalidated.status, await revalidated.text()]).toEqual([304, ""]);
    const other = await ask({ range: "bytes=10-29", "if-range": '"other"' });
    expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
    expect(slots.counts.exportsRunning).toBe(0);
    await server.stop(true);
  });

  test("a large download that broke off goes on where it stopped, by curl too", async () => {
    const { ask, server, slots } = await serving(20_000);
    const whole = Buffer.from(await (await ask()).arrayBuffer());
    expect(whole.length).toBeGreaterThan(1024 * 1024);
    const half = whole.length >> 1;
    const rest = await ask({ range: `bytes=${half}-` });
    expect([rest.status, rest.headers.get("content-range")]).toEqual([
      206,
      `bytes ${half}-${whole.length - 1}/${whole.length}`,
    ]);
    expect(Buffer.from(await rest.arrayBuffer()).equals(whole.subarray(half))).toBe(true);
    const curl = program("curl");
    if (curl) {
      const path = join(folder(), "half.zip");
      writeFileSync(path, whole.subarray(0, half));
      expect(await Bun.spawn([curl, "-sf", "-C", "-", "-o", path, `${server.url}`]).exited).toBe(0);
      expect(readFileSync(path).equals(whole)).toBe(true);
    }
    expect(slots.counts.exportsRunning).toBe(0);
    await server.stop(true);
  });
});
