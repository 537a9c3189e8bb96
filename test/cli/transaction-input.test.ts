// Transactions and input data as the steps of `lyra tx` read them.
import { expect, test } from "bun:test";
import { readInput } from "../../src/cli/wallet-tx-input.ts";
import { decodeInputData, decodeTransaction } from "../../src/wire/generated/commands.ts";
import { serializeTransaction } from "../../src/wire/transaction.ts";
import { TRANSACTION } from "../wallet/support/vectors.ts";

/** Its digits are the form of an order's cancellation, in the field where input data has one. */
const PUBLIC_KEY = "03a292860fe232d1a0a5e4abd541147fafbfb8c0eb072d1f6a44460d2634072c";
const signed = { ...decodeTransaction(Buffer.from(TRANSACTION.hex, "hex")), pubKey: PUBLIC_KEY };
const bytes = serializeTransaction(signed);

test("a transaction is read as one, also with a key that reads as a command", () => {
  expect(() => decodeInputData(bytes)).not.toThrow();
  const document = JSON.stringify({ transaction: Buffer.from(bytes).toString("base64") });
  expect(readInput(document)).toMatchObject({ kind: "transaction", transaction: { pubKey: PUBLIC_KEY } });
});

test("input data are read as such", () => {
  const document = JSON.stringify({ inputData: Buffer.from(signed.inputData).toString("base64") });
  expect(readInput(document).kind).toBe("inputData");
});
