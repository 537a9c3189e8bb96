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

export class ServerStatus {
  source: StatusSource | undefined;

  /** @param startedMs when the node started, by this thread's `performance.now()` */
  constructor(
    readonly counts = new ServerCounts(),
    private readonly startedMs = performance.now(),
  ) {}

  /** `/readyz`: 200 when every reader gets what it may expect, else 503 and the reason. */
  readiness(): { ready: boolean; reason: string } {
    const reason = this.source === undefined ? "starting" : this.source.notReady();
    return { ready: reason === undefined, reason: reason ?? "" };
  }

  /** `/metrics`: Prometheus text format, version 0.0.4. */
  metrics(): string {
    const head = this.source?.head();
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
        "lyra_history_segments",
        "gauge",
        "History segments in the store.",
        this.source?.segments() ?? 0,
      ),
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
