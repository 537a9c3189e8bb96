// Every stream of the client through restarts of a devnet with the same home: nothing is missing, nothing comes twice.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Lyra } from "../../src/client/connect.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { MEMORY, Scratch } from "../rig/homes.ts";
import { eventually } from "../support/eventually.ts";
import { expectWithoutGap } from "../support/stream-messages.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

const scratch = new Scratch("client-restart", MEMORY);
const home = scratch.path();
let devnet: Devnet;
let ports: { nodePort: number; dataPort: number };
let market: string;
let cursor: string;

const portOf = (url: string) => Number(new URL(url).port);
const clientOf = (streams: "lines" | "socket") =>
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

/** Everything that a stream told up to a height. */
class Follower {
  readonly events: Json[] = [];
  height = 0;
  reconnects = 0;
  private readonly control = new AbortController();
  private readonly done: Promise<void>;

  constructor(lyra: Lyra, name: string, after?: string) {
    const request = requestOf(name);
    const stream = lyra.stream[name as "trades"](request, {
      ...(after !== undefined && { after }),
      signal: this.control.signal,
      onHeight: (height) => {
        this.height = height;
      },
      onReconnect: () => {
        this.reconnects++;
      },
    });
    this.done = (async () => {
      for await (const event of stream) this.events.push(event);
    })();
  }

  async upTo(height: number): Promise<void> {
    await Promise.race([this.done, eventually(() => this.height >= height)]);
  }

  async leave(): Promise<void> {
    this.control.abort();
    await this.done;
  }
}

function requestOf(name: string): Json {
  if (name.startsWith("markets")) return { marketIds: [market] };
  if (name === "candleData") return { candleId: `trades_candle_1_minute_${market}` };
  return name === "votes" ? { partyId: devnet.parties[0]!.publicKey } : {};
}

/** The whole state of the book or of a candle as of its block; the votes on a proposal are those at the time of reading. */
const STATES = new Set(["candleData"]);
const withoutVotes = ({ data, height, ...rest }: Json) => ({
  ...rest,
  height,
  ...(data && { proposal: data.proposal }),
});

const followers = new Map<string, Follower>();
beforeAll(async () => {
  devnet = await startTestDevnet({ home });
  ports = { nodePort: portOf(devnet.nodeUrl), dataPort: portOf(devnet.dataUrl) };
  ({ market } = await use("market/create", { preset: "btc" }));
  for (const streams of ["lines", "socket"] as const) {
    const lyra = clientOf(streams);
    for (const name of Object.keys(lyra.stream))
      followers.set(`${name} by ${streams}`, new Follower(lyra, name));
  }
  await eventually(() => [...followers.values()].every(({ height }) => height > 0));
  const trades = clientOf("lines").stream.trades({}, { onCursor: (text) => (cursor = text) });
  const first = trades.next();
  await act(1);
  await first;
  await trades.return();
  for (const kind of ["stops", "stops"]) {
    await act(kind.length);
    await devnet.stop();
    devnet = await startTestDevnet({ home, ...ports });
    // Blocks that nobody followed live.
    await act(2);
  }
  const { height } = devnet.chain.status;
  await Promise.all([...followers.values()].map((follower) => follower.upTo(height)));
}, 60_000);
afterAll(async () => {
  for (const follower of followers.values()) await follower.leave();
  await devnet.stop();
  scratch.remove();
});

/** Trades, balances, delegations, votes. */
async function act(seed: number): Promise<void> {
  await use("market/run", { market, orders: 12, seed });
  await use("fund", { party: "alice", asset: "tUSD", amount: "5" });
  await use("mine", { blocks: 3 });
}

describe("streams through restarts", () => {
  const names = Object.keys(connect({ dataUrl: "http://localhost" }).stream);

  test.each(names.flatMap((name) => [`${name} by lines`, `${name} by socket`]))(
    "%s has no gap",
    async (title) => {
      const follower = followers.get(title)!;
      const name = title.split(" ")[0]!;
      expect(follower.reconnects).toBeGreaterThan(1);
      const behind = Number(cursor.split("-")[0]);
      const again = new Follower(clientOf("lines"), name, cursor);
      const { height } = devnet.chain.status;
      await again.upTo(height);
      await again.leave();
      const own = follower.events.filter((event) => event.height > behind).map(withoutVotes);
      if (STATES.has(name)) expect(own.at(-1)).toEqual(again.events.at(-1));
      else expect(own).toEqual(again.events.map(withoutVotes));
      const heights = follower.events.map((event) => event.height);
      expect(heights).toEqual(heights.toSorted((a, b) => a - b));
    },
  );

  test("the trades are those of the list", async () => {
    const listed: Json[] = [];
    for await (const trade of clientOf("lines").trades.list.rows()) listed.push(trade.id);
    const streamed = followers
      .get("trades by lines")!
      .events.flatMap(({ trades }) => trades.map(({ id }: Json) => id));
    expect(listed.length).toBeGreaterThan(20);
    expect(listed.slice(0, streamed.length).toReversed()).toEqual(streamed);
  });

  test("the events of the bus are numbered without a gap", () => {
    const { events } = followers.get("eventBus by socket")!;
    expectWithoutGap(events.flatMap((message) => message.events));
  });
});
