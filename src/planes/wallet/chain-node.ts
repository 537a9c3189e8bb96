// A chain in the same process as the wallet's port: no connection, and blocks that are reported.
import { ChainCallError, type ChainPort, type ChainStatus } from "../../engine/chain-port.ts";
import { NodeError } from "../../errors/node-error.ts";
import type { LastBlock } from "../../wallet/sending/blocks.ts";
import type {
  AssetFacts,
  CheckResult,
  NodeClient,
  SendingMode,
  SubmissionResult,
} from "../../wallet/sending/nodes.ts";
import type { GetSpamStatisticsResponse } from "../../wire/generated/core-api.ts";
import { MILLISECOND_NS } from "../../wire/time-text.ts";

interface ChainNodeOptions {
  /** The node's name in results. */
  readonly host: string;
  /** Names and decimals of assets; without, amounts are shown in their smallest unit. */
  asset?(id: string): Promise<AssetFacts | undefined>;
}

export class ChainNode implements NodeClient {
  readonly host: string;
  readonly isOrdered = true;

  constructor(
    private readonly chain: ChainPort,
    private readonly options: ChainNodeOptions,
  ) {
    this.host = options.host;
  }

  async lastBlock(): Promise<LastBlock> {
    const { status } = this.chain;
    if (status.hash !== "") return lastBlockOf(status);
    throw new NodeError("tx.send", "node_refused", "the chain has no block yet");
  }

  async spamStatistics(party: string): Promise<GetSpamStatisticsResponse> {
    return (await this.chain.spamStatistics(party)) as GetSpamStatisticsResponse;
  }

  async submit(bytes: Uint8Array, mode: SendingMode): Promise<SubmissionResult> {
    const wait = mode === "TYPE_COMMIT" ? "commit" : "check";
    const { hash, code, text, height } = await called(this.chain.submit(bytes, wait));
    // The interface's asynchronous mode hides the verdict, which does no harm here.
    return { txHash: hash, code, reason: code === 0 ? "" : text, height: BigInt(height) };
  }

  async check(bytes: Uint8Array): Promise<CheckResult> {
    const { code, text } = await called(this.chain.check(bytes));
    return { code, reason: text };
  }

  async epochEnd(): Promise<string> {
    return new Date(Number(this.chain.status.epoch.expireNs / MILLISECOND_NS)).toISOString();
  }

  async asset(id: string): Promise<AssetFacts | undefined> {
    return this.options.asset?.(id);
  }

  onBlock(listener: (block: LastBlock) => void): () => void {
    return this.chain.onBlock((status) => listener(lastBlockOf(status)));
  }
}

function lastBlockOf({ chainId, height, hash, pow }: ChainStatus): LastBlock {
  return {
    chainId,
    height: BigInt(height),
    hash,
    hashFunction: pow.hashFunction,
    difficulty: pow.difficulty,
    pastBlocks: BigInt(pow.pastBlocks),
    txPerBlock: BigInt(pow.txPerBlock),
    increasingDifficulty: pow.increasingDifficulty,
  };
}

/** A failed call is not a verdict; after a time-out the transaction may or may not be in the mempool. */
async function called<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ChainCallError)) throw error;
    const code = error.code === "timeout" ? "outcome_unknown" : "node_refused";
    throw new NodeError("tx.send", code, error.message);
  }
}
