// What the contracts' logs become on their way to the chain: chain events with their places on Ethereum (reference 60,
// sections 3.2 to 3.6, 7.1 and 9.4). Each has a nonce of its own.
import type { Init } from "../wire/codec.ts";
import type { ChainEvent } from "../wire/generated/commands.ts";
import { EthereumBlocks, type EthereumBlocksState, type EthereumPlace } from "./block-time.ts";

/** A log of a contract, on its way to the chain. */
export interface EthereumLog {
  readonly event: Init<ChainEvent>;
  /** How validators vote on it; undefined where they do not. */
  readonly voteType: number | undefined;
}

export interface EthereumLogsState {
  readonly blocks: EthereumBlocksState;
  readonly builtinNonce: string;
}

type Member<M extends "builtin" | "erc20" | "stakingEvent" | "erc20Multisig"> = NonNullable<
  Init<ChainEvent>[M]
>;

export class EthereumLogs {
  private readonly blocks: EthereumBlocks;
  private nonce = 0n;

  /** @param nowSeconds the chain's time, Unix seconds */
  constructor(
    chainId: string,
    private readonly nowSeconds: () => bigint,
  ) {
    this.blocks = new EthereumBlocks(chainId);
  }

  /** What happens on no other chain. */
  builtin(builtin: Member<"builtin">, voteType: number): EthereumLog {
    return { event: { nonce: this.nextNonce(), builtin }, voteType };
  }

  erc20(action: Member<"erc20">, voteType: number | undefined): EthereumLog {
    const { block, logIndex: index, ...place } = this.place();
    return this.log(place, { erc20: { index, block, ...action } }, voteType);
  }

  /** What the staking token says of itself: no log of a block. */
  supply(stakingEvent: Member<"stakingEvent">, voteType: number): EthereumLog {
    return this.log({ txHash: "internal" }, { stakingEvent }, voteType);
  }

  /** @param action is told the time of its block */
  staking(action: (blockTime: bigint) => Member<"stakingEvent">, voteType: number): EthereumLog {
    const { block, logIndex: index, ...place } = this.place();
    return this.log(place, { stakingEvent: { index, block, ...action(place.timeSeconds) } }, voteType);
  }

  /** Of the contract's events the latest wins, so each has a block alone. @param action is told the block's time */
  multisig(action: (blockTime: bigint) => Member<"erc20Multisig">, voteType: number): EthereumLog {
    const { block, logIndex: index, ...place } = this.place(true);
    return this.log(place, { erc20Multisig: { index, block, ...action(place.timeSeconds) } }, voteType);
  }

  save(): EthereumLogsState {
    return { blocks: this.blocks.save(), builtinNonce: this.nonce.toString() };
  }

  load({ blocks, builtinNonce }: EthereumLogsState): void {
    this.blocks.load(blocks);
    this.nonce = BigInt(builtinNonce);
  }

  private log(
    { txHash: txId }: Pick<EthereumPlace, "txHash">,
    content: Init<ChainEvent>,
    voteType: number | undefined,
  ): EthereumLog {
    return { event: { txId, nonce: this.nextNonce(), ...content }, voteType };
  }

  private place(alone = false): EthereumPlace {
    return this.blocks.next(this.nowSeconds(), alone);
  }

  private nextNonce(): bigint {
    this.nonce += 1n;
    return this.nonce;
  }
}
