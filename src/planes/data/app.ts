// The data plane as an Elysia application: routes, methods, headers (reference 10, sections 1.2 and 1.5).
import { Elysia } from "elysia";
import { logFailure } from "../../errors/log.ts";
import { NodeError, reasonOf } from "../../errors/node-error.ts";
import { Grpc } from "../../errors/statuses.ts";
import { isStoreDamage } from "../../files/sqlite-error.ts";
import {
  COMPRESSED_BYTES_MIN,
  compressedNow,
  encodedResponse,
  isCompressedFor,
  packedResponse,
} from "../../http/compression.ts";
import { asking, docsPlugin } from "../../http/docs.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { ApiError, wrongMethod } from "../../http/errors.ts";
import { ANY_HOST, checkUrl, isForm, joinedQuery, retryAfter, splitUrl, withCors } from "../../http/http.ts";
import { type CachedAnswer, cacheKey, type PageCache } from "../../http/page-cache.ts";
import type { RequestFields } from "../../http/query.ts";
import { ServerStatus, STORE_DAMAGED } from "../../http/status.ts";
import type { JsonMode } from "../../wire/json.ts";
import type { DataContext } from "./context.ts";
import { DATA_ENDPOINTS } from "./endpoints.ts";
import { type Answer, type DataPlane, errorAnswer, jsonMode } from "./plane.ts";
import { answerStream, type StreamRoute, streamRoutes } from "./streams.ts";

const INTERNAL_HINT = "run again with LYRA_DEBUG=1 to see where, and report it";
const DAMAGE_HINT = "check the disk, then: lyra doctor --home DIR --deep";
const NOT_FOUND = new ApiError(Grpc.notFound, "Not Found", [], true);
/** A read may be posted as a form (reference 10, section 1.2). */
const WRONG_METHOD = wrongMethod("GET, POST");
const NOT_GET = wrongMethod("GET");
/** Beside the resources: what says how the node is, and the documents. */
const PLAIN_PATHS: ReadonlySet<string> = new Set([
  ...["/", "/api/v2", "/healthz", "/readyz", "/metrics"],
  ...["/docs", "/docs/", "/docs/json", "/docs/swagger-ui.js", "/docs/swagger-ui.css"],
]);

/** An endpoint with its path split: the literal parts and, between braces, the request's fields. */
interface Route {
  readonly endpoint: Endpoint<DataContext>;
  /** Path in Elysia's notation. */
  readonly pattern: string;
  /** Matches a path; one group for each parameter, which may be empty at the end of the path. */
  readonly expression: RegExp;
  readonly parameters: readonly string[];
}

/** Every path of the data plane. Later entries win where two match, as in the original. */
export const DATA_ROUTES: readonly Route[] = DATA_ENDPOINTS.flatMap((endpoint) =>
  [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => makeRoute(endpoint, path)),
);

function makeRoute(endpoint: Endpoint<DataContext>, path: string): Route {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map((match) => camelCase(match[1]!));
  const pattern = path.replace(/\{(\w+)\}/g, (_, name: string) => `:${camelCase(name)}`);
  const expression = new RegExp(`^${path.replace(/\{\w+\}/g, "([^/]*)")}$`);
  return { endpoint, pattern, expression, parameters };
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const METRICS = { "content-type": "text/plain; version=0.0.4", vary: "Accept-Encoding" };
const HEALTH = { "content-type": "text/plain; charset=utf-8", vary: "Origin" };

/** Routes of another plane that this port answers too: those of the core node (reference 30, section 1). */
export interface MountedPlane {
  /** Whether a path is one of its own. */
  takes(pathname: string): boolean;
  /** Whether what is posted there is no read, in whatever form. */
  submits(pathname: string): boolean;
  answer(request: Request): Promise<Response>;
}

/**
 * The routes. With a cache, answers to GET requests that are not errors are kept in it until the next block. What is
 * mounted is asked for the paths that the data plane does not have.
 */
export function dataApp(
  plane: DataPlane,
  status = new ServerStatus(),
  cache?: PageCache,
  mounted?: MountedPlane,
) {
  const app = new Elysia({ name: "data", strictPath: true, precompile: true, handler: ANY_HOST });
  const streams = streamRoutes(plane, status);
  const get = (request: Request, endpoint: Endpoint<DataContext>, path: RequestFields) => {
    const answer = answerGet(plane, endpoint, request, path);
    if (cache && answer.status === 200) keep(cache, request, answer);
    return sendAnswer(answer, request);
  };
  for (const route of DATA_ROUTES) {
    const { endpoint, parameters } = route;
    const answer = ({ request, params }: { request: Request; params?: RequestFields }) =>
      // The framework splits a path before it unescapes it, and takes a bad escape for null; the original does neither.
      parameters.length > 0 && splitUrl(request.url).pathname.includes("%")
        ? fallback(plane, streams, request, mounted)
        : get(request, endpoint, params ?? {});
    app.get(route.pattern, answer, { detail: { hide: true } });
  }
  for (const route of streams) {
    app.get(route.path, ({ request }) => stream(plane, route, request, splitUrl(request.url).query));
  }
  app.all("/health", ({ request }) => health(request));
  app.get("/healthz", () => new Response("ok", { headers: HEALTH }));
  app.get("/readyz", ({ request }) => readyz(request, status));
  app.get("/metrics", async ({ request }) =>
    encodedResponse(await status.metrics(), { headers: METRICS }, request),
  );
  app.use(
    docsPlugin({
      signposts: ["/", "/api/v2"],
      parts: async () => (await import("./openapi.ts")).openApiParts(),
      examples: async (paths) => {
        const { DATA_SOURCES, withExamples } = await import("../../http/openapi/examples.ts");
        return withExamples(paths, DATA_SOURCES, asking(app));
      },
      version: () => plane.head()?.height ?? 0,
    }),
  );
  // Everything that the exact routes do not take: other methods, empty path parameters, unknown paths.
  app.all("/*", ({ request }) => fallback(plane, streams, request, mounted));
  app.onError(({ error, request }) => {
    if (error instanceof ApiError) return refuse(request, error);
    return answerFailure(status, request, error);
  });
  return app;
}

function keep(cache: PageCache, request: Request, answer: Answer): void {
  const key = cacheKey(request);
  if (!cache.isAskedAgain(key)) return;
  cache.put(key, { body: Buffer.from(answer.body, "utf8"), headers: headersOf(answer) });
}

function health(request: Request): Response {
  return new Response("ok", { headers: withCors(HEALTH, request) });
}

function readyz(request: Request, status: ServerStatus): Response {
  const { ready, reason } = status.readiness();
  if (ready) return new Response("ok", { headers: HEALTH });
  return refuse(request, new ApiError(Grpc.unavailable, reason), "normal");
}

async function stream(
  plane: DataPlane,
  route: StreamRoute,
  request: Request,
  query: string,
): Promise<Response> {
  if (request.method === "HEAD") return refuse(request, WRONG_METHOD);
  checkUrl(request, plane.context.limits);
  const response = await answerStream(route, request, query, plane.context.limits.filterValuesMax);
  response.headers.set("vary", "Origin");
  for (const [name, value] of Object.entries(withCors({}, request))) response.headers.set(name, value);
  return response;
}

async function fallback(
  plane: DataPlane,
  streams: readonly StreamRoute[],
  request: Request,
  mounted: MountedPlane | undefined,
): Promise<Response> {
  const { pathname } = splitUrl(request.url);
  if (pathname === "/health") return health(request);
  const match = matchRoute(pathname);
  const streamRoute = streams.find((route) => route.path === pathname);
  if (streamRoute) {
    if (request.method === "GET") return stream(plane, streamRoute, request, splitUrl(request.url).query);
    if (!isForm(request)) return refuse(request, WRONG_METHOD);
    return stream(plane, streamRoute, request, await joinedQuery(request, plane.context.limits));
  }
  if (!match && mounted?.takes(pathname)) return mounted.answer(request);
  if (PLAIN_PATHS.has(pathname)) return refuse(request, NOT_GET);
  if (!match) return refuse(request, NOT_FOUND);
  const { endpoint, path } = match;
  if (request.method === "GET") return sendAnswer(answerGet(plane, endpoint, request, path), request);
  if (!isForm(request)) return refuse(request, WRONG_METHOD);
  const query = await joinedQuery(request, plane.context.limits);
  return sendAnswer(plane.answer(endpoint, { query, path, accept: request.headers.get("accept") }), request);
}

function matchRoute(pathname: string): { endpoint: Endpoint<DataContext>; path: RequestFields } | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
  for (const route of DATA_ROUTES.toReversed()) {
    const match = route.expression.exec(decoded);
    if (!match) continue;
    const path: RequestFields = {};
    for (const [i, name] of route.parameters.entries()) path[name] = match[i + 1]!;
    return { endpoint: route.endpoint, path };
  }
  return undefined;
}

function answerGet(
  plane: DataPlane,
  endpoint: Endpoint<DataContext>,
  request: Request,
  path: RequestFields,
): Answer {
  // A HEAD request arrives here through the GET route; the original knows no HEAD.
  if (request.method !== "GET") throw WRONG_METHOD;
  checkUrl(request, plane.context.limits);
  const { query } = splitUrl(request.url);
  return plane.answer(endpoint, { query, path, accept: request.headers.get("accept") });
}

/** An answer of the cache, which keeps both of its forms. */
export function sendKept(kept: CachedAnswer, cache: PageCache, request: Request): Response {
  const head = { headers: withCors(kept.headers, request) };
  if (!isCompressedFor(request, kept.body.length)) return new Response(kept.body, head);
  return packedResponse(cache.packed(cacheKey(request), kept, compressedNow), head);
}

/** The store is damaged, which `/readyz` says too: no data is better than wrong data. */
export const DAMAGED = new ApiError(Grpc.unavailable, STORE_DAMAGED, [], true);

/** Answers what no resource expected; the log has it, with a code. */
export function answerFailure(
  status: ServerStatus,
  request: Request,
  error: unknown,
  mode?: JsonMode,
): Response {
  return refuse(request, noteFailure(status, error), mode);
}

/** Logs what no resource expected. @returns the answer */
export function noteFailure(status: ServerStatus, error: unknown): ApiError {
  status.counts.faults++;
  if (process.env.LYRA_DEBUG) console.error(error);
  if (!isStoreDamage(error)) {
    logFailure(new NodeError("serve", "internal", "a request failed inside Lyra", INTERNAL_HINT));
    return new ApiError(Grpc.internal, "Internal error", [], true);
  }
  if (!status.isDamaged) {
    const sentence = `the store cannot be read: ${reasonOf(error)}`;
    logFailure(new NodeError("serve", "store_damaged", sentence, DAMAGE_HINT));
  }
  status.noteDamage();
  return DAMAGED;
}

/** An error that never reached the service, in the form that the request asks for. */
export function refuse(
  request: Request,
  error: ApiError,
  mode = jsonMode(splitUrl(request.url).query, request.headers.get("accept")),
): Response {
  return toResponse(errorAnswer(error, mode, undefined), request);
}

/** An answer in the form that the request asks for, compressed where that is worth it. */
export function sendAnswer(answer: Answer, request: Request): Response | Promise<Response> {
  const headers = withCors(headersOf(answer), request);
  return encodedResponse(answer.body, { status: answer.status, headers }, request);
}

/** An answer as it is: for what is small. */
export function toResponse(answer: Answer, request: Request): Response {
  const headers = withCors(headersOf(answer), request);
  return new Response(request.method === "HEAD" ? null : answer.body, { status: answer.status, headers });
}

function headersOf(answer: Answer): Record<string, string> {
  const vary = answer.body.length < COMPRESSED_BYTES_MIN ? "Origin" : "Origin, Accept-Encoding";
  const headers: Record<string, string> = { "content-type": answer.contentType, vary };
  if (answer.head) {
    headers["x-block-height"] = String(answer.head.height);
    headers["x-block-timestamp"] = answer.head.timeUs === 0 ? "0" : `${answer.head.timeUs}000`;
  }
  if (answer.allow !== undefined) headers.allow = answer.allow;
  return answer.status < 429 ? headers : Object.assign(headers, retryAfter(answer.status));
}
