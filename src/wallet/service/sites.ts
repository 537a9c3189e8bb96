// Sites: what one owner serves pages under. A page can have as many origins as it likes below one name, so what a person
// is asked about is bounded, and blocked, by site.
import { getDomain } from "tldts";
import type { JsonFile } from "./json-file.ts";

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
