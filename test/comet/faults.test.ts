// A validator that is slow, silent, lying or flapping: each fault is named in /status, nothing of it stays, and following goes on
// by itself when it has ended.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type Server, Socket } from "node:net";
import { CometClient } from "../../src/comet/client.ts";
import { CometFollower, type FollowerReport } from "../../src/comet/follower.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";
import type { Sidecar } from "../../src/node/sidecar.ts";
import { startNode } from "../../src/start-node.ts";
import { freePort } from "../../src/testnet/ports.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { Scratch } from "../rig/homes.ts";
import { eventually } from "../support/eventually.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

type Answer = Record<string, never> & { result: Record<string, never> };
/** Changes an answer of the RPC on its way. Undefined: the connection is cut. */
type Fault = (method: string, answer: Answer) => Promise<object | string | undefined>;

const scratch = new Scratch("comet-faults");
let devnet: Devnet;
let sidecar: Sidecar;
let client: PartyClient;
let fault: Fault | undefined;
let rpc: ReturnType<typeof Bun.serve>;
let events: { server: Server; sockets: Set<Socket>; isCut: boolean };

beforeAll(async () => {
  const eventsPort = freePort();
  const behindPort = freePort();
  events = cuttable(eventsPort, behindPort);
  devnet = await startTestDevnet({
    home: scratch.path(),
    cometPort: 0,
    eventsTo: `tcp://127.0.0.1:${eventsPort}`,
    mode: { kind: "manual" },
    parameters: { "spam.pow.difficulty": "1", "spam.protection.maxUserTransfersPerEpoch": "1000" },
    rules: "0.71.6",
  });
  rpc = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method !== "POST") return new Response("", { status: 404 });
      const body = await request.text();
      const answer = await (await fetch(devnet.address.cometUrl!, { method: "POST", body })).json();
      const changed = fault ? await fault(JSON.parse(body).method, answer as Answer) : (answer as object);
      if (changed === undefined) throw new Error("cut");
      return new Response(typeof changed === "string" ? changed : JSON.stringify(changed));
    },
    error: () => new Response(null, { status: 500 }),
  });
  sidecar = await startNode({
    kind: "sidecar",
    home: scratch.path(),
    comet: `http://127.0.0.1:${rpc.port}`,
    nodePort: 0,
    events: { host: "127.0.0.1", port: behindPort },
    rules: "0.71.6",
    lookMs: 20,
  });
  client = new PartyClient(devnet.chain, devnet.parties[0]!.key, "faults");
});

afterAll(async () => {
  await sidecar?.stop();
  await devnet?.stop();
  rpc?.stop(true);
  events?.server.close();
  for (const socket of events?.sockets ?? []) socket.destroy();
  scratch.remove();
});

/** A way for the events that can be cut. */
function cuttable(port: number, behind: number) {
  const sockets = new Set<Socket>();
  const way = { sockets, isCut: false, server: undefined as unknown as Server };
  way.server = createServer((socket) => {
    if (way.isCut) return void socket.destroy();
    const further = new Socket().connect(behind, "127.0.0.1");
    for (const [one, other] of [
      [socket, further],
      [further, socket],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  }).listen(port, "127.0.0.1");
  return way;
}

const comet = () => sidecar.status.sources().find(({ kind }) => kind === "comet")!;

interface Followed {
  readonly height: number | null;
  readonly disagreements: number;
}

const followed = async () =>
  ((await (await fetch(`${sidecar.dataUrl}/status`)).json()) as { follower: Followed }).follower;
const spam = async (url: string) =>
  (await fetch(`${url}/statistics/spam/${devnet.parties[0]!.publicKey}`)).json();

async function block(): Promise<void> {
  await client
    .send(
      {
        kind: "transfer",
        payload: {
          ...{ fromAccountType: 4, toAccountType: 4, to: devnet.parties[1]!.publicKey },
          ...{ asset: madeUpAssetId("tUSD"), amount: "100000", oneOff: {} },
        },
      },
      { wait: "check", allowRefusal: true },
    )
    .catch(() => {});
  await devnet.chain.mine(1);
}

/** At the devnet's height, with the devnet's figures. */
async function recovers(): Promise<void> {
  fault = undefined;
  await block();
  const { height } = devnet.chain.status;
  await eventually(
    async () => (await followed()).height === height && comet().state === "receiving",
    () => JSON.stringify(comet()),
  );
  await eventually(
    () => sidecar.head()?.height === height,
    () => `events at ${sidecar.head()?.height}`,
  );
  expect(await spam(String(sidecar.addresses.nodeUrl))).toEqual(await spam(devnet.nodeUrl));
}

function isLike(value: object, like: object): boolean {
  try {
    expect(value).toMatchObject(like);
    return true;
  } catch {
    return false;
  }
}

const changed =
  (method: string, change: (result: Record<string, never>) => object): Fault =>
  async (called, answer) =>
    called === method && answer.result ? { ...answer, result: change(answer.result) } : answer;
/** A deep copy in which some texts are others. */
const replaced = (value: object, from: RegExp, to: string) =>
  JSON.parse(JSON.stringify(value).replaceAll(from, to)) as object;

const lies: readonly (readonly [name: string, state: object, fault: Fault])[] = [
  [
    "of another chain",
    { state: "stopped", code: "comet_chain_differs" },
    changed("status", (result) => replaced(result, /"network":"[^"]*"/g, '"network":"other"')),
  ],
  [
    "far ahead of its blocks",
    { state: "receiving", text: expect.stringContaining("waits for its events") },
    changed("status", (result) =>
      replaced(result, /"latest_block_height":"\d+"/g, '"latest_block_height":"99999"'),
    ),
  ],
  [
    "behind what was there",
    { state: "waiting", text: expect.stringContaining("behind block") },
    changed("status", (result) =>
      replaced(result, /"latest_block_height":"\d+"/g, '"latest_block_height":"1"'),
    ),
  ],
  [
    "with another block at a height",
    { state: "stopped", code: "comet_contradiction" },
    changed("block", (result) => replaced(result, /"hash":"[0-9A-F]{64}"/g, `"hash":"${"AB".repeat(32)}"`)),
  ],
  [
    "with results missing",
    { state: "stopped", code: "comet_contradiction" },
    changed("block_results", (result) => ({ ...result, txs_results: [] })),
  ],
  [
    "that gives another height than was asked for",
    { state: "stopped", code: "comet_invalid" },
    changed("block", (result) => replaced(result, /"height":"\d+"/g, '"height":"3"')),
  ],
  ["whose answers are no JSON", { state: "stopped", code: "comet_invalid" }, async () => "{"],
  [
    "that is no CometBFT",
    { state: "stopped", code: "comet_invalid" },
    async () => ({ result: { sync_info: [] } }),
  ],
  [
    "that is down",
    { state: "waiting", text: expect.stringContaining("cannot be reached") },
    async () => undefined,
  ],
];

describe("a validator", () => {
  beforeAll(recovers);

  test.each(lies)(
    "%s is named, and nothing of it stays",
    async (_, state, lie) => {
      const { disagreements } = await followed();
      fault = lie;
      await block();
      await eventually(
        () => isLike(comet(), state),
        () => JSON.stringify(comet()),
      );
      await recovers();
      expect(comet().code).toBeUndefined();
      expect((await followed()).disagreements).toBe(disagreements);
    },
    40_000,
  );

  test("whose events stay away while its blocks come is waited for, and the reverse", async () => {
    const before = sidecar.head()!.height;
    events.isCut = true;
    for (const socket of events.sockets) socket.destroy();
    for (let n = 0; n < 3; n++) await block();
    await eventually(
      () => comet().text.includes("waits for its events"),
      () => JSON.stringify(comet()),
    );
    expect(sidecar.head()!.height).toBeLessThanOrEqual(before + 1);
    events.isCut = false;
    await recovers();
    fault = async () => undefined;
    for (let n = 0; n < 3; n++) await block();
    const { height } = devnet.chain.status;
    await eventually(
      () => sidecar.head()?.height === height && comet().state === "waiting",
      () => JSON.stringify(comet()),
    );
    await recovers();
  }, 120_000);

  test("whose clock is hours ahead is followed, and the difference is told", async () => {
    await devnet.chain.forwardTime(6n * 3_600n * SECOND_NS);
    await recovers();
    const response = await fetch(`${sidecar.dataUrl}/status`);
    const { lag, clockSkewSeconds } = (await response.json()) as {
      lag: { blocks: number };
      clockSkewSeconds: number;
    };
    expect(lag.blocks).toBe(0);
    expect(clockSkewSeconds).toBeLessThan(-6 * 3_600 + 60);
    expect((await fetch(`${sidecar.dataUrl}/readyz`)).status).toBe(200);
    const { timestamp } = (await (await fetch(`${sidecar.addresses.nodeUrl}/time`)).json()) as {
      timestamp: string;
    };
    expect(BigInt(timestamp)).toBe(devnet.chain.status.timeNs);
  }, 120_000);

  test("whose clock stands still is followed, and is no lag", async () => {
    await devnet.chain.freezeClock(true);
    await recovers();
    await recovers();
    const { lag } = (await (await fetch(`${sidecar.dataUrl}/status`)).json()) as {
      lag: { blocks: number; seconds: number };
    };
    expect(lag).toEqual({ blocks: 0, seconds: 0 });
    expect((await fetch(`${sidecar.dataUrl}/readyz`)).status).toBe(200);
    await devnet.chain.freezeClock(false);
  }, 120_000);

  test("that lies about results is found out, and each lie is counted", async () => {
    const { disagreements } = await followed();
    // The transfers were executed; the rules know of no refusal.
    fault = changed("block_results", (result) => replaced(result, /"code":0/g, '"code":89'));
    for (let n = 0; n < 3; n++) await block();
    const { height } = devnet.chain.status;
    await eventually(
      async () => (await followed()).height === height,
      () => JSON.stringify(comet()),
    );
    expect((await followed()).disagreements).toBeGreaterThan(disagreements);
  }, 120_000);
});

test("a validator that takes a question and says nothing is named after the time that an answer may take", async () => {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  const { port } = server.address() as { port: number };
  const reports: FollowerReport[] = [];
  const follower = new CometFollower({
    client: new CometClient(`http://127.0.0.1:${port}`, 200),
    rules: "0.71.6",
    lookMs: 20,
    facts: undefined,
    keeper: { saved: undefined, keep: () => {}, close: () => {} },
    chainId: () => undefined,
    storedHash: () => undefined,
    onReport: (report) => reports.push(report),
    onBlock: () => {},
  });
  follower.start();
  await eventually(
    () => reports.length > 0,
    () => "a report",
  );
  expect(reports[0]).toMatchObject({ state: "waiting", text: expect.stringContaining("cannot be reached") });
  await follower.stop();
  server.close();
});

test("without events a false block is left behind, once the node has said for a while that there is another", async () => {
  const own = await startTestDevnet({
    cometPort: 0,
    mode: { kind: "manual" },
    parameters: { "spam.pow.difficulty": "1" },
  });
  await own.chain.mine(3);
  const { height: last } = own.chain.status;
  const real = new CometClient(own.address.cometUrl!);
  let isLying = true;
  const lying = Object.create(real, {
    block: {
      value: async (height: number) => {
        const block = await real.block(height);
        return isLying && height === last ? { ...block, hash: "ab".repeat(32) } : block;
      },
    },
  }) as CometClient;
  const reports: FollowerReport[] = [];
  const follower = new CometFollower({
    client: lying,
    rules: "default",
    facts: undefined,
    keeper: { saved: undefined, keep: () => {}, close: () => {} },
    chainId: () => undefined,
    storedHash: () => undefined,
    contradictionMs: 100,
    lookMs: 20,
    onReport: (report) => reports.push(report),
    onBlock: () => {},
  });
  follower.start();
  await eventually(
    () => follower.observer?.point?.height === last,
    () => "the last block",
  );
  isLying = false;
  await own.chain.mine(2);
  await eventually(
    () => reports.some(({ code }) => code === "comet_contradiction"),
    () => "a contradiction",
  );
  await eventually(
    () => follower.observer?.point?.height === last + 2,
    () => JSON.stringify(reports.at(-1)),
  );
  expect(follower.observer!.point!.hash).toBe(own.chain.status.hash);
  const isRefusal = ({ code }: FollowerReport) => code === "comet_contradiction";
  const refused = reports.slice(reports.findIndex(isRefusal), reports.findLastIndex(isRefusal));
  expect(new Set(refused.map(({ state }) => state))).toEqual(new Set(["stopped"]));
  await follower.stop();
  await own.stop();
});

test("a genesis in pieces without an end is cut off at its bound", async () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ result: { total: "1000", data: Buffer.alloc(600).toString("base64") } }),
  });
  const client = new CometClient(`http://127.0.0.1:${server.port}`, 5_000, 1_000_000, 1_000);
  expect(await client.appState().catch((error) => error)).toMatchObject({
    code: "comet_invalid",
    message: expect.stringContaining("a genesis of more than 1000 bytes"),
  });
  await server.stop(true);
});

test("an answer without an end is cut off at its bound", async () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      new Response(
        new ReadableStream({
          pull: (stream) => stream.enqueue(new Uint8Array(64 * 1024).fill(32)),
        }),
      ),
  });
  const client = new CometClient(`http://127.0.0.1:${server.port}`, 5_000, 1_000_000);
  expect(await client.status().catch((error) => error)).toMatchObject({
    code: "comet_invalid",
    message: expect.stringContaining("an answer of more than 1000000 bytes"),
  });
  await server.stop(true);
});
