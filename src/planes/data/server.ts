// The data plane on a port. What must be quick or must hold for every answer stands here, before the routes:
// answers kept since the last block, preflights, minimum-height reads, counting.

import { Grpc } from "../../errors/statuses.ts";
import type { RouteClass } from "../../http/counts.ts";
import { ApiError, badRequest } from "../../http/errors.ts";
import {
  isForm,
  isPreflight,
  listen,
  type PortSharing,
  preflight,
  splitUrl,
  urlOf,
} from "../../http/http.ts";
import { cacheKey, PageCache } from "../../http/page-cache.ts";
import type { ServerStatus } from "../../http/status.ts";
import type { JsonMode } from "../../wire/json.ts";
import { answerFailure, DAMAGED, dataApp, type MountedPlane, refuse, sendKept, toResponse } from "./app.ts";
import { type DataPlane, errorAnswer } from "./plane.ts";

/** Bodies up to this are read, and refused with an error object; of a larger one nothing is read (a bare 413). */
const BODY_READ_BYTES_MAX = 1024 * 1024;
const STATUS_PATHS: ReadonlySet<string> = new Set(["/health", "/healthz", "/readyz", "/metrics"]);
const DATA_PATHS = "/api/v2/";
const EXPORT = /\/export(?:\?|$)/;
const SCHEME_LENGTH = "http://".length;
const HEIGHT = /^\d{1,15}$/;

export interface DataServer {
  readonly port: number;
  readonly url: string;
  /** Answers taken from the page cache so far. */
  cacheHits(): number;
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** The core node's routes, where there is a node (planes/node/app.ts, `mountedNode`). */
  readonly mounted?: MountedPlane;
  /** Where other threads listen on the port as well: the system then spreads the connections. */
  readonly sharing?: PortSharing;
}

/** Listens. @throws NodeError `port_in_use` */
export function serveData(
  plane: DataPlane,
  status: ServerStatus,
  { host, port, mounted, sharing }: ServeOptions,
): DataServer {
  const version = plane.context.db.prepare("PRAGMA data_version");
  const versionNow = () => (version.get() as { data_version: bigint }).data_version;
  const cache = new PageCache(plane.context.limits.pageCacheBytesMax, versionNow);
  const app = dataApp(plane, status, cache, mounted);

  const isPostedRead = (request: Request): boolean =>
    isForm(request) && !mounted?.submits(splitUrl(request.url).pathname);
  let isKept = false;
  const handle = (request: Request): Response | Promise<Response> => {
    isKept = false;
    if (status.isDamaged && readsStore(request)) return refuse(request, DAMAGED);
    const isGet = request.method === "GET";
    const least = isGet || isPostedRead(request) ? request.headers.get("x-min-height") : null;
    if (least !== null) return afterHeight(plane, request, least, () => app.fetch(request));
    if (isGet) {
      const kept = cache.get(cacheKey(request));
      if (kept) {
        isKept = true;
        status.counts.cacheHits++;
        return sendKept(kept, cache, request);
      }
    } else if (isPreflight(request)) return preflight(request);
    return app.fetch(request);
  };
  const { bodyBytesMax, submissionBytesMax } = plane.context.limits;
  const bodyMax = Math.max(bodyBytesMax, BODY_READ_BYTES_MAX, mounted ? 2 * submissionBytesMax : 0);
  const listening = {
    host,
    port,
    bodyBytesMax: bodyMax,
    portFlag: "--data-port",
    ...(sharing && { sharing }),
  };
  // The runtime would print the stack of what leaves a handler.
  const failed = (request: Request) => (error: unknown) => answerFailure(status, request, error);
  const counted = (response: Response, request: Request, startedMs: number): Response => {
    const kind = isKept ? "kept" : routeClass(request, mounted);
    isKept = false;
    status.counts.countResponse(response.status, kind, performance.now() - startedMs);
    return response;
  };
  const server = listen(listening, (request) => {
    const startedMs = performance.now();
    try {
      const answer = handle(request);
      if (answer instanceof Response) return counted(answer, request, startedMs);
      isKept = false;
      return answer.catch(failed(request)).then((response) => counted(response, request, startedMs));
    } catch (error) {
      return counted(failed(request)(error), request, startedMs);
    }
  });
  return {
    port: server.port!,
    url: urlOf(host, server.port!),
    cacheHits: () => status.counts.cacheHits,
    stop: () => server.stop(true),
  };
}

/** The class of a request that was not answered from the cache. */
function routeClass({ url, method }: Request, mounted: MountedPlane | undefined): RouteClass {
  // Nearly every one: nothing is cut out of the address for it.
  if (url.startsWith(DATA_PATHS, url.indexOf("/", SCHEME_LENGTH)))
    return url.includes("/export") && EXPORT.test(url) ? "export" : "read";
  const { pathname } = splitUrl(url);
  if (mounted === undefined || !mounted.takes(pathname)) return "other";
  return method === "POST" && mounted.submits(pathname) ? "submission" : "node";
}

/** Everything but what says how the node is. */
function readsStore(request: Request): boolean {
  return !STATUS_PATHS.has(splitUrl(request.url).pathname);
}

/** Serves once the store has the height asked for; answers 412 with the height it has when that takes too long. */
export async function afterHeight(
  plane: DataPlane,
  request: Request,
  least: string,
  serve: () => Response | Promise<Response>,
  mode?: JsonMode,
): Promise<Response> {
  if (!HEIGHT.test(least)) {
    return refuse(request, badRequest("X-Min-Height must be a block height"), mode);
  }
  const wanted = Number(least);
  try {
    if (await plane.heightWaiters.waitFor(wanted, request.signal)) return serve();
  } catch (error) {
    if (error instanceof ApiError) return refuse(request, error, mode);
    throw error;
  }
  const head = plane.head();
  const told = { height: head?.height ?? 0, timeUs: head?.timeUs ?? 0 };
  const error = new ApiError(
    Grpc.failedPrecondition,
    `height ${wanted} is not reached: the last block is ${told.height}`,
  );
  return toResponse(errorAnswer(error, mode ?? "normal", told), request);
}
