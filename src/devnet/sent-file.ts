/**
 * How far a devnet's events were taken by the connection to the data node, as a file in its home: it survives a
 * kill of the process, and the disk has it a moment later.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { SentPlace, SentRecord } from "../chain/outbox.ts";

export const SENT_FILE = "events-sent.json";
/** Of one length, so that each text covers the last one whole. */
const CHARACTERS = 160;
const SYNC_MS = 200;
const HASH = /^[0-9A-F]*$/;

/** How the disk is told to have the file's bytes: now, or soon while nothing waits for it. */
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

/** Undefined for a file that is missing or damaged: then what is stored is sent again. */
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
