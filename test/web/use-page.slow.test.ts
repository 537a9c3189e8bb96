// The page in use: search, keys, blocks that come while it is open, and hostile texts of a chain.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";
import type { Activity, Auctions, Segments } from "../../src/http/chain-bodies.ts";
import {
  HAS_BROWSER,
  offlineBrowser,
  type Seen,
  sayWhenSkipped,
  VIEWPORT,
} from "../support/offline-browser.ts";
import { processFolder } from "../support/process-folder.ts";
import { borrowDemo, returnDemo } from "../support/shared-devnet.ts";
import { mineOverHttp } from "../support/test-devnet.ts";
import { seriousFindings } from "./axe.ts";
import { tradeOutsideOfBounds } from "./enriched-demo.ts";
import { HOSTILE, type Poison } from "./hostile-texts.ts";
import { expectQuiet, Look } from "./look.ts";

sayWhenSkipped("the page in use");

interface LayoutShift {
  readonly value: number;
  readonly sources: readonly {
    readonly node: Node | null;
    readonly previousRect: DOMRectReadOnly;
    readonly currentRect: DOMRectReadOnly;
  }[];
}
type Markets = { markets: { edges: { node: { id: string; decimalPlaces: string; state: string } }[] } };
declare const window: {
  shifts: string[];
  __ran?: number;
  readonly poison?: Poison;
  readonly poisonFrom: number;
};
/** While one waits for its frames the other is looked at. */
const TABS = 2;

/** For a tab, before the page's own scripts. @param from number of the first hostile text */
async function poisonScript(from: number): Promise<string> {
  const entrypoints = [join(import.meta.dir, "poisoned-answers.ts")];
  const { outputs } = await Bun.build({ entrypoints, target: "browser", format: "iife" });
  return `globalThis.poisonFrom = ${from}; ${await outputs[0]!.text()}`;
}

const grouped = (digits: string) => Number(digits).toLocaleString("en");

describe.skipIf(!HAS_BROWSER)("the page in use", () => {
  let devnet: Devnet;
  let look: Look;

  beforeAll(async () => {
    devnet = await borrowDemo();
    look = new Look(devnet.nodeUrl, devnet.dataUrl);
    await look.begin(await offlineBrowser());
  }, 120_000);
  afterAll(async () => {
    await look?.page.close();
    await returnDemo();
  });

  const sendTransfer = async (from: Devnet["parties"][number], to: string, reference: string) => {
    const { assets } = await look.read<{
      assets: { edges: { node: { id: string; details: { symbol: string } } }[] };
    }>("/api/v2/assets");
    const asset = assets.edges.find(({ node }) => node.details.symbol === "tUSD")!.node.id;
    const places = { fromAccountType: 4, to, toAccountType: 4 };
    const client = new PartyClient(devnet.chain, from.key, "page");
    await client.send({
      kind: "transfer",
      payload: { ...places, asset, amount: "250000", reference, oneOff: {} },
    });
  };

  const searchFor = async (text: string) => {
    await look.page.keyboard.press("/");
    await look.page.keyboard.type(text);
    await look.page.locator("#search-matches [role=option]").first().waitFor();
    const kinds = await look.page.locator("#search-matches .kind").allTextContents();
    await look.page.keyboard.press("Enter");
    await look.atRest();
    return { kinds, at: new URL(look.page.url()).hash };
  };

  test("a search says what a height, a name, a hash, a key and an identifier are, and opens it", async () => {
    await look.open("");
    const { transactions } = await look.read<Activity>("/lyra/v1/transactions?limit=1");
    const { hash, submitter } = transactions[0]!;
    expect(await searchFor("12")).toEqual({ kinds: ["block", "epoch"], at: "#/block/12" });
    const { assets } = await look.read<{
      assets: { edges: { node: { id: string; details: { symbol: string } } }[] };
    }>("/api/v2/assets");
    const dollar = assets.edges.find(({ node }) => node.details.symbol === "tUSD")!.node.id;
    expect(await searchFor("tusd")).toEqual({ kinds: ["asset"], at: `#/asset/${dollar}` });
    expect(await searchFor(hash.toLowerCase())).toEqual({
      kinds: ["transaction"],
      at: `#/transaction/${hash}`,
    });
    expect((await searchFor(submitter)).at).toBe(`#/party/${submitter}`);
    expect((await searchFor(dollar)).kinds).toContain("asset");
    const alice = devnet.parties[0]!;
    expect((await searchFor(alice.name)).at).toBe(`#/party/${alice.publicKey}`);
    expect(await searchFor("param")).toEqual({ kinds: ["view"], at: "#/parameters" });
    await look.page.keyboard.press("/");
    await look.page.keyboard.type("no such thing");
    await look.page.getByText("Nothing here has this").waitFor();
    await look.page.keyboard.press("Escape");
  });

  test("the keyboard alone opens views, lists the keys and goes past the navigation", async () => {
    const { page } = look;
    await look.open("");
    await page.keyboard.press("g");
    await page.keyboard.press("b");
    await look.atRest();
    expect(new URL(page.url()).hash).toBe("#/blocks");
    const focused = () => page.evaluate(() => document.activeElement?.id);
    expect(await focused()).toBe("main");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keys" });
    await help.waitFor();
    expect(await help.locator("dt").first().textContent()).toBe("/");
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
    await page.reload();
    await look.atRest();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("main");
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    const themes = [];
    for (let n = 0; n < 4; n++) {
      themes.push(await theme());
      await page.keyboard.press("Shift+T");
    }
    expect(themes).toEqual(["auto", "light", "dark", "auto"]);
    for (let n = 0; n < 2; n++) await page.keyboard.press("Shift+T");
  });

  test("a table stands still while the pointer or the focus is in it", async () => {
    const { page } = look;
    await look.open("blocks");
    const newest = async () => (await look.rows("blocks"))[0]![0]!;
    const addBlock = async () => {
      const height = devnet.chain.status.height + 1;
      const isRead = page.waitForResponse(
        async (response) =>
          response.url().includes("/lyra/v1/blocks?") &&
          (await response.text()).includes(`"height":${height},`),
      );
      await mineOverHttp(devnet, 1);
      await isRead;
      await look.atRest();
    };
    const link = page.locator("section[aria-label=blocks] a").first();
    const before = await newest();
    await link.focus();
    await link.hover();
    await page.mouse.move(0, 0);
    await addBlock();
    expect(await newest()).toBe(before);
    // The focus goes on inside of the table.
    await page.keyboard.press("Tab");
    await look.atRest();
    expect(await newest()).toBe(before);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await link.hover();
    await addBlock();
    expect(await newest()).not.toBe(before);
    await page.mouse.move(0, 0);
    await look.atRest();
    expect(await newest()).toBe(grouped(String(devnet.chain.status.height)));
  });

  test("a market shows what the API answers, and an order of the ticket trades", async () => {
    const { page } = look;
    const { markets } = await look.read<Markets>("/api/v2/markets");
    const { id } = markets.edges.find(({ node }) => node.state === "STATE_ACTIVE")!.node;
    await look.open(`market/${id}`);
    const depth = await look.read<{ sell: { price: string }[]; buy: { price: string }[] }>(
      `/api/v2/market/depth/${id}/latest?maxDepth=8`,
    );
    const priceText = (price: string) => `${grouped(price.slice(0, -2))}.${price.slice(-2)}`;
    const ladder = await page.locator(".ladder tbody tr td:first-child").allTextContents();
    const levels = [...depth.sell.slice(0, 8).toReversed(), ...depth.buy.slice(0, 8)];
    expect(ladder).toEqual(levels.map(({ price }) => priceText(price)));
    const { auctions } = await look.read<Auctions>(`/lyra/v1/markets/${id}/auctions`);
    expect(auctions.map(({ trigger }) => trigger)).toContain("AUCTION_TRIGGER_OPENING");
    const listed = page.getByRole("list", { name: "Auctions" }).getByRole("listitem");
    expect((await listed.allTextContents()).at(-1)).toStartWith("opening");
    const ticket = page.getByRole("form", { name: "Send an order" });
    await ticket.getByLabel("Signed by").selectOption({ label: "judy" });
    await ticket.getByLabel("Size").fill("0.02");
    await ticket.getByLabel("Price").fill(priceText(depth.sell[0]!.price));
    expect(await ticket.locator("code").textContent()).toStartWith(
      'npm run lyra -- devnet impersonate judy \'{"orderSubmission"',
    );
    await ticket.getByRole("button", { name: "Send", exact: true }).click();
    await ticket.getByText("in block").waitFor();
    await ticket.getByText("Filled 0.02").waitFor();
    await ticket.getByLabel("Size").fill("0.00001");
    await ticket.getByText("more than 2 decimals").waitFor();
    await ticket.getByText("in block").waitFor({ state: "detached" });
    const trades = await look.read<{ trades: { edges: { node: { price: string; size: string } }[] } }>(
      `/api/v2/trades?marketIds=${id}&pagination.first=1`,
    );
    expect(trades.trades.edges[0]!.node).toMatchObject({ price: depth.sell[0]!.price, size: "2" });
    await page.waitForFunction(
      (text) => document.querySelector("section[aria-label=trades] tbody tr")?.textContent?.startsWith(text),
      `${priceText(depth.sell[0]!.price)}0.02`,
    );
  });

  test("nothing of a market's depth, of a title and of a parameter's name is cut off", async () => {
    const { page } = look;
    const { markets } = await look.read<Markets>("/api/v2/markets");
    const before = page.viewportSize()!;
    await page.setViewportSize({ width: 1400, height: 900 });
    await look.open(`market/${markets.edges[0]!.node.id}`);
    const [table, panel] = await page.evaluate(() =>
      [".ladder", "section[aria-label=Depth]"].map(
        (each) => document.querySelector(each)!.getBoundingClientRect().right,
      ),
    );
    expect(table!).toBeLessThanOrEqual(panel!);
    await page.setViewportSize({ width: 380, height: 900 });
    const title = page.locator("section[aria-label=Candles] h2");
    const [height, line] = await title.evaluate((each) => [
      each.clientHeight,
      Number.parseFloat(getComputedStyle(each).lineHeight),
    ]);
    expect(height!).toBeLessThan(1.5 * line!);
    await look.open("parameters");
    const cut = await page
      .locator("td.wide")
      .evaluateAll((cells) => cells.filter((each) => each.scrollWidth > each.clientWidth).length);
    expect(cut).toBe(0);
    await page.setViewportSize(before);
  });

  test("a party shows what the API answers: balances with a chart, and spam statistics", async () => {
    const { page } = look;
    const { publicKey } = devnet.parties[6]!;
    type Accounts = { accounts: { edges: { node: { balance: string; type: string; asset: string } }[] } };
    const { accounts } = await look.read<Accounts>(
      `/api/v2/accounts?filter.partyIds=${publicKey}&pagination.first=25`,
    );
    await look.open(`party/${publicKey}`);
    // In full on hover, with the number that the API gives.
    const titles = await page
      .locator("section[aria-label=accounts] tbody td:first-child .number")
      .evaluateAll((cells) => cells.map((cell) => (cell as HTMLElement).title.split("\n")[1]));
    expect(titles).toEqual(accounts.edges.map(({ node }) => `${node.balance} of the smallest unit`));
    await page.setViewportSize({ width: 380, height: 900 });
    const last = page.locator("section[aria-label=accounts] tbody td:first-child .number").last();
    const box = (await last.boundingBox())!;
    expect([box.x >= 0, box.x + box.width <= 380]).toEqual([true, true]);
    await page.setViewportSize({ width: 1280, height: 1000 });
    const dollars = accounts.edges.findIndex(({ node }) => node.type === "ACCOUNT_TYPE_GENERAL");
    const { asset } = accounts.edges[dollars]!.node;
    await page.getByRole("button", { name: "Chart" }).nth(dollars).click();
    await look.atRest();
    const { balances } = await look.read<{ balances: { edges: object[] } }>(
      `/api/v2/balance/changes?filter.partyIds=${publicKey}&filter.assetId=${asset}&filter.accountTypes=ACCOUNT_TYPE_GENERAL&pagination.first=300`,
    );
    expect(await page.locator(".chart").getAttribute("aria-label")).toEndWith(
      `${balances.edges.length} changes`,
    );
    await look.open(`party/${publicKey}?tab=spam`);
    type Used = { countForEpoch: string; maxForEpoch: string; bannedUntil?: string };
    type Spam = { statistics: Record<string, Used> };
    const { statistics } = await look.read<Spam>(`/statistics/spam/${publicKey}`);
    const { countForEpoch, maxForEpoch } = statistics.transfers!;
    expect(await look.text(".meter-row .number")).toBe(`${countForEpoch} of ${maxForEpoch}`);
    // A party that has not voted sees its allowance as well, and each command that is banned has its own end.
    const banned = structuredClone(statistics);
    banned.transfers!.bannedUntil = "2031-02-03T04:05:06Z";
    banned.votes!.bannedUntil = "2032-02-03T04:05:06Z";
    Object.assign(banned.votes!, { statistics: [] });
    await page.route("**/statistics/spam/*", (route) => route.fulfill({ json: { statistics: banned } }));
    await look.open("");
    await look.open(`party/${publicKey}?tab=spam`);
    await page.unrouteAll();
    const lines = await page.locator("section[aria-label=Ban] p").allTextContents();
    expect(lines).toEqual([
      expect.stringMatching(/^Its votes are refused until .*2032/),
      expect.stringMatching(/^Its transfers are refused until .*2031/),
    ]);
    const votes = page.locator(".meter-row", { hasText: "Votes on a proposal" });
    expect(await votes.locator(".number").textContent()).toBe(`0 of ${banned.votes!.maxForEpoch}`);
  });

  test("a devnet's tools are forms with the command line that does the same", async () => {
    const { page } = look;
    await look.open("devnet");
    const form = (name: string) => page.getByRole("form", { name, exact: true });
    const before = devnet.chain.status.height;
    await form("mine").getByLabel("blocks").fill("3");
    expect(await form("mine").locator("code").textContent()).toBe("npm run lyra -- devnet mine --blocks 3");
    await form("mine").getByRole("button", { name: "mine" }).click();
    await form("mine").getByText("Done").waitFor();
    expect(devnet.chain.status.height).toBe(before + 3);
    await form("fund").getByLabel("party").fill("alice");
    await form("fund").getByLabel("asset").fill("tUSD");
    await form("fund").getByLabel("amount").fill("12.5");
    expect(await form("fund").locator("code").textContent()).toBe(
      "npm run lyra -- devnet fund alice tUSD 12.5",
    );
    await form("fund").getByRole("button", { name: "fund" }).click();
    expect(await form("fund").getByRole("alert").textContent()).toContain("amount");
    await page.getByRole("button", { name: "snapshot" }).click();
    const tree = page.getByRole("list", { name: "Tree of snapshots" });
    await tree.getByText("0 after snapshot").waitFor();
    await page.getByText("npm run lyra -- devnet snapshot", { exact: true }).waitFor();
    await mineOverHttp(devnet, 2);
    // Of anybody: the page lists those that the chain has.
    await fetch(`${devnet.nodeUrl}/devnet/snapshot`, { method: "POST" });
    await mineOverHttp(devnet, 1);
    await tree.getByText("1 after snapshot").waitFor();
    // The first snapshot is that of the shared devnet.
    await page.getByRole("button", { name: "Go back" }).nth(1).click();
    // Asked once more.
    expect(devnet.chain.status.height).toBe(before + 6);
    expect(await form("mine").getByText("Done").count()).toBe(1);
    await page.getByRole("button", { name: /^Yes, drop the blocks after/ }).click();
    await tree.getByText("gone: the chain went back").waitFor();
    await page.waitForFunction(
      (text) => document.querySelector(".height")?.textContent === text,
      (before + 3).toLocaleString("en"),
    );
    expect(devnet.chain.status.height).toBe(before + 3);
    await form("mine").getByText("Done").waitFor({ state: "hidden" });
  });

  test("any command is a form from its message's schema, with the JSON and the command line of it", async () => {
    const { page } = look;
    await look.open("devnet");
    await page.getByRole("button", { name: "Choose a command" }).click();
    const form = page.getByRole("form", { name: "send a command" });
    const { assets } = await look.read<{
      assets: { edges: { node: { id: string; details: { symbol: string } } }[] };
    }>("/api/v2/assets");
    const asset = assets.edges.find(({ node }) => node.details.symbol === "tUSD")!.node.id;
    const bob = devnet.parties[1];
    await form.getByLabel("as party").fill("alice");
    // A refusal stands at its field; account types and the kind of transfer have their usual choice.
    await form.getByRole("button", { name: "Send", exact: true }).click();
    await form.locator(".field", { hasText: "amount" }).locator("small.bad").first().waitFor();
    const descriptions = (label: string) =>
      form.getByLabel(label, { exact: true }).evaluateAll((inputs) =>
        inputs.map((input) => {
          const [id = ""] = input.getAttribute("aria-describedby")?.split(" ") ?? [];
          return input.ariaInvalid === "true" ? document.getElementById(id)?.textContent : undefined;
        }),
      );
    expect([await descriptions("amount"), await descriptions("to")]).toEqual([
      ["is required"],
      ["is required"],
    ]);
    await form.getByLabel("to", { exact: true }).fill("bob");
    // Typed before the asset is given, and read with its decimals when it is.
    await form.getByLabel("amount").fill("12.5");
    await form.locator(".failure", { hasText: "amount: its asset or market is not known" }).waitFor();
    expect(await form.getByRole("button", { name: "Send", exact: true }).isDisabled()).toBe(true);
    await form.getByLabel("asset", { exact: true }).fill("tUSD");
    await form.getByText("tUSD · 1250000 in the smallest unit").waitFor();
    const transfer = {
      fromAccountType: "ACCOUNT_TYPE_GENERAL",
      to: bob!.publicKey,
      toAccountType: "ACCOUNT_TYPE_GENERAL",
      asset,
      amount: "1250000",
      oneOff: {},
    };
    const commandLine = form.locator(".command code");
    expect(await commandLine.textContent()).toBe(
      `npm run lyra -- devnet impersonate alice '${JSON.stringify({ transfer })}'`,
    );
    await form.getByRole("button", { name: "Send", exact: true }).click();
    await form.getByText("Executed").waitFor();
    // Its effects, as the devnet's own tool says.
    const { height } = devnet.chain.status;
    await form.getByRole("link", { name: grouped(String(height)) }).waitFor();
    expect((await look.rows("movements")).map(([from, , , amount]) => [from, amount])).toContainEqual([
      "alice general",
      "12.5 tUSD",
    ]);
    const isMarked = (label: string) =>
      form.getByLabel(label, { exact: true }).first().getAttribute("aria-required");
    expect([await isMarked("amount"), await isMarked("reference")]).toEqual(["true", null]);
    // The other way: JSON of another command, which the form takes over, and whose refusal is explained.
    await form.getByRole("button", { name: "JSON" }).click();
    const vote = { proposalId: "ab".repeat(32), value: "VALUE_YES" };
    // An amount of the JSON is in the smallest unit, also where its asset is given later.
    await form.getByLabel("the command as JSON").fill(JSON.stringify({ transfer: { amount: "1000000" } }));
    await form.getByRole("button", { name: "Form" }).click();
    await form.getByText("in the smallest unit").first().waitFor();
    expect(await form.getByLabel("amount").inputValue()).toBe("1000000");
    await form.getByLabel("asset", { exact: true }).fill("tUSD");
    await form.getByText("tUSD · 1000000 in the smallest unit").waitFor();
    await look.atRest();
    expect(await form.getByLabel("amount").inputValue()).toBe("10.00000");
    await form.getByRole("button", { name: "JSON" }).click();
    await form.getByLabel("the command as JSON").fill(JSON.stringify({ voteSubmission: vote }));
    await form.getByRole("button", { name: "Form" }).click();
    expect(await form.getByLabel("proposal id").inputValue()).toBe(vote.proposalId);
    await form.getByRole("button", { name: "Send", exact: true }).click();
    await form.getByRole("alert").getByText("npm run lyra -- explain").waitFor();
    // A refusal inside of a list.
    await form.getByRole("button", { name: "JSON" }).click();
    const liquidityProvisionSubmission = { buys: [{ reference: "PEGGED_REFERENCE_MID" }, {}] };
    await form.getByLabel("the command as JSON").fill(JSON.stringify({ liquidityProvisionSubmission }));
    await form.getByRole("button", { name: "Form" }).click();
    await form.getByRole("button", { name: "Send", exact: true }).click();
    await form.locator(".command-list small.bad").first().waitFor();
    // The last one is the command's own.
    expect(await descriptions("reference")).toEqual([
      ...[undefined, "order in shape without reference", undefined],
    ]);
  });

  test("a vote is cast by the form of an open proposal, and shown", async () => {
    const { page } = look;
    const [alice, bob] = devnet.parties;
    const now = devnet.chain.status.timeNs / 1_000_000_000n;
    const { id: proposal } = await new PartyClient(devnet.chain, alice!.key, "page").send({
      kind: "proposalSubmission",
      payload: {
        reference: "a bench",
        terms: { closingTimestamp: now + 3_600n, newFreeform: {} },
        rationale: { title: "A second bench", description: "Beside\u202e the first" },
      },
    });
    await look.open(`proposal/${proposal}`);
    expect(await look.text("h1")).toBe("A second bench");
    const form = page.getByRole("form", { name: "Vote" });
    await form.getByLabel("Signed by").selectOption({ label: "bob" });
    await form.getByRole("combobox", { name: "Vote" }).selectOption({ label: "against" });
    const voteSubmission = { proposalId: proposal, value: "VALUE_NO" };
    expect(await form.locator("code").textContent()).toBe(
      `npm run lyra -- devnet impersonate bob '${JSON.stringify({ voteSubmission })}'`,
    );
    expect(await seriousFindings(page)).toEqual([]);
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByText("in block").waitFor();
    await page.locator("section[aria-label=votes] tbody .bad").waitFor();
    expect((await look.rows("votes")).map(([party, vote]) => [party, vote])).toEqual([["bob", "against"]]);
    type Votes = { votes: { edges: { node: { partyId: string; value: string } }[] } };
    const { votes } = await look.read<Votes>(`/api/v2/votes?proposalId=${proposal}`);
    expect(votes.edges.map(({ node }) => [node.partyId, node.value])).toEqual([[bob!.publicKey, "VALUE_NO"]]);
    // The page shows the hidden sign of the description; the file that it saves has the sign itself.
    await look.open("devnet");
    const download = page.waitForEvent("download");
    await page.locator("form[aria-label=dump] button[type=submit]").click();
    const dumped = await Bun.file(await (await download).path()).text();
    const state = await fetch(`${devnet.nodeUrl}/devnet/dump`, { method: "POST", body: "{}" });
    expect(dumped.includes("Beside\u202e the first")).toBe(true);
    expect(dumped === (await state.text())).toBe(true);
  });

  test("an archive is saved and verified, and a damaged one is not sound", async () => {
    const { page } = look;
    await look.open("history");
    const { total, segments } = await look.read<Segments>("/lyra/v1/segments?limit=1");
    await page.getByText("Nothing is missing between them.").waitFor();
    await page.getByLabel("Table").selectOption("BALANCES");
    const exports: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/networkhistory/export")) exports.push(request.method());
    });
    const download = page.waitForEvent("download");
    // Pressed twice, it saves once.
    await page.getByRole("form", { name: "Save an archive" }).evaluate((form: HTMLFormElement) => {
      form.requestSubmit();
      form.requestSubmit();
    });
    const saved = await Bun.file(await (await download).path()).bytes();
    await page.getByRole("button", { name: "Verify what was saved" }).click();
    await page.getByText(`all ${total} ids are the node's`).waitFor();
    expect(exports).toEqual(["HEAD", "GET"]);
    // The key that ends the typing of a block also saves: of the blocks that were typed.
    const [newest] = segments;
    const short = page.waitForEvent("download");
    await page.getByLabel("First block").fill(String(newest!.to));
    await page.getByLabel("First block").press("Enter");
    const blocks = [newest!.from, newest!.to].map((height) => String(height).padStart(6, "0"));
    expect((await short).suggestedFilename()).toEndWith(`-balances-${blocks.join("-")}.zip`);
    const broken = join(processFolder("lyra-use-page"), "broken.zip");
    saved[Math.floor(saved.length / 3)]! ^= 4;
    await Bun.write(broken, saved);
    await page.getByLabel("an archive on disk").setInputFiles(broken);
    const verdict = await page.getByRole("alert").textContent();
    expect(verdict).toMatch(/^It is not sound: \S+\.csv: /);
  });

  test("new blocks, orders and transfers appear by themselves, and move nothing", async () => {
    const { parties } = devnet;
    const { markets } = await look.read<Markets>("/api/v2/markets");
    const { id: market } = markets.edges.find(({ node }) => node.state === "STATE_ACTIVE")!.node;
    const party = parties[6]!.publicKey;
    const views = [
      ...["", "blocks", "transactions", "parties", "markets", "epochs", "validators", "node", "devnet"],
      ...[`party/${party}`, `party/${parties[7]!.publicKey}?tab=trading`, `market/${market}`],
    ];
    // In one process of the browser, which costs less than one for each.
    const context = await (await offlineBrowser()).newContext({ viewport: VIEWPORT });
    // Blocks that come by themselves while the views are open.
    const begin = async (view: string) => {
      const tab = new Look(devnet.nodeUrl, devnet.dataUrl);
      await tab.begin(context);
      await tab.open(view);
      // They share the few connections of a context: names come late.
      await tab.atRest(12);
      await tab.page.evaluate(() => {
        window.shifts = [];
        new PerformanceObserver((list) => {
          for (const { sources, value } of list.getEntries() as unknown as LayoutShift[])
            for (const { node, previousRect, currentRect } of sources) {
              // A number at the right of its place becomes longer or shorter.
              // A quarter of a pixel is not seen.
              const isInLine = Math.abs(previousRect.top - currentRect.top) < 0.5;
              if (isInLine && previousRect.right === currentRect.right) continue;
              const element = node instanceof Element ? node : node?.parentElement;
              // Words of another row in the same line are longer or shorter.
              const isInWords = element?.matches("td:not(.right) :is(span, a)") === true;
              if (isInWords && isInLine) continue;
              const places = [previousRect, currentRect].map(({ x, y, right }) => `${x} to ${right} at ${y}`);
              window.shifts.push(
                `${value.toFixed(4)} ${places.join(", ")} ${element?.outerHTML.slice(0, 160)}`,
              );
            }
        }).observe({ type: "layout-shift" });
      });
      return { view, tab };
    };
    const tabs = await Promise.all(views.map(begin));
    for (let seed = 1; seed <= 2; seed++) {
      await sendTransfer(parties[6]!, parties[7]!.publicKey, `of seed ${seed}`);
      const body = JSON.stringify({ market, orders: 10, seed });
      await fetch(`${devnet.nodeUrl}/devnet/market/run`, { method: "POST", body });
      const text = devnet.chain.status.height.toLocaleString("en");
      const isShown = (height: string) => document.querySelector(".height")?.textContent === height;
      await Promise.all(tabs.map(({ tab }) => tab.page.waitForFunction(isShown, text)));
      await Promise.all(tabs.map(({ tab }) => tab.atRest()));
    }
    const { tab: marketTab } = tabs.at(-1)!;
    expect(await marketTab.page.getByLabel("Trading mode").textContent()).toBe("Trading mode: continuous");
    await tradeOutsideOfBounds(devnet, market);
    // It begins with the next block.
    await mineOverHttp(devnet, 1);
    await marketTab.page.locator(".trading-mode.auction").waitFor();
    await Promise.all(tabs.map(({ tab }) => tab.atRest()));
    const moves = await Promise.all(
      tabs.map(async ({ view, tab }) =>
        (await tab.page.evaluate(() => window.shifts)).map((each) => `${view}: ${each}`),
      ),
    );
    expect(moves.flat()).toEqual([]);
    // Had something moved, it would have been seen.
    for (const { tab } of tabs) {
      await tab.page.evaluate(() => document.querySelector("main")!.prepend(document.createElement("hr")));
      await tab.page.waitForFunction(() => window.shifts.length > 0);
    }
    await context.close();
  }, 120_000);

  test("new candles are added to the one chart of a market, also when time went forward and another length was chosen", async () => {
    const { page, seen } = look;
    const post = (tool: string, body: object) =>
      fetch(`${devnet.nodeUrl}/devnet/${tool}`, { method: "POST", body: JSON.stringify(body) });
    const { market } = (await (await post("market/create", {})).json()) as { market: string };
    await look.open(`market/${market}`);
    const charts = page.locator(".candles .tv-lightweight-charts");
    type Candles = { candles: { edges: { node: { close: string } }[] } };
    type Intervals = { intervalToCandleId: { interval: string; candleId: string }[] };
    const { intervalToCandleId } = await look.read<Intervals>(`/api/v2/candle/intervals?marketId=${market}`);
    const candleId = intervalToCandleId.find(({ interval }) => interval === "1 minute")!.candleId;
    const complaints = seen.complaints.length;
    for (let seed = 1; seed <= 2; seed++) {
      await post("time/forward", { duration: "2m" });
      await mineOverHttp(devnet, 1);
      await post("market/run", { market, orders: 20, seed });
      const { candles } = await look.read<Candles>(`/api/v2/candle?candleId=${candleId}&pagination.first=1`);
      const close = Number(candles.edges[0]!.node.close) / 100;
      await page.locator(`.candles[aria-label$=" closed at ${close}"]`).waitFor();
      // Read again, with nothing new in it: the first of these may have been on its way before.
      for (let n = 0; n < 2; n++) {
        const isRead = page.waitForResponse((response) => response.url().includes("/api/v2/candle?"));
        await mineOverHttp(devnet, 1);
        await isRead;
        await look.atRest();
      }
      expect(await charts.count()).toBe(1);
    }
    for (const length of ["5m", "1m"]) {
      await page.getByRole("button", { name: length, exact: true }).click();
      await look.atRest();
      expect(await charts.count()).toBe(1);
    }
    expect(seen.complaints.slice(complaints)).toEqual([]);
  });

  test("a hostile text of a transaction on the chain is shown as it is, and does nothing", async () => {
    const [alice, bob] = devnet.parties;
    const reference = '<img src=x onerror="window.__ran=1">';
    await sendTransfer(alice!, bob!.publicKey, reference);
    const { transactions } = await look.read<Activity>(
      `/lyra/v1/transactions?limit=1&party=${alice!.publicKey}`,
    );
    await look.open(`transaction/${transactions[0]!.hash}`);
    const shown = `"${reference.replaceAll('"', '\\"')}"`;
    expect(await look.page.getByText(shown).count()).toBeGreaterThan(0);
    expect(await look.page.evaluate(() => window.__ran)).toBeUndefined();
  });

  test("2,000 hostile texts in every answer: nothing runs, nothing is asked for, no layout breaks", async () => {
    const views = await look.views();
    const broken: string[] = [];
    const seen: Seen = { requests: [], failures: [], complaints: [] };
    const queue = [...views];
    /** Shows at least its share of the views and of the texts. */
    const work = async (tab: Look, from: number) => {
      const { page } = tab;
      page.on("dialog", (dialog) => seen.complaints.push(`a dialog: ${dialog.message()}`));
      await page.addInitScript({ content: await poisonScript(from) });
      const used = () => page.evaluate(() => (window.poison?.used ?? 0) - window.poisonFrom);
      for (let opened = 0; ; opened++) {
        const view = queue.shift() ?? views[opened % views.length]!;
        await page.setViewportSize({ width: 1600, height: 900 });
        await tab.open(view);
        await tab.unfold();
        if (await tab.isTooWide()) broken.push(`${view} is wider than 1600`);
        await page.setViewportSize({ width: 380, height: 900 });
        if (await tab.isTooWide()) broken.push(`${view} is wider than 380`);
        const state = await page.evaluate(() => ({
          ran: window.__ran,
          elements: [
            ...document.querySelectorAll(
              "main :is(script, img, iframe, style, link, meta, base, form[action])",
            ),
          ].length,
          hidden: /[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]/.test(document.body.textContent ?? ""),
          title: document.title,
        }));
        if (state.ran !== undefined || state.elements > 0 || state.hidden || !/Lyra$/.test(state.title))
          broken.push(`${view}: ${JSON.stringify(state)}`);
        if (queue.length === 0 && (await used()) >= HOSTILE.length / TABS) return;
        expect(opened).toBeLessThan(3 * views.length);
      }
    };
    const tabs = Array.from({ length: TABS }, () => new Look(devnet.nodeUrl, devnet.dataUrl, seen));
    await Promise.all(
      tabs.map(async (tab, n) => {
        await tab.begin(await offlineBrowser());
        await work(tab, (n * HOSTILE.length) / TABS);
        await tab.page.close();
      }),
    );
    expect(broken).toEqual([]);
    const hosts = new Set(seen.requests.map((url) => new URL(url).host));
    const own = [look.pageUrl, look.dataUrl].map((url) => new URL(url).host);
    expect([...hosts].filter((host) => !own.includes(host))).toEqual([]);
    // An identifier that became hostile names nothing.
    const others = seen.complaints.filter((text) => !/server responded with a status of 40[04]/.test(text));
    expect(others).toEqual([]);
  }, 120_000);

  test("the page asked this node alone, and the browser complained of no more than the refused commands", () => {
    expectQuiet(look.seen, [look.pageUrl, look.dataUrl], ["400 /devnet/fund", "400 /devnet/impersonate"]);
  });
});
