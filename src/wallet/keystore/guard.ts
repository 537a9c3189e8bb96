// The state that a folder and a file of secrets must have before they are touched: the user's own, closed to everybody else, and
// no way to somewhere else.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { codeOf, type NodeError, reasonOf } from "../../errors/node-error.ts";
import { walletDamaged, walletError } from "../errors.ts";
import { FILE_BYTES_MAX } from "../limits.ts";

/** Any permission of the group or of others. */
const OPEN_TO_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o002;
const WRITABLE_BY_GROUP = 0o020;
/** In such a folder nobody renames or removes what is another user's. */
const STICKY = 0o1000;
/** Without O_NONBLOCK, opening a pipe would wait for its writer. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Whether there is a folder fit for secrets. It may be reached by a link: what counts is the folder it leads to.
 * @throws NodeError when there is something that is not fit
 */
export function checkFolder(path: string): boolean {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw unusable(path, error);
  }
  if (!stats.isDirectory()) throw walletError("wallets_unusable", `${path} is not a folder`);
  checkOwnership(path, stats, "700");
  return true;
}

/**
 * Whether there is a folder in which only this user can have put a socket. Unlike a keystore's, it is reached by no link:
 * its path may be one that another user can foresee, and secrets go to the process that listens there.
 * @throws NodeError when there is something else
 */
export function checkSocketFolder(path: string): boolean {
  const parent = statsOf(statSync, dirname(path));
  const stats = statsOf(lstatSync, path);
  if (stats === undefined || parent === undefined) return false;
  if (stats.isSymbolicLink()) throw foreignSocket(path, "it is a link");
  if (!stats.isDirectory()) throw foreignSocket(path, "it is not a folder");
  checkOwnership(path, stats, "700");
  const user = process.getuid?.();
  if (user === undefined) return true;
  // A user's own group has often no other member.
  const writable = WRITABLE_BY_OTHERS | (parent.gid === process.getgid?.() ? 0 : WRITABLE_BY_GROUP);
  const isOthers = (parent.mode & writable) !== 0 && (parent.mode & STICKY) === 0;
  if (isOthers || ![user, 0].includes(parent.uid)) {
    throw foreignSocket(path, `others can replace it: ${dirname(path)} is theirs, or writable by others`);
  }
  return true;
}

/**
 * Whether there is a socket that only this user can have made: checked before speaking to it.
 * @throws NodeError when there is something else
 */
export function checkSocket(path: string): boolean {
  if (!checkSocketFolder(dirname(path))) return false;
  const stats = statsOf(lstatSync, path);
  if (stats === undefined) return false;
  if (!stats.isSocket()) throw foreignSocket(path, "it is not a socket");
  checkOwnership(path, stats, "600");
  return true;
}

function statsOf(read: (path: string) => Stats, path: string): Stats | undefined {
  try {
    return read(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw unusable(path, error);
  }
}

function foreignSocket(path: string, why: string): NodeError {
  return walletError("socket_unusable", `${path} cannot be used: ${why}`, "choose another --home");
}

/**
 * The bytes of a file; undefined when there is none.
 * @throws NodeError for a link, for anything but a file, and for files that are open to others, or another's
 */
export function readGuarded(path: string): Uint8Array | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, READ_FLAGS);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP" || code === "EMLINK") {
      throw walletError("wallet_is_link", `${path} is a link`, "put the wallet file itself into the folder");
    }
    throw unusable(path, error);
  }
  try {
    // The open file is checked, so that no other one can take its place in between.
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw walletError("wallets_unusable", `${path} is not a file`);
    checkOwnership(path, stats, "600");
    if (stats.size > FILE_BYTES_MAX) throw walletDamaged(`it has more than ${FILE_BYTES_MAX} bytes`);
    return readAll(descriptor, stats.size);
  } finally {
    closeSync(descriptor);
  }
}

/** Changes whenever a file is written or replaced; undefined without a file. */
export function stampOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return (
    stats &&
    `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.mode} ${stats.uid}`
  );
}

function readAll(descriptor: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let done = 0;
  while (done < size) {
    const count = readSync(descriptor, bytes, done, size - done, done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

function checkOwnership(path: string, { uid, mode }: Stats, safeMode: string): void {
  // Windows has neither: there the user's profile is closed to others by other means.
  const user = process.getuid?.();
  if (user === undefined) return;
  if (uid !== user) {
    throw walletError(
      "wallet_not_yours",
      `${path} belongs to another user`,
      "wallets are opened by their owner only",
    );
  }
  if ((mode & OPEN_TO_OTHERS) !== 0) {
    const shown = (mode & 0o777).toString(8);
    throw walletError(
      "wallet_open_to_others",
      `${path} can be used by others (mode ${shown})`,
      `close it: chmod ${safeMode} ${path}`,
    );
  }
}

export function unusable(path: string, error: unknown): NodeError {
  const message = `${path} cannot be read: ${codeOf(error) ?? reasonOf(error)}`;
  return walletError("wallets_unusable", message, "", { cause: error });
}
