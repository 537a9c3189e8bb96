/**
 * The page in a real browser: how soon it shows something, beside a static page of the same process, and what it takes of
 * memory and asks for while a devnet with many parties makes blocks without end, and whether what a view took is free again
 * once it is left.
 *
 *   bun bench/page.ts [--minutes 30] [--parties 200000] [--rate 10000] [--rounds 15] [--visits 50]
 *     [--only paint,memory,visits] [--out FILE]
 *
 * Prints one JSON line. `--rate` is in blocks a minute. Times need a quiet machine, the ratio, memory and sizes do not.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, CDPSession, Page } from "playwright-core";
import type { Devnet } from "../src/devnet/devnet.ts";
import { startNode } from "../src/start-node.ts";
import { offlineBrowser } from "../test/support/offline-browser.ts";
import { failuresIn, Look } from "../test/web/look.ts";
import { argument, median } from "./support.ts";

const minutes = Number(argument("--minutes") ?? 1);
const parties = Number(argument("--parties") ?? 200_000);
const blocksPerMinute = Number(argument("--rate") ?? 10_000);
const rounds = Number(argument("--rounds") ?? 15);
const visits = Number(argument("--visits") ?? 50);
const only = argument("--only")?.split(",");

const PARTIES_A_BLOCK = 10_000;
/** Between two looks at the heap, and at how many blocks are due. */
const LOOK_MS = 2_000;
const DRIVE_MS = 60;
/** A market's crowd sends this many orders at a time, so that views have something new. */
const ORDERS = 5;
const ORDERS_MS = 5_000;
/** On each view in turns; a short run sees each once. */
const STAY_MS = Math.min(20_000, (minutes * 60_000) / 16);
const MB = 1e6;

declare const window: { blockMs?: number };

async function useTool(devnet: Devnet, tool: string, body: object): Promise<void> {
  const answer = await fetch(`${devnet.nodeUrl}/devnet/${tool}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** A devnet with something for each view, and many parties. Not the demonstration: its upgrade would stop the chain. */
async function start(home: string): Promise<Devnet> {
  const devnet: Devnet = await startNode({ kind: "devnet", home, thread: true });
  await useTool(devnet, "market/create", { preset: "btc" });
  await useTool(devnet, "market/run", { market: "BTC/USD", orders: 60, seed: 1 });
  const party = devnet.parties[0]!.publicKey;
  await useTool(devnet, "fund", { party, asset: "dUSD", amount: "5000000000" });
  const ext = { erc20: { receiverAddress: `0x${"ab".repeat(20)}` } };
  const dollar = devnet.report().parties[0]!.balances.find(({ symbol }) => symbol === "dUSD")!.asset;
  const withdrawSubmission = { amount: "1000000000", asset: dollar, ext };
  await useTool(devnet, "impersonate", { party, command: { withdrawSubmission } });
  const asset = devnet.report().parties[0]!.balances.find(({ symbol }) => symbol === "tUSD")!.asset;
  for (let first = 1; first <= parties; first += PARTIES_A_BLOCK) {
    const count = Math.min(PARTIES_A_BLOCK, parties - first + 1);
    const balances = Array.from({ length: count }, (_, at) => ({
      party: new Bun.CryptoHasher("sha256").update(`party ${first + at}`).digest("hex"),
      asset,
      balance: 1_000_000n,
    }));
    await devnet.chain.setBalances(balances);
  }
  return devnet;
}

interface Paint {
  /** The first contentful paint. */
  readonly paintMs: number;
  /** Until the height of a block is painted, on the static page too. */
  readonly blockMs: number;
}

/** Loads a page with empty caches. */
async function paintOf(browser: Browser, url: string): Promise<Paint> {
  const context = await browser.newContext({ viewport: { width: 1600, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    const look = () => {
      const isThere = /\d/.test(document.querySelector(".height")?.textContent ?? "");
      // Shown by the frame that this one makes.
      requestAnimationFrame(isThere ? () => (window.blockMs = performance.now()) : look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(url);
  const read = () =>
    page.evaluate(() => ({
      paintMs: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
      blockMs: window.blockMs ?? 0,
    }));
  await page.waitForFunction(
    () => window.blockMs !== undefined && performance.getEntriesByName("first-contentful-paint").length > 0,
  );
  const { paintMs, blockMs } = await read();
  await context.close();
  // A text enters the document before it is painted.
  return { paintMs, blockMs: Math.max(paintMs, blockMs) };
}

/** The overview as a document without scripts. */
async function staticPage(browser: Browser, nodeUrl: string): Promise<Map<string, Response>> {
  const look = new Look(nodeUrl, nodeUrl);
  await look.begin(browser);
  await look.open("");
  const { html, style } = await look.page.evaluate(() => {
    for (const element of document.querySelectorAll("script, link[rel=modulepreload], canvas"))
      element.remove();
    const link = document.querySelector<HTMLLinkElement>("link[rel=stylesheet]")!;
    return {
      html: `<!doctype html>${document.documentElement.outerHTML}`,
      style: new URL(link.href).pathname,
    };
  });
  await look.page.close();
  const css = await (await fetch(nodeUrl + style)).bytes();
  const packed = (bytes: Uint8Array<ArrayBuffer>, type: string) =>
    new Response(Bun.gzipSync(bytes), { headers: { "content-type": type, "content-encoding": "gzip" } });
  const text = new TextEncoder().encode(html) as Uint8Array<ArrayBuffer>;
  return new Map([
    ["/", packed(text, "text/html; charset=utf-8")],
    [style, packed(css, "text/css; charset=utf-8")],
  ]);
}

async function measurePaint(browser: Browser, devnet: Devnet) {
  const files = await staticPage(browser, devnet.nodeUrl);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => files.get(new URL(url).pathname)?.clone() ?? new Response(undefined, { status: 404 }),
  });
  const own: Paint[] = [];
  const fixed: Paint[] = [];
  for (let round = -1; round < rounds; round++) {
    const first = await paintOf(browser, `${devnet.nodeUrl}/`);
    const second = await paintOf(browser, `http://127.0.0.1:${server.port}/`);
    if (round < 0) continue;
    own.push(first);
    fixed.push(second);
  }
  await server.stop(true);
  const middle = (all: readonly Paint[], which: keyof Paint) => median(all.map((each) => each[which]));
  const paintMs = middle(own, "paintMs");
  const blockMs = middle(own, "blockMs");
  const staticMs = middle(fixed, "paintMs");
  return {
    rounds,
    paintMs: Math.round(paintMs),
    blockMs: Math.round(blockMs),
    staticPaintMs: Math.round(staticMs),
    paintRatio: Number((paintMs / staticMs).toFixed(2)),
    blockRatio: Number((blockMs / middle(fixed, "blockMs")).toFixed(2)),
  };
}

/** Makes blocks at the rate, and now and then orders. */
async function drive(devnet: Devnet, market: string, until: AbortSignal): Promise<void> {
  const began = performance.now();
  let blocks = 0;
  let orderedAt = began;
  while (!until.aborted) {
    const due = Math.floor(((performance.now() - began) / 60_000) * blocksPerMinute) - blocks;
    if (due > 0) await devnet.chain.mine(due);
    blocks += due;
    if (performance.now() - orderedAt >= ORDERS_MS) {
      orderedAt = performance.now();
      await useTool(devnet, "market/run", { market, orders: ORDERS, seed: blocks });
    }
    await Bun.sleep(DRIVE_MS);
  }
}

/** Answers while a view was open. */
interface ViewUse {
  readonly view: string;
  seconds: number;
  requests: number;
  bytes: number;
  largestBytes: number;
  largestPath: string;
  /** Rows of the longest list in an answer beyond those on the screen, with its path. */
  beyondScreen: string[];
}

interface Answer {
  readonly path: string;
  readonly bytes: number;
  readonly rows: number;
}

/** Lists that a chart draws: a point takes a pixel at least. */
const DRAWN = /^\/(?:lyra\/v1\/blocks|api\/v2\/(?:candle|balance\/changes))\b/;

function rowsIn(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Math.max(0, ...Object.values(value).map(rowsIn));
}

async function answerOf(response: { url(): string; text(): Promise<string> }): Promise<Answer> {
  const { pathname, search } = new URL(response.url());
  const text = await response.text().catch(() => "");
  const rows = text.startsWith("{") ? rowsIn(JSON.parse(text)) : 0;
  return { path: pathname + search, bytes: text.length, rows };
}

/** Rows and points that have a place on the screen. */
function placesOn(page: Page): Promise<{ rows: number; points: number }> {
  return page.evaluate(() => {
    const widths = [...document.querySelectorAll("canvas, .chart")].map(({ clientWidth }) => clientWidth);
    const rows = document.querySelectorAll("main :is(tr, option, dt, form, .meter-row, li)").length;
    return { rows, points: Math.max(0, ...widths) };
  });
}

async function heapMb(session: CDPSession): Promise<number> {
  const { usedSize } = (await session.send("Runtime.getHeapUsage")) as { usedSize: number };
  return usedSize / MB;
}

async function measureMemory(browser: Browser, devnet: Devnet) {
  const look = new Look(devnet.nodeUrl, devnet.dataUrl);
  await look.begin(browser);
  const session = await look.page.context().newCDPSession(look.page);
  await session.send("HeapProfiler.enable");
  const views = await look.views();
  const market = views.find((view) => view.startsWith("market/"))!.split(/[/?]/)[1]!;
  const ended = new AbortController();
  const heightBefore = devnet.chain.status.height;
  const began = performance.now();
  const driving = drive(devnet, market, ended.signal);
  const uses = new Map<string, ViewUse>(
    views.map((view) => [
      view,
      { view, seconds: 0, requests: 0, bytes: 0, largestBytes: 0, largestPath: "", beyondScreen: [] },
    ]),
  );
  let answers: Promise<Answer>[] = [];
  let openedAt = 0;
  look.page.on("response", (response) => {
    const isOfPage = /^\/(?:page\/|$)/.test(new URL(response.url()).pathname);
    // A request that was on its way is of the view before.
    if (!isOfPage && response.request().timing().startTime >= openedAt) answers.push(answerOf(response));
  });
  const heaps: { minute: number; view: string; usedMb: number }[] = [];
  const floors: { minute: number; afterCollectionMb: number }[] = [];
  const minute = () => Number(((performance.now() - began) / 60_000).toFixed(1));
  // Half of the time the overview is open, as on a screen on the wall.
  const order = views.flatMap((view) => ["", view]);
  for (let turn = 0; minute() < minutes; turn++) {
    const view = order[turn % order.length]!;
    answers = [];
    openedAt = Date.now();
    await look.page.goto(`${look.pageUrl}/#/${view}`);
    let places = { rows: 0, points: 0 };
    while (Date.now() - openedAt < STAY_MS) {
      await Bun.sleep(Math.min(LOOK_MS, STAY_MS));
      heaps.push({ minute: minute(), view, usedMb: await heapMb(session) });
      const now = await placesOn(look.page);
      places = { rows: Math.max(places.rows, now.rows), points: Math.max(places.points, now.points) };
    }
    const use = uses.get(view)!;
    use.seconds += (Date.now() - openedAt) / 1_000;
    for (const { path, bytes, rows } of await Promise.all(answers)) {
      use.requests++;
      use.bytes += bytes;
      if (bytes > use.largestBytes) Object.assign(use, { largestBytes: bytes, largestPath: path });
      const most = Math.max(places.rows, DRAWN.test(path) ? places.points : 0);
      const words = `${path.replace(/[0-9a-f]{64}/g, "ID")}: ${rows} rows, ${most} places`;
      if (rows > most && use.beyondScreen.length < 5 && !use.beyondScreen.includes(words))
        use.beyondScreen.push(words);
    }
    if (turn % 4 === 3) {
      await session.send("HeapProfiler.collectGarbage");
      floors.push({ minute: minute(), afterCollectionMb: await heapMb(session) });
    }
    if (turn % order.length === order.length - 1)
      console.error(`minute ${minute()}: ${JSON.stringify({ heap: heaps.at(-1), floor: floors.at(-1) })}`);
  }
  ended.abort();
  await driving;
  const seconds = (performance.now() - began) / 1_000;
  const blocks = devnet.chain.status.height - heightBefore;
  await look.page.close();
  const round = (value: number) => Number(value.toFixed(1));
  const largest = heaps.reduce((one, other) => (other.usedMb > one.usedMb ? other : one));
  const part = Math.max(1, Math.floor(floors.length / 4));
  const floorOf = (some: typeof floors) => round(median(some.map((each) => each.afterCollectionMb)));
  const all = [...uses.values()].filter((use) => use.requests > 0);
  return {
    minutes: round(seconds / 60),
    parties,
    blocksPerMinute: Math.round((blocks / seconds) * 60),
    heapMbMax: round(largest.usedMb),
    heapMbMaxAt: `minute ${largest.minute}, view '${largest.view}'`,
    heapMbMedian: round(median(heaps.map(({ usedMb }) => usedMb))),
    collectedMbFirstQuarter: floorOf(floors.slice(0, part)),
    collectedMbLastQuarter: floorOf(floors.slice(-part)),
    requestsPerSecond: round(all.reduce((sum, use) => sum + use.requests, 0) / seconds),
    kbPerSecond: round(all.reduce((sum, use) => sum + use.bytes, 0) / seconds / 1_000),
    largestAnswerKb: round(Math.max(...all.map((use) => use.largestBytes)) / 1_000),
    complaints: [...new Set([...look.seen.complaints, ...failuresIn(look.seen)])].slice(0, 20),
    beyondScreen: all.flatMap((use) => use.beyondScreen.map((words) => `${use.view.slice(0, 20)}: ${words}`)),
    views: all.map((use) => ({
      view: use.view.replace(/[0-9a-fA-F]{64}/, "ID"),
      requestsPerSecond: round(use.requests / use.seconds),
      kbPerSecond: round(use.bytes / use.seconds / 1_000),
      largestKb: round(use.largestBytes / 1_000),
      largestPath: use.largestPath.replace(/[0-9a-fA-F]{64}/g, "ID"),
    })),
  };
}

interface Held {
  readonly heapMb: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** Collects what is free, and reads what the page still holds. */
async function heldBy(session: CDPSession): Promise<Held> {
  // Finalisers free some of it only for a second collection.
  for (let n = 0; n < 2; n++) await session.send("HeapProfiler.collectGarbage");
  const { nodes, jsEventListeners: listeners } = await session.send("Memory.getDOMCounters");
  return { heapMb: await heapMb(session), nodes, listeners };
}

/** Visits each view again and again, from the overview, and counts what stays. */
async function measureVisits(browser: Browser, devnet: Devnet) {
  const look = new Look(devnet.nodeUrl, devnet.dataUrl);
  await look.begin(browser);
  const session = await look.page.context().newCDPSession(look.page);
  await session.send("HeapProfiler.enable");
  const views = (await look.views()).filter((view) => view !== "");
  // Code and names are loaded once.
  for (const view of views) await look.open(view);
  await look.open("");
  const before = await heldBy(session);
  const growth: { view: string; kb: number; nodes: number; listeners: number }[] = [];
  for (let held = before; growth.length < views.length; ) {
    const view = views[growth.length]!;
    for (let visit = 0; visit < visits; visit++) {
      await look.open(view);
      await look.open("");
    }
    const now = await heldBy(session);
    growth.push({
      view: view.replace(/[0-9a-fA-F]{64}/, "ID"),
      kb: Math.round((now.heapMb - held.heapMb) * 1_000),
      nodes: now.nodes - held.nodes,
      listeners: now.listeners - held.listeners,
    });
    held = now;
  }
  const after = await heldBy(session);
  await look.page.close();
  return { visits, before, after, growth: growth.toSorted((one, other) => other.kb - one.kb) };
}

const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
const browser = await offlineBrowser();
const devnet = await start(home);
try {
  const results: Record<string, unknown> = {};
  if (only === undefined || only.includes("paint")) results.paint = await measurePaint(browser, devnet);
  if (only === undefined || only.includes("memory")) results.memory = await measureMemory(browser, devnet);
  if (only === undefined || only.includes("visits")) results.visits = await measureVisits(browser, devnet);
  const out = argument("--out");
  if (out !== undefined)
    await Bun.write(out, `${JSON.stringify({ at: new Date().toISOString(), ...results }, undefined, 1)}\n`);
  console.log(JSON.stringify(results));
} finally {
  await devnet.stop();
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}
process.exit(0);
