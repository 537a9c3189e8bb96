// What the node plane's resources share: the chain, the limits, the clock of this machine.
import { ChainCallError, type ChainPort, type TxOutcome } from "../../engine/chain-port.ts";
import { Grpc } from "../../errors/statuses.ts";
import { ApiError, internal } from "../../http/errors.ts";
import type { Limits } from "../../http/limits.ts";

interface NodeContextOptions {
  readonly limits: Limits;
  /** What `/statistics` says of the program: the interface's version and the commit. */
  readonly build: { readonly version: string; readonly commit: string };
  /** Time of this machine, Unix nanoseconds: for `currentTime` alone. */
  nowNs(): bigint;
}

export class NodeContext {
  readonly limits: Limits;
  readonly build: NodeContextOptions["build"];
  readonly nowNs: () => bigint;
  private commitsWaiting = 0;

  constructor(
    readonly chain: ChainPort,
    options: NodeContextOptions,
  ) {
    this.limits = options.limits;
    this.build = options.build;
    this.nowNs = () => options.nowNs();
  }

  /**
   * Puts a transaction into the mempool, and waits for its block if asked to.
   * @throws ApiError 500 when the chain could not be asked, 429 when too many wait already
   */
  submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome> {
    return wait === "check" ? asked(this.chain.submit(bytes, wait)) : this.submitAndWait(bytes);
  }

  private async submitAndWait(bytes: Uint8Array): Promise<TxOutcome> {
    if (this.commitsWaiting >= this.limits.commitsWaitingMax) {
      const text = `${this.commitsWaiting} submissions wait for their block already: use TYPE_SYNC`;
      throw new ApiError(Grpc.resourceExhausted, text);
    }
    this.commitsWaiting++;
    try {
      return await asked(this.chain.submit(bytes, "commit"));
    } finally {
      this.commitsWaiting--;
    }
  }

  /** @throws ApiError 500 */
  check(bytes: Uint8Array): Promise<TxOutcome> {
    return asked(this.chain.check(bytes));
  }
}

/** A call that failed is no verdict: HTTP 500 with the chain's own words (reference 30, section 5.1). */
function asked<T>(call: Promise<T>): Promise<T> {
  return call.catch((error) => {
    if (error instanceof ChainCallError) throw internal(error.message);
    throw error;
  });
}
