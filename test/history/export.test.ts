// Exports: which ranges there are, names, joining, splitting by version, and downloads that must not look whole.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
  cpSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { unzipSync } from "fflate";
import { CHUNK_BYTES, exportChunks, exportStream, MESSAGE_BYTES } from "../../src/history/export.ts";
import { type ExportRequest, planExport } from "../../src/history/export-plan.ts";
import type { Manifest } from "../../src/history/manifest.ts";
import { segmentPath } from "../../src/history/segment-format.ts";
import {
  ExportRefusal,
  recordSegment,
  type SegmentRow,
  segmentRuns,
  segmentsOfRange,
} from "../../src/history/segment-table.ts";
import {
  ExportSlots,
  NetworkHistoryExports,
  networkHistoryEndpoints,
} from "../../src/planes/data/network-history.ts";
import { openReader, openWriter, segmentDirectory } from "../../src/store/database.ts";
import { eventually, turns } from "../support/eventually.ts";
import { collect, folder, type MadeSegment, makeSegments, program, removeFolders, run } from "./fixtures.ts";

afterAll(removeFolders);

const TRADES = 6;
const LARGE_LINES = 60_000;

function row(from: number, to: number, databaseVersion = 1): SegmentRow {
  return { from, to, id: `id${from}`, previousId: "", databaseVersion, chainId: "chain-x", bytes: 1 };
}

describe("ranges", () => {
  test("those of the interface: 1-1000, 1001-2000, 1-3000", () => {
    const stored = [row(2001, 3000), row(1, 1000), row(1001, 2000)];
    const startsIn = (from: bigint, to: bigint) =>
      segmentsOfRange(stored, from, to).map((segment) => segment.from);
    expect(startsIn(1n, 1000n)).toEqual([1]);
    expect(startsIn(1001n, 2000n)).toEqual([1001]);
    expect(startsIn(1n, 3000n)).toEqual([1, 1001, 2001]);
  });

  test.each<[string, bigint, bigint]>([
    ["start inside a segment", 2n, 1000n],
    ["end inside a segment", 1n, 999n],
    ["over a gap", 1n, 5000n],
    ["into a gap", 1n, 3000n],
    ["beyond", 1n, 6000n],
    ["reversed, both on boundaries", 1001n, 1000n],
    ["reversed", 2001n, 1000n],
    ["negative", -1n, 1000n],
    ["left out", 0n, 0n],
    ["larger than a double holds", 1n, 2n ** 63n - 1n],
  ])("%s: refused, with what there is", (_, from, to) => {
    const stored = [row(1, 1000), row(1001, 2000), row(4001, 5000)];
    let refusal: unknown;
    try {
      segmentsOfRange(stored, from, to);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(ExportRefusal);
    const { summary, inner } = refusal as ExportRefusal;
    expect(summary).toBe("failed to get contiguous history segments");
    expect(inner).toStartWith(`no contiguous segment range found with height ${from} to ${to}: stored are `);
    expect(inner).toContain("1 to 2000 (2 segments), 4001 to 5000 (1 segment)");
    expect(inner).toEndWith("a range starts at 1, 1001, 4001 and ends at 1000, 2000, 5000");
  });

  test("given a young chain without a segment, then the refusal says how many blocks one takes, and by which flag", () => {
    expect(() => segmentsOfRange([], 1n, 50n)).toThrow(
      expect.objectContaining({
        inner: expect.stringMatching(/no segment is stored yet.*1,000 blocks.*--segment-length/),
      }),
    );
  });

  test("a long history names the nearest boundaries only", () => {
    const stored = Array.from({ length: 5000 }, (_, i) => row(i * 1000 + 1, i * 1000 + 1000));
    expect(() => segmentsOfRange(stored, 2_500_100n, 2_500_900n)).toThrow(ExportRefusal);
    try {
      segmentsOfRange(stored, 2_500_100n, 2_500_900n);
    } catch (error) {
      expect((error as ExportRefusal).inner.length).toBeLessThan(400);
      expect((error as ExportRefusal).inner).toContain("2500001");
    }
  });

  test("exactly the ranges whose ends are boundaries of one run without a gap", () => {
    const lengths = fc.array(fc.record({ length: fc.integer({ min: 1, max: 3 }), missing: fc.boolean() }), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(lengths, fc.nat(30), fc.nat(30), (parts, from, to) => {
        let next = 1;
        const stored: SegmentRow[] = [];
        for (const { length, missing } of parts) {
          if (!missing) stored.push(row(next, next + length - 1));
          next += length;
        }
        const covered = (height: number) => stored.some((s) => s.from <= height && height <= s.to);
        const heights = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
        const valid =
          from <= to &&
          heights.every(covered) &&
          stored.some((s) => s.from === from) &&
          stored.some((s) => s.to === to);
        let rows: readonly SegmentRow[] = [];
        try {
          rows = segmentsOfRange(stored, BigInt(from), BigInt(to));
        } catch {}
        expect(rows.length > 0).toBe(valid);
        if (valid)
          expect(rows.map((s) => s.from)).toEqual(
            stored.filter((s) => s.from >= from && s.to <= to).map((s) => s.from),
          );
        expect(segmentRuns(stored).flat()).toEqual(stored);
      }),
    );
  });
});

describe("archives", () => {
  const request = (from: number, to: number, manifest = false): ExportRequest => {
    return { table: TRADES, from: BigInt(from), to: BigInt(to), manifest };
  };

  /** Files of an archive by name. */
  async function exported(segments: readonly MadeSegment[], request: ExportRequest) {
    const directory = folder();
    const plan = await planExport(directory, await makeSegments(directory, segments), request);
    const zip = await collect(exportChunks(plan));
    expect(zip.length).toBe(plan.totalBytes);
    const files = Object.entries(unzipSync(zip)).map(
      ([name, bytes]) => [name, Buffer.from(bytes).toString()] as const,
    );
    return { plan, zip, files };
  }

  test("a single CSV with one header line, whatever the number of segments", async () => {
    const { plan, files } = await exported(
      [
        { from: 1, to: 1000, lines: ["1,a", '2,"b\n,""c"'] },
        { from: 1001, to: 2000, lines: [] },
        { from: 2001, to: 3000, lines: ["3,"] },
      ],
      request(1, 3000),
    );
    expect(plan.name).toBe("chain-x-trades-000001-003000.zip");
    expect(files).toEqual([["chain-x-trades-001-000001-003000.csv", 'id,text\n1,a\n2,"b\n,""c"\n3,\n']]);
  });

  test("an empty table is its header line", async () => {
    const { files } = await exported([{ from: 1, to: 5, lines: [] }], request(1, 5));
    expect(files).toEqual([["chain-x-trades-001-000001-000005.csv", "id,text\n"]]);
  });

  test("a change of version begins a new file with its own header: A, B, A is three", async () => {
    const { plan, files } = await exported(
      [
        { from: 1, to: 10, lines: ["1,a"] },
        { from: 11, to: 20, lines: ["2,b"] },
        { from: 21, to: 25, lines: ["3,c,x"], version: 2, header: "id,text,testref" },
        { from: 26, to: 1_234_567, lines: ["4,d"] },
      ],
      request(1, 1_234_567, true),
    );
    expect(plan.name).toBe("chain-x-trades-000001-1234567.zip");
    expect(files.slice(0, -1)).toEqual([
      ["chain-x-trades-001-000001-000020.csv", "id,text\n1,a\n2,b\n"],
      ["chain-x-trades-002-000021-000025.csv", "id,text,testref\n3,c,x\n"],
      ["chain-x-trades-001-000026-1234567.csv", "id,text\n4,d\n"],
    ]);
    const [name, text] = files.at(-1)!;
    const manifest = JSON.parse(text) as Manifest;
    expect(name).toBe("manifest.json");
    const sha256 = (csv: string) => new Bun.CryptoHasher("sha256").update(csv).digest("hex");
    expect(
      manifest.files.map((file) => [file.name, file.rows, file.bytes, file.sha256, file.databaseVersion]),
    ).toEqual(
      files
        .slice(0, -1)
        .map(([file, csv], i) => [file, [2, 1, 1][i]!, csv.length, sha256(csv), [1, 2, 1][i]!]),
    );
    expect(manifest).toMatchObject({
      chainId: "chain-x",
      table: "TABLE_TRADES",
      from: 1,
      to: 1_234_567,
      archive: plan.name,
    });
    expect(
      manifest.segments.map(({ id, record }) => [
        record.from,
        record.to,
        record.previousId === "" || id !== "",
      ]),
    ).toEqual([
      [1, 10, true],
      [11, 20, true],
      [21, 25, true],
      [26, 1_234_567, true],
    ]);
  });

  test("the same content gives the same bytes", async () => {
    const segments = [{ from: 1, to: 5, lines: ["1,a"] }];
    const range = request(1, 5, true);
    expect((await exported(segments, range)).zip).toEqual((await exported(segments, range)).zip);
  });

  test("a chain id cannot leave the file name", async () => {
    const directory = folder();
    const rows = (await makeSegments(directory, [{ from: 1, to: 5, lines: [] }])).map((segment) => ({
      ...segment,
      chainId: '../../"x\r\nset-cookie: a',
    }));
    const plan = await planExport(directory, rows, request(1, 5));
    expect(plan.name).toBe(".._.._.x__set-cookie__a-trades-000001-000005.zip".replace("_.x", "__x"));
  });

  test("chunks have exactly their length, the last one what is left", async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `${i},${Bun.hash(String(i)).toString(36)}`);
    const directory = folder();
    const plan = await planExport(
      directory,
      await makeSegments(directory, [{ from: 1, to: 5, lines }]),
      request(1, 5, true),
    );
    for (const chunkBytes of [1000, CHUNK_BYTES]) {
      const sizes: number[] = [];
      for await (const chunk of exportChunks(plan, chunkBytes)) sizes.push(chunk.length);
      expect(sizes.slice(0, -1).every((size) => size === chunkBytes)).toBe(true);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(plan.totalBytes);
    }
  });

  test("an unknown table is refused with the tables there are", async () => {
    for (const table of [0, 16, -1, 1.5]) {
      const refused = planExport(folder(), [row(1, 5)], { ...request(1, 5), table });
      await expect(refused).rejects.toThrow("empty table name");
      await expect(refused).rejects.toMatchObject({ summary: "no table name for network history supplied" });
    }
  });

  test("the plan finds a file that is missing, damaged, or without the table", async () => {
    const directory = folder();
    const rows = await makeSegments(directory, [{ from: 1, to: 5, lines: ["1,a"] }]);
    await expect(planExport(directory, rows, { ...request(1, 5), table: 1 })).rejects.toThrow(
      "'balances' not found",
    );
    const path = segmentPath(directory, rows[0]!.id);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, -1));
    await expect(planExport(directory, rows, request(1, 5))).rejects.toThrow("segment 1-5 cannot be read");
    rmSync(path);
    const missing = planExport(directory, rows, request(1, 5));
    await expect(missing).rejects.toThrow("segment 1-5 is listed, but its file is missing");
    await expect(missing).rejects.toBeInstanceOf(ExportRefusal);
  });
});

/** Three segments of about 3 MB deflated, so that a download is well under way when the second one fails. */
async function largeSegments(directory: string): Promise<SegmentRow[]> {
  large ??= makeLargeSegments();
  const { original, rows } = await large;
  cpSync(original, directory, { recursive: true });
  return rows;
}
/** Made once: deflating them takes longer than any test of them. */
let large: ReturnType<typeof makeLargeSegments> | undefined;

async function makeLargeSegments(): Promise<{ readonly original: string; readonly rows: SegmentRow[] }> {
  const original = folder();
  const random = randomBytes(LARGE_LINES * 32);
  const lines = Array.from({ length: LARGE_LINES }, (_, i) => {
    return `${i},${random.subarray(i * 32, i * 32 + 32).toString("base64")}`;
  });
  const segments = [1, 2, 3].map((n) => ({ from: n * 10 - 9, to: n * 10, lines }));
  return { original, rows: await makeSegments(original, segments) };
}

const DAMAGES: readonly (readonly [string, (path: string) => void])[] = [
  ["missing", (path) => rmSync(path)],
  ["cut in the middle of the rows", (path) => truncateSync(path, 1_000_000)],
  [
    "flipped in one bit",
    (path) => {
      const bytes = readFileSync(path);
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(path, bytes);
    },
  ],
];

function openSegmentFiles(): string[] {
  const targets = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(join("/proc/self/fd", fd));
    } catch {
      return "";
    }
  });
  return targets.filter((target) => target.endsWith(".seg"));
}

describe("streams", () => {
  let directory = "";
  let rows: SegmentRow[] = [];
  beforeAll(async () => {
    directory = folder();
    rows = await largeSegments(directory);
  });
  const plan = (manifest = false) =>
    planExport(directory, rows, { table: TRADES, from: 1n, to: 30n, manifest });

  test("a stream gives the archive", async () => {
    const exportPlan = await plan(true);
    let ended = 0;
    const zip = await collect(exportStream(exportPlan, { onEnd: () => ended++ }));
    expect(zip).toEqual(await collect(exportChunks(exportPlan)));
    expect(ended).toBe(1);
    expect(openSegmentFiles()).toEqual([]);
  });

  test("a reader that goes away ends the reading and closes the file", async () => {
    let ended = 0;
    const reader = exportStream(await plan(), { onEnd: () => ended++ }).getReader();
    await reader.read();
    await reader.read();
    await reader.cancel();
    await eventually(() => ended > 0 && openSegmentFiles().length === 0);
    expect(ended).toBe(1);
    expect(openSegmentFiles()).toEqual([]);
  });

  test("so does an abort, and the stream fails", async () => {
    const abort = new AbortController();
    let ended = 0;
    const reader = exportStream(await plan(), { signal: abort.signal, onEnd: () => ended++ }).getReader();
    await reader.read();
    abort.abort();
    await expect(reader.read()).rejects.toThrow();
    await eventually(() => ended > 0 && openSegmentFiles().length === 0);
    expect(ended).toBe(1);
    expect(openSegmentFiles()).toEqual([]);
  });

  test("nothing is read before it is asked for, and then one chunk ahead", async () => {
    const stream = exportStream(await plan());
    await turns();
    expect(openSegmentFiles()).toEqual([]);
    const reader = stream.getReader();
    await reader.read();
    await eventually(() => openSegmentFiles().length > 0);
    expect(openSegmentFiles()).toHaveLength(1);
    await reader.cancel();
  });

  for (const manifest of [false, true]) {
    test.each(DAMAGES)(
      `fails when a segment is %s${manifest ? ", with a manifest" : ""}`,
      async (_, damage) => {
        const damaged = folder();
        const rows = await largeSegments(damaged);
        const exportPlan = await planExport(damaged, rows, { table: TRADES, from: 1n, to: 30n, manifest });
        damage(segmentPath(damaged, rows[1]!.id));
        let received = 0;
        const read = async () => {
          for await (const chunk of exportStream(exportPlan)) received += chunk.length;
        };
        await expect(read()).rejects.toThrow("segment 11-20 failed while it was sent");
        expect(received).toBeLessThan(exportPlan.totalBytes);
        expect(openSegmentFiles()).toEqual([]);
      },
    );
  }
});

describe("over HTTP", () => {
  /** A node's exports behind a bare server. */
  async function serving(exportsMax = 4) {
    const home = folder();
    const db = openWriter(home);
    const rows = await largeSegments(segmentDirectory(home));
    for (const segment of rows) recordSegment(db, segment);
    const exports = new NetworkHistoryExports(
      openReader(home),
      segmentDirectory(home),
      new ExportSlots(exportsMax),
    );
    const ask = (query: string, accept: Headers | string = "", signal?: AbortSignal) => {
      const headers = typeof accept === "string" ? new Headers(accept ? { accept: accept } : {}) : accept;
      const q = new URLSearchParams(query);
      const fields = Object.fromEntries(
        [...q]
          .filter(([key]) => key !== "manifest")
          .map(([key, value]) => [key, key === "table" ? Number(value) : BigInt(value)]),
      );
      return exports.answer(fields, {
        headers,
        manifest: q.get("manifest") === "true",
        ...(signal && { signal }),
      });
    };
    const server = Bun.serve({
      port: 0,
      reusePort: false,
      development: false,
      fetch: (request) => ask(new URL(request.url).search, request.headers, request.signal),
    });
    return { home, db, rows, ask, exports, server, directory: segmentDirectory(home) };
  }
  const QUERY = "table=6&fromBlock=1&toBlock=30";

  test("headers are the original's, and unzip and Python accept the body", async () => {
    const { server, rows } = await serving();
    const response = await fetch(`${server.url}?${QUERY}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(response.headers.get("content-disposition")).toBe(
      "attachment;filename=chain-x-trades-000001-000030.zip",
    );
    expect(response.headers.get("content-length")).toBeNull();
    const zip = new Uint8Array(await response.arrayBuffer());
    const [csv] = Object.values(unzipSync(zip));
    expect(Buffer.from(csv!).toString().split("\n")).toHaveLength(3 * 60_000 + 2);
    const path = join(folder(), "x.zip");
    writeFileSync(path, zip);
    const unzip = program("unzip");
    if (unzip) expect(run([unzip, "-t", path])).toContain("No errors detected");
    const python = program("python3");
    const script =
      "import csv,io,sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);n=z.namelist()[0];r=list(csv.reader(io.TextIOWrapper(z.open(n),newline='')));print(z.testzip(),n,len(r),r[0],r[-1][0])";
    if (python) {
      expect(run([python, "-c", script, path]).trim()).toBe(
        "None chain-x-trades-001-000001-000030.csv 180001 ['id', 'text'] 59999",
      );
    }
    expect(rows).toHaveLength(3);
    await server.stop(true);
  });

  test.each(DAMAGES)("a segment that is %s breaks the download", async (_, damage) => {
    const { server, rows, directory } = await serving();
    const path = segmentPath(directory, rows[2]!.id);
    const bytes = readFileSync(path);
    damage(path);
    const curl = program("curl");
    const broken = fetch(`${server.url}?${QUERY}`).then(async (response) => {
      if (response.status !== 200) throw new Error(`status ${response.status}`);
      return response.arrayBuffer();
    });
    await expect(broken).rejects.toThrow();
    if (curl) {
      // Not spawnSync: the server is on this thread.
      expect(await Bun.spawn([curl, "-sf", "-o", "/dev/null", `${server.url}?${QUERY}`]).exited).not.toBe(0);
    }
    writeFileSync(path, bytes);
    expect((await (await fetch(`${server.url}?${QUERY}`)).arrayBuffer()).byteLength).toBeGreaterThan(
      1_000_000,
    );
    await server.stop(true);
  });

  test("an archive that is not read to its end keeps its place", async () => {
    const { server, ask } = await serving(1);
    const abort = new AbortController();
    const first = await ask(QUERY, "", abort.signal);
    await first.body!.getReader().read();
    const second = await fetch(`${server.url}?${QUERY}`);
    expect(second.status).toBe(429);
    expect(await second.json()).toEqual({
      error: { code: 8, message: "client reached max subscription allowed", details: [] },
    });
    abort.abort();
    await server.stop(true);
  });

  test("a client that goes away frees its place", async () => {
    const { server, directory } = await serving(1);
    for (let i = 0; i < 3; i++) {
      const abort = new AbortController();
      const response = await fetch(`${server.url}?${QUERY}`, { signal: abort.signal });
      expect(response.status).toBe(200);
      await response.body!.getReader().read();
      abort.abort();
      await eventually(() => !openSegmentFiles().some((path) => path.startsWith(directory)));
    }
    expect(openSegmentFiles()).toEqual([]);
    await server.stop(true);
  });

  test.each([
    ["no table", "fromBlock=1&toBlock=30", "no table name for network history supplied", "empty table name"],
    [
      "no blocks",
      "table=6",
      "failed to get contiguous history segments",
      "with height 0 to 0: stored are 1 to 30 (3 segments)",
    ],
    [
      "not on a boundary",
      "table=6&fromBlock=2&toBlock=30",
      "failed to get contiguous history segments",
      "with height 2 to 30",
    ],
    [
      "reversed",
      "table=6&fromBlock=11&toBlock=10",
      "failed to get contiguous history segments",
      "with height 11 to 10",
    ],
  ])("%s is a wrapped 400", async (_, query, message, inner) => {
    const { ask, server } = await serving();
    const response = await ask(query);
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe("application/json");
    const { error } = (await response.json()) as {
      error: { code: number; message: string; details: Record<string, unknown>[] };
    };
    expect(error).toMatchObject({ code: 3, message: "InvalidArgument error" });
    expect(error.details).toHaveLength(1);
    expect(error.details[0]).toMatchObject({
      "@type": "type.googleapis.com/vega.ErrorDetail",
      code: 10000,
      message,
    });
    expect(error.details[0]!.inner).toContain(inner);
    await server.stop(true);
  });

  test("as messages: base64 chunks, the first with what the archive is", async () => {
    const { ask, rows, server } = await serving();
    const response = await ask(QUERY, "application/json+stream");
    expect(response.headers.get("content-type")).toBe("application/json+stream");
    const lines = (await response.text()).split("\n");
    expect(lines.pop()).toBe("");
    const messages = lines.map((line) => JSON.parse(line).result);
    const zip = Buffer.concat(messages.map((message) => Buffer.from(message.data, "base64")));
    expect(
      messages.slice(0, -1).every((message) => Buffer.from(message.data, "base64").length === MESSAGE_BYTES),
    ).toBe(true);
    expect(messages.every((message) => message.contentType === "application/zip")).toBe(true);
    expect(messages.slice(1).every((message) => !("extensions" in message))).toBe(true);
    expect(messages[0].extensions).toEqual([
      {
        "@type": "type.googleapis.com/lyra.v1.ArchiveDescription",
        name: "chain-x-trades-000001-000030.zip",
        bytes: String(zip.length),
        files: [{ name: "chain-x-trades-001-000001-000030.csv", rows: "180000", bytes: expect.any(String) }],
        segmentIds: rows.map((segment) => segment.id),
      },
    ]);
    expect(zip).toEqual(Buffer.from(await (await ask(QUERY)).arrayBuffer()));
    await server.stop(true);
  });

  test("as messages, a failure is the last one", async () => {
    const { ask, rows, directory, server } = await serving();
    const path = segmentPath(directory, rows[1]!.id);
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(path, bytes);
    const lines = (await (await ask(QUERY, "application/json+stream")).text()).trim().split("\n");
    expect(lines.slice(0, -1).every((line) => "result" in JSON.parse(line))).toBe(true);
    const { error } = JSON.parse(lines.at(-1)!);
    expect(error).toMatchObject({ code: 13, message: "Internal error" });
    expect(error.details[0]).toMatchObject({
      message: "failed to extract data from network history segment file",
    });
    expect(error.details[0].inner).toContain("segment 11-20");
    await server.stop(true);
  });

  test("the list of segments is newest first; status and peers say that nothing is shared", async () => {
    const { home, rows, server } = await serving();
    const db = openReader(home);
    const answer = (path: string) =>
      networkHistoryEndpoints.find((endpoint) => endpoint.path === path)!.handle({ db }, {});
    expect(answer("/api/v2/networkhistory/segments")).toEqual({
      segments: rows.toReversed().map((segment) => ({
        fromHeight: BigInt(segment.from),
        toHeight: BigInt(segment.to),
        historySegmentId: segment.id,
        previousHistorySegmentId: segment.previousId,
        databaseVersion: 1n,
        chainId: "chain-x",
      })),
    });
    expect(answer("/api/v2/networkhistory")).toMatchObject({ ipfsAddress: "", connectedPeers: [] });
    expect(answer("/api/v2/networkhistory/bootstrap")).toEqual({ bootstrapPeers: [] });
    db.close();
    await server.stop(true);
  });
});
