// The steps that make up a write, one system call each: named here, so that a test can stop after any of them.
import { closeSync, fsyncSync, linkSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";

export interface FileSteps {
  /** Makes a file that nobody else can read; it must not be there yet. @returns its descriptor */
  create(path: string): number;
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

const FILE_MODE = 0o600;

export const realSteps: FileSteps = {
  create: (path) => openSync(path, "wx", FILE_MODE),
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
