// Reads archives as zip.ts writes them, and nothing else: after the directory is parsed, every header is written
// again and compared byte for byte, so that no byte of the container goes unchecked.
import type { FileHandle } from "node:fs/promises";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { centralDirectory, END_BYTES, LOCATOR64_BYTES, localHeader, type ZipEntry } from "./zip.ts";

const END_SIGNATURE = 0x06054b50;
const LOCATOR64_SIGNATURE = 0x07064b50;
const END64_SIGNATURE = 0x06064b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_BYTES = 46;
const END64_BYTES = 56;
const LIMIT_32 = 0xffffffff;
const LIMIT_16 = 0xffff;
/** What names are made of (`fileName`). Any other could also say something else to a terminal. */
const NAME = /^[A-Za-z0-9._-]+$/;
/** An archive of a year has some hundred entries at most. */
const DIRECTORY_BYTES_MAX = 16 * 1024 * 1024;

export interface ArchiveEntry extends ZipEntry {
  /** Where its data begins. */
  readonly offset: number;
}

/** @throws NodeError with exit code 4 */
export function verificationFailed(what: string, where = ""): NodeError {
  const message = where === "" ? what : `${where}: ${what}`;
  return new NodeError("history.verify", "verification_failed", message);
}

/** Entries of an archive, all headers checked. @throws NodeError with exit code 4 */
export async function readDirectory(file: FileHandle): Promise<ArchiveEntry[]> {
  const { size } = await file.stat();
  const { offset, bytes, count } = await findDirectory(file, size);
  if (bytes > DIRECTORY_BYTES_MAX || offset + bytes > size)
    throw verificationFailed("its directory is damaged");
  const entries = parseDirectory(await readAt(file, offset, bytes), count);
  const tail = await readAt(file, offset, size - offset);
  if (!centralDirectory(entries).equals(tail)) {
    throw verificationFailed("its directory is damaged, or another program wrote it");
  }
  let position = 0;
  const placed: ArchiveEntry[] = [];
  for (const entry of entries) {
    const header = localHeader(entry);
    const stored = await readAt(file, position, header.length);
    if (!header.equals(stored))
      throw verificationFailed("its header is not what the directory says", entry.name);
    placed.push({ ...entry, offset: position + header.length });
    position += header.length + entry.packedBytes;
  }
  if (position !== offset)
    throw verificationFailed("there are bytes between the last entry and the directory");
  return placed;
}

async function findDirectory(
  file: FileHandle,
  size: number,
): Promise<{ offset: number; bytes: number; count: number }> {
  const notZip = () => verificationFailed("it is no complete ZIP archive: the end is missing or damaged");
  if (size < END_BYTES) throw notZip();
  const end = await readAt(file, size - END_BYTES, END_BYTES);
  if (end.readUInt32LE(0) !== END_SIGNATURE) throw notZip();
  const found = { count: end.readUInt16LE(10), bytes: end.readUInt32LE(12), offset: end.readUInt32LE(16) };
  if (found.count < LIMIT_16 && found.bytes < LIMIT_32 && found.offset < LIMIT_32) return found;
  const end64At = size - END_BYTES - LOCATOR64_BYTES - END64_BYTES;
  if (end64At < 0) throw notZip();
  const end64 = await readAt(file, end64At, END64_BYTES + LOCATOR64_BYTES);
  if (end64.readUInt32LE(0) !== END64_SIGNATURE) throw notZip();
  if (end64.readUInt32LE(END64_BYTES) !== LOCATOR64_SIGNATURE) throw notZip();
  const number = (at: number) => Number(end64.readBigUInt64LE(at));
  return { count: number(32), bytes: number(40), offset: number(48) };
}

function parseDirectory(records: Buffer, count: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  try {
    while (at < records.length) {
      if (records.readUInt32LE(at) !== CENTRAL_SIGNATURE) break;
      const nameBytes = records.readUInt16LE(at + 28);
      const extraBytes = records.readUInt16LE(at + 30);
      const extra = at + CENTRAL_BYTES + nameBytes + 4;
      let large = extra;
      const size = (field: number) => {
        const value = records.readUInt32LE(at + field);
        if (value !== LIMIT_32) return value;
        large += 8;
        const length = Number(records.readBigUInt64LE(large - 8));
        if (!Number.isSafeInteger(length)) throw new RangeError("a file in it would be larger than any disk");
        return length;
      };
      const bytes = size(24);
      const name = records.toString("latin1", at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes);
      if (!NAME.test(name)) throw new RangeError("a name in it is none that an export has");
      entries.push({
        name,
        method: records.readUInt16LE(at + 10),
        crc: records.readUInt32LE(at + 16),
        bytes,
        packedBytes: size(20),
      });
      at += CENTRAL_BYTES + nameBytes + extraBytes;
    }
  } catch (error) {
    throw verificationFailed(`its directory is damaged (${reasonOf(error)})`);
  }
  if (entries.length !== count) throw verificationFailed("its directory does not hold the entries it counts");
  return entries;
}

/** @throws NodeError with exit code 4 when the file ends before */
export async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.max(0, length));
  for (let done = 0; done < buffer.length; ) {
    const { bytesRead } = await file.read(buffer, done, buffer.length - done, offset + done);
    if (bytesRead === 0) throw verificationFailed("the archive ends too early");
    done += bytesRead;
  }
  return buffer;
}
