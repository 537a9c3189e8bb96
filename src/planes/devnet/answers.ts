// Answers of the tools, as JSON. 64-bit numbers and amounts are texts, as everywhere in the API.
import type { RefusalDetails } from "../../engine/chain-port.ts";

/** The chain as of its last block. */
export interface DevnetStatus {
  readonly chainId: string;
  readonly height: string;
  /** Of the last block, lower-case hexadecimal. */
  readonly hash: string;
  readonly appHash: string;
  /** RFC 3339 with nanoseconds. */
  readonly time: string;
  readonly epoch: { readonly seq: string; readonly start: string; readonly expire: string };
  /** Parameters of the proofs of work. */
  readonly pow: {
    readonly hashFunction: string;
    /** Leading zero bits. */
    readonly difficulty: number;
    readonly pastBlocks: number;
    readonly txPerBlock: number;
    readonly increasingDifficulty: boolean;
  };
  readonly mempool: { readonly count: number; readonly bytes: number };
  /** Why the chain stands still; absent while it does not. */
  readonly halted?: string;
}

export interface DevnetClock extends DevnetStatus {
  /** Of the next block if it were made now, RFC 3339 with nanoseconds. */
  readonly nextBlockTime: string;
  readonly frozen: boolean;
}

export interface DevnetMode extends DevnetStatus {
  /** `instant`, `manual`, `1s`, `mixed:1s`. */
  readonly mode: string;
}

/** Blocks that a proof of work may name, with the parameters that hold for each. */
export interface BlocksAnswer {
  readonly blocks: readonly {
    readonly chainId: string;
    readonly height: string;
    /** Lower-case hexadecimal. */
    readonly hash: string;
    readonly hashFunction: string;
    /** Leading zero bits. */
    readonly difficulty: number;
    readonly pastBlocks: string;
    readonly txPerBlock: string;
    readonly increasingDifficulty: boolean;
  }[];
  /** `instant`, `manual`, `1s`, `mixed:1s`. */
  readonly mode: string;
}

export interface OutcomesAnswer {
  readonly outcomes: readonly {
    readonly txHash: string;
    /** `executed`, `failed` in a block, `refused` before any, `waiting` for one, `unknown` to this chain. */
    readonly state: "executed" | "failed" | "refused" | "waiting" | "unknown";
    readonly code?: number;
    /** The reason of a refusal. */
    readonly data?: string;
    readonly height?: string;
    /** Of a refusal: its rule, a sentence, and the sender's numbers. */
    readonly details?: RefusalDetails;
  }[];
}

/** An event of Ethereum is on the chain. */
export interface BroughtAnswer {
  /** Why its effect is not on the chain yet: it comes by itself. Absent when it is there. */
  readonly pending?: string;
}

export interface DepositAnswer extends BroughtAnswer {
  /** Identifier. */
  readonly deposit: string;
}

export interface StakeAnswer extends BroughtAnswer {
  /** Identifier of the stake linking. */
  readonly linking: string;
}

export interface ListAnswer extends BroughtAnswer {
  /** Identifier of the asset. */
  readonly listed: string;
}

export interface LimitsAnswer extends BroughtAnswer {
  /** Identifier. */
  readonly proposal: string;
}

export interface ClaimAnswer extends BroughtAnswer {
  /** Identifier of the withdrawal. */
  readonly claimed: string;
}

export interface SignersAnswer extends BroughtAnswer {
  /** Ethereum address. */
  readonly added?: string;
  readonly removed?: string;
  /** Of 1,000. */
  readonly threshold?: number;
}

export interface StoppedAnswer extends BroughtAnswer {
  readonly stopped: boolean;
}

export interface ImpersonateAnswer {
  /** Always true: a refusal is an error. */
  readonly success: boolean;
  /** Upper-case hexadecimal. */
  readonly txHash: string;
  readonly code: number;
  readonly data: string;
  readonly height: string;
}

export interface BanAnswer {
  readonly party: string;
  /** RFC 3339 with nanoseconds. */
  readonly bannedUntil: string;
}

interface MarketAnswer {
  /** Identifier. */
  readonly market: string;
}

export interface MarketCreated extends MarketAnswer {
  /** Of its instrument. */
  readonly code: string;
  /** `STATE_...` */
  readonly state: string;
  /** `TRADING_MODE_...` */
  readonly tradingMode: string;
  /** Public key whose data settles it; empty where no key does. */
  readonly oracle: string;
}

export interface MarketPriced extends MarketAnswer {
  /** As it was asked for. */
  readonly price: string;
  /** In the market's decimals; absent while there is none. */
  readonly markPrice?: string;
  /** `TRADING_MODE_...`: in an auction the trade waits for its end. */
  readonly tradingMode: string;
}

export interface MarketRun extends MarketAnswer {
  readonly orders: number;
  /** Last middle of the maker's quotes, in the market's decimals. */
  readonly price: string;
  readonly markPrice: string;
  /** `TRADING_MODE_...` */
  readonly tradingMode: string;
}

export interface MarketTerminated extends MarketAnswer {
  /** `STATE_...` */
  readonly state: string;
}

export interface MarketSettled extends MarketTerminated {
  /** As it was asked for. */
  readonly price: string;
}
