// The chain head, which is the last block of the store and is committed together with its rows, and the hashes of blocks.
import type { Database, Statement } from "bun:sqlite";
import { sha3HexOf, sha3Of } from "../crypto/sha.ts";

export interface ChainHead {
  readonly chainId: string;
  readonly height: number;
  /** Trace id of the last block, upper-case hex. */
  readonly hash: string;
  /** Block time, Unix microseconds. */
  readonly timeUs: number;
  /** Row of the last block in `blocks`. */
  readonly no: number;
  /** Number of earlier blocks that share that row. */
  readonly part: number;
  /** Height of the first block of this store. */
  readonly firstHeight: number;
  /** Number of blocks with the last height: 2 after the doubled first one. */
  readonly blocksAtHeight: number;
}

const KEY = "head";
const HASH = /^(?:[0-9A-Fa-f]{2}){1,64}$/;

export function readHead(db: Database): ChainHead | undefined {
  const row = db.query("SELECT value FROM meta WHERE key = ?").get(KEY) as { value: string } | null;
  return row ? (JSON.parse(row.value) as ChainHead) : undefined;
}

export function writeHead(db: Database, head: ChainHead): void {
  db.query("INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)").run(KEY, JSON.stringify(head));
}

/**
 * The head as the rows of `blocks` have it, without any other member; undefined where it is not that of the last one.
 * For a store from elsewhere.
 */
export function checkedHead(db: Database): ChainHead | undefined {
  const head = readHead(db);
  const [first, last] = ["ASC", "DESC"].map(
    (order) =>
      db.query(`SELECT no, time, height FROM blocks ORDER BY no ${order} LIMIT 1`).get() as {
        no: bigint;
        time: bigint;
        height: bigint;
      } | null,
  );
  if (!head || !first || !last) return undefined;
  const { chainId, height, hash, timeUs, no, part, firstHeight, blocksAtHeight } = head;
  const isHead =
    typeof chainId === "string" &&
    isPrintableChainId(chainId) &&
    typeof hash === "string" &&
    HASH.test(hash) &&
    [height, part, blocksAtHeight].every((value) => Number.isSafeInteger(value) && value >= 0) &&
    // Blocks of one time share a row, which has the height of the first.
    height - Number(last.height) <= part &&
    height >= Number(last.height) &&
    no === Number(last.no) &&
    timeUs === Number(last.time) &&
    firstHeight === Number(first.height);
  return isHead ? { chainId, height, hash, timeUs, no, part, firstHeight, blocksAtHeight } : undefined;
}

export const CHAIN_ID_BYTES_MAX = 200;
/** Characters that are not printed, control sequences of a terminal among them, and the sign for bytes that are not text. */
const UNPRINTABLE = /[\p{C}\ufffd]/u;

/** Whether a chain id is text that can be shown. */
export function isPrintableChainId(text: string): boolean {
  return !UNPRINTABLE.test(text) && Buffer.byteLength(text) <= CHAIN_ID_BYTES_MAX;
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

// Hashes of the blocks that a local chain makes. An empty block's follows from its height and time
// (docs/protocol/30-node-api-events.md#12-null-chain), so its row need not hold it: there an empty hash stands for "by
// the rule".

/** Preimage of an empty block's hash: the sum of height and time in Unix nanoseconds, as decimal text. */
function ruleText(height: bigint, timeNs: bigint): Uint8Array {
  return Buffer.from((height + timeNs).toString(), "latin1");
}

/** Hash of a block, lower-case hex. @param txHashes their hashes in hex, in order */
export function blockHash(height: bigint, timeNs: bigint, txHashes: readonly string[]): string {
  if (txHashes.length === 0) return sha3HexOf(ruleText(height, timeNs));
  return sha3HexOf(Buffer.concat([ruleText(height, timeNs), Buffer.from(txHashes.join(""), "hex")]));
}

/** Whether a hash is the one that the rule gives. */
export function followsRule(hash: Uint8Array, height: number, timeNs: bigint): boolean {
  return hash.length === 32 && Buffer.compare(sha3Of(ruleText(BigInt(height), timeNs)), hash) === 0;
}

/** The hash of a row of `blocks`, which may have been left out of it. @param row its time in Unix microseconds */
export function hashOfRow(row: {
  readonly height: bigint;
  readonly time: bigint;
  readonly hash: Uint8Array;
}): Uint8Array {
  return row.hash.length > 0 ? row.hash : sha3Of(ruleText(row.height, row.time * 1_000n));
}

/** Key of the head of a chain of its own, among the facts of that chain (`chain_meta`). */
export const OWN_HEAD = "head";

/** Whether a chain of its own is in the store, begun there or loaded, whose state only it can bring forward. */
export function hasChain(db: Database): boolean {
  return db.query("SELECT 1 FROM chain_meta WHERE key = ?").get(OWN_HEAD) !== null;
}
