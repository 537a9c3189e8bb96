// Routes of the facts of the chain that the network's interface lacks, below `/lyra/v1` (http/chain-bodies.ts declares their
// answers). Loaded with the first request.
import { errorAnswer, jsonModeOf, toResponse } from "../../http/answers.ts";
import { ApiError, badRequest } from "../../http/errors.ts";
import { classify, type HttpRoutes } from "../../http/plugin.ts";
import { parsePairs, type QueryPairs } from "../../http/query.ts";
import type { ServerStatus } from "../../http/status.ts";
import type { ChainHead } from "../../store/head.ts";
import type { DataContext } from "../data/context.ts";
import type { DataPlane } from "../data/plane.ts";
import { readRoute } from "../data/read-route.ts";
import { whenReadable } from "../data/readable.ts";
import type { ActivityRequest } from "./facts.ts";
import type { LoadExplorer } from "./routes.ts";
import type { ReadSentence } from "./story.ts";
import type { TransactionSource } from "./transactions.ts";

const PREFIX = "/lyra/v1";
const WHOLE = /^\d{1,15}$/;

interface FactsRequest {
  readonly context: DataContext;
  readonly source: TransactionSource;
  readonly head: ChainHead | undefined;
  readonly query: ReadonlyMap<string, string>;
  readonly hash: string;
  readonly id: string;
  readonly sentenceOf: ReadSentence | undefined;
}

const loadFacts = () => import("./facts.ts");

/** By path. */
const FACTS: Readonly<Record<string, (request: FactsRequest) => Promise<object>>> = {
  "/blocks": async ({ context, query }) =>
    (await loadFacts()).listBlocks(context, {
      limit: numberIn(query, "limit"),
      before: numberIn(query, "before"),
    }),
  "/transactions": async ({ context, source, query }) =>
    (await loadFacts()).listActivity(context, source, activityRequest(query)),
  "/transactions/{hash}": async ({ context, source, hash, head, sentenceOf }) =>
    (await import("./story.ts")).transactionStory(context, source, hash, {
      chainId: head?.chainId ?? "",
      sentenceOf,
    }),
  "/markets/{id}/auctions": async ({ context, id, query }) =>
    (await import("./auctions.ts")).listAuctions(context, id, numberIn(query, "from") ?? 0),
  "/parameters": async ({ context, query }) =>
    (await loadFacts()).listParameters(context, parametersRequest(query)),
  "/segments": async ({ context, query }) =>
    (await import("../data/segment-pages.ts")).segmentPage(context, {
      limit: numberIn(query, "limit"),
      before: numberIn(query, "before"),
    }),
  "/search": async ({ context, source, query, head }) =>
    (await import("./search.ts")).searchChain(context, source, query.get("query") ?? "", head),
};

/** @param sentenceOf of a node that executes transactions */
export function factsRoutes(
  plane: DataPlane,
  status: ServerStatus,
  load: LoadExplorer,
  sentenceOf?: ReadSentence,
): HttpRoutes {
  return (app) => {
    for (const [path, ask] of Object.entries(FACTS)) {
      readRoute(app, PREFIX + path, plane.context.limits, (request, { hash, id }, query) => {
        classify(request, "read");
        return whenReadable(plane, status, request, async () => {
          const head = plane.head();
          try {
            const source = (await load()).source();
            const { context } = plane;
            const facts = await ask({
              context,
              source,
              head,
              query: valuesOf(parsePairs(query)),
              hash: String(hash ?? ""),
              id: String(id ?? ""),
              sentenceOf,
            });
            const body = JSON.stringify(facts);
            return toResponse({ status: 200, body, contentType: "application/json", ...(head && { head }) });
          } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            return toResponse(errorAnswer(error, jsonModeOf(request), head));
          }
        });
      });
    }
    return app;
  };
}

const valuesOf = (pairs: QueryPairs): ReadonlyMap<string, string> => new Map(pairs);

/** @throws ApiError 400 */
function numberIn(query: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = query.get(name);
  if (text === undefined || text === "") return undefined;
  if (!WHOLE.test(text)) throw badRequest(`parsing field "${name}": not a whole number`);
  return Number(text);
}

/** @throws ApiError 400 */
function booleanIn(query: ReadonlyMap<string, string>, name: string): boolean | undefined {
  const text = query.get(name) || undefined;
  if (text !== undefined && text !== "true" && text !== "false")
    throw badRequest(`parsing field "${name}": not true or false`);
  return text === undefined ? undefined : text === "true";
}

/** @throws ApiError 400 */
function parametersRequest(query: ReadonlyMap<string, string>) {
  const limit = numberIn(query, "limit");
  const after = query.get("after");
  const changed = booleanIn(query, "changed");
  return {
    ...(changed !== undefined && { changed }),
    ...(limit !== undefined && { limit }),
    ...(after && { after }),
  };
}

const FILTERS = { height: "block.height", party: "tx.submitter", type: "cmd.type" } as const;

/** @throws ApiError 400 */
function activityRequest(query: ReadonlyMap<string, string>): ActivityRequest {
  const limit = numberIn(query, "limit");
  const before = query.get("before");
  const after = query.get("after");
  numberIn(query, "height");
  const filters = Object.entries(FILTERS).flatMap(([name, key]) => {
    const value = query.get(name);
    return value ? [{ key, value }] : [];
  });
  return {
    ...(limit !== undefined && { limit }),
    ...(before && { before }),
    ...(after && { after }),
    filters,
    isWithoutValidators: booleanIn(query, "withoutValidators") ?? false,
  };
}
