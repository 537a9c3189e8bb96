/**
 * A local chain's share of the store, beside the rows of its blocks: the raw transactions, the state of its engine
 * and of admission, and its head. All of it is part of the same transactions as the blocks (store/block-writer.ts):
 * `begin` … `commit` stand around both.
 */
import type { Database, Statement } from "bun:sqlite";
import type { StateChange, StateEntry } from "../engine/state.ts";
import { NodeError } from "../errors/node-error.ts";
import { isDiskFull, storeFailure } from "../files/sqlite-error.ts";
import type { BlockWriter } from "../store/block-writer.ts";
import { tablesOfBlocks } from "../store/chain-tables.ts";
import { hashOfRow, OWN_HEAD } from "../store/head.ts";
import { OPTIONAL_TABLES } from "../store/schema.ts";
import type { Block } from "../wire/block.ts";
import { hexOf } from "../wire/identifiers.ts";
import type { ChainPart, ToolCommand } from "./options.ts";

/** Where a chain stands. */
export interface ChainPoint {
  readonly height: number;
  /** Lower-case hex. */
  readonly hash: string;
  /** Unix nanoseconds, as decimal text. */
  readonly timeNs: string;
  readonly previousTimeNs: string;
  readonly appHash: string;
  /** Of the last block. */
  readonly txs: number;
  /** Their last sequence number: orders that expire count one by one. */
  readonly blockEvents: number;
  readonly ledgerEntries: number;
  /** Of all blocks. */
  readonly events: number;
}

interface StoredTx {
  readonly bytes: Uint8Array;
  readonly isImpersonated: boolean;
}

/** The facts of a block's header that its rows do not have, where a consensus engine gave them. */
export interface GivenHeader {
  /** Unix nanoseconds; rows have whole microseconds. */
  readonly timeNs: bigint;
  /** Node id of the validator that proposed it; empty for one that the chain does not know. */
  readonly proposer: string;
}

export interface StoredBlock {
  readonly height: number;
  readonly hash: string;
  readonly timeNs: bigint;
  readonly txs: readonly StoredTx[];
  readonly tool: ToolCommand | undefined;
  readonly proposer: string | undefined;
  /** Kept for blocks in which something was asked for. */
  readonly appHash: string | undefined;
}

export interface ExecutedTx extends StoredTx {
  readonly code: number;
  /** Of a failure. */
  readonly text: string;
}

/** The content of a block, and the application hash after it. */
interface BlockContent {
  readonly txs: readonly ExecutedTx[];
  readonly tool: ToolCommand | undefined;
  readonly header: GivenHeader | undefined;
  /** Of a block in which something was asked for. */
  readonly appHash: string | undefined;
}

/** Point of the stored state. */
const STATE = "state";
/**
 * Format of the stored state, below the key where programs before 2026-11-29 kept all of admission: they refuse the number,
 * and this one refuses theirs, each without a change to the home. Version 2 had the members of values in no order.
 */
const FORMAT = "admission";
const FORMAT_VERSION = 3;
const PART = "part:";
/** Document that the chain began with, or came with when it was loaded. */
const GENESIS = "genesis";

/** The genesis document of the store's chain; undefined where none began, or under a version that did not keep it. */
export function storedGenesis(db: Database): string | undefined {
  const row = db.query("SELECT value FROM chain_meta WHERE key = ?").get(GENESIS) as { value: string } | null;
  return row?.value;
}

/** The point that the stored state belongs to. */
export function storedStatePoint(db: Database): ChainPoint {
  const row = db.query("SELECT value FROM chain_meta WHERE key = ?").get(STATE) as { value: string };
  return JSON.parse(row.value) as ChainPoint;
}

/** The stored state, by table and key. */
export function* storedEntries(db: Database): Generator<StateEntry> {
  const statement = db.prepare("SELECT name, key, value FROM chain_state ORDER BY name, key");
  try {
    for (const row of statement.iterate() as Iterable<{ name: string; key: string; value: string }>) {
      yield { table: row.name, key: row.key, value: row.value };
    }
  } finally {
    statement.finalize();
  }
}

export class ChainStore {
  private readonly selectMeta: Statement;
  private readonly writeMeta: Statement;
  private readonly insertTx: Statement;
  private readonly insertBlock: Statement;
  private readonly insertCommand: Statement;
  private readonly writeState: Statement;
  private readonly deleteState: Statement;
  private readonly insertText: Statement | undefined;
  private readonly insertHeader: Statement | undefined;
  /** Last block whose rows came from another node before the chain has executed it; 0 without such rows. */
  rowsTo = 0;
  /** Texts of the parts as they are stored. */
  private parts = new Map<string, string>();

  /**
   * @param keepTexts whether the texts of failed transactions are stored beside their codes
   * @param keepHeaders whether headers of blocks are given, and stored
   */
  constructor(
    readonly db: Database,
    readonly writer: BlockWriter,
    { keepTexts = false, keepHeaders = false } = {},
  ) {
    if (keepHeaders) {
      db.run(OPTIONAL_TABLES.chain_headers);
      this.insertHeader = db.prepare("INSERT INTO chain_headers(height, time_ns, proposer) VALUES(?, ?, ?)");
    }
    if (keepTexts) {
      db.run(OPTIONAL_TABLES.chain_texts);
      this.insertText = db.prepare("INSERT OR REPLACE INTO chain_texts(height, n, text) VALUES(?, ?, ?)");
    }
    this.selectMeta = db.prepare("SELECT value FROM chain_meta WHERE key = ?");
    this.writeMeta = db.prepare("INSERT OR REPLACE INTO chain_meta(key, value) VALUES(?, ?)");
    this.insertTx = db.prepare(
      "INSERT INTO chain_txs(height, n, code, impersonated, bytes) VALUES(?, ?, ?, ?, ?)",
    );
    this.insertBlock = db.prepare("INSERT INTO chain_blocks(height, app_hash) VALUES(?, ?)");
    this.insertCommand = db.prepare("INSERT INTO chain_commands(height, command) VALUES(?, ?)");
    this.writeState = db.prepare("INSERT OR REPLACE INTO chain_state(name, key, value) VALUES(?, ?, ?)");
    this.deleteState = db.prepare("DELETE FROM chain_state WHERE name = ? AND key = ?");
  }

  /** The chain's head; undefined when there is no chain in the store yet. */
  head(): ChainPoint | undefined {
    return this.point(OWN_HEAD);
  }

  /** The point that the stored state belongs to. */
  statePoint(): ChainPoint {
    return this.point(STATE)!;
  }

  /** Whether a state in another program's format is stored. */
  isForeign(): boolean {
    return (
      this.point(STATE) !== undefined &&
      this.meta<{ readonly version?: number }>(FORMAT)?.version !== FORMAT_VERSION
    );
  }

  loadPart(part: ChainPart): void {
    const row = this.selectMeta.get(PART + part.name) as { value: string } | null;
    if (row === null) return;
    part.load(row.value);
    this.parts.set(part.name, row.value);
  }

  state(): Generator<StateEntry> {
    return storedEntries(this.db);
  }

  /** The blocks behind a height, in order. */
  *blocksAfter(height: number, head: number): Generator<StoredBlock> {
    // A row for each height but the first, whose block shares its row with the genesis.
    const select = this.db.prepare(
      "SELECT no, height, time, hash FROM blocks WHERE no > ? AND no <= ? ORDER BY no",
    );
    const txs = this.db.prepare("SELECT bytes, impersonated FROM chain_txs WHERE height = ? ORDER BY n");
    const commands = this.db.prepare("SELECT command FROM chain_commands WHERE height = ?");
    const appHash = this.db.prepare("SELECT app_hash FROM chain_blocks WHERE height = ?");
    const headers =
      this.insertHeader && this.db.prepare("SELECT time_ns, proposer FROM chain_headers WHERE height = ?");
    try {
      const last = this.rowAt(head);
      // Rows have no gaps.
      for (const row of select.iterate(last - (head - height), last) as Iterable<BlockRow>) {
        const stored = txs.all(row.height) as { bytes: Uint8Array; impersonated: bigint }[];
        const command = commands.get(row.height) as { command: string } | null;
        const app = appHash.get(row.height) as { app_hash: Uint8Array } | null;
        const header = headers?.get(row.height) as { time_ns: bigint; proposer: string } | null | undefined;
        yield {
          height: Number(row.height),
          hash: hexOf(hashOfRow(row)),
          timeNs: header?.time_ns ?? row.time * 1_000n,
          proposer: header?.proposer,
          txs: stored.map(({ bytes, impersonated }) => ({ bytes, isImpersonated: impersonated !== 0n })),
          tool: command ? (JSON.parse(command.command) as ToolCommand) : undefined,
          appHash: app ? hexOf(app.app_hash) : undefined,
        };
      }
    } finally {
      for (const statement of [select, txs, commands, appHash, headers]) statement?.finalize();
    }
  }

  /** Writes a block into the open transaction: its rows, its transactions, its application hash. @throws NodeError */
  stageBlock(block: Block, { txs, tool, header, appHash }: BlockContent): void {
    if (block.height > this.rowsTo) this.writer.stage(block);
    else this.stageKnown(block);
    if (header) this.insertHeader?.run(block.height, header.timeNs, header.proposer);
    for (const [n, { code, isImpersonated, bytes, text }] of txs.entries()) {
      this.insertTx.run(block.height, n, code, isImpersonated ? 1 : 0, bytes);
      if (code !== 0) this.insertText?.run(block.height, n, text);
    }
    if (tool) this.insertCommand.run(block.height, JSON.stringify(tool));
    if (appHash !== undefined) this.insertBlock.run(block.height, Uint8Array.fromHex(appHash));
  }

  /**
   * A block whose rows the store has: what the chain itself knows of it replaces what came with them.
   * @throws NodeError `history_mismatch`
   */
  private stageKnown({ height, hash }: Block): void {
    this.checkRows(height, hash);
    this.writer.beginTransaction();
    for (const table of tablesOfBlocks(this.db))
      this.db.query(`DELETE FROM ${table} WHERE height = ?`).run(height);
  }

  /**
   * The rows that came from another node must be of this block. Those of the first height have the hash of the genesis.
   * @throws NodeError `history_mismatch`
   */
  checkRows(height: number, hash: string): void {
    const rows = this.writer.committedHead;
    if (rows === undefined || height === rows.firstHeight) return;
    const select = "SELECT height, time, hash FROM blocks WHERE no = ?";
    const row = this.db.query(select).get(rows.no - (rows.height - height)) as BlockRow | null;
    if (row?.height === BigInt(height) && hexOf(hashOfRow(row)) === hash.toLowerCase()) return;
    const text = `block ${height} of the history in this home is another one than the chain's`;
    const hint = "remove the home's lyra.db, and fetch the history from another node";
    throw new NodeError("chain.store", "history_mismatch", text, hint);
  }

  /** It comes with the rows, or not at all. */
  stageGenesis(text: string): void {
    this.writeMeta.run(GENESIS, text);
  }

  stageHead(point: ChainPoint): void {
    this.put(OWN_HEAD, point);
  }

  hasChanged(parts: readonly ChainPart[]): boolean {
    return parts.some((part) => this.parts.get(part.name) !== part.save());
  }

  /** Stores those whose text has changed. */
  stageParts(parts: readonly ChainPart[]): void {
    for (const part of parts) {
      const text = part.save();
      if (this.parts.get(part.name) === text) continue;
      this.writeMeta.run(PART + part.name, text);
      this.parts.set(part.name, text);
    }
  }

  /** Brings the stored state up to date. */
  stageState(changes: Iterable<StateChange>, point: ChainPoint): void {
    for (const { table, key, value } of changes) {
      if (value === undefined) this.deleteState.run(table, key);
      else this.writeState.run(table, key, value);
    }
    this.put(STATE, point);
    this.put(FORMAT, { version: FORMAT_VERSION });
  }

  /** The staged block was dropped. */
  dropStaged(): void {
    this.parts.clear();
  }

  private put(key: string, value: unknown): void {
    this.writeMeta.run(key, JSON.stringify(value));
  }

  /** Versions before 2026-11-23 did not count ledger entries. */
  private point(key: string): ChainPoint | undefined {
    const point = this.meta<ChainPoint>(key);
    return point && { ...point, ledgerEntries: point.ledgerEntries ?? 0 };
  }

  private meta<T>(key: string): T | undefined {
    const row = this.selectMeta.get(key) as { value: string } | null;
    return row === null ? undefined : (JSON.parse(row.value) as T);
  }

  /** Number of the last row at or below a height: rows that came from another node may stand behind it. */
  private rowAt(height: number): number {
    const select = "SELECT no FROM blocks WHERE height <= ? ORDER BY no DESC LIMIT 1";
    const row = this.db.query(select).get(height) as { no: bigint } | null;
    return Number(row?.no ?? 0n);
  }
}

/** The store's own failures as errors of a chain; other errors stay as they are. */
export function storeErrorOf(error: unknown): unknown {
  if (error instanceof NodeError) return error;
  if (!isDiskFull(error)) return storeFailure(error) ?? error;
  const text = "the disk is full: the next block could not be stored";
  return new NodeError("chain.store", "disk_full", text, "make room: the chain goes on by itself");
}

interface BlockRow {
  readonly no: bigint;
  readonly height: bigint;
  readonly time: bigint;
  readonly hash: Uint8Array;
}
