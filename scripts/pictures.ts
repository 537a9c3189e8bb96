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
import type { Devnet } from "../src/devnet/devnet.ts";
import { startWalletService } from "../src/planes/wallet/start.ts";
import { startNode } from "../src/start-node.ts";
import { ApprovalDesk } from "../src/wallet/approvals/desk.ts";
import { MemoryKeystore } from "../src/wallet/keystore/keystore.ts";
import { HttpNode } from "../src/wallet/sending/http-node.ts";
import { WalletStore } from "../src/wallet/wallet-store.ts";

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
  { name: "overview", isShown: true, path: () => "" },
  { name: "blocks", path: () => "blocks" },
  {
    name: "block",
    isShown: true,
    path: async (node) => `block/${(await transactionsOf(node))[0]?.height ?? 1}`,
  },
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
    isShown: true,
    path: async (node) => {
      const all = await transactionsOf(node);
      return `transaction/${(all.find(({ code }) => code !== 0) ?? all[0]!).hash}`;
    },
  },
  { name: "parameters", path: () => "parameters" },
  { name: "parties", path: () => "parties" },
  {
    name: "party",
    isShown: true,
    path: async (node) => `party/${(await transactionsOf(node))[0]?.submitter}`,
  },
  {
    name: "spam",
    isShown: true,
    path: async (node) => `party/${(await transactionsOf(node))[0]?.submitter}?tab=spam`,
  },
  { name: "ledger", path: async (node) => `party/${(await transactionsOf(node))[0]?.submitter}?tab=ledger` },
  { name: "assets", path: () => "assets" },
  { name: "asset", isShown: true, path: async (node) => `asset/${await firstOf(node, "assets", "assets")}` },
  { name: "markets", path: () => "markets" },
  {
    name: "market",
    isShown: true,
    path: async (node) => `market/${await firstOf(node, "markets", "markets")}`,
  },
  { name: "proposals", path: () => "proposals" },
  {
    name: "proposal",
    isShown: true,
    path: async (node) => `proposal/${await firstOf(node, "governances", "connection")}`,
  },
  { name: "validators", path: () => "validators" },
  {
    name: "validator",
    isShown: true,
    path: async (node) => `validator/${await firstOf(node, "nodes", "nodes")}`,
  },
  { name: "epochs", path: () => "epochs" },
  { name: "history", isShown: true, path: () => "history" },
  { name: "node", isShown: true, path: () => "node" },
  { name: "devnet", isShown: true, path: () => "devnet" },
  { name: "epoch", isShown: true, path: () => "epoch/42" },
];

/** With a request of a page that waits. */
const WALLET = "wallet";

async function openView(
  browser: Browser,
  url: string,
  theme: "light" | "dark",
  width: number,
): Promise<Page> {
  const page = await openPage(browser, url, theme, width);
  await page.waitForFunction(
    () => document.querySelector("main h1") && !document.querySelector("[aria-busy=true]"),
  );
  // Names of assets and parties are read after the rows that they stand in.
  await page.waitForLoadState("networkidle");
  return page;
}

async function openPage(
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
  return page;
}

/** Light in the documents; else both themes and widths. */
function looksOf(isAll: boolean) {
  const themes = isAll ? (["light", "dark"] as const) : (["light"] as const);
  const widths = isAll ? Object.entries(WIDTHS) : [["wide", 1280] as const];
  return themes.flatMap((theme) => widths.map(([size, width]) => ({ theme, size, width })));
}

const fileOf = (folder: string, name: string, look: { theme: string; size: string }, isAll: boolean) =>
  join(folder, isAll ? `${name}-${look.theme}-${look.size}.png` : `page-${name}.png`);

const launch = () => chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });

async function take(
  node: string,
  pictures: readonly Picture[],
  folder: string,
  isAll: boolean,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await launch();
  try {
    for (const { name, path } of pictures) {
      const url = `${node}/#/${await path(node)}`;
      for (const look of looksOf(isAll)) {
        const page = await openView(browser, url, look.theme, look.width);
        await page.screenshot({ path: fileOf(folder, name, look, isAll), fullPage: isAll });
        await page.context().close();
      }
    }
  } finally {
    await browser.close();
  }
}

/** The wallet's page over a devnet: a page is connected, and asks for a transfer. */
async function takeWallet(devnet: Devnet, folder: string, isAll: boolean): Promise<void> {
  const store = new WalletStore({
    keystore: new MemoryKeystore(),
    cost: { log2N: 1, r: 1, p: 1 },
    allowWeakKdf: true,
  });
  const passphrase = new TextEncoder().encode("of the pictures");
  const { recoveryPhrase, parties, nodeUrl } = devnet;
  const wallet = await store.import({ name: "mine", passphrase, recoveryPhrase });
  const desk = new ApprovalDesk();
  const service = await startWalletService({
    ...{ store, approver: desk, unlocked: [wallet], port: 0 },
    nodes: [new HttpNode(nodeUrl)],
  });
  const browser = await launch();
  const waits = async () => {
    while (desk.requests.length === 0) await Bun.sleep(10);
    return desk.requests[0]!.id;
  };
  try {
    const { sessions } = service.service.parts;
    await sessions.open("markets.example", "mine", false);
    const authorization = `VWT ${await sessions.open("dapp.example", "mine", true)}`;
    const ask = (method: string, params: object) =>
      fetch(`${service.url}/v2/requests`, {
        method: "POST",
        headers: { authorization, origin: "https://dapp.example", "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: "1", method, params }),
      });
    const listed = ask("client.list_keys", {});
    desk.answer(await waits(), { outcome: "approved" });
    await listed;
    type Assets = { assets: { edges: { node: { id: string; details: { symbol: string } } }[] } };
    const { assets } = await read<Assets>(nodeUrl, "/api/v2/assets");
    const asset = assets.edges.find(({ node }) => node.details.symbol === "tUSD")!.node.id;
    const account = "ACCOUNT_TYPE_GENERAL";
    const transfer = {
      ...{ fromAccountType: account, toAccountType: account, oneOff: {}, reference: "rent" },
      ...{ to: parties[1]!.publicKey, amount: "150000", asset },
    };
    const sent = ask("client.send_transaction", {
      ...{ publicKey: parties[0]!.publicKey, sendingMode: "TYPE_SYNC", transaction: { transfer } },
    });
    await waits();
    mkdirSync(folder, { recursive: true });
    for (const look of looksOf(isAll)) {
      const page = await openPage(browser, service.pageLink(), look.theme, look.width);
      await page.waitForFunction(
        () =>
          document.querySelector(".approve:not(:disabled)") !== null &&
          document.querySelector(".wallet-key") !== null,
      );
      await page.screenshot({ path: fileOf(folder, WALLET, look, isAll), fullPage: isAll });
      await page.context().close();
    }
    desk.rejectAll();
    await sent;
  } finally {
    await browser.close();
    await service.close();
  }
}

/** The last picture, behind minutes of trades, so that candles have a shape. */
const TRADED = "market";
const TRADED_MINUTES = 45;

async function trade({ nodeUrl, dataUrl }: Devnet): Promise<void> {
  const post = (tool: string, body: object) =>
    fetch(`${nodeUrl}/devnet/${tool}`, { method: "POST", body: JSON.stringify(body) });
  type Markets = { markets: { edges: { node: { id: string; state: string } }[] } };
  const { markets } = (await (await fetch(`${dataUrl}/api/v2/markets`)).json()) as Markets;
  const market = markets.edges.find(({ node }) => node.state === "STATE_ACTIVE")!.node.id;
  for (let seed = 1; seed <= TRADED_MINUTES; seed++) {
    await post("market/run", { market, orders: 6, seed });
    await post("time/forward", { duration: "1m" });
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
  const devnet: Devnet = await startNode({ kind: "devnet", genesisTimeNs, thread: true });
  try {
    await playDemo(devnet, () => {});
    const [traded, others] = [true, false].map((isTraded) =>
      pictures.filter(({ name }) => (name === TRADED) === isTraded),
    );
    await take(devnet.nodeUrl, others!, all ?? IMAGES, all !== undefined);
    await trade(devnet);
    await take(devnet.nodeUrl, traded!, all ?? IMAGES, all !== undefined);
    if (only === undefined || only.split(",").includes(WALLET))
      await takeWallet(devnet, all ?? IMAGES, all !== undefined);
  } finally {
    await devnet.stop();
  }
}
