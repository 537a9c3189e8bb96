// Submissions through a sidecar: checked there, handed over once, whatever happens to the answers.
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

const scratch = new Scratch("submission");
let devnet: Devnet;
let sidecar: Sidecar;
let client: PartyClient;
/** In front of the RPC: counts hand-overs, and loses answers. */
let handOvers = 0;
let answersToLose = 0;
let isDown = false;
let proxy: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  devnet = await startTestDevnet({ cometPort: 0, parameters: { "spam.pow.difficulty": "1" } });
  proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (isDown) return new Response("", { status: 502 });
      const body = await request.text();
      const answer = await fetch(devnet.address.cometUrl!, { method: "POST", body });
      if (!body.includes("broadcast_tx")) return answer;
      handOvers++;
      if (answersToLose === 0) return answer;
      answersToLose--;
      throw new Error("lost");
    },
    error: () => new Response(null, { status: 500 }),
  });
  sidecar = await startNode({
    kind: "sidecar",
    home: scratch.path(),
    comet: `http://127.0.0.1:${proxy.port}`,
    rules: "default",
    lookMs: 20,
  });
  client = new PartyClient(devnet.chain, devnet.parties[0]!.key, "submission");
  await caughtUp();
});

afterAll(async () => {
  await sidecar?.stop();
  await devnet?.stop();
  proxy?.stop(true);
  scratch.remove();
});

async function caughtUp(): Promise<void> {
  await eventually(async () => {
    const answer = await (await fetch(`${sidecar.addresses.nodeUrl}/blockchain/height`)).json();
    return Number(answer.height) === devnet.chain.status.height;
  }, "the sidecar comes to the devnet's height");
}

async function transfer(): Promise<Uint8Array> {
  await caughtUp();
  const command = transferTo(devnet.parties[1]!.publicKey, madeUpAssetId("tUSD"), 100_000n);
  return (await client.build(command)).bytes;
}

async function submit(bytes: Uint8Array, type: "TYPE_SYNC" | "TYPE_COMMIT", path = "/transaction/raw") {
  const body = JSON.stringify({ tx: bytes.toBase64(), ...(path.endsWith("check") ? {} : { type }) });
  const response = await fetch(`${sidecar.addresses.nodeUrl}${path}`, { method: "POST", body });
  return { status: response.status, ...((await response.json()) as Record<string, unknown>) };
}

describe("a submission through a sidecar", () => {
  test("is handed over, and answered with its block", async () => {
    const bytes = await transfer();
    expect(await submit(bytes, "TYPE_COMMIT", "/transaction/raw/check")).toMatchObject({
      success: true,
      code: 0,
    });
    const before = handOvers;
    const height = String(devnet.chain.status.height + 1);
    expect(await submit(bytes, "TYPE_COMMIT")).toMatchObject({ status: 200, success: true, code: 0, height });
    expect(handOvers).toBe(before + 1);
  });

  test("that a rule refuses never reaches the node", async () => {
    const bytes = await transfer();
    await submit(bytes, "TYPE_COMMIT");
    await caughtUp();
    const before = handOvers;
    expect(await submit(bytes, "TYPE_SYNC")).toMatchObject({ status: 200, success: false, code: 89 });
    const damaged = (await transfer()).slice();
    damaged[20]! ^= 1;
    expect(await submit(damaged, "TYPE_SYNC")).toMatchObject({ success: false, code: 60 });
    expect(handOvers).toBe(before);
  });

  test("whose answer is lost is sent again, and executed once", async () => {
    const bytes = await transfer();
    const { height } = devnet.chain.status;
    answersToLose = 1;
    const before = handOvers;
    expect(await submit(bytes, "TYPE_SYNC")).toMatchObject({ status: 200, success: true, code: 0 });
    expect(handOvers - before).toBeGreaterThanOrEqual(1);
    await caughtUp();
    expect(devnet.chain.status.height).toBe(height + 1);
  });

  test("to a node that is down is an error, and can be made again when it is back", async () => {
    const bytes = await transfer();
    isDown = true;
    expect((await submit(bytes, "TYPE_SYNC")).status).toBe(500);
    isDown = false;
    expect(await submit(bytes, "TYPE_SYNC")).toMatchObject({ status: 200, success: true });
  });
});
