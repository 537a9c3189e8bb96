// The container: CRCs of joined pieces, deflate pieces, ZIP and ZIP64 framing (PKWARE APPNOTE 6.3).
import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { crc32, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { unzipSync } from "fflate";
import { crc32Combine, DEFLATE_END, deflatePiece, storedPiece } from "../../src/history/deflate.ts";
import { entryStream } from "../../src/history/entry-stream.ts";
import {
  type ArchiveSource,
  archiveBytes,
  centralDirectory,
  localHeader,
  Method,
  readDirectory,
  type ZipEntry,
} from "../../src/history/zip.ts";
import { folder, program, removeFolders, run } from "./fixtures.ts";

afterAll(removeFolders);

describe("CRC-32 of joined pieces", () => {
  test("is the CRC-32 of the whole", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (pieces) => {
        const joined = pieces.reduce((crc, piece) => crc32Combine(crc, crc32(piece), piece.length), 0);
        expect(joined).toBe(crc32(Buffer.concat(pieces)));
      }),
    );
  });

  test("for lengths that no buffer has: zeros appended in two steps or in one", () => {
    const large = fc.integer({ min: 0, max: 2 ** 52 });
    fc.assert(
      fc.property(fc.nat(0xffffffff), large, large, (crc, a, b) => {
        expect(crc32Combine(crc32Combine(crc, 0, a), 0, b)).toBe(crc32Combine(crc, 0, a + b));
      }),
    );
    expect(() => crc32Combine(1, 2, -1)).toThrow(RangeError);
    expect(() => crc32Combine(1, 2, 0.5)).toThrow(RangeError);
  });
});

test("deflate pieces join to one stream, stored and compressed ones mixed", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 2000 })), (pieces) => {
      const packed = pieces.map((piece, i) => (i % 2 === 0 ? storedPiece(piece) : deflatePiece(piece)));
      expect(inflateRawSync(Buffer.concat([...packed, DEFLATE_END]))).toEqual(Buffer.concat(pieces));
    }),
  );
  expect(deflatePiece(new Uint8Array(0))).toHaveLength(0);
  expect(() => storedPiece(new Uint8Array(65_536))).toThrow(RangeError);
});

/** An archive of small texts. */
function archive(texts: Readonly<Record<string, string>>): Buffer {
  const entries: ZipEntry[] = [];
  const parts: Uint8Array[] = [];
  for (const [name, content] of Object.entries(texts)) {
    const bytes = Buffer.from(content);
    const packed = Buffer.concat([deflatePiece(bytes), DEFLATE_END]);
    const entry = {
      name,
      method: Method.deflate,
      crc: crc32(bytes),
      bytes: bytes.length,
      packedBytes: packed.length,
    };
    entries.push(entry);
    parts.push(localHeader(entry), packed);
  }
  const zip = Buffer.concat([...parts, centralDirectory(entries)]);
  expect(zip.length).toBe(archiveBytes(entries));
  return zip;
}

const TEXTS = { "a.csv": "id\n1\n", "empty.csv": "", "b.csv": `name\n${"x".repeat(100_000)}\n` };

describe("an archive", () => {
  test("is read by fflate", () => {
    const read = unzipSync(archive(TEXTS));
    expect(
      Object.fromEntries(Object.entries(read).map(([name, bytes]) => [name, Buffer.from(bytes).toString()])),
    ).toEqual(TEXTS);
  });

  test("is accepted by unzip and by Python", async () => {
    const path = join(folder(), "x.zip");
    await Bun.write(path, archive(TEXTS));
    const unzip = program("unzip");
    if (unzip) expect(run([unzip, "-t", path])).toContain("No errors detected");
    const python = program("python3");
    if (!python) return;
    const script =
      "import json,sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);print(json.dumps([z.testzip(),{n:z.read(n).decode() for n in z.namelist()}]))";
    expect(JSON.parse(run([python, "-c", script, path]))).toEqual([null, TEXTS]);
  });

  test("has the same bytes each time", () => {
    expect(archive(TEXTS)).toEqual(archive(TEXTS));
  });
});

async function sourceOf(file: FileHandle): Promise<ArchiveSource> {
  const read = async (offset: number, length: number) => {
    const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, offset);
    expect(bytesRead).toBe(length);
    return buffer;
  };
  return { size: (await file.stat()).size, read };
}

test.each([22, 98])(
  "an end record that names a directory far before it is refused unread (%p bytes)",
  async (bytes) => {
    const size = 40 * 1024 ** 3;
    const tail = Buffer.from(centralDirectory([]));
    expect(tail).toHaveLength(22);
    if (bytes === 98) tail.writeUInt32LE(0xffff_ffff, 16);
    const wide = Buffer.alloc(76);
    wide.writeUInt32LE(0x0606_4b50, 0);
    wide.writeUInt32LE(0x0706_4b50, 56);
    const end = bytes === 98 ? Buffer.concat([wide, tail]) : tail;
    let most = 0;
    const source: ArchiveSource = {
      size,
      async read(offset, length) {
        most = Math.max(most, length);
        if (length > 1024) throw new Error(`${length} bytes in one read`);
        return end.subarray(offset - (size - end.length), offset - (size - end.length) + length);
      },
    };
    await expect(readDirectory(source)).rejects.toThrow("its directory is damaged");
    expect(most).toBeLessThan(100);
  },
);

describe("the data of an entry", () => {
  const directoryOf = async (path: string) => {
    await Bun.write(path, archive(TEXTS));
    const file = await open(path);
    const source = await sourceOf(file);
    return { file, source, entries: await readDirectory(source) };
  };

  test("is what a second reader finds behind its header", async () => {
    const { file, source, entries } = await directoryOf(join(folder(), "x.zip"));
    for (const entry of entries) {
      const packed = Buffer.concat(await Array.fromAsync(entryStream(source, entry)));
      expect(inflateRawSync(packed).toString()).toBe(TEXTS[entry.name as keyof typeof TEXTS]);
    }
    await file.close();
  });

  test.each([
    ["name", { name: "c.csv" }],
    ["length", { bytes: 6 }],
    ["packed length", { packedBytes: 3 }],
    ["method", { method: Method.stored }],
    ["place", { offset: 60 }],
  ] as const)("is refused where the second reader finds another %s", async (_, change) => {
    const { file, source, entries } = await directoryOf(join(folder(), "x.zip"));
    const stream = entryStream(source, { ...entries[0]!, ...change });
    await expect(Array.fromAsync(stream)).rejects.toThrow(
      "a second reader of ZIP archives finds another file",
    );
    await file.close();
  });
});

/** Entries as large as one likes: only the framing is written, the data is a hole in the file. */
async function sparse(entries: readonly ZipEntry[]): Promise<string> {
  const path = join(folder(), "large.zip");
  const file = await open(path, "w");
  let position = 0;
  for (const entry of entries) {
    const header = localHeader(entry);
    await file.write(header, 0, header.length, position);
    position += header.length + entry.packedBytes;
  }
  const tail = centralDirectory(entries);
  await file.write(tail, 0, tail.length, position);
  await file.close();
  return path;
}

describe("ZIP64", () => {
  const GIB = 1024 ** 3;
  const entry = (name: string, bytes: number, packedBytes: number): ZipEntry => ({
    name,
    method: Method.deflate,
    crc: 1,
    bytes,
    packedBytes,
  });

  test.each([
    ["nothing is large", [entry("a", 5, 5)], false],
    ["one below the limit", [entry("a", 0xfffffffe, 5)], false],
    ["at the limit", [entry("a", 0xffffffff, 5)], true],
    ["a large text that packs small", [entry("a", 20 * GIB, 5), entry("b", 1, 1)], true],
    ["large both ways", [entry("a", 20 * GIB, 9 * GIB)], true],
    [
      "the second entry lies far out",
      [entry("a", 3 * GIB, 3 * GIB), entry("b", 3 * GIB, 3 * GIB), entry("c", 1, 1)],
      true,
    ],
  ] as const)("%s", async (_, entries, isLarge) => {
    const path = await sparse(entries);
    const file = await open(path);
    const source = await sourceOf(file);
    const read = await readDirectory(source);
    expect((await file.stat()).size).toBe(archiveBytes(entries));
    for (const each of read) {
      const { value } = await entryStream(source, each).next();
      // The first piece of at most a mebibyte.
      expect(value?.length).toBe(Math.min(each.packedBytes, 1024 * 1024 - localHeader(each).length));
    }
    await file.close();
    expect(read.map(({ offset: _offset, ...rest }) => rest)).toEqual([...entries]);
    expect(Buffer.from(centralDirectory(entries)).includes(Buffer.from("PK\x06\x06", "latin1"))).toBe(
      isLarge && archiveBytes(entries) > 0xffffffff,
    );
    const python = program("python3");
    if (!python) return;
    const script =
      "import json,sys,zipfile;print(json.dumps([[i.filename,i.file_size,i.compress_size] for i in zipfile.ZipFile(sys.argv[1]).infolist()]))";
    expect(JSON.parse(run([python, "-c", script, path]))).toEqual(
      entries.map((e) => [e.name, e.bytes, e.packedBytes]),
    );
  });

  test("more entries than 16 bits can count", async () => {
    const entries = Array.from({ length: 65_535 }, (_, i) => entry(`f${i}`, 1, 1));
    const path = join(folder(), "many.zip");
    const data = Buffer.alloc(1);
    writeFileSync(
      path,
      Buffer.concat([...entries.flatMap((e) => [localHeader(e), data]), centralDirectory(entries)]),
    );
    const file = await open(path);
    expect(await readDirectory(await sourceOf(file))).toHaveLength(65_535);
    await file.close();
  });
});
