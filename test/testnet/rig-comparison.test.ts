// The comparison that ends the trials of scripts/testnet-rig.ts: it must be able to fail.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { alike, type HistoryPlace, sameAt } from "../../scripts/testnet-rig/comparison.ts";
import { forged } from "../../scripts/testnet-rig/transactions.ts";
import { ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { openWriter } from "../../src/store/database.ts";
import { checkTransaction } from "../../src/wire/transaction-check.ts";
import { buildTransaction } from "../support/transactions.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-comparison-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let homes = 0;

/** A node with the application hashes of some blocks, each a byte. */
function nodeWith(hashes: Readonly<Record<number, number>>): HistoryPlace {
  const home = join(folder, String(++homes));
  mkdirSync(home);
  const db = openWriter(home);
  const insert = db.prepare("INSERT INTO chain_blocks(height, app_hash) VALUES(?, ?)");
  for (const [height, byte] of Object.entries(hashes)) insert.run(Number(height), Uint8Array.of(byte));
  insert.finalize();
  db.close();
  return { node: { number: homes, home, dataPort: 0 } };
}

describe("Application hashes of a network's nodes", () => {
  const whole = nodeWith({ 1: 11, 2: 12, 3: 13 });

  test("are the same after each block; then the rest is compared", async () => {
    const other = nodeWith({ 1: 11, 2: 12, 3: 13 });
    await expect(sameAt([whole, other], 3)).rejects.toThrow("segments: there is nothing to compare");
  });

  test.each([
    ["of one node alone", undefined, 1],
    ["that differ after the last block", { 1: 11, 2: 12, 3: 99 }, 3],
    ["that differ before", { 1: 11, 2: 99, 3: 13 }, 2],
    ["of which a node lacks the last one", { 1: 11, 2: 12 }, 3],
    ["of which a node lacks one between", { 1: 11, 3: 13 }, 2],
    ["of which a node has none", {}, 1],
  ])("%s are not", async (_, hashes, height) => {
    const others = hashes === undefined ? [] : [nodeWith(hashes)];
    const words = `application hashes after block ${height}:`;
    await expect(sameAt([whole, ...others], 3)).rejects.toThrow(words);
  });
});

test("Nothing is not alike", () => {
  const some = new Map([["blocks", "1"]]);
  for (const all of [[], [some], [new Map(), new Map()], [some, new Map()]])
    expect(() => alike("exports", all)).toThrow("exports");
  expect(() => alike("exports", [some, new Map(some)])).not.toThrow();
});

test("A forged signature is all that is wrong with a transaction", () => {
  const bytes = buildTransaction(
    { kind: "orderCancellation", payload: { orderId: "aa".repeat(32), marketId: "bb".repeat(32) } },
    { chainId: "chain", key: ed25519KeyPair(new Uint8Array(32).fill(7)), nonce: 1n, blockHeight: 1n },
  );
  expect(checkTransaction(bytes, "chain").ok).toBe(true);
  const verdict = checkTransaction(forged(bytes), "chain");
  expect(!verdict.ok && verdict.refusal.text).toBe("tx.signature.value (invalid signature)");
});
