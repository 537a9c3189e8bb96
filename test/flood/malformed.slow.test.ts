// Malformed transactions, sent to a running node: each gets a well-formed refusal, and the node goes on.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DevnetClient, EASY } from "../rig/devnet-client.ts";
import { RunningDevnet } from "../rig/devnet-process.ts";
import { Scratch } from "../rig/homes.ts";
import { runs, SEED } from "../support/seed.ts";
import { Fuzz } from "./fuzz.ts";
import { MUTATIONS } from "./mutants.ts";
import { oddity } from "./verdicts.ts";

const MUTANTS = 600;
const scratch = new Scratch("malformed");
let devnet: RunningDevnet;
let client: DevnetClient;

beforeAll(async () => {
  devnet = new RunningDevnet({ home: scratch.path(), parameters: EASY });
  const { nodeUrl, dataUrl } = await devnet.listening();
  client = new DevnetClient(nodeUrl, dataUrl);
});
afterAll(async () => {
  const { code, err } = await devnet.stop();
  scratch.remove();
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

describe("malformed transactions", () => {
  test(`given good ones with something done to them, then each is refused or taken in the documented form (seed ${SEED})`, async () => {
    const fuzz = new Fuzz(client, SEED);
    await fuzz.mutants(runs(MUTANTS));
    expect(fuzz.report.oddities).toEqual([]);
    expect(fuzz.report.requests).toBe(runs(MUTANTS));
  }, 600_000);

  test("given bodies that are no requests, then each is refused", async () => {
    const fuzz = new Fuzz(client, 1);
    await fuzz.bodies();
    expect(fuzz.report.oddities).toEqual([]);
  }, 120_000);

  test("given transactions of a megabyte and more, then each is refused", async () => {
    const fuzz = new Fuzz(client, 2);
    await fuzz.oversized();
    expect(fuzz.report.oddities).toEqual([]);
  }, 120_000);

  test("given all that, then the chain goes on", async () => {
    const before = Number((await client.lastBlock()).height);
    await client.tool("mine");
    expect(Number((await client.lastBlock()).height)).toBeGreaterThan(before);
  });

  test("the rig would see an answer that is out of form (canary)", () => {
    const good = { success: false, txHash: "AA", code: 60, data: "no", log: "", height: "0" };
    const details = { rule: "invalid_transaction", sentence: "no", numbers: {} };
    const of = (status: number, answer: unknown) =>
      oddity("/transaction/raw", status, JSON.stringify(answer));
    expect(of(200, { ...good, details })).toBeUndefined();
    expect(of(200, good)).toContain("without details");
    expect(of(200, { ...good, success: true, details })).toContain("success is true");
    expect(of(500, { code: 13, message: "Internal error", details: [] })).toContain("without a reason");
    expect(of(400, { code: 13, message: "x", details: [] })).toContain("status 400 with code 13");
    expect(of(400, { code: 3, message: "TypeError: x", details: [] })).toContain("the inside");
    expect(Object.keys(MUTATIONS).length).toBeGreaterThan(15);
  });
});
