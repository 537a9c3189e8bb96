// Where a source's block belongs: to those that the store has, or behind them; and whether it is of the same history. A
// block is told by its height and its hash. The genesis, which takes the first height before block 1, has no hash of the
// consensus engine: its name is a hash of the genesis document as the core has read it, and a core that begins again has it
// from its own database, written otherwise. It is told by chain and time, and the blocks behind it by their hashes.
import type { Database, Statement } from "bun:sqlite";
import { NodeError } from "../errors/node-error.ts";
import type { BlockWriter } from "../store/block-writer.ts";
import { type ChainHead, hashOfRow } from "../store/head.ts";
import { microseconds } from "../store/project/context.ts";
import type { Block } from "../wire/block.ts";

type BlockOrigin = "of the recording" | "that came";

/** Sorts the blocks of a source, which come in order and may begin again further back. */
export class BlockOrder {
  /** A block whose kind the block after it decides. */
  private doubtful: Block | undefined;
  private known: KnownBlocks;
  /** The last block that came. */
  private last: Block | undefined;

  /**
   * @param follows whether the source goes on with the blocks of an earlier one
   * @param origin of its blocks, for people
   */
  constructor(
    private readonly db: Database,
    private readonly writer: Pick<BlockWriter, "writtenHead">,
    private readonly follows: boolean,
    private readonly origin: BlockOrigin = "of the recording",
  ) {
    this.known = new KnownBlocks(db, writer.writtenHead, origin);
  }

  /** The block that waits for the next one. */
  get waiting(): Block | undefined {
    return this.doubtful;
  }

  /**
   * To be asked before a block is sorted.
   * @param next the block after the one in doubt; undefined at the end, when no block follows
   * @returns the block that was in doubt and is to be stored; undefined for one that is passed over
   * @throws NodeError `history_mismatch`
   */
  settleDoubt(next: Block | undefined): Block | undefined {
    const { doubtful } = this;
    if (!doubtful) return undefined;
    this.doubtful = undefined;
    const isGenesis = next?.height === doubtful.height;
    if (this.known.hasFirstTwice) {
      if (!isGenesis) throw mismatch(doubtful, this.origin);
      return undefined;
    }
    // A core that begins again before there was a block 1: chain and time are the store's, and no block can differ yet.
    if (isGenesis && this.origin === "that came") return undefined;
    const isOther = next === undefined ? !this.follows : isGenesis;
    if (isOther) throw mismatch(doubtful, this.origin);
    return doubtful;
  }

  /** A block in doubt is kept until the next one comes. @throws NodeError `history_mismatch` */
  sort(block: Block): "known" | "new" | "doubtful" {
    if (this.goesBack(block)) this.renew();
    this.last = block;
    if (this.known.isDoubtful(block)) {
      this.doubtful = block;
      return "doubtful";
    }
    return this.known.has(block) ? "known" : "new";
  }

  /** The store has changed otherwise than by these blocks. */
  renew(): void {
    this.known = new KnownBlocks(this.db, this.writer.writtenHead, this.origin);
  }

  /** A stream that comes to earlier blocks again goes on as another file would: known blocks are passed over. */
  private goesBack(block: Block): boolean {
    const { last } = this;
    if (last === undefined || block.height > last.height) return false;
    if (block.height < last.height || block.hash === last.hash) return true;
    // Another block in the place of the last one; but the first height comes twice.
    const head = this.writer.writtenHead;
    return block.height !== head?.firstHeight || head.blocksAtHeight > 1;
  }
}

interface BlockRow {
  readonly no: number;
  readonly height: number;
  readonly timeUs: number;
  /** Upper-case hex. */
  readonly hash: string;
}

/**
 * Separates blocks that the store already holds from new ones, and refuses another history of the same chain. The blocks
 * of the file and those of the store ascend, so a look-up goes on from the last one.
 */
export class KnownBlocks {
  private readonly select: Statement;
  private at = 1;
  /** Blocks of the first height that have no row of their hash. */
  private unchecked = 0;
  private hasMetFirst = false;
  /** Whether one of these blocks was one of the store's. */
  private hasMet = false;

  constructor(
    db: Database,
    private readonly head: ChainHead | undefined,
    private readonly origin: BlockOrigin = "of the recording",
  ) {
    this.select = db.prepare("SELECT no, time, height, hash FROM blocks WHERE no = ?");
  }

  /**
   * True for a block that is either the second one of the first height or the first one of another history: a store
   * that holds the first block alone cannot decide
   * (docs/protocol/20-network-history-segments.md#64-the-doubled-first-height). The block after it can: only the
   * latter is followed by another block of its height. The former has the time of the first one.
   * @throws NodeError `history_mismatch` when it has another
   */
  isDoubtful(block: Block): boolean {
    const { head } = this;
    if (!head || this.hasMet || head.height !== head.firstHeight) return false;
    if (block.chainId !== head.chainId || block.height !== head.height || isHead(block, head)) return false;
    if (this.hasFirstTwice && this.rowsAt(block.height).some((row) => isOf(row, block))) return false;
    if (microseconds(block.timeNs) !== head.timeUs) throw mismatch(block, this.origin);
    return true;
  }

  /** Whether the store ends at the first height, and has the genesis and block 1. */
  get hasFirstTwice(): boolean {
    const { head } = this;
    return head !== undefined && head.height === head.firstHeight && head.blocksAtHeight > 1;
  }

  /** @throws NodeError `history_mismatch` when the store holds another block in this one's place */
  has(block: Block): boolean {
    const { head } = this;
    if (!head || block.height > head.height || block.chainId !== head.chainId) return false;
    if (block.height < head.firstHeight) throw beforeHome(block, head);
    this.hasMet = true;
    const rows = this.rowsAt(block.height);
    if (rows.some((row) => isOf(row, block))) {
      if (block.height === head.firstHeight) this.hasMetFirst = true;
      return true;
    }
    if (block.height === head.height) {
      if (isHead(block, head)) return true;
      // The first height comes twice (docs/protocol/20-network-history-segments.md#64-the-doubled-first-height): this
      // may be its second block.
      if (head.height === head.firstHeight && head.blocksAtHeight === 1) return false;
      throw mismatch(block, this.origin);
    }
    if (!this.canLackRow(block, rows, head)) throw mismatch(block, this.origin);
    return true;
  }

  /**
   * A block at the time of the one before it has no row, and so no hash to compare (store/schema.ts). Of the first height
   * this is block 1, with a genesis before it that may have another hash.
   */
  private canLackRow(block: Block, rows: readonly BlockRow[], head: ChainHead): boolean {
    if (block.height !== head.firstHeight) return rows.length === 0;
    const isFree = ++this.unchecked <= (this.hasMetFirst ? 1 : 2);
    return isFree && rows.length === 1 && rows[0]!.timeUs === microseconds(block.timeNs);
  }

  private rowsAt(height: number): BlockRow[] {
    if ((this.row(this.at)?.height ?? height) < height) this.at++;
    if ((this.row(this.at)?.height ?? height) < height) this.at = this.firstRow(height);
    const rows: BlockRow[] = [];
    for (let no = this.at; ; no++) {
      const row = this.row(no);
      if (row?.height !== height) return rows;
      rows.push(row);
    }
  }

  /** Number of the first row at or above a height. Rows have no gaps. */
  private firstRow(height: number): number {
    let low = this.at;
    let high = this.head!.no + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.row(middle)!.height >= height) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private row(no: number): BlockRow | undefined {
    const row = this.select.get(no) as { time: bigint; height: bigint; hash: Uint8Array } | null;
    if (!row) return undefined;
    return {
      no,
      height: Number(row.height),
      timeUs: Number(row.time),
      hash: Buffer.from(hashOfRow(row)).toString("hex").toUpperCase(),
    };
  }
}

function isOf(row: BlockRow, block: Block): boolean {
  return row.hash === block.hash.toUpperCase();
}

function isHead(block: Block, head: ChainHead): boolean {
  return block.hash.toUpperCase() === head.hash.toUpperCase();
}

/** Rows are numbered from the first block on: nothing can be put before it, and there is nothing to compare with. */
function beforeHome(block: Block, { firstHeight }: ChainHead): NodeError {
  return new NodeError(
    "replay",
    "block_before_home",
    `block ${block.height} of the recording comes before block ${firstHeight}, the first one of this home`,
    "load the recording into another --home, from its first block on; or one that begins where this home does",
  );
}

function mismatch(block: Block, origin: BlockOrigin): NodeError {
  return new NodeError(
    "replay",
    "history_mismatch",
    `block ${block.height} ${origin} is not the block ${block.height} of this home`,
    "use another --home for another history of the chain",
  );
}
