// What `/metrics` says of the process, under the names that Prometheus' own clients use.
import { readdirSync, readFileSync } from "node:fs";
import { metric } from "./metric.ts";

const DESCRIPTORS = "/proc/self/fd";
const LIMITS = "/proc/self/limits";
const OPEN_FILES = /^Max open files\s+(\d+)/m;

/** Without those of descriptors where the system has no `/proc`. */
export function processMetrics(): string[] {
  const lines = metric(
    "process_resident_memory_bytes",
    "gauge",
    "Resident memory.",
    process.memoryUsage.rss(),
  );
  try {
    // One of them is the folder that is read.
    const open = readdirSync(DESCRIPTORS).length - 1;
    lines.push(...metric("process_open_fds", "gauge", "Open file descriptors, sockets too.", open));
    const most = OPEN_FILES.exec(readFileSync(LIMITS, "utf8"))?.[1];
    if (most !== undefined)
      lines.push(...metric("process_max_fds", "gauge", "File descriptors at the most.", Number(most)));
  } catch {
    // Elsewhere than on Linux.
  }
  return lines;
}
