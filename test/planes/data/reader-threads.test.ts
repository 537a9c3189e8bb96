// More threads on the port of the data API: the same answers, one set of counts, and no other process beside them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_LIMITS } from "../../../src/http/limits.ts";
import { LoadMeter } from "../../../src/http/load-meter.ts";
import { replayFiles } from "../../../src/ingest/replay.ts";
import { ReaderThreads } from "../../../src/node/reader-threads.ts";
import { Reading } from "../../../src/node/reading.ts";
import { storeFacts } from "../../../src/node/store-facts.ts";
import { ServerCounts } from "../../../src/planes/data/counts.ts";
import { type DataServer, serveData } from "../../../src/planes/data/server.ts";
import { ServerStatus } from "../../../src/planes/data/status.ts";
import { BlockWriter } from "../../../src/store/block-writer.ts";
import { openWriter } from "../../../src/store/database.ts";
import { codeOf } from "../../wallet/support/failures.ts";

const SAMPLE = join(import.meta.dir, "../../../data/sample.evts.gz");
const HOST = "127.0.0.1";
const IS_SHARING = process.platform === "linux";
if (!IS_SHARING) console.log("skipped: threads on one port (only Linux spreads connections over them)");
const nowMs = () => performance.now();

describe.skipIf(!IS_SHARING)("threads on one port", () => {
  const home = mkdtempSync(join(tmpdir(), "lyra-reader-threads-"));
  const limits = { ...DEFAULT_LIMITS, exportsMax: 1 };
  const counts = new ServerCounts();
  const second = new ServerCounts(counts.memory, 1);
  let reading: Reading;
  let server: DataServer;
  let readers: ReaderThreads;
  let reason: string | undefined = "loading";

  beforeAll(async () => {
    const db = openWriter(home);
    await replayFiles(new BlockWriter(db), db, [SAMPLE]);
    db.close();
    reading = new Reading(home, limits);
    const status = new ServerStatus(counts);
    status.source = { ...storeFacts(home, reading.plane), notReady: () => reason };
    server = serveData(reading.plane, status, { host: HOST, port: 0, sharing: "first" });
    readers = new ReaderThreads({ home, limits, host: HOST, counts, max: 1, nowMs });
    readers.tell(reason);
  });
  afterAll(async () => {
    await Promise.all([server.stop(), readers.stop()]);
    reading.close();
    rmSync(home, { recursive: true });
  });

  /** Over a connection of its own, so that the system chooses a thread. */
  const ask = async (path: string) => {
    const response = await fetch(`${server.url}${path}`, {
      headers: { connection: "close" },
      keepalive: false,
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };

  /** Asks until both threads have answered. @returns all answers */
  const askBoth = async (path: string) => {
    const before = [counts.ownResponses, second.ownResponses] as const;
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    while (counts.ownResponses === before[0] || second.ownResponses === before[1]) {
      answers.push(await ask(path));
      if (answers.length > 500) throw new Error("one of the threads answers nothing");
    }
    return answers;
  };

  test("one more when it is asked for, and no more than there may be", async () => {
    expect(readers.count).toBe(0);
    readers.more(server.port);
    readers.more(server.port);
    expect(readers.count).toBe(1);
    while (second.ownResponses === 0) await ask("/healthz");
  }, 10_000);

  test("the same answers from both, with the height", async () => {
    for (const path of [
      "/api/v2/balance/changes?pagination.first=20",
      "/api/v2/assets",
      "/api/v2/asset/nothing",
    ]) {
      const answers = await askBoth(path);
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(new Set(answers.map(({ headers }) => headers.get("x-block-height"))).size).toBe(1);
    }
  });

  test("both say whether the node is ready", async () => {
    expect(new Set((await askBoth("/readyz")).map(({ status }) => status))).toEqual(new Set([503]));
    reason = undefined;
    readers.tell(reason);
    while ((await askBoth("/readyz")).some(({ status }) => status !== 200)) await Bun.sleep(5);
  }, 10_000);

  test("the metrics of either are those of both", async () => {
    const total = counts.ownResponses + second.ownResponses;
    const answers = await askBoth("/metrics");
    const told = answers.map(({ text }) =>
      [...text.matchAll(/^lyra_http_responses_total\{.*\} (\d+)$/gm)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      ),
    );
    expect(told).toEqual(answers.map((_, at) => total + at));
  });

  test("an export that one sends counts for the other", async () => {
    expect(counts.beginExport(limits.exportsMax)).toBe(true);
    const answers = await askBoth("/api/v2/networkhistory/export?fromBlock=1&toBlock=2");
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
    counts.endExport();
    expect(counts.exportsRunning).toBe(0);
  });

  test("the port is taken for everybody else", async () => {
    const begin = (sharing?: "first") =>
      serveData(reading.plane, new ServerStatus(), {
        host: HOST,
        port: server.port,
        ...(sharing && { sharing }),
      });
    expect(await codeOf(() => begin())).toBe("port_in_use");
    expect(await codeOf(() => begin("first"))).toBe("port_in_use");
  });

  test("a thread that ends leaves the port to the others", async () => {
    const before = second.ownResponses;
    await readers.stop();
    expect(readers.count).toBe(0);
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask("/api/v2/assets")));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(second.ownResponses).toBe(before);
    readers.more(server.port);
    expect(readers.count).toBe(0);
  });
});

describe.skipIf(!IS_SHARING)("a thread of a home that another one has taken the place of", () => {
  test("does not answer beside those of the first", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lyra-reader-threads-"));
    const home = join(folder, "home");
    openWriter(home).close();
    const first = new Reading(home, DEFAULT_LIMITS);
    const counts = new ServerCounts();
    const readers = new ReaderThreads({ home, limits: DEFAULT_LIMITS, host: HOST, counts, max: 1, nowMs });
    const server = serveData(first.plane, new ServerStatus(counts), {
      host: HOST,
      port: 0,
      sharing: "first",
    });
    try {
      renameSync(home, join(folder, "moved"));
      openWriter(home).close();
      readers.more(server.port);
      expect(readers.count).toBe(1);
      for (const end = nowMs() + 10_000; readers.count > 0 && nowMs() < end; ) await Bun.sleep(10);
      expect(readers.count).toBe(0);
    } finally {
      await Promise.all([server.stop(), readers.stop()]);
      first.close();
      rmSync(folder, { recursive: true });
    }
  }, 20_000);
});

describe("the meter of the work", () => {
  /** Answers that take so many milliseconds, in turns of so many, until a second is over. @returns how often it was told */
  async function load({
    workMs,
    turn,
    restMs,
  }: {
    workMs: number;
    turn: number;
    restMs: number;
  }): Promise<number> {
    let now = 0;
    let told = 0;
    const meter = new LoadMeter(
      () => now,
      () => told++,
    );
    while (now < 1_100) {
      for (let at = 0; at < turn; at++) {
        expect(meter.measure(() => (now += workMs))).toBe(now);
      }
      now += restMs;
      await new Promise(setImmediate);
    }
    return told;
  }

  test("many who wait, and no time left: again and again", async () => {
    expect(await load({ workMs: 1, turn: 8, restMs: 2 })).toBe(2);
  });

  test("one who asks and waits does not need another thread", async () => {
    expect(await load({ workMs: 1, turn: 1, restMs: 0.1 })).toBe(0);
  });

  test("many, but little work", async () => {
    expect(await load({ workMs: 0.1, turn: 8, restMs: 2 })).toBe(0);
  });
});
