// The devnet's tools change anything at all, so they are for this machine alone: for a socket of this machine, under
// a name of this machine (a web page that had its own name point here would have another), and not for a web page of
// another origin.

const LOOPBACK_ADDRESS = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Why a request may not use the tools; undefined when it may.
 * @param address of the other end of the socket; undefined when it is not known
 */
export function foreignReason(request: Request, address: string | undefined): string | undefined {
  if (address === undefined || !LOOPBACK_ADDRESS.test(address)) {
    return "the devnet's tools answer to this machine only";
  }
  const host = request.headers.get("host") ?? "";
  if (!LOOPBACK_HOST.test(host)) {
    return "the devnet's tools answer under localhost, 127.0.0.1 or [::1] only";
  }
  const origin = request.headers.get("origin");
  if (origin !== null && !isLoopbackOrigin(origin)) {
    return "the devnet's tools answer to pages of this machine only";
  }
  return undefined;
}

function isLoopbackOrigin(origin: string): boolean {
  const match = /^https?:\/\/(.+)$/.exec(origin);
  return match !== null && LOOPBACK_HOST.test(match[1]!);
}
