// Requests, wallets, connections and log for the wallet's page. The desk is the one that terminals answer, so the first answer
// counts.
import { NodeError } from "../../errors/node-error.ts";
import type {
  PageActivity,
  PageBalance,
  PagePreview,
  PageSending,
  PageState,
  PageWallet,
} from "../../http/wallet-page-bodies.ts";
import type { Approved } from "../../wallet/approvals/approver.ts";
import type { ApprovalDesk } from "../../wallet/approvals/desk.ts";
import { amountText } from "../../wallet/approvals/formatting.ts";
import {
  askerOf,
  linesOf,
  notesOf,
  outcomeLine,
  placeLines,
  type ShownRequest,
  shown,
  warningsOf,
} from "../../wallet/approvals/shown.ts";
import { newestOfLog } from "../../wallet/policies/request-log.ts";
import type { AssetFacts, NodeClient } from "../../wallet/sending/nodes.ts";
import { previewOwn, sendOwn } from "../../wallet/service/own-transfer.ts";
import type { WalletService } from "../../wallet/service/service.ts";
import { compare } from "../../wire/arithmetic.ts";

/** A refusal of the page, as HTTP and in a sentence. */
export class PageRefusal extends Error {
  override readonly name = "PageRefusal";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface PageDeskParts {
  readonly desk: ApprovalDesk | undefined;
  readonly service: WalletService;
  readonly nodes: readonly NodeClient[];
  /** Path of the log of requests; undefined without a home. */
  readonly log: string | undefined;
  readonly nowMs: () => number;
}

const POLL_MS = 20_000;
const QUEUE_MAX = 50;
const OUTCOMES_MAX = 20;
const ACTIVITY_MAX = 100;
const KEYS_MAX = 50;
/** Wrong passphrases, until some time has passed. */
const WRONG_MAX = 10;
const WRONG_MS = 10 * 60_000;

export class PageDesk {
  private version = 1;
  private readonly waiting = new Set<() => void>();
  private approved: string[] = [];
  private wrong: number[] = [];

  constructor(private readonly parts: PageDeskParts) {
    parts.desk?.onChange(() => this.wake());
  }

  /** The state, as soon as its version differs from this one, or after a while. */
  async state(since: number | undefined, signal: AbortSignal): Promise<PageState> {
    if (since === this.version) await this.change(signal);
    const { desk, service } = this.parts;
    const requests = desk?.requests ?? [];
    const [first] = requests;
    const { wallets, sessions } = service.parts;
    const names = (await wallets.store.list()).map(({ name }) => name).sort(compare);
    return {
      version: this.version,
      request: first === undefined ? null : pageRequest(shown(first)),
      queue: requests.slice(1, QUEUE_MAX).map((request) => {
        const { id, kind, origin } = shown(request);
        return { id, kind, origin };
      }),
      waiting: requests.length,
      wallets: names.map((name) => ({ name, isUnlocked: wallets.peek(name) !== undefined })),
      connections: sessions.all.map(({ hostname, wallet, createdAt, isKept }) => ({
        ...{ hostname, wallet, createdAt, isKept },
      })),
      outcomes: this.approved.flatMap((id) => {
        const outcome = desk?.outcomeOf(id);
        return outcome === undefined ? [] : [{ id, text: outcomeLine(outcome) }];
      }),
    };
  }

  isWaiting(id: string): boolean {
    return this.parts.desk?.get(id) !== undefined;
  }

  /** @throws PageRefusal where another answer came first, or the answer does not fit */
  approve(
    id: string,
    {
      wallet,
      keep,
      allowedKeys,
      passphrase,
    }: {
      readonly wallet?: string;
      readonly keep?: boolean;
      readonly allowedKeys?: readonly string[];
      readonly passphrase?: string;
    },
  ): void {
    const { desk } = this.parts;
    const request = desk?.get(id);
    if (desk === undefined || request === undefined) throw over();
    if (request.kind === "connection") {
      if (wallet === undefined && request.wallets.length > 1) throw unfit("choose a wallet");
      if (wallet !== undefined && !request.wallets.includes(wallet)) throw unfit("the wallet does not exist");
    }
    if (request.kind === "passphrase" && !passphrase) throw unfit("the passphrase is required");
    const offered = request.kind === "keys" ? request.keys.map(({ publicKey }) => publicKey) : [];
    if (allowedKeys?.some((key) => !offered.includes(key)) || allowedKeys?.length === 0)
      throw unfit("choose keys that were offered");
    const decision: Approved = {
      outcome: "approved",
      ...(request.kind === "connection" && wallet !== undefined && { wallet }),
      ...(request.kind === "connection" && keep !== undefined && { isKept: keep }),
      ...(allowedKeys !== undefined && { allowedKeys }),
      ...(request.kind === "passphrase" && { passphrase: Buffer.from(passphrase!, "utf8") }),
    };
    if (!desk.answer(id, decision)) throw over();
    if (request.kind === "transaction") this.approved = [id, ...this.approved].slice(0, OUTCOMES_MAX);
  }

  /** @param reach this request, everything that waits, or whatever its site asks for from now on */
  async reject(id: string, reach: "all" | "site" | undefined): Promise<void> {
    const { desk } = this.parts;
    const request = desk?.get(id);
    if (desk === undefined || request === undefined) throw over();
    if (reach === "all") desk.rejectAll();
    else if (reach === "site") await desk.blockSiteOf(request);
    else if (!desk.answer(id, { outcome: "rejected" })) throw over();
  }

  async wallet(name: string): Promise<PageWallet> {
    const { service, nodes } = this.parts;
    // A page that is left open does not keep a wallet from locking.
    const wallet = service.parts.wallets.peek(name);
    if (wallet === undefined) throw new PageRefusal(409, "wallet_locked", "the wallet is locked");
    const facts = new Map<string, AssetFacts | undefined>();
    const [node] = nodes;
    const balancesOf = async (key: string): Promise<readonly PageBalance[] | null> => {
      const held = await node?.balances?.(key).catch(() => undefined);
      if (held === undefined || node === undefined) return null;
      const balances: PageBalance[] = [];
      for (const [asset, balance] of held) {
        if (!facts.has(asset)) facts.set(asset, await node.asset(asset).catch(() => undefined));
        const text = amountText(balance, asset, (id) => facts.get(id));
        balances.push({ asset, symbol: facts.get(asset)?.symbol ?? null, text });
      }
      return balances;
    };
    const keys = wallet.keys.slice(0, KEYS_MAX);
    return {
      name,
      keys: await Promise.all(
        keys.map(async ({ name: title, publicKey, isTainted }) => ({
          ...{ name: title, publicKey, isTainted },
          balances: await balancesOf(publicKey),
        })),
      ),
    };
  }

  /** @throws PageRefusal for a wrong passphrase, and after many of them */
  async unlock(name: string, text: string): Promise<{ readonly isUnlocked: true }> {
    const { service, nowMs } = this.parts;
    const now = nowMs();
    this.wrong = this.wrong.filter((atMs) => now - atMs < WRONG_MS);
    if (this.wrong.length >= WRONG_MAX)
      throw new PageRefusal(429, "too_many", "too many wrong passphrases: wait some minutes");
    // Counted before it is tried, so that many at once are not tried all.
    this.wrong.push(now);
    try {
      await service.parts.wallets.unlockByText(name, text);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      throw new PageRefusal(403, error.code, error.message);
    }
    this.wrong = [];
    this.wake();
    return { isUnlocked: true };
  }

  lock(name: string): { readonly isUnlocked: false } {
    this.parts.desk?.dismiss(undefined, name);
    this.parts.service.parts.wallets.lock(name);
    this.wake();
    return { isUnlocked: false };
  }

  async revoke(hostname: string): Promise<{ readonly ended: number }> {
    this.parts.desk?.dismiss(hostname);
    const ended = await this.parts.service.revokeHostname(hostname);
    this.wake();
    return { ended };
  }

  /** Decisions of the log, newest first. */
  activity(): PageActivity {
    const { log } = this.parts;
    try {
      return { entries: log === undefined ? [] : newestOfLog(log, ACTIVITY_MAX) };
    } catch {
      // There is no log yet.
      return { entries: [] };
    }
  }

  /** The words, fee and rest of a transfer, before it is asked for. @throws PageRefusal */
  async preview(sending: PageSending): Promise<PagePreview> {
    const { service, nodes } = this.parts;
    try {
      return await previewOwn({ service, node: nodes[0] }, sending);
    } catch (error) {
      if (error instanceof NodeError) throw new PageRefusal(409, error.code, error.message);
      throw error;
    }
  }

  /** Asks for a transfer as a page would: it is answered like any other request, here or in a terminal. */
  async send(
    sending: PageSending,
    host: string,
  ): Promise<{ readonly hash: string; readonly height: string }> {
    const { desk, service, nodes } = this.parts;
    if (desk === undefined) throw new PageRefusal(409, "no_desk", "no person is asked here");
    const [node] = nodes;
    try {
      const { hash, height } = await sendOwn(
        { service, desk, node },
        { ...sending, hostname: host, origin: `http://${host}` },
      );
      return { hash, height: height.toString() };
    } catch (error) {
      if (error instanceof NodeError) throw new PageRefusal(409, error.code, error.message);
      throw error;
    }
  }

  /** Answers all that wait for the state. */
  wake(): void {
    this.version++;
    for (const wake of [...this.waiting]) wake();
  }

  private change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, POLL_MS);
    timer.unref();
    this.waiting.add(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      this.waiting.delete(resolve);
    });
  }
}

/** In the terminal's words. */
function pageRequest(request: ShownRequest): NonNullable<PageState["request"]> {
  const { costs: _costs, destination: _destination, words, ...rest } = request;
  return {
    ...rest,
    asker: request.isOwn ? "this page" : askerOf(request),
    warnings: warningsOf(request),
    notes: notesOf(request),
    place: placeLines(request),
    ...(words !== undefined && {
      words: { title: words.title, ...linesOf(words) },
    }),
  };
}

const over = () => new PageRefusal(409, "request_over", "the request does not wait any more");
const unfit = (why: string) => new PageRefusal(400, "bad_answer", why);
