// A real browser that can reach nothing but servers of this machine, and what its page does.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { processFolder } from "./process-folder.ts";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Without one the tests in a browser are skipped, and say so. */
export const HAS_BROWSER = existsSync(CHROMIUM);
/** A name of somebody else's that was made to point at this machine. */
export const REBOUND_HOST = "rebound.example";
/** No other name resolves, and what needs no name meets a proxy that refuses; only this machine goes past it. */
const OFFLINE = [
  "--proxy-server=http://127.0.0.1:9",
  `--proxy-bypass-list=${REBOUND_HOST}`,
  `--host-resolver-rules=MAP ${REBOUND_HOST} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
];
const QUIET = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
/** Give a folder to keep a picture of the page. */
const PICTURES = process.env.LYRA_TEST_PICTURES;
/** Patience with a step of a page. */
export const STEP_MS = 20_000;

export function sayWhenSkipped(what: string): void {
  if (!HAS_BROWSER) console.log(`skipped: ${what} in a browser (no ${CHROMIUM}; set CHROMIUM to another)`);
}

let shared: Promise<Browser> | undefined;

/** The browser of all test files of a process, which ends with it. A file closes its own pages. */
export function offlineBrowser(): Promise<Browser> {
  shared ??= launch();
  return shared;
}

async function launch(): Promise<Browser> {
  const { TMPDIR } = process.env;
  // Its profile is removed with the folder: no test sees the end of the process.
  process.env.TMPDIR = processFolder("lyra-browser");
  try {
    const args = ["--no-sandbox", ...QUIET, ...OFFLINE];
    return await chromium.launch({ executablePath: CHROMIUM, args });
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

/** Requests over the wire, and the page's complaints. */
export interface Seen {
  readonly requests: string[];
  readonly failures: string[];
  readonly complaints: string[];
}

export const VIEWPORT = { width: 1280, height: 1000 } as const;

/** @param place a context has its own size of a window */
export async function openPage(place: Browser | BrowserContext, seen: Seen): Promise<Page> {
  const page = await ("contexts" in place ? place.newPage({ viewport: VIEWPORT }) : place.newPage());
  page.setDefaultTimeout(STEP_MS);
  page.on("request", (request) => seen.requests.push(request.url()));
  page.on("requestfailed", (request) =>
    seen.failures.push(`${request.failure()?.errorText} ${request.url()}`),
  );
  page.on("response", (response) => {
    if (response.status() >= 400) seen.failures.push(`${response.status()} ${response.url()}`);
  });
  page.on("pageerror", (error) => seen.complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") seen.complaints.push(message.text());
  });
  return page;
}

export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}
