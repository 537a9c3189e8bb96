// Shared by every plane's server: listening, cross-origin headers, addresses, bodies.
import { websocket as frameworkSockets } from "elysia/ws";
import { NodeError } from "../errors/node-error.ts";
import { Grpc } from "../errors/statuses.ts";
import { classOf, type ServerCounts } from "./counts.ts";
import { ApiError, badRequest, bodyTooLarge } from "./errors.ts";
import type { Limits } from "./limits.ts";

const IDLE_TIMEOUT_S = 30;
const PREFLIGHT_MAX_AGE_S = "7200";
const FORM = "application/x-www-form-urlencoded";

/**
 * The framework's handlers. Pings are sent to a client that says nothing for a minute, so that one that is gone is
 * noticed. The bytes that may wait for a client are bounded where they are made: none is dropped here in silence.
 */
const SOCKETS = {
  ...frameworkSockets,
  maxPayloadLength: 64 * 1024,
  idleTimeout: 120,
  sendPings: true,
  backpressureLimit: 64 * 1024 * 1024,
  closeOnBackpressureLimit: true,
} as unknown as Bun.WebSocketHandler<unknown>;

export type Fetch = (request: Request) => Response | Promise<Response>;

/** The first thread on a port sees to it that no other process has it; then more of them may listen. */
export type PortSharing = "first" | "more";

interface ListenOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Of a larger body nothing is read: a bare 413. */
  readonly bodyBytesMax: number;
  /** Where several threads of this process listen on it: whether this is the first one. */
  readonly sharing?: PortSharing;
  /** The flag that chooses this port, for the hint of an error: `--data-port`. */
  readonly portFlag: string;
  /** Answers are counted here, with how long they took. */
  readonly counts?: ServerCounts;
  /** Whether the framework's WebSockets are served; its `server` must be set to what is returned. */
  readonly hasSockets?: boolean;
  /** Requests for this path become websockets. */
  readonly websocket?: { readonly path: string; readonly options: Bun.WebSocketHandler<unknown> };
}

/** Listens. @throws NodeError `host_empty`, `port_in_use`, `cannot_listen` */
export function listen(options: ListenOptions, fetch: Fetch) {
  const { host, bodyBytesMax, portFlag, counts, sharing, hasSockets = false, websocket } = options;
  checkHost(host);
  let { port } = options;
  try {
    // The system gives a shared port to every socket that wants to share it; asked for alone, a port in use is refused.
    if (sharing === "first") port = freePort(host, port);
    const ending: Ending = { isAnnounced: false };
    const answer = orderly(counts === undefined ? fetch : counted(fetch, counts), ending);
    const began = (server: ReturnType<typeof Bun.serve>) => {
      endings.set(server, ending);
      return server;
    };
    const serving = {
      hostname: host,
      port,
      reusePort: sharing !== undefined,
      idleTimeout: IDLE_TIMEOUT_S,
      maxRequestBodySize: bodyBytesMax,
      error: internalFailure,
    };
    if (hasSockets) return began(Bun.serve<unknown>({ ...serving, fetch: answer, websocket: SOCKETS }));
    if (websocket === undefined) return began(Bun.serve<unknown>({ ...serving, fetch: answer }));
    return began(
      Bun.serve<unknown>({
        ...serving,
        fetch(request, server) {
          const isAsked = splitUrl(request.url).pathname === websocket.path;
          if (isAsked && server.upgrade(request, { data: undefined })) return undefined;
          return answer(request);
        },
        websocket: websocket.options,
      }),
    );
  } catch (error) {
    throw cannotListen(error, { host, port, portFlag });
  }
}

/** Requests under way get this long to end once their server stops. */
const UNDER_WAY_MS = 5_000;
const UNDER_WAY_LOOK_MS = 10;
/** Time for the last line of a stream. */
const GOODBYE_MS = 250;

type Server = ReturnType<typeof Bun.serve>;

interface Ending {
  /** Whether each answer ends its connection. */
  isAnnounced: boolean;
}

const endings = new WeakMap<Server, Ending>();

/** From now on each answer ends its connection: a client that keeps some comes to know before the port is gone. */
export function announceEnd(server: Server): void {
  const ending = endings.get(server);
  if (ending) ending.isAnnounced = true;
}

/** Frees the port at once; requests under way end in a bounded time, and what is left is broken off. */
export async function stopServer(server: Server, underWayMs = UNDER_WAY_MS): Promise<void> {
  announceEnd(server);
  // Settles after the last request, but for sockets that never end.
  void server.stop();
  const startedMs = performance.now();
  const isLeft = () => server.pendingRequests > 0 && performance.now() - startedMs < underWayMs;
  const isClosing = () => server.pendingWebSockets > 0 && performance.now() - startedMs < GOODBYE_MS;
  while (isLeft() || isClosing()) await Bun.sleep(UNDER_WAY_LOOK_MS);
  await server.stop(true);
}

/** @throws NodeError `host_empty`: the system would take it for every address of this machine */
export function checkHost(host: string): void {
  if (host !== "") return;
  const hint = "give the address to listen on; 0.0.0.0 is every one of this machine";
  throw new NodeError("serve", "host_empty", "the host to listen on is empty", hint);
}

/** Why a port cannot be listened on: `port_in_use`, `cannot_listen`. */
export function cannotListen(
  error: unknown,
  { host, port, portFlag }: Pick<ListenOptions, "host" | "port" | "portFlag">,
): NodeError {
  const code = (error as { code?: string }).code;
  if (code === "EADDRINUSE") {
    return new NodeError(
      "serve",
      "port_in_use",
      `port ${port} on ${host} is in use`,
      `stop what uses it, or give ${portFlag} 0 for a free one`,
    );
  }
  return new NodeError(
    "serve",
    "cannot_listen",
    `cannot listen on ${host} port ${port} (${code ?? "unknown"})`,
    `give another --host or ${portFlag}`,
  );
}

/**
 * Faults that the runtime lets through. Two `Host` headers, which it joins by a comma, are refused (RFC 9112, section 3.2). After
 * a body in pieces the connection is closed: trailers behind it would be read as the next request, and answered by an
 * error that the client takes for its next answer.
 */
function orderly(fetch: Fetch, ending: Ending): Fetch {
  return (request) => {
    const { headers } = request;
    if (headers.get("host")?.includes(",")) return twoHosts();
    const isInPieces = request.method !== "GET" && headers.has("transfer-encoding");
    if (!isInPieces && !ending.isAnnounced) return fetch(request);
    const answer = fetch(request);
    return answer instanceof Response ? closing(answer) : answer.then(closing);
  };
}

function counted(fetch: Fetch, counts: ServerCounts): Fetch {
  return (request) => {
    const startedMs = performance.now();
    const count = (response: Response): Response => {
      counts.countResponse(response.status, classOf(request), performance.now() - startedMs);
      return response;
    };
    const answer = fetch(request);
    return answer instanceof Response ? count(answer) : answer.then(count);
  };
}

function twoHosts(): Response {
  const { body, status } = badRequest("the request has more than one Host header");
  return Response.json(body, { status });
}

function closing(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
}

function freePort(hostname: string, wanted: number): number {
  const probe = Bun.serve({ hostname, port: wanted, reusePort: false, fetch: internalFailure });
  const port = probe.port!;
  probe.stop(true);
  return port;
}

function internalFailure(): Response {
  return Response.json(new ApiError(Grpc.internal, "Internal error").body, { status: 500 });
}

export function urlOf(host: string, port: number): string {
  return `http://${addressOf(host, port)}`;
}

/** Such as `127.0.0.1:3007` or `[::1]:3007`. */
export function addressOf(host: string, port: number): string {
  return `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}

/** With every 429 and 503: a place is free again, or the node ready, sooner than anybody could say. */
export function retryAfter(status: number): Record<string, string> {
  return status === 429 || status === 503 ? { "retry-after": "1" } : {};
}

/** The same headers, and for a page of another origin the ones that let it read the answer. */
export function withCors(headers: Record<string, string>, request: Request): Record<string, string> {
  const origin = request.headers.get("origin");
  if (origin === null) return headers;
  return { ...headers, "access-control-allow-origin": origin, "access-control-expose-headers": "*" };
}

export function isPreflight(request: Request): boolean {
  return request.method === "OPTIONS" && request.headers.get("access-control-request-method") !== null;
}

export function preflight(request: Request): Response {
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

/** Path and raw query of an absolute URL, nothing unescaped; of a request without a usable host it is the path alone. */
export function splitUrl(url: string): { pathname: string; query: string } {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return { pathname: "/", query: "" };
  const mark = url.indexOf("?", start);
  if (mark < 0) return { pathname: url.slice(start), query: "" };
  return { pathname: url.slice(start, mark), query: url.slice(mark + 1) };
}

/** @throws ApiError 400 */
export function checkUrl(request: Request, { urlCharactersMax }: Limits): void {
  // Scheme and host first: nearly every address is short enough with them.
  if (request.url.length <= urlCharactersMax) return;
  const { pathname, query } = splitUrl(request.url);
  if (pathname.length + query.length > urlCharactersMax)
    throw badRequest(`path and query are longer than ${urlCharactersMax} characters`);
}

/** A posted form is read like a query (reference 10, section 1.2). */
export function isForm(request: Request): boolean {
  return (
    request.method === "POST" && (request.headers.get("content-type") ?? "").split(";")[0]!.trim() === FORM
  );
}

/** Bodies up to this are read whatever else goes on; thousands of half ones are no burden. */
const SMALL_BODY_BYTES = 32 * 1024;
/** Larger ones that are read or worked on at once, so that a crowd of senders cannot fill the memory. */
const LARGE_BODIES_MAX = 64;
/** Bytes of large bodies at once: working on one takes about six times its bytes. */
const LARGE_BYTES_MAX = 16 * 1024 * 1024;
/** A large body must come within this, and the time that the largest takes at this rate. */
const LARGE_BODY_MS = 5_000;
const LARGE_BODY_BYTES_PER_MS = 1_024;

/**
 * The body as text; no more of it is kept than may be.
 * @throws ApiError 413 when it is longer, 400 when it breaks off or comes too slowly; 429 for a large one beside too many others
 */
export function readBody(request: Request, bytesMax: number): Promise<string> {
  return withBody(request, bytesMax, (body) => body);
}

/** As `readBody`, for a body that is kept while it is worked on: a large one counts until that is done. */
export function withBody<T>(
  request: Request,
  bytesMax: number,
  use: (body: string) => T | Promise<T>,
): Promise<T> {
  const announced = Number(request.headers.get("content-length") ?? Number.NaN);
  if (announced > bytesMax) return Promise.reject(bodyTooLarge(bytesMax));
  // Nearly every one; no more promises than it takes, for each costs as much as the rest of this.
  if (announced <= SMALL_BODY_BYTES) return request.text().then(use, unreadable);
  return withLargeBody(request, bytesMax, use);
}

async function withLargeBody<T>(
  request: Request,
  bytesMax: number,
  use: (body: string) => T | Promise<T>,
): Promise<T> {
  const place = new LargeBodyPlace(bytesMax <= LARGE_BYTES_MAX);
  try {
    return await use(await readPieces(request, bytesMax, place).catch(unreadable));
  } finally {
    place.leave();
  }
}

let largeBodies = 0;
let largeBytes = 0;

/** A place among those for large bodies, and the bytes that it holds. */
class LargeBodyPlace {
  private isTaken = false;
  private bytes = 0;

  /** @param isCounted a body that may be larger than all of them together is a tool's, and none of the crowd's */
  constructor(private readonly isCounted: boolean) {}

  /** @returns whether it was not held before @throws ApiError 429 when there is no place, or no room for the bytes */
  reserve(bytes: number): boolean {
    const more = this.isCounted ? bytes - this.bytes : 0;
    const isNew = !this.isTaken;
    if (isNew && largeBodies >= LARGE_BODIES_MAX) throw crowded();
    if (largeBytes + more > LARGE_BYTES_MAX) throw crowded();
    if (isNew) largeBodies++;
    this.isTaken = true;
    this.bytes += more;
    largeBytes += more;
    return isNew;
  }

  leave(): void {
    if (this.isTaken) largeBodies--;
    largeBytes -= this.bytes;
    this.isTaken = false;
    this.bytes = 0;
  }
}

function crowded(): ApiError {
  const text = `${largeBodies} large request bodies are on their way already`;
  return new ApiError(Grpc.resourceExhausted, text);
}

/** A body that is large, or of unknown length. */
async function readPieces({ body }: Request, bytesMax: number, place: LargeBodyPlace): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let isLate = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveUp = () => {
    isLate = true;
    reader.cancel().catch(() => {});
  };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) throw badRequest("the request body comes too slowly");
      if (done) return new TextDecoder().decode(Buffer.concat(pieces));
      bytes += value.length;
      if (bytes > bytesMax) throw bodyTooLarge(bytesMax);
      pieces.push(value);
      if (bytes <= SMALL_BODY_BYTES || !place.reserve(bytes)) continue;
      timer = setTimeout(giveUp, LARGE_BODY_MS + bytesMax / LARGE_BODY_BYTES_PER_MS);
    }
  } finally {
    clearTimeout(timer);
    // The rest is passed over.
    reader.cancel().catch(() => {});
  }
}

function unreadable(error: unknown): never {
  throw error instanceof ApiError ? error : badRequest("the request body cannot be read");
}

/** The query of the address, and after it that of a posted form. @throws ApiError 400 */
export async function joinedQuery(request: Request, limits: Limits): Promise<string> {
  checkUrl(request, limits);
  const body = await readBody(request, limits.bodyBytesMax);
  const { query } = splitUrl(request.url);
  return query === "" ? body : `${query}&${body}`;
}
