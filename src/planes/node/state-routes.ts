// The state's digests, for comparing two nodes (`lyra chain diff`): Lyra's own, on the node's port. All of it is public.
import { Grpc } from "../../errors/statuses.ts";
import { ApiError, invalidArgument, notFound } from "../../http/errors.ts";
import { checkUrl, splitUrl } from "../../http/http.ts";
import { classify, type HttpRoutes } from "../../http/plugin.ts";
import type { NodePlane } from "./plane.ts";

export const STATE_PATH = "/lyra/v1/state";

const TABLE_LENGTH_MAX = 100;
/** Requests on their way at the most. */
const WAITING_MAX = 20;
const BUSY = new ApiError(
  Grpc.resourceExhausted,
  "too many requests for parts of the state wait: try again",
  [],
  true,
);
const PREFIX = /^[0-9a-f]{0,12}$/;

export function stateRoutes({ context }: NodePlane): HttpRoutes {
  // A request may look through all keys of a table: only one at a time, for all clients.
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return (app) => {
    app.get(STATE_PATH, async ({ request }) => {
      classify(request, "node");
      checkUrl(request, context.limits);
      const query = new URLSearchParams(splitUrl(request.url).query);
      const table = query.get("table") ?? undefined;
      const prefix = query.get("prefix") ?? "";
      if (table !== undefined && table.length > TABLE_LENGTH_MAX) throw invalidArgument("table is too long");
      if (!PREFIX.test(prefix))
        throw invalidArgument("prefix must be up to 12 hexadecimal digits in lower case");
      if (context.chain.statePart === undefined)
        throw notFound("this node follows a chain, and has no state of its own");
      if (waiting >= WAITING_MAX) throw BUSY;
      waiting++;
      const part = queue.then(() => context.chain.statePart!(table, prefix));
      queue = part.then(
        () => waiting--,
        () => waiting--,
      );
      const body = await part;
      if (body === undefined) throw notFound("the state has nothing there");
      return Response.json(body, { headers: { "cache-control": "no-store", vary: "Origin" } });
    });
    return app;
  };
}
