// Pages of every origin may ask; who may have what is decided by tokens and by the user (reference 50, section 1.3).

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

/** For any path, also one that is not there. A method outside of the list gets no permission. */
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
