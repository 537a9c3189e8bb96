// GraphQL over HTTP: `/graphql` on the data port (reference 95, section 1). Loaded with the first request.
import { ApiError } from "../../http/errors.ts";
import { withCors } from "../../http/http.ts";
import type { HttpApp } from "../../http/plugin.ts";
import { renderPlain } from "../../wire/json.ts";
import type { DataPlane } from "../data/plane.ts";
import type { NodePlane } from "../node/plane.ts";
import { ChainAnswering } from "./chain.ts";
import { RefusedQuery } from "./documents.ts";
import { apiMessage } from "./errors.ts";
import { Execution, isSubscription, type Outcome, refusal } from "./execution.ts";
import { BadForm, readQuery } from "./requests.ts";
import { makeSchema } from "./schema.ts";
import { Sockets } from "./sockets.ts";

const JSON_TYPE = "application/json";
const NOT_ACCEPTABLE = 406;

export class GraphqlEndpoint {
  private readonly execution: Execution;
  private readonly sockets: Sockets;

  constructor(
    private readonly plane: DataPlane,
    node: NodePlane | undefined,
  ) {
    this.execution = new Execution(makeSchema(), plane, new ChainAnswering(plane, node));
    this.sockets = new Sockets(this.execution);
  }

  /** A request for a WebSocket. @throws ApiError 429 */
  upgrade(app: HttpApp, request: Request): Response {
    return this.sockets.upgrade(app, request);
  }

  /** Answers a request that is not for a WebSocket. */
  async answer(request: Request): Promise<Response> {
    if (request.method === "OPTIONS")
      return new Response(null, {
        headers: withCors({ allow: "OPTIONS, GET, POST", vary: "Origin" }, request),
      });
    if (request.method === "HEAD") return new Response(null, { status: 405, headers: headersOf(request) });
    try {
      return this.render(await this.outcome(request), request);
    } catch (error) {
      if (error instanceof BadForm) return badForm(error, request);
      throw error;
    }
  }

  private async outcome(request: Request): Promise<Outcome> {
    try {
      const prepared = this.execution.prepare(await readQuery(request, this.plane.context.limits));
      const isQuery = prepared.operation.operation === "query";
      if (request.method === "GET" && !isQuery)
        throw new BadForm("GET requests only allow query operations", NOT_ACCEPTABLE);
      // A subscription has nothing to say without a socket: the original answers this.
      if (isSubscription(prepared)) return { status: 200, body: null as never };
      return await this.execution.run(prepared);
    } catch (error) {
      if (error instanceof RefusedQuery) return refusal(error);
      if (error instanceof ApiError)
        return { status: error.status, body: { errors: [{ message: apiMessage(error) }], data: null } };
      throw error;
    }
  }

  private render({ status, body, head }: Outcome, request: Request): Response {
    let text = renderPlain(body);
    const { responseBytesMax } = this.plane.context.limits;
    if (text.length > responseBytesMax) {
      const message = `the answer is larger than ${responseBytesMax} bytes: ask for fewer rows with first`;
      text = renderPlain({ errors: [{ message, extensions: { code: "ANSWER_TOO_LARGE" } }], data: null });
    }
    const headers = headersOf(request, JSON_TYPE);
    if (head !== undefined) {
      headers["x-block-height"] = String(head.height);
      headers["x-block-timestamp"] = head.timeUs === 0 ? "0" : `${head.timeUs}000`;
    }
    return new Response(text, { status, headers });
  }
}

function badForm({ message, status, contentType }: BadForm, request: Request): Response {
  const text = renderPlain({ errors: [{ message }], data: null });
  return new Response(text, { status, headers: headersOf(request, contentType) });
}

function headersOf(request: Request, contentType?: string): Record<string, string> {
  return withCors({ vary: "Origin", ...(contentType && { "content-type": contentType }) }, request);
}
