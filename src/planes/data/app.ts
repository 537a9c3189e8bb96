// The data plane as an Elysia plugin: routes, methods, headers
// (docs/protocol/10-data-api-serving.md#12-methods-and-routing and #15-response-headers); and on a port.
import {
  answerFailure,
  keepAnswer,
  NOT_FOUND,
  noteFailure,
  refuse,
  sendAnswer,
  sendKept,
} from "../../http/answers.ts";
import { docsPlugin, jsonClient } from "../../http/docs.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { ApiError, wrongMethod } from "../../http/errors.ts";
import {
  announceEnd,
  listen,
  STREAM_REQUEST_BYTES_MAX,
  splitUrl,
  stopServer,
  urlOf,
} from "../../http/http.ts";
import { cacheKey, PageCache } from "../../http/page-cache.ts";
import { classify, type HttpRoutes, httpPlugin, RAW } from "../../http/plugin.ts";
import { answerBySocket } from "../../http/socket-answer.ts";
import { ServerStatus } from "../../http/status.ts";
import { healthRoutes, statusRoutes } from "../../http/status-routes.ts";
import { asksForSocket } from "../../http/web-sockets.ts";
import type { DataContext } from "./context.ts";
import { DATA_ENDPOINTS } from "./endpoints.ts";
import { sharingRoutes } from "./history-sharing.ts";
import { busRoutes } from "./observe/bus-routes.ts";
import { isStreamPath, observeRoutes, STREAM_PREFIX } from "./observe/routes.ts";
import type { DataPlane } from "./plane.ts";
import { readRoute } from "./read-route.ts";
import { whenReadable } from "./readable.ts";
import { answerStream, streamRoutes } from "./streams.ts";

const NOT_GET = wrongMethod("GET");
/** Beside the resources: what says how the node is, and the documents. */
const PLAIN_PATHS = [
  ...["/", "/api/v2", "/healthz", "/readyz", "/metrics", "/status"],
  ...["/docs", "/docs/", "/docs/json", "/docs/swagger-ui.js", "/docs/swagger-ui.css"],
];
/** Bodies up to this are read, and refused with an error object; of a larger one nothing is read (a bare 413). */
const BODY_READ_BYTES_MAX = 1024 * 1024;

/** A path of the data plane, in the notation of the interface: `/api/v2/asset/{asset_id}`. */
export const DATA_ROUTES: readonly { readonly endpoint: Endpoint<DataContext>; readonly path: string }[] =
  DATA_ENDPOINTS.flatMap((endpoint) =>
    [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => ({ endpoint, path })),
  );

/**
 * The routes. With a cache, answers to GET requests that are not errors are kept in it until the next block.
 * @param mounted another plane that this port answers too: the core node's
 * (docs/protocol/30-node-api-transactions.md#1-transports)
 * @param front answers a browser at `/`
 */
export function dataApp(
  plane: DataPlane,
  status = new ServerStatus(),
  cache?: PageCache,
  mounted?: HttpRoutes,
  front?: (request: Request) => Promise<Response> | undefined,
) {
  const { limits } = plane.context;
  plane.onFault = (error) => noteFailure(status, error);
  const app = httpPlugin({
    name: "data",
    before: (request) => {
      if (asksForSocket(request) && !isStreamPath(splitUrl(request.url).pathname))
        return answerBySocket(app, request);
      return cache === undefined ? undefined : kept(cache, status, request);
    },
    notFound: (request) => refuse(request, NOT_FOUND),
    onError: (error, request) =>
      error instanceof ApiError ? refuse(request, error) : answerFailure(status, request, error),
  });
  for (const { endpoint, path } of DATA_ROUTES) {
    readRoute(app, path, limits, (request, fields, query) => {
      classify(request, "read");
      return whenReadable(plane, status, request, () => {
        const input = { query, path: fields, accept: request.headers.get("accept") };
        const answer = plane.answer(endpoint, input);
        if (cache && answer.status === 200 && request.method === "GET") keepAnswer(cache, request, answer);
        return sendAnswer(answer, request);
      });
    });
  }
  for (const route of streamRoutes(plane, status)) {
    readRoute(app, route.path, limits, (request, _, query) => {
      classify(request, "export");
      return whenReadable(plane, status, request, async () => {
        const response = await answerStream(route, request, query, limits.filterValuesMax);
        response.headers.set("vary", "Origin");
        return response;
      });
    });
  }
  observeRoutes(app, plane, status);
  busRoutes(app, plane, status, `${STREAM_PREFIX}event/bus`, "stream");
  app.use(sharingRoutes(plane, status));
  const readiness = () => status.readiness();
  app.use(healthRoutes("data", status, () => (readiness().ready ? undefined : readiness().reason)));
  app.use(statusRoutes(status));
  app.use(
    docsPlugin({
      signposts: ["/", "/api/v2"],
      front,
      parts: async () => (await import("./openapi.ts")).openApiParts(),
      examples: async (paths) => {
        const { DATA_SOURCES, withExamples } = await import("../../http/openapi/examples.ts");
        return withExamples(paths, DATA_SOURCES, jsonClient(app));
      },
      version: () => plane.head()?.height ?? 0,
    }),
  );
  for (const path of PLAIN_PATHS) app.all(path, ({ request }) => refuse(request, NOT_GET), RAW);
  if (mounted) app.use(mounted);
  app.all("/*", ({ request }) => refuse(request, NOT_FOUND), RAW);
  return app;
}

/** An answer kept since the last block. A minimum height has to be waited for. */
function kept(cache: PageCache, status: ServerStatus, request: Request): Response | undefined {
  if (request.method !== "GET" || request.headers.has("x-min-height") || status.isDamaged) return undefined;
  const answer = cache.get(cacheKey(request));
  if (answer === undefined) return undefined;
  classify(request, "kept");
  status.counts.cacheHits++;
  return sendKept(answer, cache, request);
}

export interface DataServer {
  readonly port: number;
  readonly url: string;
  /** Answers taken from the page cache so far. */
  cacheHits(): number;
  announceEnd(): void;
  stop(): Promise<void>;
}

interface ServeOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** The core node's routes, where there is a node (planes/node/app.ts, `mountedNode`). */
  readonly mounted?: HttpRoutes;
  /** Answers a browser at `/`. */
  readonly front?: (request: Request) => Promise<Response> | undefined;
}

/** Listens. @throws NodeError `port_in_use` */
export function serveData(
  plane: DataPlane,
  status: ServerStatus,
  { host, port, mounted, front }: ServeOptions,
): DataServer {
  const { bodyBytesMax, submissionBytesMax, queryBytesMax, pageCacheBytesMax } = plane.context.limits;
  const version = plane.context.db.prepare("PRAGMA data_version");
  const versionNow = () => (version.get() as { data_version: bigint }).data_version;
  const app = dataApp(plane, status, new PageCache(pageCacheBytesMax, versionNow), mounted, front);
  const server = listen(
    {
      host,
      port,
      bodyBytesMax: Math.max(bodyBytesMax, BODY_READ_BYTES_MAX, mounted ? 2 * submissionBytesMax : 0),
      portFlag: "--data-port",
      counts: status.counts,
      sockets: { messageBytesMax: Math.max(STREAM_REQUEST_BYTES_MAX, queryBytesMax) },
    },
    app.fetch,
  );
  app.server = server;
  status.noteListening({ name: "data", host, port: server.port! });
  return {
    port: server.port!,
    url: urlOf(host, server.port!),
    cacheHits: () => status.counts.cacheHits,
    announceEnd: () => announceEnd(server),
    stop: () => {
      plane.stop();
      return stopServer(server);
    },
  };
}
