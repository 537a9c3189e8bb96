// Access to the wallet's page: a link that works once opens a session, which belongs to the browser that opened it. A session
// has two secrets: a cookie, which the browser sends to every port of this host, and a second one that only the page's own
// origin can read. Neither is good without the other.
import type { RandomBytes } from "../random.ts";
import { isSameHash, newToken, tokenHash } from "../service/tokens.ts";

interface PageAccessOptions {
  readonly random: RandomBytes;
  /** A clock that only goes forward, milliseconds. */
  readonly nowMs: () => number;
}

interface PageSecrets {
  readonly cookie: string;
  readonly secret: string;
}

/** Claims of a request. */
interface PageClaims {
  readonly cookie: string | undefined;
  readonly secret: string | undefined;
  /** The browser by its own word. */
  readonly browser: string;
}

interface PageSession {
  readonly cookieHash: string;
  readonly secretHash: string;
  readonly browser: string;
  readonly openedMs: number;
  usedMs: number;
}

/** A link waits so long for its browser. */
const LINK_MS = 10 * 60_000;
/** A session ends after so long without a request, and after so long altogether. */
const IDLE_MS = 30 * 60_000;
const SESSION_MS = 12 * 60 * 60_000;

export class PageAccess {
  private link: { readonly hash: string; readonly madeMs: number } | undefined;
  private session: PageSession | undefined;

  constructor(private readonly options: PageAccessOptions) {}

  /** A new link's token, once. The link before it ends. */
  newLink(): string {
    const token = newToken(this.options.random);
    this.link = { hash: tokenHash(token), madeMs: this.options.nowMs() };
    return token;
  }

  /** Opens a session, and ends the one before it. @returns undefined for a link that is wrong, used or too old */
  open(token: string, browser: string): PageSecrets | undefined {
    const nowMs = this.options.nowMs();
    const { link } = this;
    if (link === undefined || !isSameHash(link.hash, tokenHash(token))) return undefined;
    this.link = undefined;
    if (nowMs - link.madeMs > LINK_MS) return undefined;
    const [cookie, secret] = [newToken(this.options.random), newToken(this.options.random)];
    const hashes = { cookieHash: tokenHash(cookie), secretHash: tokenHash(secret) };
    this.session = { ...hashes, browser, openedMs: nowMs, usedMs: nowMs };
    return { cookie, secret };
  }

  /** Whether a request belongs to the session. @param isUse a person did something; looking alone lets a session end */
  check({ cookie, secret, browser }: PageClaims, isUse: boolean): boolean {
    const { session } = this;
    if (session === undefined) return false;
    const nowMs = this.options.nowMs();
    if (nowMs - session.usedMs > IDLE_MS || nowMs - session.openedMs > SESSION_MS) {
      this.session = undefined;
      return false;
    }
    const isOwn =
      isSameHash(session.cookieHash, tokenHash(cookie ?? "")) &&
      isSameHash(session.secretHash, tokenHash(secret ?? "")) &&
      session.browser === browser;
    if (isOwn && isUse) session.usedMs = nowMs;
    return isOwn;
  }

  end(): void {
    this.session = undefined;
  }
}
