/**
 * The event bus on a path: over a WebSocket the client's first frame is the filter, and each further one asks for a batch
 * (docs/protocol/30-node-api-events.md#11-observeeventbus). Over plain HTTP these are JSON objects in the body, or the
 * query where there is no body.
 */
import { DAMAGED } from "../../../http/answers.ts";
import { ApiError, badRequest, bodyTooLarge, requestTooSlow, wrongMethod } from "../../../http/errors.ts";
import { checkUrl, splitUrl } from "../../../http/http.ts";
import { classify, type HttpApp, RAW } from "../../../http/plugin.ts";
import { parsePairs, type QueryPairs, readMessage, readRequest } from "../../../http/query.ts";
import type { ServerStatus } from "../../../http/status.ts";
import { asksForSocket } from "../../../http/web-sockets.ts";
import { within } from "../../../http/within.ts";
import type { JsonMode } from "../../../wire/json.ts";
import type { DataPlane } from "../plane.ts";
import { type BusRequest, EVENT_BUS, type EventBusObservation } from "./event-bus.ts";
import { JsonObjects } from "./json-values.ts";
import { addressOf, isIndented, linesAnswer, optionsIn, refusal, socketAnswer } from "./routes.ts";
import { type OpenStream, SocketStream } from "./socket.ts";
import { FIRST_REQUEST_MS } from "./streams.ts";

const METHODS = wrongMethod("GET, POST");
const NO_BODY = "the body of a GET cannot be read: send it by POST, or the filter in the query";
/** Levels and characters of a client's message. */
const REQUEST_DEPTH_MAX = 10;
const REQUEST_CHARACTERS_MAX = 64 * 1024;

/** @param usualMode how messages are printed: by the rules of streams below `/api/v2/stream/`, as unary answers elsewhere */
export function busRoutes(
  app: HttpApp,
  plane: DataPlane,
  status: ServerStatus,
  path: string,
  usualMode: JsonMode,
): void {
  const open = async (
    request: Request,
    fields: BusRequest,
    address: string | undefined,
  ): Promise<OpenStream<EventBusObservation>> => {
    if (status.isDamaged) throw DAMAGED;
    checkUrl(request, plane.context.limits);
    const { mode, ...options } = optionsIn(pairsOf(request), EVENT_BUS.request, usualMode);
    const caller = { address, signal: request.signal };
    return { observation: await plane.streams.observeEventBus(fields, { ...caller, ...options }), mode };
  };
  const asApiError = (error: unknown) => (error instanceof ApiError ? error : plane.onFault(error));
  const answerBySocket = (request: Request): Response => {
    const address = addressOf(app, request);
    const stream = new SocketStream(isIndented(request), (text) => void dialogue.receive(text));
    const dialogue = new SocketDialogue(stream, (fields) => open(request, fields, address), asApiError);
    return socketAnswer(app, request, stream, plane.head()?.height ?? 0);
  };
  app.all(
    path,
    async ({ request }: { request: Request }): Promise<Response> => {
      classify(request, "stream");
      if (asksForSocket(request)) return answerBySocket(request);
      if (request.method !== "GET" && request.method !== "POST") throw METHODS;
      try {
        if (request.method === "GET" && hasBody(request)) throw badRequest(NO_BODY);
        const address = addressOf(app, request);
        const requests = requestsIn(request);
        const first = await within(requests.next(), FIRST_REQUEST_MS);
        if (first === undefined) throw requestTooSlow();
        const opened = await open(request, first.value ?? queryFields(plane, request), address);
        opened.observation.follow(requests, brokenOff);
        return linesAnswer(app, request, opened);
      } catch (error) {
        return refusal(asApiError(error));
      }
    },
    RAW,
  );
}

/** The runtime drops the body of a GET, and its filter with it. */
function hasBody({ headers }: Request): boolean {
  return headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;
}

const pairsOf = (request: Request): QueryPairs => parsePairs(splitUrl(request.url).query);

function queryFields({ context }: DataPlane, request: Request): BusRequest {
  return readRequest(EVENT_BUS.request, pairsOf(request), {}, context.limits.filterValuesMax);
}

function readFields(text: string): BusRequest {
  return readMessage<BusRequest>(EVENT_BUS.request, text, REQUEST_DEPTH_MAX);
}

/** A client's frames: the first one opens the stream, the others ask for batches. */
class SocketDialogue {
  private observation: EventBusObservation | undefined;
  private isOpening = false;
  private readonly timer: ReturnType<typeof setTimeout>;

  constructor(
    private readonly stream: SocketStream,
    private readonly open: (fields: BusRequest) => Promise<OpenStream<EventBusObservation>>,
    private readonly asApiError: (error: unknown) => ApiError,
  ) {
    // Without a request the stream just ends, as in the original.
    this.timer = setTimeout(() => stream.end(), FIRST_REQUEST_MS);
  }

  async receive(text: string): Promise<void> {
    clearTimeout(this.timer);
    try {
      if (text.length > REQUEST_CHARACTERS_MAX) throw bodyTooLarge(REQUEST_CHARACTERS_MAX);
      const fields = readFields(text);
      if (this.observation) this.observation.askNext(fields);
      else if (this.isOpening) throw badRequest("a batch was asked for before the stream was open");
      else {
        this.isOpening = true;
        const opened = await this.open(fields);
        this.observation = opened.observation;
        this.stream.send(opened);
      }
    } catch (error) {
      this.stream.fail(this.asApiError(error));
    }
  }
}

/** A client's JSON objects in the body of its request, which may go on while it is answered. @throws ApiError 400, 413 */
async function* requestsIn({ body }: Request): AsyncGenerator<BusRequest, undefined> {
  if (body === null) return;
  const objects = new JsonObjects();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const texts = objects.add(decoder.decode(value, { stream: true }));
    if (objects.waiting > REQUEST_CHARACTERS_MAX) throw bodyTooLarge(REQUEST_CHARACTERS_MAX);
    for (const text of texts) yield readFields(text);
  }
}

function brokenOff(error: unknown): ApiError {
  return error instanceof ApiError ? error : badRequest("the request body broke off");
}
