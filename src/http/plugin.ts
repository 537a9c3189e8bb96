/**
 * The HTTP plugin: the Elysia application that every plane begins with. It does what HTTP asks of all of them: the plane's
 * own conditions, pages of other origins, paths with escapes, errors.
 */
import { Elysia, ParseError, ValidationError } from "elysia";
import { ANY_PAGE, type CorsPolicy, cors } from "./cors.ts";
import { type RouteClass, setClass } from "./counts.ts";
import { badRequest } from "./errors.ts";
import { readBody } from "./http.ts";
import { copyOfOrigin, originOf } from "./origin.ts";
import { checkDepth } from "./query.ts";

/**
 * Without it the framework looks for the path behind the first four characters of the host, and a server that is called
 * `api` or `db` on port 80 would find none of its routes.
 */
const ANY_HOST = { standardHostname: false } as const;
const SCHEME_LENGTH = "http://".length;

type Answering = Response | Promise<Response>;

interface HttpOptions {
  readonly name: string;
  readonly prefix?: string;
  /** Whether a route is compiled with its first request: of a plane with many routes and few requests. */
  readonly isLazy?: boolean;
  /** The plane's own checks, before routing; undefined lets the request pass. */
  before?(request: Request): Answering | undefined;
  /** Permissions of pages of other origins; default: everything. */
  readonly cors?: CorsPolicy;
  /** Errors as answers: those that handlers throw, and faults. */
  onError(error: unknown, request: Request): Answering;
  /**
   * Answers a path with an invalid percent-escape. Where given, paths are decoded before routing, as in the original's
   * gateway.
   */
  notFound?(request: Request): Answering;
}

/** A handler reads bodies by itself, under its own limits. */
export const RAW = { parse: "none", detail: { hide: true } } as const;

/**
 * The body is JSON, whatever its content type says, and an empty one is an object without members.
 * @param parse in place of the usual reading of the text
 */
export function jsonBody(bytesMax: number, parse: (text: string) => unknown = jsonIn) {
  const read = async ({ request }: { request: Request }) => parse(await readBody(request, bytesMax));
  // "json" is for the document alone: `read` always returns a body.
  return { parse: [read, "json" as const] };
}

/** The body is a text, whatever its content type says. */
export function textBody(bytesMax: number) {
  return { parse: [({ request }: { request: Request }) => readBody(request, bytesMax), "json" as const] };
}

/** Levels of objects and lists. */
const BODY_DEPTH_MAX = 100;

function jsonIn(body: string): unknown {
  if (body.trim() === "") return {};
  checkDepth(body, BODY_DEPTH_MAX);
  try {
    return JSON.parse(body);
  } catch {
    throw badRequest("the request body is not JSON");
  }
}

export function httpPlugin(options: HttpOptions) {
  const { name, prefix = "", isLazy = false } = options;
  // Members that a schema does not know are refused, not removed.
  const strict = { strictPath: true, normalize: false } as const;
  const app = new Elysia({ name, prefix, ...strict, precompile: !isLazy, handler: ANY_HOST });
  app.onRequest(({ request }) => (request.method === "HEAD" ? app.handle(asGet(request)) : undefined));
  const { before } = options;
  if (before) app.onRequest(({ request }) => before(request));
  app.use(cors(options.cors ?? ANY_PAGE));
  app.onRequest(({ request }) => {
    const { url } = request;
    // Without a usable host the address is a path alone, which the framework cannot read.
    if (url.startsWith("/")) return app.handle(copyOf(request, `http://localhost${url}`));
    if (!options.notFound || !url.includes("%") || !hasEscape(url)) return undefined;
    const plain = withPlainPath(request);
    if (plain === undefined) return options.notFound(request);
    return plain === request ? undefined : app.handle(plain);
  });
  app.onError(({ error, request }) => options.onError(withoutWrapper(error), request));
  return app;
}

/** The reason of an error that the framework wraps: of a body that was not read, or does not fit its schema. */
function withoutWrapper(error: unknown): unknown {
  if (error instanceof ParseError) return error.cause;
  if (!(error instanceof ValidationError) || error.type !== "body") return error;
  // The sentence of the schema; the framework's own would repeat the body.
  return badRequest(String(error.customError ?? "the request body has another form"));
}

export type HttpApp = ReturnType<typeof httpPlugin>;
/** A plugin of routes alone, for the port of another plane. */
export type HttpRoutes = (app: HttpApp) => HttpApp;

/** Routes of several planes as one plugin. */
export function joinRoutes(...all: readonly (HttpRoutes | undefined)[]): HttpRoutes {
  return (app) => all.reduce((joined, routes) => routes?.(joined) ?? joined, app);
}

function hasEscape(url: string): boolean {
  const mark = url.indexOf("?");
  const at = url.indexOf("%");
  return mark < 0 || at < mark;
}

/**
 * The same request with its path decoded, except for reserved characters. The original decodes before routing, the framework
 * after it, so that an escaped slash would be part of a name.
 * @returns undefined for a path with an invalid percent-escape
 */
function withPlainPath(request: Request): Request | undefined {
  const { url } = request;
  const start = url.indexOf("/", SCHEME_LENGTH);
  const mark = url.indexOf("?");
  const end = mark < 0 ? url.length : mark;
  const path = url.slice(start, end);
  let plain: string;
  try {
    plain = decodeURIComponent(path).split("/").map(encodeURIComponent).join("/");
  } catch {
    return undefined;
  }
  if (plain === path) return request;
  return copyOf(request, url.slice(0, start) + plain + url.slice(end));
}

function copyOf(request: Request, url: string): Request {
  return copyOfOrigin(request, new Request(url, request));
}

/**
 * A HEAD is answered as the GET that it stands for, and the runtime sends the headers alone: with the length where the body has
 * one; a body that is a stream is cancelled unread. Upgrades and ranges are of a GET alone (RFC 9110, section 14.2).
 */
function asGet(request: Request): Request {
  const { url, signal } = request;
  const headers = new Headers(request.headers);
  for (const name of ["upgrade", "range", "if-range"]) headers.delete(name);
  return copyOfOrigin(request, new Request(url, { headers, signal }));
}

/** Whether the body of the answer is not sent. */
export function isHeadersAlone(request: Request): boolean {
  return originOf(request).method === "HEAD";
}

/** Sets the class of a request for the histograms of `/metrics`. */
export function classify(request: Request, kind: RouteClass): void {
  setClass(originOf(request), kind);
}
