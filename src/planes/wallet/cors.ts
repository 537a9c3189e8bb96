// Pages of every origin may ask the wallet; who may have what is decided by tokens and by the user
// (docs/protocol/50-wallet-service.md#13-cors).
import { type CorsPolicy, canonicalHeader, isPreflight } from "../../http/cors.ts";

const METHODS: readonly string[] = ["HEAD", "GET", "POST", "PUT", "PATCH", "DELETE"];
const ALLOW_ORIGIN = "access-control-allow-origin";

/** For any path, also an unknown one. A method outside of the list gets no permission. */
function preflight({ headers: given }: Request): Response {
  const headers = new Headers();
  for (const name of ["Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers"]) {
    headers.append("vary", name);
  }
  const method = given.get("access-control-request-method")!;
  if (METHODS.includes(method)) {
    headers.set(ALLOW_ORIGIN, "*");
    headers.set("access-control-allow-methods", method);
    const names = given.get("access-control-request-headers");
    if (names) {
      headers.set("access-control-allow-headers", names.split(",").map(canonicalHeader).join(", "));
    }
    // Without it browsers keep public pages from a service on this machine.
    if (given.get("access-control-request-private-network") === "true") {
      headers.set("access-control-allow-private-network", "true");
    }
  }
  return new Response(null, { status: 204, headers });
}

const isPagesPreflight = (request: Request) => isPreflight(request) && request.headers.has("origin");

/** Every answer may be read; that it depends on the origin is said to caches. A preflight has its own headers alone. */
export const PAGES: CorsPolicy = {
  headers(request) {
    if (isPagesPreflight(request)) return undefined;
    return { vary: "Origin", ...(request.headers.has("origin") && { [ALLOW_ORIGIN]: "*" }) };
  },
  preflight: (request) => (isPagesPreflight(request) ? preflight(request) : undefined),
};

// `Host`s that a request may name. A page can make a name of its own point at this machine (DNS rebinding); its
// requests then carry that name, and are refused.

const LOOPBACK =
  /^(?:localhost|(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:127\.[0-9.]+\])$/i;
const PORT = /:\d{1,5}$/;

/** @param extra names that the operator allowed, for a service that is not on loopback */
export function isAllowedHost(host: string | null, extra: readonly string[] = []): boolean {
  if (host === null) return false;
  const name = host.replace(PORT, "").replace(/\.$/, "");
  const lower = name.toLowerCase();
  // An address of IPv6 stands in brackets here, and without them where it is listened on.
  return LOOPBACK.test(name) || extra.includes(lower) || extra.includes(lower.replace(/^\[(.*)\]$/, "$1"));
}
