// Long-living tokens for programs (reference 50, section 2.2): made on the command line, bound to one wallet, good
// from any hostname. The file holds their hashes; the original's holds them, and the wallets' passphrases, in clear.
import { walletError } from "../errors.ts";
import { type RandomBytes, secureRandom } from "../random.ts";
import type { JsonFile } from "./json-file.ts";
import { tokenError } from "./rpc.ts";
import { isSameHash, newToken, tokenHash } from "./tokens.ts";

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
  async add(wanted: NewToken, random: RandomBytes = secureRandom): Promise<{ token: string; id: string }> {
    const token = newToken(random);
    const hash = tokenHash(token);
    const id = hash.slice(0, ID_LENGTH);
    await this.file.update(({ tokens }) => ({ version: 1, tokens: [...tokens, { id, hash, ...wanted }] }));
    return { token, id };
  }

  /** @param which its id, or the token itself. @throws NodeError `token_unknown` */
  async remove(which: string): Promise<string> {
    const hash = tokenHash(which);
    let removed: string | undefined;
    await this.file.update(({ tokens }) => {
      const found = tokens.find((token) => token.id === which || token.hash === hash);
      removed = found?.id;
      return { version: 1, tokens: tokens.filter((token) => token !== found) };
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

  /** Ends those of a wallet that is gone: the next one of its name is another one. @returns how many */
  async removeOf(wallet: string): Promise<number> {
    const isOf = (token: ApiToken) => token.wallet === wallet;
    const count = (await this.list()).filter(isOf).length;
    if (count > 0) {
      await this.file.update(({ tokens }) => ({ version: 1, tokens: tokens.filter((one) => !isOf(one)) }));
    }
    return count;
  }

  /** @returns undefined for what is no such token. @throws RpcError -32003 for one whose time is over */
  async find(token: string, nowMs: number): Promise<ApiToken | undefined> {
    await this.reload();
    const hash = tokenHash(token);
    const found = this.tokens.get(hash);
    if (found === undefined || !isSameHash(found.hash, hash)) return undefined;
    // A time that cannot be read is over.
    if (found.expiresAt !== null && !(Date.parse(found.expiresAt) > nowMs)) {
      throw tokenError("the token has expired");
    }
    return found;
  }

  /** What another process changed counts from now on. */
  private async reload(): Promise<void> {
    const { stamp } = this.file;
    if (stamp === this.stamp) return;
    const { tokens } = await this.file.read();
    this.tokens = new Map(tokens.map((token) => [token.hash, token]));
    this.stamp = stamp;
  }
}
