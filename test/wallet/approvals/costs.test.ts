// Fee, balance and what is left of it, in an approval: by a node's word, as data and as words.
import { expect, test } from "bun:test";
import { costLines, costWarnings } from "../../../src/wallet/approvals/costs.ts";
import { type FactSource, NetworkFacts } from "../../../src/wallet/approvals/network-facts.ts";
import type { CommandInit } from "../../../src/wire/transaction.ts";
import { readCommandText } from "../../support/command-text.ts";
import { KEY_1 } from "../support/vectors.ts";

const BOB = "b".repeat(64);
const ASSET = "a5".repeat(32);
const GENERAL = "ACCOUNT_TYPE_GENERAL";
const source = (balance: string, factor?: string): FactSource => ({
  asset: async () => ({ symbol: "tUSD", decimals: 5 }),
  balances: async () => new Map([[ASSET, balance]]),
  parameter: async (key) => (key === "transfer.fee.factor" ? factor : undefined),
});
const readCommand = (command: unknown) => readCommandText(JSON.stringify(command));
const transfer = (amount: string, more: object = {}): CommandInit =>
  readCommand({
    transfer: {
      fromAccountType: GENERAL,
      toAccountType: GENERAL,
      to: BOB,
      asset: ASSET,
      amount,
      oneOff: {},
      ...more,
    },
  });
const costsOf = async (command: CommandInit, from: FactSource) => {
  const facts = new NetworkFacts([from]);
  return facts.costs(command, KEY_1, await facts.of(command));
};
const shownOf = async (command: CommandInit, from: FactSource) =>
  costLines(await costsOf(command, from)).map((line) => line.join(": ").replace(` (asset ${ASSET})`, ""));

test.each<[string, CommandInit, FactSource, string[]]>([
  [
    "a transfer, with the fee cut to whole units",
    transfer("500001"),
    source("1000000", "0.001"),
    ["fee (node says): 0.005 tUSD", "you have (node says): 10 tUSD", "left (node says): 4.99499 tUSD"],
  ],
  [
    "a transfer of more than there is",
    transfer("1000000"),
    source("1000000", "0.001"),
    ["fee (node says): 0.01 tUSD", "you have (node says): 10 tUSD", "missing (node says): 0.01 tUSD"],
  ],
  [
    "a transfer to oneself, which costs its fee",
    transfer("1000000", { to: KEY_1 }),
    source("1000000", "0.5"),
    ["fee (node says): 5 tUSD", "you have (node says): 10 tUSD", "left (node says): 5 tUSD"],
  ],
  [
    "a transfer that comes again",
    transfer("100000", { oneOff: undefined, recurring: { startEpoch: "1", factor: "1" } }),
    source("1000000", "0"),
    ["you have (node says): 10 tUSD", "left the first time: 9 tUSD"],
  ],
  [
    "a withdrawal, which has no fee",
    readCommand({ withdrawSubmission: { amount: "100000", asset: ASSET, ext: {} } }),
    source("1000000"),
    ["you have (node says): 10 tUSD", "left (node says): 9 tUSD"],
  ],
  [
    "a node that does not say the fee",
    transfer("500000"),
    source("1000000"),
    ["fee (node says): not known: the node does not say", "you have (node says): 10 tUSD"],
  ],
  [
    "a node that says a fee that no network has",
    transfer("500000"),
    source("1000000", "1e99999"),
    ["fee (node says): not known: the node does not say", "you have (node says): 10 tUSD"],
  ],
  [
    "a node that says a balance that is not a number",
    transfer("500000"),
    source("-1", "0.001"),
    ["fee (node says): 0.005 tUSD", "you have (node says): not known: the node does not say"],
  ],
])("%s", async (_, command, from, lines) => {
  expect(await shownOf(command, from)).toEqual(lines);
});

test("costs are data too, and a warning where they are more than there is", async () => {
  const costs = await costsOf(transfer("1000000"), source("1000000", "0.001"));
  expect(costs.map(({ kind, asset, amount }) => [kind, asset, amount])).toEqual([
    ["fee", ASSET, "1000"],
    ["balance", ASSET, "1000000"],
    ["missing", ASSET, "1000"],
  ]);
  expect(costWarnings(costs)).toEqual([
    "it costs more than the key has, by the node's word: the network would refuse it",
  ]);
  expect(costWarnings(await costsOf(transfer("1"), source("1000000", "0.001")))).toEqual([]);
});
