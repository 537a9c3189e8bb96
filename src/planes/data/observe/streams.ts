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
import { ApiError, invalidArgument } from "../../../http/errors.ts";
import type { Limits } from "../../../http/limits.ts";
import type { RequestFields } from "../../../http/query.ts";
import { type EventFeed, EventTap } from "../../../store/event-feed.ts";
import { candles } from "./candles.ts";
import { accounts, delegations, rewards } from "./collateral.ts";
import type { Cursor } from "./cursor.ts";
import { marketDepth, marketDepthUpdates } from "./depth.ts";
import {
  type BusRequest,
  batchSizeOf,
  busFilterOf,
  busMessages,
  EventBusObservation,
  matchesBus,
} from "./event-bus.ts";
import { EventFanOut, type EventTopic } from "./event-fan-out.ts";
import { FanOut, type StreamReads, wentBack } from "./fan-out.ts";
import { governance, votes } from "./governance.ts";
import type { Description, StreamKind } from "./kind.ts";
import { ledgerMovements, ledgerTopic } from "./ledger.ts";
import { Observation } from "./observation.ts";
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

/** Time that the first request of an event bus may take. */
export const FIRST_REQUEST_MS = 5_000;

interface ObserveOptions {
  /** Address of the client, for the limit of each; without one only the limit of all counts. */
  readonly address?: string | undefined;
  /** Its abort closes the stream. */
  readonly signal?: AbortSignal;
  /** A mark, which has no message, tells the height after each commit. */
  readonly wantsHeights?: boolean;
  /** Block up to which the client has everything: what it has missed comes first, in place of a snapshot. */
  readonly after?: Cursor | undefined;
}

export class Streams {
  /** Every kind, by which bindings make their routes and methods. */
  static readonly kinds: readonly Description[] = [...STREAM_KINDS, ledgerMovements];
  /** Events of committed blocks; none come before a writer is connected. */
  feed: EventFeed = new EventTap();
  private readonly fanOut: FanOut;
  private readonly events: EventFanOut;
  private readonly places: StreamPlaces;

  constructor(
    reads: StreamReads,
    private readonly limits: Limits,
  ) {
    this.fanOut = new FanOut(reads);
    this.events = new EventFanOut(() => this.feed, reads);
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
   * @throws ApiError 400 or 500 for a request that cannot be served, as the original answers; 412 for a height that is not
   *   reached; 429 when too many are open
   */
  async observe(
    method: string,
    request: RequestFields,
    { address, signal, wantsHeights = false, after }: ObserveOptions = {},
  ): Promise<Observation> {
    return this.inPlace(address, signal, (onClosed) => {
      const { streamBacklogBytesMax: backlogBytesMax } = this.limits;
      const options = { backlogBytesMax, wantsHeights, after, onClosed };
      if (method === ledgerMovements.method)
        return this.joinEvents(ledgerTopic, options, (all) => new Observation(all));
      const kind = KIND_BY_METHOD.get(method);
      if (kind === undefined)
        throw new ApiError(Grpc.unimplemented, `unknown method ${method.slice(0, 100)}`);
      return this.fanOut.join(kind, request, options);
    });
  }

  /**
   * Opens a stream of the event bus (docs/protocol/30-node-api-events.md#11-observeeventbus).
   * @param request the first message of the client; with each further one call `askNext` of what is returned. A binding
   *   ends the stream without a word when the first one has not come within `FIRST_REQUEST_MS`.
   * @throws ApiError 400 for a type that is never sent; 429; 503
   */
  async observeEventBus(
    request: BusRequest,
    { address, signal, wantsHeights = false, after }: ObserveOptions = {},
  ): Promise<EventBusObservation> {
    const filter = busFilterOf(request);
    const batchSize = batchSizeOf(request);
    if (after !== undefined && batchSize > 0)
      throw invalidArgument("malformed request", "afterHeight and batchSize cannot go together");
    const topic: EventTopic = {
      key: JSON.stringify(filter),
      messagesOf: (height, place, events) =>
        busMessages(
          height,
          place,
          events.filter((event) => matchesBus(filter, event)),
        ),
    };
    return this.inPlace(address, signal, (onClosed) => {
      const { streamBacklogBytesMax: backlogBytesMax } = this.limits;
      const options = { backlogBytesMax, wantsHeights, after, onClosed };
      return this.joinEvents(topic, options, (all) => new EventBusObservation(all, batchSize));
    });
  }

  private joinEvents<O extends Observation>(
    topic: EventTopic,
    options: { backlogBytesMax: number; wantsHeights: boolean; after: Cursor | undefined; onClosed(): void },
    make: (options: ConstructorParameters<typeof Observation>[0]) => O,
  ): Promise<O> {
    return this.events.join(topic, options.after, (at, leave) =>
      make({
        ...options,
        ...at,
        onClosed() {
          leave();
          options.onClosed();
        },
      }),
    );
  }

  private async inPlace<O extends Observation>(
    address: string | undefined,
    signal: AbortSignal | undefined,
    open: (onClosed: () => void) => O | Promise<O>,
  ): Promise<O> {
    const onClosed = this.places.enter(address);
    try {
      const observation = await open(onClosed);
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
    this.events.endAll(reason);
  }
}

function closeOnAbort(observation: { close(): void }, signal: AbortSignal | undefined): void {
  if (signal?.aborted) observation.close();
  else signal?.addEventListener("abort", () => observation.close(), { once: true });
}

/** Places for streams: in all, and of each address. */
export class StreamPlaces {
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
