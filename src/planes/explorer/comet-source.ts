// Transactions from the index of a consensus engine, over its RPC (`lyra sidecar --comet`).
import { attributesOf } from "../../wire/transaction-attributes.ts";
import {
  contentOf,
  type ExplorerTx,
  isWithin,
  type TransactionSource,
  type TxRange,
} from "./transactions.ts";

/** A transaction as the engine's index has it. */
interface IndexedTx {
  readonly height: number;
  readonly index: number;
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly code: number;
  readonly text: string;
}

/** The engine's index. */
export interface TxIndex {
  /** Height of its last block. */
  height(): Promise<number>;
  /** A page of what fits, newest first, and how many fit. @param page from 1 on */
  search(
    query: string,
    page: number,
  ): Promise<{ readonly txs: readonly IndexedTx[]; readonly total: number }>;
}

/** Blocks of the first search; each further search covers ten times as many. */
const FIRST_BLOCKS = 100;
const BLOCKS_MAX = 100_000;
const FACTOR = 10;
/** Attributes that the engine indexes. */
const INDEXED = /^[a-z]+\.[a-z_]+$/;
const VALUE = /^[^'"\\]{1,100}$/;

export class CometSource implements TransactionSource {
  constructor(private readonly index: TxIndex) {}

  async *newestFirst(range: TxRange, attributes: ExplorerTx["attributes"]): AsyncGenerator<ExplorerTx> {
    if (!attributes.every(([name, value]) => INDEXED.test(name) && VALUE.test(value))) return;
    const conditions = attributes.map(([name, value]) => `${name} = '${value}'`);
    const last = Math.min(range.before?.height ?? Number.MAX_SAFE_INTEGER, await this.index.height());
    const first = Math.max(range.after?.height ?? 1, 1);
    let blocks = FIRST_BLOCKS;
    for (let high = last; high >= first; blocks = Math.min(blocks * FACTOR, BLOCKS_MAX)) {
      const low = Math.max(first, high - blocks + 1);
      const query = [`tx.height >= ${low}`, `tx.height <= ${high}`, ...conditions].join(" AND ");
      for await (const tx of this.pages(query)) if (isWithin(tx, range)) yield txOf(tx);
      high = low - 1;
    }
  }

  async withHash(hash: string): Promise<ExplorerTx[]> {
    const { txs } = await this.index.search(`tx.hash = '${hash.toUpperCase()}'`, 1);
    return txs.map(txOf);
  }

  private async *pages(query: string): AsyncGenerator<IndexedTx> {
    let seen = 0;
    for (let page = 1; ; page++) {
      const { txs, total } = await this.index.search(query, page);
      yield* txs;
      seen += txs.length;
      if (txs.length === 0 || seen >= total) return;
    }
  }
}

function txOf({ bytes, text, ...tx }: IndexedTx): ExplorerTx {
  return {
    ...tx,
    error: text,
    attributes: attributesOf({ bytes, hash: tx.hash }),
    content: () => contentOf(bytes),
    bytes,
  };
}
