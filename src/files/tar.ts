// Archives in the tar format of POSIX (ustar): plain files, one after the other, for programs that everybody has.
import { readSync } from "node:fs";

const BLOCK_BYTES = 512;
const MAGIC = "ustar\0" + "00";
/** Sizes from here on do not fit their field in octal, and are binary (the extension that all readers know). */
const OCTAL_MAX = 0o77777777777;

export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  /** Where the content begins. */
  readonly offset: number;
}

export class TarFault extends Error {
  override readonly name = "TarFault";
}

/** Before the content of a file. @param name up to 100 bytes of ASCII */
export function tarHeader(name: string, bytes: number): Uint8Array {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0, 100, "latin1");
  header.write("0000600\0", 100, "latin1");
  header.write("0000000\0", 108, "latin1");
  header.write("0000000\0", 116, "latin1");
  if (bytes <= OCTAL_MAX) header.write(`${bytes.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(bytes), 128);
  }
  header.write("00000000000\0", 136, "latin1");
  header.write("0", 156, "latin1");
  header.write(MAGIC, 257, "latin1");
  header.write(`${sumOf(header).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** Behind the content of a file. */
export function tarPadding(bytes: number): Uint8Array {
  return new Uint8Array((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES);
}

/** Behind the last file. */
export const TAR_END = new Uint8Array(2 * BLOCK_BYTES);

/** The entries of an archive, without their content. @throws TarFault for anything but whole plain files */
export function readTar(file: number, size: number, entriesMax: number): TarEntry[] {
  const entries: TarEntry[] = [];
  const header = Buffer.alloc(BLOCK_BYTES);
  for (let at = 0; ; ) {
    if (readSync(file, header, 0, BLOCK_BYTES, at) < BLOCK_BYTES) throw new TarFault("it is cut off");
    if (header.every((byte) => byte === 0)) return entries;
    const entry = { ...readHeader(header), offset: at + BLOCK_BYTES };
    if (entries.push(entry) > entriesMax) throw new TarFault("it holds too many files");
    at = entry.offset + entry.bytes + tarPadding(entry.bytes).length;
    if (at > size) throw new TarFault(`it ends inside ${entry.name}`);
  }
}

function readHeader(header: Buffer): { name: string; bytes: number } {
  const field = (start: number, length: number) =>
    header
      .toString("latin1", start, start + length)
      .replace(/\0.*$/s, "")
      .trim();
  if (field(257, 5) !== "ustar" || Number.parseInt(field(148, 8), 8) !== sumOf(header))
    throw new TarFault("the head of a file in it is damaged");
  const name = field(0, 100);
  if (field(345, 155) !== "" || !/^0?$/.test(field(156, 1)))
    throw new TarFault(`${name} is not a plain file`);
  const isBinary = header[124] === 0x80;
  const bytes = isBinary ? Number(header.readBigUInt64BE(128)) : Number.parseInt(field(124, 12) || "0", 8);
  if (!Number.isSafeInteger(bytes) || bytes < 0) throw new TarFault(`the length of ${name} is damaged`);
  return { name, bytes };
}

/** The sum of all bytes, its own field as blanks. */
function sumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 32 : byte), 0);
}
