// The page in a real browser, over a devnet with a month of history and over the shipped recording: what it shows is what the
// API answers, in both themes and at both widths, and no request leaves this machine.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Activity, Addresses, Blocks, Parameters } from "../../src/http/chain-bodies.ts";
import type { DataNode } from "../../src/node/start.ts";
import { startNode } from "../../src/start-node.ts";
import { HAS_BROWSER, offlineBrowser, sayWhenSkipped } from "../support/offline-browser.ts";
import { borrowDemo, returnDemo } from "../support/shared-devnet.ts";
import { seriousFindings } from "./axe.ts";
import { expectQuiet, Look } from "./look.ts";

const SAMPLE = join(import.meta.dir, "../../data/sample.evts.gz");
/** Colours hang on the theme, places and targets on the width: each is examined with one of the other. */
const COMBINATIONS = [
  { theme: "light", width: 1600 },
  { theme: "dark", width: 380 },
] as const;

sayWhenSkipped("the page");

const short = (id: string) => `${id.slice(0, 6)}…${id.slice(-4)}`;
const grouped = (value: number) => value.toLocaleString("en");
/** Names stand in place of identifiers, which the API gives in full. */
const withoutIds = (title: string) =>
  title.replace(/ \(asset [^)]+\)/g, "").replace(/\b[0-9a-f]{64}\b.*/, "");

interface Subject {
  readonly name: string;
  /** Whether axe looks at every view in every combination. */
  readonly isThorough: boolean;
  start(): Promise<{ look: Look; stop(): Promise<void> }>;
}

const SUBJECTS: readonly Subject[] = [
  {
    name: "a devnet with a month of history",
    isThorough: true,
    async start() {
      const { nodeUrl, dataUrl } = await borrowDemo();
      return { look: new Look(nodeUrl, dataUrl), stop: returnDemo };
    },
  },
  {
    name: "the shipped recording",
    isThorough: false,
    async start() {
      const home = mkdtempSync(join(tmpdir(), "lyra-page-"));
      const node: DataNode = await startNode({ kind: "data", home, replay: [SAMPLE] });
      await node.loaded;
      return {
        look: new Look(node.dataUrl, node.dataUrl),
        async stop() {
          await node.stop();
          rmSync(home, { recursive: true, force: true });
        },
      };
    },
  },
];

describe.skipIf(!HAS_BROWSER).each(SUBJECTS)("the page over $name", ({ start, isThorough }) => {
  let look: Look;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ look, stop } = await start());
    await look.begin(await offlineBrowser());
  }, 120_000);
  afterAll(async () => {
    await look?.page.close();
    await stop?.();
  });

  test("the overview shows height, blocks, newest transactions, ports and changed parameters", async () => {
    await look.open("");
    const { blocks } = await look.read<Blocks>("/lyra/v1/blocks?limit=60");
    const total = blocks.reduce((sum, { transactions }) => sum + transactions, 0);
    expect(await look.text(".height")).toBe(grouped(blocks[0]!.height));
    expect(await look.text(".figure:nth-child(3) .figure-value")).toBe(grouped(total));
    expect(await look.page.locator(".chart").getAttribute("aria-label")).toContain(`${total} in the last`);
    const newest = await look.read<Activity>("/lyra/v1/transactions?limit=200");
    const transactions = newest.transactions.filter(({ ofValidators }) => !ofValidators).slice(0, 12);
    const rows = await look.rows("transactions");
    expect(rows.map((row) => [row[2], row[3], row[4]])).toEqual(
      transactions.map(({ code, hash, height }) => [
        code === 0 ? "executed" : `refused ${code}`,
        short(hash),
        grouped(height),
      ]),
    );
    for (const [n, { title }] of transactions.entries()) expect(rows[n]![0]).toStartWith(withoutIds(title));
    const { listening } = await look.read<Addresses>("/lyra/v1/addresses");
    const places = (await look.text('section[aria-label="Listening addresses"]'))!;
    for (const { title, port } of listening) {
      expect(places).toContain(title);
      expect(places).toContain(`:${port}`);
    }
    const { parameters } = await look.read<Parameters>("/lyra/v1/parameters");
    const changed = (await look.text('section[aria-label^="Parameters that differ"]'))!;
    const some = parameters.filter((each) => each.changed);
    expect(changed).toContain(some.length > 10 ? `All ${some.length}` : "All parameters");
    for (const { key } of some.slice(0, 10)) expect(changed).toContain(key);
    // It reads no more of them than it shows.
    const requests = look.seen.requests.filter((url) => url.includes("/lyra/v1/parameters"));
    expect(requests.map((url) => new URL(url).search)).toContain("?changed=true&limit=10");
    expect(requests.filter((url) => !url.includes("limit="))).toEqual([]);
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

  test("every view is usable in both themes and at both widths, and axe finds nothing serious", async () => {
    const views = [...(await look.views()), "nothing/here"];
    const findings: string[] = [];
    const queue = views.entries();
    const work = async (tab: Look) => {
      for (const [n, view] of queue) {
        await tab.page.goto(`${tab.pageUrl}/#/${view}`);
        if (view === "devnet") {
          await tab.atRest();
          await tab.unfold();
        }
        for (const { theme, width } of COMBINATIONS) {
          await tab.page.emulateMedia({ colorScheme: theme });
          await tab.page.setViewportSize({ width, height: 900 });
          await tab.atRest();
          if (await tab.isTooWide()) findings.push(`${view} is wider than ${width}`);
          // The same views over another chain: one combination of each, in turns.
          if (!isThorough && COMBINATIONS[n % COMBINATIONS.length]!.theme !== theme) continue;
          for (const finding of await seriousFindings(tab.page))
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
  }, 120_000);

  test("asks this node alone, and the browser has no complaint", () => {
    expectQuiet(look.seen, [look.pageUrl, look.dataUrl]);
  });
});
