// More threads on the port of the data API: the same answers, one set of counts, and no other process beside them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { requestBudget } from "../../src/http/request-budget.ts";
import { ServerStatus } from "../../src/http/status.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { ReaderThreads } from "../../src/node/reader-threads.ts";
import { Reading, storeFacts } from "../../src/node/reading.ts";
import { type DataServer, serveData } from "../../src/planes/data/app.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { eventually } from "../support/eventually.ts";
import { codeOf } from "../wallet/support/failures.ts";

const SAMPLE = join(import.meta.dir, "..", "..", "data", "sample.evts.gz");
const HOST = "127.0.0.1";
const IS_SHARING = process.platform === "linux";
if (!IS_SHARING) console.log("skipped: threads on one port (only Linux spreads connections over them)");

describe.skipIf(!IS_SHARING)("threads on one port", () => {
  const home = mkdtempSync(join(tmpdir(), "lyra-reader-threads-"));
  const status = new ServerStatus();
  let reading: Reading;
  let server: DataServer;
  let readers: ReaderThreads;
  let reason: string | undefined = "loading";

  beforeAll(async () => {
    const db = openWriter(home);
    await replayFiles(new BlockWriter(db), db, [SAMPLE]);
    db.close();
    reading = new Reading(home, DEFAULT_LIMITS);
    status.source = { ...storeFacts(home, reading.plane), notReady: () => reason };
    server = serveData(reading.plane, status, { host: HOST, port: 0, sharing: "first" });
    readers = new ReaderThreads(
      {
        ...{ home, limits: DEFAULT_LIMITS, host: HOST, port: server.port },
        requestBudget: requestBudget.shared,
      },
      1,
      status,
    );
    await readers.listening();
    readers.notifyReady(reason);
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

  /** Answers of the main thread. */
  const ofMain = () => [...status.counts.responses.values()].reduce((sum, count) => sum + count, 0);

  /** Asks until both threads have answered. @returns all answers */
  const askBoth = async (path: string) => {
    const before = ofMain();
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    while (ofMain() === before || ofMain() - before === answers.length) {
      answers.push(await ask(path));
      if (answers.length > 500) throw new Error("one of the threads answers nothing");
    }
    return answers;
  };

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
    readers.notifyReady(reason);
    await eventually(async () => !(await askBoth("/readyz")).some(({ status }) => status !== 200));
  }, 120_000);

  test("the metrics of either are those of both, and never fall", async () => {
    const answers = await askBoth("/metrics");
    const totals = answers.map(({ text }) =>
      [...text.matchAll(/^lyra_http_responses_total\{.*\} (\d+)$/gm)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      ),
    );
    expect(totals).toEqual(totals.toSorted((a, b) => a - b));
    // The other thread reports its own once a second at the latest.
    const total = async () => {
      const { text } = await ask("/metrics");
      return Number(/^lyra_http_responses_total\{status="404"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    };
    const before = await total();
    const asked = (await askBoth("/nothing")).length;
    await eventually(async () => (await total()) >= before + asked);
    expect(await total()).toBe(before + asked);
  }, 120_000);

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
    await readers.stop();
    const before = ofMain();
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask("/api/v2/assets")));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(ofMain() - before).toBe(30);
  });
});
