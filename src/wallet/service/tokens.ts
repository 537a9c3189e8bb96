// Tokens: what a page shows instead of a passphrase (docs/protocol/50-wallet-service.md#21-format-and-transport). They
// are kept as hashes, so that no file and no memory dump of the service holds one that works.
import { timingSafeEqual } from "node:crypto";
import { walletError } from "../errors.ts";
import { type RandomBytes, secureRandom } from "../random.ts";
import type { JsonFile } from "./json-file.ts";
import { tokenError } from "./rpc.ts";

const TOKEN_LENGTH = 64;
const ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/** The largest multiple of the alphabet below 256: bytes from it on would favour its first letters. */
const FAIR_MAX = 256 - (256 % ALPHABET.length);
const SCHEME = "VWT";

/** 64 letters and digits: 381 bits that nobody can guess. */
export function newToken(random: RandomBytes): string {
  let token = "";
  while (token.length < TOKEN_LENGTH) {
    for (const byte of random(TOKEN_LENGTH)) {
      if (byte < FAIR_MAX && token.length < TOKEN_LENGTH) token += ALPHABET[byte % ALPHABET.length];
    }
  }
  return token;
}

/** Hexadecimal. A token has more entropy than the hash, so there is nothing to salt. */
export function tokenHash(token: string): string {
  return Bun.CryptoHasher.hash("sha256", token, "hex");
}

/** Compares hashes without telling by its time where they differ. */
export function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** The header that carries a token, both ways. */
export function authorization(token: string): string {
  return `${SCHEME} ${token}`;
}

/** The token in an `Authorization` header. @throws RpcError -32003, in the order of docs/protocol/50-wallet-service.md#24-401-bodies */
export function tokenIn(header: string | null): string {
  if (!header) throw tokenError("the Authorization header is required");
  if (header === SCHEME) throw tokenError("the Authorization value is not a valid VWT");
  if (!header.startsWith(`${SCHEME} `)) {
    throw tokenError("the Authorization header only support the VWT scheme");
  }
  const token = header.slice(SCHEME.length + 1).trim();
  if (token === "") throw tokenError("the Authorization value is not a valid VWT");
  if (token.length !== TOKEN_LENGTH) throw tokenError("the token has not a valid format");
  return token;
}

// Long-living tokens for programs (docs/protocol/50-wallet-service.md#22-two-kinds): made on the command line, bound to
// one wallet, good from any hostname. The file holds their hashes; the original's holds them, and the wallets'
// passphrases, in clear.

export interface ApiToken {
  /** The first eight digits of the hash: how people and policies name it. */
  readonly id: string;
  readonly hash: string;
  readonly wallet: string;
  readonly description: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

interface TokensDocument {
  readonly version: 1;
  readonly tokens: readonly ApiToken[];
}

export const NO_TOKENS: TokensDocument = { version: 1, tokens: [] };
const ID_LENGTH = 8;

interface NewToken {
  readonly wallet: string;
  readonly description: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

export class ApiTokens {
  private tokens: ReadonlyMap<string, ApiToken> = new Map();
  private stamp: string | undefined;

  constructor(private readonly file: JsonFile<TokensDocument>) {}

  async list(): Promise<readonly ApiToken[]> {
    return (await this.file.read()).tokens;
  }

  /** @returns the token itself: the only time that it is known */
  async add(details: NewToken, random: RandomBytes = secureRandom): Promise<{ token: string; id: string }> {
    const token = newToken(random);
    const hash = tokenHash(token);
    const id = hash.slice(0, ID_LENGTH);
    await this.file.update(({ tokens }) => ({ version: 1, tokens: [...tokens, { id, hash, ...details }] }));
    return { token, id };
  }

  /** @param which its id, or the token itself. @throws NodeError `token_unknown` */
  async remove(which: string): Promise<string> {
    const hash = tokenHash(which);
    let removed: string | undefined;
    await this.file.update(({ tokens }) => {
      const match = tokens.find((token) => token.id === which || token.hash === hash);
      removed = match?.id;
      return { version: 1, tokens: tokens.filter((token) => token !== match) };
    });
    if (removed === undefined) {
      throw walletError(
        "token_unknown",
        "there is no such token",
        "see which there are: lyra wallet token list",
      );
    }
    return removed;
  }

  /** Ends those of a removed wallet: the next wallet of its name is a different one. @returns how many */
  async removeOf(wallet: string): Promise<number> {
    const isOf = (token: ApiToken) => token.wallet === wallet;
    const count = (await this.list()).filter(isOf).length;
    if (count > 0) {
      await this.file.update(({ tokens }) => ({ version: 1, tokens: tokens.filter((one) => !isOf(one)) }));
    }
    return count;
  }

  /** @returns undefined for any other text. @throws RpcError -32003 for one whose time has passed */
  async find(token: string, nowMs: number): Promise<ApiToken | undefined> {
    await this.reload();
    const hash = tokenHash(token);
    const entry = this.tokens.get(hash);
    if (entry === undefined || !isSameHash(entry.hash, hash)) return undefined;
    // A time that cannot be read counts as expired.
    if (entry.expiresAt !== null && !(Date.parse(entry.expiresAt) > nowMs)) {
      throw tokenError("the token has expired");
    }
    return entry;
  }

  /** Reads the changes of other processes. */
  private async reload(): Promise<void> {
    const { stamp } = this.file;
    if (stamp === this.stamp) return;
    const { tokens } = await this.file.read();
    this.tokens = new Map(tokens.map((token) => [token.hash, token]));
    this.stamp = stamp;
  }
}
