/**
 * Cursors of streams: the height up to which a client has everything, and the beginning of that block's hash, by which a chain
 * that was taken back since is noticed: `812-9F3A0C5D1E2B7A64`. A height alone is a cursor whose hash is not compared.
 */
import { badRequest } from "../../../http/errors.ts";

/** Of the hash, hexadecimal. */
const HASH_DIGITS = 16;
const CURSOR = /^(\d{1,15})(?:-([0-9A-F]{16}))?$/;

export interface Cursor {
  readonly height: number;
  /** Its first digits, upper case; empty where it is not compared. */
  readonly hash: string;
}

const shortHash = (hash: string) => hash.slice(0, HASH_DIGITS).toUpperCase();

export function cursorText(height: number, hash: string): string {
  return hash === "" ? String(height) : `${height}-${shortHash(hash)}`;
}

/** @param name of the parameter @throws ApiError 400 */
export function parseCursor(text: string, name: string): Cursor {
  const [, height, hash = ""] = CURSOR.exec(text) ?? [];
  if (height !== undefined) return { height: Number(height), hash };
  const shown = JSON.stringify(text.slice(0, 100));
  throw badRequest(`parsing field "${name}": ${shown} is not a block height, or a cursor of a stream`);
}

/** Whether a block is that of a cursor. @param hash empty where it is not known */
export function isBlockOf(cursor: Cursor, hash: string): boolean {
  return cursor.hash === "" || hash === "" || cursor.hash === shortHash(hash);
}
