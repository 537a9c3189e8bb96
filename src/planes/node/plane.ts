// The node plane: what asks the chain, and what reads its state from the store, under one roof. It is served on a
// port of its own, and mounted on the data port, where the same answers are printed as the data plane prints its own
// (docs/protocol/30-node-api-transactions.md#1-transports).

import { type Answer, errorAnswer } from "../../http/answers.ts";
import { ApiError } from "../../http/errors.ts";
import { splitUrl, withBody } from "../../http/http.ts";
import { parsePairs, type RequestFields, readMessage, readRequest } from "../../http/query.ts";
import { checkParameters, checkRequest, isStrict } from "../../http/strict.ts";
import { type JsonMode, renderPlain, toPlain } from "../../wire/json.ts";
import { MICROSECOND_NS } from "../../wire/time-text.ts";
import type { DataPlane } from "../data/plane.ts";
import type { ChainCall, ChainEndpoint, ChainQuery, NodeContext } from "./context.ts";
import { CHAIN_ENDPOINTS, VIEW_ENDPOINTS } from "./endpoints.ts";

/** All routes: calls of the chain, questions to it, and views of its state. */
export const NODE_ROUTES = [
  ...CHAIN_ENDPOINTS.map(({ method, path }) => ({ method, path })),
  ...VIEW_ENDPOINTS.map(({ path }) => ({ method: "GET" as const, path })),
];

const DETAILS_ASKED = /(?:^|&)details=(?:true|1)(?:&|$)/;

/** Path and query of a request. */
export interface Question {
  readonly path: RequestFields;
  /** Of the address, or a posted form. */
  readonly query: string;
}

/** Form of the answers of a port. */
export interface Printing {
  readonly mode: JsonMode;
  /** Tells how far the store is: the data port's answers say it, also where the chain was asked. */
  readonly head?: (() => Answer["head"]) | undefined;
}

export class NodePlane {
  constructor(
    readonly context: NodeContext,
    /** The store, for the views of the state. */
    readonly data: DataPlane,
  ) {}

  /**
   * The store's head, for answers of the chain. Never beyond the block of these answers: news of a block reach this
   * thread after the block itself, and a node whose two heights differ is passed over by wallets.
   */
  storeHead(): NonNullable<Answer["head"]> {
    const { height = 0, timeUs = 0 } = this.data.head() ?? {};
    const { status } = this.context.chain;
    if (status.hash === "" || height <= status.height) return { height, timeUs };
    return { height: status.height, timeUs: Number(status.timeNs / MICROSECOND_NS) };
  }

  /** The way of transactions, with no more promises than it takes. */
  call(endpoint: ChainCall, request: Request, printing: Printing): Promise<Answer> {
    const { submissionBytesMax, bodyDepthMax } = this.context.limits;
    return withBody(request, submissionBytesMax, (body) => {
      const unknown = isStrictCall(request) ? "reject" : "ignore";
      return endpoint.handle(this.context, readMessage(endpoint.request, body, bodyDepthMax, unknown));
    }).then(
      (message) => rendered(endpoint, message, printing, request),
      (error) => refusal(error, printing),
    );
  }

  /** Asks the chain; errors are answers too. */
  async ask(
    endpoint: ChainQuery,
    request: Request,
    { path, query }: Question,
    printing: Printing,
  ): Promise<Answer> {
    try {
      const pairs = parsePairs(query);
      checkRequest(pairs, endpoint.request, Object.keys(path));
      const fields = readRequest(endpoint.request, pairs, path, this.context.limits.filterValuesMax);
      return rendered(endpoint, await endpoint.handle(this.context, fields), printing, request);
    } catch (error) {
      return refusal(error, printing);
    }
  }

  /** Reads the state as the store has it. */
  view(endpoint: (typeof VIEW_ENDPOINTS)[number], { path, query }: Question, mode: JsonMode): Answer {
    return this.data.answer(endpoint, { query, path, accept: null }, mode);
  }
}

function rendered(
  endpoint: ChainEndpoint,
  message: object,
  { mode, head }: Printing,
  request: Request,
): Answer {
  const body = render(endpoint, message, mode, asksForDetails(request));
  return { status: 200, body, contentType: "application/json", head: head?.() };
}

function refusal(error: unknown, { mode, head }: Printing): Answer {
  if (error instanceof ApiError) return errorAnswer(error, mode, error.fromGateway ? undefined : head?.());
  throw error;
}

/** @throws ApiError 400 for a parameter that does not exist, where the request is strict */
function isStrictCall({ url }: Request): boolean {
  if (!url.includes("?")) return false;
  const pairs = parsePairs(splitUrl(url).query);
  checkParameters(pairs, () => ["details"]);
  return isStrict(pairs);
}

/** `?details=true` */
function asksForDetails({ url }: Request): boolean {
  return url.includes("?") && DETAILS_ASKED.test(splitUrl(url).query);
}

/**
 * A refusal's details are not a field of the message: they follow its members where the request asks for them, because
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
