/**
 * The chain behind a core node's REST API (`--core` without `--comet`): a submission is checked here as far as that takes no
 * knowledge of the chain's state, and handed over; everything else is the core's own answer.
 */
import { refusalDetails } from "../chain/refusals.ts";
import { sha256HexOf } from "../crypto/sha.ts";
import {
  ChainCallError,
  type ChainPort,
  type ChainStatus,
  NO_TRADING,
  type TxOutcome,
} from "../engine/chain-port.ts";
import { NodeError } from "../errors/node-error.ts";
import type { Statistics } from "../wire/generated/core-api.ts";
import { TRANSACTION_BYTES_MAX, tooLargeText } from "../wire/transaction.ts";
import { checkTransaction } from "../wire/transaction-check.ts";
import { CometError, CometUnreachable } from "./client.ts";
import type { CoreClient } from "./core-client.ts";
import { handOver, type Submitter } from "./hand-over.ts";
import { noChain } from "./no-chain.ts";
import { nanosecondsOf } from "./time.ts";

export class CoreChain implements ChainPort {
  private latest: ChainStatus;
  private readonly listeners = new Set<(status: ChainStatus) => void>();

  /** @param startedNs when the process began, Unix nanoseconds */
  constructor(
    private readonly client: CoreClient,
    startedNs: bigint,
  ) {
    this.latest = { ...noChain(startedNs), halted: "the core was not reached yet" };
  }

  get status(): ChainStatus {
    return this.latest;
  }

  onBlock(listener: (status: ChainStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Takes the core's head, and what a proof of work for it takes. @throws as the client does */
  async update(statistics: Statistics): Promise<void> {
    const last = await this.client.lastBlock();
    const height = Number(last.height);
    const isNew = height !== this.latest.height;
    this.latest = {
      ...this.latest,
      chainId: last.chainId,
      height,
      hash: last.hash,
      timeNs: nanosecondsOf(statistics.vegaTime),
      previousTimeNs: nanosecondsOf(statistics.vegaTime) - BigInt(statistics.blockDuration),
      genesisTimeNs: nanosecondsOf(statistics.genesisTime),
      epoch: {
        seq: BigInt(statistics.epochSeq),
        startNs: nanosecondsOf(statistics.epochStartTime),
        expireNs: nanosecondsOf(statistics.epochExpiryTime),
      },
      pow: {
        hashFunction: last.spamPowHashFunction,
        difficulty: last.spamPowDifficulty,
        pastBlocks: last.spamPowNumberOfPastBlocks,
        txPerBlock: last.spamPowNumberOfTxPerBlock,
        increasingDifficulty: last.spamPowIncreasingDifficulty,
      },
      mempool: { count: Number(statistics.backlogLength), bytes: 0 },
      totals: {
        txsLastBlock: Number(statistics.txPerBlock),
        averageTxBytes: Number(statistics.averageTxBytes),
        events: BigInt(statistics.eventCount),
        eventsLastBlock: 0,
        trading: {
          submissions: Number(statistics.totalCreateOrder),
          amendments: Number(statistics.totalAmendOrder),
          cancellations: Number(statistics.totalCancelOrder),
          trades: Number(statistics.totalTrades),
        },
        tradingLastBlock: NO_TRADING,
      },
      halted: undefined,
    };
    if (isNew) for (const listener of this.listeners) listener(this.latest);
  }

  /** @param text why the core cannot be asked now */
  setTrouble(text: string): void {
    this.latest = { ...this.latest, halted: text };
  }

  /** The core is of another chain: nothing of it holds, and nothing goes to it. */
  forgetChain(text: string): void {
    this.latest = { ...noChain(this.latest.startedNs), halted: text };
  }

  async submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome> {
    const { hash, refused } = this.examine(bytes);
    if (refused !== undefined) return refused;
    if (wait === "check") return this.outcome(hash, await handOver([this.client], bytes));
    let height = 0;
    const committing: Submitter = {
      submit: async (tx) => {
        const answer = await this.client.submitAndWait(tx);
        height = answer.height;
        return answer;
      },
    };
    const answer = await handOver([committing], bytes);
    // The answer that names the block was lost: what became of it there is not known.
    if (height === 0 && answer.code === 0)
      throw new ChainCallError("timeout", "timed out waiting for tx to be included in a block");
    return this.outcome(hash, answer, height);
  }

  async check(bytes: Uint8Array): Promise<TxOutcome> {
    const { hash, refused } = this.examine(bytes);
    if (refused !== undefined) return refused;
    const answer = await withCallErrors(this.client.check(bytes));
    return { ...this.outcome(hash, answer), gasWanted: answer.gasWanted };
  }

  spamStatistics(party: string): Promise<unknown> {
    return withCallErrors(this.client.spamStatistics(party));
  }

  /** @returns its hash, and the refusal that follows from the bytes alone: form, signature, chain */
  private examine(bytes: Uint8Array): { readonly hash: string; readonly refused?: TxOutcome } {
    if (bytes.length > TRANSACTION_BYTES_MAX)
      throw new ChainCallError("too_large", tooLargeText(bytes.length));
    const { chainId } = this.latest;
    if (chainId === "") throw new ChainCallError("stopped", this.latest.halted!);
    const plainHash = sha256HexOf(bytes);
    const hash = plainHash.toUpperCase();
    const read = checkTransaction(bytes, chainId, plainHash);
    if (read.ok) return { hash };
    const { reason, code, text } = read.refusal;
    if (reason === "too_large") throw new ChainCallError("too_large", text);
    const rule = reason === "undecodable" ? "undecodable_transaction" : "invalid_transaction";
    const details = refusalDetails(rule, text, {}, this.latest);
    return { hash, refused: { hash, code, text, details, gasWanted: 0, height: 0 } };
  }

  private outcome(
    hash: string,
    { code, text }: { readonly code: number; readonly text: string },
    height = 0,
  ): TxOutcome {
    const details = code === 0 ? undefined : refusalDetails("command_failed", text, {}, this.latest);
    return { hash, code, text, details, gasWanted: 0, height };
  }
}

/** @throws ChainCallError where the core does not answer */
async function withCallErrors<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CometError || error instanceof CometUnreachable || error instanceof NodeError)
      throw new ChainCallError("stopped", `the core cannot be asked: ${error.message}`);
    throw error;
  }
}
