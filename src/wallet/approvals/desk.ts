// Requests that wait for a person. They are shown in turns, one of each page after the other, so that a page with a
// hundred requests keeps nobody else waiting; and no page has more than a few.
import type { ApprovalRequest, Approver, Decision } from "./approver.ts";

export interface DeskOptions {
  /** Requests of one hostname that wait at once. */
  readonly perHostnameMax?: number;
  /** Of all. */
  readonly max?: number;
  /** A request nobody answers ends after this. */
  readonly waitMs?: number;
}

const PER_HOSTNAME_MAX = 5;
const MAX = 500;
const WAIT_MS = 10 * 60_000;

interface Waiting {
  readonly request: ApprovalRequest;
  /** The how-many-th of its hostname, counted from when it last had none. */
  readonly turn: number;
  readonly serial: number;
  finish(decision: Decision): void;
}

export class ApprovalDesk implements Approver {
  readonly name = "ask";
  private readonly waiting = new Map<string, Waiting>();
  private readonly listeners = new Set<() => void>();
  private serial = 0;
  private served = 0;
  private isClosed = false;

  constructor(private readonly options: DeskOptions = {}) {}

  decide(request: ApprovalRequest, signal: AbortSignal | undefined): Promise<Decision> {
    const { perHostnameMax = PER_HOSTNAME_MAX, max = MAX, waitMs = WAIT_MS } = this.options;
    if (this.isClosed) return Promise.resolve({ outcome: "closed" });
    if (signal?.aborted) return Promise.resolve({ outcome: "interrupted" });
    const others = [...this.waiting.values()].filter(
      ({ request: { hostname } }) => hostname === request.hostname,
    );
    if (others.length >= perHostnameMax || this.waiting.size >= max)
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
    entry?.finish(decision);
    return entry !== undefined;
  }

  /** Ends what a hostname asks for. @returns how many */
  dismiss(hostname: string): number {
    const entries = [...this.waiting.values()].filter(({ request }) => request.hostname === hostname);
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

  private tell(): void {
    for (const listener of [...this.listeners]) listener();
  }
}
