// The story of one transaction in a devnet: over HTTP, by `lyra explain HASH`, and as a line while it runs.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DevnetWords, type NamedThings, TransactionLines } from "../../src/cli/devnet-transactions.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";
import type { TxOutcome } from "../../src/engine/chain-port.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import type { CheckedTransaction } from "../../src/wire/transaction-check.ts";
import { lyra } from "../rig/lyra.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const DOLLAR = madeUpAssetId("tUSD");
const { ACCOUNT_TYPE_GENERAL } = AccountType;
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g");

let devnet: Devnet;
const verdicts: [TxOutcome, CheckedTransaction | undefined][] = [];

beforeAll(async () => {
  devnet = await startTestDevnet({ onOutcome: (outcome, tx) => verdicts.push([outcome, tx]) });
});
afterAll(() => devnet.stop());

function transfer(to: string, amount: string): CommandInit {
  return {
    kind: "transfer",
    payload: {
      fromAccountType: ACCOUNT_TYPE_GENERAL,
      to,
      toAccountType: ACCOUNT_TYPE_GENERAL,
      asset: DOLLAR,
      amount,
      reference: "a story",
      oneOff: {},
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the answer is looked at member by member
async function story(hash: string): Promise<[status: number, any]> {
  const response = await fetch(`${devnet.nodeUrl}/devnet/transaction`, {
    method: "POST",
    body: JSON.stringify({ hash }),
  });
  return [response.status, await response.json()];
}

describe("the story of a transaction", () => {
  test("executed: command, verdict, what moved, the balances after it, and the rows", async () => {
    const [alice, bob] = devnet.parties;
    const { outcome } = await new PartyClient(devnet.chain, alice!.key).send(
      transfer(bob!.publicKey, "250000"),
    );
    const [status, report] = await story(outcome.hash);
    expect(status).toBe(200);
    const account = (party: string) => ({ party, asset: DOLLAR, type: "ACCOUNT_TYPE_GENERAL" });
    expect(report).toMatchObject({
      hash: outcome.hash,
      state: "executed",
      height: String(outcome.height),
      party: alice!.publicKey,
      code: 0,
      command: { transfer: { amount: "250000", to: bob!.publicKey, reference: "a story" } },
      events: [{ table: "transfers", rows: 1, data: [{ amount: "250000", status: "STATUS_DONE" }] }],
    });
    const pending = { party: "network", asset: DOLLAR, type: "ACCOUNT_TYPE_PENDING_TRANSFERS" };
    const moved = report.movements.filter(({ amount }: { amount: string }) => amount === "250000");
    expect(moved).toMatchObject([
      { from: account(alice!.publicKey), to: pending },
      { from: pending, to: account(bob!.publicKey) },
    ]);
    expect(report.balances).toContainEqual({ ...account(bob!.publicKey), balance: "100000250000" });
    const { out, code } = await lyra(["explain", outcome.hash, "--node-url", devnet.nodeUrl]);
    expect(code).toBe(0);
    expect(out).toContain("alice");
    expect(out).toContain("Send 2.5 tUSD to bob");
    expect(out).toContain("1,000,002.5 tUSD");
  });

  test("refused before it was in a block, and failed in one: with the rule", async () => {
    const [, , carol] = devnet.parties;
    const client = new PartyClient(devnet.chain, carol!.key);
    const { outcome } = await client.send(transfer(carol!.publicKey, "9".repeat(30)), { allowRefusal: true });
    expect(outcome.code).not.toBe(0);
    const [, report] = await story(outcome.hash.toLowerCase());
    expect(report).toMatchObject({
      hash: outcome.hash,
      state: outcome.height === 0 ? "refused" : "failed",
      party: carol!.publicKey,
      code: outcome.code,
      text: outcome.text,
      rule: outcome.details!.rule,
      command: { transfer: { amount: "9".repeat(30) } },
      movements: [],
      balances: [],
    });
    const { out } = await lyra(["explain", outcome.hash, "--node-url", devnet.nodeUrl]);
    expect(out).toContain(outcome.details!.rule);
    expect(out).toContain("carol");
  });

  test("unknown: 400 with a code and a hint, exit code 1", async () => {
    const [status, report] = await story("ab".repeat(32));
    expect([status, report.details[0].message]).toEqual([400, "transaction_unknown"]);
    expect((await story("ab"))[1].message).toBe("'hash' must be 64 hexadecimal digits");
    const { code, err } = await lyra(["explain", "ab".repeat(32), "--node-url", devnet.nodeUrl]);
    expect(code).toBe(1);
    expect(err).toContain("it was not refused recently");
  });
});

describe("a line for each transaction", () => {
  const names = (): NamedThings => devnet.report();

  function printed(nowMs: () => number = () => 0) {
    const lines: string[] = [];
    const print = (line: string) => lines.push(line.replace(ESCAPES, ""));
    return { lines, shown: new TransactionLines(print, new DevnetWords(names()), nowMs) };
  }

  test("says who did what, and why not; the validator's own work is left out", async () => {
    const { lines, shown } = printed();
    for (const [outcome, tx] of verdicts) shown.add(outcome, tx);
    expect(verdicts.length).toBeGreaterThan(lines.length);
    expect(lines.filter((line) => line.includes("alice: Send 2.5 tUSD to bob"))).toHaveLength(1);
    const refused = lines.filter((line) => /^ {2}(refused|failed in block \d+) {2}carol: Send /.test(line));
    expect(refused).toHaveLength(1);
    expect(refused[0]).toContain("command_failed: ");
    expect(lines.filter((line) => line.includes("vote"))).toEqual([]);
  });

  test("says that an order's numbers are in the market's smallest units", () => {
    const payload = { marketId: "ab".repeat(32), side: 1, size: 5n, price: "100", type: 1, timeInForce: 1 };
    expect(new DevnetWords(names()).command({ kind: "orderSubmission", payload }, "")).toBe(
      "Buy 5 at 100 (limit order) on market abababab..., in its smallest units",
    );
  });

  test("of a flood so many a second, and how many more there were", () => {
    let now = 0;
    const { lines, shown } = printed(() => now);
    const [outcome, tx] = verdicts.find(([{ code }, sent]) => code !== 0 && sent !== undefined)!;
    for (let n = 0; n < 120; n++) shown.add(outcome, tx);
    expect(lines).toHaveLength(20);
    now = 1_000;
    shown.add(outcome, undefined);
    expect(lines[20]).toBe("  ... and 100 more, 100 of them refused");
    expect(lines[21]).toContain(`transaction ${outcome.hash.slice(0, 8)}`);
    shown.close();
    expect(lines).toHaveLength(22);
  });
});
