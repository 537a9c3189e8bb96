// The node plane: what asks the chain, and what reads its state from the store, under one roof. It is served on a
// port of its own, and mounted on the data port, where the same answers are printed as the data plane prints its own
// (reference 30, section 1).

import { Grpc } from "../../errors/statuses.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { ApiError, wrongMethod } from "../../http/errors.ts";
import { checkUrl, isForm, joinedQuery, splitUrl, withBody } from "../../http/http.ts";
import { parsePairs, type RequestFields, readRequest } from "../../http/query.ts";
import { type JsonMode, renderPlain, toPlain } from "../../wire/json.ts";
import type { DataContext } from "../data/context.ts";
import { type Answer, type DataPlane, errorAnswer } from "../data/plane.ts";
import { readMessage } from "./body.ts";
import type { NodeContext } from "./context.ts";
import type { ChainCall, ChainEndpoint, ChainQuery } from "./endpoint.ts";
import { CHAIN_ENDPOINTS, VIEW_ENDPOINTS } from "./endpoints.ts";

export const NOT_FOUND = new ApiError(Grpc.notFound, "Not Found", [], true);
const WRONG_METHOD = { GET: wrongMethod("GET, POST"), POST: wrongMethod("POST") } as const;

/** A path and how to answer a request for it. */
interface NodeRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** @throws ApiError for what never reaches the resource */
  answer(plane: NodePlane, request: Request, path: RequestFields, mode: JsonMode): Promise<Answer>;
}

export const NODE_ROUTES: readonly NodeRoute[] = [
  ...CHAIN_ENDPOINTS.map(chainRoute),
  ...VIEW_ENDPOINTS.map(viewRoute),
];

const PLAIN_PATHS: ReadonlyMap<string, NodeRoute> = new Map(
  NODE_ROUTES.filter(({ path }) => !path.includes("{")).map((route) => [route.path, route]),
);
/** The one path with a parameter. An empty one matches too: it is told what it lacks. */
const SPAM_PATH = /^\/statistics\/spam\/([^/]*)$/;
const SPAM_ROUTE = NODE_ROUTES.find(({ path }) => path.endsWith("/{party_id}"))!;

const DETAILS_ASKED = /(?:^|&)details=(?:true|1)(?:&|$)/;

export interface NodeMatch {
  readonly route: NodeRoute;
  readonly path: RequestFields;
}

/** The route of a path, escapes undone; undefined when there is none. */
export function matchNodeRoute(pathname: string): NodeMatch | undefined {
  const known = PLAIN_PATHS.get(pathname);
  if (known) return { route: known, path: {} };
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
  const plain = PLAIN_PATHS.get(decoded);
  if (plain) return { route: plain, path: {} };
  const spam = SPAM_PATH.exec(decoded);
  return spam ? { route: SPAM_ROUTE, path: { partyId: spam[1]! } } : undefined;
}

/** A form that is posted to a GET is read like its query (reference 10, section 1.2). */
export function isPostedRead({ route }: NodeMatch, request: Request): boolean {
  return route.method === "GET" && isForm(request);
}

export class NodePlane {
  constructor(
    readonly context: NodeContext,
    /** The store, for the views of the state. */
    readonly data: DataPlane,
  ) {}

  /** Answers a request for a route; errors are answers too, but for those that never reach a resource. */
  async answer(match: NodeMatch, request: Request, mode: JsonMode): Promise<Answer> {
    const { route, path } = match;
    if (request.method !== route.method && !isPostedRead(match, request)) throw WRONG_METHOD[route.method];
    checkUrl(request, this.context.limits);
    try {
      return await route.answer(this, request, path, mode);
    } catch (error) {
      if (error instanceof ApiError) return errorAnswer(error, mode, undefined);
      throw error;
    }
  }

  queryOf(request: Request): string | Promise<string> {
    return request.method === "GET" ? splitUrl(request.url).query : joinedQuery(request, this.context.limits);
  }
}

function chainRoute(endpoint: ChainEndpoint): NodeRoute {
  return {
    method: endpoint.method,
    path: endpoint.path,
    answer(plane, request, path, mode) {
      const rendered = (message: object): Answer => ({
        status: 200,
        body: render(endpoint, message, mode, asksForDetails(request)),
        contentType: "application/json",
      });
      return endpoint.method === "POST"
        ? call(endpoint, plane.context, request).then(rendered)
        : ask(endpoint, plane, request, path).then(rendered);
    },
  };
}

/** `?details=true` */
function asksForDetails({ url }: Request): boolean {
  return url.includes("?") && DETAILS_ASKED.test(splitUrl(url).query);
}

/** The way of transactions, with no more promises than it takes. */
function call(endpoint: ChainCall, context: NodeContext, request: Request): Promise<object> {
  const { submissionBytesMax, bodyDepthMax } = context.limits;
  return withBody(request, submissionBytesMax, (body) =>
    endpoint.handle(context, readMessage(endpoint.request, body, bodyDepthMax)),
  );
}

async function ask(
  endpoint: ChainQuery,
  plane: NodePlane,
  request: Request,
  path: RequestFields,
): Promise<object> {
  const { context } = plane;
  const pairs = parsePairs(await plane.queryOf(request));
  return endpoint.handle(context, readRequest(endpoint.request, pairs, path, context.limits.filterValuesMax));
}

/**
 * A refusal's details are no field of the message: they follow its members where the request asks for them, because
 * strict clients reject members that the message does not have.
 */
function render(
  { response }: ChainEndpoint,
  message: { readonly details?: unknown },
  mode: JsonMode,
  hasDetails: boolean,
): string {
  const plain = toPlain(response, message, mode);
  if (hasDetails && message.details !== undefined) plain.details = message.details;
  return renderPlain(plain, mode);
}

function viewRoute(endpoint: Endpoint<DataContext>): NodeRoute {
  return {
    method: "GET",
    path: endpoint.path,
    async answer(plane, request, path, mode) {
      const query = await plane.queryOf(request);
      return plane.data.answer(endpoint, { query, path, accept: null }, mode);
    },
  };
}
