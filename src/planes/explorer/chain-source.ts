// Transactions of a devnet's own chain, with their bytes.
import type { Database } from "bun:sqlite";
import { sha256HexOf } from "../../crypto/sha.ts";
import { type ChainTxRow, chainTransaction } from "../../store/chain-transactions.ts";
import { attributesOf } from "../../wire/transaction-attributes.ts";
import { contentOf, type ExplorerTx, type TransactionSource, type TxRange } from "./transactions.ts";

const CHUNK_ROWS = 500;

export class ChainSource implements TransactionSource {
  /** @param isSignedOnly without those of a devnet's tools @param failureOf text of a failure, where it was kept */
  constructor(
    private readonly db: Database,
    private readonly isSignedOnly: boolean,
    private readonly failureOf: (height: number, hash: string) => string,
  ) {}

  *newestFirst({ before, after }: TxRange): Generator<ExplorerTx, void, undefined> {
    let [height, n] = [before?.height ?? Number.MAX_SAFE_INTEGER, before?.index ?? 0];
    const select = this.db.query(
      `SELECT height, n, code, impersonated, bytes FROM chain_txs WHERE impersonated <= ? AND (height, n) < (?, ?)
        AND (height, n) > (?, ?) ORDER BY height DESC, n DESC LIMIT ${CHUNK_ROWS}`,
    );
    for (;;) {
      const rows = select.all(
        this.isSignedOnly ? 0 : 1,
        height,
        n,
        after?.height ?? -1,
        after?.index ?? 0,
      ) as ChainTxRow[];
      for (const row of rows) yield this.txOf(row);
      const last = rows.at(-1);
      if (rows.length < CHUNK_ROWS || !last) return;
      [height, n] = [Number(last.height), Number(last.n)];
    }
  }

  withHash(hash: string): ExplorerTx[] {
    const row = chainTransaction(this.db, hash, this.isSignedOnly);
    return row === undefined ? [] : [this.txOf(row)];
  }

  private txOf({ height, n, code, impersonated, bytes }: ChainTxRow): ExplorerTx {
    const hash = sha256HexOf(bytes);
    return {
      height: Number(height),
      index: Number(n),
      hash,
      code: Number(code),
      error: code === 0n ? "" : this.failureOf(Number(height), hash),
      attributes: attributesOf({ bytes, hash }),
      content: () => contentOf(bytes),
      bytes,
      isImpersonated: impersonated !== 0n,
    };
  }
}
