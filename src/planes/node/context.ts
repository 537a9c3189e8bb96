// The node plane's resources: the form of an entry, and what all of them share (chain, limits, machine clock).
import {
  ChainCallError,
  type ChainPort,
  type RefusalDetails,
  type TxOutcome,
} from "../../engine/chain-port.ts";
import { Grpc } from "../../errors/statuses.ts";
import type { RequestOf } from "../../http/endpoint.ts";
import { ApiError, internal } from "../../http/errors.ts";
import type { Limits } from "../../http/limits.ts";
import type { RequestFields } from "../../http/query.ts";
import { STOPPING } from "../../http/status.ts";
import type { Init } from "../../wire/codec.ts";
import type { GetSpamStatisticsResponse } from "../../wire/generated/core-api.ts";
import type { MessageName, MessageOf } from "../../wire/message-types.ts";

interface NodeContextOptions {
  readonly limits: Limits;
  /** The program's part of `/statistics`: the interface's version and the commit. */
  readonly build: { readonly version: string; readonly commit: string };
  /** Time of this machine, Unix nanoseconds: for `currentTime` alone. */
  nowNs(): bigint;
  /** Aborted when the node stops. */
  readonly stopping?: AbortSignal;
}

/** Once the node stops, submissions that wait for their block get this long. */
const LAST_BLOCK_MS = 1_500;

export class NodeContext {
  readonly limits: Limits;
  readonly build: NodeContextOptions["build"];
  readonly nowNs: () => bigint;
  private commitsWaiting = 0;

  private readonly stopping: AbortSignal | undefined;

  constructor(
    readonly chain: ChainPort,
    options: NodeContextOptions,
  ) {
    this.stopping = options.stopping;
    this.limits = options.limits;
    this.build = options.build;
    this.nowNs = () => options.nowNs();
  }

  /**
   * Puts a transaction into the mempool, and waits for its block if asked to.
   * @throws ApiError 500 when the chain could not be asked, 429 when too many wait already
   */
  submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome> {
    return wait === "check" ? withInternalErrors(this.chain.submit(bytes, wait)) : this.submitAndWait(bytes);
  }

  private async submitAndWait(bytes: Uint8Array): Promise<TxOutcome> {
    if (this.commitsWaiting >= this.limits.commitsWaitingMax) {
      const text = `${this.commitsWaiting} submissions wait for their block already: use TYPE_SYNC`;
      throw new ApiError(Grpc.resourceExhausted, text);
    }
    this.commitsWaiting++;
    try {
      return await this.whileServing(withInternalErrors(this.chain.submit(bytes, "commit")));
    } finally {
      this.commitsWaiting--;
    }
  }

  /** @throws ApiError 503 when the node stops before the answer: it may still come to a block */
  private async whileServing<T>(answer: Promise<T>): Promise<T> {
    const { stopping } = this;
    if (stopping === undefined) return answer;
    const { promise: late, reject } = Promise.withResolvers<never>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const text = `${STOPPING}: the transaction was handed on, look for its hash`;
    const onStop = () => {
      timer = setTimeout(() => reject(new ApiError(Grpc.unavailable, text, [], true)), LAST_BLOCK_MS);
    };
    stopping.addEventListener("abort", onStop, { once: true });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
      stopping.removeEventListener("abort", onStop);
    }
  }

  /** @throws ApiError 500 */
  async spamStatistics(party: string): Promise<Init<GetSpamStatisticsResponse>> {
    return (await withInternalErrors(this.chain.spamStatistics(party))) as Init<GetSpamStatisticsResponse>;
  }

  /** @throws ApiError 500 */
  check(bytes: Uint8Array): Promise<TxOutcome> {
    return withInternalErrors(this.chain.check(bytes));
  }
}

/** A failed call is not a verdict: HTTP 500 with the chain's own words (docs/protocol/30-node-api-endpoints.md#51-coreservice). */
function withInternalErrors<T>(call: Promise<T>): Promise<T> {
  return call.catch((error) => {
    if (error instanceof ChainCallError) throw internal(error.message);
    throw error;
  });
}

// Resources that ask the chain itself, one entry each. The views of its state are ordinary endpoints over the store
// (http/endpoint.ts).

export interface ChainEndpointBase {
  /** Path with parameters in braces, named as the request message's fields. */
  readonly path: string;
  /** Full name of the request message: of the query, or of the body of a POST. */
  readonly request: string;
  /** Full name of the response message. */
  readonly response: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
}

export interface ChainQuery extends ChainEndpointBase {
  readonly method: "GET";
  /** @param request fields that the client sent @throws ApiError */
  handle(context: NodeContext, request: RequestFields): object | Promise<object>;
}

export interface ChainCall extends ChainEndpointBase {
  readonly method: "POST";
  /** Members of the body that must be there, for the documentation. */
  readonly required: readonly string[];
  /**
   * @param body the request message, complete with defaults
   * @returns the response message; a member `details` of it is printed too, where the request asks for it
   * @throws ApiError
   */
  handle(context: NodeContext, body: object): Promise<object>;
}

export type ChainEndpoint = ChainQuery | ChainCall;

/** A call that the interface has no path for: over gRPC alone. */
export type UnroutedCall = Pick<ChainCall, "method" | "request" | "response" | "handle">;

/** An entry whose messages the compiler knows by their names. */
type Named<Entry, Request extends MessageName, Response extends MessageName, Handle> = Omit<
  Entry,
  "method" | "request" | "response" | "handle"
> & { readonly request: Request; readonly response: Response; readonly handle: Handle };

type Asks<Request extends MessageName, Response extends MessageName> = (
  context: NodeContext,
  request: RequestOf<Request>,
) => Init<MessageOf<Response>> | Promise<Init<MessageOf<Response>>>;

type Calls<Request extends MessageName, Response extends MessageName> = (
  context: NodeContext,
  body: MessageOf<Request>,
) => Promise<Init<MessageOf<Response>> & { readonly details?: RefusalDetails }>;

export function chainQuery<Request extends MessageName, Response extends MessageName>(
  entry: Named<ChainQuery, Request, Response, Asks<Request, Response>>,
): ChainQuery {
  return { method: "GET", ...entry } as ChainQuery;
}

export function chainCall<Request extends MessageName, Response extends MessageName>(
  entry: Named<ChainCall, Request, Response, Calls<Request, Response>>,
): ChainCall {
  return { method: "POST", ...entry } as ChainCall;
}

export function unroutedCall<Request extends MessageName, Response extends MessageName>(
  entry: Named<UnroutedCall, Request, Response, Calls<Request, Response>>,
): UnroutedCall {
  return { method: "POST", ...entry } as UnroutedCall;
}
