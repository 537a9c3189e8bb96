// Pages of every origin may ask; who may have what is decided by tokens and by the user
// (docs/protocol/50-wallet-service.md#13-cors).

const METHODS: readonly string[] = ["HEAD", "GET", "POST", "PUT", "PATCH", "DELETE"];
const ALLOW_ORIGIN = "access-control-allow-origin";

export function isPreflight(request: Request): boolean {
  const { headers } = request;
  return (
    request.method === "OPTIONS" &&
    headers.get("origin") !== null &&
    headers.get("access-control-request-method") !== null
  );
}

/** For any path, also an unknown one. A method outside of the list gets no permission. */
export function preflight(request: Request): Response {
  const { headers: asked } = request;
  const headers = new Headers();
  for (const name of ["Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers"]) {
    headers.append("vary", name);
  }
  const method = asked.get("access-control-request-method")!;
  if (METHODS.includes(method)) {
    headers.set(ALLOW_ORIGIN, "*");
    headers.set("access-control-allow-methods", method);
    const wanted = asked.get("access-control-request-headers");
    if (wanted) {
      headers.set("access-control-allow-headers", wanted.split(",").map(canonical).join(", "));
    }
    // Without it browsers keep public pages from a service on this machine.
    if (asked.get("access-control-request-private-network") === "true") {
      headers.set("access-control-allow-private-network", "true");
    }
  }
  return new Response(null, { status: 204, headers });
}

/** `x-min-height` as `X-Min-Height`. */
function canonical(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}

/** Headers of an answer, with those that let a page of another origin read it. */
export function corsHeaders(request: Request, headers: Record<string, string>): Record<string, string> {
  return Object.assign(headers, corsOf(request.headers.get("origin") !== null));
}

/** @param isPage whether the request names an origin */
export function corsOf(isPage: boolean): Record<string, string> {
  return { vary: "Origin", ...(isPage && { [ALLOW_ORIGIN]: "*" }) };
}

// Which `Host` a request may name. A page can make a name of its own point at this machine (DNS rebinding); its
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
