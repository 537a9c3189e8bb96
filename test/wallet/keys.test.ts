// Recovery phrases, derivation, and the vectors of docs/protocol/50-wallet-keystore.md#57-test-vectors.
import { describe, expect, test } from "bun:test";
import { HARDENED, VegaWallet } from "@vegaprotocol/crypto";
import fc from "fast-check";
import { slip10Child, slip10Descendant, slip10Root } from "../../src/crypto/slip10.ts";
import {
  deriveKey,
  KEY_INDEX_MAX,
  newRecoveryPhrase,
  readRecoveryPhrase,
  seedOf,
  walletId,
  walletNode,
} from "../../src/wallet/keys/derivation.ts";
import { withNewKey } from "../../src/wallet/keys/wallet-data.ts";
import { runs } from "../support/seed.ts";
import { failureOf } from "./support/failures.ts";
import {
  KEYS,
  NODE,
  NODE_BASE64,
  PHRASE,
  ROOT,
  SEED,
  SHORT_ID,
  SHORT_PHRASE,
  SHORT_V1_KEY,
  SHORT_V2_KEY,
  WALLET_ID,
} from "./support/vectors.ts";
import { hex, randomBytes } from "./support/wallets.ts";

const seed = await seedOf(PHRASE);
const node = walletNode(seed);

describe("SLIP-0010 for Ed25519", () => {
  // SLIP-0010, "Test vector 1 for ed25519": the seed, and key and chain code along m/0'/1'/2'/2'/1000000000'.
  const root = slip10Root(Buffer.from("000102030405060708090a0b0c0d0e0f", "hex"));
  test.each([
    [
      [],
      "2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e790046a93de5380a72b5e45010748567d5ea02bbf6522f979e05c0d8d8ca9fffb",
    ],
    [
      [0],
      "68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a38b59aa11380b624e81507a27fedda59fea6d0b779a778918a2fd3590e16e9c69",
    ],
    [
      [0, 1, 2, 2, 1_000_000_000],
      "8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e879368789923a0cac2cd5a29172a475fe9e0fb14cd6adb5ad98a3fa70333e7afa230",
    ],
  ])("m/%p", (path, expected) => {
    expect(hex(slip10Descendant(root, path))).toBe(expected);
  });

  test.each([-1, 0.5, 2 ** 31, Number.NaN])("index %p is refused", (index) => {
    expect(() => slip10Child(root, index)).toThrow("index must be");
  });

  test("seeds and nodes have their lengths", () => {
    expect(() => slip10Root(new Uint8Array(15))).toThrow("seed must be 16 to 64 bytes, is 15");
    expect(() => slip10Child(new Uint8Array(63), 0)).toThrow("node must be 64 bytes");
  });
});

describe("the vectors' phrase", () => {
  test("seed, root and node", () => {
    expect(hex(seed)).toBe(SEED);
    expect(hex(slip10Root(seed))).toBe(ROOT);
    expect(hex(node)).toBe(NODE);
    expect(Buffer.from(node).toString("base64")).toBe(NODE_BASE64);
    expect(walletId(node)).toBe(WALLET_ID);
  });

  test.each(KEYS)("version %i, key %i is %s", (version, index, publicKey, secret) => {
    const key = deriveKey(node, version, index);
    expect([key.index, key.publicKey, hex(key.seed)]).toEqual([index, publicKey, secret]);
  });

  test("twelve words", async () => {
    const short = walletNode(await seedOf(readRecoveryPhrase(SHORT_PHRASE)));
    expect(walletId(short)).toBe(SHORT_ID);
    expect(deriveKey(short, 2, 1).publicKey).toBe(SHORT_V2_KEY);
    expect(deriveKey(short, 1, 1).publicKey).toBe(SHORT_V1_KEY);
  });

  test("the network's public package derives the same", async () => {
    const theirs = await VegaWallet.fromMnemonic(PHRASE);
    expect(WALLET_ID).toBe(String(await (theirs as { readonly id?: unknown }).id));
    for (const index of [1, 2, 50]) {
      const pair = await theirs.keyPair(HARDENED + index);
      expect(deriveKey(node, 2, index).publicKey).toBe(pair.publicKey.toString());
    }
  });
});

describe("recovery phrases", () => {
  test("a new one has 24 words and is another each time", () => {
    const phrases = [1, 2, 3].map(() => newRecoveryPhrase(randomBytes));
    for (const phrase of phrases) {
      expect(phrase.split(" ")).toHaveLength(24);
      expect(readRecoveryPhrase(phrase)).toBe(phrase);
    }
    expect(new Set(phrases).size).toBe(3);
  });

  test("the first vectors of BIP-39", () => {
    // BIP-39, "Test vectors": 32 bytes of zero, and of 7f.
    expect(newRecoveryPhrase((length) => new Uint8Array(length))).toBe(`${"abandon ".repeat(23)}art`);
    expect(newRecoveryPhrase((length) => new Uint8Array(length).fill(0x7f))).toBe(
      "legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth title",
    );
  });

  test("whitespace of any kind is one blank", () => {
    expect(readRecoveryPhrase(`\n ${PHRASE.replaceAll(" ", "\t\r\n ")}  \u00a0`)).toBe(PHRASE);
  });

  const words = PHRASE.split(" ");
  test.each([
    ["no words", "", "it has 0 words"],
    ["23 words", words.slice(1).join(" "), "it has 23 words"],
    [
      "a stray word",
      [...words.slice(0, 6), "secretword", ...words.slice(7)].join(" "),
      "word 7 is not on the list",
    ],
    ["capitals", PHRASE.replace("swing", "Swing"), "word 1 is not on the list"],
    ["another order", [words[1], words[0], ...words.slice(2)].join(" "), "its checksum is wrong"],
  ])("%s is refused, and not repeated", async (_, text, hint) => {
    const error = await failureOf(() => readRecoveryPhrase(text));
    expect([error.code, error.message]).toEqual([
      "recovery_phrase_invalid",
      "the recovery phrase is not valid",
    ]);
    expect(error.hint).toContain(hint);
    expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain("secretword");
  });

  test("every phrase of every length is read back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (entropy) => {
        const phrase = newRecoveryPhrase(() => Uint8Array.from(entropy));
        expect(readRecoveryPhrase(phrase)).toBe(phrase);
      }),
      { numRuns: runs(50) },
    );
  });
});

test("a wallet whose last key is the last one there is gets no other", async () => {
  const [key] = withNewKey({ version: 2, id: WALLET_ID, node, keys: [], permissions: new Map() }).keys;
  for (const index of [KEY_INDEX_MAX, 2 ** 31 - 1, Number.MAX_SAFE_INTEGER]) {
    const wallet = {
      version: 2,
      id: WALLET_ID,
      node,
      keys: [{ ...key!, index }],
      permissions: new Map(),
    } as const;
    expect((await failureOf(() => withNewKey(wallet))).code).toBe("keys_full");
    expect(withNewKey({ ...wallet, keys: [{ ...key!, index: KEY_INDEX_MAX - 1 }] }).keys[1]!.index).toBe(
      KEY_INDEX_MAX,
    );
  }
});
