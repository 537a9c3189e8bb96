// The chain head: which block the store has reached. Committed together with the block's rows.
import type { Database, Statement } from "bun:sqlite";

export interface ChainHead {
  readonly chainId: string;
  readonly height: number;
  /** Trace id of the last block, upper-case hex. */
  readonly hash: string;
  /** Block time, Unix microseconds. */
  readonly timeUs: number;
  /** Row of the last block in `blocks`. */
  readonly no: number;
  /** How many earlier blocks share that row. */
  readonly part: number;
  /** Height of the first block of this store. */
  readonly firstHeight: number;
  /** How many blocks had the last height: 2 after the doubled first one. */
  readonly blocksAtHeight: number;
}

const KEY = "head";

export function readHead(db: Database): ChainHead | undefined {
  const row = db.query("SELECT value FROM meta WHERE key = ?").get(KEY) as { value: string } | null;
  return row ? (JSON.parse(row.value) as ChainHead) : undefined;
}

export function writeHead(db: Database, head: ChainHead): void {
  db.query("INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)").run(KEY, JSON.stringify(head));
}

/** Reads the head on one connection, again and again: parsed only when it changed. */
export class HeadReader {
  private readonly select: Statement;
  private text = "";
  private head: ChainHead | undefined;

  constructor(db: Database) {
    this.select = db.prepare("SELECT value FROM meta WHERE key = ?");
  }

  read(): ChainHead | undefined {
    const row = this.select.get(KEY) as { value: string } | null;
    const text = row?.value ?? "";
    if (text !== this.text) {
      this.text = text;
      this.head = text === "" ? undefined : (JSON.parse(text) as ChainHead);
    }
    return this.head;
  }
}
