// The network's rule for signatures: cofactored, encodings as in ZIP 215, no public key of small order.
import { describe, expect, test } from "bun:test";
import { ED25519_TORSION_SUBGROUP, ed25519 } from "@noble/curves/ed25519.js";
import {
  ExaminationBudget,
  ed25519Verify,
  ed25519VerifyAsync,
  ed25519VerifySubmitted,
} from "../../src/crypto/ed25519.ts";
import { verifyMessage } from "../../src/wallet/signing/message.ts";
import { TxVersion } from "../../src/wire/generated/commands.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { encodeCommand, serializeTransaction } from "../../src/wire/transaction.ts";
import { checkTransaction, INVALID_SIGNATURE } from "../../src/wire/transaction-check.ts";
import { torsionCase } from "../support/torsion.ts";

const ofHex = (text: string) => Uint8Array.fromHex(text);

/** The cases of "Taming the many EdDSAs" (Chalkias, Garillot, Nikolaenko 2020), with the verdict of this rule. */
const PUBLISHED = [
  {
    what: "key and R of small order",
    isValid: false,
    message: "8c93255d71dcab10e8f379c26200f3c7bd5f09d9bc3068d3ef4edeb4853022b6",
    publicKey: "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    signature:
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a0000000000000000000000000000000000000000000000000000000000000000",
  },
  {
    what: "key of small order",
    isValid: false,
    message: "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
    publicKey: "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    signature:
      "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04",
  },
  {
    what: "R of small order, torsion in the key",
    isValid: true,
    message: "aebf3f2601a0c8c5d39cc7d8911642f740b78168218da8471772b35f9d35b9ab",
    publicKey: "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
    signature:
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa8c4bd45aecaca5b24fb97bc10ac27ac8751a7dfe1baff8b953ec9f5833ca260e",
  },
  {
    what: "torsion in key and R",
    isValid: true,
    message: "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
    publicKey: "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
    signature:
      "9046a64750444938de19f227bb80485e92b83fdb4b6506c160484c016cc1852f87909e14428a7a1d62e9f22f3d3ad7802db02eb2e688b6c52fcd6648a98bd009",
  },
  {
    what: "torsion that only the cofactor removes",
    isValid: true,
    message: "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
    publicKey: "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
    signature:
      "160a1cb0dc9c0258cd0a7d23e94d8fa878bcb1925f2c64246b2dee1796bed5125ec6bc982a269b723e0668e540911a9a6a58921d6925e434ab10aa7940551a09",
  },
  {
    what: "torsion that only the cofactor removes, of another hash",
    isValid: true,
    message: "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
    publicKey: "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
    signature:
      "21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405",
  },
  {
    what: "S beyond the order",
    isValid: false,
    message: "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
    publicKey: "442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623",
    signature:
      "e96f66be976d82e60150baecff9906684aebb1ef181f67a7189ac78ea23b6c0e547f7690a0e2ddcd04d87dbc3490dc19b3b3052f7ff0538cb68afb369ba3a514",
  },
  {
    what: "S far beyond the order",
    isValid: false,
    message: "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
    publicKey: "442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623",
    signature:
      "8ce5b96c8f26d0ab6c47958c9e68b937104cd36e13c33566acd2fe8d38aa19427e71f98a473474f2f13f06f97c20d58cc3f54b8bd0d272f42b695dd7e89a8c22",
  },
  {
    what: "R written with the prime, reduced before hashing",
    isValid: false,
    message: "fdaebc429f4a735932a160da1301080c13280eea8bc280d1b392c6b9e6ba3a5a",
    publicKey: "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
    signature:
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f454d370c8d9fc323a41450f8d513eafeb5b0697390c1e505a0d4ddc71f566607",
  },
  {
    what: "R written with the prime, hashed as it is",
    isValid: true,
    message: "84b698d39be126ff55fe45079e6c8bf64a0d7db6994560b4e96b7021eb39c1a1",
    publicKey: "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
    signature:
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f084d5b99c2a9463d9c8bd5026916996984eeec87ddf1d3be329006ace1b37b09",
  },
];
/** Cases that a run tries; scripts/torsion.ts tries 100,000. */
const CASES = 200;

describe("published edge cases", () => {
  test.each(PUBLISHED)("$what: $isValid", async ({ isValid, message, publicKey, signature }) => {
    const claim = [ofHex(publicKey), ofHex(message), ofHex(signature)] as const;
    expect(ed25519Verify(...claim)).toBe(isValid);
    expect(ed25519VerifySubmitted(...claim)).toBe(isValid);
    expect(await ed25519VerifyAsync(...claim)).toBe(isValid);
  });
});

/** All encodings of the points of small order: with both signs, and the two small ones also with the prime added. */
function smallOrderEncodings(): string[] {
  const prime = ed25519.Point.Fp.ORDER;
  const ys = new Set(ED25519_TORSION_SUBGROUP.map((point) => ed25519.Point.fromHex(point).toAffine().y));
  const all = [...ys].flatMap((y) => (y + prime < 1n << 255n ? [y, y + prime] : [y]));
  return all.flatMap((y) =>
    [0n, 1n].map((sign) => {
      const text = (y | (sign << 255n)).toString(16).padStart(64, "0");
      return ofHex(text).reverse().toHex();
    }),
  );
}

describe("keys of small order", () => {
  test("are fourteen encodings, and each is refused with any R of small order, which ZIP 215 takes for any message", async () => {
    const encodings = smallOrderEncodings();
    expect(new Set(encodings).size).toBe(14);
    const message = Buffer.from("Zcash");
    for (const key of encodings) {
      for (const r of encodings) {
        const [publicKey, signature] = [ofHex(key), ofHex(r + "00".repeat(32))];
        expect(ed25519.verify(signature, message, publicKey, { zip215: true })).toBe(true);
        expect(ed25519Verify(publicKey, message, signature)).toBe(false);
      }
      expect(await ed25519VerifyAsync(ofHex(key), new Uint8Array(32), new Uint8Array(64).with(0, 1))).toBe(
        false,
      );
    }
  });

  test("sign no transaction", () => {
    const transfer = {
      kind: "transfer",
      payload: {
        fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
        to: "ab".repeat(32),
        toAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
        asset: "cd".repeat(32),
        amount: "1",
        oneOff: {},
      },
    } as const;
    const bytes = serializeTransaction({
      inputData: encodeCommand(transfer, 7n, 1n),
      signature: { value: `01${"00".repeat(63)}`, algo: "vega/ed25519", version: 1 },
      pubKey: "01".padEnd(64, "0"),
      version: TxVersion.TX_VERSION_V3,
    });
    expect(checkTransaction(bytes, "any-chain")).toEqual(INVALID_SIGNATURE);
  });

  test("sign no message of the wallet", () => {
    const key = "01".padEnd(64, "0");
    const constant = new Uint8Array(64).with(0, 1);
    for (const text of ["a", "b"]) expect(verifyMessage(ofHex(key), Buffer.from(text), constant)).toBe(false);
  });
});

describe("torsion", () => {
  test("in key, in R or in both is taken; with another message, key or S it is not", () => {
    for (let n = 0; n < CASES; n++) {
      const { publicKey, message, signature, hasTorsion } = torsionCase(n);
      expect([n, hasTorsion, ed25519Verify(publicKey, message, signature)]).toEqual([n, hasTorsion, true]);
      const other = torsionCase(n + 1);
      expect(ed25519Verify(publicKey, other.message, signature)).toBe(false);
      expect(ed25519Verify(other.publicKey, message, signature)).toBe(false);
      expect(ed25519Verify(publicKey, message, signature.with(40, signature[40]! ^ 1))).toBe(false);
    }
  });
});

describe("signatures of strangers", () => {
  test("is examined so many times a second, then refused as it was by the fast rule", () => {
    let now = 0;
    const budget = new ExaminationBudget(() => now, 3);
    const examined = () => [1, 2, 3, 4, 5].map(() => budget.mayExamine());
    expect(examined()).toEqual([true, true, true, false, false]);
    now = 999;
    expect(budget.mayExamine()).toBe(false);
    now = 1_000;
    expect(examined()).toEqual([true, true, true, false, false]);
  });

  test("a flood of signatures that only an examination accepts: a hundred a second are examined, no more", () => {
    let now = 0;
    const budget = new ExaminationBudget(() => now);
    // Torsion in R: the fast rule refuses it, the examination does not.
    const { publicKey, message, signature } = torsionCase(8);
    const accepted = (count: number) =>
      Array.from({ length: count }, () =>
        ed25519VerifySubmitted(publicKey, message, signature, budget),
      ).filter(Boolean).length;
    expect(accepted(300)).toBe(100);
    now = 1_000;
    expect(accepted(10)).toBe(10);
  });
});
