/**
 * Unary methods, from the same handlers as HTTP's resources: bytes to a message, its fields to the handler, the handler's
 * message to bytes. Answers of the data service are kept until the next block, as HTTP keeps its own.
 */
import type { Metadata } from "@grpc/grpc-js";
import type { RouteClass } from "../../http/counts.ts";
import { pathParameters, type Resource } from "../../http/endpoint.ts";
import { ApiError, internal } from "../../http/errors.ts";
import { heightHeaders, type ReadHead } from "../../http/heights.ts";
import type { PageCache } from "../../http/page-cache.ts";
import type { RequestFields } from "../../http/query.ts";
import { fieldsOf } from "../../http/request-fields.ts";
import { codecOf, type MessageCodec } from "../../wire/codecs.ts";
import { WireError } from "../../wire/errors.ts";
import type { DataContext } from "../data/context.ts";
import type { DataPlane } from "../data/plane.ts";
import type { ChainEndpoint, NodeContext, UnroutedCall } from "../node/context.ts";
import { metadataOf } from "./metadata.ts";

/** An answer before it is sent. */
export interface Reply {
  readonly body: Uint8Array;
  /** Initial metadata, where there is some. */
  readonly metadata?: Metadata;
}

/** A refusal with the metadata that goes with it. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  constructor(
    readonly error: ApiError,
    readonly metadata?: Metadata,
  ) {
    super(error.message);
  }
}

/** `height`: a store that can be read, up to the height of `x-min-height`; `store`: one that can be read. */
export type Needs = "height" | "store" | "nothing";

export interface UnaryMethod {
  readonly kind: RouteClass;
  readonly needs: Needs;
  /** @throws ApiError, Refusal */
  run(request: Uint8Array): Reply | Promise<Reply>;
  /** The answer that is kept since the last block. */
  kept?(request: Uint8Array): Reply | undefined;
}

/** The original's library refuses bytes that are not the message with this number and text. @throws ApiError */
export function decodeRequest(codec: MessageCodec, bytes: Uint8Array): object {
  try {
    return codec.decode(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new ApiError(internal("").grpc, `grpc: error unmarshalling request: ${error.message}`);
  }
}

/** Fields that a path would set exist, if only empty. */
function completed(path: string | undefined, fields: RequestFields): RequestFields {
  for (const name of pathParameters(path ?? "")) fields[name] ??= "";
  return fields;
}

/** A resource that is read from the store. */
export function readMethod(
  plane: DataPlane,
  resource: Resource<DataContext>,
  kind: RouteClass,
  cache?: PageCache<Reply>,
): UnaryMethod {
  const request = codecOf(resource.request);
  const response = codecOf(resource.response);
  const { limits } = plane.context;
  const keyOf = (bytes: Uint8Array) =>
    `${resource.request} ${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")}`;
  return {
    kind,
    needs: "height",
    kept: (bytes) => cache?.get(keyOf(bytes)),
    run(bytes) {
      const given = fieldsOf(resource.request, decodeRequest(request, bytes), limits.filterValuesMax);
      const reply = plane.readResource<Reply>(resource, completed(resource.path, given), {
        make(message, head) {
          const body = response.encode(message);
          plane.checkSize(body.length, resource.narrowing);
          return { body, metadata: metadataOf(heightHeaders(head)) };
        },
        refuse(error, head) {
          throw new Refusal(error, head && metadataOf(heightHeaders(head)));
        },
      });
      const key = keyOf(bytes);
      if (cache?.isAskedAgain(key)) cache.put(key, reply);
      return reply;
    },
  };
}

/**
 * A resource that asks the chain.
 * @param readHead how far the store is, where every answer states it
 */
export function chainMethod(
  context: NodeContext,
  endpoint: ChainEndpoint | UnroutedCall,
  readHead?: () => ReadHead,
): UnaryMethod {
  const request = codecOf(endpoint.request);
  const response = codecOf(endpoint.response);
  const { limits } = context;
  return {
    kind: endpoint.method === "POST" ? "submission" : "node",
    needs: endpoint.method === "GET" ? "height" : "store",
    async run(bytes) {
      const body = decodeRequest(request, bytes);
      const { method } = endpoint;
      try {
        const message =
          method === "POST"
            ? await endpoint.handle(context, body)
            : await endpoint.handle(
                context,
                completed(endpoint.path, fieldsOf(endpoint.request, body, limits.filterValuesMax)),
              );
        return {
          body: response.encode(message),
          ...(readHead && { metadata: metadataOf(heightHeaders(readHead())) }),
        };
      } catch (error) {
        if (readHead === undefined || !(error instanceof ApiError) || error.fromGateway) throw error;
        throw new Refusal(error, metadataOf(heightHeaders(readHead())));
      }
    },
  };
}
