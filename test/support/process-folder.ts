// Folders that last as long as the process, for what test files share. No test sees the end of the process, so that the next
// process removes them.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PARENT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** @returns an empty folder in memory, the same one each time that this process asks for the name */
export function processFolder(name: string): string {
  const own = join(PARENT, `${name}-${process.pid}`);
  if (folders.has(own)) return own;
  for (const entry of readdirSync(PARENT).filter((each) => each.startsWith(`${name}-`))) {
    const pid = Number(entry.slice(name.length + 1));
    // The name may be the beginning of another.
    if (Number.isNaN(pid)) continue;
    if (pid === process.pid || !isRunning(pid)) rmSync(join(PARENT, entry), { recursive: true, force: true });
  }
  mkdirSync(own, { recursive: true, mode: 0o755 });
  folders.add(own);
  return own;
}
const folders = new Set<string>();
