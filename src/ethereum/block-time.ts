// Blocks of the simulated Ethereum. One is made for each second of the chain's time in which something happens, so
// two runs of the same chain have the same Ethereum (reference 60, sections 3.4 and 7.1).
import { sha3HexOf } from "../crypto/sha3.ts";

/** Where in Ethereum something happened. */
export interface EthereumPlace {
  /** `0x` and 64 hexadecimal digits. */
  readonly txHash: string;
  readonly block: bigint;
  readonly logIndex: bigint;
  /** Time of the Ethereum block, Unix seconds. */
  readonly timeSeconds: bigint;
}

export interface EthereumBlocksState {
  readonly block: string;
  readonly logIndex: string;
  readonly timeSeconds: string;
  readonly transactions: number;
}

export class EthereumBlocks {
  private state: EthereumBlocksState = { block: "0", logIndex: "0", timeSeconds: "0", transactions: 0 };

  /** @param name goes into the transaction hashes */
  constructor(private readonly name: string) {}

  /**
   * The place of the next transaction, each with one log.
   * @param nowSeconds the chain's time @param alone in a block later than all before it: where the latest wins
   */
  next(nowSeconds: bigint, alone = false): EthereumPlace {
    const { block, logIndex, timeSeconds: last, transactions } = this.state;
    const least = BigInt(last) + (alone ? 1n : 0n);
    const timeSeconds = nowSeconds > least ? nowSeconds : least;
    const isNew = timeSeconds > BigInt(last);
    const place = {
      txHash: `0x${sha3HexOf(Buffer.from(`${this.name} ethereum transaction ${transactions}`, "utf8"))}`,
      block: isNew ? BigInt(block) + 1n : BigInt(block),
      logIndex: isNew ? 0n : BigInt(logIndex) + 1n,
      timeSeconds,
    };
    this.state = {
      block: place.block.toString(),
      logIndex: place.logIndex.toString(),
      timeSeconds: timeSeconds.toString(),
      transactions: transactions + 1,
    };
    return place;
  }

  save(): EthereumBlocksState {
    return this.state;
  }

  load(state: EthereumBlocksState): void {
    this.state = state;
  }
}
