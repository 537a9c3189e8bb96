// Bytes of strangers: whatever they are, a transaction is refused with one of the defined reasons, in little time
// and without a crash. A canary shows that the rig would find one.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { encodeInputData, encodeTransaction, TxVersion } from "../../src/wire/generated/commands.ts";
import { serializeTransaction, signTransaction, TRANSACTION_BYTES_MAX } from "../../src/wire/transaction.ts";
import {
  checkTransaction,
  readClaim,
  readUnverified,
  type Verdict,
} from "../../src/wire/transaction-check.ts";
import { COMMAND_KINDS, type CommandKind } from "../../src/wire/transaction-commands.ts";
import { checkCommand } from "../../src/wire/validate/commands.ts";
import { expectLinear } from "../support/cost.ts";
import { runs } from "../support/seed.ts";
import { buildTransaction } from "../support/transactions.ts";
import { messageArbitrary } from "./arbitrary.ts";

const CHAIN_ID = "fuzz";
const key = ed25519KeyPair(new Uint8Array(32).fill(7));
const REASONS = ["too_large", "undecodable", "invalid"];

/** Properties of every verdict. */
function checkVerdict(verdict: Verdict): void {
  if (verdict.ok) return;
  const { reason, code, text, errors } = verdict.refusal;
  if (!REASONS.includes(reason) || code !== 60 || text === "")
    throw new Error(`odd refusal: ${reason} ${text}`);
  if (errors !== undefined && (errors.isEmpty || String(errors) !== text))
    throw new Error(`odd errors: ${text}`);
}

const sample = buildTransaction(
  {
    kind: "transfer",
    payload: {
      fromAccountType: 4,
      to: "0c".repeat(32),
      toAccountType: 4,
      asset: "d1".repeat(32),
      amount: "1000",
      oneOff: {},
    },
  },
  { key, chainId: CHAIN_ID, nonce: 5n, blockHeight: 6n, pow: { tid: "t", nonce: 1n } },
);

test("a hash that the caller has is not made again", () => {
  const verdict = checkTransaction(sample, CHAIN_ID, "the caller's");
  expect(verdict).toMatchObject({ ok: true, transaction: { hash: "the caller's" } });
});

describe("random bytes", () => {
  test("are refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const verdict = checkTransaction(bytes, CHAIN_ID);
        checkVerdict(verdict);
        expect(verdict.ok).toBe(false);
      }),
      { numRuns: runs(3000) },
    );
  });

  test("as the command of a well-signed envelope are refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (inputData) => {
        const bytes = serializeTransaction(signTransaction(inputData, key, { chainId: CHAIN_ID }));
        checkVerdict(checkTransaction(bytes, CHAIN_ID));
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe("a good transaction", () => {
  test("is good", () => {
    expect(checkTransaction(sample, CHAIN_ID).ok).toBe(true);
  });

  test("with any one bit turned is refused, or says the same", () => {
    const good = checkTransaction(sample, CHAIN_ID);
    for (let bit = 0; bit < sample.length * 8; bit++) {
      const bytes = sample.slice();
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      const verdict = checkTransaction(bytes, CHAIN_ID);
      checkVerdict(verdict);
      if (!verdict.ok || !good.ok) continue;
      // Only unsigned bytes can change: the proof of work, and the case of hexadecimal digits.
      const { payload, nonce, blockHeight, id } = verdict.transaction;
      expect({ payload, nonce, blockHeight, id }).toEqual({
        payload: good.transaction.payload,
        nonce: good.transaction.nonce,
        blockHeight: good.transaction.blockHeight,
        id: good.transaction.id,
      });
      expect(verdict.transaction.party.toLowerCase()).toBe(good.transaction.party);
    }
  });

  test("with any one bit turned makes the claim that the whole check would look at", () => {
    let claims = 0;
    for (let bit = 0; bit < sample.length * 8; bit++) {
      const bytes = sample.slice();
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      const claim = readClaim(bytes, CHAIN_ID);
      const read = readUnverified(bytes, CHAIN_ID);
      if (read.ok) expect(claim).toEqual(read.unverified.claim);
      if (claim !== undefined) claims++;
      // Bytes without a command are refused for what is around the command, whatever the signature.
      else expect(read.ok).toBe(false);
    }
    expect(claims).toBeGreaterThan(sample.length);
  });

  test("cut short anywhere is refused", () => {
    for (let end = 0; end < sample.length; end++) {
      const verdict = checkTransaction(sample.subarray(0, end), CHAIN_ID);
      checkVerdict(verdict);
      expect(verdict.ok).toBe(false);
    }
  });

  test("with bytes moved, doubled or taken out never crashes", () => {
    fc.assert(
      fc.property(
        fc.nat(sample.length),
        fc.nat(sample.length),
        fc.nat(sample.length),
        fc.uint8Array({ maxLength: 8 }),
        (from, to, at, extra) => {
          const piece = sample.subarray(Math.min(from, to), Math.max(from, to));
          const bytes = Buffer.concat([sample.subarray(0, at), piece, extra, sample.subarray(at)]);
          checkVerdict(checkTransaction(bytes, CHAIN_ID));
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  test("is found broken by a check that crashes (canary)", () => {
    const crashing = (bytes: Uint8Array) => {
      if (bytes[20]! >= 0x63) throw new TypeError("canary");
    };
    expect(() => fc.assert(fc.property(fc.nat(255), (value) => crashing(sample.with(20, value))))).toThrow(
      "Property failed",
    );
  });
});

describe("commands of any content", () => {
  const kinds = COMMAND_KINDS.map((kind): [CommandKind] => [kind]);
  test.each(kinds)("%s: signed and sent, the verdict is that of its rules", (kind) => {
    const typeName = `vega.commands.v1.${kind[0]!.toUpperCase()}${kind.slice(1)}`;
    fc.assert(
      fc.property(messageArbitrary(typeName), (payload) => {
        const errors = checkCommand(kind, payload as never);
        const inputData = encodeInputData({ nonce: 1n, blockHeight: 2n, [kind]: payload });
        const bytes = serializeTransaction(signTransaction(inputData, key, { chainId: CHAIN_ID }));
        const verdict = checkTransaction(bytes, CHAIN_ID);
        checkVerdict(verdict);
        expect(verdict.ok ? "" : verdict.refusal.text).toBe(String(errors));
        if (verdict.ok) expect(verdict.transaction.kind).toBe(kind);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe("large and deep", () => {
  test("more bytes than a transaction may have are not read", () => {
    // Bytes that can only be counted.
    const bytes = { length: TRANSACTION_BYTES_MAX + 1 } as Uint8Array;
    const verdict = checkTransaction(bytes, CHAIN_ID);
    expect(!verdict.ok && verdict.refusal.reason).toBe("too_large");
  });

  test("groups nested a hundred thousand times", () => {
    const bytes = new Uint8Array(200_000).fill(0x33); // field 6, start of a group
    const verdict = checkTransaction(bytes, CHAIN_ID);
    expect(!verdict.ok && verdict.refusal.reason).toBe("undecodable");
    expect(!verdict.ok && verdict.refusal.text).toContain("nested");
  });

  test("a megabyte in any one text of the envelope", () => {
    const base = signTransaction(Uint8Array.of(8, 1), key, { chainId: CHAIN_ID });
    const withText = (text: string) =>
      [
        { pubKey: text },
        { address: text, pubKey: undefined },
        { signature: { value: text, algo: "vega/ed25519", version: 1 } },
        { signature: { value: "ab", algo: text, version: 1 } },
        { pow: { tid: text } },
        { version: TxVersion.TX_VERSION_UNSPECIFIED, pubKey: text },
      ].map((change) => encodeTransaction({ ...base, ...change }));
    const check = (transactions: Uint8Array[]) => () => {
      for (const bytes of transactions) checkVerdict(checkTransaction(bytes, CHAIN_ID));
    };
    const most = TRANSACTION_BYTES_MAX - 1_000;
    expectLinear(check(withText("a".repeat(most))), check(withText("a".repeat(most / 8))), 8);
  });

  test("a hundred thousand entries in lists", () => {
    const withEntries = (count: number) => {
      const entries = Array.from({ length: count }, () => ({}));
      return [
        encodeInputData({ nonce: 1n, batchMarketInstructions: { cancellations: entries } }),
        encodeInputData({ nonce: 1n, liquidityProvisionSubmission: { marketId: "x", buys: entries } }),
        encodeInputData({ nonce: 1n, stateVariableProposal: { proposal: { kvb: entries } } }),
      ].map((inputData) => serializeTransaction(signTransaction(inputData, key, { chainId: CHAIN_ID })));
    };
    const check = (transactions: Uint8Array[]) => () => {
      for (const bytes of transactions) checkVerdict(checkTransaction(bytes, CHAIN_ID));
    };
    expectLinear(check(withEntries(100_000)), check(withEntries(12_500)), 8);
  });
});
