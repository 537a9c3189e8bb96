// The primitives under transactions, against published vectors and a second implementation.
import { describe, expect, test } from "bun:test";
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { sha3_256 } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { ed25519KeyPair, ed25519Verify, ed25519VerifyAsync } from "../../src/crypto/ed25519.ts";
import { keccakOf } from "../../src/crypto/secp256k1.ts";
import { SHA3_256_BYTES, sha3HexOf, sha3Of, sha256HexOf } from "../../src/crypto/sha.ts";
import { IS_FULL_LENGTH, runs } from "../support/seed.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const ofHex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));

describe("digests", () => {
  test("of nothing (FIPS 202, FIPS 180-4, and Keccak before it was SHA-3)", () => {
    const nothing = new Uint8Array();
    expect(hex(sha3Of(nothing))).toBe("a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a");
    expect(sha256HexOf(nothing)).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(hex(keccakOf(nothing))).toBe("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
  });

  test("agree with a second implementation", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        expect(hex(sha3Of(bytes))).toBe(hex(sha3_256(bytes)));
        expect(sha3HexOf(bytes)).toBe(hex(sha3_256(bytes)));
        expect(sha3Of(bytes).length).toBe(SHA3_256_BYTES);
        expect(sha256HexOf(bytes)).toBe(hex(sha256(bytes)));
      }),
    );
  });
});

describe("Ed25519", () => {
  /** RFC 8032, section 7.1, tests 1 and 2. */
  const VECTORS = [
    {
      seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      message: "",
      signature:
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    },
    {
      seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      message: "72",
      signature:
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    },
  ];
  test.each(VECTORS)("vector of RFC 8032: $seed", ({ seed, publicKey, message, signature }) => {
    const pair = ed25519KeyPair(ofHex(seed));
    expect(hex(pair.publicKey)).toBe(publicKey);
    expect(hex(pair.sign(ofHex(message)))).toBe(signature);
    expect(ed25519Verify(pair.publicKey, ofHex(message), ofHex(signature))).toBe(true);
  });

  const pair = ed25519KeyPair(new Uint8Array(32).fill(3));
  const message = new Uint8Array(32).fill(4);
  const signature = pair.sign(message);

  test("any turned bit of key, message or signature is seen", () => {
    for (const [index, bytes] of [pair.publicKey, message, signature].entries()) {
      for (let bit = 0; bit < bytes.length * 8; bit += 7) {
        const parts = [pair.publicKey, message, signature].map((part) => part.slice());
        parts[index]![bit >> 3]! ^= 1 << (bit & 7);
        expect(ed25519Verify(parts[0]!, parts[1]!, parts[2]!)).toBe(false);
      }
    }
  });

  test("the twin of a signature, with the group's order added to S, is refused", () => {
    const order = ed25519.Point.Fn.ORDER;
    const s = BigInt(`0x${hex(signature.slice(32).reverse())}`) + order;
    const twin = ofHex(s.toString(16).padStart(64, "0")).reverse();
    expect(ed25519Verify(pair.publicKey, message, new Uint8Array([...signature.slice(0, 32), ...twin]))).toBe(
      false,
    );
  });

  // Signing for thousands of keys takes seconds.
  if (IS_FULL_LENGTH) {
    test("given more keys than are remembered, then each keeps its own verdicts", () => {
      const message = ofHex("0102");
      const signers = Array.from({ length: 4_200 }, (_, index) => {
        const seed = new Uint8Array(32);
        new DataView(seed.buffer).setUint32(0, index);
        const pair = ed25519KeyPair(seed);
        return { publicKey: pair.publicKey, signature: pair.sign(message) };
      });
      for (const turn of [0, 1]) {
        const good = signers.filter(({ publicKey }, index) =>
          ed25519Verify(publicKey, message, signers[(index + turn) % signers.length]!.signature),
        );
        expect(good.length).toBe(turn === 0 ? signers.length : 0);
      }
    });
  }

  test("lengths: of a signature it is no signature, of a key it is a fault", () => {
    for (const length of [0, 63, 65]) {
      expect(ed25519Verify(pair.publicKey, message, new Uint8Array(length))).toBe(false);
    }
    expect(() => ed25519Verify(new Uint8Array(31), message, signature)).toThrow(
      "ed25519 public key must be 32 bytes, is 31",
    );
    expect(() => ed25519KeyPair(new Uint8Array(64))).toThrow("ed25519 seed must be 32 bytes, is 64");
  });

  test("32 bytes that are no point never crash", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
        expect(ed25519Verify(key, message, signature)).toBe(false);
      }),
      { numRuns: runs(200) },
    );
  });

  test("given many signatures at once on other threads, then each gets its own verdict", async () => {
    const signers = [1, 2, 3, 4, 5].map((fill) => ed25519KeyPair(new Uint8Array(32).fill(fill)));
    // Every third one is not signed by its key, every seventh is cut short.
    const claims = Array.from({ length: 700 }, (_, index) => {
      const message = new Uint8Array(32).fill(index & 255);
      const signer = signers[index % signers.length]!;
      const { publicKey } = index % 3 === 0 ? signers[(index + 1) % signers.length]! : signer;
      const signature = signer.sign(message).subarray(0, index % 7 === 0 ? 63 : 64);
      return { publicKey, message, signature, isValid: index % 3 !== 0 && index % 7 !== 0 };
    });
    const verdicts = await Promise.all(
      claims.map(({ publicKey, message, signature }) => ed25519VerifyAsync(publicKey, message, signature)),
    );
    expect(verdicts).toEqual(claims.map(({ isValid }) => isValid));
  });
});
