// The node plane as an Elysia application, and as what the data port mounts (reference 30, sections 1 and 5).
import { Elysia } from "elysia";
import { Grpc } from "../../errors/statuses.ts";
import { asking, docsPlugin } from "../../http/docs.ts";
import { ApiError } from "../../http/errors.ts";
import { ANY_HOST, splitUrl, withCors } from "../../http/http.ts";
import { ServerStatus, STORE_DAMAGED } from "../../http/status.ts";
import type { JsonMode } from "../../wire/json.ts";
import { answerFailure, type MountedPlane, refuse, sendAnswer } from "../data/app.ts";
import { jsonMode } from "../data/plane.ts";
import { matchNodeRoute, NODE_ROUTES, NOT_FOUND, type NodeMatch, type NodePlane } from "./plane.ts";

/** The core node prints everything in one layout, whatever the request asks for. */
const NODE_MODE: JsonMode = "node";
const TEXT = { "content-type": "text/plain; charset=utf-8", vary: "Origin" };

/** The routes of the node's own port. */
export function nodeApp(plane: NodePlane, status = new ServerStatus()) {
  const app = new Elysia({ name: "node", strictPath: true, precompile: true, handler: ANY_HOST });
  for (const route of NODE_ROUTES) {
    if (route.path.includes("{")) continue;
    const match: NodeMatch = { route, path: {} };
    const answer = ({ request }: { request: Request }) => respond(plane, match, request, NODE_MODE);
    // Bodies are read by the resource, under its own limits.
    if (route.method === "GET") app.get(route.path, answer, { detail: { hide: true } });
    else app.post(route.path, answer, { parse: "none", detail: { hide: true } });
  }
  app.all("/health", ({ request }) => new Response("ok", { headers: withCors(TEXT, request) }));
  app.get("/healthz", () => new Response("ok", { headers: TEXT }));
  app.get("/readyz", ({ request }) => readyz(request, plane, status));
  app.use(
    docsPlugin({
      signposts: ["/"],
      parts: async () => (await import("./openapi.ts")).nodeOpenApiParts(),
      examples: async (paths) => {
        const { NODE_SOURCES, withExamples } = await import("../../http/openapi/examples.ts");
        return withExamples(paths, NODE_SOURCES, asking(app));
      },
      version: () => plane.context.chain.status.height,
    }),
  );
  // Everything else: the path with a parameter, other methods, escapes in paths, unknown paths.
  app.all("/*", ({ request }) => fallback(plane, request), { parse: "none" });
  app.onError(({ error, request }) => failed(status, request, error, NODE_MODE));
  return app;
}

/** The same resources for the data port, which prints them as it prints its own. */
export function mountedNode(plane: NodePlane, status: ServerStatus): MountedPlane {
  return {
    takes: (pathname) => matchNodeRoute(pathname) !== undefined,
    submits: (pathname) => matchNodeRoute(pathname)?.route.method === "POST",
    async answer(request) {
      const { pathname, query } = splitUrl(request.url);
      const mode = jsonMode(query, request.headers.get("accept"));
      try {
        return await respond(plane, matchNodeRoute(pathname)!, request, mode);
      } catch (error) {
        return failed(status, request, error, mode);
      }
    },
  };
}

function respond(plane: NodePlane, match: NodeMatch, request: Request, mode: JsonMode): Promise<Response> {
  return plane.answer(match, request, mode).then((answer) => sendAnswer(answer, request));
}

function fallback(plane: NodePlane, request: Request): Response | Promise<Response> {
  const match = matchNodeRoute(splitUrl(request.url).pathname);
  return match ? respond(plane, match, request, NODE_MODE) : refuse(request, NOT_FOUND, NODE_MODE);
}

function failed(status: ServerStatus, request: Request, error: unknown, mode: JsonMode): Response {
  if (error instanceof ApiError) return refuse(request, error, mode);
  return answerFailure(status, request, error, mode);
}

/** For balancers: a chain that has no block yet, that has stopped or whose store is damaged takes no transactions. */
function readyz(request: Request, { context }: NodePlane, status: ServerStatus): Response {
  if (status.isDamaged) return refuse(request, new ApiError(Grpc.unavailable, STORE_DAMAGED), "normal");
  const { hash, halted } = context.chain.status;
  const reason = halted ?? (hash === "" ? "the chain has no block yet" : undefined);
  if (reason === undefined) return new Response("ok", { headers: TEXT });
  return refuse(request, new ApiError(Grpc.unavailable, reason), "normal");
}
