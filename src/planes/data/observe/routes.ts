/**
 * The routes of the streams: a WebSocket and lines of JSON on each path
 * (docs/protocol/10-data-api-streams.md#6-streaming-endpoints). With `?height=true` each message has its height beside
 * it, and each block that has ended tells its own; with `?full=true` messages are printed as unary answers are. Clients of
 * the original do not ask for it and see nothing of it.
 */
import { DAMAGED, jsonModeOf, streamErrorBody } from "../../../http/answers.ts";
import { ApiError } from "../../../http/errors.ts";
import { checkUrl, retryAfter } from "../../../http/http.ts";
import { originOf } from "../../../http/origin.ts";
import { classify, type HttpApp } from "../../../http/plugin.ts";
import { flagIn, parsePairs, type QueryPairs, readRequest } from "../../../http/query.ts";
import type { ServerStatus } from "../../../http/status.ts";
import { checkRequest } from "../../../http/strict.ts";
import { asksForSocket, becomeSocket } from "../../../http/web-sockets.ts";
import { type JsonMode, renderPlain } from "../../../wire/json.ts";
import type { DataPlane } from "../plane.ts";
import { readRoute } from "../read-route.ts";
import { whenReadable } from "../readable.ts";
import { parseCursor } from "./cursor.ts";
import type { Description } from "./kind.ts";
import { linesOf } from "./lines.ts";
import { type OpenStream, SocketStream } from "./socket.ts";
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
export function isStreamPath(path: string): boolean {
  return STREAM_PATHS.has(path);
}

/** The streams of the data plane that have a request in their address. */
export function observeRoutes(app: HttpApp, plane: DataPlane, status: ServerStatus): void {
  for (const kind of Streams.kinds) new KindRoutes(app, plane, status, kind).add();
}

type Opened = OpenStream | { readonly refused: ApiError };

class KindRoutes {
  constructor(
    private readonly app: HttpApp,
    private readonly plane: DataPlane,
    private readonly status: ServerStatus,
    private readonly kind: Description,
  ) {}

  add(): void {
    const { app, plane, status } = this;
    readRoute(app, `${STREAM_PREFIX}${this.kind.path}`, plane.context.limits, (request, _, query) => {
      classify(request, "stream");
      if (asksForSocket(request)) return this.answerBySocket(request, query);
      return whenReadable(plane, status, request, async () => {
        const opened = await this.open(request, query);
        if ("refused" in opened) return refusal(opened.refused);
        return linesAnswer(app, request, opened);
      });
    });
  }

  private async answerBySocket(request: Request, query: string): Promise<Response> {
    const opened = await this.open(request, query);
    const stream = new SocketStream(isIndented(request));
    if ("refused" in opened) {
      stream.fail(opened.refused);
      return socketAnswer(this.app, request, stream);
    }
    stream.send(opened);
    return socketAnswer(this.app, request, stream, opened.observation.height);
  }

  private async open(request: Request, query: string): Promise<Opened> {
    const { app, plane, status, kind } = this;
    const { limits } = plane.context;
    try {
      if (status.isDamaged) throw DAMAGED;
      checkUrl(request, limits);
      const pairs = parsePairs(query);
      const fields = readRequest(kind.request, pairs, {}, limits.filterValuesMax);
      const { mode, ...options } = optionsIn(pairs, kind.request, "stream");
      const caller = { address: addressOf(app, request), signal: request.signal };
      return {
        observation: await plane.streams.observe(kind.method, fields, { ...caller, ...options }),
        mode,
      };
    } catch (error) {
      return { refused: error instanceof ApiError ? error : plane.onFault(error) };
    }
  }
}

/**
 * Parts of an address that every stream has besides its filter.
 * @param requestName of the message that the filter is
 * @throws ApiError 400
 */
export function optionsIn(pairs: QueryPairs, requestName: string, usualMode: JsonMode) {
  checkRequest(pairs, requestName, [], ["height", "full", AFTER_HEIGHT]);
  const after = pairs.find(([key]) => key === AFTER_HEIGHT)?.[1];
  return {
    wantsHeights: flagIn(pairs, "height"),
    /** The block behind which the stream begins. */
    after: after === undefined || after === "" ? undefined : parseCursor(after, AFTER_HEIGHT),
    /** Form of messages: with `full=true` as unary answers, with every member and with enums by name. */
    mode: flagIn(pairs, "full") ? "normal" : usualMode,
  };
}

/** Whether `pretty` indents the messages of a socket: lines have one each in any case. */
export function isIndented(request: Request): boolean {
  return jsonModeOf(request) === "pretty";
}

/** The stream over a WebSocket. @param height that it begins at @throws ApiError 400 for an invalid upgrade */
export function socketAnswer(
  app: HttpApp,
  request: Request,
  stream: SocketStream,
  height?: number,
): Response {
  const headers = height === undefined ? undefined : { "x-block-height": String(height) };
  try {
    return becomeSocket(app, request, stream, headers);
  } catch (error) {
    stream.closed();
    throw error;
  }
}

/** Address of the client, for the limit of each. */
export function addressOf({ server }: HttpApp, request: Request): string | undefined {
  return server?.requestIP(originOf(request))?.address;
}

/** The stream as lines. Its headers, with the height that the stream begins at, are sent at once. */
export function linesAnswer(
  { server }: HttpApp,
  request: Request,
  { observation, mode }: OpenStream,
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
