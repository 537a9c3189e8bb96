// An archive on disk, checked with the hash functions of the runtime.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { type ArchiveTools, checkArchive, type Verification } from "./archive-check.ts";
import { EntryHasher } from "./deflate.ts";
import { ArchiveFault, type ArchiveSource, endsEarly } from "./zip.ts";

/** With O_NONBLOCK, opening a pipe does not wait for its writer. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

const TOOLS: ArchiveTools = {
  newSha256() {
    const hash = new Bun.CryptoHasher("sha256");
    return { update: (bytes) => hash.update(bytes), hex: () => hash.digest("hex") };
  },
  crc32,
  newEntryHasher: (seen) => new EntryHasher(seen),
};

/** Checks a whole archive in bounded memory. @throws NodeError with exit code 4 that says where it fails */
export async function verifyArchive(path: string): Promise<Verification> {
  const file = await open(path, READ_FLAGS).catch((error) => {
    const message = `${path} cannot be opened: ${reasonOf(error)}`;
    throw new NodeError("history.verify", "archive_unreadable", message);
  });
  try {
    if (!(await file.stat()).isFile()) {
      throw new NodeError("history.verify", "archive_unreadable", `${path} is not a file`);
    }
    return await checkArchive(await sourceOf(file), TOOLS);
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error;
    throw new NodeError("history.verify", "verification_failed", `${path} is not sound: ${error.message}`);
  } finally {
    await file.close();
  }
}

/** The bytes of an open file. */
async function sourceOf(file: FileHandle): Promise<ArchiveSource> {
  const { size } = await file.stat();
  return {
    size,
    async read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, length));
      for (let done = 0; done < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, done, bytes.length - done, offset + done);
        if (bytesRead === 0) throw endsEarly();
        done += bytesRead;
      }
      return bytes;
    },
  };
}
