// What the chain tells of itself after each block.
import type { ChainStatus, RememberedRefusal, TxOutcome } from "../engine/chain-port.ts";
import { toPlain } from "../wire/json.ts";
import type { CheckedTransaction } from "../wire/transaction-check.ts";
import type { ExecutedBlock } from "./block-runner.ts";
import type { ChainCore } from "./chain-core.ts";
import type { PooledTx } from "./mempool.ts";
import type { LocalChainOptions } from "./options.ts";

/** The average size of transactions starts anew after so many (reference 30, section 5.1). */
const AVERAGE_WINDOW_TXS = 5_000;
const NO_POW: ChainStatus["pow"] = {
  hashFunction: "",
  difficulty: 0,
  pastBlocks: 0,
  txPerBlock: 0,
  increasingDifficulty: false,
};

export class StatusBoard {
  private latest!: ChainStatus;
  private sampledTxs = 0;
  private sampledBytes = 0;

  constructor(
    private readonly core: ChainCore,
    private readonly options: LocalChainOptions,
  ) {}

  get status(): ChainStatus {
    return this.latest;
  }

  /** The status after a block. */
  after(_block: ExecutedBlock, txs: readonly PooledTx[]): ChainStatus {
    for (const { bytes } of txs) {
      if (this.sampledTxs >= AVERAGE_WINDOW_TXS) {
        this.sampledTxs = 0;
        this.sampledBytes = 0;
      }
      this.sampledTxs++;
      this.sampledBytes += bytes.length;
    }
    return this.update();
  }

  /** The status of where the chain is now. */
  update(): ChainStatus {
    const { point, engine, log } = this.core;
    const { seq, startNs, expireNs } = engine.epoch;
    const pow = log.admission.pow.parameters;
    this.latest = {
      chainId: engine.chainId,
      height: point.height,
      hash: point.hash,
      appHash: point.appHash,
      timeNs: BigInt(point.timeNs),
      previousTimeNs: BigInt(point.previousTimeNs),
      genesisTimeNs: this.core.genesis.timeNs,
      startedNs: this.options.startedNs,
      epoch: { seq, startNs, expireNs },
      pow: pow
        ? {
            hashFunction: pow.hashFunction,
            difficulty: pow.difficulty,
            pastBlocks: Number(pow.pastBlocks),
            txPerBlock: Number(pow.txPerBlock),
            increasingDifficulty: pow.increasingDifficulty,
          }
        : NO_POW,
      mempool: { count: 0, bytes: 0 },
      totals: {
        txsLastBlock: point.txs,
        averageTxBytes: this.sampledTxs === 0 ? 0 : Math.floor(this.sampledBytes / this.sampledTxs),
        events: BigInt(point.events),
        eventsLastBlock: point.blockEvents,
      },
      halted: undefined,
    };
    return this.latest;
  }
}

// Verdicts of refused and failed transactions that a person may still ask about: the newest ones, bounded in bytes.

const REFUSALS_MAX = 1_000;
const TEXT_CHARACTERS_MAX = 1_000;
const COMMAND_CHARACTERS_MAX = 4_000;

export class RecentRefusals {
  private readonly byHash = new Map<
    string,
    { readonly outcome: TxOutcome; readonly tx: string | undefined }
  >();

  add(outcome: TxOutcome, tx: CheckedTransaction | undefined): void {
    if (outcome.code === 0) return;
    const { details } = outcome;
    this.byHash.delete(outcome.hash);
    this.byHash.set(outcome.hash, {
      outcome: {
        ...outcome,
        text: short(outcome.text),
        details: details && { rule: details.rule, numbers: {}, sentence: short(details.sentence) },
      },
      tx: tx && commandText(tx),
    });
    if (this.byHash.size <= REFUSALS_MAX) return;
    const [oldest] = this.byHash.keys();
    this.byHash.delete(oldest!);
  }

  /** @param hash upper-case hexadecimal */
  find(hash: string): RememberedRefusal | undefined {
    const found = this.byHash.get(hash);
    return found && { outcome: found.outcome, ...(found.tx && JSON.parse(found.tx)) };
  }
}

/** A part of a text holds on to the whole of it, unless it is made anew. */
function short(text: string): string {
  if (text.length <= TEXT_CHARACTERS_MAX) return text;
  return Buffer.from(text.slice(0, TEXT_CHARACTERS_MAX), "utf8").toString("utf8");
}

/** Sender and command, where the command is not too long to keep. */
function commandText({ party, kind, payload, nonce, blockHeight }: CheckedTransaction): string {
  const command = toPlain("vega.commands.v1.InputData", { nonce, blockHeight, [kind]: payload }, "stored");
  const text = JSON.stringify({ party, command });
  return text.length <= COMMAND_CHARACTERS_MAX ? text : JSON.stringify({ party });
}
