// Streams of nodes whose writer is another thread: a file that is followed, by one thread and by two; a sidecar beside
// its core; a devnet that answers on a thread of its own.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, writeFileSync } from "node:fs";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { startNode } from "../../src/start-node.ts";
import { decodeBusEvent } from "../../src/wire/generated/events.ts";
import { MEMORY, SAMPLE, Scratch } from "../rig/homes.ts";
import { type BlockSpan, blockSpans, inflated } from "../rig/stream.ts";
import { eventually, turns } from "../support/eventually.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

const scratch = new Scratch("node-streams", MEMORY);
const opened: { stop(): unknown }[] = [];
let sample: Buffer;
let spans: BlockSpan[];

beforeAll(() => {
  sample = inflated(SAMPLE);
  spans = blockSpans(sample);
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.stop();
});
afterAll(() => scratch.remove());

/** A client of a stream; of the event bus with the filter that it sends first. */
class Client {
  readonly messages: Json[] = [];
  readonly opened: Promise<void>;

  constructor(url: string, path: string, first?: object) {
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/v2/stream/${path}`);
    this.opened = new Promise((resolve) => {
      socket.onopen = () => {
        if (first) socket.send(JSON.stringify(first));
        resolve();
      };
    });
    socket.onmessage = ({ data }) => void this.messages.push(JSON.parse(data as string));
    opened.push({ stop: () => socket.close() });
  }

  /** Waits until the stream has begun, which its first mark of a height or its snapshot says. */
  begins = () => eventually(() => this.messages.length > 0);

  /** Waits until the mark of a height has come. */
  async reaches(height: number): Promise<void> {
    const last = () => this.messages.at(-1)?.height;
    await eventually(
      () => Number(last() ?? 0) >= height,
      () => `it comes to ${height}, and stays at ${last()}`,
    );
  }

  get results(): Json[] {
    return this.messages.flatMap(({ result }) => result ?? []);
  }

  get events(): Json[] {
    return this.results.flatMap(({ events }) => events);
  }
}

const ids = (events: readonly Json[]): string[] => events.map(({ id }) => id);

/** Ids of the recording's own events behind a height. */
function recordedIds(from: number): string[] {
  const ids: string[] = [];
  for (let at = 0; at < sample.length; at += 4 + sample.readUInt32BE(at)) {
    const { id } = decodeBusEvent(sample.subarray(at + 12, at + 4 + sample.readUInt32BE(at)));
    if (Number(id.split("-")[0]) > from) ids.push(id);
  }
  return ids;
}

describe("a file that is followed", () => {
  test("tells every event and every change, each once", async () => {
    const file = scratch.path();
    const half = spans.findIndex(({ height }) => height === 1_500);
    writeFileSync(file, sample.subarray(0, spans[half]!.end));
    const node = await startNode({ kind: "data", home: scratch.path(), dataPort: 0, follow: file });
    opened.push(node);
    await eventually(() => node.head()?.height === 1_500);
    const buses = Array.from(
      { length: 8 },
      () => new Client(node.dataUrl, "event/bus?height=true", { type: [1] }),
    );
    const trades = Array.from({ length: 8 }, () => new Client(node.dataUrl, "trades?height=true"));
    await Promise.all([...buses, ...trades].map((client) => client.begins()));
    for (let at = half + 1; at < spans.length; at += 50) {
      const end = spans[Math.min(at + 49, spans.length - 1)]!.end;
      appendFileSync(file, sample.subarray(spans[at - 1]!.end, end));
      await turns();
    }
    const last = spans.at(-1)!.height;
    await Promise.all([...buses, ...trades].map((client) => client.reaches(last)));
    const expected = recordedIds(1_500);
    for (const bus of buses) expect(ids(bus.events)).toEqual(expected);
    const all = await (await fetch(`${node.dataUrl}/api/v2/trades?pagination.newestFirst=false`)).json();
    const stored = all.trades.edges.map(({ node: trade }: Json) => trade.id);
    for (const client of trades) {
      const tradeIds = client.results.flatMap((result) => result.trades.map(({ id }: Json) => id));
      expect(tradeIds.length).toBeGreaterThan(5);
      expect(tradeIds).toEqual(stored.slice(stored.length - tradeIds.length));
    }
  }, 120_000);
});

describe("a sidecar beside its core", () => {
  test("tells the events that the core tells, and the changes that it stores", async () => {
    const events = { host: "127.0.0.1", port: 0 };
    const side = await startNode({ kind: "sidecar", home: scratch.path(), dataPort: 0, events });
    opened.push(side);
    const devnet = await startTestDevnet({ eventsTo: `${side.addresses.eventsUrl}` });
    opened.push(devnet);
    const { height } = devnet.chain.status;
    await eventually(() => (side.head()?.height ?? 0) >= height);
    const clients = [devnet, side].map(({ dataUrl }) => ({
      bus: new Client(dataUrl, "event/bus?height=true", { type: [1] }),
      accounts: new Client(dataUrl, "accounts?height=true"),
      movements: new Client(dataUrl, "ledger/movements?height=true"),
    }));
    await Promise.all(clients.flatMap((each) => Object.values(each).map((client) => client.begins())));
    const [alice, bob] = devnet.parties;
    const dollar = madeUpAssetId("dUSD");
    for (let n = 1; n <= 5; n++) {
      await devnet.chain.bridge.deposit(alice!.publicKey, dollar, BigInt(n * 1_000_000));
      await devnet.chain.bridge.deposit(bob!.publicKey, dollar, 5n);
    }
    await devnet.chain.endEpoch();
    const last = devnet.chain.status.height;
    await Promise.all(clients.flatMap((each) => Object.values(each).map((client) => client.reaches(last))));
    const [core, sidecar] = clients as [(typeof clients)[0], (typeof clients)[0]];
    expect(ids(core.bus.events)[0]).toBe(`${height + 1}-1`);
    for (const kind of ["bus", "accounts", "movements"] as const)
      expect(sidecar[kind].results.length).toBeGreaterThan(5);
    expect(sidecar.bus.events).toEqual(core.bus.events);
    expect(sidecar.movements.results).toEqual(core.movements.results);
    // Events of a block are the same; they may be told in more or fewer messages where blocks were stored together.
    const updates = (client: Client) => client.results.flatMap(({ updates }) => updates?.accounts ?? []);
    expect(updates(sidecar.accounts)).toEqual(updates(core.accounts));
  }, 120_000);
});
