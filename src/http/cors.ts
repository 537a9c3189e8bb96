/**
 * The plugin for pages of other origins: the headers that let them read a plane's answers, and the answers to their preflights.
 * Handlers know nothing of it.
 */
import { Elysia } from "elysia";

const PREFLIGHT_MAX_AGE_S = "7200";
const VARY = "vary";

/** Permission that a plane gives to pages. */
export interface CorsPolicy {
  /** Headers of the answer to a request; a `vary` that the answer has stays. */
  headers(request: Request): Readonly<Record<string, string>> | undefined;
  /** Answers a preflight; undefined where it is a request like any other. */
  preflight(request: Request): Response | undefined;
}

/** Pages of every origin may read all answers and send any request. */
export const ANY_PAGE: CorsPolicy = {
  headers(request) {
    const origin = request.headers.get("origin");
    if (origin === null || isPreflight(request)) return undefined;
    return { "access-control-allow-origin": origin, "access-control-expose-headers": "*" };
  },
  preflight: grant,
};

export function cors({ headers, preflight }: CorsPolicy) {
  const plugin = new Elysia({ name: "cors" });
  plugin.onRequest(({ request }) => (isPreflight(request) ? preflight(request) : undefined));
  return plugin.wrap((handle, received) => {
    const added = headers(received);
    if (added === undefined) return handle;
    return (request: Request) => {
      // A request that became a WebSocket has no answer.
      const answer: unknown = handle(request);
      return answer instanceof Promise
        ? answer.then((response) => withHeaders(response, added))
        : withHeaders(answer, added);
    };
  });
}

function withHeaders(answer: unknown, headers: Readonly<Record<string, string>>): unknown {
  if (!(answer instanceof Response)) return answer;
  const own = answer.headers;
  // A look for each name would be a third of the cost of these headers: only `vary` may be set already.
  for (const name in headers) if (name !== VARY || !own.has(VARY)) own.set(name, headers[name]!);
  return answer;
}

export function isPreflight(request: Request): boolean {
  return request.method === "OPTIONS" && request.headers.has("access-control-request-method");
}

function grant({ headers: given }: Request): Response {
  const headers = new Headers({
    "access-control-allow-origin": given.get("origin") ?? "*",
    "access-control-allow-methods": given.get("access-control-request-method")!,
    "access-control-max-age": PREFLIGHT_MAX_AGE_S,
  });
  const names = given.get("access-control-request-headers");
  if (names) headers.set("access-control-allow-headers", names.split(",").map(canonicalHeader).join(", "));
  for (const name of ["Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers"])
    headers.append("vary", name);
  return new Response(null, { status: 204, headers });
}

/** `x-min-height` as `X-Min-Height`. */
export function canonicalHeader(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}
