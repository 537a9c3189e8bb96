/**
 * The routes of the streams: a WebSocket and lines of JSON on each path
 * (docs/protocol/10-data-api-streams.md#6-streaming-endpoints). With `?height=true` each message has its height beside
 * it, and each block that has ended tells its own; with `?full=true` messages are printed as unary answers are. Clients of
 * the original do not ask for it and see nothing of it.
 */
import { DAMAGED, jsonModeOf, streamErrorBody } from "../../../http/answers.ts";
import { ApiError } from "../../../http/errors.ts";
import { checkUrl, retryAfter, splitUrl } from "../../../http/http.ts";
import { classify, type HttpApp, originOf } from "../../../http/plugin.ts";
import { flagIn, parsePairs, type QueryPairs, readRequest } from "../../../http/query.ts";
import type { ServerStatus } from "../../../http/status.ts";
import { type JsonMode, renderPlain } from "../../../wire/json.ts";
import type { DataPlane } from "../plane.ts";
import { readRoute } from "../read-route.ts";
import { whenReadable } from "../readable.ts";
import { type Cursor, parseCursor } from "./cursor.ts";
import type { Description } from "./kind.ts";
import { linesOf } from "./lines.ts";
import type { Observation } from "./observation.ts";
import { SocketStream } from "./socket.ts";
import { Streams } from "./streams.ts";

export const STREAM_PREFIX = "/api/v2/stream/";
/** The core node's event bus. */
export const NODE_BUS_PATH = "/stream/event/bus";
/** Subscriptions of GraphQL. */
export const GRAPHQL_PATH = "/graphql";
/** Parameter of a client that was cut off: the block up to which it has everything. */
const AFTER_HEIGHT = "afterHeight";
const STREAM_PATHS = new Set([
  NODE_BUS_PATH,
  GRAPHQL_PATH,
  `${STREAM_PREFIX}event/bus`,
  ...Streams.kinds.map(({ path }) => STREAM_PREFIX + path),
]);
/** Time that a client has to read the reason of an end, before its connection is broken off. */
const GOODBYE_S = 5;
/** An opened stream whose socket does not come is closed. */
const UPGRADE_MS = 5_000;

/** The parts of the framework's context that a route of streams uses. */
export interface SocketContext {
  readonly request: Request;
  readonly set: { headers: Record<string, string | number> };
}

type RawSocket = ConstructorParameters<typeof SocketStream>[0];
type Framed = { readonly raw: RawSocket };

export function isStreamPath(path: string): boolean {
  return STREAM_PATHS.has(path);
}

/** The streams of the data plane that have a request in their address. */
export function observeRoutes(app: HttpApp, plane: DataPlane, status: ServerStatus): void {
  for (const kind of Streams.kinds) new KindRoutes(app, plane, status, kind).add();
}

type Opened = { readonly observation: Observation; readonly mode: JsonMode } | { readonly refused: ApiError };

class KindRoutes {
  /** Between the upgrade and the socket. */
  private readonly opened = new WeakMap<Request, Opened>();

  constructor(
    private readonly app: HttpApp,
    private readonly plane: DataPlane,
    private readonly status: ServerStatus,
    private readonly kind: Description,
  ) {}

  add(): void {
    const { app, plane, status } = this;
    const path = `${STREAM_PREFIX}${this.kind.path}`;
    app.ws(
      path,
      socketRoute({
        upgrade: (context) => this.upgrade(context),
        open: (socket, request) => this.beginStream(socket, request),
      }) as never,
    );
    readRoute(app, path, plane.context.limits, (request, _, query) => {
      classify(request, "stream");
      return whenReadable(plane, status, request, async () => {
        const opened = await this.open(request, query);
        if ("refused" in opened) return refusal(opened.refused);
        return linesAnswer(app, request, opened.observation, opened.mode);
      });
    });
  }

  private async upgrade({ request, set }: SocketContext): Promise<void> {
    classify(request, "stream");
    const opened = await this.open(request, splitUrl(request.url).query);
    this.opened.set(request, opened);
    if ("refused" in opened) return;
    const { observation } = opened;
    set.headers["x-block-height"] = String(observation.height);
    setTimeout(() => {
      if (this.opened.delete(request)) observation.close();
    }, UPGRADE_MS).unref();
  }

  private beginStream(socket: RawSocket, request: Request): SocketStream {
    const opened = this.opened.get(request);
    this.opened.delete(request);
    const mode = opened !== undefined && "mode" in opened ? opened.mode : "stream";
    const stream = new SocketStream(socket, mode, isIndented(request));
    if (opened === undefined) stream.end();
    else if ("refused" in opened) stream.fail(opened.refused);
    else stream.send(opened.observation);
    return stream;
  }

  private async open(request: Request, query: string): Promise<Opened> {
    const { app, plane, status, kind } = this;
    const { limits } = plane.context;
    try {
      if (status.isDamaged) throw DAMAGED;
      checkUrl(request, limits);
      const pairs = parsePairs(query);
      const fields = readRequest(kind.request, pairs, {}, limits.filterValuesMax);
      const options = {
        address: addressOf(app, request),
        signal: request.signal,
        wantsHeights: flagIn(pairs, "height"),
        after: cursorIn(pairs),
      };
      const mode = modeOf(pairs, "stream");
      return { observation: await plane.streams.observe(kind.method, fields, options), mode };
    } catch (error) {
      return { refused: error instanceof ApiError ? error : plane.onFault(error) };
    }
  }
}

/** The block behind which a stream begins. @throws ApiError 400 */
export function cursorIn(pairs: QueryPairs): Cursor | undefined {
  const value = pairs.find(([key]) => key === AFTER_HEIGHT)?.[1];
  return value === undefined || value === "" ? undefined : parseCursor(value, AFTER_HEIGHT);
}

/** Form of messages: with `full=true` as unary answers, with every member and with enums by name. */
export function modeOf(pairs: QueryPairs, usual: JsonMode): JsonMode {
  return flagIn(pairs, "full") ? "normal" : usual;
}

interface SocketRoute {
  upgrade(context: SocketContext): void | Promise<void>;
  /** The socket is open. @returns its stream */
  open(socket: RawSocket, request: Request): SocketStream;
  receive?(stream: SocketStream, message: unknown): void;
}

/** Whether `pretty` indents the messages of a socket: lines have one each in any case. */
export function isIndented(request: Request): boolean {
  return jsonModeOf(request) === "pretty";
}

/** A route of the framework's WebSockets that hands everything to a stream. */
export function socketRoute({ upgrade, open, receive }: SocketRoute): object {
  const streams = new WeakMap<object, SocketStream>();
  return {
    upgrade,
    open({ raw, data }: Framed & { data: SocketContext }) {
      streams.set(raw, open(raw, data.request));
    },
    message({ raw }: Framed, message: unknown) {
      const stream = streams.get(raw);
      if (stream) receive?.(stream, message);
    },
    drain: ({ raw }: Framed) => streams.get(raw)?.pump(),
    close: ({ raw }: Framed) => streams.get(raw)?.drop(),
  };
}

/** Address of the client, for the limit of each. */
export function addressOf({ server }: HttpApp, request: Request): string | undefined {
  return server?.requestIP(originOf(request))?.address;
}

/** The stream as lines. Its headers, with the height that the stream begins at, are sent at once. */
export function linesAnswer(
  { server }: HttpApp,
  request: Request,
  observation: Observation,
  mode: JsonMode,
): Response {
  // A stream that has nothing to tell is not idle.
  server?.timeout(originOf(request), 0);
  const headers = {
    "content-type": "application/json",
    "x-block-height": String(observation.height),
    vary: "Origin",
    // The end of a stream is the end of its connection, also for a client that reads nothing.
    connection: "close",
  };
  const breakOff = () => server?.timeout(originOf(request), GOODBYE_S);
  return new Response(linesOf(observation, mode, breakOff), { headers });
}

/** An error before any message: its status, and the body of a stream; the flat one for what the gateway refuses. */
export function refusal(error: ApiError): Response {
  const body = streamErrorBody(error.body);
  const headers = { "content-type": "application/json", vary: "Origin", ...retryAfter(error.status) };
  const text = renderPlain(error.fromGateway ? body : { error: body }, "stream");
  return new Response(text, { status: error.status, headers });
}
