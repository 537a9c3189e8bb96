// The event bus as a stream: its filter, its messages, and batches of a size that the client chooses and asks for one by
// one (docs/protocol/30-node-api-events.md#11-observeeventbus).
import { Grpc } from "../../../errors/statuses.ts";
import type { RequestOf } from "../../../http/endpoint.ts";
import { ApiError, invalidArgument } from "../../../http/errors.ts";
import type { JsonMode } from "../../../wire/json.ts";
import { type StreamedEvent, typesOf } from "./bus-events.ts";
import type { Description } from "./kind.ts";
import type { Place, StreamMessage } from "./message.ts";
import { Observation, tooSlow } from "./observation.ts";

/** A message without a batch size holds events of one block, up to these. */
const MESSAGE_EVENTS_MAX = 500;
const MESSAGE_BYTES_MAX = 256 * 1024;
/** Time that a client has to ask for the next batch. */
const NEXT_BATCH_MS = 5_000;
/** Events that wait for a client with a batch size, as in the original. */
const BUFFERED_EVENTS_MAX = 100_000;
const BATCH_SIZE_MAX = 100_000n;
const EVENT_BYTES = 600;

export const EVENT_BUS = {
  path: "event/bus",
  method: "ObserveEventBus",
  request: "datanode.api.v2.ObserveEventBusRequest",
  response: "datanode.api.v2.ObserveEventBusResponse",
  summary: "Follow the events of blocks",
  description:
    'Over a WebSocket the first frame is the filter, `{"type":["BUS_EVENT_TYPE_ALL"],"batchSize":0}`, and must come within five seconds; with a `batchSize` each batch is asked for by a further frame. Over plain HTTP these are JSON objects in the body, or the query where there is no body.',
} as const satisfies Description;

/** The client's messages: the first one has the filter. */
export type BusRequest = RequestOf<typeof EVENT_BUS.request>;

interface BusFilter {
  readonly types: readonly number[];
  readonly market: string;
  readonly party: string;
}

/** @throws ApiError 400 for a type that is never sent */
export function busFilterOf({ type = [], marketId = "", partyId = "" }: BusRequest): BusFilter {
  const types = typesOf(type);
  if (types === "invalid") throw invalidArgument("malformed request", "invalid proto event type");
  return {
    types: [...(types ?? [])].sort(),
    market: marketId.toLowerCase(),
    party: partyId.toLowerCase(),
  };
}

/** 0: events as they come. @throws ApiError 400 */
export function batchSizeOf({ batchSize = 0n }: BusRequest): number {
  if (batchSize <= BATCH_SIZE_MAX) return Math.max(0, Number(batchSize));
  throw invalidArgument("malformed request", `batchSize may be at most ${BATCH_SIZE_MAX}`);
}

export function matchesBus({ types, market, party }: BusFilter, event: StreamedEvent): boolean {
  if (types.length > 0 && !types.includes(event.type)) return false;
  return (market === "" || event.hasMarket(market)) && (party === "" || event.hasParty(party));
}

/** Some events of the bus. */
export class BusMessage implements StreamMessage {
  readonly bytes: number;
  private value: object | undefined;

  constructor(
    readonly height: number,
    readonly place: Place,
    readonly events: readonly StreamedEvent[],
  ) {
    this.bytes = events.reduce((sum, { encoded }) => sum + EVENT_BYTES + 3 * encoded.length, 0);
  }

  get message(): object {
    this.value ??= { events: this.events.map(({ message }) => message) };
    return this.value;
  }

  /** @param mode the node's own bus prints its messages as unary answers are printed */
  textIn(mode: JsonMode): string {
    return `{"events":[${this.events.map((event) => event.text(mode)).join(",")}]}`;
  }
}

/** The events of a block as messages. */
export function busMessages(height: number, place: Place, events: readonly StreamedEvent[]): BusMessage[] {
  const messages: BusMessage[] = [];
  let part: StreamedEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    if (
      part.length === MESSAGE_EVENTS_MAX ||
      (part.length > 0 && bytes + event.encoded.length > MESSAGE_BYTES_MAX)
    ) {
      messages.push(new BusMessage(height, place, part));
      part = [];
      bytes = 0;
    }
    part.push(event);
    bytes += event.encoded.length;
  }
  if (part.length > 0) messages.push(new BusMessage(height, place, part));
  return messages;
}

/** A subscriber of the event bus. With a batch size it calls `askNext` after each message that it was given. */
export class EventBusObservation extends Observation {
  private buffer: StreamedEvent[] = [];
  /** Batches that were asked for and not sent: a client may ask ahead. */
  private asked = 1;
  private deadline: ReturnType<typeof setTimeout> | undefined;
  private last: { readonly height: number; readonly place: Place } | undefined;

  constructor(
    options: ConstructorParameters<typeof Observation>[0],
    private batchSize: number,
  ) {
    super(options);
  }

  override push(message: StreamMessage): void {
    if (this.batchSize === 0 || !(message instanceof BusMessage)) {
      super.push(message);
      return;
    }
    this.last = message;
    for (const event of message.events) this.buffer.push(event);
    if (this.buffer.length > BUFFERED_EVENTS_MAX) this.fail(tooSlow());
    else this.sendBatches();
  }

  override poll(): StreamMessage | undefined {
    const message = super.poll();
    if (message instanceof BusMessage && this.batchSize > 0 && this.asked === 0) this.startDeadline();
    return message;
  }

  override close(): void {
    clearTimeout(this.deadline);
    this.buffer = [];
    super.close();
  }

  /**
   * Each further request of the client asks for a batch.
   * @param reasonOf what an invalid request, or a connection that breaks off, ends the stream with
   */
  follow(
    requests: AsyncIterator<BusRequest, undefined>,
    reasonOf: (error: unknown) => ApiError | undefined,
  ): void {
    const run = async () => {
      for (let next = await requests.next(); !next.done; next = await requests.next()) {
        if (this.isEnded) return;
        this.askNext(next.value);
      }
    };
    run().catch((error) => {
      const reason = reasonOf(error);
      if (reason !== undefined) this.fail(reason);
    });
  }

  /** The client has taken a batch and asks for the next one. Another batch size sends what waits at once. @throws ApiError 400 */
  askNext(request: BusRequest): void {
    clearTimeout(this.deadline);
    const size = batchSizeOf(request);
    const hasChanged = size !== this.batchSize;
    this.batchSize = size;
    this.asked++;
    if (hasChanged && this.buffer.length > 0) this.sendBuffered(this.buffer.length);
    else this.sendBatches();
  }

  private sendBatches(): void {
    while (this.asked > 0 && this.batchSize > 0 && this.buffer.length >= this.batchSize)
      this.sendBuffered(this.batchSize);
  }

  private sendBuffered(count: number): void {
    this.asked--;
    const { height, place } = this.last!;
    super.push(new BusMessage(height, place, this.buffer.splice(0, count)));
  }

  private startDeadline(): void {
    clearTimeout(this.deadline);
    const text = `the next batch was not asked for within ${NEXT_BATCH_MS / 1_000} seconds`;
    this.deadline = setTimeout(() => this.fail(new ApiError(Grpc.deadlineExceeded, text)), NEXT_BATCH_MS);
  }
}
