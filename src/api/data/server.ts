// The data plane on a port. What must be quick or must hold for every answer stands here, before the routes:
// answers kept since the last block, preflights, minimum-height reads, counting.
import { ExitCode, NodeError } from "../../errors.ts";
import { ApiError, badRequest, Grpc } from "../errors.ts";
import { cacheKey, PageCache } from "../page-cache.ts";
import { dataApp, refuse, toResponse, withCors } from "./app.ts";
import { type DataPlane, errorAnswer } from "./plane.ts";
import type { ServerStatus } from "./status.ts";

const IDLE_TIMEOUT_S = 30;
/** Bodies up to this are read, and refused with an error object; of a larger one nothing is read (a bare 413). */
const BODY_READ_BYTES_MAX = 1024 * 1024;
/** How often a minimum-height read looks again. */
const HEIGHT_POLL_MS = 10;
const PREFLIGHT_MAX_AGE_S = "7200";
const HEIGHT = /^\d{1,15}$/;

export interface DataServer {
  readonly port: number;
  readonly url: string;
  /** Answers taken from the page cache so far. */
  cacheHits(): number;
  stop(): Promise<void>;
}

/** Listens. Port 0 picks a free one. @throws NodeError `port_in_use` */
export function serveData(plane: DataPlane, status: ServerStatus, host: string, port: number): DataServer {
  const version = plane.context.db.prepare("PRAGMA data_version");
  const versionNow = () => (version.get() as { data_version: bigint }).data_version;
  const cache = new PageCache(plane.context.limits.pageCacheBytesMax, versionNow);
  const app = dataApp(plane, status, cache);

  const handle = (request: Request): Response | Promise<Response> => {
    if (request.method === "GET") {
      const least = request.headers.get("x-min-height");
      if (least !== null) return afterHeight(plane, request, least, () => app.fetch(request));
      const kept = cache.get(cacheKey(request));
      if (kept) return new Response(kept.body, { headers: withCors(kept.headers, request) });
    } else if (isPreflight(request)) return preflight(request);
    return app.fetch(request);
  };
  const server = listen(host, port, plane.context.limits.bodyBytesMax, (request) => {
    const answer = handle(request);
    if (!(answer instanceof Response)) return answer.then((response) => counted(response, status));
    return counted(answer, status);
  });
  return {
    port: server.port!,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`,
    cacheHits: () => cache.hits,
    stop: () => server.stop(true),
  };
}

function counted(response: Response, status: ServerStatus): Response {
  status.count(response.status);
  return response;
}

function listen(
  host: string,
  port: number,
  bodyBytesMax: number,
  fetch: (request: Request) => Response | Promise<Response>,
) {
  try {
    return Bun.serve({
      hostname: host,
      port,
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_S,
      maxRequestBodySize: Math.max(bodyBytesMax, BODY_READ_BYTES_MAX),
      fetch,
      error: () => Response.json(new ApiError(Grpc.internal, "Internal error").body, { status: 500 }),
    });
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === "EADDRINUSE") {
      throw new NodeError(
        "serve",
        "port_in_use",
        `port ${port} on ${host} is in use`,
        "stop what uses it, or give --data-port 0 for a free one",
        ExitCode.failed,
      );
    }
    throw new NodeError(
      "serve",
      "cannot_listen",
      `cannot listen on ${host} port ${port} (${code ?? "unknown"})`,
      "give another --host or --data-port",
      ExitCode.failed,
    );
  }
}

/** Serves once the store has the height asked for; answers 412 with the height it has when that takes too long. */
async function afterHeight(
  plane: DataPlane,
  request: Request,
  least: string,
  serve: () => Response | Promise<Response>,
): Promise<Response> {
  if (!HEIGHT.test(least)) {
    return refuse(request, badRequest("X-Min-Height must be a block height"));
  }
  const wanted = Number(least);
  const giveUpMs = performance.now() + plane.context.limits.minHeightWaitMs;
  while ((plane.head()?.height ?? 0) < wanted) {
    if (request.signal.aborted) break;
    if (performance.now() >= giveUpMs) {
      const head = plane.head();
      const told = { height: head?.height ?? 0, timeUs: head?.timeUs ?? 0 };
      const error = new ApiError(
        Grpc.failedPrecondition,
        `height ${wanted} is not reached: the last block is ${told.height}`,
      );
      return toResponse(errorAnswer(error, "normal", told), request);
    }
    await Bun.sleep(HEIGHT_POLL_MS);
  }
  return serve();
}

function isPreflight(request: Request): boolean {
  return request.method === "OPTIONS" && request.headers.get("access-control-request-method") !== null;
}

function preflight(request: Request): Response {
  const headers = new Headers({
    "access-control-allow-origin": request.headers.get("origin") ?? "*",
    "access-control-allow-methods": request.headers.get("access-control-request-method")!,
    "access-control-max-age": PREFLIGHT_MAX_AGE_S,
  });
  const asked = request.headers.get("access-control-request-headers");
  if (asked) headers.set("access-control-allow-headers", asked.split(",").map(canonicalHeader).join(", "));
  for (const name of ["Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers"])
    headers.append("vary", name);
  return new Response(null, { status: 204, headers });
}

/** `x-min-height` as `X-Min-Height`. */
function canonicalHeader(name: string): string {
  return name
    .trim()
    .replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}
