// What the projections know of the block that is being written (project/context.ts): its numbers, and rows for hashes.
import { type Block, type BlockEvent, SEQUENCE_MAX } from "../wire/block.ts";
import type { Accounts } from "./accounts.ts";
import type { ChainHead } from "./head.ts";
import type { Ids } from "./ids.ts";
import type { BlockContext } from "./project/context.ts";

const ORD_PART_SHIFT = 2 ** 24;

/** The block's hash is in no row of `blocks`. */
export const NO_ROW = -1;
/** Its row leaves it out. */
export const IMPLIED_HASH = -2;

/** Rows of `txs`, and what they are made of. */
export interface TxRows {
  take(hex: string): number;
  hashOf(block: number): string;
  keepBlockHash(block: number, hex: string): void;
}

export class WritingBlock implements BlockContext {
  readonly no: number;
  readonly timeUs: number;
  readonly isContinued: boolean;
  private readonly ordBase: number;
  /** Made with the first row: most blocks have none but their own hash. */
  private txs: number[] | undefined;
  /** Rows made for hashes of earlier blocks. */
  private carried: Map<number, number> | undefined;
  private ledgerEntries = 0;

  constructor(
    private readonly block: Block,
    readonly head: ChainHead,
    readonly ids: Ids,
    readonly accounts: Accounts,
    /** 0 when the block's hash is the one in its row, else `NO_ROW` or `IMPLIED_HASH`. */
    private readonly ownTx: number,
    private readonly txRows: TxRows,
  ) {
    this.no = head.no;
    this.timeUs = head.timeUs;
    this.isContinued = head.part > 0;
    this.ordBase = head.part * ORD_PART_SHIFT;
  }

  has(field: number): boolean {
    return this.block.events.some((event) => event.field === field);
  }

  tx(event: BlockEvent): number {
    if (event.tx === 0 && this.ownTx === 0) return 0;
    this.txs ??= [];
    let tx = this.txs[event.tx];
    if (tx === undefined) {
      const isImplied = event.tx === 0 && this.ownTx === IMPLIED_HASH;
      if (isImplied) this.txRows.keepBlockHash(this.no, this.block.hash);
      tx = isImplied ? 0 : this.txRows.take(this.block.txHashes[event.tx]!);
      this.txs[event.tx] = tx;
    }
    return tx;
  }

  carriedTx(tx: number, block: number): number {
    if (tx !== 0 || block === this.no) return tx;
    this.carried ??= new Map();
    let row = this.carried.get(block);
    if (row === undefined) {
      row = this.txRows.take(this.txRows.hashOf(block));
      this.carried.set(block, row);
    }
    return row;
  }

  ord(event: BlockEvent): number {
    return this.ordBase + event.seq;
  }

  ordOf(n: number): number {
    if (n > SEQUENCE_MAX) throw new Error(`the block has more than ${SEQUENCE_MAX} rows of a kind`);
    return this.ordBase + n;
  }

  nextLedgerEntry(): number {
    return this.ledgerEntries++;
  }
}
