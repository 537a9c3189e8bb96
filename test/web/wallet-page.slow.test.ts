// The wallet's page in a real browser: from its link to an approved transaction, in both themes and at both widths; what other
// pages and other browsers try; texts that are made to fool a reader.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page, Route } from "playwright-core";
import { NodeError } from "../../src/errors/node-error.ts";
import type { TransactionRequest } from "../../src/wallet/approvals/approver.ts";
import { ApprovalDesk } from "../../src/wallet/approvals/desk.ts";
import { amountText, plainJson } from "../../src/wallet/approvals/formatting.ts";
import { wordsOf } from "../../src/wallet/approvals/words.ts";
import { readCommandText } from "../support/command-text.ts";
import { eventually } from "../support/eventually.ts";
import {
  HAS_BROWSER,
  offlineBrowser,
  openPage,
  picture,
  type Seen,
  sayWhenSkipped,
} from "../support/offline-browser.ts";
import { processFolder } from "../support/process-folder.ts";
import { rows, textsIn, withText } from "../wallet/approvals/words-rows.ts";
import { KEY_1, Rig } from "../wallet/service/rig.ts";
import { PASSPHRASE } from "../wallet/support/wallets.ts";
import { seriousFindings } from "./axe.ts";
import { HOSTILE } from "./hostile-texts.ts";
import { expectQuiet } from "./look.ts";

sayWhenSkipped("the wallet's page");
const APPROVE = /^(?:Hold to approve|A moment…)$/;

let browser: Browser;
beforeAll(async () => {
  if (HAS_BROWSER) browser = await offlineBrowser();
});

/** Times that the page comes to front. */
const FRONTS = 3;

describe.skipIf(!HAS_BROWSER)("the wallet's page", () => {
  const desk = new ApprovalDesk();
  let rig: Rig;
  let page: Page;
  let seen: Seen;
  /** Token of https://third.example. */
  let third: string;
  beforeAll(async () => {
    rig = await Rig.start({ approver: desk, home: processFolder("lyra-wallet-page-home") });
    const unlocked = await rig.store.unlock("vectors", Uint8Array.from(PASSPHRASE));
    rig.running.service.parts.wallets.adopt(unlocked);
    seen = { requests: [], failures: [], complaints: [] };
    page = await openPage(browser, seen);
    // As the command starts the browser: by a file that leads on.
    const file = join(processFolder("lyra-wallet-page"), "page.html");
    writeFileSync(file, `<meta http-equiv="refresh" content="0;url=${rig.running.pageLink()}">`);
    await page.goto(`file://${file}`);
    await page.getByText("No request waits").waitFor();
  }, 30_000);
  afterEach(() => desk.rejectAll());
  afterAll(async () => {
    await page?.close();
    await rig?.stop();
  });

  const connectFrom = async (origin = "https://dapp.example") => {
    const answer = rig.call("client.connect_wallet", undefined, { origin });
    await eventually(() => desk.requests.length > 0);
    await page.getByText("wants to connect to a wallet").waitFor();
    return answer;
  };
  const button = () => page.getByRole("button", { name: APPROVE });
  /** @param words of the request, where a second request follows */
  const hold = async (words = "") => {
    await page.waitForFunction(() => document.querySelector(".approve:not(:disabled)") !== null);
    await button().hover();
    await page.mouse.down();
    await page.locator(".approval", { hasText: words }).waitFor({ state: "detached" });
    await page.mouse.up();
  };

  test("the link leaves the address, and the page stays open when it is loaded again", async () => {
    expect(page.url()).toBe(`${new URL(rig.running.url).origin}/`);
    expect(await page.evaluate(() => document.cookie)).toBe("");
    await page.reload();
    await page.getByText("No request waits").waitFor();
  });

  test("a connection is approved by holding the button, which is not in focus", async () => {
    const answer = connectFrom();
    await page.getByText("https://dapp.example").waitFor();
    expect(await page.evaluate(() => document.activeElement?.className)).not.toContain("approve");
    expect(await button().isDisabled()).toBe(true);
    await page.keyboard.press("Enter");
    await hold();
    expect((await answer).status).toBe(200);
    const sites = page.getByRole("region", { name: "Connected sites" }).getByRole("table");
    await sites.getByRole("cell", { name: "dapp.example", exact: true }).waitFor();
  }, 20_000);

  test("a click is not enough, and a hidden page approves nothing", async () => {
    const answer = connectFrom("https://other.example");
    await page.waitForFunction(() => document.querySelector(".approve:not(:disabled)") !== null);
    await button().click();
    expect(desk.requests.length).toBe(1);
    await page.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.waitForFunction(() => document.querySelector(".approve:disabled") !== null);
    expect(await button().textContent()).toBe("A moment…");
    await button().hover();
    await page.mouse.down();
    await page.waitForTimeout(700);
    await page.mouse.up();
    expect(desk.requests.length).toBe(1);
    await page.evaluate(() => {
      Reflect.deleteProperty(document, "visibilityState");
      document.dispatchEvent(new Event("visibilitychange"));
    });
    // The wallet has no addresses of a node.
    expect(seen.requests.filter((url) => url.includes("/lyra/v1/"))).toEqual([]);
    await page.getByRole("button", { name: "Reject", exact: true }).click();
    expect((await answer).body.error.code).toBe(3001);
  }, 20_000);

  test("a transaction is approved by the keyboard, in the terminal's words", async () => {
    const connecting = connectFrom("https://third.example");
    await page.getByText("https://third.example").waitFor();
    await hold();
    const authorization = (await connecting).token!;
    third = authorization;
    const origin = "https://third.example";
    const keys = rig.call("client.list_keys", {}, { authorization, origin });
    await page.getByText("wants to see the public keys").waitFor();
    await hold();
    await keys;
    rig.node.block();
    const sent = rig.send(authorization, {}, origin);
    await page.getByText("wants to send a transaction: Vote yes").waitFor();
    expect(await page.locator(".approval").textContent()).toContain(KEY_1);
    await page.waitForFunction(() => document.querySelector(".approve:not(:disabled)") !== null);
    await button().focus();
    await page.keyboard.down("Enter");
    await page.getByText(/^sent as [0-9A-F]{64}/).waitFor();
    await page.keyboard.up("Enter");
    expect((await sent).status).toBe(200);
  }, 30_000);

  test("a locked wallet asks for its passphrase, a site is ended, and what was signed is listed", async () => {
    const decisions = page.locator("section[aria-label=Decisions]");
    const sentRow = decisions
      .locator("tr", { hasText: "third.example" })
      .filter({ hasText: "send voteSubmission" });
    expect(await sentRow.first().textContent()).toContain("sent");
    await page.getByRole("button", { name: "Lock", exact: true }).click();
    await page.getByText("locked", { exact: true }).waitFor();
    const origin = "https://third.example";
    const sent = rig.send(third, {}, origin);
    const unlocking = page.locator(".approval", { hasText: "needs the wallet vectors" });
    await unlocking.getByLabel("Passphrase").fill(new TextDecoder().decode(PASSPHRASE));
    await hold("needs the wallet vectors");
    await page.getByText("wants to send a transaction: Vote yes").waitFor();
    await page.getByRole("button", { name: "Reject", exact: true }).click();
    expect((await sent).body.error.code).toBe(3001);
    const site = page
      .locator("section[aria-label='Connected sites'] table")
      .getByRole("row", { name: /third\.example/ });
    await site.getByRole("button", { name: "End" }).click();
    await site.waitFor({ state: "detached" });
    const ended = await rig.call("client.list_keys", {}, { authorization: third, origin });
    expect(ended.body.error.code).toBe(-32003);
  }, 30_000);

  test("a refusal of an action is shown, one of the list until its next answer, a late one not at all", async () => {
    const refuse = (route: Route, message: string) =>
      route.fulfill({ status: 500, json: { code: "internal", message } });
    await page.route("**/page/api/lock", (route) => refuse(route, "no lock today"), { times: 1 });
    await page.getByRole("button", { name: "Lock", exact: true }).click();
    await page.getByText("no lock today").waitFor();
    const newer = Promise.withResolvers<void>();
    let reads = 0;
    await page.route("**/page/api/activity", async (route) => {
      const read = ++reads;
      if (read > 2) return route.continue();
      if (read === 1) await newer.promise;
      return refuse(route, read === 1 ? "too late" : "no list today");
    });
    const answer = connectFrom("https://listed.example");
    await eventually(() => reads === 1);
    desk.rejectAll();
    await answer;
    await page.getByText("no list today").waitFor();
    const next = connectFrom("https://listed.example");
    const decisions = page.locator("section[aria-label=Decisions]");
    await decisions.waitFor();
    const isLate = page.waitForResponse("**/page/api/activity");
    newer.resolve();
    await (await isLate).finished();
    desk.rejectAll();
    await next;
    await page.getByText("No request waits").waitFor();
    expect(await decisions.count()).toBe(1);
    await page.unroute("**/page/api/activity");
  });

  test("the number of requests that wait counts those that are not listed too", async () => {
    const decisions = Array.from({ length: 60 }, (_, n) =>
      desk.decide(
        {
          ...{ kind: "keys", id: `waiting-${n}`, wallet: "vectors", keys: [] },
          ...{ hostname: `${n}.example`, origin: `https://${n}.example` },
          receivedAt: new Date(0).toISOString(),
        },
        undefined,
      ),
    );
    await page.getByRole("heading", { name: "59 more" }).waitFor();
    desk.rejectAll();
    await Promise.all(decisions);
  });

  test("a second browser gets nothing with the same link, and no frame shows the page", async () => {
    const other = await openPage(browser, { requests: [], failures: [], complaints: [] });
    const link = rig.running.pageLink();
    await other.goto(link);
    await other.getByText("No request waits").waitFor();
    // The new session ends the one before it.
    await page.getByText("This page opens by a link").waitFor();
    await page.goto(link);
    await page.reload();
    await page.getByText("this link was used, or is too old").waitFor();
    await other.goto("about:blank");
    await other.setContent(`<iframe src="${new URL(rig.running.url).origin}/"></iframe>`);
    expect(other.frames().map((frame) => frame.url())).toEqual([
      "about:blank",
      "chrome-error://chromewebdata/",
    ]);
    await other.close();
    await page.goto(rig.running.pageLink());
    await page.reload();
    await page.getByText("No request waits").waitFor();
  }, 30_000);

  test.each([
    ["light", 1600],
    ["dark", 1600],
    ["light", 380],
    ["dark", 380],
  ] as const)(
    "nothing is wrong for those who read it otherwise: %s at %d",
    async (colorScheme, width) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const answer = connectFrom("https://look.example");
      await page.getByText("https://look.example").waitFor();
      await page.waitForFunction(() => document.querySelector(".approve:not(:disabled)") !== null);
      expect(await seriousFindings(page)).toEqual([]);
      const isTooWide = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect(isTooWide).toBe(false);
      desk.rejectAll();
      await answer;
    },
    30_000,
  );

  test("sending shows fee and rest before it asks, and a chain's refusal as it is", async () => {
    const asset = "a5".repeat(32);
    rig.node.listAssets = async () => [{ id: asset, name: "Test Dollar", symbol: "tUSD", decimals: 5 }];
    rig.node.assets.set(asset, { symbol: "tUSD", decimals: 5 });
    rig.node.balances = async () => new Map([[asset, "200000"]]);
    rig.node.parameter = async () => "0.001";
    await page.setViewportSize({ width: 1280, height: 1000 });
    // Balances are read again when the page comes to front, once: it is seen and in focus, one after the other.
    const reads = () => seen.requests.filter((url) => url.includes("/page/api/wallet?")).length;
    const first = page.waitForResponse("**/page/api/wallet?*");
    await page.reload();
    await first;
    const before = reads();
    for (let n = 0; n < FRONTS; n++) {
      const again = page.waitForResponse("**/page/api/wallet?*");
      await page.evaluate(async () => {
        document.dispatchEvent(new Event("visibilitychange"));
        await new Promise((resolve) => setTimeout(resolve));
        window.dispatchEvent(new Event("focus"));
      });
      await again;
    }
    // The browser's own focus, and time, may bring one more.
    expect(reads() - before).toBeLessThan(2 * FRONTS);
    const form = page.getByRole("form", { name: "Send from vectors" });
    await form.getByLabel("Amount").fill("3");
    await form.getByLabel("Asset").selectOption({ label: "tUSD" });
    await form.getByLabel("To a key, or a name").fill("b".repeat(64));
    await form.getByText("the network would refuse it").waitFor();
    await form.getByLabel("Amount").fill("1.5");
    await form.getByText("left (node says)").waitFor();
    expect(await form.locator(".facts div").allTextContents()).toEqual([
      `fee (node says)0.0015 tUSD (asset ${asset})`,
      `you have (node says)2 tUSD (asset ${asset})`,
      `left (node says)0.4985 tUSD (asset ${asset})`,
    ]);
    expect(desk.requests.length).toBe(0);
    await picture(page, "wallet-send");
    await form.getByLabel("To a key, or a name").fill("nobody");
    await form.getByText('"nobody" is not a key').waitFor();
    await form.getByLabel("To a key, or a name").fill("b".repeat(64));
    rig.node.verdict = { code: 51, reason: "<img src=x onerror=window.__ran=1>\u202etxet" };
    await form.getByRole("button", { name: "Review" }).click();
    await eventually(() => desk.requests.length > 0);
    // A terminal answers, while the page shows it as well.
    await page.getByText("this page wants to send a transaction: Send 1.5 tUSD").waitFor();
    expect(await page.getByRole("button", { name: "Reject, and block the site" }).count()).toBe(0);
    desk.answer(desk.requests[0]!.id, { outcome: "approved" });
    await form.getByText("<img src=x onerror=window.__ran=1>\\u{202e}txet").waitFor();
    rig.node.verdict = undefined;
    await page.locator(".approval").waitFor({ state: "detached" });
  }, 30_000);

  /** Every command, with hostile text wherever a page or a chain can write one. */
  function* hostileRequests(next: () => string): Generator<TransactionRequest> {
    const assets = () => ({ symbol: next(), decimals: 2 });
    const markets = () => ({
      ...{ code: next(), quoteName: next(), settlementAsset: "a5".repeat(32) },
      ...{ decimals: 2, positionDecimals: 3 },
    });
    for (const [kind, payload] of rows) {
      let hostile = payload;
      let command = readCommandText(JSON.stringify({ [kind]: payload }));
      for (const path of textsIn(payload)) {
        try {
          const changed = withText(hostile, path, next());
          command = readCommandText(JSON.stringify({ [kind]: changed }));
          hostile = changed;
        } catch (error) {
          // A number or an enumeration.
          if (!(error instanceof NodeError)) throw error;
        }
      }
      yield {
        ...{ kind: "transaction", purpose: "sign", id: `hostile-${kind}-${crypto.randomUUID()}`, command },
        ...{ hostname: next(), origin: next(), receivedAt: new Date(0).toISOString() },
        ...{ wallet: "vectors", publicKey: KEY_1, keyName: next(), token: undefined },
        words: wordsOf(command, { assets, markets, stakeAsset: "a55e7", publicKey: KEY_1 }),
        destination: { chainId: next(), standing: "new", node: next() },
        costs: [
          {
            kind: "fee",
            asset: "a5",
            label: "fee (node says)",
            text: amountText("5", "a5".repeat(32), assets),
          },
        ],
        raw: plainJson(JSON.stringify({ [kind]: hostile }, undefined, 2)),
        epoch: async () => 1n,
      };
    }
  }

  test("2,000 hostile texts of sites, wallets and chains: nothing runs, nothing is asked for, no layout breaks", async () => {
    let used = 0;
    const next = () => HOSTILE[used++ % HOSTILE.length]!;
    const { sessions, wallets } = rig.running.service.parts;
    const wallet = wallets.peek("vectors")!;
    while (wallet.keys.length < 6) await wallet.generateKey();
    rig.node.asset = async () => ({ symbol: next(), decimals: 2 });
    rig.node.balances = async () =>
      new Map(Array.from({ length: 4 }, (_, n) => [`${n}`.repeat(64), "12345"]));
    const broken: string[] = [];
    let round = 0;
    for (const request of hostileRequests(next)) {
      const marker = `round ${++round}.`;
      await page.setViewportSize({ width: round % 2 === 0 ? 1600 : 380, height: 900 });
      for (const session of sessions.all) await sessions.close(session);
      for (let n = 0; n < 15; n++) await sessions.open(next(), "vectors", false);
      for (const [n, { publicKey }] of wallet.keys.entries())
        await wallet.annotateKey(publicKey, [
          {
            key: "name",
            value: (n === 0 ? marker : "") + next().slice(0, 300).toWellFormed().replaceAll("\ufffd", "?"),
          },
        ]);
      const decisions = [
        request,
        { ...request, id: `${request.id}-2`, hostname: next(), origin: next() },
      ].map((each) => desk.decide(each, undefined));
      await page.waitForFunction(
        (text) =>
          document.querySelector(".wallet-key strong")?.textContent?.startsWith(text) &&
          document.querySelector(".approval") !== null,
        marker,
      );
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      const state = await page.evaluate(() => ({
        ran: (window as { __ran?: number }).__ran,
        elements: document.querySelectorAll(
          "main :is(script, img, iframe, style, link, meta, base, form[action], [onerror], [onload])",
        ).length,
        // Isolates are the wallet's own, around what is written from right to left.
        hidden: /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066\u2067\u200b\u2060\ufeff]/u.test(
          document.body.textContent ?? "",
        ),
        title: document.title,
        isTooWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
        isApprovable: document.querySelector(".approve")!.getBoundingClientRect().width > 100,
      }));
      const good = {
        elements: 0,
        hidden: false,
        title: "(2) Lyra wallet",
        isTooWide: false,
        isApprovable: true,
      };
      if (!Bun.deepEquals(state, good)) broken.push(`${request.command.kind}: ${JSON.stringify(state)}`);
      desk.rejectAll();
      await Promise.all(decisions);
    }
    expect(broken).toEqual([]);
    expect(used).toBeGreaterThanOrEqual(HOSTILE.length);
  }, 60_000);

  test("no request left this machine, and the browser complained of nothing", () => {
    // The link that was used once more, transfers that are not possible, and refusals that a test made.
    expectQuiet(
      seen,
      [rig.running.url, "file:///"],
      [
        ...["401 /page/api/state", "403 /page/api/open", "409 /page/api/preview", "409 /page/api/send"],
        ...["500 /page/api/activity", "500 /page/api/lock"],
      ],
    );
  });
});
