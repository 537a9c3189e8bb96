// Who asks: the host of the page's origin, as browsers say it (reference 50, section 1.5).
import { HOSTNAME_LENGTH_MAX } from "../limits.ts";
import { hostnameError } from "./rpc.ts";

/** An address with a host: `scheme://user@host:port/path`, or without its scheme. */
const WITH_HOST = /^(?:[a-z][a-z0-9+.-]*:)?\/\/(?:[^/?#@]*@)?([^/?#@\s]+)(?:[/?#]|$)/i;
/** What no address begins with: nothing, or a colon in the first part that ends no scheme. */
const UNREADABLE = /^(?::|[^a-z/?#][^/?#]*:|[a-z][a-z0-9+.-]*[^a-z0-9+.:/?#-][^/?#]*:)/i;
/** The part of a host after its name that is no port. */
const BAD_PORT = /^(?:\[[^\]]*\]|[^:[]*):(?!\d*$)/;

/**
 * @returns host and port exactly as written; an origin without a host is taken as it is, e.g. `null`
 * @throws RpcError -32002
 */
export function hostnameOf(origin: string | null, referer: string | null): string {
  if (origin) return hostnameOfOrigin(origin);
  if (!referer) throw hostnameError("the Origin header is required");
  const host = hostIn(referer);
  if (host !== undefined) return usable(host);
  if (UNREADABLE.test(referer))
    throw hostnameError("could not parse the Referer header: it is not an address");
  throw hostnameError("the Origin header is required");
}

/** A page asks again and again. */
let last = { origin: "", hostname: "" };

function hostnameOfOrigin(origin: string): string {
  if (last.origin !== origin) last = { origin, hostname: usable(hostIn(origin) ?? origin) };
  return last.hostname;
}

function hostIn(address: string): string | undefined {
  const host = WITH_HOST.exec(address)?.[1];
  return host === undefined || BAD_PORT.test(host) ? undefined : host;
}

function usable(hostname: string): string {
  if (hostname.length <= HOSTNAME_LENGTH_MAX) return hostname;
  throw hostnameError(`the Origin header is longer than ${HOSTNAME_LENGTH_MAX} characters`);
}

/** Scheme, host and port of the page that asks, for people: `https://dapp.example`. Undefined where it says neither. */
export function originOf(origin: string | null, referer: string | null): string | undefined {
  if (origin) return origin;
  return referer ? (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(referer)?.[0] ?? undefined) : undefined;
}
