// A sidecar that follows another sidecar: the same store and the same segments, whatever breaks on the way.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { listSegments } from "../../src/history/segment-table.ts";
import type { Sidecar } from "../../src/node/sidecar.ts";
import { loadSidecarConfig, type SidecarNodeConfig } from "../../src/node/sidecar-config.ts";
import { startNode } from "../../src/start-node.ts";
import { openReader } from "../../src/store/database.ts";
import { freePort } from "../../src/testnet/ports.ts";
import { digestOf, load, MEMORY, SAMPLE, Scratch } from "../rig/homes.ts";
import { Lyra } from "../rig/lyra.ts";
import { messagesOf, Sender } from "../rig/sp-sender.ts";
import { type BlockSpan, blockSpans, hashOf, inflated, StreamMaker } from "../rig/stream.ts";
import { anyMoment, eventually } from "../support/eventually.ts";

const scratch = new Scratch("followed-sidecar", MEMORY);
/** A part of the sample is enough: two segments and something behind them. */
const LAST = 1_200;
let messages: Uint8Array[];
let spans: BlockSpan[];
let running: Sidecar[] = [];

beforeAll(() => {
  const sample = inflated(SAMPLE);
  messages = messagesOf(sample);
  spans = blockSpans(sample).filter(({ height }) => height <= LAST + 1);
  messages = messages.slice(0, spans.at(-1)!.record - 1);
  spans.pop();
});
afterEach(async () => {
  for (const node of running.splice(0)) await node.stop();
});
afterAll(() => scratch.remove());

async function start(config: Partial<SidecarNodeConfig> = {}): Promise<Sidecar> {
  const node = await startNode({ kind: "sidecar", home: scratch.path(), ...config });
  running.push(node);
  return node;
}

async function stop(node: Sidecar): Promise<void> {
  running = running.filter((one) => one !== node);
  await node.stop();
}

const listening = { events: { host: "127.0.0.1", port: 0 } };
const dial = (port: unknown) => Sender.dial({ hostname: "127.0.0.1", port: Number(port) });
const part = (from: number, to = messages.length) => Buffer.concat(messages.slice(from - 1, to));
/** Numbers of a block's records. */
function recordsOf(height: number) {
  const at = spans.findLastIndex((span) => span.height === height);
  return {
    height,
    first: spans.find((span) => span.height === height)!.record,
    last: (spans[at + 1]?.record ?? messages.length + 1) - 1,
  };
}
const last = () => spans.at(-1)!.height;
const source = (node: Sidecar) => node.status.sources().find(({ kind }) => kind === "sidecar")!;

const reaches = (node: Sidecar, height: number) => eventually(() => node.head()?.height === height);

async function segmentsOf(url: string): Promise<number> {
  return ((await (await fetch(`${url}/lyra/v1/history`)).json()) as { segments: number }).segments;
}

/** Store and segments. */
function contentOf(home: string) {
  const db = openReader(home);
  const segments = listSegments(db).map(({ to, id }) => `${to} ${id}`);
  db.close();
  return { digest: digestOf(home).sha256, segments };
}

describe("--follow-sidecar", () => {
  test("takes what is there, and goes on as blocks come", async () => {
    const first = await start(listening);
    const sender = await dial(first.addresses.eventsPort);
    const half = recordsOf(Math.floor(last() / 2));
    await sender.write(part(1, half.last));
    await reaches(first, half.height);
    const second = await start({ followSidecar: first.dataUrl });
    const third = await start({ followSidecar: second.dataUrl });
    await reaches(third, half.height);
    await sender.write(part(half.last + 1));
    for (const node of [first, second, third]) await reaches(node, last());
    expect(source(third)).toMatchObject({ state: "receiving", height: last() });
    for (const node of [first, second, third])
      await eventually(async () => (await segmentsOf(node.dataUrl)) === 2);
    for (const node of [third, second, first]) await stop(node);
    const whole = contentOf(first.home);
    expect(contentOf(second.home)).toEqual(whole);
    expect(contentOf(third.home)).toEqual(whole);
  });

  test("stands kills of either side at any moment", async () => {
    const [eventsPort, ...dataPorts] = [freePort(), freePort(), freePort()];
    const homes = [scratch.path(), scratch.path()] as const;
    const words = (i: number) => [
      ...["sidecar", "--home", homes[i]!, "--node-port", "0", "--quiet", "--json"],
      ...(i === 0
        ? ["--events-port", String(eventsPort)]
        : ["--follow-sidecar", `http://127.0.0.1:${dataPorts[0]}`]),
      ...["--data-port", String(dataPorts[i])],
    ];
    const nodes = [new Lyra(words(0)), new Lyra(words(1))];
    const heightOf = async (i: number) => {
      const status = await fetch(`http://127.0.0.1:${dataPorts[i]}/status`).catch(() => undefined);
      return status && (((await status.json()) as { height: number | null }).height ?? 0);
    };
    const kill = async (i: number) => {
      nodes[i]!.kill("SIGKILL");
      await nodes[i]!.end();
      nodes[i] = new Lyra(words(i));
    };
    try {
      for (let round = 0; round < 3; round++) {
        const height = await eventually(() => heightOf(0));
        const sender = await eventually(() => dial(eventsPort).catch(() => undefined));
        const from = spans.find((span) => span.height >= height)!.record;
        const cut = round === 2 ? messages.length : Math.min(messages.length, from + 2_000 + round * 777);
        await sender.write(part(from, cut));
        await anyMoment(20 * round);
        if (round < 2) await kill(round % 2);
        await sender.end();
      }
      for (const i of [0, 1]) {
        await eventually(async () => (await heightOf(i)) === last());
        await eventually(async () => (await segmentsOf(`http://127.0.0.1:${dataPorts[i]}`)) === 2);
      }
    } finally {
      for (const node of nodes) await node.stop();
    }
    const [first, second] = homes.map(contentOf);
    expect(second).toEqual(first!);
  }, 120_000);

  test("names a source that cannot be followed", async () => {
    const first = await start(listening);
    const second = await start({ followSidecar: first.dataUrl });
    await eventually(() => source(second).text.includes("this node has no block yet"));
    expect(source(second).state).toBe("waiting");

    const loaded = scratch.path();
    await load(loaded, SAMPLE);
    const withoutLog = await start({ ...listening, home: loaded });
    const third = await start({ followSidecar: withoutLog.dataUrl });
    const stopped = await eventually(() => source(third).state === "stopped" && source(third));
    expect(stopped).toMatchObject({ code: "events_gone" });
    expect(stopped.text).toContain("lyra history fetch");

    const other = Bun.serve({ port: 0, fetch: () => new Response("", { status: 404 }) });
    const fourth = await start({ followSidecar: `http://127.0.0.1:${other.port}` });
    expect(await eventually(() => source(fourth).code)).toBe("source_unusable");
    await other.stop(true);
  });

  test("stops at a block and at an error that have no end", async () => {
    const mib = 1024 * 1024;
    const [begin, event] = new StreamMaker().block({ height: 1, events: [{}] }).records;
    const batch = Buffer.concat(Array(10_000).fill(event!));
    let [sentBytes, status] = [0, 200];
    // Streams without a bound of their own come to an end here.
    const endless = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch() {
        let piece = status === 200 ? Buffer.concat([begin!, batch]) : Buffer.alloc(mib, " ");
        const pull = (to: ReadableStreamDefaultController<Uint8Array>) => {
          if (sentBytes > 96 * mib) return to.close();
          to.enqueue(piece);
          sentBytes += piece.length;
          if (status === 200) piece = batch;
        };
        return new Response(new ReadableStream({ pull }), { status });
      },
    });
    const followSidecar = `http://127.0.0.1:${endless.port}`;
    const second = await start({ followSidecar, eventLogBytes: 8 * mib });
    const stopped = await eventually(() => source(second).state === "stopped" && source(second));
    expect(stopped.code).toBe("event_invalid");
    expect(stopped.text).toContain(`block 1 has more than ${4 * mib} bytes`);
    expect(sentBytes).toBeLessThan(48 * mib);
    [sentBytes, status] = [0, 409];
    const third = await start({ followSidecar });
    expect(await eventually(() => source(third).code)).toBe("history_mismatch");
    expect(sentBytes).toBeLessThan(48 * mib);
    await endless.stop(true);
  });

  test("is told of another chain and another history", async () => {
    const first = await start(listening);
    const sender = await dial(first.addresses.eventsPort);
    await sender.write(part(1));
    await reaches(first, last());
    const ask = async (query: string) => {
      const response = await fetch(`${first.dataUrl}/lyra/v1/events?${query}`);
      return `${response.status} ${((await response.json()) as { message: string }).message}`;
    };
    const chain = first.head()!.chainId;
    expect(await ask("chainId=x&from=3")).toBe(`409 this node holds chain ${chain}, not x`);
    expect(await ask(`chainId=${chain}&from=3&hash=${"0".repeat(64)}`)).toBe(
      "409 block 2 of this node is another one",
    );
    expect(await ask(`from=${last() + 5}`)).toBe(`412 this node is at block ${last()}, behind ${last() + 4}`);
    expect(await ask("from=x")).toBe("400 from must be the height of a block");
    // A client that awaits the headers has them although no block comes.
    const head = connect(Number(new URL(first.dataUrl).port), "127.0.0.1");
    head.write(`GET /lyra/v1/events?from=${last() + 1} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    let text = "";
    head.on("data", (piece) => (text += piece.toString("latin1")));
    expect(await eventually(() => text.includes("\r\n\r\n") && text.slice(0, 12))).toBe("HTTP/1.1 200");
    head.destroy();
    // HEAD leaves no client behind, of which there may be 32.
    for (let n = 0; n < 40; n++) {
      const { status } = await fetch(`${first.dataUrl}/lyra/v1/events?from=1`, { method: "HEAD" });
      expect(status).toBe(200);
    }
    await sender.end();
  });

  test("is one source of events, and an event socket another", () => {
    const flags = { "follow-sidecar": "http://127.0.0.1:1", "events-port": "0" };
    expect(() => loadSidecarConfig(flags, { home: scratch.path() }, {})).toThrow("not both");
  });
});

describe("the doubled first height", () => {
  const party = (n: number) => ({ type: 14, party: { id: n.toString(16).padStart(64, "0") } });
  const chain = (genesis: string) =>
    messagesOf(
      new StreamMaker()
        .block({ height: 1, hash: genesis, second: 1, events: [party(1)] })
        .block({ height: 1, second: 1, events: [party(2), party(3)] })
        .blocks(2, 6)
        .bytes(),
    );

  test("comes twice to a follower as well, also from a core that names its genesis otherwise", async () => {
    const first = await start(listening);
    const sender = await dial(first.addresses.eventsPort);
    await sender.write(Buffer.concat(chain(hashOf(0))));
    await reaches(first, 6);
    await sender.end();
    const follower = await start({ followSidecar: first.dataUrl });
    await reaches(follower, 6);
    for (const node of [follower, first]) await stop(node);
    // Its log begins with the core that has begun again.
    rmSync(join(first.home, "events"), { recursive: true });
    const restarted = await start({ ...listening, home: first.home });
    const again = await dial(restarted.addresses.eventsPort);
    await again.write(Buffer.concat(chain(hashOf(0, 1))));
    await eventually(() => restarted.status.sources().some(({ height }) => height === 6));
    const later = await start({ followSidecar: restarted.dataUrl });
    await reaches(later, 6);
    for (const node of [later, restarted]) await stop(node);
    const { tables } = digestOf(first.home);
    expect(tables.parties!.rows).toBe(3);
    expect(digestOf(follower.home).tables).toEqual(tables);
    expect(digestOf(later.home).tables.parties).toEqual(tables.parties!);
  });
});

describe("--gaps-from", () => {
  test("fetches the blocks that the event socket lacks, until its own follow them", async () => {
    const whole = await start(listening);
    const source = await dial(whole.addresses.eventsPort);
    const [head, hole, end] = [0.3, 0.6, 0.8].map((share) => recordsOf(Math.floor(last() * share)));
    await source.write(part(1, end!.last));
    await reaches(whole, end!.height);
    const lacking = await start({ ...listening, gapsFrom: whole.dataUrl });
    const events = () => lacking.status.sources().find(({ kind }) => kind === "events")!;
    const sender = await dial(lacking.addresses.eventsPort);
    await sender.write(part(1, head!.last));
    await reaches(lacking, head!.height);
    await sender.write(part(hole!.first, end!.last));
    await eventually(() => events().code === "height_gap");
    expect(events().text).toContain(whole.dataUrl);
    await reaches(lacking, end!.height);
    await source.write(part(end!.last + 1));
    await sender.write(part(end!.last + 1));
    await Promise.all([reaches(lacking, last()), reaches(whole, last())]);
    await eventually(() => events().state === "receiving");
    const homes = [whole.home, lacking.home];
    for (const node of [...running]) await stop(node);
    // Segments follow the rows, each in its own time.
    const [expected, tables] = homes.map((home) => ({ ...digestOf(home).tables, meta: 0, segments: 0 }));
    expect(tables).toEqual(expected);
  });

  test("says why it cannot, and the gap is still named", async () => {
    const lacking = await start({ ...listening, gapsFrom: `http://127.0.0.1:${freePort()}` });
    const events = () => lacking.status.sources().find(({ kind }) => kind === "events")!;
    const sender = await dial(lacking.addresses.eventsPort);
    const [head, hole] = [0.3, 0.6].map((share) => recordsOf(Math.floor(last() * share)));
    await sender.write(part(1, head!.last));
    await reaches(lacking, head!.height);
    await sender.write(part(hole!.first, hole!.last + 10));
    await eventually(() => events().text.includes("cannot be had from"));
    expect(events()).toMatchObject({ state: "stopped", code: "height_gap" });
    expect(events().text).toContain(`the core must restart at height ${head!.height + 1}`);
  });
});
