// Tokens: what a page shows instead of a passphrase (reference 50, section 2.1). They are kept as hashes, so that no
// file and no memory dump of the service holds one that works.
import { timingSafeEqual } from "node:crypto";
import type { RandomBytes } from "../random.ts";
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

/** The token in an `Authorization` header. @throws RpcError -32003, in the order of section 2.4 */
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
