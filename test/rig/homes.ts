// Homes in temporary folders, and what they hold.
import { copyFileSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type ReplayResult, replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter, storePath } from "../../src/store/database.ts";
import { digestStore, type StoreDigest } from "../../src/store/dump.ts";
import { type ChainHead, readHead } from "../../src/store/head.ts";
import { processFolder } from "../support/process-folder.ts";

export const SAMPLE = join(import.meta.dir, "..", "..", "data", "sample.evts.gz");
const SHARED = join(import.meta.dir, "..", "..", "..", "shared", "data");
/** The original network's recording, where it lies beside the project. */
export const RECORDING = join(SHARED, "smoketest_to_block_5000.evts.gz");
export const hasRecording = existsSync(RECORDING);

/** A folder without a disk under it, where there is one: for tests that commit thousands of times. */
export const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A folder for one test file; `remove` in `afterAll`. */
export class Scratch {
  readonly folder: string;
  private count = 0;

  constructor(name: string, parent = tmpdir()) {
    this.folder = mkdtempSync(join(parent, `lyra-${name}-`));
  }

  /** A path that does not exist yet. */
  path(name = "home"): string {
    return join(this.folder, `${++this.count}-${name}`);
  }

  file(bytes: Uint8Array | string, name = "stream.evts"): string {
    const path = this.path(name);
    writeFileSync(path, bytes);
    return path;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface LoadedHome {
  readonly path: string;
  readonly result: ReplayResult;
}
/** Homes of recordings that several tests load, by file: loaded once for all test files of a process, and copied. */
const loadedHomes = new Map<string, Promise<LoadedHome>>();
const SHARED_RECORDINGS = new Set([SAMPLE, RECORDING]);

async function loadOnce(file: string): Promise<LoadedHome> {
  const path = join(processFolder("lyra-loaded"), basename(file));
  return { path, result: await loadAnew(path, [file]) };
}

/** Loads files into a home in this process, without segments. */
export async function load(home: string, ...files: string[]): Promise<ReplayResult> {
  const [file, ...rest] = files;
  if (rest.length > 0 || !SHARED_RECORDINGS.has(file!) || existsSync(home)) return loadAnew(home, files);
  const loaded = loadedHomes.getOrInsertComputed(file!, loadOnce);
  const { path, result } = await loaded;
  cpSync(path, home, { recursive: true });
  return result;
}

/** The same, by the writer in any case. */
export async function loadAnew(home: string, files: readonly string[]): Promise<ReplayResult> {
  const db = openWriter(home);
  try {
    return await replayFiles(new BlockWriter(db), db, files);
  } finally {
    db.close();
  }
}

/** Everything a home holds, after a check that its store is sound. */
export function digestOf(home: string): StoreDigest {
  const db = openReader(home);
  try {
    const rows = db.query("PRAGMA quick_check").values();
    if (rows.length !== 1 || rows[0]![0] !== "ok")
      throw new Error(`the store is damaged: ${JSON.stringify(rows)}`);
    return digestStore(db, home);
  } finally {
    db.close();
  }
}

export function headOf(home: string): ChainHead | undefined {
  const db = openReader(home);
  try {
    return readHead(db);
  } finally {
    db.close();
  }
}

/** The height a killed process left, read from copies: the next process finds the home as it was left. */
export function heightLeft(home: string): number {
  if (!existsSync(storePath(home))) return 0;
  const copy = mkdtempSync(join(tmpdir(), "lyra-left-"));
  try {
    for (const suffix of ["", "-wal"]) {
      const from = storePath(home) + suffix;
      if (existsSync(from)) copyFileSync(from, storePath(copy) + suffix);
    }
    const db = openWriter(copy);
    try {
      return readHead(db)?.height ?? 0;
    } finally {
      db.close();
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
