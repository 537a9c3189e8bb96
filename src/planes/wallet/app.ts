// The wallet service as an Elysia plugin (docs/protocol/00-interface.md#410-submit-json-rpc-request-to-the-wallet and
// #5-authentication; docs/protocol/50-wallet-service.md#12-endpoints to #14-status-table).
import { docsPlugin } from "../../http/docs.ts";
import { ApiError } from "../../http/errors.ts";
import { announceEnd, listen, readBody, retryAfter, splitUrl, stopServer, urlOf } from "../../http/http.ts";
import { originOf } from "../../http/origin.ts";
import { httpPlugin, RAW } from "../../http/plugin.ts";
import { METHOD_NAMES, type WalletService } from "../../wallet/service/service.ts";
import { isAllowedHost, PAGES } from "./cors.ts";
import type { PageHandler, PageHandlerOptions } from "./page.ts";
import { CALL, HEALTH, LIST } from "./route-documents.ts";

interface WalletAppOptions {
  /** Bytes of a request's body. */
  readonly bodyBytesMax: number;
  /** Called when the answer to a request may take as long as a person does. */
  onWaiting?(request: Request): void;
  /** The service's end. */
  readonly ending?: Ending;
}

interface Ending {
  /** Whether the service has begun to end: a request that waited for a person is answered with 503. */
  hasBegun: boolean;
  /** Aborted when requests under way have no more time. */
  readonly signal: AbortSignal;
}

/** Once the service stops, requests under way get this long: a transaction may be on its way to a node. */
const LAST_REQUESTS_MS = 1_500;

/**
 * The non-standard type that tells these answers from other JSON
 * (docs/protocol/00-interface.md#410-submit-json-rpc-request-to-the-wallet).
 */
const JSON_RPC = "application/json-rpc";
const JSON_TYPE = { "content-type": "application/json" };
const METHOD_LIST = JSON.stringify({ result: { registeredMethods: METHOD_NAMES } });

const UNREADABLE = "couldn't read the HTTP request body";
/** Too long, too slow, or beside too many others. */
const BODY_STATUSES: readonly number[] = [408, 413, 429];

const RPC_PATH = "/api/v2/requests";
const PATHS: Readonly<Record<string, string>> = {
  "/api/v2/health": "GET",
  "/api/v2/methods": "GET",
  [RPC_PATH]: "POST",
};

/** The service with its documents. @param isAllowed which `Host` a request may name */
function walletApp(
  service: WalletService,
  options: WalletAppOptions,
  isAllowed: (host: string | null) => boolean,
) {
  const app = httpPlugin({
    name: "wallet",
    before(request) {
      if (!isAllowed(request.headers.get("host")))
        return text(403, "the Host header names another machine\n");
      return undefined;
    },
    cors: PAGES,
    onError: () => refuse(500, "the service failed"),
  });
  const health = () => {
    if (options.ending?.hasBegun === true)
      return text(503, "the service is stopping\n", { "retry-after": "1" });
    return new Response(null);
  };
  app
    .get("/api/v2/health", health, HEALTH)
    .get("/api/v2/methods", () => new Response(METHOD_LIST, { headers: JSON_TYPE }), LIST)
    .post(RPC_PATH, ({ request }) => answerRpc(service, request, options), CALL);
  app.use(
    docsPlugin({
      signposts: ["/", "/api/v2"],
      app,
      parts: async () => (await import("./documentation.ts")).parts(),
      examples: async (paths) => (await import("./documentation.ts")).completed(paths),
    }),
  );
  for (const path of ["/*", "/"]) app.all(path, ({ request }) => fallback(request), RAW);
  return app;
}

/** All that is not a route of the service. */
function fallback(request: Request): Response {
  const { pathname, query } = splitUrl(request.url);
  const method = PATHS[pathname];
  if (method !== undefined) return wrongMethod(request, method);
  const trimmed = pathname.replace(/\/$/, "");
  if (pathname !== trimmed && PATHS[trimmed] !== undefined) {
    const headers = { location: query === "" ? trimmed : `${trimmed}?${query}` };
    return new Response(null, { status: request.method === "GET" ? 301 : 307, headers });
  }
  return text(404, "404 page not found\n");
}

/** Answers a JSON-RPC request. */
async function answerRpc(
  service: WalletService,
  request: Request,
  { bodyBytesMax, onWaiting, ending }: WalletAppOptions,
): Promise<Response> {
  const { headers } = request;
  let body: string;
  try {
    body = await readBody(request, bodyBytesMax);
  } catch (error) {
    return refuseBody(error);
  }
  let hasWaited = false;
  const result = await service.answer(body, {
    origin: headers.get("origin"),
    referer: headers.get("referer"),
    authorization: headers.get("authorization"),
    isSimple: isSimple(headers),
    waits: () => {
      onWaiting?.(request);
      hasWaited = true;
      return ending === undefined ? request.signal : AbortSignal.any([request.signal, ending.signal]);
    },
  });
  const { authorization } = result;
  const isCut = ending?.hasBegun === true && hasWaited && result.status !== 200;
  const { status, retryAfterSeconds } = isCut ? { status: 503, retryAfterSeconds: 1 } : result;
  const response = respond(status, result.body, authorization !== undefined);
  // Into the answer alone: nothing that outlives it holds a token.
  if (authorization !== undefined) response.headers.set("authorization", authorization);
  if (retryAfterSeconds !== undefined) response.headers.set("retry-after", String(retryAfterSeconds));
  return response;
}

/** Types that a browser sends across origins without asking first (Fetch, section 2.2.2); without one it asks neither. */
const SIMPLE_TYPE = /^\s*(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i;

function isSimple(headers: Headers): boolean {
  const type = headers.get("content-type");
  return type === null ? headers.get("sec-fetch-site") !== null : SIMPLE_TYPE.test(type);
}

function respond(status: number, body: string | undefined, hasToken: boolean): Response {
  const headers = new Headers();
  if (body !== undefined) headers.set("content-type", JSON_RPC);
  // An answer is for its caller, and for now.
  headers.set("cache-control", "no-store");
  if (status === 401) headers.set("www-authenticate", "VWT");
  if (hasToken) {
    headers.set("access-control-expose-headers", "Authorization");
    headers.set("access-control-allow-headers", "Authorization");
  }
  return new Response(body ?? null, { status, headers });
}

/** Too long, too slow, one too many, or broken off. */
function refuseBody(error: unknown): Response {
  if (error instanceof ApiError && BODY_STATUSES.includes(error.status))
    return refuse(error.status, error.message);
  return refuse(400, UNREADABLE);
}

function refuse(status: number, sentence: string): Response {
  const error = JSON.stringify({ code: -32700, message: "Parse error", data: sentence });
  const response = respond(status, `{"jsonrpc":"2.0","error":${error},"errors":${error},"id":null}`, false);
  for (const [name, value] of Object.entries(retryAfter(status))) response.headers.set(name, value);
  return response;
}

function wrongMethod(request: Request, method: string): Response {
  const allow = [method, "OPTIONS"].sort().join(", ");
  if (request.method === "OPTIONS") {
    return new Response(null, { headers: { allow } });
  }
  return text(405, "Method Not Allowed\n", { allow });
}

/** Plain text of a refusal. */
function text(status: number, body: string, headers: Record<string, string> = {}): Response {
  const plain = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return new Response(body, { status, headers: { ...headers, ...plain } });
}

interface WalletServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly bodyBytesMax: number;
  /** Names other than loopback's that requests may be sent to. */
  readonly allowedHosts: readonly string[];
  /** The wallet's own page. */
  page?(options: PageHandlerOptions): PageHandler;
}

export interface WalletServer {
  readonly port: number;
  /** With the prefix that clients are given: `http://127.0.0.1:1789/api`. */
  readonly url: string;
  /** Answers a request without a socket. */
  fetch(request: Request): Response | Promise<Response>;
  /** To be called before requests that wait are ended. */
  announceEnd(): void;
  stop(): Promise<void>;
}

/** @throws NodeError `port_in_use` */
export function serveWallet(service: WalletService, options: WalletServerOptions): WalletServer {
  const { host, bodyBytesMax, allowedHosts } = options;
  let stayOpen: (request: Request) => void = () => {};
  const stopping = new AbortController();
  const ending: Ending = { hasBegun: false, signal: stopping.signal };
  const appOptions: WalletAppOptions = {
    bodyBytesMax,
    onWaiting: (request) => stayOpen(request),
    ending,
  };
  let lastHost: string | undefined;
  const isAllowed = (host: string | null): boolean => {
    // A client names the same host again and again.
    if (host !== null && host === lastHost) return true;
    if (host === null || !isAllowedHost(host, allowedHosts)) return false;
    lastHost = host;
    return true;
  };
  const app = walletApp(service, appOptions, isAllowed);
  const page = options.page?.({ isAllowedHost: isAllowed, onWaiting: (request) => stayOpen(request) });
  const fetch = (request: Request) => page?.(request) ?? app.fetch(request);
  const server = listen(
    // Twice the accepted size: such a body is still read, and refused with an error object.
    { host, port: options.port, bodyBytesMax: 2 * bodyBytesMax, portFlag: "--wallet-port" },
    fetch,
  );
  // Until a request is whole the usual limit of time holds; from then on a person may take minutes to decide.
  stayOpen = (request) => server.timeout(originOf(request), 0);
  const port = server.port!;
  return {
    port,
    url: `${urlOf(host, port)}/api`,
    fetch,
    announceEnd() {
      ending.hasBegun = true;
      announceEnd(server);
    },
    async stop() {
      ending.hasBegun = true;
      const timer = setTimeout(() => stopping.abort(), LAST_REQUESTS_MS);
      await stopServer(server);
      clearTimeout(timer);
    },
  };
}
