// The node plane as an Elysia plugin, on a port of its own and for the data port
// (docs/protocol/30-node-api-transactions.md#1-transports and docs/protocol/30-node-api-endpoints.md#5-endpoints).
import { answerFailure, DAMAGED, jsonModeOf, NOT_FOUND, refuse, sendAnswer } from "../../http/answers.ts";
import { docsPlugin, jsonClient } from "../../http/docs.ts";
import { ApiError, wrongMethod } from "../../http/errors.ts";
import {
  announceEnd,
  checkUrl,
  listen,
  STREAM_REQUEST_BYTES_MAX,
  splitUrl,
  stopServer,
  urlOf,
} from "../../http/http.ts";
import { classify, type HttpApp, type HttpRoutes, httpPlugin, RAW } from "../../http/plugin.ts";
import { ServerStatus, STORE_DAMAGED } from "../../http/status.ts";
import { healthRoutes } from "../../http/status-routes.ts";
import type { JsonMode } from "../../wire/json.ts";
import { busRoutes } from "../data/observe/bus-routes.ts";
import { NODE_BUS_PATH } from "../data/observe/routes.ts";
import { readRoute } from "../data/read-route.ts";
import { whenReadable } from "../data/readable.ts";
import { type DevnetTools, isToolPath } from "../devnet/app.ts";
import { DUMP_BYTES_MAX } from "../devnet/limits.ts";
import { frontPage, pageRoutes } from "../page/routes.ts";
import { CHAIN_ENDPOINTS, VIEW_ENDPOINTS } from "./endpoints.ts";
import type { NodePlane, Printing } from "./plane.ts";
import { stateRoutes } from "./state-routes.ts";

/** The core node prints everything in one layout, whatever the request asks for. */
const NODE_MODE: JsonMode = "node";
const NOT_POST = wrongMethod("POST");

/**
 * The node's routes.
 * @param modeOf in which form an answer is printed
 * @param head how far the store is, where every answer says that
 */
function addRoutes(
  app: HttpApp,
  plane: NodePlane,
  status: ServerStatus,
  modeOf: (request: Request) => JsonMode,
  head?: Printing["head"],
): void {
  const { limits } = plane.context;
  for (const endpoint of CHAIN_ENDPOINTS) {
    const { path } = endpoint;
    if (endpoint.method === "POST") {
      const call = async ({ request }: { request: Request }) => {
        if (request.method !== "POST") throw NOT_POST;
        classify(request, "submission");
        if (status.isDamaged) throw DAMAGED;
        checkUrl(request, limits);
        return sendAnswer(await plane.call(endpoint, request, { mode: modeOf(request), head }), request);
      };
      app.all(path, call, RAW);
      continue;
    }
    readRoute(app, path, limits, (request, fields, query) => {
      classify(request, "node");
      const mode = modeOf(request);
      const ask = () => plane.ask(endpoint, request, { path: fields, query }, { mode, head });
      return whenReadable(
        plane.data,
        status,
        request,
        () => ask().then((answer) => sendAnswer(answer, request)),
        mode,
      );
    });
  }
  for (const endpoint of VIEW_ENDPOINTS) {
    readRoute(app, endpoint.path, limits, (request, fields, query) => {
      classify(request, "node");
      const mode = modeOf(request);
      const view = () => sendAnswer(plane.view(endpoint, { path: fields, query }, mode), request);
      return whenReadable(plane.data, status, request, view, mode);
    });
  }
}

/** The event bus; on its own port messages are printed as unary answers are, so that a line holds each. */
function addBus(app: HttpApp, plane: NodePlane, status: ServerStatus): void {
  busRoutes(app, plane.data, status, NODE_BUS_PATH, "normal");
}

/** The node's own port. */
export function nodeApp(plane: NodePlane, status = new ServerStatus()) {
  const modeOf = () => NODE_MODE;
  const app = httpPlugin({
    name: "node",
    notFound: (request) => refuse(request, NOT_FOUND, NODE_MODE),
    onError: (error, request) =>
      error instanceof ApiError
        ? refuse(request, error, NODE_MODE)
        : answerFailure(status, request, error, NODE_MODE),
  });
  addRoutes(app, plane, status, modeOf);
  addBus(app, plane, status);
  app.use(pageRoutes(status, plane.context.build));
  app.use(stateRoutes(plane));
  app.use(healthRoutes("node", status, () => notReady(plane, status)));
  app.use(
    docsPlugin({
      signposts: ["/"],
      front: (request) => frontPage(status, request),
      parts: async () => (await import("./openapi.ts")).nodeOpenApiParts(),
      examples: async (paths) => {
        const { NODE_SOURCES, withExamples } = await import("../../http/openapi/examples.ts");
        return withExamples(paths, NODE_SOURCES, jsonClient(app));
      },
      version: () => plane.context.chain.status.height,
    }),
  );
  app.all("/*", ({ request }) => refuse(request, NOT_FOUND, NODE_MODE), RAW);
  return app;
}

/** The same resources for the data port, which prints them as it prints its own. */
export function mountedNode(plane: NodePlane, status: ServerStatus): HttpRoutes {
  return (app) => {
    addRoutes(app, plane, status, jsonModeOf, () => plane.storeHead());
    addBus(app, plane, status);
    return app;
  };
}

/** The reason why the chain takes no transactions; undefined when it does. */
function notReady({ context }: NodePlane, status: ServerStatus): string | undefined {
  if (status.isDamaged) return STORE_DAMAGED;
  const { hash, halted } = context.chain.status;
  const node = status.source === undefined ? undefined : status.readiness();
  const behind = node?.ready === false ? node.reason : undefined;
  return behind ?? halted ?? (hash === "" ? "the chain has no block yet" : undefined);
}

interface NodeServer {
  readonly port: number;
  readonly url: string;
  announceEnd(): void;
  stop(): Promise<void>;
}

interface NodeServeOptions {
  readonly host: string;
  readonly port: number;
  /** That of the data plane: its counts, and whether the store is damaged. */
  readonly status?: ServerStatus;
}

/**
 * Listens. Port 0 picks a free one.
 * @param host loopback unless the operator says otherwise
 * @param devnet the developer's tools, on a devnet and nowhere else
 * @throws NodeError `port_in_use`
 */
export function serveNode(
  plane: NodePlane,
  { host, port, status = new ServerStatus() }: NodeServeOptions,
  devnet?: DevnetTools,
): NodeServer {
  const app = nodeApp(plane, status);
  // Beside the node's application: pages that may read its answers may not read those of the tools.
  const answer = (request: Request) => {
    if (devnet === undefined || !isToolPath(splitUrl(request.url).pathname)) return app.fetch(request);
    classify(request, "node");
    return devnet.answer(request, server.requestIP(request)?.address);
  };
  // Twice the accepted size: such a body is still read, and refused with an error object.
  const bodyBytesMax = devnet ? DUMP_BYTES_MAX : 2 * plane.context.limits.submissionBytesMax;
  const options = { host, port, bodyBytesMax, portFlag: "--node-port", counts: status.counts };
  const server = listen({ ...options, sockets: { messageBytesMax: STREAM_REQUEST_BYTES_MAX } }, answer);
  app.server = server;
  status.noteListening({ name: "node", host, port: server.port! });
  return {
    port: server.port!,
    url: urlOf(host, server.port!),
    announceEnd: () => announceEnd(server),
    stop: () => stopServer(server),
  };
}
