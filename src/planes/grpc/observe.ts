// The `Observe...` methods: the streams of the data plane (data/observe/streams.ts) as streams of messages. A message is
// encoded once, for all of its subscribers.
import { fieldsOf } from "../../http/request-fields.ts";
import { codecOf, type MessageCodec } from "../../wire/codecs.ts";
import type { StreamMessage } from "../data/observe/message.ts";
import { Streams } from "../data/observe/streams.ts";
import type { DataPlane } from "../data/plane.ts";
import type { StreamMethod } from "./calls.ts";
import { decodeRequest } from "./unary.ts";

/** Methods by their request message. */
export function observeMethods(plane: DataPlane): Map<string, StreamMethod> {
  const { filterValuesMax } = plane.context.limits;
  return new Map(
    Streams.kinds.map(({ method, request, response }) => {
      const [asked, answered] = [codecOf(request), new EncodedOnce(codecOf(response))];
      const stream: StreamMethod = {
        kind: "other",
        needs: "store",
        async open(bytes, { signal, address }) {
          const fields = fieldsOf(request, decodeRequest(asked, bytes), filterValuesMax);
          const observation = await plane.streams.observe(method, fields, { address, signal });
          return {
            headers: { "x-block-height": String(observation.height) },
            messages: answered.all(observation),
          };
        },
      };
      return [request, stream];
    }),
  );
}

class EncodedOnce {
  private readonly made = new WeakMap<StreamMessage, Uint8Array>();

  constructor(private readonly codec: MessageCodec) {}

  async *all(messages: AsyncIterable<StreamMessage>): AsyncGenerator<Uint8Array> {
    for await (const message of messages) if (message.message) yield this.bytesOf(message, message.message);
  }

  private bytesOf(message: StreamMessage, content: object): Uint8Array {
    let bytes = this.made.get(message);
    if (bytes === undefined) this.made.set(message, (bytes = this.codec.encode(content)));
    return bytes;
  }
}
