// Sites: what one owner serves pages under. A page can have as many origins as it likes below one name, so what a person
// is asked about is bounded, and blocked, by site.
import { getDomain } from "tldts";
import { HOSTNAME_LENGTH_MAX } from "../limits.ts";
import type { JsonFile } from "./json-file.ts";
import { hostnameError } from "./rpc.ts";

interface BlockedSite {
  readonly site: string;
  /** RFC 3339. */
  readonly blockedAt: string;
}

interface BlockedDocument {
  readonly version: 1;
  readonly sites: readonly BlockedSite[];
}

export const NONE_BLOCKED: BlockedDocument = { version: 1, sites: [] };
/** Sites that are remembered; the oldest goes for one more. */
const SITES_MAX = 10_000;

/**
 * The name that one owner has registered, by the public suffix list: `a.b.evil.co.uk:8080` is of `evil.co.uk`, and
 * `a.github.io` is a site of its own. An address, and a name that is below no suffix, are too; ports make no site.
 */
export function siteOf(hostname: string): string {
  const host = hostname.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}

/** Sites whose connections are refused without anybody being asked. */
export class BlockedSites {
  private sites: ReadonlySet<string> = new Set();
  private stamp: string | undefined;

  constructor(
    private readonly file: JsonFile<BlockedDocument>,
    private readonly now: () => string,
  ) {}

  async list(): Promise<readonly BlockedSite[]> {
    return (await this.file.read()).sites;
  }

  async has(hostname: string): Promise<boolean> {
    const { stamp } = this.file;
    if (stamp !== this.stamp) {
      this.sites = new Set((await this.list()).map(({ site }) => site));
      this.stamp = stamp;
    }
    return this.sites.has(siteOf(hostname));
  }

  /** @returns the site */
  async block(hostname: string): Promise<string> {
    const site = siteOf(hostname);
    await this.file.update(({ sites }) => {
      const others = sites.filter((one) => one.site !== site);
      return { version: 1, sites: [...others, { site, blockedAt: this.now() }].slice(-SITES_MAX) };
    });
    return site;
  }

  /** @returns whether it was blocked */
  async unblock(hostname: string): Promise<boolean> {
    const site = siteOf(hostname);
    let wasBlocked = false;
    await this.file.update(({ sites }) => {
      const others = sites.filter((one) => one.site !== site);
      wasBlocked = others.length < sites.length;
      return { version: 1, sites: others };
    });
    return wasBlocked;
  }
}

// The site that asks: the host of the page's origin, as browsers say it
// (docs/protocol/50-wallet-service.md#15-hostname-extraction).

/** An address with a host: `scheme://user@host:port/path`, or without its scheme. */
const WITH_HOST = /^(?:[a-z][a-z0-9+.-]*:)?\/\/(?:[^/?#@]*@)?([^/?#@\s]+)(?:[/?#]|$)/i;
/** Texts that do not begin an address: empty, or a colon in the first part that ends no scheme. */
const UNREADABLE = /^(?::|[^a-z/?#][^/?#]*:|[a-z][a-z0-9+.-]*[^a-z0-9+.:/?#-][^/?#]*:)/i;
/** The part of a host after its name that is not a port. */
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

// Rate limits: a bucket for each name, which fills up again with time.

export interface RateLimit {
  readonly perSecond: number;
  /** At once, after a while of nothing. */
  readonly burst: number;
}

const NAMES_MAX = 10_000;

export class RateLimiter {
  private readonly buckets = new Map<string, { left: number; atMs: number }>();

  constructor(
    private readonly limit: RateLimit,
    private readonly nowMs: () => number,
  ) {}

  /** @returns seconds until it may be done; 0 when it may be done now, and is counted */
  acquire(name: string): number {
    const now = this.nowMs();
    const { perSecond, burst } = this.limit;
    const bucket = this.buckets.get(name) ?? { left: burst, atMs: now };
    const left = Math.min(burst, bucket.left + ((now - bucket.atMs) / 1000) * perSecond);
    // The one that was used the longest ago goes first: new names do not make the limits of others forgotten at once.
    this.buckets.delete(name);
    if (this.buckets.size >= NAMES_MAX) this.buckets.delete(this.buckets.keys().next().value!);
    const isTaken = left >= 1;
    this.buckets.set(name, { left: isTaken ? left - 1 : left, atMs: now });
    return isTaken ? 0 : Math.ceil((1 - left) / perSecond);
  }
}
