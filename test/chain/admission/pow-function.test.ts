// The proof-of-work function: the vectors and the edge cases of docs/protocol/40-pow-spam.md#1-the-proof-of-work-function.
import { describe, expect, spyOn, test } from "bun:test";
import { sha3_256 } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import {
  leadingZeroBits,
  preimagePrefix,
  proofHash,
  verifyProof,
} from "../../../src/chain/admission/pow/function.ts";
import { KERNEL } from "../../../src/chain/admission/pow/kernel.generated.ts";
import {
  CHUNK,
  HasherSearch,
  KernelSearch,
  kernelFits,
  openSearch,
} from "../../../src/chain/admission/pow/nonce-search.ts";
import { runs } from "../../support/seed.ts";
import { VECTORS, vector } from "./pow-vectors.ts";

const PREFIX = "Vega_SPAM_PoW";
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

function nobleHash(blockHash: string, tid: string, nonce: bigint): Uint8Array {
  const last = Buffer.alloc(8);
  last.writeBigUInt64BE(nonce);
  return sha3_256(Buffer.concat([Buffer.from(PREFIX + blockHash + tid), last]));
}

/** The slow and plain way: the first nonce from `start` on with this many zero bits. */
function nobleSearch(blockHash: string, tid: string, difficulty: number, start: bigint, count: number) {
  for (let nonce = start; nonce < start + BigInt(count); nonce++) {
    if (leadingZeroBits(nobleHash(blockHash, tid, nonce)) >= difficulty) return nonce;
  }
  return undefined;
}

// docs/protocol/40-pow-spam.md#13-test-vectors.
describe("vectors", () => {
  test.each(VECTORS.map((entry) => [entry.number, entry] as const))("%d", (_, entry) => {
    const { hash, bits, firstFor } = entry;
    expect(hex(proofHash(entry))).toBe(hash);
    expect(hex(nobleHash(entry.blockHash, entry.tid, entry.nonce))).toBe(hash);
    expect(leadingZeroBits(proofHash(entry))).toBe(bits);
    expect(verifyProof(entry, bits)).toBe(bits);
    expect(verifyProof(entry, bits + 1)).toBeUndefined();
    if (firstFor === undefined) return;
    const search = openSearch(entry, firstFor);
    expect(search.search(0n, 1 << 17)).toBe(entry.nonce);
    expect(search.search(0n, Number(entry.nonce))).toBeUndefined();
  });
});

// docs/protocol/40-pow-spam.md#12-search-and-verification-edge-cases.
describe("edge cases", () => {
  const good = vector(5);
  test.each([
    ["a difficulty beyond the hash", { ...good }, 257, "sha3_24_rounds"],
    ["no tid", { ...good, tid: "" }, 0, "sha3_24_rounds"],
    ["a block hash that is too short", { ...good, blockHash: good.blockHash.slice(1) }, 0, "sha3_24_rounds"],
    [
      "a block hash of 64 characters that are more bytes",
      { ...good, blockHash: "é".repeat(64) },
      0,
      "sha3_24_rounds",
    ],
    ["another function", good, 16, "sha3"],
  ] as const)("%s is no proof", (_, proof, difficulty, name) => {
    expect(verifyProof(proof, difficulty, name)).toBeUndefined();
  });

  test("identifiers of any text and length are hashed as UTF-8", () => {
    const letter = fc.constantFrom("7", "f", "\u00df", "\u20ac", "\ud83d\ude00", "\ud800");
    const tids = fc.string({ unit: letter, minLength: 1, maxLength: 400 });
    const blockHash = "d".repeat(64);
    fc.assert(
      fc.property(tids, fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (tid, nonce) => {
        expect(hex(proofHash({ blockHash, tid, nonce }))).toBe(hex(nobleHash(blockHash, tid, nonce)));
      }),
    );
  });

  test("difficulty 0 is met by any nonce", () => {
    expect(verifyProof({ ...good, nonce: 2n ** 64n - 1n }, 0)).toBeNumber();
  });

  test("difficulty 256 asks for 256 bits, and for none by the rules of 0.71.6", () => {
    expect(verifyProof(good, 256)).toBeUndefined();
    expect(verifyProof(good, 256, "sha3_24_rounds", "0.71.6")).toBe(20);
  });
});

describe("the search", () => {
  const text = (length: number) => "t".repeat(length);

  test("the kernel serves 128 of 136 lengths, among them the usual one", () => {
    const served = Array.from({ length: 136 }, (_, length) => kernelFits(length)).filter(Boolean);
    expect(served.length).toBe(128);
    expect(openSearch(vector(5), 1).engine).toBe("kernel");
    // 77 + 51 bytes: the nonce ends with the block, so the padding needs another.
    expect(openSearch({ ...vector(5), tid: text(51) }, 1).engine).toBe("hasher");
  });

  test("all lengths of identifiers: kernel and hasher find what noble finds", () => {
    for (let length = 1; length <= 200; length++) {
      const input = { blockHash: vector(5).blockHash, tid: text(length) };
      const expected = nobleSearch(input.blockHash, input.tid, 5, 0n, 256);
      expect(openSearch(input, 5).search(0n, 256)).toBe(expected);
    }
  });

  test("random inputs: kernel, hasher and noble agree", () => {
    const blockHash = fc.string({
      unit: fc.constantFrom(..."0123456789abcdef"),
      minLength: 64,
      maxLength: 64,
    });
    const start = fc.bigInt({ min: 0n, max: 2n ** 63n - 1000n });
    fc.assert(
      fc.property(
        blockHash,
        fc.string({ minLength: 1, maxLength: 90, unit: "grapheme" }),
        start,
        fc.integer({ min: 0, max: 8 }),
        fc.integer({ min: 1, max: 99 }),
        (hash, tid, from, difficulty, count) => {
          const input = { blockHash: hash, tid };
          const prefix = preimagePrefix(input);
          const expected = nobleSearch(hash, tid, difficulty, from, count);
          expect(new HasherSearch(prefix, difficulty).search(from, count)).toBe(expected);
          if (kernelFits(prefix.length)) {
            expect(new KernelSearch(input, prefix, difficulty).search(from, count)).toBe(expected);
          }
        },
      ),
      { numRuns: runs(150) },
    );
  });

  test("nonces beyond 2^32 and up to the end of the numbers are hashed whole", () => {
    for (const from of [2n ** 32n - 3n, 2n ** 40n - 3n, 2n ** 56n - 3n, 2n ** 63n - 64n, 2n ** 64n - 65n]) {
      const { blockHash, tid } = vector(5);
      expect(openSearch({ blockHash, tid }, 4).search(from, 64)).toBe(
        nobleSearch(blockHash, tid, 4, from, 64),
      );
    }
  });

  test("no nonce is left out or made up where the first bits change, in a search and between two", () => {
    const { blockHash, tid } = vector(5);
    const search = openSearch({ blockHash, tid }, 2);
    const isGood = (nonce: bigint) => nobleSearch(blockHash, tid, 2, nonce, 1) !== undefined;
    for (const turn of [2n ** 40n, 3n * 2n ** 40n, 2n ** 63n]) {
      const nonces = Array.from({ length: 60 }, (_, n) => turn - 30n + BigInt(n));
      expect(nonces.filter((nonce) => search.search(nonce, 1) === nonce)).toEqual(nonces.filter(isGood));
      for (let count = 1; count <= 9; count++) {
        for (const from of nonces.slice(20, 40)) {
          const expected = nobleSearch(blockHash, tid, 2, from, count);
          expect(search.search(from, count)).toBe(expected);
        }
      }
    }
  });

  test("searches that take turns do not disturb each other, and another one costs next to nothing", () => {
    const { blockHash } = vector(5);
    const tids = Array.from({ length: 3_000 }, (_, n) => n.toString(16).padStart(64, "0"));
    // Each search on one instance of WebAssembly: three thousand of them took half a minute.
    const instances = spyOn(WebAssembly, "Instance");
    const searches = tids.map((tid) => openSearch({ blockHash, tid }, 6));
    const nonces = searches.map((search) => search.search(0n, 3));
    for (let from = 3n; nonces.includes(undefined); from += 3n) {
      for (const [n, search] of searches.entries()) nonces[n] ??= search.search(from, 3);
    }
    expect(instances.mock.calls.length).toBeLessThanOrEqual(1);
    instances.mockRestore();
    for (let n = 0; n < tids.length; n += 100) {
      expect(nonces[n]).toBe(nobleSearch(blockHash, tids[n]!, 6, 0n, Number(nonces[n]) + 1));
    }
  });

  test("difficulties beyond what the kernel looks at are settled by the whole hash", () => {
    expect(openSearch(vector(5), 65).search(0n, CHUNK)).toBeUndefined();
  });
});

test("the kernel is what its generator writes", async () => {
  const check = Bun.spawnSync([
    process.execPath,
    `${import.meta.dir}/../../../scripts/generate-pow-kernel.ts`,
    "--check",
  ]);
  expect(check.exitCode).toBe(0);
  expect(Buffer.from(KERNEL, "base64").subarray(0, 4).toString("latin1")).toBe("\0asm");
});
