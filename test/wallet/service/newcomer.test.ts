// The README's steps for a new user: make a wallet, connect a page in a real browser, approve in the
// terminal, send, sign a message, and restore the wallet elsewhere from the phrase.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import { DOLLAR } from "../../rig/devnet-client.ts";
import { executedOf } from "../../support/devnet-party.ts";
import { eventually } from "../../support/eventually.ts";
import { borrowDevnet, returnDevnet } from "../../support/shared-devnet.ts";
import { Cli } from "../support/cli.ts";
import { lyraOnTerminal, phrasesIn, WORDS_AGAIN } from "../support/pty.ts";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const HAS_BROWSER = existsSync(CHROMIUM);
if (!HAS_BROWSER) console.log(`skipped: a page that connects (no ${CHROMIUM}; set CHROMIUM to another)`);
const STEP_MS = 20_000;
const PASSPHRASE = "correct horse battery staple";
const QUIET = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

let devnet: Devnet;
let page: Bun.Subprocess<"ignore", "pipe", "inherit">;
let pageUrl = "";
let browser: Browser | undefined;
const [here, elsewhere] = [new Cli(), new Cli()];

beforeAll(async () => {
  // A new user has no other wallet.
  for (const { wallets } of [here, elsewhere]) rmSync(join(wallets, "old"));
  devnet = await borrowDevnet({ "spam.pow.difficulty": "4" });
  const script = join(import.meta.dir, "../../../examples/dapp.mjs");
  page = Bun.spawn([process.execPath, script, "0"], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const { value } = await page.stdout.getReader().read();
  pageUrl = /http:\S+/.exec(new TextDecoder().decode(value))![0];
});
afterAll(async () => {
  await browser?.close();
  page.kill();
  await page.exited;
  await returnDevnet();
  here.remove();
  elsewhere.remove();
});

/** Where the service says that it listens. */
async function listening(file: string): Promise<string> {
  await eventually(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
  return (JSON.parse(readFileSync(file, "utf8")) as { walletUrl: string }).walletUrl.replace(/\/api$/, "");
}

/** The page's own buttons. @returns what it wrote */
async function usePage(wallet: string): Promise<string> {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  const tab = await browser.newPage();
  tab.setDefaultTimeout(STEP_MS);
  await tab.goto(`${pageUrl}?wallet=${encodeURIComponent(wallet)}`);
  const log = tab.locator("#log");
  const says = async (words: string) => {
    await tab.waitForFunction((text) => document.getElementById("log")?.textContent?.includes(text), words);
  };
  await tab.click("#connect");
  await says("connected:");
  // The page's default values are bob and tUSD of every devnet.
  expect(await tab.inputValue("#to")).toBe(devnet.parties[1]!.publicKey);
  expect(await tab.inputValue("#asset")).toBe(DOLLAR);
  await tab.fill("#amount", "250000");
  await tab.click("#send");
  await says("sent:");
  await tab.click("#send");
  await says("refused:");
  await tab.click("#disconnect");
  await says("disconnected");
  const said = (await log.textContent()) ?? "";
  // A site that disconnected is asked about again.
  await tab.click("#connect");
  return said;
}

describe.skipIf(!HAS_BROWSER)("a new user", () => {
  let phrase = "";
  let publicKey = "";

  test("makes a wallet, and sees its phrase once", async () => {
    const typed = [["passphrase", `${PASSPHRASE}\r`], ["again", `${PASSPHRASE}\r`], ...WORDS_AGAIN] as const;
    const { shown, code } = await lyraOnTerminal(here, ["wallet", "create", "mine"], ...typed);
    expect(code).toBe(0);
    phrase = phrasesIn(shown)[0]!;
    publicKey = /\b[0-9a-f]{64}\b/.exec(shown)![0];
    await devnet.chain.bridge.deposit(publicKey, DOLLAR, 10_000_000n);
  }, 120_000);

  test("connects a page, approves in the terminal, sends, and says no to the next one", async () => {
    const where = join(here.home, "where.json");
    const words = ["wallet", "serve", "--unlock", "mine", "--wallet-port", "0", "--node-url", devnet.nodeUrl];
    const serving = lyraOnTerminal(
      here,
      [...words, "--config-out", where],
      ["passphrase", `${PASSPHRASE}\r`],
      ["connect? yes", "yes\r"],
      ["show them? yes", "yes\r"],
      ["approve? yes", "yes\r"],
      ["approve? yes", "no\r"],
      ["connect? yes", { signal: "SIGINT" }],
    );
    const [pageText, { shown }] = await Promise.all([listening(where).then(usePage), serving]);
    expect(pageText).toMatch(/sent: "[0-9A-F]{64}"\nrefused: .*rejected/);
    expect(shown).toContain(`localhost:${new URL(pageUrl).port} wants to send a transaction: Send 2.5 tUSD`);
    expect(shown).not.toContain(PASSPHRASE);
    expect(await executedOf(devnet, publicKey)).toEqual(["250000"]);
  }, 120_000);

  test("signs a message, and anybody verifies it", async () => {
    const passphrase = here.file("mine-passphrase", PASSPHRASE);
    const sign = ["wallet", "message", "sign", "mine", publicKey, "--text", "it is me"];
    const { out } = await here.run([...sign, "--passphrase-file", passphrase]);
    const verify = ["wallet", "message", "verify", publicKey, out.trim(), "--text"];
    expect((await elsewhere.run([...verify, "it is me"])).code).toBe(0);
    expect((await elsewhere.run([...verify, "it is you"])).code).toBe(4);
  }, 120_000);

  test("restores the wallet elsewhere from the phrase", async () => {
    const typed = [
      ["recovery phrase", `${phrase}\r`],
      ["passphrase", "another passphrase\r"],
      ["again", "another passphrase\r"],
    ] as const;
    const { shown, code } = await lyraOnTerminal(elsewhere, ["wallet", "import", "mine"], ...typed);
    expect([code, shown.includes(phrase.split(" ").slice(0, 3).join(" "))]).toEqual([0, false]);
    expect(shown).toContain(publicKey);
  }, 120_000);
});
