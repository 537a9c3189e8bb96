// Requests that wait for a person. They are shown in turns, one of each page after the other, so that a page with a
// hundred requests keeps nobody else waiting; and no page has more than a few. When there is no room left, whoever has
// the most gives up its last one.
import type { ApprovalRequest, Approver, Decision, Outcome, TransactionRequest } from "./approver.ts";

export interface DeskOptions {
  /** Requests of one hostname that wait at once. */
  readonly perHostnameMax?: number;
  /** Of all. */
  readonly max?: number;
  /** What all of them keep in memory, characters. */
  readonly charactersMax?: number;
  /** A request nobody answers ends after this. */
  readonly waitMs?: number;
}

const PER_HOSTNAME_MAX = 5;
const MAX = 500;
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
  /** Of the newest transactions that were approved. */
  private readonly outcomes = new Map<string, Outcome>();
  private readonly listeners = new Set<() => void>();
  private serial = 0;
  private served = 0;
  private isClosed = false;

  constructor(private readonly options: DeskOptions = {}) {}

  decide(request: ApprovalRequest, signal: AbortSignal | undefined): Promise<Decision> {
    const { perHostnameMax = PER_HOSTNAME_MAX, waitMs = WAIT_MS } = this.options;
    if (this.isClosed) return Promise.resolve({ outcome: "closed" });
    if (signal?.aborted) return Promise.resolve({ outcome: "interrupted" });
    const others = [...this.waiting.values()].filter(
      ({ request: { hostname } }) => hostname === request.hostname,
    );
    const characters = charactersOf(request);
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
        this.tell();
      },
    };
    this.waiting.set(request.id, entry);
    this.tell();
    return promise;
  }

  /** In the order in which they are to be answered: in turns between hostnames. */
  get requests(): readonly ApprovalRequest[] {
    return [...this.waiting.values()]
      .sort((a, b) => a.turn - b.turn || a.serial - b.serial)
      .map(({ request }) => request);
  }

  get(id: string): ApprovalRequest | undefined {
    return this.waiting.get(id)?.request;
  }

  /** @returns whether it still waited */
  answer(id: string, decision: Decision): boolean {
    const entry = this.waiting.get(id);
    entry?.finish(decision.outcome === "approved" ? { ...decision, isByPerson: true } : decision);
    return entry !== undefined;
  }

  /** Kept for whoever approved it, here or in another terminal. */
  settled({ id }: TransactionRequest, outcome: Outcome): void {
    if (this.outcomes.size >= OUTCOMES_MAX) this.outcomes.delete(this.outcomes.keys().next().value!);
    this.outcomes.set(id, outcome);
    this.tell();
  }

  /** What became of a transaction that was approved here; undefined as long as that is not known. */
  outcomeOf(id: string): Outcome | undefined {
    return this.outcomes.get(id);
  }

  /** Ends what a hostname asks for; with a wallet, of that wallet, and without a hostname, whoever asks. @returns how many */
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

  private tell(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

function charactersOf(request: ApprovalRequest): number {
  return CHARACTERS_EACH + (request.kind === "transaction" ? request.raw.length : 0);
}
