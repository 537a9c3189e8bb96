// The ZIP container (PKWARE APPNOTE 6.3), written sequentially: sizes and CRCs of all entries are known before the first byte,
// so headers are complete, entries have no data descriptor, and the length of the archive is known.
// ZIP64 records are written where a number needs them and nowhere else. fflate's writer knows no ZIP64 and hashes its input, while
// an export joins pieces that were hashed before; fflate reads what is written here (entry-stream.ts). Runs in a browser too.

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
  private readonly all: number[] = [];

  u16(...values: number[]): this {
    for (const value of values) this.all.push(value & 0xff, (value >>> 8) & 0xff);
    return this;
  }

  u32(...values: number[]): this {
    for (const value of values) this.u16(value & 0xffff, value >>> 16);
    return this;
  }

  u64(...values: number[]): this {
    for (const value of values) this.u32(value % 2 ** 32, Math.floor(value / 2 ** 32));
    return this;
  }

  bytes(value: Uint8Array): this {
    for (const byte of value) this.all.push(byte);
    return this;
  }

  done(): Uint8Array {
    return Uint8Array.from(this.all);
  }
}

/** A character a byte: names are ASCII. */
const nameBytes = (name: string) => Uint8Array.from(name, (character) => character.charCodeAt(0));
const NOTHING = new Uint8Array(0);

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Header before an entry's data. */
export function localHeader(entry: ZipEntry): Uint8Array {
  const name = nameBytes(entry.name);
  const isLarge = entry.bytes >= LIMIT_32 || entry.packedBytes >= LIMIT_32;
  // A ZIP64 local header has both sizes in the extra field (APPNOTE 4.5.3).
  const extra = isLarge ? zip64Extra([entry.bytes, entry.packedBytes]) : NOTHING;
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
export function centralDirectory(entries: readonly ZipEntry[]): Uint8Array {
  const records: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    records.push(centralRecord(entry, offset));
    offset += localHeader(entry).length + entry.packedBytes;
  }
  const directory = joined(records);
  return joined([directory, directoryEnd(entries.length, directory.length, offset)]);
}

function centralRecord(entry: ZipEntry, offset: number): Uint8Array {
  const name = nameBytes(entry.name);
  // Only the fields that exceed 32 bits, in this order (APPNOTE 4.5.3).
  const large = [entry.bytes, entry.packedBytes, offset].filter((value) => value >= LIMIT_32);
  const extra = large.length > 0 ? zip64Extra(large) : NOTHING;
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

function directoryEnd(entries: number, bytes: number, offset: number): Uint8Array {
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

function zip64Extra(values: readonly number[]): Uint8Array {
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

/** Of the records behind the directory. */
const ENDS_BYTES_MAX = END64_BYTES + LOCATOR64_BYTES + END_BYTES;

export interface ArchiveEntry extends ZipEntry {
  /** Offset of its data. */
  readonly offset: number;
}

/** The bytes of an archive, wherever it lies. */
export interface ArchiveSource {
  readonly size: number;
  /** @throws ArchiveFault where it ends before `offset + length` */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** An archive is not sound. */
export class ArchiveFault extends Error {
  override readonly name = "ArchiveFault";

  /** @param where the part of the archive; empty for the whole */
  constructor(what: string, where = "") {
    super(where === "" ? what : `${where}: ${what}`);
  }
}

export const endsEarly = () => new ArchiveFault("the archive ends too early");

/** Entries of an archive, with all headers checked. @throws ArchiveFault */
export async function readDirectory(source: ArchiveSource): Promise<ArchiveEntry[]> {
  const { size } = source;
  const { offset, bytes, count } = await findDirectory(source);
  const ends = size - offset - bytes;
  if (bytes > DIRECTORY_BYTES_MAX || ends < 0 || ends > ENDS_BYTES_MAX)
    throw new ArchiveFault("its directory is damaged");
  const entries = parseDirectory(await source.read(offset, bytes), count);
  const tail = await source.read(offset, size - offset);
  if (!isSame(centralDirectory(entries), tail)) {
    throw new ArchiveFault("its directory is damaged, or another program wrote it");
  }
  let position = 0;
  const placed: ArchiveEntry[] = [];
  for (const entry of entries) {
    const header = localHeader(entry);
    const stored = await source.read(position, header.length);
    if (!isSame(header, stored))
      throw new ArchiveFault("its header is not what the directory says", entry.name);
    placed.push({ ...entry, offset: position + header.length });
    position += header.length + entry.packedBytes;
  }
  if (position !== offset) throw new ArchiveFault("there are bytes between the last entry and the directory");
  return placed;
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength);

async function findDirectory(
  source: ArchiveSource,
): Promise<{ offset: number; bytes: number; count: number }> {
  const { size } = source;
  const notZip = () => new ArchiveFault("it is not a complete ZIP archive: the end is missing or damaged");
  if (size < END_BYTES) throw notZip();
  const end = viewOf(await source.read(size - END_BYTES, END_BYTES));
  if (end.getUint32(0, true) !== SIGNATURE.end) throw notZip();
  const place = {
    count: end.getUint16(10, true),
    bytes: end.getUint32(12, true),
    offset: end.getUint32(16, true),
  };
  if (place.count < LIMIT_16 && place.bytes < LIMIT_32 && place.offset < LIMIT_32) return place;
  const end64At = size - END_BYTES - LOCATOR64_BYTES - END64_BYTES;
  if (end64At < 0) throw notZip();
  const end64 = viewOf(await source.read(end64At, END64_BYTES + LOCATOR64_BYTES));
  if (end64.getUint32(0, true) !== SIGNATURE.end64) throw notZip();
  if (end64.getUint32(END64_BYTES, true) !== SIGNATURE.locator64) throw notZip();
  const number = (at: number) => Number(end64.getBigUint64(at, true));
  return { count: number(32), bytes: number(40), offset: number(48) };
}

function parseDirectory(records: Uint8Array, count: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  const view = viewOf(records);
  let at = 0;
  try {
    while (at < records.length) {
      if (view.getUint32(at, true) !== SIGNATURE.central) break;
      const nameLength = view.getUint16(at + 28, true);
      const extraLength = view.getUint16(at + 30, true);
      const extra = at + CENTRAL_BYTES + nameLength + 4;
      let large = extra;
      const size = (field: number) => {
        const value = view.getUint32(at + field, true);
        if (value !== LIMIT_32) return value;
        large += 8;
        const length = Number(view.getBigUint64(large - 8, true));
        if (!Number.isSafeInteger(length)) throw new RangeError("a file in it would be larger than any disk");
        return length;
      };
      const bytes = size(24);
      const name = String.fromCharCode(
        ...records.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength),
      );
      if (!NAME.test(name)) throw new RangeError("a name in it that no export has");
      entries.push({
        name,
        method: view.getUint16(at + 10, true),
        crc: view.getUint32(at + 16, true),
        bytes,
        packedBytes: size(20),
      });
      at += CENTRAL_BYTES + nameLength + extraLength;
    }
  } catch (error) {
    throw new ArchiveFault(`its directory is damaged (${(error as Error).message})`);
  }
  if (entries.length !== count) throw new ArchiveFault("its directory does not hold the entries it counts");
  return entries;
}
