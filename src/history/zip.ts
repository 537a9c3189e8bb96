// The ZIP container (PKWARE APPNOTE 6.3), written forwards: sizes and CRCs of all entries are known before the first
// byte goes out, so headers are complete, nothing follows an entry, and the length of the archive is known.
// ZIP64 records are written where a number needs them and nowhere else. fflate's writer knows no ZIP64 and
// hashes what it is given, which is why this is not fflate.

export const Method = { stored: 0, deflate: 8 } as const;

export interface ZipEntry {
  /** ASCII. */
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly bytes: number;
  /** Length as it lies in the archive. */
  readonly packedBytes: number;
}

const SIGNATURE = {
  local: 0x04034b50,
  central: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
} as const;
export const END_BYTES = 22;
export const LOCATOR64_BYTES = 20;
const END64_BYTES = 56;
/** Numbers from here up stand in a ZIP64 field, and this one in their place (APPNOTE 4.4.1.4). */
const LIMIT_32 = 0xffffffff;
const LIMIT_16 = 0xffff;
const VERSION_DEFLATE = 20;
const VERSION_ZIP64 = 45;
const EXTRA_ZIP64 = 0x0001;
/** 1980-01-01 00:00, the first moment there is: the same content gives the same bytes. */
const DATE = 0x0021;

/** Little-endian fields in a row. */
class Fields {
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

/** What stands before an entry's data. */
export function localHeader(entry: ZipEntry): Buffer {
  const name = Buffer.from(entry.name, "latin1");
  const isLarge = entry.bytes >= LIMIT_32 || entry.packedBytes >= LIMIT_32;
  // A local header with ZIP64 names both sizes there (APPNOTE 4.5.3).
  const extra = isLarge ? zip64Extra([entry.bytes, entry.packedBytes]) : Buffer.alloc(0);
  return new Fields()
    .u32(SIGNATURE.local)
    .u16(isLarge ? VERSION_ZIP64 : VERSION_DEFLATE, 0, entry.method, 0, DATE)
    .u32(entry.crc, isLarge ? LIMIT_32 : entry.packedBytes, isLarge ? LIMIT_32 : entry.bytes)
    .u16(name.length, extra.length)
    .bytes(name)
    .bytes(extra)
    .done();
}

/** What stands behind the last entry: the directory of all, and where it lies. Entries follow each other from 0. */
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
  // Only the fields that are too large, in this order (APPNOTE 4.5.3).
  const large = [entry.bytes, entry.packedBytes, offset].filter((value) => value >= LIMIT_32);
  const extra = large.length > 0 ? zip64Extra(large) : Buffer.alloc(0);
  const version = large.length > 0 ? VERSION_ZIP64 : VERSION_DEFLATE;
  return new Fields()
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
  const fields = new Fields();
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
  return new Fields()
    .u16(EXTRA_ZIP64, values.length * 8)
    .u64(...values)
    .done();
}

/** Length of the whole archive. */
export function archiveBytes(entries: readonly ZipEntry[]): number {
  const packed = entries.reduce((sum, entry) => sum + localHeader(entry).length + entry.packedBytes, 0);
  return packed + centralDirectory(entries).length;
}
