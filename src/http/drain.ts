/**
 * The end of a node's ports, so that a balancer in front of it loses no request: first `/readyz` is 503 until each client
 * that polls it has seen that, while every answer ends its connection; then no new connection is taken, streams and waiting
 * requests end, and requests under way get a bounded time.
 */

/** A balancer marks a server as down after this many failed checks (HAProxy: `fall 3`). */
const CHECKS = 3;
const CHECKS_MS_MAX = 10_000;
/** A client that has recently asked once or twice gets this long for another look. */
const LATELY_MS = 10_000;
const GLANCE_MS = 500;
/** More than one check in flight, or a timer that is late. */
const CHECK_MARGIN_MS = 150;
const ON_THE_WAY_MS = 200;
/** After this many intervals without a question nothing looks at `/readyz` any more. */
const QUIET_INTERVALS = 2;
const ASKERS_MAX = 64;

interface Asker {
  /** Times of its last requests, oldest first: as many as a decision needs. */
  readonly ms: number[];
  /** Answers since the node stops. */
  refusals: number;
}

/** Clients that poll `/readyz`. */
export class ReadinessAskers {
  private readonly askers = new Map<string, Asker>();
  private isStopping = false;
  private readonly settled = Promise.withResolvers<void>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /**
   * @param port of the question
   * @param address of the client; null when it has left already: such a client could not be told from others
   */
  note(port: string, address: string | null): void {
    if (address === null) return;
    const who = `${port} ${address}`;
    const asker = this.askers.get(who) ?? { ms: [], refusals: 0 };
    // Move it to the end: the map's order is that of eviction.
    this.askers.delete(who);
    this.askers.set(who, asker);
    if (this.askers.size > ASKERS_MAX) this.askers.delete(this.askers.keys().next().value!);
    asker.ms.push(this.nowMs());
    if (asker.ms.length > CHECKS) asker.ms.shift();
    if (!this.isStopping) return;
    asker.refusals++;
    if (this.waitMs() === 0) this.settled.resolve();
  }

  /** Settles when each has seen often enough that the node is not ready; at once without a client that polls. */
  async haveSeen(): Promise<void> {
    this.isStopping = true;
    const ms = this.waitMs();
    if (ms === 0) return;
    const timer = setTimeout(this.settled.resolve, ms);
    await this.settled.promise;
    clearTimeout(timer);
    // The last refusal is on its way, and requests that were sent before it arrived.
    await Bun.sleep(ON_THE_WAY_MS);
  }

  private waitMs(): number {
    const waits = [...this.askers.values()].map((asker) => this.waitFor(asker));
    return Math.min(CHECKS_MS_MAX, Math.max(0, ...waits));
  }

  private waitFor({ ms, refusals }: Asker): number {
    if (refusals >= CHECKS) return 0;
    const sinceMs = this.nowMs() - ms.at(-1)!;
    // Too few questions for an interval: a recent client may look again.
    if (ms.length < CHECKS) return sinceMs < LATELY_MS ? GLANCE_MS : 0;
    const gaps = ms.slice(1).map((each, n) => each - ms[n]!);
    const intervalMs = Math.max(...gaps);
    if (sinceMs > QUIET_INTERVALS * intervalMs + CHECK_MARGIN_MS) return 0;
    return CHECKS * intervalMs + CHECK_MARGIN_MS;
  }
}

/** A port that can end in two steps. */
interface DrainedPort {
  /** From now on each answer ends its connection. */
  announceEnd?(): void;
  /** Accepts no further connections, and ends requests under way. */
  stop(): Promise<void>;
}

interface Stopping {
  /** The node is not ready from now on. */
  beginStop(): void;
  readonly askers: ReadinessAskers;
}

/** The ports of a node, which end together. */
export class Ports {
  private readonly ports: DrainedPort[] = [];
  private drained: Promise<void> | undefined;

  constructor(private readonly status: Stopping) {}

  add(...ports: readonly (DrainedPort | undefined)[]): void {
    this.ports.push(...ports.filter((port) => port !== undefined));
  }

  /** Settles when nothing is answered any more; a second call waits for the first. */
  drain(): Promise<void> {
    this.drained ??= this.drainNow();
    return this.drained;
  }

  private async drainNow(): Promise<void> {
    this.status.beginStop();
    for (const port of this.ports) port.announceEnd?.();
    await this.status.askers.haveSeen();
    await Promise.all(this.ports.map((port) => port.stop()));
  }
}
