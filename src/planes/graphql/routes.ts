// The routes of GraphQL on the data port. Schema, library, resolvers and the page are loaded with the first request that
// needs them.
import { asksForPage } from "../../http/accept.ts";
import { DAMAGED } from "../../http/answers.ts";
import { splitUrl } from "../../http/http.ts";
import { classify, type HttpRoutes, RAW } from "../../http/plugin.ts";
import type { ServerStatus } from "../../http/status.ts";
import { GRAPHQL_PATH } from "../data/observe/routes.ts";
import type { DataPlane } from "../data/plane.ts";
import { whenReadable } from "../data/readable.ts";
import type { NodePlane } from "../node/plane.ts";
import type { GraphqlEndpoint } from "./endpoint.ts";

/** Every path below it is the page's. */
const PAGE_PREFIX = `${GRAPHQL_PATH}/`;

/** @param node the core node's plane, where there is one */
export function graphqlRoutes(plane: DataPlane, status: ServerStatus, node?: NodePlane): HttpRoutes {
  let loading: Promise<GraphqlEndpoint> | undefined;
  const loaded = () => {
    loading ??= importForProduction().then(({ GraphqlEndpoint: Endpoint }) => new Endpoint(plane, node));
    return loading;
  };
  const answerPage = async (path: string, request: Request) =>
    (await import("./page.ts")).answerPage(path, request);
  return (app) => {
    app.all(
      GRAPHQL_PATH,
      async ({ request }) => {
        classify(request, "read");
        if (isForBrowser(request)) return answerPage("", request);
        if (status.isDamaged) throw DAMAGED;
        const endpoint = await loaded();
        if (request.headers.has("upgrade")) return endpoint.upgrade(app, request);
        return whenReadable(plane, status, request, () => endpoint.answer(request));
      },
      RAW,
    );
    app.all(
      `${PAGE_PREFIX}*`,
      ({ request }) => answerPage(splitUrl(request.url).pathname.slice(PAGE_PREFIX.length), request),
      RAW,
    );
    return app;
  };
}

/**
 * Unless it is loaded in production, the library searches every type it meets for a second copy of itself: a seventh of the
 * time of a query. Other libraries keep the mode that they were started in.
 */
async function importForProduction(): Promise<typeof import("./endpoint.ts")> {
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  try {
    return await import("./endpoint.ts");
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}

/** A browser that opens the address: it accepts HTML and sends no query. */
function isForBrowser(request: Request): boolean {
  return asksForPage(request) && !/[?&]query=/.test(request.url);
}
