/**
 * The streams of the data API, without a transport: WebSocket, newline JSON and gRPC are bindings of `Streams.observe`.
 *
 * A binding looks the method up in `Streams.kinds` (or names it: `ObserveTrades`), reads the request message, and calls
 * `observe`, which throws an `ApiError` for what must be refused before any message. Then it takes messages until the
 * end: `message` is the response in the protobuf's shape (camelCase members, `bigint` for 64 bits), `text` the same as
 * JSON. Both are made once, for all subscribers.
 *
 * ```ts
 * const observation = await plane.streams.observe("ObserveOrders", { partyIds: [party] }, { address, signal });
 * metadata.set("X-Block-Height", String(observation.height));
 * for await (const { message } of observation) call.write(message);   // an ApiError ends it for a reason
 * ```
 */
import { Grpc } from "../../../errors/statuses.ts";
import { ApiError } from "../../../http/errors.ts";
import type { Limits } from "../../../http/limits.ts";
import type { RequestFields } from "../../../http/query.ts";
import { candles } from "./candles.ts";
import { accounts, delegations, rewards } from "./collateral.ts";
import { marketDepth, marketDepthUpdates } from "./depth.ts";
import { FanOut, type StreamReads, wentBack } from "./fan-out.ts";
import { governance, votes } from "./governance.ts";
import type { StreamKind } from "./kind.ts";
import type { Observation } from "./observation.ts";
import { liquidityProvisions, marginLevels, marketData, orders, positions, trades } from "./trading.ts";

/** Every stream whose changes are rows of the store. */
const STREAM_KINDS: readonly StreamKind[] = [
  accounts,
  orders,
  positions,
  trades,
  marginLevels,
  liquidityProvisions,
  marketData,
  marketDepth,
  marketDepthUpdates,
  candles,
  votes,
  governance,
  rewards,
  delegations,
];

const KIND_BY_METHOD = new Map(STREAM_KINDS.map((kind) => [kind.method, kind]));

interface ObserveOptions {
  /** Address of the client, for the limit of each; without one only the limit of all counts. */
  readonly address?: string | undefined;
  /** Its abort closes the stream. */
  readonly signal?: AbortSignal;
  /** A mark, which has no message, tells the height after each commit. */
  readonly wantsHeights?: boolean;
}

export class Streams {
  /** Every kind, by which bindings make their routes and methods. */
  static readonly kinds = STREAM_KINDS;
  private readonly fanOut: FanOut;
  private readonly places: StreamPlaces;

  constructor(
    reads: StreamReads,
    private readonly limits: Limits,
  ) {
    this.fanOut = new FanOut(reads);
    this.places = new StreamPlaces(limits);
  }

  /** Streams that are open. */
  get count(): number {
    return this.places.count;
  }

  /**
   * Opens a stream.
   * @param method of `datanode.api.v2.TradingDataService`: `ObserveAccounts`
   * @param request its request message; members that were not given may be missing
   * @throws ApiError 400 or 500 for a request that cannot be served, as the original answers; 429 when too many are open
   */
  async observe(
    method: string,
    request: RequestFields,
    { address, signal, wantsHeights = false }: ObserveOptions = {},
  ): Promise<Observation> {
    const kind = KIND_BY_METHOD.get(method);
    if (kind === undefined) throw new ApiError(Grpc.unimplemented, `unknown method ${method.slice(0, 100)}`);
    const onClosed = this.places.enter(address);
    try {
      const { streamBacklogBytesMax: backlogBytesMax } = this.limits;
      const observation = this.fanOut.join(kind, request, { backlogBytesMax, wantsHeights, onClosed });
      closeOnAbort(observation, signal);
      return observation;
    } catch (error) {
      onClosed();
      throw error;
    }
  }

  /** To be called after every commit. */
  notifyCommit(): void {
    this.fanOut.notifyCommit();
  }

  /** The chain took blocks back: every stream ends. */
  notifyReverted(): void {
    this.endAll(wentBack());
  }

  /** The node stops: every stream ends. */
  stop(): void {
    this.endAll(new ApiError(Grpc.unavailable, "the node is stopping"));
  }

  private endAll(reason: ApiError): void {
    this.fanOut.endAll(reason);
  }
}

function closeOnAbort(observation: { close(): void }, signal: AbortSignal | undefined): void {
  if (signal?.aborted) observation.close();
  else signal?.addEventListener("abort", () => observation.close(), { once: true });
}

/** Places for streams: in all, and of each address. */
class StreamPlaces {
  private readonly byAddress = new Map<string, number>();
  count = 0;

  constructor(private readonly limits: Limits) {}

  /** @returns gives the place back, once @throws ApiError 429 */
  enter(address = ""): () => void {
    const { streamsMax, streamsPerAddressMax } = this.limits;
    const own = this.byAddress.get(address) ?? 0;
    if (this.count >= streamsMax) throw full(`${streamsMax} streams are open already`);
    if (address !== "" && own >= streamsPerAddressMax)
      throw full(`${streamsPerAddressMax} streams of this address are open already`);
    this.count++;
    this.byAddress.set(address, own + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.count--;
      const left = this.byAddress.get(address)! - 1;
      if (left === 0) this.byAddress.delete(address);
      else this.byAddress.set(address, left);
    };
  }
}

function full(text: string): ApiError {
  return new ApiError(Grpc.resourceExhausted, text);
}
