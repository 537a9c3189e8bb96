// Handlers of the methods: by the request message, the resources of HTTP; and those that gRPC alone has.
import type { Endpoint, Resource } from "../../http/endpoint.ts";
import { PageCache } from "../../http/page-cache.ts";
import { fieldsOf } from "../../http/request-fields.ts";
import { codecOf } from "../../wire/codecs.ts";
import { encodeHttpBody } from "../../wire/generated/http-body.ts";
import { type ServiceDescriptor, serviceNamed } from "../../wire/services.ts";
import type { DataContext } from "../data/context.ts";
import { DATA_ENDPOINTS, UNROUTED_RESOURCES } from "../data/endpoints.ts";
import type { DataPlane } from "../data/plane.ts";
import { type OpenStream, streamRoutes } from "../data/streams.ts";
import { CHAIN_ENDPOINTS, UNROUTED_CALLS, VIEW_ENDPOINTS } from "../node/endpoints.ts";
import type { DuplexMethod, StreamMethod } from "./calls.ts";
import { explorerMethods } from "./explorer.ts";
import { healthMethods } from "./health.ts";
import { eventBusMethod, fieldHead, observeMethods } from "./observe.ts";
import { reflectionMethods } from "./reflection.ts";
import type { GrpcPlanes } from "./services.ts";
import { chainMethod, decodeRequest, type Reply, readMethod, type UnaryMethod } from "./unary.ts";

/** Handlers by the path of their method. */
interface Handlers {
  readonly unary: ReadonlyMap<string, UnaryMethod>;
  readonly stream: ReadonlyMap<string, StreamMethod>;
  readonly duplex: ReadonlyMap<string, DuplexMethod>;
}

const DATA_SERVICE = "datanode.api.v2.TradingDataService";
const CORE_SERVICE = "vega.api.v1.CoreService";
const EXPLORER_SERVICE = "blockexplorer.api.v1.BlockExplorerService";
const STATE_SERVICE = "vega.api.v1.CoreStateService";
const EVENT_BUS = "ObserveEventBus";
const SUPPORT = [
  "grpc.health.v1.Health",
  "grpc.reflection.v1.ServerReflection",
  "grpc.reflection.v1alpha.ServerReflection",
];

/** The services of a port. */
export function servicesOf({ kind, node, explorer }: GrpcPlanes): ServiceDescriptor[] {
  const own =
    kind === "node"
      ? [CORE_SERVICE, STATE_SERVICE]
      : [DATA_SERVICE, ...(explorer ? [EXPLORER_SERVICE] : []), ...(node ? [CORE_SERVICE] : [])];
  return [...own, ...SUPPORT].map(serviceNamed);
}

export function handlersOf(planes: GrpcPlanes): Handlers {
  const unary = new Map<string, UnaryMethod>();
  const stream = new Map<string, StreamMethod>();
  const services = servicesOf(planes);
  const byRequest = new Map([...resourcesOf(planes), ...explorerMethods(planes.explorer)]);
  const streams = new Map([...exportsOf(planes), ...observeMethods(planes.data)]);
  for (const { methods } of services) {
    for (const method of methods) {
      const resource = byRequest.get(method.request);
      if (!method.isResponseStream && resource) unary.set(method.path, resource);
      const messages = streams.get(method.request);
      if (messages) stream.set(method.path, messages);
    }
  }
  const health = healthMethods(
    planes,
    services.map(({ fullName }) => fullName),
  );
  const duplex = reflectionMethods(services);
  const bus = eventBusMethod(planes.data);
  for (const { methods } of services)
    for (const { name, path } of methods) if (name === EVENT_BUS) duplex.set(path, bus);
  for (const [path, method] of health.unary) unary.set(path, method);
  for (const [path, method] of health.stream) stream.set(path, method);
  return { unary, stream, duplex };
}

/** Unary handlers by their request message. */
function resourcesOf({ kind, data, node }: GrpcPlanes): Map<string, UnaryMethod> {
  const { db, limits } = data.context;
  const version = db.prepare("PRAGMA data_version");
  const versionNow = memoizePerTick(data, () => (version.get() as { data_version: bigint }).data_version);
  const cache = new PageCache<Reply>(limits.pageCacheBytesMax, versionNow);
  const methods = new Map<string, UnaryMethod>();
  const add = (resources: readonly (Resource<DataContext> | Endpoint<DataContext>)[]) => {
    for (const one of resources) methods.set(one.request, readMethod(data, one, "read", cache));
  };
  add(DATA_ENDPOINTS);
  add(UNROUTED_RESOURCES);
  if (node === undefined) return methods;
  const readHead = kind === "data" ? () => node.storeHead() : undefined;
  for (const one of [...CHAIN_ENDPOINTS, ...UNROUTED_CALLS])
    methods.set(one.request, chainMethod(node.context, one, readHead));
  for (const one of VIEW_ENDPOINTS) methods.set(one.request, readMethod(data, one, "node", cache));
  return methods;
}

/**
 * Looks again in the next turn of the event loop, or after a change that this thread was notified of: HTTP/2 brings many calls in
 * one read, and asking the store for each is a seventh of a kept answer's time.
 */
function memoizePerTick<T>(plane: DataPlane, look: () => T): () => T {
  let current: { readonly value: T; readonly changes: number } | undefined;
  return () => {
    if (current === undefined) setImmediate(() => (current = undefined));
    if (current?.changes !== plane.changes) current = { value: look(), changes: plane.changes };
    return current.value;
  };
}

/** Exports by their request message: a stream of `google.api.HttpBody` (docs/protocol/20-network-history-export.md#13-grpc-stream). */
function exportsOf({ data, status }: GrpcPlanes): Map<string, StreamMethod> {
  const { filterValuesMax } = data.context.limits;
  return new Map(
    streamRoutes(data, status).map((route) => {
      const codec = codecOf(route.request);
      const method: StreamMethod = {
        kind: "export",
        needs: "store",
        async open(bytes, { signal }) {
          const fields = fieldsOf(route.request, decodeRequest(codec, bytes), filterValuesMax);
          const { disposition, failure, ...body } = await route.open(fields, signal);
          return {
            headers: { "content-disposition": disposition },
            messages: bodies(body),
            isPaced: true,
            failure,
          };
        },
      };
      return [route.request, method];
    }),
  );
}

type OpenBody = Pick<OpenStream, "contentType" | "pieces" | "roomBytes">;

/** Field `data` of `google.api.HttpBody`, as a field with a length. */
const DATA_TAG = 18;

/** Messages of `google.api.HttpBody`. Where there is room before a piece, which is megabytes, it is not copied. */
async function* bodies({ contentType, pieces, roomBytes }: OpenBody): AsyncGenerator<Uint8Array> {
  const type = encodeHttpBody({ contentType });
  for await (const data of pieces) {
    const head = Buffer.concat([type, fieldHead(DATA_TAG, data.length)]);
    if (head.length > roomBytes) yield Buffer.concat([head, data]);
    else {
      const message = new Uint8Array(data.buffer, data.byteOffset - head.length, head.length + data.length);
      message.set(head);
      yield message;
    }
  }
}
