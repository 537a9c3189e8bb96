// The devnet's tools over HTTP: JSON in, JSON out, and for this machine only.
import { ChainCallError } from "../../engine/chain-port.ts";
import { CommandError } from "../../engine/errors.ts";
import { NodeError } from "../../errors/node-error.ts";
import { Grpc } from "../../errors/statuses.ts";
import { NOT_FOUND, refuse } from "../../http/answers.ts";
import { ANY_PAGE } from "../../http/cors.ts";
import { docsPlugin } from "../../http/docs.ts";
import { ApiError, badRequest, wrongMethod } from "../../http/errors.ts";
import { splitUrl } from "../../http/http.ts";
import { originOf } from "../../http/origin.ts";
import { httpPlugin, jsonBody, RAW, textBody } from "../../http/plugin.ts";
import { parsePairs } from "../../http/query.ts";
import { checkParameters } from "../../http/strict.ts";
import { WireError } from "../../wire/errors.ts";
import type { DevnetContext } from "./context.ts";
import {
  type BodyOf,
  type Declaration,
  FORWARD_TIME,
  FORWARD_TIME_PATH,
  TOOL_LIST,
  TOOLS,
  type ToolPath,
} from "./declarations.ts";
import { foreignReason, type ToolsAccess } from "./loopback.ts";
import { bodySchema, readMembers } from "./member-schemas.ts";
import { LIST_DOCUMENT, MODELS, toolDocument } from "./route-documents.ts";
import { forwardTime, TOOL_FUNCTIONS, type ToolFunction } from "./tools.ts";

const DEVNET_PREFIX = "/devnet/";
const BODY_BYTES_MAX = 1024 * 1024;

/** The answer of `GET /devnet/`. */
const TOOL_ROWS = JSON.stringify({
  tools: [
    ...TOOL_LIST.map((tool) => rowOf(`${DEVNET_PREFIX}${tool.path}`, tool)),
    rowOf(FORWARD_TIME_PATH, FORWARD_TIME),
  ],
});

function rowOf(path: string, { method, summary, members }: Declaration) {
  const meanings = Object.entries(members).map(([name, { meaning }]) => [name, meaning]);
  return { method, path, summary, body: Object.fromEntries(meanings) };
}

/** Whether a path is one of the tools', which are for this machine alone. */
export function isToolPath(pathname: string): boolean {
  return pathname.startsWith(DEVNET_PREFIX) || pathname === FORWARD_TIME_PATH;
}

export interface DevnetTools {
  /** Answers a request for a tool (`isToolPath`). @param address of the other end of the socket */
  answer(request: Request, address: string | undefined): Response | Promise<Response>;
}

/** @param access of other machines, where there is any */
export function devnetTools(context: DevnetContext, access?: ToolsAccess): DevnetTools {
  const app = devnetApp(context);
  return {
    answer(request, address) {
      const reason = foreignReason(request, address, access);
      // The list of tools is as private as the tools.
      if (reason !== undefined) return forbidden(reason);
      return app.fetch(request);
    },
  };
}

/** The routes, without the check of the caller. */
function devnetApp(context: DevnetContext) {
  const app = httpPlugin({
    name: "devnet",
    // Pages of other origins may not use the tools: no preflight is granted.
    cors: { ...ANY_PAGE, preflight: () => undefined },
    onError: (error, request) => refuse(request, apiError(error)),
    isLazy: true,
  });
  app.model(MODELS);
  const names = () => context.parties();
  const add = <D extends Declaration>(name: string, path: string, declaration: D, run: ToolFunction<D>) => {
    const { method, file, answer } = declaration;
    const isText = answer.raw !== undefined;
    const handle = async ({ body, request }: { body: unknown; request: Request }) => {
      checkParameters(parsePairs(splitUrl(request.url).query), () => []);
      const given = file === undefined ? readMembers(declaration, body ?? {}, names) : body;
      const done = await run(context, given as BodyOf<D>, originOf(request).signal);
      return isText ? new Response(String(done), { headers: JSON_TYPE }) : done;
    };
    const documented = toolDocument(name, declaration);
    if (method === "GET") app.get(path, handle, documented);
    else if (file !== undefined) app.post(path, handle, { ...documented, ...textBody(file.bytesMax) });
    else {
      const body = bodySchema(declaration);
      app.post(path, handle, { ...documented, ...jsonBody(BODY_BYTES_MAX), body });
    }
    app.all(path, ({ request }) => refuse(request, wrongMethod(method)), RAW);
  };
  for (const { path } of TOOL_LIST) addTool(path);
  function addTool<Path extends ToolPath>(path: Path) {
    add(path, `${DEVNET_PREFIX}${path}`, TOOLS[path], TOOL_FUNCTIONS[path]);
  }
  add("forwardTime", FORWARD_TIME_PATH, FORWARD_TIME, forwardTime);
  app.get(DEVNET_PREFIX, () => new Response(TOOL_ROWS, { headers: JSON_TYPE }), LIST_DOCUMENT);
  app.all(DEVNET_PREFIX, ({ request }) => refuse(request, wrongMethod("GET")), RAW);
  app.use(
    docsPlugin({
      page: `${DEVNET_PREFIX}docs`,
      app,
      parts: async () => (await import("./documentation.ts")).parts(),
      examples: async (paths) => (await import("./documentation.ts")).completed(paths, context.parties()),
    }),
  );
  app.all("/*", ({ request }) => refuse(request, NOT_FOUND), RAW);
  return app;
}

const JSON_TYPE = { "content-type": "application/json" };

function apiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ChainCallError) return described(error.message, error.code, "");
  if (error instanceof CommandError) return described(error.message, "command_refused", "");
  if (error instanceof WireError) return badRequest(error.message);
  if (error instanceof NodeError) return described(error.message, error.code, error.hint);
  if (process.env.LYRA_DEBUG) console.error(error);
  return new ApiError(Grpc.internal, "Internal error", [], true);
}

/** A refusal of the chain is the request's fault: 400, with the stable code and the way out. */
function described(message: string, code: string, hint: string): ApiError {
  const detail = { "@type": "type.googleapis.com/vega.ErrorDetail", code: 10000, message: code, inner: hint };
  return new ApiError(Grpc.invalidArgument, message, [detail]);
}

/** gRPC's number, and HTTP's. No other origin may read it. */
const PERMISSION_DENIED = 7;
const FORBIDDEN = 403;

function forbidden(reason: string): Response {
  return Response.json({ code: PERMISSION_DENIED, message: reason, details: [] }, { status: FORBIDDEN });
}
