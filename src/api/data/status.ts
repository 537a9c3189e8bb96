// What a running data plane tells about itself: liveness, readiness, and Prometheus metrics.
import type { ChainHead } from "../../store/head.ts";
import { ServerCounts } from "./counts.ts";

export interface StatusSource {
  head(): ChainHead | undefined;
  /** Why the node is not ready, or undefined when it is. */
  notReady(): string | undefined;
  segments(): number;
  storeBytes(): number;
}

/** `/readyz` once the store is known to hold other data than what was written. */
export const STORE_DAMAGED = "the store is damaged: store_damaged";

export class ServerStatus {
  source: StatusSource | undefined;
  /** Notified once, when an answer meets a damaged store. */
  onDamage = () => {};
  private hasMetDamage = false;

  /** @param startedMs when the node started, by this thread's `performance.now()` */
  constructor(
    readonly counts = new ServerCounts(),
    private readonly startedMs = performance.now(),
  ) {}

  /** `/readyz`: 200 when every reader gets what it may expect, else 503 and the reason. */
  readiness(): { ready: boolean; reason: string } {
    const known = this.source === undefined ? "starting" : this.source.notReady();
    const reason = this.hasMetDamage ? STORE_DAMAGED : known;
    return { ready: reason === undefined, reason: reason ?? "" };
  }

  /** From then on no answer is read from the store: it may be wrong. */
  get isDamaged(): boolean {
    return this.hasMetDamage || this.source?.notReady() === STORE_DAMAGED;
  }

  /** An answer failed because the store cannot be read. */
  noteDamage(): void {
    if (this.hasMetDamage) return;
    this.hasMetDamage = true;
    this.onDamage();
  }

  /** `/metrics`: Prometheus text format, version 0.0.4. */
  metrics(): string {
    const facts = this.isDamaged ? undefined : this.source;
    const head = facts?.head();
    const lines = [
      ...metric("lyra_block_height", "gauge", "Height of the last block in the store.", head?.height ?? 0),
      ...metric(
        "lyra_block_time_seconds",
        "gauge",
        "Time of the last block, Unix seconds.",
        (head?.timeUs ?? 0) / 1e6,
      ),
      ...metric("lyra_ready", "gauge", "1 when /readyz answers 200.", this.readiness().ready ? 1 : 0),
      ...metric(
        "lyra_store_damaged",
        "gauge",
        "1 when the store is known to be damaged.",
        this.isDamaged ? 1 : 0,
      ),
      ...metric("lyra_history_segments", "gauge", "History segments in the store.", facts?.segments() ?? 0),
      ...metric(
        "lyra_store_bytes",
        "gauge",
        "Size of the store with its log, segments apart.",
        this.source?.storeBytes() ?? 0,
      ),
      ...metric(
        "lyra_page_cache_hits_total",
        "counter",
        "Answers taken from the page cache.",
        this.counts.cacheHits,
      ),
      ...metric("lyra_exports_running", "gauge", "Exports being sent.", this.counts.exportsRunning),
      ...metric("lyra_exports_failed_total", "counter", "Exports that broke off.", this.counts.exportsFailed),
      ...metric(
        "lyra_uptime_seconds",
        "gauge",
        "Seconds since the start.",
        (performance.now() - this.startedMs) / 1000,
      ),
      ...metric("process_resident_memory_bytes", "gauge", "Resident memory.", process.memoryUsage.rss()),
      "# HELP lyra_http_responses_total Responses by status.",
      "# TYPE lyra_http_responses_total counter",
      ...this.counts.responses.map(
        ([status, count]) => `lyra_http_responses_total{status="${status}"} ${count}`,
      ),
    ];
    return `${lines.join("\n")}\n`;
  }
}

function metric(name: string, type: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, `${name} ${value}`];
}
