// Submissions through a sidecar that has a core's REST API: alone, and behind an RPC that is down.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";
import type { Sidecar } from "../../src/node/sidecar.ts";
import { startNode } from "../../src/start-node.ts";
import { transferTo } from "../rig/devnet-client.ts";
import { Scratch } from "../rig/homes.ts";
import { eventually } from "../support/eventually.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const scratch = new Scratch("core-submission");
let devnet: Devnet;
let client: PartyClient;
/** The core alone, and behind `--comet`. */
let alone: Sidecar;
let behind: Sidecar;
/** In front of the core: counts submissions, loses answers, is down, or talks nonsense. */
let submissions = 0;
let answersToLose = 0;
let trouble: "down" | "nonsense" | undefined;
let isRpcDown = false;
let proxy: ReturnType<typeof Bun.serve>;
let rpc: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  devnet = await startTestDevnet({ cometPort: 0, parameters: { "spam.pow.difficulty": "1" } });
  proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (trouble === "down") return new Response("", { status: 502 });
      if (trouble === "nonsense") return new Response("<html>");
      const { pathname } = new URL(request.url);
      const body = request.method === "POST" ? { method: "POST", body: await request.text() } : {};
      const answer = await fetch(`${devnet.nodeUrl}${pathname}`, body);
      if (pathname !== "/transaction/raw") return answer;
      submissions++;
      if (answersToLose === 0) return answer;
      answersToLose--;
      throw new Error("lost");
    },
    error: () => new Response(null, { status: 500 }),
  });
  rpc = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (isRpcDown) return new Response("", { status: 502 });
      return fetch(devnet.address.cometUrl!, { method: "POST", body: await request.text() });
    },
  });
  const core = `http://127.0.0.1:${proxy.port}`;
  alone = await startNode({ kind: "sidecar", home: scratch.path(), core, nodePort: 0, lookMs: 20 });
  const comet = `http://127.0.0.1:${rpc.port}`;
  behind = await startNode({
    kind: "sidecar",
    home: scratch.path(),
    core,
    comet,
    nodePort: 0,
    rules: "default",
    lookMs: 20,
  });
  client = new PartyClient(devnet.chain, devnet.parties[0]!.key, "core-submission");
});

afterAll(async () => {
  await alone?.stop();
  await behind?.stop();
  await devnet?.stop();
  proxy?.stop(true);
  rpc?.stop(true);
  scratch.remove();
});

const get = async (sidecar: Sidecar, path: string) =>
  (await (await fetch(`${sidecar.addresses.nodeUrl}${path}`)).json()) as Record<string, never>;
const atHead = (sidecar: Sidecar) =>
  eventually(
    async () => Number((await get(sidecar, "/blockchain/height")).height) === devnet.chain.status.height,
    "the devnet's height",
  );
const source = (sidecar: Sidecar) => sidecar.status.sources().find(({ kind }) => kind === "core")!;

async function transfer(): Promise<Uint8Array> {
  const command = transferTo(devnet.parties[1]!.publicKey, madeUpAssetId("tUSD"), 100_000n);
  return (await client.build(command)).bytes;
}

async function submit(sidecar: Sidecar, bytes: Uint8Array, type = "TYPE_SYNC", path = "/transaction/raw") {
  const body = JSON.stringify({ tx: bytes.toBase64(), ...(path.endsWith("check") ? {} : { type }) });
  const response = await fetch(`${sidecar.addresses.nodeUrl}${path}`, { method: "POST", body });
  return { status: response.status, ...((await response.json()) as { code?: number; data?: string }) };
}

describe("a sidecar with a core alone", () => {
  test("tells the core's head, and what a proof of work for it takes", async () => {
    await atHead(alone);
    const { height: _, ...own } = await get(alone, "/blockchain/height");
    expect(own).toEqual(
      (({ height, ...rest }) => rest)(
        (await (await fetch(`${devnet.nodeUrl}/blockchain/height`)).json()) as Record<string, never>,
      ),
    );
    const party = devnet.parties[0]!.publicKey;
    expect(await get(alone, `/statistics/spam/${party}`)).toEqual(
      (await (await fetch(`${devnet.nodeUrl}/statistics/spam/${party}`)).json()) as object as never,
    );
  });

  test("hands a submission over, and answers with its block", async () => {
    const bytes = await transfer();
    expect(await submit(alone, bytes, "", "/transaction/raw/check")).toMatchObject({
      success: true,
      code: 0,
    });
    const height = String(devnet.chain.status.height + 1);
    expect(await submit(alone, bytes, "TYPE_COMMIT")).toMatchObject({ success: true, code: 0, height });
  });

  test("refuses by itself what the bytes tell, and passes the core's refusals on", async () => {
    await atHead(alone);
    const damaged = (await transfer()).slice();
    damaged[20]! ^= 1;
    const before = submissions;
    expect(await submit(alone, damaged)).toMatchObject({ success: false, code: 60 });
    expect(submissions).toBe(before);
    const bytes = await transfer();
    await submit(alone, bytes, "TYPE_COMMIT");
    const again = await submit(alone, bytes);
    const own = await fetch(`${devnet.nodeUrl}/transaction/raw`, {
      method: "POST",
      body: JSON.stringify({ tx: bytes.toBase64(), type: "TYPE_SYNC" }),
    });
    expect(again).toEqual({ status: own.status, ...((await own.json()) as object) });
    expect(JSON.stringify(again)).toContain("tx already exists in cache");
  });

  test("sends again what has no answer, and it is executed once", async () => {
    const bytes = await transfer();
    const { height } = devnet.chain.status;
    answersToLose = 1;
    const answer = await submit(alone, bytes);
    expect(answer).toMatchObject({ status: 200, success: true, code: 0 });
    expect(devnet.chain.status.height).toBe(height + 1);
  });

  test("does not invent what became of a transaction whose block was not answered", async () => {
    const bytes = await transfer();
    const { height } = devnet.chain.status;
    answersToLose = 1;
    const answer = await submit(alone, bytes, "TYPE_COMMIT");
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer)).toContain("timed out waiting for tx to be included in a block");
    expect(devnet.chain.status.height).toBe(height + 1);
  });

  test("says so when the core is down, or is no core, and goes on by itself", async () => {
    for (const [kind, state] of [
      ["down", "waiting"],
      ["nonsense", "stopped"],
    ] as const) {
      trouble = kind;
      await eventually(() => source(alone).state === state, `state ${state}`);
      const answer = await submit(alone, await transfer());
      expect(answer.status).toBeGreaterThanOrEqual(500);
      trouble = undefined;
      await eventually(() => source(alone).state === "receiving", "the core again");
      expect(await submit(alone, await transfer())).toMatchObject({ success: true });
    }
  }, 120_000);
});

describe("a sidecar with a core behind its RPC", () => {
  test("hands over to the core while the RPC is down", async () => {
    await atHead(behind);
    const before = submissions;
    expect(await submit(behind, await transfer())).toMatchObject({ success: true });
    expect(submissions).toBe(before);
    await atHead(behind);
    const bytes = await transfer();
    isRpcDown = true;
    expect(await submit(behind, bytes)).toMatchObject({ success: true, code: 0 });
    expect(submissions).toBe(before + 1);
    isRpcDown = false;
    await atHead(behind);
  }, 120_000);
});
