// The log of a running node: a JSON line for each failure or notice; on a terminal, text.
import { LruCache } from "../cache/lru.ts";
import type { NodeError } from "./node-error.ts";

/** The same failure again is not logged for so long: a client can repeat a request as often as it likes. */
const QUIET_MS = 60_000;
const REMEMBERED_MAX = 100;
const loggedMs = new LruCache<string, number>(REMEMBERED_MAX);

export function logFailure({ attempt, code, message, hint }: NodeError): void {
  if (isLoggedAlready(`${attempt} ${code} ${message}`)) return;
  if (process.stderr.isTTY) process.stderr.write(`lyra: ${message}\n      ${hint}\n`);
  else writeLine({ level: "error", attempt, code, message, hint });
}

/** News for operators. */
export function logNotice(attempt: string, message: string): void {
  if (isLoggedAlready(`${attempt} ${message}`)) return;
  if (process.stderr.isTTY) process.stderr.write(`lyra: ${message}\n`);
  else writeLine({ level: "info", attempt, message });
}

function isLoggedAlready(key: string): boolean {
  const nowMs = performance.now();
  const lastMs = loggedMs.get(key);
  if (lastMs !== undefined && nowMs - lastMs < QUIET_MS) return true;
  loggedMs.set(key, nowMs);
  return false;
}

function writeLine(fields: Readonly<Record<string, string>>): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...fields })}\n`);
}
