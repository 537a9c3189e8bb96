// A block's transactions are read once, however often the engine shows them.
import { expect, test } from "bun:test";
import { ParsedTransactions } from "../../src/abci/parsed.ts";
import { sha256HexOf } from "../../src/crypto/sha.ts";
import { checkTransaction } from "../../src/wire/transaction-check.ts";

const bytesOf = (texts: readonly string[]) => texts.map((text) => Buffer.from(text));

test("blocks shown one after the other have the transactions that are in them, each with its own hash", () => {
  const checked: string[] = [];
  const parsed = new ParsedTransactions("chain", (bytes, chainId, hash) => {
    checked.push(Buffer.from(bytes).toString());
    expect(hash).toBe(sha256HexOf(bytes));
    return checkTransaction(bytes, chainId, hash);
  });
  for (const texts of [["a", "b"], ["a", "b"], ["b", "a"], ["a"], ["a", "c", "b"], ["ab"], []]) {
    const hashes = parsed.block(bytesOf(texts)).map(({ hash }) => hash);
    expect(hashes).toEqual(bytesOf(texts).map((bytes) => sha256HexOf(bytes).toUpperCase()));
  }
  expect(checked).toEqual(["a", "b", "c", "ab"]);
});
