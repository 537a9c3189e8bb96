// A devnet that sends its events to a data node's socket, as a core does.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Outbox } from "../../src/chain/outbox.ts";
import { EventSender, parseEventTarget } from "../../src/devnet/event-sender.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { SentFile } from "../../src/devnet/sent-file.ts";
import { openWriter } from "../../src/store/database.ts";
import type { BusEvent } from "../../src/wire/generated/events.ts";
import { RunningDevnet } from "../rig/devnet-process.ts";
import { MEMORY } from "../rig/homes.ts";
import { SpReceiver } from "../rig/sp-receiver.ts";
import { anyMoment, grace, turns } from "../support/eventually.ts";
import { NO_HTTP, startTestDevnet } from "../support/test-devnet.ts";

const folder = mkdtempSync(join(MEMORY, "lyra-events-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const homeOf = (name: string) => join(folder, name);

/** The blocks of a stream by height, each with its events; the same block twice must be the same. */
function blocksOf(events: readonly BusEvent[]): Map<string, string[]> {
  const blocks = new Map<string, string[]>();
  let current: string[] = [];
  for (const event of events) {
    if (event.beginBlock) current = [];
    current.push(event.id);
    if (!event.endBlock) continue;
    const key = `${event.endBlock.height} ${event.block}`;
    const before = blocks.get(key);
    if (before) expect(current).toEqual(before);
    blocks.set(key, current);
  }
  return blocks;
}

function expectWhole(events: readonly BusEvent[], height: number): void {
  const blocks = [...blocksOf(events).entries()];
  // The genesis and block 1 share a height.
  expect(blocks.length).toBe(height + 1);
  for (const [at, [key, ids]] of blocks.entries()) {
    expect(Number(key.split(" ")[0])).toBe(Math.max(1, at));
    expect(ids).toEqual(ids.map((_, seq) => `${Math.max(1, at)}-${seq + 1}`));
  }
}

/** A sender to a receiver that takes nothing yet. */
function toPausedReceiver(outbox: Outbox, options: Partial<ConstructorParameters<typeof EventSender>[0]>) {
  const receiver = new SpReceiver();
  receiver.pause();
  const target = parseEventTarget(`tcp://127.0.0.1:${receiver.port}`)!;
  const usual = { name: "test", lossy: false, unsentBytesMax: 1_000_000, onLine: () => {} };
  return { receiver, sender: new EventSender({ ...usual, target, outbox, ...options }) };
}

test("given a new home, when its events go to a socket, then every block comes whole, from the genesis on, in order", async () => {
  const receiver = new SpReceiver();
  const devnet = await startTestDevnet({ oneThread: NO_HTTP, eventsTo: `tcp://127.0.0.1:${receiver.port}` });
  await devnet.chain.bridge.deposit("0d".repeat(32), madeUpAssetId("dUSD"), 5n);
  await devnet.chain.endEpoch();
  await devnet.chain.mine(1_500);
  await devnet.stop();
  const { height } = devnet.chain.status;
  await receiver.until(() => receiver.height === height);
  expect(receiver.greetings).toEqual([Uint8Array.of(0, 0x53, 0x50, 0, 0, 16, 0, 0)]);
  expectWhole(receiver.events, height);
  const snapshots = receiver.events.flatMap(({ coreSnapshotEvent }) => coreSnapshotEvent?.blockHeight ?? []);
  expect(snapshots).toEqual([1_000n]);
  receiver.stop();
});

test("given a receiver that is cut off again and again, then the same blocks come again and none is missing", async () => {
  const path = join(folder, "data-node");
  const receiver = new SpReceiver(path);
  const devnet = await startTestDevnet({ oneThread: NO_HTTP, eventsTo: `unix:${path}` });
  for (let round = 0; round < 5; round++) {
    await devnet.chain.mine(200);
    await anyMoment(round);
    receiver.cut();
  }
  await devnet.chain.mine(10);
  const { height } = devnet.chain.status;
  await receiver.until(() => receiver.height === height);
  await devnet.stop();
  const blocks = new Set(blocksOf(receiver.events).keys());
  expect(blocks.size).toBeGreaterThanOrEqual(height + 1);
  receiver.stop();
});

test("given --events-lossy and a cut, then what was under way is lost and the rest begins with a whole message", async () => {
  const receiver = new SpReceiver();
  const eventsTo = `tcp://127.0.0.1:${receiver.port}`;
  const devnet = await startTestDevnet({ oneThread: NO_HTTP, eventsTo, eventsLossy: true });
  await receiver.until(() => receiver.height === devnet.chain.status.height);
  receiver.cut();
  await devnet.chain.mine(300);
  const { height } = devnet.chain.status;
  await receiver.until(() => receiver.height === height);
  await devnet.stop();
  const ends = receiver.events.flatMap(({ endBlock }) => endBlock?.height ?? []);
  // None comes twice but the height of the genesis.
  expect(new Set(ends).size).toBeGreaterThanOrEqual(ends.length - 1);
  receiver.stop();
});

test("given a receiver that takes nothing, then blocks wait at the bound, and nothing is lost when it reads again", async () => {
  const db = openWriter(homeOf("bound"));
  const outbox = new Outbox(db, undefined, 10_000);
  outbox.open(undefined);
  const held: boolean[] = [];
  const { receiver, sender } = toPausedReceiver(outbox, { onHold: (isHeld) => held.push(isHeld) });
  sender.start();
  const party = { field: 106, seq: 1, tx: 0, bytes: new Uint8Array(100_000), start: 0, end: 100_000 };
  party.bytes.set([10, 0x9c, 0x8d, 6]);
  let blocks = 0;
  while (held.length === 0 && blocks < 1_000) {
    const height = ++blocks;
    outbox.append({
      chainId: "c",
      height,
      hash: "AB",
      txHashes: ["AB"],
      events: [{ ...party, bytes: new Uint8Array(0), end: 0, seq: 1 }, party],
    });
    outbox.keep();
    await turns(1);
  }
  expect(held).toEqual([true]);
  expect(outbox.unsentBytes).toBeLessThan(1_200_000);
  receiver.resume();
  await receiver.until(() => receiver.events.length >= 2 * blocks);
  expect(held).toEqual([true, false]);
  expect(outbox.unsentBytes).toBe(0);
  // Sent events are removed as more come.
  outbox.append({ chainId: "c", height: blocks + 1, hash: "AB", txHashes: ["AB"], events: [party] });
  outbox.keep();
  const { rows } = db.query("SELECT count(*) AS rows FROM chain_outbox").get() as { rows: bigint };
  expect(Number(rows)).toBeLessThan(4);
  await sender.stop();
  db.close();
  receiver.stop();
});

/** Ids of events with their block: no event may come twice. */
function expectNoneTwice(events: readonly BusEvent[]): void {
  const seen = new Set<string>();
  const twice = events.filter(({ id, block }) => seen.size === seen.add(`${block} ${id}`).size);
  expect(twice.map(({ id }) => id)).toEqual([]);
}

test.each([
  ["kill -9", "SIGKILL", []],
  ["kill -9, with --events-lossy", "SIGKILL", ["--events-lossy"]],
  ["an orderly stop", "SIGTERM", []],
] as const)(
  "given %s of the devnet, when it starts again, then the data node gets the blocks behind those that it has",
  async (name, signal, more) => {
    const receiver = new SpReceiver();
    const home = homeOf(name);
    const words = ["--events-to", `tcp://127.0.0.1:${receiver.port}`, ...more];
    const first = new RunningDevnet({ home, block: "5ms", words });
    await first.listening();
    await receiver.until(() => receiver.height > 30);
    first.kill(signal);
    await first.end();
    const before = receiver.height;
    const again = new RunningDevnet({ home, block: "5ms", words });
    await again.listening();
    await receiver.until(() => receiver.height > before + 20);
    again.kill("SIGTERM");
    await again.end();
    expectNoneTwice(receiver.events);
    expectWhole(receiver.events, receiver.height);
    receiver.stop();
  },
  120_000,
);

test("given blocks that cannot wait, then too many events are dropped, with the height in a line, and later ones come whole", async () => {
  const db = openWriter(homeOf("dropped"));
  const outbox = new Outbox(db, undefined, 10_000);
  outbox.open(undefined);
  const lines: string[] = [];
  const { receiver, sender } = toPausedReceiver(outbox, { onLine: (line) => lines.push(line) });
  sender.start();
  const append = (height: number) => {
    const party = { field: 106, seq: 1, tx: 0, bytes: new Uint8Array(100_000), start: 0, end: 100_000 };
    party.bytes.set([10, 0x9c, 0x8d, 6]);
    outbox.append({ chainId: "c", height, hash: `0${height}`, txHashes: [], events: [party] });
    outbox.keep();
  };
  let height = 0;
  const isDropped = () => lines.some((line) => line.includes("are dropped"));
  while (!isDropped() && height < 1_000) {
    append(++height);
    await turns(1);
  }
  expect(lines.find((line) => line.includes("are dropped"))).toContain(`up to block ${height} `);
  expect(outbox.unsentBytes).toBe(0);
  expect(outbox.next()).toBeUndefined();
  receiver.resume();
  append(height + 1);
  await receiver.until(() => receiver.events.some(({ block }) => block === `0${height + 1}`));
  await sender.stop();
  receiver.stop();
  db.close();
});

test("given a start in the middle of a message, then it comes whole, and those before it do not come again", async () => {
  const home = homeOf("middle");
  const db = openWriter(home);
  const outbox = new Outbox(db, new SentFile(home));
  outbox.open(undefined);
  const party = { field: 106, seq: 2, tx: 0, bytes: new Uint8Array(8), start: 0, end: 0 };
  const blockOf = (height: number) => ({
    chainId: "c",
    height,
    hash: `0${height}`,
    txHashes: [`0${height}`],
  });
  const events = [1, 2, 3].map((seq) => ({ ...party, seq }));
  for (const height of [1, 2, 3]) outbox.append({ ...blockOf(height), events });
  outbox.beginSend(outbox.next()!);
  outbox.sent(outbox.next()!);
  const second = outbox.next()!;
  const length = second.bytes.length / 3;
  outbox.tookPart(length + 1);
  outbox.close();
  const resumed = () => {
    const again = new Outbox(db, new SentFile(home));
    again.open(blockOf(3));
    const row = again.next()!;
    return [row.height, again.beginOf(row)];
  };
  expect(resumed()).toEqual([2, length]);
  // The store is of an earlier moment, or another: what it has is sent.
  db.run("UPDATE chain_outbox SET hash = 'AB' WHERE height = 1");
  expect(resumed()).toEqual([1, 0]);
  db.close();
});

test("given an upgrade, then its start is said on every connection until the data node is ready", async () => {
  const receiver = new SpReceiver();
  const lines: string[] = [];
  const eventsTo = `tcp://127.0.0.1:${receiver.port}`;
  const options = { home: homeOf("upgrade"), eventsTo, fund: false, mode: { kind: "manual" } } as const;
  const devnet = await startTestDevnet({
    oneThread: NO_HTTP,
    ...options,
    onEventsLine: (line) => lines.push(line),
  });
  const height = devnet.chain.status.height + 2;
  const party = Buffer.from(devnet.validator.vega(1).publicKey).toString("hex");
  const proposal = { upgradeBlockHeight: String(height), vegaReleaseTag: "v0.72.0" };
  await devnet.chain.impersonate(party, { protocolUpgradeProposal: proposal });
  await devnet.chain.mine(2);
  const starts = () => receiver.events.filter(({ protocolUpgradeStarted }) => protocolUpgradeStarted);
  await receiver.until(() => starts().length === 1);
  receiver.cut();
  await receiver.until(() => starts().length === 2);
  receiver.ready(1n);
  receiver.ready(BigInt(height));
  await receiver.until(() =>
    lines.some((line) => line.includes(`ready for the upgrade after block ${height}`)),
  );
  receiver.cut();
  await receiver.until(() => receiver.greetings.length === 3);
  await grace(20);
  expect(starts()).toHaveLength(2);
  expect(starts()[0]!.protocolUpgradeStarted).toEqual({ lastBlockHeight: BigInt(height) });
  await expect(devnet.chain.revert("1")).rejects.toThrow("cannot take blocks back");
  await devnet.stop();
  receiver.stop();
});

test.each([
  "http://localhost:1",
  "tcp://localhost",
  "tcp://a:0",
  "tcp://a:70000",
  "unix:",
  `unix:/${"a".repeat(200)}`,
  "",
])("given %p as the address, then the start is refused", async (eventsTo) => {
  expect(parseEventTarget(eventsTo)).toBeUndefined();
  const start = startTestDevnet({ oneThread: NO_HTTP, eventsTo });
  await expect(start).rejects.toMatchObject({ code: "events_address_invalid" });
});
