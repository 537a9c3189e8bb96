// The devnet's tools can change everything, so they answer this machine only: a socket of this machine, a `Host` of this
// machine (against DNS rebinding), and no page of another origin.

import { createHash, timingSafeEqual } from "node:crypto";

const LOOPBACK_ADDRESS = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Other machines that may use the tools: under these host names, with this token. */
export interface ToolsAccess {
  /** As in the `Host` header, lower case, without a port. */
  readonly hosts: readonly string[];
  readonly token: string;
}

/**
 * Why a request may not use the tools; undefined when it may.
 * @param address of the other end of the socket; undefined when it is not known
 */
export function foreignReason(
  request: Request,
  address: string | undefined,
  access?: ToolsAccess,
): string | undefined {
  const reason = loopbackReason(request, address);
  return reason !== undefined && access !== undefined ? tokenReason(request, access) : reason;
}

/** No web page: a browser names its origin with every POST, and no page needs the tools of another machine. */
function tokenReason(request: Request, { hosts, token }: ToolsAccess): string | undefined {
  const host = (request.headers.get("host") ?? "").toLowerCase().replace(/:\d{1,5}$/, "");
  if (!hosts.includes(host)) {
    return "the devnet's tools answer to this machine, and under the hosts of --tools-allow";
  }
  if (request.headers.has("origin")) return "the devnet's tools answer to pages of this machine only";
  const bearer = /^Bearer (\S{1,200})$/.exec(request.headers.get("authorization") ?? "")?.[1];
  if (bearer !== undefined && isSameSecret(bearer, token)) return undefined;
  return "the devnet's tools take a token from other hosts: Authorization: Bearer TOKEN, from the file tools-token in its home";
}

/** Compares in constant time. */
function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function loopbackReason(request: Request, address: string | undefined): string | undefined {
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
