// Every stream of the client through restarts of a devnet with the same home: nothing is missing, nothing comes twice.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "../../src/client/connect.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { MEMORY, Scratch } from "../rig/homes.ts";
import { expectWithoutGap } from "../support/stream-messages.ts";
import { startTestDevnet } from "../support/test-devnet.ts";
import { type Follower, followAll } from "./followers.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

const TRANSPORTS = ["lines", "socket"] as const;
const scratch = new Scratch("client-restart", MEMORY);
const home = scratch.path();
const followers = new Map<string, Follower[]>();
let devnet: Devnet;

const portOf = (url: string) => Number(new URL(url).port);
const clientOf = (streams: (typeof TRANSPORTS)[number]) =>
  connect({ dataUrl: devnet.dataUrl, nodeUrl: devnet.nodeUrl, streams });

async function use(tool: string, body: object = {}): Promise<Json> {
  const answer = await fetch(`${devnet.nodeUrl}/devnet/${tool}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return JSON.parse(text);
}

/** Trades, balances, a vote of alice, blocks. */
async function act(market: string, seed: number): Promise<void> {
  await use("market/run", { market, orders: 12, seed });
  await use("fund", { party: "alice", asset: "tUSD", amount: "5" });
  await use("mine", { blocks: 3 });
}

beforeAll(async () => {
  devnet = await startTestDevnet({ home });
  const ports = { nodePort: portOf(devnet.nodeUrl), dataPort: portOf(devnet.dataUrl) };
  const { market } = await use("market/create", { preset: "btc" });
  const subject = { market, party: devnet.parties[0]!.publicKey };
  for (const streams of TRANSPORTS) followers.set(streams, followAll(clientOf(streams), subject));
  const all = [...followers.values()].flat();
  await Promise.all(all.map((follower) => follower.upTo(1)));
  for (const seed of [1, 2]) {
    await act(market, seed);
    await devnet.stop();
    devnet = await startTestDevnet({ home, ...ports });
    // Blocks that nobody followed live.
    await act(market, 10 + seed);
  }
  await Promise.all(all.map((follower) => follower.upTo(devnet.chain.status.height)));
}, 60_000);
afterAll(async () => {
  for (const follower of [...followers.values()].flat()) await follower.leave();
  await devnet.stop();
  scratch.remove();
});

describe.each(TRANSPORTS)("streams by %s through two restarts", (streams) => {
  const named = (name: string) => followers.get(streams)!.find((one) => one.name === name)!;

  test.each(Object.keys(connect({ dataUrl: "http://localhost" }).stream))("%s has no gap", async (name) => {
    const follower = named(name);
    expect(follower.reconnects).toBeGreaterThan(1);
    expect(await follower.difference(clientOf("lines"))).toBe("");
    const heights = follower.events.map((event) => event.height);
    expect(heights).toEqual(heights.toSorted((a, b) => a - b));
  });

  test("the trades are those of the list, the events of the bus are numbered without a gap", async () => {
    const listed: string[] = [];
    for await (const { id } of clientOf("lines").trades.list.rows()) listed.push(id);
    const streamed = named("trades").events.flatMap(({ trades }) => trades.map(({ id }: Json) => id));
    expect(streamed.length).toBeGreaterThan(20);
    expect(listed.slice(0, streamed.length).toReversed()).toEqual(streamed);
    expectWithoutGap(named("eventBus").events.flatMap(({ events }) => events));
  });
});
