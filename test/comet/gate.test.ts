// A sidecar refuses only what no core would take: blocks that it has not seen yet are waited for, and what stays in doubt is
// the core's to decide.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";
import type { Sidecar } from "../../src/node/sidecar.ts";
import { startNode } from "../../src/start-node.ts";
import { freePort } from "../../src/testnet/ports.ts";
import { Scratch } from "../rig/homes.ts";
import { eventually, staysOpen } from "../support/eventually.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const TRANSFERS_MAX = 3;
const scratch = new Scratch("gate");
let devnet: Devnet;
let sidecar: Sidecar;
/** In front of the RPC: counts hand-overs, and keeps blocks back. */
let handOvers = 0;
let shown = Promise.resolve();
let show = () => {};
let proxy: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  const port = freePort();
  devnet = await startTestDevnet({
    home: scratch.path(),
    cometPort: 0,
    eventsTo: `tcp://127.0.0.1:${port}`,
    mode: { kind: "manual" },
    parameters: {
      "spam.pow.difficulty": "1",
      "spam.pow.numberOfPastBlocks": "50",
      "spam.protection.maxUserTransfersPerEpoch": String(TRANSFERS_MAX),
    },
    rules: "0.71.6",
  });
  proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = await request.text();
      if (body.includes('"block"')) await shown;
      if (body.includes("broadcast_tx")) handOvers++;
      return fetch(devnet.address.cometUrl!, { method: "POST", body });
    },
    error: () => new Response(null, { status: 500 }),
  });
  sidecar = await startNode({
    kind: "sidecar",
    home: scratch.path(),
    comet: `http://127.0.0.1:${proxy.port}`,
    events: { host: "127.0.0.1", port },
    rules: "0.71.6",
    lookMs: 20,
  });
});

beforeEach(async () => {
  await devnet.chain.endEpoch();
  await devnet.chain.mine(1);
  await caughtUp();
  handOvers = 0;
});

afterAll(async () => {
  show();
  await sidecar?.stop();
  await devnet?.stop();
  proxy?.stop(true);
  scratch.remove();
});

function keepBlocksBack(): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  shown = promise;
  show = resolve;
}

async function caughtUp(): Promise<void> {
  await eventually(async () => {
    const answer = await (await fetch(`${sidecar.addresses.nodeUrl}/blockchain/height`)).json();
    return Number(answer.height) === devnet.chain.status.height;
  }, "the sidecar comes to the devnet's height");
}

const clientOf = (party: number) =>
  new PartyClient(devnet.chain, devnet.parties[party]!.key, `gate ${party} ${Math.random()}`);

async function transfer(client: PartyClient): Promise<Uint8Array> {
  const { bytes } = await client.build({
    kind: "transfer",
    payload: {
      ...{ fromAccountType: 4, toAccountType: 4, to: devnet.parties[5]!.publicKey },
      ...{ asset: madeUpAssetId("tUSD"), amount: "100000", oneOff: {} },
    },
  });
  return bytes;
}

async function submit(bytes: Uint8Array, path = "/transaction/raw") {
  const body = JSON.stringify({
    tx: bytes.toBase64(),
    ...(path.endsWith("check") ? {} : { type: "TYPE_SYNC" }),
  });
  const response = await fetch(`${sidecar.addresses.nodeUrl}${path}?details=true`, { method: "POST", body });
  return (await response.json()) as Record<string, unknown>;
}

describe("a transaction whose block the sidecar does not know", () => {
  test("waits for it, and is checked then", async () => {
    keepBlocksBack();
    await devnet.chain.mine(1);
    const answer = submit(await transfer(clientOf(0)));
    expect(await staysOpen(answer)).toBe(true);
    expect(handOvers).toBe(0);
    show();
    expect(await answer).toMatchObject({ success: true, code: 0 });
    expect(handOvers).toBe(1);
  });

  test("is handed on when that takes long, and the core decides", async () => {
    keepBlocksBack();
    await devnet.chain.mine(1);
    const bytes = await transfer(clientOf(0));
    const [checked, submitted] = await Promise.all([submit(bytes, "/transaction/raw/check"), submit(bytes)]);
    expect(checked).toMatchObject({ success: true, code: 0 });
    expect(submitted).toMatchObject({ success: true, code: 0 });
    expect(handOvers).toBe(1);
    show();
  });

  test("is refused here when the block is too old for every core", async () => {
    const client = clientOf(0);
    const bytes = await transfer(client);
    await devnet.chain.mine(60);
    await caughtUp();
    expect(await submit(bytes)).toMatchObject({
      success: false,
      code: 89,
      details: { rule: "pow_unknown_height" },
    });
    expect(handOvers).toBe(0);
  });
});

describe("a quota that is used up", () => {
  async function useUp(party: number): Promise<PartyClient> {
    const client = clientOf(party);
    for (let n = 0; n < TRANSFERS_MAX; n++) {
      expect(await submit(await transfer(client))).toMatchObject({ success: true });
      await devnet.chain.mine(1);
      await caughtUp();
    }
    handOvers = 0;
    return client;
  }

  test("is refused at no cost of the core while it has no further block", async () => {
    const client = await useUp(1);
    expect(await submit(await transfer(client))).toMatchObject({
      success: false,
      code: 89,
      details: { rule: "spam_transfer_count" },
    });
    expect(handOvers).toBe(0);
  });

  test("is there again with an epoch that the sidecar has not seen yet", async () => {
    const client = await useUp(2);
    // It names a block that the sidecar has: only the epoch is new.
    const bytes = await transfer(client);
    keepBlocksBack();
    await devnet.chain.endEpoch();
    await devnet.chain.mine(1);
    expect(await submit(bytes)).toMatchObject({ success: true, code: 0 });
    show();
  });
});

test("the same bytes again are handed on: whether they are a duplicate is the core's word", async () => {
  const bytes = await transfer(clientOf(3));
  await devnet.chain.mine(1);
  await caughtUp();
  expect(await submit(bytes)).toMatchObject({ success: true });
  expect(JSON.stringify(await submit(bytes))).toContain("tx already exists in cache");
  expect(handOvers).toBe(2);
});
