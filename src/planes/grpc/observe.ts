// The `Observe...` methods: the streams of the data plane (data/observe/streams.ts) as streams of messages. A message is
// encoded once, for all of its subscribers.
import { ApiError } from "../../http/errors.ts";
import { fieldsOf } from "../../http/request-fields.ts";
import { within } from "../../http/within.ts";
import { codecOf } from "../../wire/codecs.ts";
import { BusMessage, type BusRequest, EVENT_BUS } from "../data/observe/event-bus.ts";
import type { StreamMessage } from "../data/observe/message.ts";
import { FIRST_REQUEST_MS, Streams } from "../data/observe/streams.ts";
import type { DataPlane } from "../data/plane.ts";
import type { Caller, DuplexMethod, StreamMethod } from "./calls.ts";
import { decodeRequest } from "./unary.ts";

/** Methods by their request message. */
export function observeMethods(plane: DataPlane): Map<string, StreamMethod> {
  const { filterValuesMax } = plane.context.limits;
  return new Map(
    Streams.kinds.map(({ method, request, response }) => {
      const requestCodec = codecOf(request);
      const responseCodec = codecOf(response);
      const encoded = new EncodedOnce(({ message }) => message && responseCodec.encode(message));
      const stream: StreamMethod = {
        kind: "stream",
        needs: "store",
        async open(bytes, caller) {
          const fields = fieldsOf(request, decodeRequest(requestCodec, bytes), filterValuesMax);
          const observation = await plane.streams.observe(method, fields, caller);
          const headers = { "x-block-height": String(observation.height) };
          return { headers, messages: encoded.all(observation) };
        },
      };
      return [request, stream];
    }),
  );
}

const EVENTS_TAG = 0x0a;

/**
 * The event bus: the client's first message is the filter, each further one asks for a batch
 * (docs/protocol/30-node-api-events.md#11-observeeventbus).
 */
export function eventBusMethod(plane: DataPlane): DuplexMethod {
  const encoded = new EncodedOnce((message) =>
    message instanceof BusMessage ? eventsOf(message) : undefined,
  );
  async function* events(requests: AsyncIterator<BusRequest, undefined>, caller: Caller) {
    const first = await within(requests.next(), FIRST_REQUEST_MS);
    // Without a request the stream just ends, as in the original.
    if (first === undefined || first.done) return;
    const observation = await plane.streams.observeEventBus(first.value, caller);
    // Requests break off when the client leaves, which closes the observation by itself.
    observation.follow(requests, (error) => (error instanceof ApiError ? error : undefined));
    yield* encoded.all(observation);
  }
  return {
    kind: "stream",
    needs: "store",
    open: (requests, caller) => ({
      headers: { "x-block-height": String(plane.head()?.height ?? 0) },
      messages: events(decoded(requests), caller),
    }),
  };
}

async function* decoded(messages: AsyncIterable<Uint8Array>): AsyncGenerator<BusRequest, undefined> {
  const codec = codecOf(EVENT_BUS.request);
  for await (const bytes of messages) yield decodeRequest(codec, bytes) as BusRequest;
}

/** An `ObserveEventBusResponse` of the events' own bytes, which need not be decoded for it. */
function eventsOf({ events }: BusMessage): Uint8Array {
  const parts = events.flatMap(({ encoded }) => [fieldHead(EVENTS_TAG, encoded.length), encoded]);
  return Buffer.concat(parts);
}

/** Tag and length of a field that is joined from bytes. */
export function fieldHead(tag: number, length: number): Uint8Array {
  const head = [tag];
  let rest = length;
  for (; rest > 127; rest >>>= 7) head.push((rest & 127) | 128);
  head.push(rest);
  return Uint8Array.from(head);
}

class EncodedOnce {
  private readonly encoded = new WeakMap<StreamMessage, Uint8Array>();

  /** @param encode undefined for elements that are not messages, such as a mark of a height */
  constructor(private readonly encode: (message: StreamMessage) => Uint8Array | undefined) {}

  async *all(messages: AsyncIterable<StreamMessage>): AsyncGenerator<Uint8Array> {
    for await (const message of messages) {
      const bytes = this.encoded.get(message) ?? this.encode(message);
      if (bytes === undefined) continue;
      this.encoded.set(message, bytes);
      yield bytes;
    }
  }
}
