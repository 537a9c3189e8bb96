/**
 * The position up to which the data node's connection took the devnet's events, as a file in the home: it survives a kill of
 * the process, and reaches the disk a moment later.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { SentPlace, SentRecord } from "../chain/outbox.ts";

export const SENT_FILE = "events-sent.json";
/** Of fixed length, so that each text overwrites the last one completely. */
const CHARACTERS = 160;
const SYNC_MS = 200;
const HASH = /^[0-9A-F]*$/;

/** Syncs the file to the disk: at once, or soon, in the background. */
interface SentDisk {
  sync(file: number): void;
  syncSoon(file: number): void;
}

const realDisk: SentDisk = {
  sync: fdatasyncSync,
  syncSoon: (file) => fdatasync(file, () => {}),
};

export class SentFile implements SentRecord {
  private file: number | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly found: SentPlace | undefined;

  private readonly path: string;

  constructor(
    home: string,
    private readonly disk: SentDisk = realDisk,
  ) {
    this.path = join(home, SENT_FILE);
    this.found = placeIn(this.path);
  }

  read(): SentPlace | undefined {
    return this.found;
  }

  write(place: SentPlace): void {
    this.file ??= openSync(this.path, this.found === undefined ? "w+" : "r+", 0o600);
    writeSync(this.file, JSON.stringify(place).padEnd(CHARACTERS), 0);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.file !== undefined) this.disk.syncSoon(this.file);
    }, SYNC_MS);
  }

  close(): void {
    clearTimeout(this.timer);
    if (this.file === undefined) return;
    this.disk.sync(this.file);
    closeSync(this.file);
    this.file = undefined;
  }
}

/** Undefined for a missing or damaged file: then all stored events are sent again. */
function placeIn(path: string): SentPlace | undefined {
  try {
    const { id, hash, at } = JSON.parse(readFileSync(path, "utf8")) as Partial<SentPlace>;
    const isWhole = [id, at].every((value) => Number.isSafeInteger(value) && value! >= 0);
    if (!isWhole || typeof hash !== "string" || !HASH.test(hash)) return undefined;
    return { id: id!, hash, at: at! };
  } catch {
    return undefined;
  }
}
