// Shared by the projections, which turn events of one kind into rows: the block that is being written, the form of a
// projection, statements.
import type { Database, Statement } from "bun:sqlite";
import { type Block, type BlockEvent, SEQUENCE_MAX } from "../../wire/block.ts";
import type { Eras } from "../eras.ts";
import type { ChainHead } from "../head.ts";
import type { Accounts, Ids } from "../ids.ts";

const ORD_PART_SHIFT = 2 ** 24;

/** The block's hash is in no row of `blocks`. */
export const NO_ROW = -1;
/** Its row leaves it out. */
export const IMPLIED_HASH = -2;

/** Rows of `txs` and hashes of blocks. */
export interface TxRows {
  insert(hex: string): number;
  hashOf(block: number): string;
  keepBlockHash(block: number, hex: string): void;
}

/** The block that is being written, as the projections see it: its numbers, and rows for hashes. */
export class BlockContext {
  /** Row number in `blocks`. */
  readonly no: number;
  /** Block time, Unix microseconds: the "vega time" of every row (docs/protocol/10-data-api-serving.md#22-times). */
  readonly timeUs: number;
  /** An earlier block of the same time began this row: there may be rows that refer to it from before. */
  readonly isContinued: boolean;
  private readonly ordBase: number;
  /** Made with the first row: most blocks have none but their own hash. */
  private txs: number[] | undefined;
  /** Rows made for hashes of earlier blocks. */
  private carried: Map<number, number> | undefined;
  private ledgerEntries = 0;
  private isEraKnown = false;

  constructor(
    private readonly block: Block,
    readonly head: ChainHead,
    readonly ids: Ids,
    readonly accounts: Accounts,
    private readonly eras: Eras,
    /** 0 when the block's hash is the one in its row, else `NO_ROW` or `IMPLIED_HASH`. */
    private readonly ownTx: number,
    private readonly txRows: TxRows,
  ) {
    this.no = head.no;
    this.timeUs = head.timeUs;
    this.isContinued = head.part > 0;
    this.ordBase = head.part * ORD_PART_SHIFT;
  }

  /** Column `era` of a new row. */
  nextEra(): number {
    this.isEraKnown ||= this.startEra();
    return this.eras.nextRow();
  }

  private startEra(): true {
    this.eras.startBlock(this.no, this.isContinued);
    return true;
  }

  /** Whether the block has an event of this kind. @param field payload field number */
  has(field: number): boolean {
    return this.block.events.some((event) => event.field === field);
  }

  /** Column `tx` for the event. */
  tx(event: BlockEvent): number {
    if (event.tx === 0 && this.ownTx === 0) return 0;
    this.txs ??= [];
    let tx = this.txs[event.tx];
    if (tx === undefined) {
      const isImplied = event.tx === 0 && this.ownTx === IMPLIED_HASH;
      if (isImplied) this.txRows.keepBlockHash(this.no, this.block.hash);
      tx = isImplied ? 0 : this.txRows.insert(this.block.txHashes[event.tx]!);
      this.txs[event.tx] = tx;
    }
    return tx;
  }

  /** A `tx` column taken over from a row of an earlier block: 0 there means that block's hash. */
  carriedTx(tx: number, block: number): number {
    if (tx !== 0 || block === this.no) return tx;
    this.carried ??= new Map();
    let row = this.carried.get(block);
    if (row === undefined) {
      row = this.txRows.insert(this.txRows.hashOf(block));
      this.carried.set(block, row);
    }
    return row;
  }

  /** Column `ord` for the event. */
  ord(event: BlockEvent): number {
    return this.ordBase + event.seq;
  }

  /** Column `ord` for a running number that is not an event's sequence. */
  ordOf(n: number): number {
    if (n > SEQUENCE_MAX) throw new Error(`the block has more than ${SEQUENCE_MAX} rows of a kind`);
    return this.ordBase + n;
  }

  /** Place of the next ledger entry in the block, from 0. */
  nextLedgerEntry(): number {
    return this.ledgerEntries++;
  }
}

export type Handler = (block: BlockContext, event: BlockEvent) => void;

/** Handles the decoded events of a kind. @param field payload field number */
export function on<Message>(
  field: number,
  read: (bytes: Uint8Array, start: number, end: number) => Message,
  handle: (block: BlockContext, message: Message, event: BlockEvent) => void,
): readonly [field: number, handler: Handler] {
  return [field, (block, event) => handle(block, read(event.bytes, event.start, event.end), event)];
}

/** A group of projections over one database: prepares its statements once, keeps no state across a rollback. */
export interface Projection {
  readonly handlers: ReadonlyArray<readonly [field: number, handler: Handler]>;
  /** Writes what was collected for the block. */
  endBlock?(block: BlockContext): void;
  /** Drops what is kept between blocks: the transaction was rolled back. */
  reset?(): void;
}

export type ProjectionFactory = (db: Database) => Projection;

/** Rows that the running block has written, by key: so that a later event of the block finds it without a query. */
export class RowsOfBlock<T> {
  private readonly byKey = new Map<string, T>();
  private block = 0;

  /** Of a block that `isContinued` there may be rows which are not known here. */
  get(block: BlockContext, key: string): T | undefined {
    if (block.no === this.block) return this.byKey.get(key);
    this.block = block.no;
    if (this.byKey.size > 0) this.byKey.clear();
    return undefined;
  }

  /** After `get` of the same block. */
  set(key: string, value: T): void {
    this.byKey.set(key, value);
  }

  /** The transaction was rolled back. */
  clear(): void {
    this.byKey.clear();
    this.block = 0;
  }
}

/** `INSERT OR REPLACE INTO table(columns) VALUES(?, ...)`: last one in a block wins. */
export function upsert(db: Database, table: string, columns: string): Statement {
  return insertWith(db, "INSERT OR REPLACE", table, columns);
}

/** `INSERT OR IGNORE`: first one wins. */
export function insertOnce(db: Database, table: string, columns: string): Statement {
  return insertWith(db, "INSERT OR IGNORE", table, columns);
}

/** A plain insert of a row that cannot be there yet. */
export function append(db: Database, table: string, columns: string): Statement {
  return insertWith(db, "INSERT", table, columns);
}

function insertWith(db: Database, verb: string, table: string, columns: string): Statement {
  const marks = columns.split(",").map(() => "?");
  return db.prepare(`${verb} INTO ${table}(${columns}) VALUES(${marks.join(",")})`);
}

/** The event's own message bytes, for a `data` column. */
export function payload(event: BlockEvent): Uint8Array {
  return event.bytes.subarray(event.start, event.end);
}

const halves = new DataView(new ArrayBuffer(8));
/** Up to the year 2116. */
const HIGH_MAX = 2 ** 30;

/** Unix nanoseconds to microseconds, rounded towards the past, as the original truncates when it stores. */
export function microseconds(ns: bigint): number {
  halves.setBigInt64(0, ns);
  const high = halves.getInt32(0);
  if (high >= 0 && high < HIGH_MAX) {
    // The halves of 64 bits, divided by hand: every part is exact as a number, and no bigint is made.
    const rest = high % 1000;
    return ((high - rest) / 1000) * 2 ** 32 + Math.floor((rest * 2 ** 32 + halves.getUint32(4)) / 1000);
  }
  const us = ns / 1000n;
  return Number(ns < 0n && us * 1000n !== ns ? us - 1n : us);
}
