// Files that exist whole or not at all. The bytes go to a hidden temporary file first, to the disk, and are read
// back; then the file gets its name in one step, and the folder goes to the disk. A killed process leaves such a
// temporary file. Nothing follows a link, and no other user reads a file, unless it is written for others.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf, NodeError, reasonOf } from "../errors/node-error.ts";

const FILE_MODE = 0o600;

/** The steps that make up a write, one system call each: named here, so that a test can stop after any of them. */
export interface FileSteps {
  /** Makes a file, for this user alone unless a mode says otherwise; it must not be there yet. @returns its descriptor */
  create(path: string, mode?: number): number;
  write(descriptor: number, bytes: Uint8Array): void;
  /** Waits until the bytes are on the disk. */
  sync(descriptor: number): void;
  close(descriptor: number): void;
  /** The second name takes the place of what had it. */
  rename(from: string, to: string): void;
  /** A second name for a file. @throws EEXIST when it is taken */
  link(from: string, to: string): void;
  remove(path: string): void;
  /** Waits until the names in a folder are on the disk. */
  syncFolder(path: string): void;
}

export const realSteps: FileSteps = {
  create: (path, mode = FILE_MODE) => openSync(path, "wx", mode),
  write(descriptor, bytes) {
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
  },
  sync: fsyncSync,
  close: closeSync,
  rename: renameSync,
  link: linkSync,
  remove: unlinkSync,
  syncFolder(path) {
    const descriptor = openSync(path, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  },
};

const TEMPORARY_SUFFIX = ".lyra-tmp";
/** File systems without second names for files: FAT, and some shared folders. */
const NO_LINKS: readonly (string | undefined)[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** An unforeseeable path beside a file that is to be written. */
export function temporaryIn(folder: string): string {
  return join(folder, `.${randomBytes(8).toString("hex")}${TEMPORARY_SUFFIX}`);
}

/** The bytes in a new file, on the disk, and read back. Takes it away again when that fails. */
export function writeTemporary(path: string, bytes: Uint8Array, steps: FileSteps, mode = FILE_MODE): void {
  let descriptor: number | undefined;
  try {
    descriptor = steps.create(path, mode);
    steps.write(descriptor, bytes);
    steps.sync(descriptor);
    steps.close(descriptor);
    descriptor = undefined;
    // It was made a moment ago, and is not a link: nothing about it need be looked at but its bytes.
    if (Buffer.compare(readFileSync(path), bytes) !== 0) {
      throw new Error("what was written reads back as something else");
    }
  } catch (error) {
    const opened = descriptor;
    if (opened !== undefined) quietly(() => steps.close(opened));
    quietly(() => steps.remove(path));
    throw error;
  }
}

/**
 * Gives a file a name that must be free. In between it has both, and never none; a process that was killed there is
 * followed by one that ends it.
 * @throws EEXIST
 */
export function moveToFree(from: string, to: string, steps: FileSteps): void {
  try {
    if (isOneEntry(from, to)) {
      steps.rename(from, to);
      return;
    }
    if (!isSameFile(from, to)) steps.link(from, to);
  } catch (error) {
    if (!NO_LINKS.includes(codeOf(error))) throw error;
    // Then the look before must do: all writers of Lyra wait for the lock.
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) {
      throw Object.assign(new Error(`${to} is there already`), { code: "EEXIST" });
    }
    steps.rename(from, to);
    return;
  }
  steps.remove(from);
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/**
 * Whether two names of a file are one entry of its folder: where the case of letters, or how accents are put together,
 * makes no difference. Taking one of them away would take the file away.
 */
function isOneEntry(from: string, to: string): boolean {
  if (!isSameFile(from, to)) return false;
  return statSync(from).nlink === 1 || !readdirSync(dirname(to)).includes(basename(to));
}

/** A file where there is none. @throws EEXIST */
export function writeNewFile(path: string, bytes: Uint8Array, steps: FileSteps = realSteps): void {
  writeWhole(path, bytes, steps, (temporary) => placeNew(temporary, path, steps));
}

/** Gives a new file its name, for good; of a name that the disk does not confirm nothing is left. */
export function placeNew(temporary: string, path: string, steps: FileSteps): void {
  moveToFree(temporary, path, steps);
  try {
    syncNames(dirname(path), steps);
  } catch (error) {
    try {
      steps.remove(path);
    } catch {
      throw unconfirmed(path, error);
    }
    throw error;
  }
}

/** A file, in the place of one that may be there. */
export function writeFileWhole(
  path: string,
  bytes: Uint8Array | string,
  steps: FileSteps = realSteps,
  mode?: number,
): void {
  const place = (temporary: string) => {
    steps.rename(temporary, path);
    confirm(path, steps);
  };
  writeWhole(path, typeof bytes === "string" ? Buffer.from(bytes, "utf8") : bytes, steps, place, mode);
}

/** Links of the system, such as `/dev/stdout`: they are meant to be followed. Any user may put one into `/dev/shm`. */
const SYSTEM_FOLDERS = /^\/(?:dev(?!\/shm\/)|proc)\//;

/**
 * A file that the user names, readable as the user's mask says. A link gives way to the file: another user may have put it
 * there, and the file that it names is not touched. Anything but a plain file (a pipe, `/dev/stdout`) is written to as it
 * stands.
 */
export function writeNamedFile(path: string, text: string): void {
  const isOfSystem = SYSTEM_FOLDERS.test(resolve(path));
  const existing = isOfSystem ? undefined : lstatSync(path, { throwIfNoEntry: false });
  const isPlain = existing === undefined || existing.isFile() || existing.isSymbolicLink();
  if (existing?.isFIFO()) writeToPipe(path, text);
  else if (isOfSystem || !isPlain) writeFileSync(path, text);
  else writeFileWhole(path, text, realSteps, 0o666);
}

/** A pipe is waited for no longer than this: nothing else happens meanwhile. */
const READER_LOOKS = 100;
const READER_LOOK_MS = 20;

/** @throws ENXIO for a pipe that nothing reads */
function writeToPipe(path: string, text: string): void {
  for (let looks = 1; ; looks++) {
    try {
      const descriptor = openSync(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0));
      try {
        writeFileSync(descriptor, text);
      } finally {
        closeSync(descriptor);
      }
      return;
    } catch (error) {
      if (codeOf(error) !== "ENXIO" || looks === READER_LOOKS) throw error;
      Bun.sleepSync(READER_LOOK_MS);
    }
  }
}

/** Flags of `open` for a file that is written where it stands: a link is not followed. */
export const UNLINKED = {
  write: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0),
  append: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0),
  update: constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0),
} as const;

/** Writes a file of this user's where it stands, in place of its content or behind it. @throws ELOOP for a link */
export function writeInPlace(path: string, text: string, how: "write" | "append"): void {
  const descriptor = openSync(path, UNLINKED[how], FILE_MODE);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** Folders of some file systems cannot be synced; what they hold is as safe as it can be there. */
const NO_FOLDER_SYNC: readonly (string | undefined)[] = ["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** Waits until the names in a folder are on the disk. */
export function syncNames(folder: string, steps: FileSteps): void {
  try {
    steps.syncFolder(folder);
  } catch (error) {
    if (!NO_FOLDER_SYNC.includes(codeOf(error))) throw error;
  }
}

/** The same behind a change that is made already. @throws NodeError that says so */
export function confirm(path: string, steps: FileSteps): void {
  try {
    syncNames(dirname(path), steps);
  } catch (error) {
    throw unconfirmed(path, error);
  }
}

function unconfirmed(path: string, error: unknown): Error {
  return new NodeError(
    "file.write",
    "change_unconfirmed",
    `${path}: the change is made, but the disk does not confirm it (${codeOf(error) ?? reasonOf(error)})`,
    "a power cut may take it back: look after the disk",
  );
}

function writeWhole(
  path: string,
  bytes: Uint8Array,
  steps: FileSteps,
  name: (temporary: string) => void,
  mode?: number,
): void {
  const temporary = temporaryIn(dirname(path));
  writeTemporary(temporary, bytes, steps, mode);
  try {
    name(temporary);
  } catch (error) {
    quietly(() => steps.remove(temporary));
    throw error;
  }
}

/** No wallet's name begins with a dot: one that ends like this is not taken for a leftover. */
const TEMPORARY_NAME = new RegExp(`^\\.[0-9a-f]{16}\\${TEMPORARY_SUFFIX}$`);

/** Removes the files of killed processes. Only under a lock: a file that another process is writing looks the same. */
export function removeLeftovers(folder: string, steps: FileSteps): void {
  for (const name of readdirSync(folder)) {
    if (TEMPORARY_NAME.test(name)) quietly(() => steps.remove(join(folder, name)));
  }
}

/** Longer than any write takes: the writer of such a file is gone. */
const OLD_MS = 60_000;

/** The same where others may be writing: only files of this user's that are named like ours, and old. */
export function removeOldLeftovers(folder: string, nowMs: number, steps: FileSteps): void {
  quietly(() => {
    for (const name of readdirSync(folder)) {
      if (!TEMPORARY_NAME.test(name)) continue;
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      const isOurs = stats?.isFile() === true && stats.uid === (process.getuid?.() ?? stats.uid);
      if (isOurs && nowMs - stats.mtimeMs > OLD_MS) quietly(() => steps.remove(path));
    }
  });
}

/** For cleaning up, which the next writer does again. */
export function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // The failure that matters is the one that led here.
  }
}
