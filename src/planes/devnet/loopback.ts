// The devnet's tools can change everything, so they answer this machine only: a socket of this machine, a `Host` of this
// machine (against DNS rebinding), and no page of another origin.

import { createHash, timingSafeEqual } from "node:crypto";
import { foreignPart } from "../../http/loopback.ts";

const REASONS = {
  address: "the devnet's tools answer to this machine only",
  host: "the devnet's tools answer under localhost, 127.0.0.1 or [::1] only",
  origin: "the devnet's tools answer to pages of this machine only",
} as const;

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
  const part = foreignPart(request, address);
  if (part === undefined) return undefined;
  return access === undefined ? REASONS[part] : tokenReason(request, access);
}

/** No web page: a browser names its origin with every POST, and no page needs the tools of another machine. */
function tokenReason(request: Request, { hosts, token }: ToolsAccess): string | undefined {
  const host = (request.headers.get("host") ?? "").toLowerCase().replace(/:\d{1,5}$/, "");
  if (!hosts.includes(host)) {
    return "the devnet's tools answer to this machine, and under the hosts of --tools-allow";
  }
  if (request.headers.has("origin")) return REASONS.origin;
  const bearer = /^Bearer (\S{1,200})$/.exec(request.headers.get("authorization") ?? "")?.[1];
  if (bearer !== undefined && isSameSecret(bearer, token)) return undefined;
  return "the devnet's tools take a token from other hosts: Authorization: Bearer TOKEN, from the file tools-token in its home";
}

/** Compares in constant time. */
function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
