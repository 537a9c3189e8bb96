// The block explorer's routes on the data port (docs/protocol/95-graphql-explorer.md#13-block-explorer-api). Loaded
// with the first request.
import { errorAnswer, toResponse } from "../../http/answers.ts";
import { ApiError } from "../../http/errors.ts";
import { classify, type HttpRoutes } from "../../http/plugin.ts";
import { parsePairs } from "../../http/query.ts";
import type { ServerStatus } from "../../http/status.ts";
import { checkParameters } from "../../http/strict.ts";
import { renderJson } from "../../wire/json.ts";
import type { DataPlane } from "../data/plane.ts";
import { readRoute } from "../data/read-route.ts";
import { whenReadable } from "../data/readable.ts";
import type { TxIndex } from "./comet-source.ts";
import type { Explorer } from "./explorer.ts";

const PREFIX = "/rest";
const PACKAGE = "blockexplorer.api.v1";
/** Two spaces a level, as the original prints its answers. */
const MODE = "node";

/** The block explorer of a plane, made when it is first asked. */
export type LoadExplorer = () => Promise<Explorer>;

/** @param index the consensus engine's, where there is one */
export function explorerOf(plane: DataPlane, index?: TxIndex): LoadExplorer {
  let loading: Promise<Explorer> | undefined;
  return () => {
    loading ??= import("./explorer.ts").then(({ Explorer: Made }) => new Made(() => plane.context, index));
    return loading;
  };
}

export function explorerRoutes(plane: DataPlane, status: ServerStatus, load: LoadExplorer): HttpRoutes {
  return (app) => {
    const add = (
      path: string,
      response: string,
      ask: (explorer: Explorer, query: string, hash: string) => object | Promise<object>,
    ) =>
      readRoute(app, `${PREFIX}${path}`, plane.context.limits, (request, { hash }, query) => {
        classify(request, "read");
        return whenReadable(plane, status, request, async () => {
          try {
            const message = await ask(await load(), query, String(hash ?? ""));
            const body = renderJson(`${PACKAGE}.${response}`, message, MODE);
            return toResponse({ status: 200, body, contentType: "application/json" });
          } catch (error) {
            if (error instanceof ApiError) return toResponse(errorAnswer(error, MODE, undefined));
            throw error;
          }
        });
      });
    add("/info", "InfoResponse", (explorer) => explorer.info());
    add("/transactions", "ListTransactionsResponse", async (explorer, query) => {
      const { listRequestOf } = await import("./explorer.ts");
      const pairs = parsePairs(query);
      checkParameters(pairs, () => ["limit", "before", "after", "filters"]);
      return explorer.list(listRequestOf(pairs));
    });
    add("/transactions/{hash}", "GetTransactionResponse", (explorer, _, hash) => explorer.get(hash));
    return app;
  };
}
