// The node's page and a wallet in a real browser: an order, its amendment and its end, a transfer, signed by the wallet after
// somebody approved them on the wallet's own page; and what the page says when a wallet refuses, is gone, or is on another chain.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { type RunningWalletService, startWalletService } from "../../src/planes/wallet/start.ts";
import { startNode } from "../../src/start-node.ts";
import { ApprovalDesk } from "../../src/wallet/approvals/desk.ts";
import { HttpNode } from "../../src/wallet/sending/http-node.ts";
import { eventually } from "../support/eventually.ts";
import {
  HAS_BROWSER,
  offlineBrowser,
  openPage,
  picture,
  type Seen,
  sayWhenSkipped,
} from "../support/offline-browser.ts";
import { mineOverHttp } from "../support/test-devnet.ts";
import { cheapStore, PASSPHRASE } from "../wallet/support/wallets.ts";
import { seriousFindings } from "./axe.ts";
import { expectQuiet, Look } from "./look.ts";

sayWhenSkipped("the ticket that signs through the wallet");

interface Order {
  readonly id: string;
  readonly price: string;
  readonly size: string;
  readonly status: string;
  readonly reference: string;
  readonly timeInForce: string;
  readonly postOnly: boolean;
}

describe.skipIf(!HAS_BROWSER)("the node's page with a wallet", () => {
  const desk = new ApprovalDesk();
  let browser: Browser;
  let devnet: Devnet;
  let service: RunningWalletService;
  let look: Look;
  let walletPage: Page;
  let market: string;
  const walletSeen: Seen = { requests: [], failures: [], complaints: [] };

  beforeAll(async () => {
    browser = await offlineBrowser();
    devnet = await startNode({ kind: "devnet" });
    const created = await fetch(`${devnet.nodeUrl}/devnet/market/create`, { method: "POST", body: "{}" });
    ({ market } = (await created.json()) as { market: string });
    const store = cheapStore();
    const { recoveryPhrase } = devnet;
    const wallet = await store.import({ name: "mine", passphrase: PASSPHRASE, recoveryPhrase });
    await wallet.annotateKey(devnet.parties[0]!.publicKey, [{ key: "name", value: "Trading" }]);
    service = await startWalletService({
      store,
      nodes: [new HttpNode(devnet.nodeUrl)],
      approver: desk,
      unlocked: [wallet],
      port: 0,
    });
    look = new Look(`${devnet.nodeUrl}/?wallet-port=${service.port}`, devnet.dataUrl);
    await look.begin(browser);
    walletPage = await openPage(browser, walletSeen);
    await walletPage.goto(service.pageLink());
    await walletPage.getByText("No request waits").waitFor();
  }, 60_000);
  afterEach(() => desk.rejectAll());
  afterAll(async () => {
    await walletPage?.close();
    await look?.page.close();
    await service?.close();
    await devnet?.stop();
  });

  /** On the wallet's page, by holding its button. */
  const approve = async (words: string) => {
    await walletPage.bringToFront();
    await walletPage.locator(".approval", { hasText: words }).waitFor();
    await walletPage.waitForFunction(() => document.querySelector(".approve:not(:disabled)") !== null);
    const id = desk.requests[0]!.id;
    await walletPage.getByRole("button", { name: "Hold to approve" }).hover();
    await walletPage.mouse.down();
    await eventually(() => desk.get(id) === undefined);
    await walletPage.mouse.up();
    await look.page.bringToFront();
  };
  /** The same by a terminal, at once. */
  const approveInTerminal = async (words: string) => {
    await eventually(() => desk.requests.length > 0);
    const [request] = desk.requests;
    if (request!.kind === "transaction") expect(request!.words.title).toContain(words);
    desk.answer(request!.id, { outcome: "approved" });
  };
  const form = (name: string) => look.page.getByRole("form", { name });
  const orders = async () => {
    const filter = `filter.partyIds=${devnet.parties[0]!.publicKey}&filter.marketIds=${market}`;
    const answer = await look.read<{ orders: { edges: { node: Order }[] } }>(`/api/v2/orders?${filter}`);
    return answer.orders.edges.map(({ node }) => node);
  };

  /** Sends as a devnet's party, and reads the command that the form wrote. */
  const sendAs = async (name: string, party: string) => {
    const { page } = look;
    await form(name).getByLabel("Signed by").selectOption({ label: party });
    const text = (await form(name).locator("code").textContent())!;
    await form(name).getByRole("button", { name: "Send" }).click();
    await form(name).locator(".ticket-message.bad, .ticket-message > a").waitFor();
    const outcome = await form(name).locator(".ticket-message").textContent();
    expect(await page.getByRole("alert").count()).toBe(0);
    return { command: JSON.parse(/'(.*)'$/.exec(text)![1]!) as Record<string, object>, outcome };
  };

  test("writes every kind of order as the protocol has it", async () => {
    await look.open(`market/${market}`);
    const ticket = form("Send an order");
    const choose = (label: string, title: string) =>
      ticket.getByRole("combobox", { name: label, exact: true }).selectOption({ label: title });
    await ticket.getByLabel("Size").fill("0.01");
    await choose("Pegged to", "the best bid");
    await choose("Good", "until a time");
    await ticket.getByLabel("Offset").fill("1.5");
    await ticket.getByRole("textbox", { name: "Until" }).fill("2040-01-02T03:04:05");
    const pegged = await sendAs("Send an order", "carol");
    expect(pegged.outcome).toContain("in block");
    expect(pegged.command.orderSubmission).toEqual({
      ...{ marketId: market, side: "SIDE_BUY", type: "TYPE_LIMIT", size: "10" },
      ...{ timeInForce: "TIME_IN_FORCE_GTT", expiresAt: `${new Date(2040, 0, 2, 3, 4, 5).getTime()}000000` },
      peggedOrder: { reference: "PEGGED_REFERENCE_BEST_BID", offset: "150" },
    });
    // A seller follows no bid, and a market order has no price, lives no longer than at once, and may only reduce.
    await choose("Side", "sell");
    expect(
      await ticket.getByRole("combobox", { name: "Pegged to" }).locator("option").allTextContents(),
    ).toEqual([...["nothing", "the best offer", "the middle"]]);
    await choose("Type", "market");
    expect(await ticket.getByLabel("Price").isDisabled()).toBe(true);
    expect(await ticket.getByLabel("Post only").isDisabled()).toBe(true);
    expect(await ticket.getByRole("combobox", { name: "Good" }).locator("option").allTextContents()).toEqual([
      ...["at once, in part or whole", "at once, as a whole"],
    ]);
    await choose("Good", "at once, as a whole");
    await ticket.getByLabel("Reduce only").check();
    const reducing = await sendAs("Send an order", "carol");
    expect(reducing.command.orderSubmission).toEqual({
      ...{ marketId: market, side: "SIDE_SELL", type: "TYPE_MARKET", size: "10" },
      ...{ timeInForce: "TIME_IN_FORCE_FOK", reduceOnly: true },
    });
    await ticket.getByLabel("Reduce only").uncheck();
    const sold = await sendAs("Send an order", "carol");
    expect(sold.outcome).toContain("in block");
    // The refusal for its margin says how much it takes, and how much the party has.
    await choose("Type", "limit");
    await ticket.getByLabel("Size").fill("1000000");
    await ticket.getByLabel("Price").fill("100");
    const { outcome } = await sendAs("Send an order", "carol");
    expect(outcome).toMatch(
      /margin check failed: [\d.]+ \w+ needed, [\d.]+ \w+ available: .* in its general account/,
    );
    expect(outcome).toContain("npm run lyra -- explain 'margin check failed'");
  }, 60_000);

  test("withdraws, delegates and takes back what was delegated", async () => {
    await look.open(`party/${devnet.parties[2]!.publicKey}?tab=send`);
    const withdrawal = form("Withdraw to Ethereum");
    await withdrawal.getByLabel("Asset").selectOption({ label: "dUSD" });
    await withdrawal.getByLabel("Amount").fill("1000");
    await withdrawal.getByLabel("Ethereum address").fill(`0x${"ab".repeat(20)}`);
    expect((await sendAs("Withdraw to Ethereum", "carol")).outcome).toContain("in block");
    type Withdrawals = { withdrawals: { edges: { node: { id: string } }[] } };
    const { withdrawals } = await look.read<Withdrawals>("/api/v2/withdrawals");
    const { id } = withdrawals.edges[0]!.node;
    await mineOverHttp(devnet, 5);
    await look.open(`withdrawal/${id}`);
    const bundle = look.page.locator("section[aria-label='Bundle for the bridge']");
    type Approval = { nonce: string; signatures: string; targetAddress: string };
    const approval = await look.read<Approval>(`/api/v2/erc20/asset/withdrawal/bundle?withdrawalId=${id}`);
    expect(approval.targetAddress).toBe(`0x${"ab".repeat(20)}`);
    expect(approval.signatures.length).toBeGreaterThan(130);
    for (const part of [approval.nonce, approval.signatures, approval.targetAddress])
      expect(await bundle.locator(".facts").textContent()).toContain(part);
    const nodes = await look.read<{ nodes: { edges: { node: { id: string } }[] } }>("/api/v2/nodes");
    await look.open(`validator/${nodes.nodes.edges[0]!.node.id}`);
    await form("Delegate").getByLabel("Amount").fill("10");
    expect((await sendAs("Delegate", "carol")).outcome).toContain("in block");
    await form("Delegate").getByLabel("Do").selectOption("METHOD_AT_END_OF_EPOCH");
    expect((await sendAs("Delegate", "carol")).outcome).toContain("in block");
  }, 60_000);

  test("connects once it is approved, and lists the keys by their names", async () => {
    const { page } = look;
    await look.open(`market/${market}`);
    expect(await form("Send an order").getByLabel("Signed by").inputValue()).toStartWith("party ");
    await form("Send an order").getByRole("button", { name: "Connect a wallet" }).click();
    await page.getByText("Approve the connection in the wallet").waitFor();
    await page.getByText("Approve the connection").waitFor();
    expect(await form("Send an order").getByRole("button", { name: "Send", exact: true }).isDisabled()).toBe(
      true,
    );
    await approve("wants to connect to a wallet");
    await page.getByText("Now approve that this page sees your keys").waitFor();
    await approve("wants to see the public keys");
    await page.getByRole("button", { name: "Disconnect the wallet" }).waitFor();
    const signed = form("Send an order").getByLabel("Signed by");
    expect(await signed.inputValue()).toBe(`wallet ${devnet.parties[0]!.publicKey}`);
    expect(await signed.locator("option:checked").textContent()).toStartWith("Trading ");
    // The connection is of this tab: it outlives a reload, and another tab has none.
    await page.reload();
    await look.atRest();
    await page.getByRole("button", { name: "Disconnect the wallet" }).waitFor();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  }, 30_000);

  test("sends an order that was approved on the wallet's page, and leads to its transaction", async () => {
    const { page } = look;
    const ticket = form("Send an order");
    await ticket.getByLabel("Size").fill("0.02");
    await ticket.getByLabel("Price").fill("90");
    await ticket.getByLabel("Reference").fill("by the page");
    await ticket.getByLabel("Post only").check();
    await ticket.getByRole("button", { name: "Send" }).click();
    await page.getByText("It waits for your answer in the wallet").waitFor();
    await picture(page, "ticket-waits");
    await approve("by the page");
    await ticket.getByText("in block").waitFor();
    // The wallet's page says it as well.
    await walletPage.getByText(/^sent as [0-9A-F]{64}: in block \d+$/).waitFor();
    expect((await orders()).map(({ status, reference, postOnly }) => [status, reference, postOnly])).toEqual([
      ["STATUS_ACTIVE", "by the page", true],
    ]);
    await picture(page, "ticket-sent");
    await ticket.locator(".ticket-message a").first().click();
    await look.atRest();
    expect(await look.text("h1")).toStartWith("Buy 0.02 at 90 ");
    expect(await page.getByText("executed").count()).toBeGreaterThan(0);
  }, 30_000);

  test("amends and cancels it", async () => {
    const { page } = look;
    await look.open(`market/${market}`);
    const row = page.locator("section[aria-label=orders] tbody tr", {
      has: page.getByRole("link", { name: "Amend" }),
    });
    await row.first().getByRole("link", { name: "Amend" }).click();
    const amendment = form("Amend an order");
    await amendment.getByLabel("Size").fill("0.03");
    await amendment.getByRole("button", { name: "Send" }).click();
    await approveInTerminal("Change the order");
    await amendment.getByText("in block").waitFor();
    expect((await orders())[0]).toMatchObject({ size: "30" });
    // A second change is of the order as the first has left it.
    await amendment.getByLabel("Price").fill("91");
    await amendment.getByRole("button", { name: "Send" }).click();
    await approveInTerminal("Change the order");
    await amendment.getByText("in block").waitFor();
    expect((await orders())[0]).toMatchObject({ size: "30", price: "9100" });
    // A refused one changes nothing, and the next can be sent.
    await amendment.getByLabel("Size").fill("1000000000");
    await amendment.getByRole("button", { name: "Send" }).click();
    await approveInTerminal("Change the order");
    await amendment.getByText(": refused, ").waitFor();
    await amendment.locator("button[type=submit]:enabled").waitFor();
    await amendment.getByRole("button", { name: "Back to a new order" }).click();
    await row.first().getByRole("button", { name: "Cancel" }).click();
    await approveInTerminal("Cancel");
    await page.getByText("in block").waitFor();
    expect((await orders())[0]).toMatchObject({ status: "STATUS_CANCELLED" });
  }, 30_000);

  test("a request that waits in the wallet ends with the blocks that it was written for, and with its form", async () => {
    const { page } = look;
    const tool = (name: string, body: string) =>
      fetch(`${devnet.nodeUrl}/devnet/${name}`, { method: "POST", body }).then((answer) => answer.text());
    const snapshot = await tool("snapshot", "{}");
    await mineOverHttp(devnet, 1);
    await look.open(`party/${devnet.parties[1]!.publicKey}?tab=send`);
    const transfer = form("Send to this party");
    await transfer.getByLabel("Amount").fill("2.5");
    await transfer.getByLabel("Asset").selectOption({ label: "tUSD" });
    const leaves: readonly (() => Promise<unknown>)[] = [
      () => tool("revert", snapshot),
      () => page.getByRole("tab", { name: "Ledger" }).click(),
    ];
    for (const leave of leaves) {
      expect(await transfer.locator(".ticket-message").textContent()).toBe("");
      await transfer.getByRole("button", { name: "Send" }).click();
      await eventually(() => desk.requests.length > 0);
      await leave();
      await eventually(() => desk.requests.length === 0);
    }
  }, 30_000);

  test("says why a wallet refuses, and that nothing was asked on another chain", async () => {
    const { page } = look;
    const bob = devnet.parties[1]!;
    await look.open(`party/${bob.publicKey}?tab=send`);
    const transfer = form("Send to this party");
    await transfer.getByLabel("Amount").fill("1.5");
    await transfer.getByLabel("Asset").selectOption({ label: "tUSD" });
    await transfer.getByRole("button", { name: "Send" }).click();
    await eventually(() => desk.requests.length > 0);
    desk.rejectAll();
    await transfer.getByText("the user rejected the sending of the transaction").waitFor();
    await transfer.getByRole("button", { name: "Send" }).click();
    await eventually(() => desk.requests.length > 0);
    await transfer.getByRole("button", { name: "Stop asking" }).click();
    await transfer.getByText("not waited for any more: the wallet shows whether it was sent").waitFor();
    await eventually(() => desk.requests.length === 0);
    await page.route(`${new URL(service.url).origin}/**`, async (route) => {
      const isChain = route.request().postData()?.includes("client.get_chain_id") === true;
      if (!isChain) return route.continue();
      const response = await route.fetch();
      return route.fulfill({ response, json: { jsonrpc: "2.0", id: "1", result: { chainID: "another" } } });
    });
    await transfer.getByRole("button", { name: "Send" }).click();
    await transfer.getByText("the wallet signs for the chain another").waitFor();
    expect(desk.requests.length).toBe(0);
    await page.unroute(() => true);
    await page.unrouteAll();
    await transfer.getByRole("button", { name: "Send" }).click();
    await approveInTerminal("Send 1.5 tUSD");
    await transfer.getByText("in block").waitFor();
  }, 30_000);

  test("a wallet that ends the connection, or is gone, is one sentence with the way on", async () => {
    const { page } = look;
    const transfer = form("Send to this party");
    await service.service.revokeHostname(new URL(devnet.nodeUrl).host);
    await transfer.getByRole("button", { name: "Send" }).click();
    await transfer.getByRole("button", { name: "Connect a wallet" }).waitFor();
    await page.goto(`${devnet.nodeUrl}/?wallet-port=9#/market/${market}`);
    await look.atRest();
    await page.getByRole("button", { name: "Connect a wallet" }).click();
    const line = page.getByRole("alert");
    await line.waitFor();
    expect(await line.textContent()).toContain(
      `No wallet answers at 127.0.0.1:9. This starts one: npm run lyra -- wallet serve --node-url ${devnet.nodeUrl} --wallet-port 9`,
    );
    await page.getByLabel("Its port, if another").fill(String(service.port));
    await page.getByRole("button", { name: "Use it" }).click();
    await page.waitForURL((url) => url.search === `?wallet-port=${service.port}`);
    await look.atRest();
    await page.getByRole("button", { name: "Connect a wallet" }).click();
    await page.getByRole("button", { name: "Stop asking" }).click();
    await page.getByRole("button", { name: "Connect a wallet" }).waitFor();
    await eventually(() => desk.requests.length === 0);
    // A browser may store nothing for a page: then the connection lasts until the page is loaded again.
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    });
    await page.getByRole("button", { name: "Connect a wallet" }).click();
    // Whether it sees the keys was decided before.
    await approveInTerminal("");
    await page.getByRole("button", { name: "Disconnect the wallet" }).waitFor();
    await look.atRest();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(service.service.parts.sessions.all.map(({ hostname }) => hostname)).toEqual([
      new URL(devnet.nodeUrl).host,
    ]);
  }, 30_000);

  test.each([
    ["light", 1600],
    ["dark", 380],
  ] as const)(
    "is usable in %s at %d, by axe's word",
    async (colorScheme, width) => {
      const { page } = look;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 1000 });
      const validators = await look.read<{ nodes: { edges: { node: { id: string } }[] } }>("/api/v2/nodes");
      for (const path of [
        `market/${market}`,
        `party/${devnet.parties[1]!.publicKey}?tab=send`,
        `validator/${validators.nodes.edges[0]!.node.id}`,
      ]) {
        await look.open(path);
        if (path.startsWith("market")) await page.getByLabel("Good").selectOption("TIME_IN_FORCE_GTT");
        await picture(page, `ticket-${path.split("/")[0]}-${colorScheme}-${width}`);
        expect([path, await look.isTooWide()]).toEqual([path, false]);
        expect(await seriousFindings(page)).toEqual([]);
      }
    },
    30_000,
  );

  test("the node's page asks its node and wallet alone, the wallet's page the wallet, and the browser has no other complaint", () => {
    const origins = [devnet.nodeUrl, devnet.dataUrl, service.url, "http://127.0.0.1:9"];
    expectQuiet(look.seen, origins, [
      ...["400 /api/v2/requests", "401 /api/v2/requests", "400 /devnet/impersonate"],
      "net::ERR_UNSAFE_PORT /api/v2/requests",
    ]);
    expectQuiet(walletSeen, [service.url]);
  });
});
