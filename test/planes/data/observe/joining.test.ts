// Streams of every kind over the shipped sample: joined at random moments while blocks are committed, left and joined
// again, they get what a client got that read from the beginning, and add up to what the store says.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { StreamKind } from "../../../../src/planes/data/observe/kind.ts";
import type { Observation } from "../../../../src/planes/data/observe/observation.ts";
import { Streams } from "../../../../src/planes/data/observe/streams.ts";
import type { Block } from "../../../../src/wire/block.ts";
import { randomOf } from "../../../chain/rig.ts";
import { SEED } from "../../../support/seed.ts";
import { StreamedChain, sampleBlocks, settled } from "../../../support/streamed-chain.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

interface Told {
  readonly height: number;
  readonly json: Json;
}

/** A client that takes what comes. */
class Client {
  readonly told: Told[] = [];
  readonly from: number;

  constructor(private readonly observation: Observation) {
    this.from = observation.height;
    observation.onReady = () => this.take();
    this.take();
  }

  take(): void {
    for (let one = this.observation.poll(); one !== undefined; one = this.observation.poll())
      this.told.push({ height: one.height, json: JSON.parse(one.textIn("stream")) });
  }

  leave(): void {
    this.observation.close();
  }

  /** Messages behind the snapshot, or behind the candle at the beginning. */
  get updates(): Told[] {
    return this.told.filter(({ height, json }) => json.snapshot === undefined && height > this.from);
  }

  /** The snapshot as one list. */
  snapshot(member: string): Json[] {
    return this.told.flatMap(({ json }) => json.snapshot?.[member] ?? []);
  }
}

let blocks: Block[];
let markets: string[];
let proposal: string;
beforeAll(async () => {
  blocks = await sampleBlocks();
  const whole = new StreamedChain(blocks);
  whole.commit(blocks.length);
  markets = whole.markets();
  proposal = whole.get("governances").connection.edges.find((edge: Json) => edge.node.yes?.length > 1).node
    .proposal.id;
  whole.close();
});

/** Requests, by kind. */
function requestOf(path: string): Record<string, Json> {
  if (path === "votes") return { proposalId: proposal };
  if (path === "candle/data") return { candleId: `trades_candle_1_minute_${markets[0]}` };
  return path.startsWith("markets/") ? { marketIds: markets } : {};
}

const texts = (updates: readonly Told[]) =>
  updates.map(({ height, json }) => `${height} ${JSON.stringify(json)}`);

/** Those whose changes are rows. */
const STREAM_KINDS = Streams.kinds.filter((kind): kind is StreamKind => "reader" in kind);

describe("100 clients that join at random moments", () => {
  let chain: StreamedChain;
  const firsts = new Map<string, Client>();
  const joined = new Map<string, Client[]>();
  /** Sequences of books that were read on the way. */
  const reads: { readonly height: number; readonly market: string; readonly sequence: string }[] = [];

  beforeAll(async () => {
    chain = new StreamedChain(blocks);
    // Streams of markets need them to be there; one client of each kind sees everything from there on.
    while (markets.some((id) => !chain.markets().includes(id))) chain.commit();
    const join = async ({ method, path }: (typeof STREAM_KINDS)[number]) =>
      new Client(await chain.plane.streams.observe(method, requestOf(path)));
    for (const kind of STREAM_KINDS) {
      firsts.set(kind.path, await join(kind));
      joined.set(kind.path, []);
    }
    console.log(`seed ${SEED}`);
    const random = randomOf(SEED);
    const left = blocks.length - chain.height;
    while (!chain.isDone) {
      // Some commits hold many blocks, as while a node catches up.
      chain.commit(random() < 0.02 ? 40 : 1);
      if (random() < 0.05)
        for (const market of markets) {
          const { sequenceNumber } = chain.get("market/depth/{market_id}/latest", "", {
            marketId: market,
          });
          reads.push({ height: chain.height, market, sequence: sequenceNumber ?? "0" });
        }
      if (random() < 0.3) await settled();
      for (const kind of STREAM_KINDS) {
        const clients = joined.get(kind.path)!;
        if (clients.length < 100 && random() < 250 / left) clients.push(await join(kind));
        const one = clients[Math.floor(random() * clients.length)];
        if (one && random() < 0.02) {
          one.take();
          one.leave();
          // It was cut; the client that takes its place restarts.
          clients.push(await join(kind));
        }
      }
    }
    await settled();
  }, 60_000);
  afterAll(() => {
    for (const client of [...firsts.values(), ...[...joined.values()].flat()]) client.leave();
    expect(chain.plane.streams.count).toBe(0);
    chain.close();
  });

  for (const { path, snapshot, frame } of STREAM_KINDS) {
    test(`${path}: nothing is missing, doubled or out of order`, () => {
      const whole = firsts.get(path)!;
      const clients = joined.get(path)!;
      expect(clients.length).toBeGreaterThanOrEqual(100);
      expect(whole.updates.length).toBeGreaterThan(2);
      for (const client of clients) {
        const upTo = client.told.at(-1)?.height ?? client.from;
        const mine = texts(client.updates);
        const all = whole.updates.filter(({ height }) => height > client.from);
        // A stream that was cut has the beginning of the rest.
        expect(mine).toEqual(texts(all).slice(0, mine.length));
        expect(upTo).toBeGreaterThanOrEqual(client.from);
        if (snapshot) expect(client.told.filter(({ json }) => json.snapshot?.lastPage)).toHaveLength(1);
        for (const { json } of client.told) {
          const list = (frame.around ? (json[frame.around] ?? json.snapshot) : json)[frame.member];
          if (frame.isList && list !== undefined) expect(list.length).toBeLessThanOrEqual(50);
        }
      }
    });
  }

  test("a client that was not cut has everything of its blocks", () => {
    for (const { path } of STREAM_KINDS) {
      const whole = firsts.get(path)!;
      const last = texts(whole.updates).at(-1)!;
      const complete = joined.get(path)!.filter((client) => texts(client.updates).at(-1) === last);
      expect(complete.length).toBeGreaterThan(20);
      for (const client of complete) {
        expect(texts(client.updates)).toEqual(
          texts(whole.updates.filter(({ height }) => height > client.from)),
        );
      }
    }
  });

  const nodes = (connection: Json): Json[] => (connection?.edges ?? []).map(({ node }: Json) => node);
  /** The last value of each key, from a client's snapshot and its updates. */
  const state = (
    client: Client,
    member: string,
    key: (value: Json) => string,
    isThere: (value: Json) => boolean,
  ) => {
    const values = new Map<string, Json>();
    const updates = client.updates.flatMap(({ json }) => json.updates[member]);
    for (const value of [...client.snapshot(member), ...updates]) {
      if (isThere(value)) values.set(key(value), value);
      else values.delete(key(value));
    }
    return [...values.values()].map((value) => JSON.stringify(value)).sort();
  };
  const listed = (rows: Json[]) => rows.map((row) => JSON.stringify(row)).sort();
  const complete = (path: string) => {
    const last = texts(firsts.get(path)!.updates).at(-1)!;
    return [firsts.get(path)!, ...joined.get(path)!.filter((one) => texts(one.updates).at(-1) === last)];
  };

  test("snapshots and updates add up to what the store says", () => {
    const accounts = listed(nodes(chain.get("accounts").accounts));
    for (const one of complete("accounts")) {
      const key = ({ owner, asset, marketId, type }: Json) => `${owner} ${asset} ${marketId} ${type}`;
      expect(state(one, "accounts", key, () => true)).toEqual(accounts);
    }
    const positions = listed(nodes(chain.get("positions").positions));
    for (const one of complete("positions"))
      expect(
        state(
          one,
          "positions",
          (each) => `${each.partyId} ${each.marketId}`,
          () => true,
        ),
      ).toEqual(positions);
    const live = listed(nodes(chain.get("orders", "filter.liveOnly=true").orders));
    expect(live.length).toBeGreaterThan(3);
    // A limit order that is active or parked.
    const isLive = ({ status, type, timeInForce }: Json) =>
      (status === 1 || status === 8) && type === 1 && timeInForce !== 3 && timeInForce !== 4;
    for (const one of complete("orders")) expect(state(one, "orders", ({ id }) => id, isLive)).toEqual(live);
  });

  test("lists grow as those of the store do", () => {
    const { from, updates } = firsts.get("trades")!;
    const stored = nodes(chain.get("trades").trades).toReversed();
    const trades = updates.flatMap(({ json }) => json.trades);
    expect(trades).toEqual(stored.slice(stored.length - trades.length));
    expect(from).toBeGreaterThan(0);
    const votes = nodes(chain.get("votes", `proposalId=${proposal}`).votes);
    const cast = new Map(firsts.get("votes")!.updates.map(({ json }) => [json.vote.partyId, json.vote]));
    for (const vote of votes) if (cast.has(vote.partyId)) expect(cast.get(vote.partyId)).toEqual(vote);
    const rewards = nodes(chain.get("rewards").rewards);
    const paid = firsts.get("rewards")!.updates.map(({ json }) => json.reward);
    expect(paid.length).toBeGreaterThan(20);
    for (const reward of paid) expect(rewards).toContainEqual(reward);
  });

  test("the last candle and the last market data are those of the store", () => {
    const candleId = requestOf("candle/data").candleId;
    const stored = nodes(chain.get("candle", `candleId=${candleId}&pagination.first=1`).candles);
    expect(firsts.get("candle/data")!.updates.at(-1)!.json.candle).toEqual(stored[0]);
    for (const market of markets) {
      const marketData = firsts.get("markets/data")!.updates.flatMap(({ json }) => json.marketData);
      const mine = marketData.filter((each: Json) => each.market === market).at(-1);
      const { marketsData } = chain.get("markets/data");
      if (mine) expect(mine).toEqual(marketsData.find((each: Json) => each.market === market));
    }
  });

  test("the next update of the depth follows whatever was read before it", () => {
    const updates = firsts.get("markets/depth/updates")!.updates;
    const followed = reads.flatMap(({ height, market, sequence }) => {
      const next = updates
        .filter((update) => update.height > height)
        .flatMap(({ json }) => json.update)
        .find(({ marketId }: Json) => marketId === market);
      return next === undefined ? [] : [[sequence, next.previousSequenceNumber ?? "0"]];
    });
    expect(followed.length).toBeGreaterThan(20);
    expect(followed.filter(([read, previous]) => read !== previous)).toEqual([]);
  });

  test("updates of the depth lead from any book to the last one", () => {
    for (const market of markets) {
      const wholes = firsts.get("markets/depth")!.updates.flatMap(({ json }) => json.marketDepth);
      const book = wholes.filter(({ marketId }: Json) => marketId === market).at(-1);
      const orders = nodes(
        chain.get("orders", `filter.liveOnly=true&filter.marketIds=${market}&pagination.first=1000`).orders,
      );
      if (book === undefined) continue;
      for (const [side, number] of [
        ["buy", 1],
        ["sell", 2],
      ] as const) {
        const volume = new Map<string, bigint>();
        for (const order of orders) {
          if (order.side !== number || order.status !== 1) continue;
          volume.set(order.price, (volume.get(order.price) ?? 0n) + BigInt(order.remaining));
        }
        const priceLevels = (book[side] ?? []).map((level: Json) => `${level.price}:${level.volume}`);
        expect(priceLevels.toSorted()).toEqual(
          [...volume].map(([price, sum]) => `${price}:${sum}`).toSorted(),
        );
      }
      // The whole book, from the changes of each block: levels that are told replace those before.
      const levels = { buy: new Map<string, Json>(), sell: new Map<string, Json>() };
      const updates = firsts.get("markets/depth/updates")!.updates.flatMap(({ json }) => json.update);
      let previous: string | undefined;
      for (const update of updates.filter(({ marketId }: Json) => marketId === market)) {
        if (previous !== undefined) expect(update.previousSequenceNumber).toBe(previous);
        previous = update.sequenceNumber;
        for (const side of ["buy", "sell"] as const) {
          for (const level of update[side] ?? []) levels[side].set(level.price, level);
        }
      }
      for (const side of ["buy", "sell"] as const) {
        const now = new Map<string, Json>((book[side] ?? []).map((level: Json) => [level.price, level]));
        for (const [price, level] of levels[side]) {
          if (level.volume === undefined) expect(now.has(price)).toBe(false);
          else expect(now.get(price)).toEqual(level);
        }
      }
    }
  });
});
