// Wallet files: the original's format byte by byte, and Lyra's own, whose every bit is watched over.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  checkCost,
  formatOf,
  HEADER_BYTES,
  hasLyraMagic,
  KDF_COST,
  LyraSeal,
  readHeader,
  type ScryptCost,
} from "../../src/wallet/keystore/lyra-seal.ts";
import {
  decodeOriginalBody,
  encodeOriginalBody,
  OriginalSeal,
} from "../../src/wallet/keystore/original-seal.ts";
import { runs } from "../support/seed.ts";
import { codeOf, failureOf } from "./support/failures.ts";
import { ENVELOPE, ISOLATED_FILE, KEY_1, ORIGINAL_FILE, WALLET_ID } from "./support/vectors.ts";
import { bytes, CHEAP, hex, PASSPHRASE, randomBytes } from "./support/wallets.ts";

const WEAK = { allowWeakKdf: true };
const sample = decodeOriginalBody(bytes(ORIGINAL_FILE.plaintext));
const seal = await LyraSeal.create(PASSPHRASE, CHEAP, randomBytes, WEAK);
const file = seal.seal(sample);
const unlock = (content: Uint8Array, passphrase = PASSPHRASE) =>
  LyraSeal.unlock(content, passphrase, randomBytes, WEAK);

/** A copy with one bit turned. */
function flipped(content: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(content);
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}

describe("files of the original", () => {
  test("the envelope made by hand", () => {
    const envelope = new OriginalSeal(bytes(ENVELOPE.passphrase), (length) =>
      Uint8Array.from({ length }, (_, index) => index),
    );
    expect(hex(envelope.encrypt(bytes(ENVELOPE.plaintext)))).toBe(ENVELOPE.hex);
    expect(envelope.decrypt(Buffer.from(ENVELOPE.hex, "hex"))).toEqual(Buffer.from(ENVELOPE.plaintext));
  });

  test.each([
    ["a wallet", ORIGINAL_FILE, false],
    ["an isolated one", ISOLATED_FILE, true],
  ] as const)(
    "%s is opened, and written with the same content",
    (_, { passphrase, base64, plaintext }, isIsolated) => {
      const content = new Uint8Array(Buffer.from(base64, "base64"));
      const opened = OriginalSeal.unlock(content, bytes(passphrase), randomBytes);
      expect(opened.wallet).toMatchObject({ version: 2, id: WALLET_ID, permissions: new Map() });
      expect(opened.wallet.node === undefined).toBe(isIsolated);
      expect(opened.wallet.keys.map(({ publicKey }) => publicKey)).toEqual([KEY_1]);
      expect(Buffer.from(encodeOriginalBody(opened.wallet)).toString()).toBe(plaintext);
      const written = opened.seal.seal(opened.wallet);
      expect(written).toHaveLength(content.length);
      expect(hex(written)).not.toBe(hex(content));
      expect(opened.seal.open(written)).toEqual(opened.wallet);
    },
  );

  test("old ones have no identifier, no permissions and no metadata", () => {
    const old = ORIGINAL_FILE.plaintext
      .replace(/"id":"[^"]+",/, "")
      .replace(',"permissions":{}', "")
      .replace(/"meta":\[[^\]]+\]/, '"meta":null');
    const wallet = decodeOriginalBody(bytes(old));
    expect([wallet.id, wallet.permissions.size, wallet.keys[0]!.metadata]).toEqual([WALLET_ID, 0, []]);
    expect(Buffer.from(encodeOriginalBody(wallet)).toString()).toContain('"meta":null');
  });

  test.each(['"id":"",', '"id":null,'])("a wallet with %s has no identifier", (none) => {
    const old = ORIGINAL_FILE.plaintext.replace(/"id":"[^"]+",/, none);
    expect(decodeOriginalBody(bytes(old)).id).toBe(WALLET_ID);
  });

  test("are written with the escapes that Go writes", () => {
    const metadata = [{ key: "name", value: "<b>&\u2028\b" }];
    const keys = sample.keys.map((key) => ({ ...key, metadata }));
    const written = Buffer.from(encodeOriginalBody({ ...sample, keys })).toString();
    expect(written).toContain('{"key":"name","value":"\\u003cb\\u003e\\u0026\\u2028\\u0008"}');
    expect(decodeOriginalBody(bytes(written)).keys[0]!.metadata).toEqual(metadata);
  });

  test("permissions that do not go with the keys are dropped, and the wallet opens", () => {
    const key = `"allowedKeys":["${KEY_1}"]`;
    const permissions = {
      "good.example": `{"publicKeys":{"access":"read",${key}}}`,
      "all.example": '{"publicKeys":{"access":"read","allowedKeys":null}}',
      "stranger.example": `{"publicKeys":{"access":"read","allowedKeys":["${"ab".repeat(32)}"]}}`,
      "none.example": `{"publicKeys":{"access":"none",${key}}}`,
      "odd.example": '{"publicKeys":{"access":"write","allowedKeys":null}}',
    };
    const text = Object.entries(permissions).map(([hostname, entry]) => `"${hostname}":${entry}`);
    const wallet = decodeOriginalBody(
      bytes(ORIGINAL_FILE.plaintext.replace('"permissions":{}', `"permissions":{${text}}`)),
    );
    expect([...wallet.permissions.keys()]).toEqual(["good.example", "all.example"]);
    expect(Buffer.from(encodeOriginalBody(wallet)).toString()).toEndWith(
      `"permissions":{"all.example":${permissions["all.example"]},"good.example":${permissions["good.example"]}}}`,
    );
  });

  test.each([
    ["no object", "[]", "its content is not an object"],
    ["no JSON", "{", "its content is not JSON"],
    ["another algorithm", ["vega/ed25519", "vega/other"], "unknown algorithm"],
    ["a key that is not its own", ['"private_key":"0b', '"private_key":"0c'], "not the private key"],
    ["a node that is not its own", ['"node":"PjI6', '"node":"PjI5'], "not the one of its node"],
    ["a short node", [/"node":"[^"]+"/, '"node":"AAAA"'], "not 64 bytes"],
    ["an index of 0", ['"index":1', '"index":0'], "no order"],
    ["an index as text", ['"index":1', '"index":"1"'], "is not a number"],
    ["a taint as text", ['"tainted":false', '"tainted":"true"'], "neither yes nor no"],
    ["a taint as a number", ['"tainted":false', '"tainted":1'], "neither yes nor no"],
  ] as const)("%s is damage", async (_, change, message) => {
    const text =
      typeof change === "string" ? change : ORIGINAL_FILE.plaintext.replace(change[0] as string, change[1]);
    const error = await failureOf(() => decodeOriginalBody(bytes(text)));
    expect([error.code, error.exitCode]).toEqual(["wallet_damaged", 4]);
    expect(error.message).toContain(message);
  });

  test("a version of tomorrow is refused as the original does", async () => {
    const text = ORIGINAL_FILE.plaintext.replace('"version":2', '"version":3');
    const error = await failureOf(() => decodeOriginalBody(bytes(text)));
    expect(error.message).toBe("the wallet with key derivation version 3 isn't supported");
  });

  test("a wrong passphrase and damage look alike, and the hint says so", async () => {
    const content = new Uint8Array(Buffer.from(ORIGINAL_FILE.base64, "base64"));
    const wrong = await failureOf(() => OriginalSeal.unlock(content, bytes("passphrase-2"), randomBytes));
    expect([wrong.code, wrong.message]).toEqual(["wrong_passphrase", "wrong passphrase"]);
    expect(wrong.hint).toContain("or the file is damaged");
    const right = bytes(ORIGINAL_FILE.passphrase);
    expect(await codeOf(() => OriginalSeal.unlock(flipped(content, 200), right, randomBytes))).toBe(
      "wrong_passphrase",
    );
    expect(await codeOf(() => OriginalSeal.unlock(new Uint8Array(0), right, randomBytes))).toBe(
      "wallet_damaged",
    );
    expect(await codeOf(() => OriginalSeal.unlock(content.subarray(0, 28), right, randomBytes))).toBe(
      "wallet_damaged",
    );
  });
});

describe("Lyra's own files", () => {
  test("are read back, never twice the same bytes, and say what they are", async () => {
    const { wallet, seal: again } = await unlock(file);
    expect(wallet).toEqual(sample);
    const second = again.seal(wallet);
    expect(hex(second)).not.toBe(hex(file));
    expect(seal.open(second)).toEqual(sample);
    expect(formatOf(file)).toBe("lyra");
    expect(Buffer.from(file).toString("latin1", 0, 16)).toBe("lyra-wallet-file");
    expect(readHeader(file)).toMatchObject({ cost: CHEAP, length: file.length - HEADER_BYTES });
  });

  test("hold no secret in clear", () => {
    const text = Buffer.from(file).toString("latin1");
    for (const secret of [sample.node!, sample.keys[0]!.seed]) {
      expect(text).not.toContain(Buffer.from(secret).toString("latin1"));
    }
    expect(text).not.toContain(KEY_1);
  });

  test("every single bit that is turned is damage, and no wrong passphrase", async () => {
    // Bits of the head are seen before the passphrase costs anything, the others after it was found right.
    const missed: string[] = [];
    for (let bit = 0; bit < file.length * 8; bit++) {
      const code = await codeOf(() => unlock(flipped(file, bit)));
      if (code !== "wallet_damaged") missed.push(`bit ${bit} of byte ${bit >> 3}: ${code}`);
    }
    expect(missed).toEqual([]);
  });

  test("every length but its own is damage", async () => {
    for (let length = 0; length < file.length; length++) {
      expect([length, await codeOf(() => openAny(file.subarray(0, length)))]).toEqual([
        length,
        "wallet_damaged",
      ]);
    }
    expect(await codeOf(() => unlock(Buffer.concat([file, Buffer.from([0])])))).toBe("wallet_damaged");
  });

  test("any damage is told from a wrong passphrase", async () => {
    const damage = fc.oneof(
      fc.record({ at: fc.nat(file.length - 1), with: fc.uint8Array({ minLength: 1, maxLength: 40 }) }),
      fc.record({
        at: fc.integer({ min: HEADER_BYTES, max: file.length - 1 }),
        with: fc.uint8Array({ minLength: 1, maxLength: 400 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, with: what }) => {
        const copy = Uint8Array.from(file);
        copy.set(what.subarray(0, copy.length - at), at);
        fc.pre(Buffer.compare(copy, file) !== 0 && hasLyraMagic(copy));
        expect(await codeOf(() => unlock(copy))).toBe("wallet_damaged");
      }),
      { numRuns: runs(4_000) },
    );
  });

  test("a wrong passphrase is a wrong passphrase", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 40 }), async (guess) => {
        fc.pre(Buffer.compare(guess, PASSPHRASE) !== 0);
        const error = await failureOf(() => unlock(file, guess));
        expect([error.code, error.hint]).toEqual(["wrong_passphrase", ""]);
      }),
      { numRuns: runs(200) },
    );
  });

  test("parts of two files do not make a third", async () => {
    const other = seal.seal({ ...sample, permissions: new Map() });
    const mixed = Buffer.concat([file.subarray(0, HEADER_BYTES), other.subarray(HEADER_BYTES)]);
    expect(await codeOf(() => unlock(mixed))).toBe("wallet_damaged");
  });

  test("a file of another key is not opened by this one", async () => {
    const elsewhere = await LyraSeal.create(PASSPHRASE, CHEAP, randomBytes, WEAK);
    expect(await codeOf(() => seal.open(elsewhere.seal(sample)))).toBe("wallet_changed");
  });

  test("random bytes of an original's file are not taken for one of Lyra's", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (start) => {
        expect(hasLyraMagic(start)).toBe(false);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

describe("limits on a file's parameters", () => {
  test.each<[string, ScryptCost]>([
    ["memory", { log2N: 24, r: 8, p: 1 }],
    ["memory by large blocks", { log2N: 17, r: 255, p: 1 }],
    ["time", { log2N: 17, r: 8, p: 255 }],
    ["everything", { log2N: 255, r: 255, p: 255 }],
    ["nothing", { log2N: 0, r: 0, p: 0 }],
    ["more than its block size can", { log2N: 16, r: 1, p: 1 }],
  ])("%s without end is refused before it is spent", async (_, cost) => {
    expect(await codeOf(() => checkCost(cost, WEAK))).toBe("kdf_refused");
  });

  test("a hostile file is refused at once", async () => {
    // Sound in itself, as its writer can compute every checksum.
    const hostile = Object.assign(Object.create(LyraSeal.prototype), {
      cost: { log2N: 30, r: 255, p: 255 },
      salt: randomBytes(32),
      derived: randomBytes(64),
      random: randomBytes,
    }) as LyraSeal;
    expect(await codeOf(() => unlock(hostile.seal(sample)))).toBe("kdf_refused");
  });

  test("weak parameters need a test's permission, for reading and for writing", async () => {
    const error = await failureOf(() => LyraSeal.unlock(file, PASSPHRASE, randomBytes, {}));
    expect([error.code, error.hint]).toEqual([
      "kdf_refused",
      "it was made by a test, not by Lyra's command line",
    ]);
    expect(await codeOf(() => LyraSeal.create(PASSPHRASE, CHEAP, randomBytes, {}))).toBe("kdf_refused");
    expect(() => checkCost(KDF_COST, {})).not.toThrow();
    // The head says so by itself: its flag is in byte 23.
    expect(file[23]).toBe(1);
  });

  test("new files of the command line are not weak", async () => {
    const strong = await LyraSeal.create(PASSPHRASE, KDF_COST, randomBytes, {});
    const written = strong.seal(sample);
    expect([written[23], readHeader(written).cost]).toEqual([0, { log2N: 17, r: 8, p: 2 }]);
    expect((await LyraSeal.unlock(written, PASSPHRASE, randomBytes, {})).wallet).toEqual(sample);
  });
});

/** As a store does: a file that is not Lyra's is taken for one of the original. */
async function openAny(content: Uint8Array) {
  return formatOf(content) === "lyra"
    ? unlock(content)
    : OriginalSeal.unlock(content, PASSPHRASE, randomBytes);
}
