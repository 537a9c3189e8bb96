// A node's page in a real browser.

import { expect } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { openPage, type Seen, STEP_MS } from "../support/offline-browser.ts";

export class Look {
  page!: Page;
  private pending = 0;

  constructor(
    readonly pageUrl: string,
    readonly dataUrl: string,
    /** Several tabs may share it. */
    readonly seen: Seen = { requests: [], failures: [], complaints: [] },
  ) {}

  async begin(place: Browser | BrowserContext): Promise<void> {
    this.page = await openPage(place, this.seen);
    this.page.on("request", () => this.pending++);
    for (const end of ["requestfinished", "requestfailed"] as const)
      this.page.on(end as "request", () => this.pending--);
  }

  async read<T>(path: string): Promise<T> {
    return (await fetch(this.dataUrl + path)).json() as Promise<T>;
  }

  /** Opens a view and waits until everything on it is read. */
  async open(path: string): Promise<void> {
    await this.page.goto(new URL(`#/${path}`, this.pageUrl).href);
    await this.atRest();
  }

  /**
   * The view is drawn, and two frames later, and again, nothing is on its way.
   * @param times that it has to be so, one after the other
   */
  async atRest(times = 2): Promise<void> {
    for (let quiet = 0; quiet < times; ) {
      await this.page.evaluate(isDrawn, STEP_MS);
      quiet = this.pending === 0 ? quiet + 1 : 0;
    }
  }

  /** Opens what a view shows only when asked: details, and the form of any command. */
  async unfold(): Promise<void> {
    await this.page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
      for (const button of document.querySelectorAll("button"))
        if (button.textContent === "Choose a command") button.click();
    });
    await this.atRest();
  }

  /** Texts of a table's cells, row by row. */
  rows(label: string): Promise<string[][]> {
    return this.page
      .locator(`section[aria-label="${label}"] tbody tr`)
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? "")),
      );
  }

  text(selector: string): Promise<string | null> {
    return this.page.locator(selector).first().textContent();
  }

  /** Whether something reaches beyond the window's right edge. */
  isTooWide(): Promise<boolean> {
    return this.page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
  }

  /** Paths of all views, each with something that this node has. */
  async views(): Promise<string[]> {
    const first = async (list: string, member: string) => {
      type Listed = Record<string, { edges: { node: { id?: string; proposal?: { id: string } } }[] }>;
      const node = (await this.read<Listed>(`/api/v2/${list}`))[member]!.edges[0]?.node;
      const id = node?.id ?? node?.proposal?.id;
      if (id === undefined) throw new Error(`this chain has no ${member}`);
      return id;
    };
    const { transactions } = await this.read<{
      transactions: { hash: string; height: number; code: number; submitter: string }[];
    }>("/lyra/v1/transactions?limit=200");
    const market = await first("markets?pagination.first=1", "markets");
    const refused = transactions.find(({ code }) => code !== 0) ?? transactions[0]!;
    const { kind } = await this.read<{ kind: string }>("/lyra/v1/addresses");
    return [
      ...(kind === "devnet" ? ["devnet"] : []),
      ...[
        "",
        "blocks",
        "transactions",
        "parties",
        "assets",
        "markets",
        "proposals",
        "validators",
        "epochs",
        "parameters",
        "history",
        "node",
      ],
      ...[
        `block/${refused.height}`,
        `transaction/${refused.hash}`,
        `party/${refused.submitter}`,
        ...["ledger", "trading", "bridge", "stake", "send", "spam"].map(
          (tab) => `party/${refused.submitter}?tab=${tab}`,
        ),
        ...["positions", "margins", "liquidity", "terms"].map((tab) => `market/${market}?tab=${tab}`),
        "epoch/1",
      ],
      `asset/${await first("assets?pagination.first=1", "assets")}`,
      `market/${market}`,
      `order/${await first("orders?pagination.first=1", "orders")}`,
      `deposit/${await first("deposits?pagination.first=1", "deposits")}`,
      `withdrawal/${await first("withdrawals?pagination.first=1", "withdrawals")}`,
      `proposal/${await first("governances?pagination.first=1", "connection")}`,
      `validator/${await first("nodes?pagination.first=1", "nodes")}`,
    ];
  }
}

/** Requests that failed, except those of a view that was closed while it read. */
export const failuresIn = ({ failures }: Seen): string[] =>
  failures.filter((text) => !text.startsWith("net::ERR_ABORTED "));

/**
 * All requests went to these servers, and the browser complained of nothing but these refusals, each of which there was.
 * @param origins an address of each server
 * @param refused such as `400 /devnet/fund`
 */
export function expectQuiet(seen: Seen, origins: readonly string[], refused: readonly string[] = []): void {
  const hostOf = (url: string) => new URL(url).host;
  const own = new Set(origins.map(hostOf));
  expect(seen.requests.length).toBeGreaterThan(0);
  expect(seen.requests.filter((url) => !own.has(hostOf(url)))).toEqual([]);
  const failures = failuresIn(seen).map((text) => {
    const [why, url] = text.split(" ");
    return `${why} ${new URL(url!).pathname}`;
  });
  expect([...new Set(failures)].toSorted()).toEqual(refused.toSorted());
  // Chromium complains of each refusal once.
  const loads = seen.complaints.filter((text) => text.startsWith("Failed to load resource:"));
  expect(loads.length).toBeLessThanOrEqual(failures.length);
  expect(seen.complaints.filter((text) => !loads.includes(text))).toEqual([]);
}

/** In the page: settles two frames after it is drawn. */
function isDrawn(patienceMs: number): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  const nextFrame = () =>
    new Promise<void>((resolve) => {
      requestAnimationFrame(() => resolve());
      // real time: a busy machine may draw no frame.
      setTimeout(resolve, 100);
    });
  const look = async () => {
    for (;;) {
      const busy = document.querySelector("[aria-busy=true]");
      const isReady = busy === null && document.querySelector("main h1, main .empty") !== null;
      if (!isReady && performance.now() > giveUpAt)
        throw new Error(`${location.hash} is not drawn: ${busy?.outerHTML.slice(0, 300)}`);
      await nextFrame();
      if (isReady) return nextFrame();
    }
  };
  return look();
}
