// Connections of pages to wallets (docs/protocol/50-wallet-service.md#22-two-kinds). A pair of hostname and wallet has
// one session at a time.
import { compare } from "../../wire/arithmetic.ts";
import type { RandomBytes } from "../random.ts";
import type { JsonFile } from "./json-file.ts";
import { tokenError } from "./rpc.ts";
import { isSameHash, newToken, tokenHash } from "./tokens.ts";

export interface Session {
  readonly hash: string;
  readonly hostname: string;
  readonly wallet: string;
  readonly createdAt: string;
  /** Whether it is to be there when the service is started again: the user's choice. */
  readonly isKept: boolean;
}

export interface SessionsDocument {
  readonly version: 1;
  readonly sessions: readonly Session[];
}

export const NO_SESSIONS: SessionsDocument = { version: 1, sessions: [] };
/** Sessions at once; the oldest ends for one more. */
const SESSIONS_MAX = 10_000;
/** Ended sessions whose clients are told that they have ended. */
const CLOSED_MAX = 10_000;

interface SessionsOptions {
  readonly random: RandomBytes;
  /** ISO 8601. */
  readonly now: () => string;
  /** Where the kept ones are; nowhere without. */
  readonly file?: JsonFile<SessionsDocument>;
}

export class Sessions {
  private readonly sessions = new Map<string, Session>();
  /** Hashes of sessions that the service ended by force. */
  private readonly closed = new Set<string>();
  private written = "";
  /** Hashes of sessions loaded from the file, until `applyRevocations`. */
  private loaded: readonly string[] = [];

  constructor(private readonly options: SessionsOptions) {}

  /** Brings back the kept ones. */
  async load(): Promise<void> {
    const document = await this.options.file?.read();
    for (const session of document?.sessions ?? []) this.sessions.set(session.hash, session);
    this.written = hashesOf(this.kept);
    this.loaded = [...this.sessions.keys()];
  }

  /** Ends what was revoked in the file since it was loaded: by somebody who found no service to ask, while this one began. */
  async applyRevocations(): Promise<void> {
    const document = await this.options.file?.read();
    if (document !== undefined) this.dropRevoked(document);
    this.loaded = [];
  }

  /** Sorted by hostname and wallet. */
  get all(): readonly Session[] {
    return [...this.sessions.values()].sort((a, b) =>
      a.hostname === b.hostname ? compare(a.wallet, b.wallet) : compare(a.hostname, b.hostname),
    );
  }

  /** A session for a hostname and a wallet; the one before it ends. @returns its token, which nobody keeps */
  async open(hostname: string, wallet: string, isKept: boolean): Promise<string> {
    for (const old of this.of({ hostname, wallet })) this.sessions.delete(old.hash);
    if (this.sessions.size >= SESSIONS_MAX) this.sessions.delete(this.sessions.keys().next().value!);
    const token = newToken(this.options.random);
    const hash = tokenHash(token);
    this.sessions.set(hash, { hash, hostname, wallet, createdAt: this.options.now(), isKept });
    try {
      await this.save();
    } catch (error) {
      // The token of this one is given to no page.
      this.sessions.delete(hash);
      throw error;
    }
    return token;
  }

  /** @returns undefined for a token without a session. @throws RpcError -32003 when it was closed */
  find(token: string): Session | undefined {
    const hash = tokenHash(token);
    const session = this.sessions.get(hash);
    if (session !== undefined && isSameHash(session.hash, hash)) return session;
    if (this.closed.has(hash)) throw connectionEnded();
    return undefined;
  }

  /** Whether its token is good at this moment. */
  isOpen({ hash }: Session): boolean {
    return this.sessions.has(hash);
  }

  /** Whether it was ended by force; one that its page ended, or replaced by a new one, was not. */
  isClosed({ hash }: Session): boolean {
    return this.closed.has(hash);
  }

  async close(session: Session): Promise<void> {
    this.sessions.delete(session.hash);
    await this.save();
  }

  /**
   * Ends all that match.
   * @param isForced whether their pages are told that the connection was closed
   */
  async endAll(which: Partial<Pick<Session, "hostname" | "wallet">>, isForced = false): Promise<number> {
    const ending = this.of(which);
    for (const { hash } of ending) {
      this.sessions.delete(hash);
      if (!isForced) continue;
      this.closed.add(hash);
      if (this.closed.size > CLOSED_MAX) this.closed.delete(this.closed.values().next().value!);
    }
    // Also with none: the last attempt to write may have failed.
    await this.save();
    return ending.length;
  }

  private of({ hostname, wallet }: Partial<Pick<Session, "hostname" | "wallet">>): Session[] {
    return [...this.sessions.values()].filter(
      (session) =>
        (hostname === undefined || session.hostname === hostname) &&
        (wallet === undefined || session.wallet === wallet),
    );
  }

  /** Writes the kept ones, if they are others than those that were written last. */
  private async save(): Promise<void> {
    const { file } = this.options;
    if (file === undefined || hashesOf(this.kept) === this.written) return;
    // The content when its turn comes, not when it was asked for.
    const { sessions } = await file.update((document) => {
      this.dropRevoked(document);
      return { version: 1, sessions: this.kept };
    });
    this.written = hashesOf(sessions);
  }

  private dropRevoked({ sessions }: SessionsDocument): void {
    const there = new Set(sessions.map(({ hash }) => hash));
    for (const hash of this.loaded) if (!there.has(hash)) this.sessions.delete(hash);
  }

  private get kept(): Session[] {
    return [...this.sessions.values()].filter(({ isKept }) => isKept);
  }
}

export function connectionEnded() {
  return tokenError("the connection has been closed");
}

function hashesOf(sessions: readonly Session[]): string {
  return sessions.map(({ hash }) => hash).join();
}

// The sessions that outlive the service, for as long as it does not run: then its file alone knows them.

export type WhichSessions = Pick<Session, "hostname"> & Partial<Pick<Session, "wallet">>;

export function isOf({ hostname, wallet }: WhichSessions) {
  return (session: Pick<Session, "hostname" | "wallet">): boolean =>
    session.hostname === hostname && (wallet === undefined || session.wallet === wallet);
}

/** Takes sessions out of the file, so that no service brings them back. @returns how many */
export async function revokeKept(file: JsonFile<SessionsDocument>, which: WhichSessions): Promise<number> {
  const isRevoked = isOf(which);
  // Without sessions there is no need of a file, nor of a lock.
  if (!(await file.read()).sessions.some(isRevoked)) return 0;
  let count = 0;
  await file.update(({ sessions }) => {
    const left = sessions.filter((session) => !isRevoked(session));
    count = sessions.length - left.length;
    return { version: 1, sessions: left };
  });
  return count;
}
