// The wallet's page in a real browser: from its link to an approved transaction, in both themes and at both widths; what other
// pages and other browsers try; texts that are made to fool a reader.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { ApprovalDesk } from "../../src/wallet/approvals/desk.ts";
import { eventually } from "../support/eventually.ts";
import {
  HAS_BROWSER,
  launchOffline,
  openPage,
  type Seen,
  sayWhenSkipped,
} from "../support/offline-browser.ts";
import { processFolder } from "../support/process-folder.ts";
import { KEY_1, Rig } from "../wallet/service/rig.ts";
import { PASSPHRASE } from "../wallet/support/wallets.ts";
import { seriousFindings } from "./axe.ts";
import { HOSTILE } from "./hostile-texts.ts";

sayWhenSkipped("the wallet's page");
const APPROVE = "Hold to approve";

let browser: Browser;
beforeAll(async () => {
  if (HAS_BROWSER) browser = await launchOffline();
});
afterAll(() => browser?.close());

describe.skipIf(!HAS_BROWSER)("the wallet's page", () => {
  const desk = new ApprovalDesk();
  let rig: Rig;
  let page: Page;
  let seen: Seen;
  beforeAll(async () => {
    rig = await Rig.start({ approver: desk });
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
  const hold = async () => {
    await page.waitForFunction(() => document.querySelector(".approve:not(:disabled)") !== null);
    await button().hover();
    await page.mouse.down();
    await page.locator(".approval").waitFor({ state: "detached" });
    await page.mouse.up();
  };

  test("the link leaves the address, and opens nothing a second time", async () => {
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
    await page.getByRole("cell", { name: "dapp.example", exact: true }).waitFor();
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
    expect(desk.requests.length).toBe(1);
    await page.evaluate(() => {
      Reflect.deleteProperty(document, "visibilityState");
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.getByRole("button", { name: "Reject", exact: true }).click();
    expect((await answer).body.error.code).toBe(3001);
  }, 20_000);

  test("a transaction is approved by the keyboard, in the terminal's words", async () => {
    const connecting = connectFrom("https://third.example");
    await page.getByText("https://third.example").waitFor();
    await hold();
    const authorization = (await connecting).token!;
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
    const [, frame] = other.frames();
    expect((await frame?.content()) ?? "").not.toContain("No request waits");
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

  test("hostile texts run nothing, and stay within their places", async () => {
    await page.setViewportSize({ width: 380, height: 900 });
    for (const [at, text] of HOSTILE.slice(0, 31).entries()) {
      const decision = desk.decide(
        {
          kind: "keys",
          id: `hostile-${at}`,
          hostname: text,
          origin: text,
          receivedAt: new Date(0).toISOString(),
          wallet: "vectors",
          keys: [{ name: text, publicKey: KEY_1 }],
        },
        undefined,
      );
      await page.getByText("wants to see the public keys").waitFor();
      expect(
        await page.evaluate(() => ({
          isTooWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
          scripts: document.querySelectorAll(".approval script, .approval img, .approval iframe").length,
        })),
      ).toEqual({ isTooWide: false, scripts: 0 });
      desk.rejectAll();
      await decision;
      await page.getByText("No request waits").waitFor();
    }
  }, 60_000);

  test("no request left this machine, and the browser complained of nothing", () => {
    const { origin } = new URL(rig.running.url);
    expect(seen.requests.filter((url) => !url.startsWith(origin) && !url.startsWith("file:"))).toEqual([]);
  });
});
