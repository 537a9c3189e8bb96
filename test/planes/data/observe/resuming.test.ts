// Streams that go on after a height: a client that was cut off gets what it has missed, and nothing twice.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ServerStatus } from "../../../../src/http/status.ts";
import { serveData } from "../../../../src/planes/data/app.ts";
import type { StreamKind } from "../../../../src/planes/data/observe/kind.ts";
import type { Observation } from "../../../../src/planes/data/observe/observation.ts";
import { Streams } from "../../../../src/planes/data/observe/streams.ts";
import { openWriter } from "../../../../src/store/database.ts";
import { OPTIONAL_TABLES } from "../../../../src/store/schema.ts";
import type { Block } from "../../../../src/wire/block.ts";
import { randomOf } from "../../../chain/rig.ts";
import { eventually } from "../../../support/eventually.ts";
import { SEED } from "../../../support/seed.ts";
import { StreamedChain, sampleBlocks, settled } from "../../../support/streamed-chain.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

const cursorOf = (height: number | undefined) => (height === undefined ? undefined : { height, hash: "" });

interface Received {
  readonly height: number;
  readonly text: string;
}

class Client {
  readonly received: Received[] = [];
  /** Height of the last mark. */
  upTo = -1;

  constructor(readonly observation: Observation) {
    observation.onReady = () => this.take();
    this.take();
  }

  take(): void {
    for (;;) {
      const one = this.observation.poll();
      if (one === undefined) return;
      if (one.message === undefined) this.upTo = one.height;
      else this.received.push({ height: one.height, text: JSON.stringify(one.message, withDigits) });
    }
  }

  /** Messages of the blocks after a height. */
  behind(height: number): Received[] {
    return this.received.filter((each) => each.height > height && !each.text.startsWith('{"snapshot"'));
  }
}

const withDigits = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);
/** A proposal has the votes that there are when it is sent. */
const shownOf =
  (path: string) =>
  ({ height, text }: Received): string =>
    `${height} ${path === "governance" ? JSON.stringify(JSON.parse(text).data.proposal) : text}`;
const ROW_KINDS = Streams.kinds.filter((kind): kind is StreamKind => "reader" in kind);

let blocks: Block[];
beforeAll(async () => {
  blocks = await sampleBlocks();
});

describe("over the sample", () => {
  let chain: StreamedChain;
  let markets: string[];
  let proposal: string;
  let start: number;
  const whole = new Map<string, Client>();

  const requestOf = (path: string): Record<string, Json> => {
    if (path === "votes") return { proposalId: proposal };
    if (path === "candle/data") return { candleId: `trades_candle_1_minute_${markets[0]}` };
    return path.startsWith("markets/") ? { marketIds: markets } : {};
  };
  const open = async ({ method, path }: StreamKind, after?: number) =>
    new Client(
      await chain.plane.streams.observe(method, requestOf(path), {
        wantsHeights: true,
        after: cursorOf(after),
      }),
    );

  beforeAll(async () => {
    const all = new StreamedChain(blocks);
    all.commit(blocks.length);
    markets = all.markets();
    proposal = all.get("governances").connection.edges.find((edge: Json) => edge.node.yes?.length > 1).node
      .proposal.id;
    all.close();
    chain = new StreamedChain(blocks);
    while (markets.some((id) => !chain.markets().includes(id))) chain.commit();
    start = chain.height;
    for (const kind of ROW_KINDS) whole.set(kind.path, await open(kind));
    while (!chain.isDone) {
      chain.commit(30);
      await settled();
    }
  }, 60_000);
  afterAll(() => {
    for (const { observation } of whole.values()) observation.close();
    expect(chain.plane.streams.count).toBe(0);
    chain.close();
  });

  for (const kind of ROW_KINDS) {
    test(`${kind.path}: from any height on, what a client got that was never cut off`, async () => {
      const random = randomOf(SEED);
      const head = chain.height;
      const heights = [
        start,
        head - 1,
        head,
        ...Array.from({ length: 6 }, () => Math.floor(start + random() * (head - start))),
      ];
      for (const after of heights) {
        const client = await open(kind, after);
        expect(client.observation.height).toBe(after);
        await eventually(() => client.upTo === head);
        const texts = client.received.map(shownOf(kind.path));
        const expected = whole.get(kind.path)!.behind(after).map(shownOf(kind.path));
        // A candle comes as it is after some blocks, which are not the same ones.
        if (kind.path === "candle/data") expect(texts.at(-1)).toBe(expected.at(-1));
        else expect(texts).toEqual(expected);
        client.observation.close();
      }
      expect(whole.get(kind.path)!.behind(start).length).toBeGreaterThan(2);
    });
  }

  test("a client that is cut off while it catches up goes on at its last mark", async () => {
    const kind = ROW_KINDS.find(({ path }) => path === "orders")!;
    const texts: string[] = [];
    let after = start;
    for (let turn = 0; after < chain.height; turn++) {
      const observation = await chain.plane.streams.observe(
        kind.method,
        {},
        { wantsHeights: true, after: cursorOf(after) },
      );
      let unmarked: string[] = [];
      for await (const { message, height } of observation) {
        if (message !== undefined) unmarked.push(JSON.stringify(message, withDigits));
        else {
          texts.push(...unmarked);
          unmarked = [];
          const hasMore = height > after;
          after = height;
          if (hasMore && turn % 3 === 0) break;
          if (after === chain.height) break;
        }
      }
    }
    expect(texts).toEqual(
      whole
        .get("orders")!
        .behind(start)
        .map(({ text }) => text),
    );
  });

  test("a height that is not reached is refused, and so is one whose blocks were removed", async () => {
    const refusal = (method: string, after: number) =>
      chain.plane.streams.observe(method, {}, { after: cursorOf(after) }).then(
        (observation) => {
          observation.close();
          return "opened";
        },
        (error) => `${error.status} ${error.message}`,
      );
    const head = chain.height;
    expect(await refusal("ObserveTrades", head + 1)).toBe(
      `412 height ${head + 1} is not reached: the last block is ${head}`,
    );
    const { db } = chain.plane.context;
    const first = Number(db.query("SELECT min(height) FROM blocks").values()[0]![0]);
    expect(await refusal("ObserveTrades", first - 1)).toBe("opened");
    const removing = openWriter(chain.home);
    removing.run(OPTIONAL_TABLES.retention);
    const floor = JSON.stringify({ no: 1, height: head - 10, timeUs: 0 });
    removing.run("INSERT INTO retention(name, value) VALUES('trades', ?)", [floor]);
    removing.close();
    const notKept = (height: number) =>
      `400 what happened after block ${height} is not kept: open the stream without afterHeight`;
    expect(await refusal("ObserveTrades", head - 11)).toBe(notKept(head - 11));
    expect(await refusal("ObserveTrades", head - 10)).toBe("opened");
    expect(await refusal("ObserveAccounts", head - 11)).toBe("opened");
    expect(await refusal("ObserveLedgerMovements", head - 1)).toBe(notKept(head - 1));
    expect(await refusal("ObserveLedgerMovements", head)).toBe("opened");
    expect(chain.plane.streams.count).toBe(ROW_KINDS.length);
  });
});

test("blocks that share a row come once, to clients that follow and to those that go on", async () => {
  const chain = new StreamedChain(blocks);
  chain.commit(60);
  const { height } = chain;
  const open = async (after?: number) =>
    new Client(
      await chain.plane.streams.observe("ObserveOrders", {}, { wantsHeights: true, after: cursorOf(after) }),
    );
  const follower = await open();
  // Three blocks of one time, then a later one, in one commit.
  chain.againAtOnce([0, 0, 1_000_000]);
  await settled();
  chain.againAtOnce([0]);
  await settled();
  const head = chain.height;
  expect(head).toBe(height + 4);
  const versions = ({ received }: Client) =>
    received
      .flatMap(({ text }) => JSON.parse(text).updates?.orders ?? [])
      .map((order: Json) => order.version);
  const all = versions(follower);
  expect(all).toHaveLength(4);
  expect(follower.upTo).toBe(head);
  for (let n = 0; n <= 4; n++) {
    const client = await open(height + n);
    await eventually(() => client.upTo === head);
    expect(versions(client)).toEqual(all.slice(n));
    client.observation.close();
  }
  follower.observation.close();
  chain.close();
});

describe("over HTTP", () => {
  let chain: StreamedChain;
  let server: ReturnType<typeof serveData>;
  beforeAll(() => {
    chain = new StreamedChain(blocks);
    chain.commit(blocks.length);
    server = serveData(chain.plane, new ServerStatus(), { host: "127.0.0.1", port: 0 });
  });
  afterAll(async () => {
    await server.stop();
    chain.close();
  });

  test("afterHeight: the header has the height, lines and frames what follows it", async () => {
    const head = chain.height;
    const after = head - 2_000;
    const address = `${server.url}/api/v2/stream/trades?height=true&afterHeight=${after}`;
    const leaving = new AbortController();
    const answer = await fetch(address, { signal: leaving.signal });
    expect(answer.headers.get("x-block-height")).toBe(String(after));
    let text = "";
    for await (const piece of answer.body!) {
      text += new TextDecoder().decode(piece);
      if (text.includes(`"height":"${head}"`)) break;
    }
    leaving.abort();
    const lines = text.trim().split("\n");
    expect(lines[0]).toBe(`{"height":"${after}","cursor":"${after}"}`);
    const frames: string[] = [];
    const socket = new WebSocket(address.replace("http", "ws"));
    socket.onmessage = ({ data }) => frames.push(String(data));
    await eventually(() => frames.at(-1)?.includes(`"height":"${head}"`) === true);
    socket.close();
    expect(frames).toEqual(lines);
    expect(lines.filter((line) => line.includes("result")).length).toBeGreaterThan(0);
  });

  test.each([
    ["x", 400, "is not a block height"],
    ["999999999", 412, "is not reached"],
  ])("afterHeight=%s: %d", async (value, status, sentence) => {
    for (const path of ["trades", "accounts"]) {
      const answer = await fetch(`${server.url}/api/v2/stream/${path}?afterHeight=${value}`);
      expect(answer.status).toBe(status);
      expect(await answer.text()).toContain(sentence);
    }
  });
});
