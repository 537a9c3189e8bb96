// The status of the chain after each block.
import { type ChainStatus, NO_TRADING } from "../engine/chain-port.ts";
import type { ExecutedBlock } from "./block-runner.ts";
import type { ChainCore } from "./chain-core.ts";
import type { PooledTx } from "./mempool.ts";
import type { LocalChainOptions } from "./options.ts";

/** The average size of transactions restarts after this many (docs/protocol/30-node-api-endpoints.md#51-coreservice). */
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
  private trading = NO_TRADING;
  private tradingLastBlock = NO_TRADING;

  constructor(
    private readonly core: ChainCore,
    private readonly options: Pick<LocalChainOptions, "startedNs">,
  ) {}

  get status(): ChainStatus {
    return this.latest;
  }

  /** The status after a block. */
  after({ trading }: ExecutedBlock, txs: readonly PooledTx[]): ChainStatus {
    for (const { bytes } of txs) {
      if (this.sampledTxs >= AVERAGE_WINDOW_TXS) {
        this.sampledTxs = 0;
        this.sampledBytes = 0;
      }
      this.sampledTxs++;
      this.sampledBytes += bytes.length;
    }
    this.tradingLastBlock = trading;
    this.trading = {
      submissions: this.trading.submissions + trading.submissions,
      amendments: this.trading.amendments + trading.amendments,
      cancellations: this.trading.cancellations + trading.cancellations,
      trades: this.trading.trades + trading.trades,
    };
    return this.update();
  }

  /** The status of where the chain is now. */
  update(): ChainStatus {
    const { place: point, engine, admission } = this.core;
    const { seq, startNs, expireNs } = engine.epoch;
    const pow = admission.pow.parameters;
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
        trading: this.trading,
        tradingLastBlock: this.tradingLastBlock,
      },
      halted: undefined,
      haltedMarkets: engine.haltedMarkets(),
      releases: engine.releases?.(),
    };
    return this.latest;
  }
}
