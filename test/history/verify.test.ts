// The check of an archive: it must find every changed byte, and say where.
import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import { unzipSync } from "fflate";
import { ExitCode, NodeError } from "../../src/errors/node-error.ts";
import { DEFLATE_END } from "../../src/history/deflate.ts";
import { exportChunks } from "../../src/history/export.ts";
import { planExport } from "../../src/history/export-plan.ts";
import type { Manifest } from "../../src/history/manifest.ts";
import { RowCounter } from "../../src/history/row-counter.ts";
import { type SegmentRecord, segmentId } from "../../src/history/segment-format.ts";
import { verifyArchive } from "../../src/history/verify.ts";
import { centralDirectory, localHeader, Method, type ZipEntry } from "../../src/history/zip.ts";
import { collect, folder, type MadeSegment, makeSegments, removeFolders } from "./fixtures.ts";

afterAll(removeFolders);

const SEGMENTS: readonly MadeSegment[] = [
  { from: 1, to: 10, lines: ["1,a", '2,"line\nfeed"', "3,c"] },
  { from: 11, to: 20, lines: [] },
  { from: 21, to: 30, lines: ["4,d"] },
  { from: 31, to: 40, lines: ["5,e,x"], version: 2, header: "id,text,testref" },
];

async function archive(manifest: boolean, segments = SEGMENTS): Promise<string> {
  const directory = folder();
  const rows = await makeSegments(directory, segments);
  const range = { from: BigInt(segments[0]!.from), to: BigInt(segments.at(-1)!.to) };
  const plan = await planExport(directory, rows, { table: 6, ...range, manifest });
  const path = join(folder(), plan.name);
  writeFileSync(path, await collect(exportChunks(plan)));
  return path;
}

/** The failure of a check. */
async function failure(path: string): Promise<NodeError> {
  const error = await verifyArchive(path).then(
    () => undefined,
    (reason) => reason,
  );
  if (!(error instanceof NodeError)) throw new Error(`it was found sound, or failed otherwise: ${error}`);
  expect(error.exitCode).toBe(ExitCode.verificationFailed);
  return error;
}

describe("a sound archive", () => {
  test("with a manifest: rows, hashes, and the chain", async () => {
    const path = await archive(true);
    const csvs = unzipSync(readFileSync(path));
    const result = await verifyArchive(path);
    expect(result).toMatchObject({
      hasManifest: true,
      from: 1,
      to: 40,
      table: "TABLE_TRADES",
      chainId: "chain-x",
    });
    expect(result.segments).toHaveLength(4);
    expect(result.files.map(({ name, rows }) => [name, rows])).toEqual([
      ["chain-x-trades-001-000001-000030.csv", 4],
      ["chain-x-trades-002-000031-000040.csv", 1],
    ]);
    for (const { name, sha256, bytes } of result.files) {
      expect(sha256).toBe(new Bun.CryptoHasher("sha256").update(csvs[name]!).digest("hex"));
      expect(bytes).toBe(csvs[name]!.length);
    }
  });

  test("without a manifest: says so, and counts rows all the same", async () => {
    const result = await verifyArchive(await archive(false));
    expect(result).toMatchObject({ hasManifest: false, segments: [] });
    expect(result.files.map(({ rows }) => rows)).toEqual([4, 1]);
  });

  test("larger than the pieces it is read in", async () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `${i},${Bun.hash(String(i)).toString(36)}`);
    const path = await archive(true, [
      { from: 1, to: 10, lines },
      { from: 11, to: 20, lines },
    ]);
    expect((await verifyArchive(path)).files[0]!.rows).toBe(200_000);
  });
});

describe("damage", () => {
  test("every byte counts: with a manifest, no single changed byte goes unseen", async () => {
    const path = await archive(true);
    const bytes = readFileSync(path);
    const copy = join(folder(), "x.zip");
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 8);
      writeFileSync(copy, changed);
      await failure(copy);
    }
  }, 120_000);

  test("a cut at any place, and anything behind the end", async () => {
    const path = await archive(true);
    const bytes = readFileSync(path);
    const copy = join(folder(), "x.zip");
    for (let length = 0; length < bytes.length; length += 97) {
      writeFileSync(copy, bytes.subarray(0, length));
      await failure(copy);
    }
    appendFileSync(path, "{");
    expect((await failure(path)).message).toContain("not a complete ZIP archive");
  });

  test("a file that is no archive, or is not there", async () => {
    const path = join(folder(), "x.zip");
    writeFileSync(path, "hello");
    expect((await failure(path)).message).toBe(
      `${path} is not sound: it is not a complete ZIP archive: the end is missing or damaged`,
    );
    const missing = verifyArchive(join(folder(), "none.zip"));
    await expect(missing).rejects.toMatchObject({ code: "archive_unreadable", exitCode: ExitCode.failed });
    const aFolder = verifyArchive(folder());
    await expect(aFolder).rejects.toMatchObject({ code: "archive_unreadable", exitCode: ExitCode.failed });
  });

  test("an archive that holds nothing", async () => {
    const path = join(folder(), "x.zip");
    writeFileSync(path, centralDirectory([]));
    expect((await failure(path)).message).toBe(`${path} is not sound: it holds no file`);
  });
});

/** An archive of one entry, with a CSV of two lines in it. */
function oneEntry(change: (entry: ZipEntry) => ZipEntry, behind = ""): string {
  const csv = Buffer.from("id\n1\n");
  const packed = Buffer.concat([deflateRawSync(csv), Buffer.from(behind)]);
  const sizes = { crc: crc32(csv), bytes: csv.length, packedBytes: packed.length };
  const entry = change({ name: "x.csv", method: Method.deflate, ...sizes });
  const path = join(folder(), "x.zip");
  writeFileSync(path, Buffer.concat([localHeader(entry), packed, centralDirectory([entry])]));
  return path;
}

describe("an entry without a manifest", () => {
  test("is sound as it is", async () => {
    expect((await verifyArchive(oneEntry((entry) => entry))).files).toMatchObject([
      { name: "x.csv", rows: 1 },
    ]);
  });

  test.each(["../x.csv", "/x.csv", "a\\b.csv", "\u001b[2Jok.csv", "x\n.csv", ""])(
    "called %p",
    async (name) => {
      const { message } = await failure(oneEntry((entry) => ({ ...entry, name })));
      expect(message).toContain("a name in it that no export has");
    },
  );

  test("with bytes behind the end of its rows", async () => {
    expect((await failure(oneEntry((entry) => entry, "hidden"))).message).toContain("6 bytes follow its end");
  });

  test("that inflates to more than the directory says is left at once", async () => {
    const zeros = deflateRawSync(Buffer.alloc(16 * 1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH });
    const packed = Buffer.concat([...Array(256).fill(zeros), DEFLATE_END]);
    const entry = { name: "x.csv", method: Method.deflate, crc: 0, bytes: 100, packedBytes: packed.length };
    const path = join(folder(), "x.zip");
    writeFileSync(path, Buffer.concat([localHeader(entry), packed, centralDirectory([entry])]));
    const counted = spyOn(RowCounter.prototype, "count");
    try {
      expect((await failure(path)).message).toContain("its length differs from the directory's");
      expect(counted).toHaveBeenCalledTimes(0);
    } finally {
      counted.mockRestore();
    }
  });

  test("of a length that no number holds", async () => {
    const path = oneEntry((entry) => ({ ...entry, bytes: 2 ** 63 }));
    const bytes = readFileSync(path);
    // The largest of 64 bits, wherever the length stands.
    const zip64 = Buffer.from("0000000000000080", "hex");
    for (let at = bytes.indexOf(zip64); at >= 0; at = bytes.indexOf(zip64)) bytes.fill(0xff, at, at + 8);
    writeFileSync(path, bytes);
    expect((await failure(path)).message).toContain("larger than any disk");
  });
});

/** Takes an archive apart, lets `change` have its way, and puts it together again with correct checksums. */
async function forged(
  change: (csvs: Map<string, string>, manifest: Manifest) => void,
  text?: (manifest: string) => string,
) {
  const path = await archive(true);
  const files = new Map(
    Object.entries(unzipSync(readFileSync(path))).map(([name, b]) => [name, Buffer.from(b).toString()]),
  );
  const manifest = JSON.parse(files.get("manifest.json")!) as Manifest;
  files.delete("manifest.json");
  change(files, manifest);
  const json = JSON.stringify(manifest);
  files.set("manifest.json", text ? text(json) : json);
  const entries = [...files].map(([name, content]) => {
    const bytes = Buffer.from(content);
    const isCsv = name !== "manifest.json";
    const packed = isCsv ? deflateRawSync(bytes) : bytes;
    expect(isCsv ? inflateRawSync(packed) : packed).toEqual(bytes);
    const method = isCsv ? Method.deflate : Method.stored;
    return {
      packed,
      entry: { name, method, crc: crc32(bytes), bytes: bytes.length, packedBytes: packed.length },
    };
  });
  const parts = entries.flatMap(({ packed, entry }) => [localHeader(entry), packed]);
  writeFileSync(path, Buffer.concat([...parts, centralDirectory(entries.map(({ entry }) => entry))]));
  return path;
}

const FIRST = "chain-x-trades-001-000001-000030.csv";
const LAST = "chain-x-trades-002-000031-000040.csv";
const mutable = <T>(value: T) => value as { -readonly [K in keyof T]: T[K] };

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

/** Changes every record and chains them again. */
function chained(manifest: Manifest, change: (record: SegmentRecord) => void): void {
  let previousId = "";
  for (const segment of manifest.segments) {
    mutable(segment.record).previousId = previousId;
    change(segment.record);
    previousId = segmentId(segment.record);
    mutable(segment).id = previousId;
  }
}

describe("a forgery with correct checksums", () => {
  test.each<[string, (csvs: Map<string, string>, manifest: Manifest) => void, string]>([
    [
      "a changed row",
      (csvs) => csvs.set(FIRST, csvs.get(FIRST)!.replace("3,c", "3,x")),
      "the rows of segment 1-10 are not the ones its record names",
    ],
    [
      "a row of the last segment",
      (csvs) => csvs.set(FIRST, csvs.get(FIRST)!.replace("4,d", "4,x")),
      "the rows of segment 21-30",
    ],
    [
      "a row less",
      (csvs) => csvs.set(FIRST, csvs.get(FIRST)!.replace("4,d\n", "")),
      "it has fewer rows than its segments",
    ],
    [
      "a row more",
      (csvs) => csvs.set(FIRST, `${csvs.get(FIRST)!}9,z\n`),
      "it has more rows than its segments",
    ],
    [
      "another first line",
      (csvs) => csvs.set(FIRST, csvs.get(FIRST)!.replace("id,text", "no,text")),
      "its first line is not the one",
    ],
    ["a file less", (csvs) => csvs.delete(FIRST), "the archive has 1 CSV files, the manifest lists 2"],
    [
      "another record",
      (_, m) => (mutable(m.segments[1]!.record).to = 21),
      "segment 11-21: its record does not hash to its id",
    ],
    [
      "a record of another chain of segments",
      (_, m) => {
        const segment = mutable(m.segments[2]!);
        mutable(segment.record).previousId = "00";
        segment.id = segmentId(segment.record);
      },
      "segment 21-30: it does not name segment 11-20 as the one before",
    ],
    [
      "a segment left out",
      (_, m) => {
        (m.segments as unknown[]).splice(1, 1);
      },
      "segment 21-30: it does not name segment 1-10 as the one before",
    ],
    ["another range", (_, m) => (mutable(m).from = 2), "its range or chain is not that of its segments"],
    ["another hash of the file", (_, m) => (mutable(m.files[0]!).sha256 = "00"), `${FIRST}: its SHA-256`],
    ["another number of rows", (_, m) => (mutable(m.files[0]!).rows = 5), `${FIRST}: its `],
    [
      "rows counted otherwise",
      (_, m) => (mutable(m.segments[0]!).rows = 4),
      "the number of rows of segment 1-10 is not 4",
    ],
    [
      "the first file alone, whole",
      (csvs, m) => {
        csvs.delete(LAST);
        (m.files as unknown[]).pop();
        mutable(m.files[0]!).packedSha256 = sha256(deflateRawSync(csvs.get(FIRST)!));
      },
      "no file holds the rows of segment 31-40",
    ],
    [
      "another archive's name",
      (_, m) => (mutable(m).archive = "chain-x-trades-000001-000050.zip"),
      "the name of the archive in it",
    ],
    [
      "a chain that is not a text",
      (_, m) => {
        mutable(m as { chainId: unknown }).chainId = 5;
        chained(m, (record) => (mutable(record as { chainId: unknown }).chainId = 5));
      },
      "members are missing",
    ],
    [
      "heights that are no numbers",
      (_, m) => chained(m, (record) => (mutable(record as { from: unknown }).from = "\u001b[2J")),
      "members are missing",
    ],
    ["no files", (_, m) => (mutable(m).files = []), "it lists nothing"],
    ["an unknown format", (_, m) => (mutable(m as { format: string }).format = "x"), "unknown format 'x'"],
  ])("%s", async (_, change, sentence) => {
    expect((await failure(await forged(change))).message).toContain(sentence);
  });

  test("deflated again by another program: the rows are the same, the archive is not", async () => {
    const { message } = await failure(await forged(() => {}));
    expect(message).toContain("its SHA-256 as it lies in the archive is not the one in the manifest");
  });

  test.each([
    "",
    "{",
    "null",
    "[]",
    '{"format":"lyra-history-manifest-1"}',
    '{"format":"lyra-history-manifest-1","files":[{}],"segments":[{}]}',
  ])("a manifest that is %p", async (json) => {
    await failure(
      await forged(
        () => {},
        () => json,
      ),
    );
  });
});
