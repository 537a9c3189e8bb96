// Bytes of a home on the disk: its store, the log beside it, segments, and everything else.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { segmentDirectory, storePath } from "../store/database.ts";

interface HomeSize {
  readonly storeBytes: number;
  readonly logBytes: number;
  readonly segmentBytes: number;
  /** The event log, a follower's state, temporary files. */
  readonly otherBytes: number;
}

export function homeSize(home: string): HomeSize {
  const store = storePath(home);
  const segments = segmentDirectory(home);
  const size = { storeBytes: 0, logBytes: 0, segmentBytes: 0, otherBytes: 0 };
  for (const { path, bytes } of filesBelow(home)) {
    if (path === store) size.storeBytes += bytes;
    else if (path === `${store}-wal`) size.logBytes += bytes;
    else if (path.startsWith(`${segments}/`)) size.segmentBytes += bytes;
    else size.otherBytes += bytes;
  }
  return size;
}

export function totalOf({ storeBytes, logBytes, segmentBytes, otherBytes }: HomeSize): number {
  return storeBytes + logBytes + segmentBytes + otherBytes;
}

/** Files come and go meanwhile: those that are gone count nothing. */
function* filesBelow(folder: string): Generator<{ path: string; bytes: number }> {
  const names = attempt(() => readdirSync(folder)) ?? [];
  for (const name of names) {
    const path = join(folder, name);
    const stats = attempt(() => statSync(path));
    if (stats?.isDirectory()) yield* filesBelow(path);
    // A file with holes takes less than its size.
    else if (stats?.isFile()) yield { path, bytes: Math.min(stats.size, stats.blocks * 512) };
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
