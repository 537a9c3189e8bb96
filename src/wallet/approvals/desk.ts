// Requests that wait for a person. They are shown in turns, one of each page after the other, so that a page with a
// hundred requests keeps nobody else waiting; and no page has more than a few. When there is no room left, the page with
// the most requests gives up its last one.
import { siteOf } from "../service/sites.ts";
import type { ApprovalRequest, Approver, Decision, Outcome, TransactionRequest } from "./approver.ts";

interface DeskOptions {
  /** Requests of one hostname that wait at once. */
  readonly perHostnameMax?: number;
  /** Of all. */
  readonly max?: number;
  /** Connections of sites that have none yet. */
  readonly strangersMax?: number;
  /** Of all of them together, characters. */
  readonly charactersMax?: number;
  /** A request nobody answers ends after this. */
  readonly waitMs?: number;
}

const PER_HOSTNAME_MAX = 5;
const MAX = 500;
/** More than a person reads, and more than the honest sites of one moment. */
const STRANGERS_MAX = 20;
const CHARACTERS_MAX = 32 * 1024 * 1024;
/** Of a request beside its raw form. */
const CHARACTERS_EACH = 1_000;
const WAIT_MS = 10 * 60_000;
/** Outcomes that are kept for those who ask. */
const OUTCOMES_MAX = 500;

interface Waiting {
  readonly request: ApprovalRequest;
  /** The how-many-th of its hostname, counted from when it last had none. */
  readonly turn: number;
  readonly serial: number;
  readonly characters: number;
  finish(decision: Decision): void;
}

export class ApprovalDesk implements Approver {
  readonly name = "ask";
  private readonly waiting = new Map<string, Waiting>();
  /** Transactions that a person approved here. */
  private readonly approved = new WeakSet<ApprovalRequest>();
  /** Of the newest of them. */
  private readonly outcomes = new Map<string, Outcome>();
  private readonly listeners = new Set<() => void>();
  private serial = 0;
  private served = 0;
  private isClosed = false;
  /** Whether a hostname is connected: what it asks for comes before strangers. */
  private isConnected: (hostname: string) => boolean = () => false;
  private onBlock: (hostname: string) => Promise<unknown> = async () => {};

  constructor(private readonly options: DeskOptions = {}) {}

  /** @param parts who is connected, and what remembers a blocked site */
  serve(parts: { isConnected(hostname: string): boolean; block(hostname: string): Promise<unknown> }): void {
    this.isConnected = parts.isConnected;
    this.onBlock = parts.block;
  }

  decide(request: ApprovalRequest, signal: AbortSignal | undefined): Promise<Decision> {
    const { perHostnameMax = PER_HOSTNAME_MAX, waitMs = WAIT_MS } = this.options;
    if (this.isClosed) return Promise.resolve({ outcome: "closed" });
    if (signal?.aborted) return Promise.resolve({ outcome: "interrupted" });
    const others = [...this.waiting.values()].filter(
      ({ request: { hostname } }) => hostname === request.hostname,
    );
    const characters = charactersOf(request);
    if (request.kind === "connection" && !this.hasPlaceFor(request.hostname))
      return Promise.resolve({ outcome: "busy" });
    if (others.length >= perHostnameMax || !this.makeRoom(others.length, characters))
      return Promise.resolve({ outcome: "busy" });
    const { promise, resolve } = Promise.withResolvers<Decision>();
    const end = () => entry.finish({ outcome: "interrupted" });
    const timer = setTimeout(end, waitMs);
    timer.unref();
    signal?.addEventListener("abort", end, { once: true });
    const entry: Waiting = {
      request,
      turn: Math.max(this.served, ...others.map(({ turn }) => turn + 1)),
      serial: ++this.serial,
      characters,
      finish: (decision) => {
        if (!this.waiting.delete(request.id)) return;
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        this.served = Math.max(this.served, entry.turn);
        resolve(decision);
        this.notify();
      },
    };
    this.waiting.set(request.id, entry);
    this.notify();
    return promise;
  }

  /** In the order in which they are to be answered: in turns between hostnames, strangers last. */
  get requests(): readonly ApprovalRequest[] {
    const rank = ({ request }: Waiting) => (this.isStranger(request) ? 1 : 0);
    return [...this.waiting.values()]
      .sort((a, b) => rank(a) - rank(b) || a.turn - b.turn || a.serial - b.serial)
      .map(({ request }) => request);
  }

  get(id: string): ApprovalRequest | undefined {
    return this.waiting.get(id)?.request;
  }

  /** @returns whether it still waited */
  answer(id: string, decision: Decision): boolean {
    const entry = this.waiting.get(id);
    if (entry !== undefined && decision.outcome === "approved") this.approved.add(entry.request);
    entry?.finish(decision.outcome === "approved" ? { ...decision, isByPerson: true } : decision);
    return entry !== undefined;
  }

  /** Kept for the terminal that approved it, this one or another; of what a policy or a token approved nobody asks. */
  settled(request: TransactionRequest, outcome: Outcome): void {
    if (!this.approved.has(request)) return;
    const { id } = request;
    if (this.outcomes.size >= OUTCOMES_MAX) this.outcomes.delete(this.outcomes.keys().next().value!);
    this.outcomes.set(id, outcome);
    this.notify();
  }

  /** The outcome of a transaction that was approved here; undefined as long as it is not known. */
  outcomeOf(id: string): Outcome | undefined {
    return this.outcomes.get(id);
  }

  /** The same, once no other outcome follows. */
  lastOutcomeOf(id: string): Outcome | undefined {
    const outcome = this.outcomes.get(id);
    return outcome?.kind === "sent" && outcome.isFollowed ? undefined : outcome;
  }

  /** Rejects everything that waits. @returns how many */
  rejectAll(): number {
    const entries = [...this.waiting.values()];
    for (const entry of entries) entry.finish({ outcome: "rejected" });
    return entries.length;
  }

  /** Rejects what the site of a hostname asks for, now and from now on. */
  private async block(hostname: string): Promise<void> {
    const site = siteOf(hostname);
    for (const entry of [...this.waiting.values()])
      if (siteOf(entry.request.hostname) === site) entry.finish({ outcome: "rejected" });
    await this.onBlock(hostname);
  }

  /** Rejects a request with all of its site; of the wallet's own page that request alone. */
  async blockSiteOf(request: ApprovalRequest): Promise<void> {
    if (request.kind === "transaction" && request.isOwn) this.answer(request.id, { outcome: "rejected" });
    else await this.block(request.hostname);
  }

  /** Ends the requests of a hostname, or of all; with a wallet, of that wallet alone. @returns how many */
  dismiss(hostname: string | undefined, wallet?: string): number {
    const entries = [...this.waiting.values()].filter(
      ({ request }) =>
        (hostname === undefined || request.hostname === hostname) &&
        (wallet === undefined || (request.kind !== "connection" && request.wallet === wallet)),
    );
    for (const entry of entries) entry.finish({ outcome: "closed" });
    return entries.length;
  }

  /** Called when something is added or answered. @returns a function that ends it */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.isClosed = true;
    for (const entry of [...this.waiting.values()]) entry.finish({ outcome: "closed" });
  }

  /** A single connection waits for each site, and a few of sites that are not connected: no person reads five hundred. */
  private hasPlaceFor(hostname: string): boolean {
    const { strangersMax = STRANGERS_MAX } = this.options;
    const connections = [...this.waiting.values()].filter(({ request }) => request.kind === "connection");
    const site = siteOf(hostname);
    if (connections.some(({ request }) => siteOf(request.hostname) === site)) return false;
    if (this.isConnected(hostname)) return true;
    return connections.filter(({ request }) => this.isStranger(request)).length < strangersMax;
  }

  private isStranger({ kind, hostname }: ApprovalRequest): boolean {
    return kind === "connection" && !this.isConnected(hostname);
  }

  /** @param others that the hostname which wants it has already. @returns whether there is room for one more */
  private makeRoom(others: number, characters: number): boolean {
    const { max = MAX, charactersMax = CHARACTERS_MAX } = this.options;
    for (;;) {
      const taken = this.waiting.values().reduce((sum, entry) => sum + entry.characters, 0);
      if (this.waiting.size < max && taken + characters <= charactersMax) return true;
      const last = this.lastOfTheMost();
      if (last === undefined || last.count <= others + 1) return false;
      last.entry.finish({ outcome: "busy" });
    }
  }

  /** The last request of the hostname that has the most. */
  private lastOfTheMost(): { readonly entry: Waiting; readonly count: number } | undefined {
    const byHostname = Map.groupBy(this.waiting.values(), ({ request }) => request.hostname);
    let most: Waiting[] = [];
    for (const entries of byHostname.values()) if (entries.length > most.length) most = entries;
    const entry = most.at(-1);
    return entry && { entry, count: most.length };
  }

  private notify(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

function charactersOf(request: ApprovalRequest): number {
  return CHARACTERS_EACH + (request.kind === "transaction" ? request.raw.length : 0);
}
