// Floods: from one party, from a thousand, from connections that say nothing. Each is refused clearly, memory stays
// bounded, and an honest party is served. The full sizes are in scripts/flood.ts.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DevnetClient, EASY } from "../rig/devnet-client.ts";
import { RunningDevnet } from "../rig/devnet-process.ts";
import { Scratch } from "../rig/homes.ts";
import { filesMax, flood, halfBody, Idlers, residentMib, serveHonest, strangers } from "./crowd.ts";

/** On a machine that does much else. */
const LATENCY_MS_MAX = 3_000;
const SPARE_FILES = 500;

const scratch = new Scratch("flood");
let devnet: RunningDevnet | undefined;

async function start(block: string, parameters: Readonly<Record<string, string>>) {
  devnet = new RunningDevnet({ home: scratch.path(), block, parameters });
  const address = await devnet.listening();
  return { ...address, client: new DevnetClient(address.nodeUrl, address.dataUrl) };
}

async function stop(): Promise<void> {
  const { code, err } = await devnet!.stop();
  expect({ code, err }).toEqual({ code: 0, err: "" });
}

afterAll(async () => {
  devnet?.kill("SIGKILL");
  await devnet?.end();
  scratch.remove();
});

describe("a flood of one party", () => {
  test("given far more than its proofs allow, then it is refused, and another one's transactions get their blocks", async () => {
    const { client } = await start("instant", { ...EASY, "spam.pow.numberOfTxPerBlock": "5" });
    const flooding = flood(client, strangers(1), 1_500, { name: "one" });
    const { tookMs, refusals } = await serveHonest(client, "TYPE_COMMIT", "honest", flooding);
    const tally = await flooding;
    expect(refusals).toEqual([]);
    expect(Math.max(...tookMs)).toBeLessThan(LATENCY_MS_MAX);
    expect([...tally.keys()].sort()).toEqual(["code 0", "code 89"]);
    expect(tally.get("code 89")!).toBeGreaterThan(1_200);
    await stop();
  }, 120_000);
});

describe("a flood of a thousand parties", () => {
  const MEMPOOL_TXS = 5_000;
  const SENT = 6_000;
  let at: Awaited<ReturnType<typeof start>>;

  beforeAll(async () => {
    at = await start("manual", EASY);
  });
  afterAll(stop);

  test("given more than the mempool holds, then the rest is told that it is full, and memory is bounded", async () => {
    const before = residentMib(at.pid);
    const tally = await flood(at.client, strangers(1_000), SENT, { name: "many" });
    // A party that has sent less than others by chance makes one of theirs go.
    const [accepted, full] = [tally.get("code 0")!, tally.get("500 mempool is full")!];
    expect(accepted + full).toBe(SENT);
    expect(accepted).toBeGreaterThanOrEqual(MEMPOOL_TXS);
    expect(accepted).toBeLessThan(MEMPOOL_TXS + 100);
    expect((await at.client.status()).mempool).toMatchObject({ count: MEMPOOL_TXS });
    expect(residentMib(at.pid) - before).toBeLessThan(250);
  }, 120_000);

  test("given a full mempool, then who has sent little gets in, and into the next block", async () => {
    const { tookMs, refusals } = await serveHonest(at.client, "TYPE_SYNC", "late", Promise.resolve());
    expect(refusals).toEqual([]);
    expect(Math.max(...tookMs)).toBeLessThan(LATENCY_MS_MAX);
    await at.client.tool("mine", { blocks: 20 });
    const status = await at.client.status();
    expect(status.mempool).toMatchObject({ count: 0 });
    const { transfers } = (await at.client.data("transfers")) as { transfers: { edges: object[] } };
    expect(transfers.edges).toHaveLength(3);
  }, 120_000);
});

describe("connections that say nothing", () => {
  let at: Awaited<ReturnType<typeof start>>;
  const idlers = new Idlers();

  beforeAll(async () => {
    at = await start("instant", EASY);
  });
  afterAll(async () => {
    idlers.close();
    await stop();
  });

  test("given ten thousand of them on both ports, then an honest party is served, and memory is bounded", async () => {
    const count = Math.min(10_000, filesMax() - SPARE_FILES);
    if (count < 10_000)
      console.log(`flood.test: ${count} connections, no more files may be open here (ulimit -n)`);
    const before = residentMib(at.pid);
    await idlers.open([at.nodePort, at.dataPort], count);
    const { tookMs, refusals } = await serveHonest(
      at.client,
      "TYPE_COMMIT",
      "beside idlers",
      Promise.resolve(),
    );
    expect(refusals).toEqual([]);
    expect(Math.max(...tookMs)).toBeLessThan(LATENCY_MS_MAX);
    expect([idlers.count, idlers.closed]).toEqual([count, 0]);
    expect(residentMib(at.pid) - before).toBeLessThan(150);
    idlers.close();
  }, 120_000);

  test("given bodies that come a byte at a time, then an honest party is served, and memory is bounded", async () => {
    const before = residentMib(at.pid);
    await idlers.open([at.nodePort, at.dataPort], 300, halfBody(1_900_000, 2_000_000));
    idlers.drip();
    const { tookMs, refusals } = await serveHonest(
      at.client,
      "TYPE_COMMIT",
      "beside drips",
      Bun.sleep(1_000),
    );
    idlers.drip();
    expect(refusals).toEqual([]);
    expect(Math.max(...tookMs)).toBeLessThan(LATENCY_MS_MAX);
    // Together they may hold 12 MiB, and nothing of refused ones is kept.
    expect(residentMib(at.pid) - before).toBeLessThan(200);

    const send = (bytes: number) =>
      fetch(`${at.nodeUrl}/transaction/raw`, { method: "POST", body: "x".repeat(bytes) });
    // Bodies that drip give way to one that comes at once.
    expect((await send(1_900_000)).status).toBe(400);
    expect((await send(100_000)).status).toBe(400);
    idlers.close();
    await Bun.sleep(200);
    expect((await send(1_900_000)).status).toBe(400);
  }, 120_000);
});
