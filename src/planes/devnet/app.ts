// The devnet's tools over HTTP: JSON in, JSON out, and for this machine only.
import { ChainCallError } from "../../engine/chain-port.ts";
import { CommandError } from "../../engine/errors.ts";
import { NodeError } from "../../errors/node-error.ts";
import { Grpc } from "../../errors/statuses.ts";
import { NOT_FOUND, refuse } from "../../http/answers.ts";
import { docsPlugin } from "../../http/docs.ts";
import { ApiError, badRequest, wrongMethod } from "../../http/errors.ts";
import { readBody, withCors } from "../../http/http.ts";
import { httpPlugin, originOf, RAW } from "../../http/plugin.ts";
import { WireError } from "../../wire/errors.ts";
import type { DevnetContext } from "./context.ts";
import { Fields } from "./fields.ts";
import { FORWARD_TIME_PATH, forwardTime } from "./forward-time.ts";
import { DUMP_BYTES_MAX } from "./limits.ts";
import { foreignReason, type ToolsAccess } from "./loopback.ts";
import { TOOLS, type Tool } from "./tools.ts";

const DEVNET_PREFIX = "/devnet/";
const BODY_BYTES_MAX = 1024 * 1024;

const LOAD = {
  method: "POST",
  path: `${DEVNET_PREFIX}load`,
  summary: "become the chain of a dump",
  body: {},
};
const FORWARD_TIME = {
  method: "POST",
  path: FORWARD_TIME_PATH,
  summary: "as time/forward or time/set, and a block, as the network's single-process chain has it",
  body: { forward: "duration such as 10s, or a time of RFC 3339" },
};
/** The answer of `GET /devnet/`. */
const TOOL_LIST = [
  ...TOOLS.map(({ method, path, summary, body }) => ({
    method,
    path: `${DEVNET_PREFIX}${path}`,
    summary,
    body,
  })),
  LOAD,
  FORWARD_TIME,
];

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
    preflight: () => undefined,
    onError: (error, request) => refuse(request, apiError(error)),
  });
  const add = (method: string, path: string, answer: (request: Request) => Promise<Response>) =>
    app.all(
      path,
      async ({ request }) => (request.method === method ? answer(request) : wrong(method, request)),
      RAW,
    );
  for (const tool of TOOLS) {
    add(tool.method, `${DEVNET_PREFIX}${tool.path}`, (request) => use(tool, context, request));
  }
  app.get(DEVNET_PREFIX, ({ request }) => json(JSON.stringify({ tools: TOOL_LIST }), request));
  app.use(
    docsPlugin({
      page: `${DEVNET_PREFIX}docs`,
      parts: async () => (await import("./openapi.ts")).devnetDocument(() => context.parties()),
    }),
  );
  add("POST", FORWARD_TIME_PATH, (request) => use(FORWARD, context, request));
  add("POST", `${DEVNET_PREFIX}load`, (request) => load(context, request));
  app.all("/*", ({ request }) => refuse(request, NOT_FOUND), RAW);
  return app;
}

function wrong(method: string, request: Request): Response {
  return refuse(request, wrongMethod(method));
}

const FORWARD = { method: "POST", run: forwardTime } as const;

async function use(
  tool: Pick<Tool, "method" | "run">,
  context: DevnetContext,
  request: Request,
): Promise<Response> {
  const body = tool.method === "GET" ? "" : await readBody(request, BODY_BYTES_MAX);
  const answer = await tool.run(context, Fields.of(parsed(body)), originOf(request).signal);
  return json(typeof answer === "string" ? answer : JSON.stringify(answer), request);
}

/** The body is a dump as `dump` gave it. */
async function load(context: DevnetContext, request: Request): Promise<Response> {
  const dump = await readBody(request, DUMP_BYTES_MAX);
  const { height, chainId } = await context.chain.load(dump);
  return json(JSON.stringify({ chainId, height: String(height) }), request);
}

function parsed(body: string): unknown {
  if (body.trim() === "") return {};
  try {
    return JSON.parse(body);
  } catch {
    throw badRequest("the request body is not JSON");
  }
}

function json(text: string, request: Request): Response {
  return new Response(text, { headers: withCors({ "content-type": "application/json" }, request) });
}

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
