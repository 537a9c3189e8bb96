// Failures of a running node, for its log: a JSON line each, or two lines on a terminal.
import { LruCache } from "../cache/lru.ts";
import type { NodeError } from "./node-error.ts";

/** The same failure again is not logged for so long: a client can repeat a request as often as it likes. */
const QUIET_MS = 60_000;
const REMEMBERED_MAX = 100;
const loggedMs = new LruCache<string, number>(REMEMBERED_MAX);

export function logFailure({ attempt, code, message, hint }: NodeError): void {
  const key = `${attempt} ${code} ${message}`;
  const nowMs = performance.now();
  const lastMs = loggedMs.get(key);
  if (lastMs !== undefined && nowMs - lastMs < QUIET_MS) return;
  loggedMs.set(key, nowMs);
  if (process.stderr.isTTY) process.stderr.write(`lyra: ${message}\n      ${hint}\n`);
  else {
    const time = new Date().toISOString();
    process.stderr.write(`${JSON.stringify({ time, level: "error", attempt, code, message, hint })}\n`);
  }
}
