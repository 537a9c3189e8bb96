// The ZIP container (PKWARE APPNOTE 6.3), written sequentially: sizes and CRCs of all entries are known before the first byte,
// so headers are complete, entries have no data descriptor, and the length of the archive is known.
// ZIP64 records are written where a number needs them and nowhere else. fflate's writer knows no ZIP64 and hashes its input, while
// an export joins pieces that were hashed before; fflate reads what is written here (entry-stream.ts).
import type { FileHandle } from "node:fs/promises";
import { NodeError, reasonOf } from "../errors/node-error.ts";

export const Method = { stored: 0, deflate: 8 } as const;

export interface ZipEntry {
  /** ASCII. */
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly bytes: number;
  /** Compressed length. */
  readonly packedBytes: number;
}

const SIGNATURE = {
  local: 0x04034b50,
  central: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
} as const;
const END_BYTES = 22;
const LOCATOR64_BYTES = 20;
const END64_BYTES = 56;
/** Numbers from here up are in a ZIP64 field, and this number is in their place (APPNOTE 4.4.1.4). */
const LIMIT_32 = 0xffffffff;
const LIMIT_16 = 0xffff;
const VERSION_DEFLATE = 20;
const VERSION_ZIP64 = 45;
const EXTRA_ZIP64 = 0x0001;
/** 1980-01-01 00:00, the earliest date of the format: constant, so that the same content gives the same bytes. */
const DATE = 0x0021;

/** Concatenated little-endian fields. */
class LittleEndianFields {
  private readonly parts: Buffer[] = [];

  u16(...values: number[]): this {
    for (const value of values) {
      const field = Buffer.alloc(2);
      field.writeUInt16LE(value);
      this.parts.push(field);
    }
    return this;
  }

  u32(...values: number[]): this {
    for (const value of values) {
      const field = Buffer.alloc(4);
      field.writeUInt32LE(value);
      this.parts.push(field);
    }
    return this;
  }

  u64(...values: number[]): this {
    for (const value of values) {
      const field = Buffer.alloc(8);
      field.writeBigUInt64LE(BigInt(value));
      this.parts.push(field);
    }
    return this;
  }

  bytes(value: Uint8Array): this {
    this.parts.push(Buffer.from(value));
    return this;
  }

  done(): Buffer {
    return Buffer.concat(this.parts);
  }
}

/** Header before an entry's data. */
export function localHeader(entry: ZipEntry): Buffer {
  const name = Buffer.from(entry.name, "latin1");
  const isLarge = entry.bytes >= LIMIT_32 || entry.packedBytes >= LIMIT_32;
  // A ZIP64 local header has both sizes in the extra field (APPNOTE 4.5.3).
  const extra = isLarge ? zip64Extra([entry.bytes, entry.packedBytes]) : Buffer.alloc(0);
  return new LittleEndianFields()
    .u32(SIGNATURE.local)
    .u16(isLarge ? VERSION_ZIP64 : VERSION_DEFLATE, 0, entry.method, 0, DATE)
    .u32(entry.crc, isLarge ? LIMIT_32 : entry.packedBytes, isLarge ? LIMIT_32 : entry.bytes)
    .u16(name.length, extra.length)
    .bytes(name)
    .bytes(extra)
    .done();
}

/** End of an archive: the directory of all entries, and its offset. Entries are contiguous from offset 0. */
export function centralDirectory(entries: readonly ZipEntry[]): Buffer {
  const records: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    records.push(centralRecord(entry, offset));
    offset += localHeader(entry).length + entry.packedBytes;
  }
  const directory = Buffer.concat(records);
  return Buffer.concat([directory, directoryEnd(entries.length, directory.length, offset)]);
}

function centralRecord(entry: ZipEntry, offset: number): Buffer {
  const name = Buffer.from(entry.name, "latin1");
  // Only the fields that exceed 32 bits, in this order (APPNOTE 4.5.3).
  const large = [entry.bytes, entry.packedBytes, offset].filter((value) => value >= LIMIT_32);
  const extra = large.length > 0 ? zip64Extra(large) : Buffer.alloc(0);
  const version = large.length > 0 ? VERSION_ZIP64 : VERSION_DEFLATE;
  return new LittleEndianFields()
    .u32(SIGNATURE.central)
    .u16(version, version, 0, entry.method, 0, DATE)
    .u32(entry.crc, Math.min(entry.packedBytes, LIMIT_32), Math.min(entry.bytes, LIMIT_32))
    .u16(name.length, extra.length, 0, 0, 0)
    .u32(0, Math.min(offset, LIMIT_32))
    .bytes(name)
    .bytes(extra)
    .done();
}

function directoryEnd(entries: number, bytes: number, offset: number): Buffer {
  const fields = new LittleEndianFields();
  if (entries >= LIMIT_16 || bytes >= LIMIT_32 || offset >= LIMIT_32) {
    fields
      .u32(SIGNATURE.end64)
      .u64(END64_BYTES - 12)
      .u16(VERSION_ZIP64, VERSION_ZIP64)
      .u32(0, 0)
      .u64(entries, entries, bytes, offset)
      .u32(SIGNATURE.locator64, 0)
      .u64(offset + bytes)
      .u32(1);
  }
  const count = Math.min(entries, LIMIT_16);
  return fields
    .u32(SIGNATURE.end)
    .u16(0, 0, count, count)
    .u32(Math.min(bytes, LIMIT_32), Math.min(offset, LIMIT_32))
    .u16(0)
    .done();
}

function zip64Extra(values: readonly number[]): Buffer {
  return new LittleEndianFields()
    .u16(EXTRA_ZIP64, values.length * 8)
    .u64(...values)
    .done();
}

/** Length of the whole archive. */
export function archiveBytes(entries: readonly ZipEntry[]): number {
  const packed = entries.reduce((sum, entry) => sum + localHeader(entry).length + entry.packedBytes, 0);
  return packed + centralDirectory(entries).length;
}

// Reading, only of archives as written above: after the directory is parsed, every header is generated again and compared byte
// for byte, so that every byte of the container is checked.

const CENTRAL_BYTES = 46;
/** Characters of names (`fileName`); excludes control characters of terminals. */
const NAME = /^[A-Za-z0-9._-]+$/;
/** An archive of a year has at most some hundred entries. */
const DIRECTORY_BYTES_MAX = 16 * 1024 * 1024;

export interface ArchiveEntry extends ZipEntry {
  /** Offset of its data. */
  readonly offset: number;
}

/** @throws NodeError with exit code 4 */
export function verificationFailed(what: string, where = ""): NodeError {
  const message = where === "" ? what : `${where}: ${what}`;
  return new NodeError("history.verify", "verification_failed", message);
}

/** Entries of an archive, with all headers checked. @throws NodeError with exit code 4 */
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
  const notZip = () => verificationFailed("it is not a complete ZIP archive: the end is missing or damaged");
  if (size < END_BYTES) throw notZip();
  const end = await readAt(file, size - END_BYTES, END_BYTES);
  if (end.readUInt32LE(0) !== SIGNATURE.end) throw notZip();
  const place = { count: end.readUInt16LE(10), bytes: end.readUInt32LE(12), offset: end.readUInt32LE(16) };
  if (place.count < LIMIT_16 && place.bytes < LIMIT_32 && place.offset < LIMIT_32) return place;
  const end64At = size - END_BYTES - LOCATOR64_BYTES - END64_BYTES;
  if (end64At < 0) throw notZip();
  const end64 = await readAt(file, end64At, END64_BYTES + LOCATOR64_BYTES);
  if (end64.readUInt32LE(0) !== SIGNATURE.end64) throw notZip();
  if (end64.readUInt32LE(END64_BYTES) !== SIGNATURE.locator64) throw notZip();
  const number = (at: number) => Number(end64.readBigUInt64LE(at));
  return { count: number(32), bytes: number(40), offset: number(48) };
}

function parseDirectory(records: Buffer, count: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  try {
    while (at < records.length) {
      if (records.readUInt32LE(at) !== SIGNATURE.central) break;
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
      if (!NAME.test(name)) throw new RangeError("a name in it that no export has");
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

/** @throws NodeError with exit code 4 if the file is too short */
export async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.max(0, length));
  for (let done = 0; done < buffer.length; ) {
    const { bytesRead } = await file.read(buffer, done, buffer.length - done, offset + done);
    if (bytesRead === 0) throw verificationFailed("the archive ends too early");
    done += bytesRead;
  }
  return buffer;
}
