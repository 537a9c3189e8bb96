/**
 * Pictures of the page's views, by a real browser over a devnet with a month of history.
 *
 *   bun scripts/pictures.ts                  writes those of the documents to docs/images
 *   bun scripts/pictures.ts --all DIR        every view in both themes and both widths, to look at
 *   bun scripts/pictures.ts --all DIR --node URL   of a running node
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { DEMO_SECONDS, playDemo } from "../src/devnet/demo/demo.ts";
import { startNode } from "../src/start-node.ts";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const IMAGES = join("docs", "images");
const WIDTHS = { wide: 1600, narrow: 380 } as const;
const HEIGHT = 1000;

interface Picture {
  readonly name: string;
  /** Behind `#/`. @param node where the page is */
  readonly path: (node: string) => Promise<string> | string;
  /** In the documents. */
  readonly isShown?: true;
}

type Answer = Record<string, unknown>;
const dataUrlOf = async (node: string): Promise<string> => {
  const { listening } = (await (await fetch(`${node}/lyra/v1/addresses`)).json()) as {
    listening: { name: string; port: number }[];
  };
  const { hostname } = new URL(node);
  return `http://${hostname}:${listening.find(({ name }) => name === "data")!.port}`;
};
const read = async <T = Answer>(node: string, path: string): Promise<T> =>
  (await fetch((await dataUrlOf(node)) + path)).json() as Promise<T>;

interface Transactions {
  readonly transactions: readonly {
    readonly hash: string;
    readonly height: number;
    readonly code: number;
    readonly type: string;
    readonly submitter: string;
  }[];
}
const transactionsOf = async (node: string) =>
  (await read<Transactions>(node, "/lyra/v1/transactions?limit=200")).transactions;

type Listed = { readonly id?: string; readonly proposal?: { readonly id: string } };
async function firstOf(node: string, list: string, member: string): Promise<string> {
  const answer = await read<Record<string, { edges: { node: Listed }[] }>>(
    node,
    `/api/v2/${list}?pagination.first=1`,
  );
  const first = answer[member]!.edges[0]!.node;
  return first.id ?? first.proposal!.id;
}

const PICTURES: readonly Picture[] = [
  { name: "overview", path: () => "", isShown: true },
  { name: "blocks", path: () => "blocks" },
  { name: "block", path: async (node) => `block/${(await transactionsOf(node))[0]?.height ?? 1}` },
  { name: "transactions", path: () => "transactions" },
  {
    name: "transaction",
    isShown: true,
    path: async (node) => {
      const all = await transactionsOf(node);
      const { hash } = all.find(({ type, code }) => code === 0 && type === "Transfer Funds") ?? all[0]!;
      return `transaction/${hash}`;
    },
  },
  {
    name: "refusal",
    path: async (node) => {
      const all = await transactionsOf(node);
      return `transaction/${(all.find(({ code }) => code !== 0) ?? all[0]!).hash}`;
    },
  },
  { name: "parameters", path: () => "parameters" },
  { name: "parties", path: () => "parties" },
  { name: "party", path: async (node) => `party/${(await transactionsOf(node))[0]?.submitter}` },
  { name: "spam", path: async (node) => `party/${(await transactionsOf(node))[0]?.submitter}?tab=spam` },
  { name: "ledger", path: async (node) => `party/${(await transactionsOf(node))[0]?.submitter}?tab=ledger` },
  { name: "assets", path: () => "assets" },
  { name: "asset", path: async (node) => `asset/${await firstOf(node, "assets", "assets")}` },
  { name: "markets", path: () => "markets" },
  {
    name: "market",
    isShown: true,
    path: async (node) => `market/${await firstOf(node, "markets", "markets")}`,
  },
  { name: "proposals", path: () => "proposals" },
  { name: "proposal", path: async (node) => `proposal/${await firstOf(node, "governances", "connection")}` },
  { name: "validators", path: () => "validators" },
  { name: "validator", path: async (node) => `validator/${await firstOf(node, "nodes", "nodes")}` },
  { name: "epochs", path: () => "epochs" },
  { name: "history", path: () => "history" },
  { name: "node", path: () => "node" },
  { name: "devnet", isShown: true, path: () => "devnet" },
  { name: "epoch", path: () => "epoch/42" },
];

async function openView(
  browser: Browser,
  url: string,
  theme: "light" | "dark",
  width: number,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: theme,
    deviceScaleFactor: 1,
  });
  const page = await context.newPage();
  page.on("pageerror", ({ message }) => console.error(`${url}: ${message}`));
  page.on("console", (message) => {
    if (message.type() === "error") console.error(`${url}: ${message.text()}`);
  });
  await page.goto(url);
  await page.waitForFunction(
    () => document.querySelector("main h1") && !document.querySelector("[aria-busy=true]"),
  );
  // Names of assets and parties are read after the rows that they stand in.
  await page.waitForLoadState("networkidle");
  return page;
}

async function take(
  node: string,
  pictures: readonly Picture[],
  folder: string,
  isAll: boolean,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    for (const { name, path } of pictures) {
      const url = `${node}/#/${await path(node)}`;
      const themes = isAll ? (["light", "dark"] as const) : (["light"] as const);
      const widths = isAll ? Object.entries(WIDTHS) : [["wide", 1280] as const];
      for (const theme of themes)
        for (const [size, width] of widths) {
          const page = await openView(browser, url, theme, width);
          const file = isAll ? `${name}-${theme}-${size}.png` : `page-${name}.png`;
          await page.screenshot({ path: join(folder, file), fullPage: isAll });
          await page.context().close();
        }
    }
  } finally {
    await browser.close();
  }
}

const words = process.argv.slice(2);
const flagValue = (flag: string) => (words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined);
const all = flagValue("--all");
const only = flagValue("--only");
const pictures = PICTURES.filter(({ name, isShown }) =>
  only === undefined ? all !== undefined || isShown : only.split(",").includes(name),
);
const nodeUrl = flagValue("--node");
if (nodeUrl !== undefined) await take(nodeUrl, pictures, all ?? IMAGES, all !== undefined);
else {
  const genesisTimeNs = (BigInt(Date.now()) - BigInt(DEMO_SECONDS) * 1_000n) * 1_000_000n;
  const devnet = await startNode({ kind: "devnet", genesisTimeNs, thread: true });
  try {
    await playDemo(devnet, () => {});
    await take(devnet.nodeUrl, pictures, all ?? IMAGES, all !== undefined);
  } finally {
    await devnet.stop();
  }
}
