// The wallet's way to a network: a narrow port. Adapters: HTTP (http-node.ts), and a chain in the same process
// (planes/wallet/chain-node.ts).
import { NodeError } from "../../errors/node-error.ts";
import type { ErrorCode, MessageOf } from "../../errors/program-codes.ts";
import type { GetSpamStatisticsResponse } from "../../wire/generated/core-api.ts";
import type { SendingMode, SubmissionResult } from "../client/raw-submission.ts";
import type { LastBlock } from "./chain-view.ts";

export type { SendingMode, SubmissionResult };

/** What a person has to know of an asset to read an amount of it. */
export interface AssetFacts {
  readonly symbol: string;
  readonly decimals: number;
}

/** What a person has to know of a market to read prices and sizes of it. */
export interface MarketFacts {
  /** Of its instrument. */
  readonly code: string;
  /** What prices are in. */
  readonly quoteName: string;
  readonly settlementAsset: string;
  /** Of prices. */
  readonly decimals: number;
  /** Of sizes; below zero where the smallest size is ten or more. */
  readonly positionDecimals: number;
}

export interface CheckResult {
  /** 0 when the node would take it. */
  readonly code: number;
  readonly reason: string;
}

export interface NodeClient {
  /** Its address, for people and for the `node` member of results. */
  readonly host: string;
  /** @throws NodeError `node_unreachable`, `node_busy`, `node_refused` */
  lastBlock(): Promise<LastBlock>;
  spamStatistics(party: string): Promise<GetSpamStatisticsResponse>;
  /**
   * One request.
   * @throws NodeError `node_unreachable` and `node_busy` when nothing was sent, `outcome_unknown`, `node_refused`
   */
  submit(bytes: Uint8Array, mode: SendingMode): Promise<SubmissionResult>;
  check(bytes: Uint8Array): Promise<CheckResult>;
  /** When the running epoch is to end, as people read times; undefined where that is not said. */
  epochEnd?(): Promise<string | undefined>;
  /** Undefined for an asset that the node does not know. */
  asset(id: string): Promise<AssetFacts | undefined>;
  /** The same of a market. */
  market?(id: string): Promise<MarketFacts | undefined>;
  /** Balances of a party's general accounts by asset, in the smallest unit. */
  balances?(party: string): Promise<ReadonlyMap<string, string>>;
  /** The asset that is staked. */
  stakeAsset?(): Promise<string | undefined>;
  /** Whether it is one chain that is always asked in order: a lower height then means that it went back. */
  readonly isOrdered?: boolean;
  /** Where blocks are reported rather than asked for. @returns a function that ends it */
  onBlock?(listener: (block: LastBlock) => void): () => void;
}

/** A transaction that the network did not take, with its result code (reference 30, section 7.1). */
export class NetworkRefusal extends NodeError {
  constructor(
    readonly abciCode: number,
    /** The node's own words. */
    readonly reason: string,
    /** Of the block that refused it; 0 when it got into none. */
    readonly height = 0n,
  ) {
    super("tx.send", "transaction_refused", `${reason} (ABCI code ${abciCode})`);
  }
}

export function sendError<Code extends ErrorCode>(
  code: Code,
  message: MessageOf<Code>,
  hint = "",
): NodeError {
  return new NodeError("tx.send", code, message, hint);
}
