// The time control of the network's single-process chain, and a refused impersonation: over HTTP and by the command.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { devnetParties } from "../../src/devnet/keys.ts";
import { SECOND_NS, timeNs } from "../../src/wire/time-text.ts";
import { DevnetClient, DOLLAR, provenTransaction, transferTo } from "../rig/devnet-client.ts";
import { lyra } from "../rig/lyra.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startTestDevnet({ fund: false });
});
afterAll(() => devnet.stop());

const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(devnet.nodeUrl + path, { method: "POST", body: text, headers });
  const readers = response.headers.get("access-control-allow-origin");
  return { status: response.status, readers, body: (await response.json()) as Record<string, unknown> };
};
const forward = (to: string) => post("/api/v1/forwardtime", { forward: to });

describe("forwardtime", () => {
  test("a duration: the chain's time has moved by it when the answer comes", async () => {
    const before = devnet.chain.status;
    const { status, body } = await forward("10h");
    expect([status, body.height]).toEqual([200, String(before.height + 1)]);
    const moved = devnet.chain.status.timeNs - before.timeNs;
    expect(moved).toBeGreaterThanOrEqual(36_000n * SECOND_NS);
    expect(moved).toBeLessThan(36_060n * SECOND_NS);
  });

  test.each(["Z", "+00:00"])("a time, with %s: the last block has it", async (zone) => {
    const time = new Date(Number(devnet.chain.status.timeNs / 1_000_000n) + 3_600_000).toISOString();
    const { status, body } = await forward(time.replace("Z", zone));
    expect([status, timeNs(String(body.time))]).toEqual([200, timeNs(time)]);
  });

  test("waiting transactions have a block of their own before the time moves", async () => {
    const client = new DevnetClient(devnet.nodeUrl, devnet.dataUrl);
    const [alice, bob] = devnetParties();
    await client.tool("fund", { party: alice!.publicKey, asset: DOLLAR, amount: "100000000" });
    await client.tool("mode", { mode: "manual" });
    const last = await client.lastBlock();
    const bytes = provenTransaction(alice!.key, transferTo(bob!.publicKey, DOLLAR, 500_000n), last, "waits");
    const { txHash, text } = await client.submit(bytes, "TYPE_SYNC");
    expect(text).toBe("");
    const { timeNs: before } = devnet.chain.status;
    const { body } = await forward("10h");
    await client.tool("mode", { mode: "instant" });
    expect(body.height).toBe(String(last.height + 2));
    const { height, time } = await client.tool("transaction", { hash: txHash });
    expect(height).toBe(String(last.height + 1));
    expect(timeNs(time!)! - before).toBeLessThan(60n * SECOND_NS);
  });

  test.each([
    [{ forward: "soon" }, "invalid request: time is not a duration or RFC3339 datetime"],
    [{ forward: "-10s" }, "invalid request: cannot step backwards in time"],
    [{ forward: "2000-01-01T00:00:00Z" }, "invalid request: cannot step backwards in time"],
    [{}, "unexpected request body"],
    ["10s", "the request body is not JSON"],
  ])("%j is a 400 in the original's words, and no block", async (body, message) => {
    const { height } = devnet.chain.status;
    expect(await post("/api/v1/forwardtime", body)).toEqual({
      status: 400,
      readers: null,
      body: { code: 3, message, details: [] },
    });
    expect(devnet.chain.status.height).toBe(height);
  });

  test("is a tool: no page of another origin may use it, and no other method", async () => {
    const { height } = devnet.chain.status;
    const foreign = await post("/api/v1/forwardtime", { forward: "1s" }, { origin: "https://evil.example" });
    expect([foreign.status, foreign.readers]).toEqual([403, null]);
    const here = "http://localhost:5173";
    expect(await post("/devnet/mine", "{}", { origin: here })).toMatchObject({ status: 200, readers: here });
    expect((await fetch(`${devnet.nodeUrl}/api/v1/forwardtime`)).status).not.toBe(200);
    expect(devnet.chain.status.height).toBe(height + 1);
  });
});

describe("a refused impersonation", () => {
  const party = "4e".repeat(32);
  const command = {
    transfer: {
      fromAccountType: "ACCOUNT_TYPE_GENERAL",
      to: party,
      toAccountType: "ACCOUNT_TYPE_GENERAL",
      asset: "ab".repeat(32),
      amount: "5",
      oneOff: {},
    },
  };

  test("is 400, with the code, the chain's text and the rule", async () => {
    const { status, body } = await post("/devnet/impersonate", { party, command });
    expect(status).toBe(400);
    const [detail] = body.details as { message: string; inner: string }[];
    expect(detail!.message).toBe("transaction_refused");
    expect(String(body.message).length).toBeGreaterThan(5);
    expect(detail!.inner).toContain("lyra explain ");
  });

  test("by the command: exit code 1 and the reason", async () => {
    const ended = await lyra([
      "devnet",
      "impersonate",
      party,
      JSON.stringify(command),
      "--node-url",
      devnet.nodeUrl,
    ]);
    expect(ended.code).toBe(1);
    expect(ended.err).toContain("lyra explain ");
  });
});
