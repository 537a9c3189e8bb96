// A home in which bits flip: are they found, and what does a server answer over it? The answers of the sound home are the
// measure.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { checkRows } from "../../src/history/segment-check.ts";
import { listSegments } from "../../src/history/segment-table.ts";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { ServerStatus } from "../../src/http/status.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { Reading } from "../../src/node/reading.ts";
import { scrub } from "../../src/node/scrub.ts";
import { serveData } from "../../src/planes/data/app.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter, segmentDirectory, storePath } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import { checkPages } from "../../src/store/page-check.ts";
import { EverythingReader } from "./reads.ts";

/** Files of a store that its writer keeps; a log remains after a kill. */
const ENDS = ["", "-wal", "-sums"] as const;
export type StoreEnd = (typeof ENDS)[number];

export interface Flip {
  readonly end: StoreEnd;
  readonly offset: number;
  readonly bit: number;
}

/** Counts of a server's answers. */
export interface Served {
  /** The store could not be opened: there was no server. */
  readonly isRefused: boolean;
  readonly equal: number;
  /** 500 or 503 with a code. */
  readonly failed: number;
  /** Addresses whose answers were neither. */
  readonly wrong: readonly string[];
}

/** A home as a kill leaves it: its last blocks stand in the log alone. */
export async function killedHome(recording: string, home: string, scratch: string): Promise<string> {
  const db = openWriter(scratch);
  try {
    await replayFiles(new BlockWriter(db), db, [recording]);
    cpSync(scratch, home, { recursive: true });
    rmSync(`${storePath(home)}-shm`, { force: true });
  } finally {
    db.close();
  }
  return home;
}

export class RottingHome {
  private readonly sound: ReadonlyMap<StoreEnd, Buffer>;
  private readonly answers = new Map<string, string>();
  private constructor(
    readonly home: string,
    private readonly digest: string,
  ) {
    const files = ENDS.map((end) => [end, storePath(home) + end] as const);
    this.sound = new Map(
      files.filter(([, path]) => existsSync(path)).map(([end, path]) => [end, readFileSync(path)]),
    );
  }

  /** @param home which is copied to `copy` */
  static async of(home: string, copy: string): Promise<RottingHome> {
    cpSync(home, copy, { recursive: true });
    // Of a log that a kill left, nothing is folded back by a reader.
    const rotting = new RottingHome(copy, digestOf(copy));
    await rotting.learn();
    return rotting;
  }

  get requests(): number {
    return this.answers.size;
  }

  bytes(end: StoreEnd): number {
    return this.sound.get(end)?.length ?? 0;
  }

  flip({ end, offset, bit }: Flip): void {
    this.restore();
    const bytes = Buffer.from(this.sound.get(end)!);
    bytes[offset]! ^= 1 << bit;
    writeFileSync(storePath(this.home) + end, bytes);
  }

  /** As before the flip, and without what has come of it. */
  restore(): void {
    for (const end of [...ENDS, "-shm"]) rmSync(storePath(this.home) + end, { force: true });
    for (const [end, bytes] of this.sound) writeFileSync(storePath(this.home) + end, bytes);
  }

  /** Whether `lyra doctor --deep` finds anything in rows and pages. */
  async isFound(): Promise<boolean> {
    try {
      const db = openReader(this.home);
      try {
        const pages = db.query("PRAGMA integrity_check(5)").values();
        if (pages.length !== 1 || pages[0]![0] !== "ok") return true;
        await checkPages(this.home);
        for (const row of listSegments(db)) await checkRows(db, segmentDirectory(this.home), row);
        return false;
      } finally {
        db.close();
      }
    } catch {
      return true;
    }
  }

  /** Whether all rows read as before. */
  isSame(): boolean {
    try {
      return digestOf(this.home) === this.digest;
    } catch {
      return false;
    }
  }

  /**
   * Opens the home as a node does, and puts every request to a server over it.
   * @param isScrubbed after one round of the scrub, as after the first minutes of a node
   */
  async serve(isScrubbed = true): Promise<Served> {
    let reading: Reading;
    try {
      openWriter(this.home).close();
      reading = new Reading(this.home, DEFAULT_LIMITS);
    } catch {
      return { isRefused: true, equal: 0, failed: 0, wrong: [] };
    }
    const status = new ServerStatus();
    const server = serveData(reading.plane, status, { host: "127.0.0.1", port: 0 });
    try {
      if (isScrubbed) await this.scrub(status);
      return await this.compare(server.url);
    } finally {
      await server.stop();
      reading.close();
    }
  }

  private async scrub(status: ServerStatus): Promise<void> {
    try {
      await scrub({ home: this.home, isStopping: () => false, stopped: new Promise(() => {}), restMs: 0 });
    } catch (error) {
      if ((error as { code?: string }).code !== "store_damaged") throw error;
      status.noteDamage();
    }
  }

  private async compare(url: string): Promise<Served> {
    const wrong: string[] = [];
    const count = { equal: 0, failed: 0 };
    for (const [path, sound] of this.answers) {
      const answer = await fetch(url + path);
      const text = `${answer.status} ${await answer.text()}`;
      if (text === sound) count.equal++;
      else if (isFailure(text)) count.failed++;
      else wrong.push(path);
    }
    return { isRefused: false, ...count, wrong };
  }

  /** The answers of the sound home. */
  private async learn(): Promise<void> {
    const db = openReader(this.home);
    const requests = new EverythingReader(db).requests();
    const reading = new Reading(this.home, DEFAULT_LIMITS);
    const server = serveData(reading.plane, new ServerStatus(), { host: "127.0.0.1", port: 0 });
    try {
      for (const path of requests) {
        const answer = await fetch(server.url + path);
        this.answers.set(path, `${answer.status} ${await answer.text()}`);
      }
    } finally {
      await server.stop();
      reading.close();
      db.close();
    }
  }
}

/** 500 or 503, and a body with a code. */
function isFailure(answer: string): boolean {
  if (!/^50[03] /.test(answer)) return false;
  return typeof (JSON.parse(answer.slice(4)) as { code?: unknown }).code === "number";
}

function digestOf(home: string): string {
  const db = openReader(home);
  try {
    return digestStore(db, home).sha256;
  } finally {
    db.close();
  }
}
