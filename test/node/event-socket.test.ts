// A core's events through the socket into a store: the same rows as a recording's, whatever breaks on the way.
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { givesWay } from "../../src/http/connection-places.ts";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { EventLogWriter } from "../../src/ingest/event-log.ts";
import { whyNotStored } from "../../src/ingest/intake.ts";
import { EventSocket } from "../../src/node/event-socket.ts";
import type { Sidecar } from "../../src/node/sidecar.ts";
import type { SidecarNodeConfig } from "../../src/node/sidecar-config.ts";
import { startNode } from "../../src/start-node.ts";
import { decodeBusEvent, encodeBusEvent } from "../../src/wire/generated/events.ts";
import { digestOf, headOf, load, MEMORY, SAMPLE, Scratch } from "../rig/homes.ts";
import { messageOf, messagesOf, Sender } from "../rig/sp-sender.ts";
import { type BlockSpan, blockSpans, inflated, recordOffsets, StreamMaker } from "../rig/stream.ts";
import { eventually } from "../support/eventually.ts";

/** As much of the sample as shows everything. */
const BLOCKS = 100;
/** Of the sample. */
const CHAIN = decodeBusEvent(messagesOf(inflated(SAMPLE))[0]!.subarray(8)).chainId;
const scratch = new Scratch("event-socket", MEMORY);
let sample: Buffer;
let messages: Uint8Array[];
let spans: BlockSpan[];
let whole: ReturnType<typeof rowsOf>;
let running: Sidecar[] = [];

/** Everything but how segments are to be made. */
function rowsOf(home: string) {
  const { meta: _, ...tables } = digestOf(home).tables;
  return { tables, head: headOf(home) };
}

beforeAll(async () => {
  const all = inflated(SAMPLE);
  sample = all.subarray(0, blockSpans(all)[BLOCKS - 1]!.end);
  messages = messagesOf(sample);
  spans = blockSpans(sample);
  const home = scratch.path();
  await load(home, scratch.file(sample));
  whole = rowsOf(home);
});
afterEach(async () => {
  for (const node of running.splice(0)) await node.stop();
});
afterAll(() => scratch.remove());

async function start(home = scratch.path(), config: Partial<SidecarNodeConfig> = {}): Promise<Sidecar> {
  const events = { host: "127.0.0.1", port: 0 };
  const limits = DEFAULT_LIMITS;
  // No segment is whole: stores are compared with loads that make none.
  const node = await startNode({
    kind: "sidecar",
    home,
    events,
    segmentLength: 1_000_000,
    limits,
    ...config,
  });
  running.push(node);
  return node;
}

async function stop(node: Sidecar): Promise<void> {
  running = running.filter((one) => one !== node);
  await node.stop();
}

const dial = (node: Sidecar) =>
  Sender.dial({ hostname: "127.0.0.1", port: Number(node.addresses.eventsPort) });

const source = (node: Sidecar) => node.status.sources().find(({ kind }) => kind === "events")!;
const reaches = (node: Sidecar, height: number) => eventually(() => node.head()?.height === height);
const stopsWith = (node: Sidecar, code: string) =>
  eventually(() =>
    source(node).state === "stopped" && source(node).code === code ? source(node) : undefined,
  );
/** Messages of the sample, by number of the record from 1. */
const part = (from: number, to = messages.length) => Buffer.concat(messages.slice(from - 1, to));
const blockAt = (height: number) => spans.find((span) => span.height === height)!;
const lastHeight = () => spans.at(-1)!.height;

async function expectWhole(node: Sidecar): Promise<void> {
  await reaches(node, lastHeight());
  await stop(node);
  expect(rowsOf(node.home)).toEqual(whole);
}

describe("events of a core", () => {
  test("make the store that the recording makes", async () => {
    const node = await start();
    expect(source(node)).toMatchObject({ state: "waiting", text: "no core has connected yet" });
    const sender = await dial(node);
    await sender.write(part(1));
    await reaches(node, lastHeight());
    await eventually(() => source(node).height === lastHeight());
    expect(source(node)).toMatchObject({ state: "receiving" });
    expect(Buffer.from(sender.received).toString("hex")).toBe("0053500000100000");
    const status = await (await fetch(`${node.dataUrl}/status`)).json();
    expect(status).toMatchObject({ height: lastHeight(), lag: { blocks: 0 }, ready: false });
    expect(status.reason).toContain("seconds behind");
    const metrics = await (await fetch(`${node.dataUrl}/metrics`)).text();
    expect(metrics).toContain('lyra_source_state{source="events",state="receiving"} 1');
    await sender.end();
    await eventually(() => source(node).state === "waiting");
    await expectWhole(node);
  });

  test("in batches, of records or as the message of the event stream, do too", async () => {
    const node = await start();
    const sender = await dial(node);
    const offsets = recordOffsets(sample);
    const middle = offsets[Math.floor(offsets.length / 2)]!;
    await sender.write(messageOf(sample.subarray(0, middle)));
    for (let i = Math.floor(offsets.length / 2); i + 1 < offsets.length; i += 100) {
      const list: Uint8Array[] = [];
      for (let j = i; j < Math.min(i + 100, offsets.length - 1); j++) {
        const event = sample.subarray(offsets[j]! + 12, offsets[j + 1]!);
        list.push(Uint8Array.of(10, (event.length & 127) | 128, (event.length >> 7) & 127), event);
      }
      await sender.write(messageOf(Buffer.concat(list)));
    }
    await expectWhole(node);
  });

  test("come by a Unix socket that no other user reaches", async () => {
    const path = scratch.path();
    const node = await start(scratch.path(), { events: undefined, eventsSocket: path });
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    await stop(node);
  });

  test("come by a Unix socket as well, also where a killed process left one", async () => {
    const path = scratch.path("socket");
    const node = await start(undefined, { events: undefined, eventsSocket: path });
    const sender = await Sender.dial({ unix: path });
    await sender.write(part(1));
    await expectWhole(node);
    expect(existsSync(path)).toBe(false);
  });
});

describe("a connection that breaks", () => {
  test("inside a block, and a core that goes on there: the block is whole", async () => {
    const node = await start();
    const { record } = blockAt(20);
    const first = await dial(node);
    await first.write(part(1, record + 1));
    await first.end();
    const second = await dial(node);
    await second.write(part(record + 2));
    await expectWhole(node);
  });

  test("inside a message, and a core that begins further back: known blocks are passed over", async () => {
    const node = await start();
    const { record } = blockAt(20);
    const first = await dial(node);
    await first.write(part(1, record));
    await first.write(messages[record]!.subarray(0, 20));
    await first.end();
    await eventually(() => source(node).text.includes("broke off inside an event"));
    const second = await dial(node);
    await second.write(part(blockAt(12).record));
    await expectWhole(node);
  });

  test("with an event lost inside a block: the block is not stored, and its height is named", async () => {
    const node = await start();
    const { record } = blockAt(20);
    const sender = await dial(node);
    await sender.write(Buffer.concat([part(1, record), part(record + 2, record + 40)]));
    const { text } = await stopsWith(node, "events_lost");
    expect(text).toContain("event 20-2 did not come: 20-3 did");
    expect(text).toContain("the core must restart at height 20");
    await reaches(node, 19);
    await sender.end();
    const restarted = await dial(node);
    await restarted.write(part(blockAt(20).record));
    await expectWhole(node);
  });
});

describe("blocks that are missing", () => {
  test("stop the intake at the height at which the core must restart; then it goes on by itself", async () => {
    const node = await start();
    const sender = await dial(node);
    await sender.write(Buffer.concat([part(1, blockAt(20).record - 1), part(blockAt(25).record)]));
    const { text } = await stopsWith(node, "height_gap");
    expect(text).toMatch(/block \d+ came after block 19: the core must restart at height 20/);
    expect(sender.isClosed).toBe(false);
    const { reason } = await (await fetch(`${node.dataUrl}/status`)).json();
    expect(reason).toContain("the core must restart at height 20");
    const metrics = await (await fetch(`${node.dataUrl}/metrics`)).text();
    expect(metrics).toMatch(/^lyra_event_log_bytes [1-9]\d+$/m);
    expect(metrics).toMatch(/^lyra_event_log_max_bytes [1-9]\d+$/m);
    await sender.write(part(blockAt(20).record));
    await expectWhole(node);
  });

  test("are marked where gaps are allowed", async () => {
    const node = await start(undefined, { allowGaps: true });
    const sender = await dial(node);
    await sender.write(Buffer.concat([part(1, blockAt(20).record - 1), part(blockAt(25).record)]));
    await reaches(node, lastHeight());
    const { gaps } = await (await fetch(`${node.dataUrl}/status`)).json();
    expect(gaps).toEqual([{ from: 20, to: 24 }]);
  });
});

describe("a sender that", () => {
  const stored = () => part(1, blockAt(20).record - 1);
  const other = new StreamMaker("another-chain").blocks(20, 30);
  const fork = new StreamMaker(CHAIN, 7).blocks(18, 30);
  const oldVersion = () => {
    const event = decodeBusEvent(
      sample.subarray(blockAt(20).start + 12, recordOffsets(sample)[blockAt(20).record]!),
    );
    return messageOf(encodeBusEvent({ ...event, version: 2 }));
  };
  /** The second event of a block names another block of the same height. */
  const mixed = () => {
    const [begin, second] = [blockAt(20).record, blockAt(20).record + 1];
    const event = decodeBusEvent(
      sample.subarray(recordOffsets(sample)[begin]! + 12, recordOffsets(sample)[second]!),
    );
    return Buffer.concat([
      part(begin, begin),
      messageOf(encodeBusEvent({ ...event, block: "AB".repeat(32) })),
    ]);
  };
  const cases: [string, string, () => Uint8Array][] = [
    // Neighbours differ in their codes: the node says the last code until a block comes.
    ["has another version of events", "event_invalid", oldVersion],
    ["is of another chain", "chain_mismatch", () => Buffer.concat(messagesOf(other.bytes()))],
    ["mixes two blocks of a height", "event_invalid", mixed],
    ["tells another history", "history_mismatch", () => Buffer.concat(messagesOf(fork.bytes()))],
    ["sends no events", "event_invalid", () => messageOf(Buffer.from("GET / HTTP/1.1\r\n\r\n"))],
  ];
  test("sends what cannot be is refused, and the next one goes on", async () => {
    const node = await start();
    const first = await dial(node);
    await first.write(stored());
    await reaches(node, 19);
    let sender = first;
    for (const [name, code, bytes] of cases) {
      await sender.write(Buffer.concat([bytes(), part(blockAt(20).record, blockAt(22).record)]));
      await sender.closed;
      const { text } = await stopsWith(node, code);
      expect([name, text, node.head()!.height]).toEqual([name, expect.stringMatching(/./), 19]);
      sender = await dial(node);
    }
    await sender.write(part(blockAt(20).record));
    await expectWhole(node);
  });

  test("forges the next block, and again, is named by it, once, and then counted", async () => {
    const lines = spyOn(process.stderr, "write").mockImplementation(() => true);
    try {
      const node = await start();
      const sender = await dial(node);
      await sender.write(part(1, blockAt(22).record - 1));
      await reaches(node, 21);
      for (let round = 0; round < 4; round++) {
        const liar = round === 0 ? sender : await dial(node);
        // The last block again, as another; then those behind it.
        await liar.write(Buffer.concat(messagesOf(new StreamMaker(CHAIN, 7).blocks(21, 24).bytes())));
        await liar.closed;
      }
      await eventually(() => source(node).text.includes("again, 3 times"));
      expect(source(node)).toMatchObject({ state: "stopped", code: "history_mismatch" });
      expect(source(node).text).toStartWith("block 21 that came is not the block 21 of this home");
      expect(node.head()!.height).toBe(21);
      const next = await dial(node);
      await next.write(part(blockAt(20).record));
      await expectWhole(node);
      const logged = lines.mock.calls
        .map(([text]) => String(text))
        .filter((text) => text.includes("history_mismatch"));
      expect(logged).toHaveLength(1);
    } finally {
      lines.mockRestore();
    }
  });

  test("is refused and dials again is told of once, until it brings a block", async () => {
    const lines = spyOn(process.stderr, "write").mockImplementation(() => true);
    try {
      const node = await start();
      for (let round = 0; round < 20; round++) {
        const liar = await dial(node);
        await liar.write(Buffer.concat(messagesOf(other.bytes()).with(0, oldVersion())));
        await liar.closed;
      }
      const next = await dial(node);
      await next.write(part(1));
      const logged = () =>
        lines.mock.calls
          .map(([text]) => (JSON.parse(String(text)) as { message: string }).message)
          .filter((text) => text.includes("connect"));
      await eventually(() => logged().length === 4);
      expect(logged()).toEqual([
        "a core has connected to the event socket",
        "the core's connection was closed: its events were refused",
        "the core's connection was closed: its events were refused (again, 19 times)",
        "a core has connected to the event socket",
      ]);
      await expectWhole(node);
    } finally {
      lines.mockRestore();
    }
  });

  test.each([
    ["the last block", () => blockAt(20).record - 1, 19],
    ["the genesis, where there is no block 1 yet", () => spans[0]!.events, 1],
  ])(
    "begins again at a genesis that it names otherwise is passed over up to %s",
    async (_, count, height) => {
      const node = await start();
      const sender = await dial(node);
      await sender.write(part(1, count()));
      await reaches(node, height);
      await sender.end();
      const genesis = spans[0]!.events;
      const renamed = messages.slice(0, genesis).map((message) => {
        const event = decodeBusEvent(message.subarray(8));
        return messageOf(encodeBusEvent({ ...event, block: "AB".repeat(32), txHash: "AB".repeat(32) }));
      });
      const again = await dial(node);
      await again.write(Buffer.concat([...renamed, part(genesis + 1)]));
      await expectWhole(node);
    },
  );

  test("speaks another protocol is closed, and so is one that claims a message without a bound", async () => {
    const node = await start();
    const greeting = Uint8Array.of(0, 0x53, 0x50, 0, 0, 17, 0, 0);
    const wrong = await Sender.dial(
      { hostname: "127.0.0.1", port: Number(node.addresses.eventsPort) },
      greeting,
    );
    await wrong.closed;
    const large = await dial(node);
    await large.write(Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 0));
    await large.closed;
    expect(source(node).text).toContain("a message claims 4294967296 bytes");
    const right = await dial(node);
    await right.write(part(1));
    await expectWhole(node);
  });

  test("says nothing keeps no core out, however many there are", async () => {
    const node = await start();
    const idle = await Promise.all(
      Array.from({ length: 300 }, () =>
        Sender.dial({ hostname: "127.0.0.1", port: Number(node.addresses.eventsPort) }, new Uint8Array(0)),
      ),
    );
    const core = await dial(node);
    await core.write(part(1));
    await expectWhole(node);
    expect(idle.filter(({ isClosed }) => isClosed).length).toBeGreaterThanOrEqual(44);
  });

  test("says nothing gives way by address: of this machine last, of one that dials without end first", () => {
    const of = (...addresses: string[]) => addresses.map((remoteAddress) => ({ remoteAddress }));
    const waiting = of("127.0.0.1", "192.0.2.1", "192.0.2.9", "192.0.2.9");
    expect(givesWay(waiting, of("192.0.2.9")[0]!)).toBe(waiting[2]);
    expect(givesWay(waiting, of("127.0.0.1")[0]!)).toBe(waiting[2]);
    const local = of("127.0.0.1", "::1", "::1");
    expect(givesWay(local, of("192.0.2.1")[0]!)).toBeUndefined();
    expect(givesWay(local, of("127.0.0.1")[0]!)).toBe(local[1]);
  });

  test("comes second is closed while the first lives", async () => {
    const node = await start();
    const first = await dial(node);
    await first.write(part(1, 100));
    await eventually(() => source(node).state === "receiving");
    const second = await dial(node);
    await second.write(part(101));
    await second.closed;
    await first.write(part(101));
    await expectWhole(node);
  });
});

test("a sender that has been silent for long gives way to another one, and not before", async () => {
  const reports: string[] = [];
  let now = 0;
  const log = new EventLogWriter(scratch.path(), 1_000_000);
  const socket = new EventSocket(
    log,
    {
      onEvents: () => {},
      onConnected: () => reports.push("connected"),
      onDisconnected: (reason) => reports.push(reason ?? "closed"),
      onPaused: () => {},
      onTurnedAway: (reason) => reports.push(reason),
    },
    300,
    undefined,
    () => now,
  );
  const port = socket.listen({ host: "127.0.0.1", port: 0 });
  const first = await Sender.dial({ hostname: "127.0.0.1", port });
  await first.write(part(1, 10));
  await eventually(() => (socket.height ?? 0) > 0);
  const early = await Sender.dial({ hostname: "127.0.0.1", port });
  await early.closed;
  expect(first.isClosed).toBe(false);
  now = 301;
  const second = await Sender.dial({ hostname: "127.0.0.1", port });
  await first.closed;
  expect(second.isClosed).toBe(false);
  expect(reports).toEqual([
    "connected",
    "another sender is connected",
    "it was silent, and another sender came",
    "connected",
  ]);
  await socket.stop();
  log.close();
});

test("a log that is full because the store has failed keeps no sender waiting", async () => {
  const pauses: (string | undefined)[] = [];
  let left: number | undefined;
  const log = new EventLogWriter(scratch.path(), 100_000);
  const socket = new EventSocket(
    log,
    {
      onEvents: () => {},
      onConnected: () => {},
      onDisconnected: () => {},
      onPaused: (reason) => pauses.push(reason),
      onLeft: (height) => {
        left = height;
      },
      whyNotStored: () => whyNotStored({ code: "store_damaged", text: "a page is damaged" }),
      onTurnedAway: () => {},
    },
    undefined,
    10_000,
  );
  const port = socket.listen({ host: "127.0.0.1", port: 0 });
  const sender = await Sender.dial({ hostname: "127.0.0.1", port });
  await sender.write(part(1));
  await eventually(() => left !== undefined);
  expect(pauses).toEqual(["store_failed"]);
  socket.stop();
  log.close();
});

test.each(["height_gap", "history_mismatch", "block_invalid"] as const)(
  "a log that is full gets room by itself after %s",
  (code) => expect(whyNotStored({ code, text: "" })).toBeUndefined(),
);

test("a log that is full makes the sender wait, and loses nothing", async () => {
  const node = await start(undefined, { eventLogBytes: 150_000 });
  const states = new Set<string>();
  // real time: a state that is soon over is looked for all the time
  const looking = setInterval(() => states.add(source(node).state), 1);
  const sender = await dial(node);
  await sender.write(Buffer.concat([part(1), part(1), part(1)]));
  await expectWhole(node);
  clearInterval(looking);
  expect(states).toContain("paused");
});

test("a core that upgrades gets its answer, on the next connection as well", async () => {
  const node = await start();
  const sender = await dial(node);
  await sender.write(part(1));
  await reaches(node, lastHeight());
  const height = lastHeight();
  const last = decodeBusEvent(
    sample.subarray(
      recordOffsets(sample)[blockAt(height).record - 1]! + 12,
      recordOffsets(sample)[blockAt(height).record]!,
    ),
  );
  const upgrade = encodeBusEvent({
    id: `${height + 1}-1`,
    block: last.block,
    type: 51,
    version: 1,
    chainId: last.chainId,
    txHash: last.block,
    protocolUpgradeStarted: { lastBlockHeight: BigInt(height) },
  });
  await sender.write(messageOf(upgrade));
  const answer = await eventually(() => sender.received.length > 16 && sender.received.subarray(16));
  expect(decodeBusEvent(answer)).toMatchObject({
    type: 55,
    chainId: last.chainId,
    protocolUpgradeDataNodeReady: { lastBlockHeight: BigInt(height) },
  });
  await sender.end();
  const again = await dial(node);
  await eventually(() => again.received.length > 16);
});

test("events that were not stored when the process ended are stored by the next one", async () => {
  const home = scratch.path();
  const node = await start(home);
  const sender = await dial(node);
  await sender.write(part(1, blockAt(20).record + 1));
  await reaches(node, 19);
  await sender.end();
  await stop(node);
  const next = await start(home);
  const rest = await dial(next);
  await rest.write(part(blockAt(20).record + 2));
  await expectWhole(next);
  expect(readdirSync(`${home}/events`).sort()).toContain("read");
});
