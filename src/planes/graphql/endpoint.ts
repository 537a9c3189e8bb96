// GraphQL over HTTP: `/graphql` on the data port (docs/protocol/95-graphql-queries.md#1-http). Loaded with the first
// request.
import { ApiError } from "../../http/errors.ts";
import { heightHeaders } from "../../http/heights.ts";
import { PageCache } from "../../http/page-cache.ts";
import { classify, type HttpApp, isHeadersAlone } from "../../http/plugin.ts";
import { renderPlain } from "../../wire/json.ts";
import type { DataPlane } from "../data/plane.ts";
import type { NodePlane } from "../node/plane.ts";
import { ChainAnswering } from "./chain.ts";
import { RefusedQuery } from "./documents.ts";
import { apiMessage } from "./errors.ts";
import { Execution, isSubscription, type Outcome, refusal } from "./execution.ts";
import { BadForm, type Received, withQuery } from "./requests.ts";
import { makeSchema } from "./schema.ts";
import { Sockets } from "./sockets.ts";

const JSON_TYPE = "application/json";
const NOT_ACCEPTABLE = 406;
/** Larger answers are not cached: about a thousand rows. */
const KEPT_BYTES_MAX = 1024 * 1024;

export class GraphqlEndpoint {
  private readonly execution: Execution;
  private readonly sockets: Sockets;
  /** Answers to posted queries, until the next block. */
  private readonly cache: PageCache;

  constructor(
    private readonly plane: DataPlane,
    node: NodePlane | undefined,
  ) {
    this.execution = new Execution(makeSchema(), plane, new ChainAnswering(plane, node));
    this.sockets = new Sockets(this.execution);
    const { db, limits } = plane.context;
    const version = db.prepare("PRAGMA data_version");
    const versionNow = () => (version.get() as { data_version: bigint }).data_version;
    this.cache = new PageCache(limits.pageCacheBytesMax, versionNow, KEPT_BYTES_MAX);
  }

  /** A request for a WebSocket. @throws ApiError 429 */
  upgrade(app: HttpApp, request: Request): Response {
    return this.sockets.upgrade(app, request);
  }

  /** Answers a request that is not for a WebSocket. */
  async answer(request: Request): Promise<Response> {
    if (request.method === "OPTIONS") return new Response(null, { headers: { allow: METHODS, ...VARY } });
    // As in the original: a query is made to be read.
    if (isHeadersAlone(request))
      return new Response(null, { status: 405, headers: { allow: METHODS, ...VARY } });
    try {
      return await withQuery(request, this.plane.context.limits, (received) =>
        this.respond(received, request),
      );
    } catch (error) {
      if (error instanceof BadForm) return badForm(error);
      if (error instanceof ApiError) return this.send(rendered(failure(error)));
      throw error;
    }
  }

  private async respond(received: Received, request: Request): Promise<Response> {
    const { key } = received;
    const kept = key === undefined ? undefined : this.cache.get(key);
    if (kept !== undefined) {
      classify(request, "kept");
      return new Response(kept.body, { headers: kept.headers });
    }
    const outcome = await this.outcome(received, request.method);
    const answer = this.bounded(rendered(outcome));
    if (key !== undefined && outcome.isOfStore && this.cache.isAskedAgain(key))
      this.cache.put(key, { body: Buffer.from(answer.text, "utf8"), headers: answer.headers });
    return this.send(answer);
  }

  private async outcome(received: Received, method: string): Promise<Outcome> {
    try {
      const prepared = this.execution.prepare(received.read());
      if (method === "GET" && isSubscription(prepared))
        throw new BadForm("GET requests only allow query operations", NOT_ACCEPTABLE);
      // A subscription needs a socket: the original answers this without one.
      if (isSubscription(prepared)) return { status: 200, body: null as never };
      return await this.execution.run(prepared);
    } catch (error) {
      if (error instanceof RefusedQuery) return refusal(error);
      if (error instanceof ApiError) return failure(error);
      throw error;
    }
  }

  private bounded(answer: RenderedAnswer): RenderedAnswer {
    const { responseBytesMax } = this.plane.context.limits;
    if (answer.text.length <= responseBytesMax) return answer;
    const message = `the answer is larger than ${responseBytesMax} bytes: ask for fewer rows with first`;
    const errors = [{ message, extensions: { code: "ANSWER_TOO_LARGE" } }];
    return { ...answer, text: renderPlain({ errors, data: null }) };
  }

  private send({ text, status, headers }: RenderedAnswer): Response {
    return new Response(text, { status, headers });
  }
}

interface RenderedAnswer {
  readonly text: string;
  readonly status: number;
  readonly headers: Record<string, string>;
}

function rendered({ status, body, head }: Outcome): RenderedAnswer {
  const headers = { ...VARY, "content-type": JSON_TYPE, ...(head && heightHeaders(head)) };
  return { text: renderPlain(body), status, headers };
}

function failure(error: ApiError): Outcome {
  return { status: error.status, body: { errors: [{ message: apiMessage(error) }], data: null } };
}

const VARY = { vary: "Origin" };
const METHODS = "OPTIONS, GET, POST";

function badForm({ message, status, contentType }: BadForm): Response {
  const text = renderPlain({ errors: [{ message }], data: null });
  const headers = { ...VARY, ...(contentType && { "content-type": contentType }) };
  return new Response(text, { status, headers });
}
