// Failures of a running node, for its log: a JSON line each, or two lines on a terminal.
import type { NodeError } from "./node-error.ts";

/** The same failure again is not logged for so long: a client can repeat a request as often as it likes. */
const QUIET_MS = 60_000;
const REMEMBERED_MAX = 100;
const loggedMs = new Map<string, number>();

export function logFailure({ attempt, code, message, hint }: NodeError): void {
  const key = `${attempt} ${code} ${message}`;
  const nowMs = performance.now();
  const lastMs = loggedMs.get(key);
  if (lastMs !== undefined && nowMs - lastMs < QUIET_MS) return;
  if (loggedMs.size >= REMEMBERED_MAX) loggedMs.clear();
  loggedMs.set(key, nowMs);
  if (process.stderr.isTTY) process.stderr.write(`lyra: ${message}\n      ${hint}\n`);
  else {
    const time = new Date().toISOString();
    process.stderr.write(`${JSON.stringify({ time, level: "error", attempt, code, message, hint })}\n`);
  }
}
