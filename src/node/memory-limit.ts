// The memory that the system lets this process have: a process under the limit dies without a word while it loads.
import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { NodeError } from "../errors/node-error.ts";

/** A sidecar needs this much to load and to serve (docs/operations.md). */
const MEMORY_BYTES_MIN = 384 * 1024 * 1024;
/** Of address space, which is mostly reserved and not used. */
const ADDRESS_BYTES_MIN = 1024 * 1024 * 1024;
const ADDRESS_SPACE = /^Max address space\s+(\d+)/m;
/** Larger ones stand for "no limit". */
const UNLIMITED_BYTES = 2 ** 60;

type ReadText = (path: string) => string;
const readText: ReadText = (path) => readFileSync(path, "utf8");

/** @throws NodeError `memory_low` */
export function checkMemory(read: ReadText = readText, total = totalmem()): void {
  const limit = memoryLimit(read, total);
  if (limit < MEMORY_BYTES_MIN) {
    const hint = "raise the limit: MemoryMax of the unit, --memory of the container; 1 GiB is comfortable";
    throw tooLow("memory", limit, MEMORY_BYTES_MIN, hint);
  }
  const addresses = addressLimit(read);
  if (addresses < ADDRESS_BYTES_MIN)
    throw tooLow("address space", addresses, ADDRESS_BYTES_MIN, "raise the limit: ulimit -v unlimited");
}

function tooLow(what: string, limit: number, least: number, hint: string): NodeError {
  const [has, needs] = [limit, least].map((bytes) => `${Math.floor(bytes / 2 ** 20)} MiB`);
  const sentence = `this process may use ${has} of ${what}, and a sidecar needs ${needs}`;
  return new NodeError("sidecar", "memory_low", sentence, hint);
}

function addressLimit(read: ReadText): number {
  try {
    return Number(ADDRESS_SPACE.exec(read("/proc/self/limits"))?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The machine's memory, or the least limit of the process's control groups, of either version. */
function memoryLimit(read: ReadText, total: number): number {
  let least = total;
  for (const path of limitFiles(read)) {
    const bytes = numberIn(path, read);
    if (bytes !== undefined && bytes < UNLIMITED_BYTES) least = Math.min(least, bytes);
  }
  return least;
}

function limitFiles(read: ReadText): string[] {
  const files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
  let groups = "";
  try {
    groups = read("/proc/self/cgroup");
  } catch {
    return files;
  }
  for (const line of groups.split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    const isMemory = controllers.split(",").includes("memory");
    if (controllers !== "" && !isMemory) continue;
    const [root, name] = isMemory
      ? ["/sys/fs/cgroup/memory", "memory.limit_in_bytes"]
      : ["/sys/fs/cgroup", "memory.max"];
    // A limit counts for all groups below.
    for (let at = path; at.length > 1; at = at.slice(0, at.lastIndexOf("/")))
      files.push(`${root}${at}/${name}`);
  }
  return files;
}

/** @returns undefined for `max`, and where there is no such file */
function numberIn(path: string, read: ReadText): number | undefined {
  try {
    const text = read(path).trim();
    return /^\d+$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}
