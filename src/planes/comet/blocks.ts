/**
 * A chain's stored blocks in the forms of the consensus engine's RPC. Hash, height, time and transactions are the
 * chain's; of the rest whatever follows from them is worked out, and nothing is signed.
 */

import type { Database, Statement } from "bun:sqlite";
import { consensusAddress } from "../../crypto/consensus-address.ts";
import { sha256HexOf } from "../../crypto/sha.ts";
import { blockHash, hashOfRow } from "../../store/head.ts";
import { hexOf } from "../../wire/identifiers.ts";
import { MICROSECOND_NS, rfc3339Nano } from "../../wire/time-text.ts";
import { BLOCK_BYTES_MAX, type CometGenesis } from "./genesis.ts";
import {
  absentCommitHash,
  consensusHash,
  dataHash,
  merkleRoot,
  partsHash,
  resultsHash,
  validatorsHash,
} from "./merkle.ts";
import { type BlockTx, dataOf, deliverResult } from "./results.ts";

const NO_BLOCK_ID = { hash: "", parts: { total: 0, hash: "" } };
const NO_TIME = "0001-01-01T00:00:00Z";
/** Versions of the block and of the application. */
export const VERSION = { block: "11", app: "1" };

interface Row {
  readonly no: bigint;
  readonly height: bigint;
  readonly time: bigint;
  readonly hash: Uint8Array;
}

export interface StoredBlock {
  readonly height: number;
  /** Upper-case hex. */
  readonly hash: string;
  readonly timeNs: bigint;
}

interface TxRow {
  readonly height: bigint;
  readonly code: bigint;
  readonly bytes: Uint8Array;
  readonly text: string | null;
}

export class CometBlocks {
  private readonly rowOf: Statement;
  private readonly appHashBefore: Statement;
  private readonly txsOf: Statement;
  private readonly constant: {
    readonly validators: string;
    readonly consensus: string;
    readonly commit: string;
  };

  constructor(
    private readonly db: Database,
    private readonly genesis: CometGenesis,
    private readonly genesisTimeNs: () => bigint,
  ) {
    this.rowOf = db.prepare("SELECT no, height, time, hash FROM blocks WHERE no = ?");
    this.appHashBefore = db.prepare(
      "SELECT app_hash FROM chain_blocks WHERE height < ? ORDER BY height DESC LIMIT 1",
    );
    this.txsOf = db.prepare(txQuery("WHERE height = ? AND impersonated = 0 ORDER BY n"));
    this.constant = {
      validators: validatorsHash(genesis.validators),
      consensus: consensusHash({ bytesMax: BLOCK_BYTES_MAX }),
      commit: absentCommitHash(),
    };
  }

  /** Heights of the first and the last block. */
  get range(): { readonly first: number; readonly last: number } {
    const first = this.edge("ASC");
    const last = this.edge("DESC");
    return { first: Number(first.height), last: Number(last.height) };
  }

  /** @param height of a block that there is */
  find(height: number): StoredBlock {
    const last = this.edge("DESC");
    const no = Number(last.no) - (Number(last.height) - height);
    const row = this.rowOf.get(no) as Row;
    if (no > 1) {
      const hash = hexOf(hashOfRow(row)).toUpperCase();
      return { height, hash, timeNs: row.time * MICROSECOND_NS };
    }
    // The first row has the hash of the genesis; the block itself is an empty one at the same time.
    const timeNs = this.genesisTimeNs();
    return { height, hash: blockHash(BigInt(height), timeNs, []).toUpperCase(), timeNs };
  }

  /** The transactions that were submitted, in order; those of the devnet's tools have no signature, and are left out. */
  txs(height: number): BlockTx[] {
    return (this.txsOf.all(height) as TxRow[]).map(blockTx);
  }

  blockId(height: number): object {
    return blockIdOf(this.find(height).hash);
  }

  /** Hash of the application's state before a block, as of the last one in which something was asked for. */
  appHash(height: number): string {
    const row = this.appHashBefore.get(height) as { app_hash: Uint8Array } | null;
    if (row) return hexOf(row.app_hash).toUpperCase();
    // The hash of the genesis.
    return hexOf((this.rowOf.get(1) as Row).hash).toUpperCase();
  }

  header(block: StoredBlock, txs: readonly BlockTx[]): object {
    const { height, timeNs } = block;
    const { validators, consensus, commit } = this.constant;
    const isFirst = height === this.range.first;
    const resultsBefore = isFirst ? [] : this.txs(height - 1);
    const [proposer] = this.genesis.validators;
    return {
      version: VERSION,
      chain_id: this.chainId,
      height: String(height),
      time: rfc3339Nano(timeNs),
      last_block_id: isFirst ? NO_BLOCK_ID : this.blockId(height - 1),
      last_commit_hash: isFirst ? merkleRoot([]) : commit,
      data_hash: dataHash(txs.map(({ bytes }) => bytes)),
      validators_hash: validators,
      next_validators_hash: validators,
      consensus_hash: consensus,
      app_hash: this.appHash(height),
      last_results_hash: resultsHash(resultsBefore.map((tx) => ({ code: tx.code, data: dataOf(tx) }))),
      evidence_hash: merkleRoot([]),
      proposer_address: proposer ? consensusAddress(proposer.publicKey).toUpperCase() : "",
    };
  }

  /** The `block` of an answer or of an event. */
  block(height: number): { readonly block_id: object; readonly block: object } {
    const row = this.find(height);
    const txs = this.txs(height);
    const isFirst = height === this.range.first;
    return {
      block_id: blockIdOf(row.hash),
      block: {
        header: this.header(row, txs),
        data: { txs: txs.map(({ bytes }) => Buffer.from(bytes).toString("base64")) },
        evidence: { evidence: [] },
        last_commit: isFirst ? NO_COMMIT : { ...this.commitOf(height - 1) },
      },
    };
  }

  /** A block without its transactions. `block_size` is their bytes alone: no block is put together. */
  meta(height: number): object {
    const row = this.find(height);
    const txs = this.txs(height);
    return {
      block_id: blockIdOf(row.hash),
      block_size: String(txs.reduce((sum, { bytes }) => sum + bytes.length, 0)),
      header: this.header(row, txs),
      num_txs: String(txs.length),
    };
  }

  results(height: number): object {
    const txs = this.txs(height);
    return {
      height: String(height),
      txs_results: txs.length === 0 ? null : txs.map(deliverResult),
      begin_block_events: null,
      end_block_events: null,
      validator_updates: null,
      consensus_param_updates: null,
    };
  }

  /** Transactions from the newest block on, down to a height. */
  *txsBack(
    from: number,
    to: number,
  ): Generator<BlockTx & { readonly height: number; readonly index: number }> {
    const heights = this.db.prepare(
      "SELECT DISTINCT height FROM chain_txs WHERE height BETWEEN ? AND ? ORDER BY height DESC",
    );
    try {
      for (const row of heights.iterate(to, from) as Iterable<{ height: bigint }>) {
        const height = Number(row.height);
        const txs = this.txs(height);
        for (let index = txs.length - 1; index >= 0; index--) yield { ...txs[index]!, height, index };
      }
    } finally {
      heights.finalize();
    }
  }

  private get chainId(): string {
    return (this.genesis.document as { chain_id: string }).chain_id;
  }

  /** There is no signature: its only one is absent. */
  private commitOf(height: number): object {
    const absent = { block_id_flag: 1, validator_address: "", timestamp: NO_TIME, signature: null };
    return { height: String(height), round: 0, block_id: this.blockId(height), signatures: [absent] };
  }

  private edge(order: "ASC" | "DESC"): Pick<Row, "no" | "height"> {
    return this.db.query(`SELECT no, height FROM blocks ORDER BY no ${order} LIMIT 1`).get() as Row;
  }
}

const NO_COMMIT = { height: "0", round: 0, block_id: NO_BLOCK_ID, signatures: [] };

function blockIdOf(hash: string): object {
  return { hash, parts: { total: 1, hash: partsHash(hash) } };
}

function txQuery(rest: string): string {
  return `SELECT height, code, bytes, (SELECT text FROM chain_texts t
    WHERE t.height = chain_txs.height AND t.n = chain_txs.n) AS text FROM chain_txs ${rest}`;
}

function blockTx({ code, bytes, text }: TxRow): BlockTx {
  return { hash: sha256HexOf(bytes).toUpperCase(), bytes, code: Number(code), text: text ?? "" };
}
