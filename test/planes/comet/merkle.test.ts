// Hashes of a header, against values of public chains and of the definition.
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  absentCommitHash,
  consensusHash,
  dataHash,
  merkleRoot,
  resultsHash,
} from "../../../src/planes/comet/merkle.ts";

const sha = (...parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest();
const leaf = (bytes: Uint8Array) => sha(Buffer.of(0), bytes);
const inner = (left: Uint8Array, right: Uint8Array) => sha(Buffer.of(1), left, right);
const upper = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex").toUpperCase();

test("of nothing it is the hash of nothing, as every empty block of the engine has it", () => {
  expect(merkleRoot([])).toBe("E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855");
});

test("the hash of the engine's default limits", () => {
  expect(consensusHash({ bytesMax: 22_020_096 })).toBe(
    "048091BC7DDC283F77BFBF91D73C44DA58C3DF8A9CBC867405D8B7F3DAADA22F",
  );
});

test("of one to five leaves", () => {
  const [a, b, c, d, e] = [1, 2, 3, 4, 5].map((byte) => Buffer.of(byte)) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ];
  const two = inner(leaf(a), leaf(b));
  expect(merkleRoot([a])).toBe(upper(leaf(a)));
  expect(merkleRoot([a, b])).toBe(upper(two));
  expect(merkleRoot([a, b, c])).toBe(upper(inner(two, leaf(c))));
  expect(merkleRoot([a, b, c, d, e])).toBe(upper(inner(inner(two, inner(leaf(c), leaf(d))), leaf(e))));
  expect(dataHash([a])).toBe(upper(leaf(sha(a))));
});

test("results count by code and data alone", () => {
  const data = Buffer.from("no");
  expect(resultsHash([{ code: 0, data: Buffer.alloc(0) }])).toBe(upper(leaf(Buffer.alloc(0))));
  const encoded = Buffer.of(8, 70, 18, 2, ...data);
  expect(resultsHash([{ code: 70, data }])).toBe(upper(leaf(encoded)));
  // Of a signature that is absent: its flag, and the time of nothing.
  expect(absentCommitHash()).toHaveLength(64);
});
