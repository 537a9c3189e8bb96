// Logs of the contracts as chain events with their places on the simulated Ethereum
// (docs/protocol/60-state-engine-accounts.md#32-chain-event-intake-all-kinds to #36-other-erc20-chain-events,
// docs/protocol/60-state-engine-staking.md#71-stake-linking and #94-multisig-contract-view), each with a nonce of its
// own. An Ethereum block is made for each second of the chain's time in which something happens, so two runs of the
// same chain have the same Ethereum.

import { sha3HexOf } from "../crypto/sha.ts";
import type { Init } from "../wire/codec.ts";
import type { ChainEvent } from "../wire/generated/commands.ts";

/** A log of a contract, on its way to the chain. */
export interface EthereumLog {
  readonly event: Init<ChainEvent>;
  /** The validators' vote on it; undefined where they do not vote. */
  readonly voteType: number | undefined;
}

/** Where in Ethereum something happened. */
interface EthereumPlace {
  /** `0x` and 64 hexadecimal digits. */
  readonly txHash: string;
  readonly block: bigint;
  readonly logIndex: bigint;
  /** Time of the Ethereum block, Unix seconds. */
  readonly timeSeconds: bigint;
}

/** The last block, and how many transactions there were. */
interface EthereumBlocksState {
  readonly block: string;
  readonly logIndex: string;
  readonly timeSeconds: string;
  readonly transactions: number;
}

export interface EthereumLogsState {
  readonly blocks: EthereumBlocksState;
  readonly builtinNonce: string;
}

type Member<M extends "builtin" | "erc20" | "stakingEvent" | "erc20Multisig"> = NonNullable<
  Init<ChainEvent>[M]
>;

export class EthereumLogs {
  private blocks: EthereumBlocksState = { block: "0", logIndex: "0", timeSeconds: "0", transactions: 0 };
  private nonce = 0n;

  /** @param chainId goes into the transaction hashes @param nowSeconds the chain's time, Unix seconds */
  constructor(
    private readonly chainId: string,
    private readonly nowSeconds: () => bigint,
  ) {}

  /** An event of a builtin asset, which no other chain has. */
  builtin(builtin: Member<"builtin">, voteType: number): EthereumLog {
    return { event: { nonce: this.nextNonce(), builtin }, voteType };
  }

  erc20(action: Member<"erc20">, voteType: number | undefined): EthereumLog {
    const { block, logIndex: index, ...place } = this.place();
    return this.log(place, { erc20: { index, block, ...action } }, voteType);
  }

  /** The staking token's supply: not a log of a block. */
  supply(stakingEvent: Member<"stakingEvent">, voteType: number): EthereumLog {
    return this.log({ txHash: "internal" }, { stakingEvent }, voteType);
  }

  /** @param action gets the time of its block */
  staking(action: (blockTime: bigint) => Member<"stakingEvent">, voteType: number): EthereumLog {
    const { block, logIndex: index, ...place } = this.place();
    return this.log(place, { stakingEvent: { index, block, ...action(place.timeSeconds) } }, voteType);
  }

  /** Of the contract's events the latest wins, so each has a block alone. @param action gets the block's time */
  multisig(action: (blockTime: bigint) => Member<"erc20Multisig">, voteType: number): EthereumLog {
    const { block, logIndex: index, ...place } = this.place(true);
    return this.log(place, { erc20Multisig: { index, block, ...action(place.timeSeconds) } }, voteType);
  }

  save(): EthereumLogsState {
    return { blocks: this.blocks, builtinNonce: this.nonce.toString() };
  }

  load({ blocks, builtinNonce }: EthereumLogsState): void {
    this.blocks = blocks;
    this.nonce = BigInt(builtinNonce);
  }

  private log(
    { txHash: txId }: Pick<EthereumPlace, "txHash">,
    content: Init<ChainEvent>,
    voteType: number | undefined,
  ): EthereumLog {
    return { event: { txId, nonce: this.nextNonce(), ...content }, voteType };
  }

  /** The place of the next transaction, each with one log. @param alone in a block later than all before it */
  private place(alone = false): EthereumPlace {
    const { block, logIndex, timeSeconds: last, transactions } = this.blocks;
    const least = BigInt(last) + (alone ? 1n : 0n);
    const now = this.nowSeconds();
    const timeSeconds = now > least ? now : least;
    const isNew = timeSeconds > BigInt(last);
    const place = {
      txHash: `0x${sha3HexOf(Buffer.from(`${this.chainId} ethereum transaction ${transactions}`, "utf8"))}`,
      block: isNew ? BigInt(block) + 1n : BigInt(block),
      logIndex: isNew ? 0n : BigInt(logIndex) + 1n,
      timeSeconds,
    };
    this.blocks = {
      block: place.block.toString(),
      logIndex: place.logIndex.toString(),
      timeSeconds: timeSeconds.toString(),
      transactions: transactions + 1,
    };
    return place;
  }

  private nextNonce(): bigint {
    this.nonce += 1n;
    return this.nonce;
  }
}
