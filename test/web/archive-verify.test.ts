// The check of an archive with a browser's functions: the same verdicts as the executable's, and the comparison with a node.
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { exportChunks } from "../../src/history/export.ts";
import { planExport } from "../../src/history/export-plan.ts";
import { verifyArchive } from "../../src/history/verify.ts";
import { centralDirectory, localHeader, Method } from "../../src/history/zip.ts";
import { compareWithNode, type NodeSegment, verifyFile } from "../../src/web/views/archive-verify.ts";
import { collect, folder, makeSegments, removeFolders } from "../history/fixtures.ts";

afterAll(removeFolders);

const SEGMENTS = [
  { from: 1, to: 10, lines: ["1,a", '2,"line\nfeed"', "3,c"] },
  { from: 11, to: 20, lines: [] },
  { from: 21, to: 30, lines: [`4,${"d".repeat(200_000)}`] },
  { from: 31, to: 40, lines: ["5,e,x"], version: 2, header: "id,text,testref" },
];

async function archive(manifest = true) {
  const directory = folder();
  const rows = await makeSegments(directory, SEGMENTS);
  const plan = await planExport(directory, rows, { table: 6, from: 1n, to: 40n, manifest });
  const bytes = await collect(exportChunks(plan));
  const path = join(folder(), plan.name);
  await Bun.write(path, bytes);
  const segments: NodeSegment[] = rows.map(({ id, from, to, chainId }) => ({ id, from, to, chainId }));
  return { path, bytes, segments };
}

const verify = (bytes: Uint8Array, onProgress: (part: number) => void = () => {}) =>
  verifyFile(new Blob([new Uint8Array(bytes)]), new AbortController().signal, onProgress);

describe("an archive in a browser", () => {
  test("that is sound gives what the executable gives, and its progress ends at the whole", async () => {
    for (const manifest of [true, false]) {
      const { path, bytes } = await archive(manifest);
      const parts: number[] = [];
      expect(await verify(bytes, (part) => parts.push(part))).toEqual(await verifyArchive(path));
      expect(Math.max(...parts)).toBe(1);
    }
  });

  test("with a changed byte is damaged, and says where as the executable does", async () => {
    const { bytes, path } = await archive();
    const text = Buffer.from(bytes);
    const manifest = text.indexOf("manifest.json");
    for (const at of [2, 120, manifest + 200, bytes.length - 30]) {
      const broken = Uint8Array.from(bytes);
      broken[at]! ^= 0x04;
      await Bun.write(path, broken);
      const here = await verifyArchive(path).then(
        () => "sound",
        (error) => (error as Error).message.replace(`${path} is not sound: `, ""),
      );
      const there = await verify(broken).then(
        () => "sound",
        (error) => (error as Error).message,
      );
      // Inflaters have words of their own.
      const plain = (words: string) => words.replace(/(the compressed data is damaged).*/, "$1");
      expect(plain(there)).toBe(plain(here));
      expect(there).not.toBe("sound");
    }
  });

  test("that is cut off, or holds bytes behind the end of its rows, is damaged", async () => {
    const { bytes } = await archive();
    await expect(verify(bytes.subarray(0, bytes.length - 5))).rejects.toThrow("not a complete ZIP archive");
    await expect(verify(bytes.subarray(0, 10))).rejects.toThrow("not a complete ZIP archive");
    const csv = Buffer.from("id\n1\n");
    for (const [behind, verdict] of [
      ["", "sound"],
      ["hidden", "x.csv: the compressed data is damaged"],
    ] as const) {
      const packed = Buffer.concat([deflateRawSync(csv), Buffer.from(behind)]);
      const sizes = { crc: crc32(csv), bytes: csv.length, packedBytes: packed.length };
      const entry = { name: "x.csv", method: Method.deflate, ...sizes };
      const whole = Buffer.concat([localHeader(entry), packed, centralDirectory([entry])]);
      const text = await verify(whole).then(
        () => "sound",
        (error) => (error as Error).message,
      );
      expect(text).toStartWith(verdict);
    }
  });

  test("is left when it is called off", async () => {
    const { bytes } = await archive();
    const abort = new AbortController();
    const check = verifyFile(new Blob([new Uint8Array(bytes)]), abort.signal, () => abort.abort());
    await expect(check).rejects.toThrow(/abort/i);
  });
});

describe("against the node's segments", () => {
  test("the same ids are the same rows", async () => {
    const { bytes, segments } = await archive();
    const more = { id: "ff", from: 41, to: 50, chainId: "chain-x" };
    expect(compareWithNode(await verify(bytes), [...segments, more])).toEqual({
      verdict: "same",
      segments: 4,
    });
  });

  test("another id names the blocks of the first difference", async () => {
    const { bytes, segments } = await archive();
    const archived = await verify(bytes);
    const other = segments.map((segment, n) => (n >= 2 ? { ...segment, id: "ab".repeat(32) } : segment));
    expect(compareWithNode(archived, other)).toMatchObject({
      verdict: "different",
      from: 21,
      to: 30,
      here: segments[2]!.id,
      there: "ab".repeat(32),
    });
    const longer = { ...segments[0]!, to: 20 };
    expect(compareWithNode(archived, [longer, ...segments.slice(2)])).toMatchObject({ verdict: "different" });
  });

  test("a node of another chain differs, and one without these blocks cannot say", async () => {
    const { bytes, segments } = await archive();
    const archived = await verify(bytes);
    const foreign = segments.map((segment) => ({ ...segment, chainId: "other" }));
    expect(compareWithNode(archived, foreign)).toEqual({
      verdict: "different",
      text: "The archive is of the chain chain-x, the node of other.",
    });
    expect(compareWithNode(archived, []).verdict).toBe("unknown");
    expect(compareWithNode(archived, segments.slice(1)).verdict).toBe("unknown");
    expect(compareWithNode(archived, segments.toSpliced(1, 1)).verdict).toBe("unknown");
    expect(compareWithNode(await verify((await archive(false)).bytes), segments).verdict).toBe("unknown");
  });
});
