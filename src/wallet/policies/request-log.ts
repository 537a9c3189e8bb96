// The requests of pages and their decisions: one JSON line each, without secrets. For people who want to know, and for
// trying a policy on what really happened.
import { chmodSync, closeSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { openPlainFile, readShortText } from "../../files/short-file.ts";
import { writeInPlace } from "../../files/whole-file.ts";
import { isObject } from "../service/rpc.ts";
import { parseExactJson } from "../signing/transaction.ts";

export interface LoggedRequest {
  /** RFC 3339. */
  readonly time: string;
  readonly kind: "connection" | "keys" | "transaction";
  readonly hostname: string;
  readonly wallet: string;
  readonly outcome: string;
  readonly purpose?: "send" | "sign" | "check";
  readonly token?: string;
  readonly publicKey?: string;
  /** The command as JSON that `readCommand` takes. */
  readonly command?: unknown;
  /** The network's epoch, where it was known. */
  readonly epoch?: string;
  readonly hash?: string;
}

export interface RequestLog {
  append(entry: LoggedRequest): void;
}

const BYTES_MAX = 10 * 1024 * 1024;
const NEW_LINE = 10;
/** Bytes of a log that is read: several that were put together. */
const READ_BYTES_MAX = 32 * BYTES_MAX;
const TAIL_BYTES = 1024 * 1024;

/** In a file that only its owner can read; when it is full it becomes `FILE.1`, and the one before is gone. */
export class RequestLogFile implements RequestLog {
  constructor(private readonly path: string) {}

  append(entry: LoggedRequest): void {
    const line = `${JSON.stringify(entry)}\n`;
    let bytes = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > 0 && bytes + Buffer.byteLength(line) > BYTES_MAX) {
      renameSync(this.path, `${this.path}.1`);
      bytes = 0;
    }
    // Half a line that was left by a full disk must not spoil the next one: policies count them.
    writeInPlace(this.path, endsWithLine(this.path, bytes) ? line : `\n${line}`, "append");
    if (bytes === 0) chmodSync(this.path, 0o600);
  }
}

function endsWithLine(path: string, bytes: number): boolean {
  if (bytes === 0) return true;
  const descriptor = openSync(path, "r");
  try {
    const last = new Uint8Array(1);
    readSync(descriptor, last, 0, 1, bytes - 1);
    return last[0] === NEW_LINE;
  } finally {
    closeSync(descriptor);
  }
}

const KINDS: readonly unknown[] = ["connection", "keys", "transaction"];
const PURPOSES: readonly unknown[] = [undefined, "send", "sign", "check"];
const isText = (value: unknown) => typeof value === "string";
const isTextOrNone = (value: unknown) => value === undefined || isText(value);

/**
 * Entries of a log; invalid lines are left out, e.g. the last one of a process that was killed.
 * @throws Error that says why it cannot be read
 */
export function readLog(path: string): LoggedRequest[] {
  return readShortText(path, READ_BYTES_MAX).split("\n").flatMap(entriesIn);
}

/** The newest entries of a log's last megabyte, the newest first. @throws where there is no log */
export function newestOfLog(path: string, entriesMax: number): LoggedRequest[] {
  const descriptor = openPlainFile(path);
  const tail = new Uint8Array(TAIL_BYTES);
  try {
    const from = Math.max(0, fstatSync(descriptor).size - TAIL_BYTES);
    const length = readSync(descriptor, tail, 0, TAIL_BYTES, from);
    const lines = Buffer.from(tail.buffer, 0, length).toString("utf8").split("\n");
    // The first one began before.
    if (from > 0) lines.shift();
    const entries: LoggedRequest[] = [];
    for (const line of lines.reverse()) {
      if (entries.length === entriesMax) break;
      entries.push(...entriesIn(line));
    }
    return entries;
  } finally {
    closeSync(descriptor);
  }
}

/** The entry of a line; none of an invalid one. */
function entriesIn(line: string): readonly LoggedRequest[] {
  if (line === "") return [];
  try {
    const entry: unknown = parseExactJson(line);
    return isLogged(entry) ? [entry] : [];
  } catch {
    // Half a line.
    return [];
  }
}

function isLogged(value: unknown): value is LoggedRequest {
  if (!isObject(value)) return false;
  const { time, kind, hostname, wallet, outcome, purpose, token, publicKey, epoch } = value;
  return (
    KINDS.includes(kind) &&
    PURPOSES.includes(purpose) &&
    [time, hostname, wallet, outcome].every(isText) &&
    [token, publicKey].every(isTextOrNone) &&
    (epoch === undefined || /^\d{1,20}$/.test(String(epoch)))
  );
}
