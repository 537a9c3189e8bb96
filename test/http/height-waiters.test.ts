// Requests that wait for a height: commits wake them, one look serves them all, and their number is limited.
import { afterEach, describe, expect, jest, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HeightWaiters } from "../../src/http/height-waiters.ts";
import { startNode } from "../../src/start-node.ts";
import { turns } from "../support/eventually.ts";
import { ServedChain } from "../support/served-chain.ts";

const NEVER = new AbortController().signal;

describe("the waiters of a plane", () => {
  let height = 0;
  let reads = 0;
  const make = (max = 10_000, waitMs = 5_000, lookMs = 100) => {
    [height, reads] = [0, 0];
    const headHeight = () => {
      reads++;
      return height;
    };
    return new HeightWaiters({ max, waitMs, lookMs, headHeight });
  };

  test("a commit wakes exactly those whose height it reaches", async () => {
    const waiters = make();
    const settled: number[] = [];
    const waits = [3, 1, 2, 2].map((height) =>
      waiters.waitFor(height, NEVER).then((isReached) => isReached && settled.push(height)),
    );
    for (const [now, expected] of [
      [1, [1]],
      [1, [1]],
      [2, [1, 2, 2]],
      [5, [1, 2, 2, 3]],
    ] as const) {
      height = now;
      waiters.notify();
      await turns();
      expect(settled).toEqual([...expected]);
    }
    await Promise.all(waits);
    expect(waiters.count).toBe(0);
  });

  test("2,000 that wait read the head as often as one does", async () => {
    jest.useFakeTimers();
    try {
      const waiters = make(10_000, 450, 100);
      const waits = Array.from({ length: 2_000 }, () => waiters.waitFor(9, NEVER));
      const before = reads;
      jest.advanceTimersByTime(450);
      expect(await Promise.all(waits)).toEqual(Array(2_000).fill(false));
      expect(reads - before).toBe(4);
      expect(waiters.count).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  test("a waiter beyond the limit is refused with 503, and has a place when another has left", async () => {
    const waiters = make(2);
    const client = new AbortController();
    const first = waiters.waitFor(1, client.signal);
    const second = waiters.waitFor(1, NEVER);
    await expect(waiters.waitFor(1, NEVER)).rejects.toMatchObject({ status: 503 });
    expect(await waiters.waitFor(0, NEVER)).toBe(true);
    client.abort();
    expect(await first).toBe(false);
    const third = waiters.waitFor(1, NEVER);
    height = 1;
    waiters.notify();
    expect(await Promise.all([second, third])).toEqual([true, true]);
  });

  test("a head that cannot be read fails them all", async () => {
    let isBroken = false;
    const headHeight = () => {
      if (isBroken) throw new Error("unreadable");
      return 0;
    };
    const waiters = new HeightWaiters({ max: 5, waitMs: 5_000, lookMs: 100, headHeight });
    const waits = [1, 2].map((height) => waiters.waitFor(height, NEVER));
    const settled = Promise.allSettled(waits);
    isBroken = true;
    waiters.notify();
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(waiters.count).toBe(0);
  });
});

test("over HTTP: 503 with Retry-After beyond the limit", async () => {
  const served = new ServedChain({ minHeightWaitMs: 300, minHeightWaitersMax: 3 });
  served.commit();
  const headers = { "x-min-height": String(served.height + 1) };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => fetch(`${served.url}/api/v2/assets`, { headers })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([412, 412, 412, 503, 503]);
  const refused = answers.find(({ status }) => status === 503)!;
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await refused.json()).toEqual({
    code: 14,
    message: "3 requests wait for a height already",
    details: [],
  });
  await served.stop();
});

describe.each([false, true])("a devnet, with a thread that answers: %p", (thread) => {
  const homes: string[] = [];
  afterEach(() => {
    for (const home of homes.splice(0)) rmSync(home, { recursive: true });
  });

  test("a block wakes who waits for it, on both ports, without a look for all", async () => {
    const home = mkdtempSync(join(tmpdir(), "lyra-waiters-"));
    homes.push(home);
    const devnet = await startNode({
      ...{ kind: "devnet", home, thread, fund: false, mode: { kind: "manual" } },
      limits: { minHeightLookMs: 120_000, minHeightWaitMs: 60_000 },
    });
    const { height } = devnet.chain.status;
    // The later ones wait while the first are answered.
    const waits = Array.from({ length: 10 }, (_, n) => {
      const path = n % 2 === 0 ? `${devnet.dataUrl}/api/v2/vega/time` : `${devnet.nodeUrl}/time`;
      return fetch(path, { headers: { "x-min-height": String(height + 1 + n) } });
    });
    for (const waiting of waits) {
      await devnet.chain.mine(1);
      expect((await waiting).status).toBe(200);
    }
    await devnet.stop();
  });
});
