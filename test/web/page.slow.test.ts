// The page in a real browser, over a devnet with a month of history and over the shipped recording: what it shows is what the
// API answers, in both themes and at both widths, and no request leaves this machine.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { recordSegment } from "../../src/history/segment-table.ts";
import type { Activity, Addresses, Blocks } from "../../src/http/chain-bodies.ts";
import type { StatusBody } from "../../src/http/status-body.ts";
import type { DataNode } from "../../src/node/start.ts";
import type { AnswerOf, TOOLS } from "../../src/planes/devnet/declarations.ts";
import { startNode } from "../../src/start-node.ts";
import { openWriter } from "../../src/store/database.ts";
import { VIEWS } from "../../src/web/views.ts";
import { HAS_BROWSER, offlineBrowser, type Seen, sayWhenSkipped } from "../support/offline-browser.ts";
import { borrowDemo, returnDemo } from "../support/shared-devnet.ts";
import { mineOverHttp } from "../support/test-devnet.ts";
import { seriousFindings } from "./axe.ts";
import { enrich, tradeOutsideOfBounds } from "./enriched-demo.ts";
import { Expected } from "./expected.ts";
import { HOSTILE } from "./hostile-texts.ts";
import { expectQuiet, Look } from "./look.ts";
import { type Shown, shownOn } from "./shown.ts";
import { nodeShown, type ViewRow, viewTable } from "./view-table.ts";

const SAMPLE = join(import.meta.dir, "../../data/sample.evts.gz");
const WIDE = 1600;
/** Colours hang on the theme, places and targets on the width: each is examined with one of the other. */
const COMBINATIONS = [
  { theme: "light", width: WIDE },
  { theme: "dark", width: 380 },
] as const;

sayWhenSkipped("the page");

const short = (id: string) => `${id.slice(0, 6)}…${id.slice(-4)}`;
const grouped = (value: number) => value.toLocaleString("en");
/** `party/0e88…?tab=spam` as `party/:id`, with the tab. */
const patternOf = (view: string) => view.replace(/\/[^?]+/, "/:id");

const NODE_PATHS: ReadonlySet<string> = new Set(["/status", "/metrics", "/devnet/validator"]);

/** Answers that the page gets and that a later request would not. */
function answersTo({ page }: Look): Map<string, Promise<string>> {
  const answered = new Map<string, Promise<string>>();
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (!NODE_PATHS.has(pathname) || !response.ok()) return;
    const text = response.text();
    // Gone with the view.
    text.catch(() => {});
    answered.set(pathname, text);
  });
  return answered;
}

const NOTHING: Shown = { tables: {}, facts: {}, json: {}, lines: [] };

/** Lines of what is expected and of what is shown, where they differ. */
function differences(view: string, shown: Shown, expected: Partial<Shown>): string[] {
  try {
    expect(shown).toEqual({ ...NOTHING, ...expected });
    return [];
  } catch (error) {
    const lines = Bun.stripANSI((error as Error).message).split("\n");
    return lines.filter((line) => /^[+-]/.test(line)).map((line) => `${view}: ${line}`);
  }
}

/** Of blocks behind those of the recording, with a gap between. */
function addSegments(home: string, number: number): void {
  const db = openWriter(home);
  db.transaction(() => {
    for (let n = 10; n < number; n++) {
      const id = n.toString(16).padStart(64, "0");
      const segment = { from: n * 1_000 + 1, to: (n + 1) * 1_000, id, previousId: "", databaseVersion: 1 };
      recordSegment(db, { ...segment, chainId: "lyra-sample-1", bytes: 1_000 + n });
    }
  })();
  db.close();
}

interface OtherNode {
  readonly kind: Addresses["kind"];
  readonly status: Partial<StatusBody>;
  readonly validator?: AnswerOf<typeof TOOLS.validator>;
}

const since = "2026-01-05T09:40:00Z";
const ENGINE = {
  ...{ name: "north", version: "0.38.26", height: "3012", lastSigned: "3009" },
  ...{ catchingUp: true, power: "250", totalPower: "1000", peers: [] },
};
const PEER = {
  id: "cd".repeat(20),
  name: "south",
  host: "south.example",
  outbound: true,
  connectedSeconds: 7_300,
};
/** Nodes that no devnet and no recording shows: a sidecar that lags, validators with duties and peers, without, and without an engine. */
const otherNodes = (validator: string): readonly OtherNode[] => [
  {
    kind: "sidecar",
    status: {
      ready: false,
      reason: "it is 1,240 blocks behind the node that it follows",
      followedHeight: 4_250,
      lag: { blocks: 1_240, seconds: 3_700.25 },
      haltedMarkets: [{ market: "ab".repeat(32), height: 2_000, step: "settlement" }],
      sources: [
        { kind: "events", state: "receiving", text: "from the core's socket", height: 3_010, since },
        { kind: "comet", state: "stopped", code: "internal", text: "it ended", height: null, since },
      ],
      disk: {
        ...{ usedBytes: 900_000_000, storeBytes: 800_000_000, logBytes: 4_000_000, segmentBytes: 90_000_000 },
        ...{ otherBytes: 6_000_000, budgetBytes: 1_000_000_000, growthBytesPerDay: 12_345_678 },
        ...{ freeInStoreBytes: 0, retention: "archive" },
        ...{ fullInDays: 8.1, historyFrom: { ORDERS: 1_500, TRADES: 2_000 }, text: "full in 8 days" },
      },
    },
  },
  {
    kind: "validator",
    status: { disk: undefined },
    validator: {
      node: validator,
      keys: true,
      duties: [
        { kind: "vote", about: "12".repeat(32) },
        { kind: "sign", about: "34".repeat(32) },
        { kind: "heartbeat", about: "a short message" },
      ],
      engine: {
        ...ENGINE,
        catchingUp: false,
        peers: [
          { ...PEER, height: "3013" },
          { ...PEER, id: "ef".repeat(20), name: "west", outbound: false, connectedSeconds: 59 },
        ],
      },
    },
  },
  { kind: "validator", status: {}, validator: { keys: false, duties: [], engine: ENGINE } },
  { kind: "validator", status: {}, validator: { keys: true, duties: [], problem: "connection refused" } },
];

interface Subject {
  readonly name: string;
  /** With tools; axe looks at every view in every combination. */
  readonly isDevnet: boolean;
  start(): Promise<{ look: Look; devnet?: Devnet; home?: string; stop(): Promise<void> }>;
}

const SUBJECTS: readonly Subject[] = [
  {
    name: "a devnet with a month of history",
    isDevnet: true,
    async start() {
      const devnet = await borrowDemo();
      await enrich(devnet);
      const { nodeUrl, dataUrl } = devnet;
      return { look: new Look(nodeUrl, dataUrl), devnet, stop: returnDemo };
    },
  },
  {
    name: "the shipped recording",
    isDevnet: false,
    async start() {
      const home = mkdtempSync(join(tmpdir(), "lyra-page-"));
      const node: DataNode = await startNode({ kind: "data", home, replay: [SAMPLE] });
      await node.loaded;
      return {
        look: new Look(node.dataUrl, node.dataUrl),
        home,
        async stop() {
          await node.stop();
          rmSync(home, { recursive: true, force: true });
        },
      };
    },
  },
];

describe.skipIf(!HAS_BROWSER).each(SUBJECTS)("the page over $name", ({ start, isDevnet }) => {
  let look: Look;
  let devnet: Devnet | undefined;
  let home: string | undefined;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ look, devnet, home, stop } = await start());
    await look.begin(await offlineBrowser());
  }, 120_000);
  afterAll(async () => {
    await look?.page.close();
    await stop?.();
  });

  test("the overview asks for no more parameters than it shows", async () => {
    await look.open("");
    const requests = look.seen.requests.filter((url) => url.includes("/lyra/v1/parameters"));
    expect(requests.map((url) => new URL(url).search)).toEqual(["?changed=true&limit=10"]);
  });

  test("blocks are listed a page at a time, and each opens with its transactions", async () => {
    await look.open("blocks");
    const { blocks } = await look.read<Blocks>("/lyra/v1/blocks?limit=50");
    const shown = (from: number, to: number) =>
      blocks.slice(from, to).map(({ height, transactions }) => [grouped(height), String(transactions)]);
    const rows = async () => (await look.rows("blocks")).map((row) => [row[0], row[2]]);
    expect(await rows()).toEqual(shown(0, 25));
    await look.page.getByRole("button", { name: "Older" }).click();
    await look.page.getByText("page 2").waitFor();
    await look.atRest();
    expect(await rows()).toEqual(shown(25, 50));
    const { transactions } = await look.read<Activity>("/lyra/v1/transactions?limit=1");
    const { height } = transactions[0]!;
    await look.open(`block/${height}`);
    const inside = await look.read<Activity>(`/lyra/v1/transactions?height=${height}&limit=25`);
    expect((await look.rows("transactions")).map((row) => row[3])).toEqual(
      inside.transactions.map(({ hash }) => short(hash)),
    );
  });

  test("every view shows what the API answers, in both themes and at both widths, and axe finds nothing serious", async () => {
    const see = await Expected.of(look);
    const rows: readonly (Pick<ViewRow, "view"> & Partial<ViewRow>)[] = [
      ...(await viewTable(see)),
      { view: "nothing/here" },
    ];
    const findings: string[] = [];
    const examined = new Set<string>();
    const tabs = new Set<string>();
    const queue = rows.entries();
    const work = async (tab: Look) => {
      const answered = answersTo(tab);
      for (const [n, { view, press, expected }] of queue) {
        await tab.open(view);
        if (press !== undefined) {
          await tab.page.getByRole("button", { name: press }).click();
          await tab.atRest();
        }
        if (expected !== undefined) {
          const { shown, tabIds } = await shownOn(tab);
          findings.push(...differences(view, shown, await expected(answered)));
          for (const title of tabIds) tabs.add(`${view.split("/")[0]} ${title}`);
        }
        if (view === "devnet") await tab.unfold();
        // The same view of something else has the same elements.
        const kind = patternOf(view);
        if (examined.has(kind)) continue;
        examined.add(kind);
        // It begins as the one before has ended.
        const looks = n % 2 === 0 ? COMBINATIONS : COMBINATIONS.toReversed();
        for (const [nth, { theme, width }] of looks.entries()) {
          await tab.page.emulateMedia({ colorScheme: theme });
          await tab.page.setViewportSize({ width, height: 900 });
          await tab.atRest();
          if (await tab.isTooWide()) findings.push(`${view} is wider than ${width}`);
          // The same views over another chain: one combination of each, in turns.
          if (!isDevnet && nth > 0) continue;
          // The frame around the views is the same everywhere, and what stands above tabs in each of them.
          const within = view === "" ? "html" : view.includes("?tab=") ? "#tab-panel" : "main";
          // Only a wide window shows every column.
          const isOfLooks = isDevnet && width < WIDE;
          for (const finding of await seriousFindings(tab.page, { within, isOfLooks }))
            findings.push(`${view} ${theme} ${width}: ${finding}`);
        }
      }
    };
    // While one tab waits for its frames the other is examined.
    const second = new Look(look.pageUrl, look.dataUrl, look.seen);
    await second.begin(await offlineBrowser());
    await Promise.all([look, second].map(work));
    await second.page.close();
    expect(findings).toEqual([]);
    // Each tab has read once which asset is staked.
    const reads = look.seen.requests.filter((url) => url.endsWith("/network/parameters/reward.asset"));
    expect(reads.length).toBeLessThanOrEqual(2);
    // No view and no tab is left out.
    const shown = VIEWS.filter(({ only }) => only === undefined || only === see.node.kind);
    const patterns = shown.map(({ path }) => path.replaceAll(/:\w+/g, ":id"));
    expect(patterns.filter((path) => !examined.has(path))).toEqual([]);
    const addressed = rows.map(({ view }) => `${view.split("/")[0]} ${/\?tab=(\w+)/.exec(view)?.[1] ?? ""}`);
    const first = ["party balances", "market orders"];
    expect([...tabs].filter((tab) => !addressed.includes(tab) && !first.includes(tab))).toEqual([]);
  }, 120_000);

  test.if(isDevnet)("a market in an auction shows what it would trade, and at what price", async () => {
    const see = await Expected.of(look);
    const rows = await viewTable(see);
    const { view, expected } = rows.find((each) => each.view.startsWith("market/"))!;
    await tradeOutsideOfBounds(devnet!, view.slice("market/".length));
    await mineOverHttp(devnet!, 1);
    await look.open(view);
    await look.page.locator(".trading-mode.auction").waitFor();
    await look.atRest();
    expect(differences(view, (await shownOn(look)).shown, await expected(new Map()))).toEqual([]);
  });

  test.if(!isDevnet)("a history of thousands of segments is read a page at a time", async () => {
    const { seen, page } = look;
    addSegments(home!, 12_000);
    // The view may be open already, with the segments of before.
    await look.open("blocks");
    seen.requests.length = 0;
    await look.open("history");
    const { expected } = (await viewTable(await Expected.of(look))).find(({ view }) => view === "history")!;
    expect(differences("history", (await shownOn(look)).shown, await expected(new Map()))).toEqual([]);
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByText("page 2").waitFor();
    await look.atRest();
    expect((await look.rows("segments"))[0]!.slice(0, 2)).toEqual(["11,974,001", "11,975,000"]);
    const requests = seen.requests.filter((url) => url.includes("segments"));
    const limits = requests.map((url) => new URL(url).searchParams.get("limit"));
    expect([...new Set(limits)].toSorted()).toEqual(["1", "25"]);
    // A block stands for the segment that holds it.
    const field = page.getByLabel("First block");
    for (const [typed, shown] of [
      ["11,000,500", "11000001"],
      ["5000", "11000001"],
      ["1", "1"],
    ] as const) {
      await field.fill(typed);
      await field.press("Tab");
      await page.waitForFunction(
        ([value, isHeld]) =>
          document.querySelector<HTMLInputElement>("#export-from")!.value === value &&
          (document.querySelector("form [role=alert]") === null) === isHeld,
        [shown, typed !== "5000"] as const,
      );
    }
  });

  test.if(!isDevnet)(
    "the node view of a lagging sidecar and of a validator shows what its status says",
    async () => {
      const seen: Seen = { requests: [], failures: [], complaints: [] };
      const tab = new Look(look.pageUrl, look.dataUrl, seen);
      await tab.begin(await offlineBrowser());
      const answered = answersTo(tab);
      const own = await look.read<StatusBody>("/status");
      const { listening, ...node } = await look.read<Addresses>("/lyra/v1/addresses");
      const see = await Expected.of(look);
      const open = async ({ kind, status, validator }: OtherNode) => {
        const addresses: Addresses = {
          ...node,
          kind,
          listening: listening.filter(({ name }) => name === "data"),
        };
        const answers = {
          "/status": { ...own, ...status },
          "/lyra/v1/addresses": addresses,
          "/devnet/validator": validator,
        };
        // From the beginning: the mode of a node does not change.
        await tab.page.goto("about:blank");
        await tab.page.unrouteAll();
        for (const [path, json] of Object.entries(answers))
          await tab.page.route(`**${path}`, (route) => route.fulfill({ json }));
        answered.clear();
        await tab.open("node");
        return see.as(addresses);
      };
      const isTooWide = async () => {
        await tab.page.setViewportSize({ width: 380, height: 900 });
        const narrow = await tab.isTooWide();
        await tab.page.setViewportSize({ width: 1600, height: 900 });
        return narrow || (await tab.isTooWide());
      };
      const { rows: validators } = await see.list<{ id: string }>("nodes", "nodes");
      for (const [n, each] of otherNodes(validators[0]!.id).entries()) {
        const asOther = await open(each);
        const title = `${n}: a ${each.kind}`;
        expect([
          title,
          ...differences("node", (await shownOn(tab)).shown, await nodeShown(asOther, answered)),
        ]).toEqual([title]);
        expect([title, await isTooWide()]).toEqual([title, false]);
        await tab.page.emulateMedia({ colorScheme: n % 2 === 0 ? "dark" : "light" });
        expect([title, ...(await seriousFindings(tab.page))]).toEqual([title]);
      }
      // Names and addresses of peers are the words of strangers.
      const peers = HOSTILE.slice(0, 62).map((text, n) => ({ ...PEER, id: `${n}`, name: text, host: text }));
      const duties = HOSTILE.slice(0, 31).map((about) => ({ kind: "sign" as const, about }));
      await open({
        kind: "validator",
        status: {},
        validator: { keys: true, duties, engine: { ...ENGINE, peers } },
      });
      expect(await tab.page.evaluate(() => "__ran" in window)).toBe(false);
      expect(await tab.page.locator("main :is(script, img, iframe, style, link, meta, base)").count()).toBe(
        0,
      );
      expect(await isTooWide()).toBe(false);
      expectQuiet(seen, [look.pageUrl]);
      await tab.page.close();
    },
  );

  test("asks this node alone, and the browser has no complaint but of a withdrawal without signatures", () => {
    expectQuiet(look.seen, [look.pageUrl, look.dataUrl], ["500 /api/v2/erc20/asset/withdrawal/bundle"]);
  });
});
