// Requests of this machine: a socket of this machine, a `Host` of this machine (against DNS rebinding), and no page of another
// origin.

const LOOPBACK_ADDRESS = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * The part of a request that is not of this machine; undefined without any.
 * @param address of the other end of the socket; undefined when it is not known
 */
export function foreignPart(
  request: Request,
  address: string | undefined,
): "address" | "host" | "origin" | undefined {
  if (address === undefined || !LOOPBACK_ADDRESS.test(address)) return "address";
  if (!LOOPBACK_HOST.test(request.headers.get("host") ?? "")) return "host";
  const origin = request.headers.get("origin");
  return origin === null || isLoopbackOrigin(origin) ? undefined : "origin";
}

function isLoopbackOrigin(origin: string): boolean {
  const match = /^https?:\/\/(.+)$/.exec(origin);
  return match !== null && LOOPBACK_HOST.test(match[1]!);
}
