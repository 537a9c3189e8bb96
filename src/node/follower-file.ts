/**
 * The follower's state on disk (`follower.db`): a checkpoint, and each block that was observed since, in one transaction
 * each. A block is observed after the store has committed it, and its height is told after it is kept here: a restart goes on
 * where the last run was, whatever ended it. Its last blocks may be lost: they are asked for again.
 */
import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { SavedFollower } from "../comet/follower.ts";
import type { ObservedBlock } from "../comet/observer.ts";
import { reasonOf } from "../errors/node-error.ts";
import { isDiskFull, isStoreDamage } from "../files/sqlite-error.ts";

const NAME = "follower.db";
const SUFFIXES = ["", "-wal", "-shm"];
/** As the schema tells them, by name, the last first. */
const TABLES = [
  "CREATE TABLE state(id INTEGER PRIMARY KEY, source TEXT NOT NULL, value TEXT NOT NULL) STRICT",
  "CREATE TABLE blocks(height INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT",
];

class FollowerFile {
  /** The content when it was opened; undefined if it is of another source. */
  readonly saved: SavedFollower | undefined;

  /** @param source what the figures follow from: figures of another source are of no use */
  private constructor(
    private readonly db: Database,
    private readonly source: string,
  ) {
    const [verdict] = db.query("PRAGMA quick_check(1)").values() as [string][];
    if (verdict?.[0] !== "ok") throw new Error(`${NAME} is damaged: ${verdict?.[0]}`);
    db.run("PRAGMA journal_mode = WAL");
    db.run("PRAGMA synchronous = NORMAL");
    this.makeTables();
    this.saved = this.load();
  }

  private makeTables(): void {
    const schema = "SELECT sql FROM sqlite_master ORDER BY name DESC";
    const tables = this.db.query(schema).values().flat();
    if (tables.length === 0) for (const sql of TABLES) this.db.run(sql);
    else if (tables.join() !== TABLES.join()) throw new Error(`${NAME} holds other tables`);
  }

  /**
   * A damaged file is made again: all that it held can be had from the chain again.
   * @param onRenewed called with what was wrong with the old file
   * @throws an error of the file system or of SQLite, where no file can be opened
   */
  static open(home: string, source: string, onRenewed: (reason: unknown) => void): FollowerFile {
    const path = join(home, NAME);
    try {
      return FollowerFile.at(path, source);
    } catch (error) {
      // Without room a sound file cannot be opened either.
      if (isDiskFull(error)) throw error;
      const file = FollowerFile.create(home, source);
      onRenewed(error);
      return file;
    }
  }

  /** Removes the file and begins a new one. */
  static create(home: string, source: string): FollowerFile {
    const path = join(home, NAME);
    for (const suffix of SUFFIXES) rmSync(`${path}${suffix}`, { recursive: true, force: true });
    return FollowerFile.at(path, source);
  }

  private static at(path: string, source: string): FollowerFile {
    const db = new Database(path, { create: true, strict: true });
    try {
      return new FollowerFile(db, source);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Keeps a block that follows the last one kept. */
  append(block: ObservedBlock): void {
    this.db.query("INSERT OR REPLACE INTO blocks VALUES(?, ?)").run(block.height, summed(textOf(block)));
  }

  /** Keeps the whole state as of a block. */
  checkpoint(state: SavedFollower["state"], block: ObservedBlock | undefined): void {
    this.db.transaction(() => {
      this.db
        .query("INSERT OR REPLACE INTO state VALUES(1, ?, ?)")
        .run(this.source, summed(JSON.stringify(state)));
      this.db.query("DELETE FROM blocks WHERE height <> ?").run(state.height);
      if (block?.height === state.height) this.append(block);
    })();
  }

  close(): void {
    this.db.close();
  }

  private load(): SavedFollower | undefined {
    const row = this.db.query("SELECT source, value FROM state WHERE id = 1").get() as {
      source: string;
      value: string;
    } | null;
    if (row === null || row.source !== this.source) return undefined;
    const state = JSON.parse(checked(row.value)) as SavedFollower["state"];
    const rows = this.db
      .query("SELECT value FROM blocks WHERE height >= ? ORDER BY height")
      .all(state.height);
    return { state, blocks: (rows as { value: string }[]).map(({ value }) => blockOf(checked(value))) };
  }
}

/** After a failure another try comes with this many blocks. */
const RETRY_BLOCKS = 20;

/**
 * Keeps the state of a follower, which goes on whatever the disk does. After a block that could not be kept, the next that
 * is kept is a checkpoint.
 */
export class FollowerKeeper {
  private file: FollowerFile | undefined;
  private hasGap = false;
  private blocksToRetry = 0;

  /** @param onNotice told once of a damaged file, and of each time when the disk begins to fail */
  constructor(
    private readonly home: string,
    private readonly source: string,
    private readonly onNotice: (text: string) => void,
  ) {
    this.attempt(() => this.open());
  }

  get saved(): SavedFollower | undefined {
    return this.file?.saved;
  }

  /** @param state the whole state, made when it is to be kept @param isDue whether a checkpoint is to be made */
  keep(block: ObservedBlock, state: () => SavedFollower["state"] | undefined, isDue: boolean): void {
    if (this.hasGap && --this.blocksToRetry > 0) return;
    const whole = isDue || this.hasGap ? state() : undefined;
    this.attempt(() => {
      const file = this.file ?? this.open();
      if (whole === undefined) file.append(block);
      else file.checkpoint(whole, block);
    });
  }

  /** Keeps the last state. */
  close(state: SavedFollower["state"] | undefined, block: ObservedBlock | undefined): void {
    if (state !== undefined) this.attempt(() => (this.file ?? this.open()).checkpoint(state, block));
    this.file?.close();
  }

  private open(): FollowerFile {
    this.file = FollowerFile.open(this.home, this.source, (reason) => {
      this.onNotice(`the follower's state was damaged and is rebuilt: ${reasonOf(reason)}`);
    });
    return this.file;
  }

  private attempt(work: () => void): void {
    try {
      work();
      this.hasGap = false;
    } catch (error) {
      if (!this.hasGap) this.onNotice(`the follower's state cannot be kept: ${reasonOf(error)}`);
      this.hasGap = true;
      this.blocksToRetry = RETRY_BLOCKS;
      if (isStoreDamage(error)) this.renew();
    }
  }

  private renew(): void {
    this.file?.close();
    this.file = undefined;
    try {
      this.file = FollowerFile.create(this.home, this.source);
      this.blocksToRetry = 0;
    } catch {
      // The next block is another try.
    }
  }
}

const SUM_CHARACTERS = 16;

/** A text behind its sum: a flipped bit is a valid figure to SQLite. */
function summed(text: string): string {
  return sumOf(text) + text;
}

/** @throws an error for a text that is not as it was written */
function checked(row: string): string {
  // An older program wrote none.
  if (row.startsWith("{")) return row;
  const text = row.slice(SUM_CHARACTERS);
  if (row.slice(0, SUM_CHARACTERS) !== sumOf(text))
    throw new Error(`${NAME} is damaged: a row differs from its sum`);
  return text;
}

function sumOf(text: string): string {
  return Bun.hash(text).toString(16).padStart(SUM_CHARACTERS, "0");
}

/** Integers that pass 2^53 are texts in JSON. */
function textOf(block: ObservedBlock): string {
  return JSON.stringify(block, (_, value) => (typeof value === "bigint" ? value.toString() : value));
}

function blockOf(text: string): ObservedBlock {
  const block = JSON.parse(text) as ObservedBlock;
  return {
    ...block,
    timeNs: BigInt(block.timeNs),
    facts: block.facts.map((fact) => (fact.kind === "epoch" ? { ...fact, seq: BigInt(fact.seq) } : fact)),
    txs: block.txs.map((tx) => ({ ...tx, blockHeight: BigInt(tx.blockHeight), nonce: BigInt(tx.nonce) })),
  };
}
