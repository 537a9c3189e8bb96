// Shared by every plane's server: listening, addresses, bodies.
import { NodeError } from "../errors/node-error.ts";
import { Grpc } from "../errors/statuses.ts";
import { classOf, type ServerCounts } from "./counts.ts";
import { ApiError, badRequest, bodyTooLarge, requestTooSlow } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { requestBudget, SMALL_REQUEST_BYTES } from "./request-budget.ts";
import { socketHandlers } from "./web-sockets.ts";

const IDLE_TIMEOUT_S = 30;
const FORM = "application/x-www-form-urlencoded";

/** Bytes of a client's message on a port whose sockets only read the requests of streams. */
export const STREAM_REQUEST_BYTES_MAX = 64 * 1024;

export type Fetch = (request: Request) => Response | Promise<Response>;

interface ListenOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** A larger body is not read: 413 without a body. */
  readonly bodyBytesMax: number;
  /** The flag that chooses this port, for the hint of an error: `--data-port`. */
  readonly portFlag: string;
  /** Answers are counted here, with how long they took. */
  readonly counts?: ServerCounts;
  /** Serves WebSockets (`web-sockets.ts`); the application's `server` must be set to what is returned. */
  readonly sockets?: { readonly messageBytesMax: number; readonly backlogBytesMax?: number };
}

/** Listens. @throws NodeError `host_empty`, `port_in_use`, `cannot_listen` */
export function listen(options: ListenOptions, fetch: Fetch) {
  const { host, port, bodyBytesMax, portFlag, counts, sockets } = options;
  checkHost(host);
  try {
    const ending: Ending = { isAnnounced: false };
    const answer = withProtocolChecks(counts === undefined ? fetch : counted(fetch, counts), ending);
    const began = (server: ReturnType<typeof Bun.serve>) => {
      endings.set(server, ending);
      return server;
    };
    const serving = {
      hostname: host,
      port,
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_S,
      maxRequestBodySize: bodyBytesMax,
      error: internalFailure,
    };
    if (sockets === undefined) return began(Bun.serve<unknown>({ ...serving, fetch: answer }));
    const websocket = socketHandlers(sockets.messageBytesMax, sockets.backlogBytesMax);
    return began(Bun.serve<unknown>({ ...serving, fetch: answer, websocket }));
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

/** From now on each answer closes its connection, so that clients with keep-alive learn it before the port closes. */
export function announceEnd(server: Server): void {
  const ending = endings.get(server);
  if (ending) ending.isAnnounced = true;
}

/** Frees the port at once. Requests under way get a bounded time and are then aborted. */
export async function stopServer(server: Server, underWayMs = UNDER_WAY_MS): Promise<void> {
  announceEnd(server);
  // Settles after the last request, except for sockets that never end.
  void server.stop();
  const startedMs = performance.now();
  const isLeft = () => server.pendingRequests > 0 && performance.now() - startedMs < underWayMs;
  const isClosing = () => server.pendingWebSockets > 0 && performance.now() - startedMs < GOODBYE_MS;
  while (isLeft() || isClosing()) await Bun.sleep(UNDER_WAY_LOOK_MS);
  await server.stop(true);
}

/** @throws NodeError `host_empty`: the system would listen on every address of this machine */
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
 * Checks that the runtime does not make. Two `Host` headers, which it joins by a comma, are refused (RFC 9112, section 3.2). After
 * a chunked body the connection is closed: trailers behind it would be read as the next request, and the client would take
 * the error for the answer to its next request.
 */
function withProtocolChecks(fetch: Fetch, ending: Ending): Fetch {
  return (request) => {
    const { headers } = request;
    if (headers.get("host")?.includes(",")) return twoHosts();
    const isInPieces = request.method !== "GET" && headers.has("transfer-encoding");
    if (!isInPieces && !ending.isAnnounced) return fetch(request);
    const answer = fetch(request);
    return answer instanceof Response ? withConnectionClose(answer) : answer.then(withConnectionClose);
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

function withConnectionClose(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
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

/** Headers of a status. 408 closes the connection without reading the rest. 429 and 503 suggest a second: the wait cannot be predicted. */
export function retryAfter(status: number): Record<string, string> {
  if (status === 408) return { connection: "close" };
  return status === 429 || status === 503 ? { "retry-after": "1" } : {};
}

/** Path and raw query of a URL, still escaped. The URL of a request without a usable host is a path only. */
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

/** A posted form is read like a query (docs/protocol/10-data-api-serving.md#12-methods-and-routing). */
export function isForm(request: Request): boolean {
  return (
    request.method === "POST" && (request.headers.get("content-type") ?? "").split(";")[0]!.trim() === FORM
  );
}

/** Time for a body: this, plus the largest size at this rate. */
const BODY_MS = 5_000;
const BODY_BYTES_PER_MS = 1_024;

/**
 * The body as text, within its limit.
 * @throws ApiError 413 when it is longer, 400 when it breaks off, 408 when it comes too slowly; 429 beside too many others
 */
export function readBody(request: Request, bytesMax: number): Promise<string> {
  return withBody(request, bytesMax, (body) => body);
}

/** As `readBody`, for a body that stays in memory while `use` runs: a large one counts against the budget until then. */
export function withBody<T>(
  request: Request,
  bytesMax: number,
  use: (body: string) => T | Promise<T>,
): Promise<T> {
  const announced = Number(request.headers.get("content-length") ?? Number.NaN);
  if (announced > bytesMax) return Promise.reject(bodyTooLarge(bytesMax));
  // Nearly every body. Few promises: each costs as much as the rest of this function.
  if (announced <= SMALL_REQUEST_BYTES) return withSmallBody(request, announced, use);
  return withLargeBody(request, bytesMax, use);
}

function withSmallBody<T>(
  request: Request,
  announced: number,
  use: (body: string) => T | Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const incoming = requestBudget.open(BODY_MS, reject);
    incoming.hold(announced);
    const useWhole = (body: string) => {
      if (incoming.endReason !== undefined) throw incoming.endReason;
      incoming.release();
      return use(body);
    };
    const giveUp = (error: unknown) => {
      incoming.release();
      return unreadable(error);
    };
    request.text().then(useWhole, giveUp).then(resolve, reject);
  });
}

async function withLargeBody<T>(
  request: Request,
  bytesMax: number,
  use: (body: string) => T | Promise<T>,
): Promise<T> {
  // A body that may be larger than the whole budget is a tool's.
  if (bytesMax > requestBudget.bytesMax) return withToolBody(request, bytesMax, use);
  const pieces = new BodyPieces(request, bytesMax);
  const incoming = requestBudget.open(timeoutOf(bytesMax), (reason) => pieces.stop(reason));
  try {
    const body = await pieces.read((bytes) => incoming.hold(bytes)).catch(unreadable);
    incoming.noteWhole();
    return await use(body);
  } finally {
    incoming.release();
  }
}

const timeoutOf = (bytesMax: number) => BODY_MS + bytesMax / BODY_BYTES_PER_MS;

let isToolBodyRead = false;

/** Such bodies are read one at a time: only the tools of a devnet accept one, from this machine. */
async function withToolBody<T>(
  request: Request,
  bytesMax: number,
  use: (body: string) => T | Promise<T>,
): Promise<T> {
  if (isToolBodyRead) throw requestBudget.crowded();
  isToolBodyRead = true;
  const pieces = new BodyPieces(request, bytesMax);
  const timer = setTimeout(() => pieces.stop(requestTooSlow()), timeoutOf(bytesMax));
  try {
    return await use(await pieces.read(() => {}).catch(unreadable));
  } finally {
    clearTimeout(timer);
    isToolBodyRead = false;
  }
}

/** A body that is large, or of unknown length. */
class BodyPieces {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private stopReason: ApiError | undefined;

  constructor(
    { body }: Request,
    private readonly bytesMax: number,
  ) {
    this.reader = body?.getReader();
  }

  /** @param onBytes called with the number of bytes of each piece; its error ends the reading */
  async read(onBytes: (bytes: number) => void): Promise<string> {
    const { reader } = this;
    if (reader === undefined) return "";
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (this.stopReason !== undefined) throw this.stopReason;
        if (done) return new TextDecoder().decode(Buffer.concat(pieces));
        bytes += value.length;
        if (bytes > this.bytesMax) throw bodyTooLarge(this.bytesMax);
        onBytes(value.length);
        pieces.push(value);
      }
    } finally {
      // The rest is passed over.
      reader.cancel().catch(() => {});
    }
  }

  /** Ends the reading for a reason. */
  stop(reason: ApiError): void {
    this.stopReason = reason;
    this.reader?.cancel().catch(() => {});
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
