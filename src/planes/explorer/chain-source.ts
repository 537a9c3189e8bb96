// Transactions of a devnet's own chain, with their bytes.
import type { Database } from "bun:sqlite";
import { sha256HexOf } from "../../crypto/sha.ts";
import { attributesOf } from "../../wire/transaction-attributes.ts";
import { contentOf, type ExplorerTx, type TransactionSource, type TxRange } from "./transactions.ts";

const CHUNK_ROWS = 500;
/** Transactions examined for a hash, newest first: about a second of work. */
const SEARCHED_MAX = 500_000;

interface Row {
  readonly height: bigint;
  readonly n: bigint;
  readonly code: bigint;
  readonly impersonated: bigint;
  readonly bytes: Uint8Array;
}

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
        this.impersonatedMax,
        height,
        n,
        after?.height ?? -1,
        after?.index ?? 0,
      ) as Row[];
      for (const row of rows) yield this.txOf(row);
      const last = rows.at(-1);
      if (rows.length < CHUNK_ROWS || !last) return;
      [height, n] = [Number(last.height), Number(last.n)];
    }
  }

  withHash(hash: string): ExplorerTx[] {
    const rows = this.db
      .query(
        "SELECT height, n, code, impersonated, bytes FROM chain_txs WHERE impersonated <= ? ORDER BY height DESC, n DESC LIMIT ?",
      )
      .iterate(this.impersonatedMax, SEARCHED_MAX) as Iterable<Row>;
    for (const row of rows) if (sha256HexOf(row.bytes) === hash) return [this.txOf(row)];
    return [];
  }

  private get impersonatedMax(): number {
    return this.isSignedOnly ? 0 : 1;
  }

  private txOf({ height, n, code, impersonated, bytes }: Row): ExplorerTx {
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
