// Raw deflate in pieces that can be joined (RFC 1951): each piece ends on a byte boundary and is not the last block,
// so pieces follow each other freely, and one empty last block closes the stream.
import { constants, crc32, createInflateRaw, deflateRawSync, type InflateRaw } from "node:zlib";
import { NodeError } from "../errors/node-error.ts";
import type { EntryHashes, EntryHashing } from "./archive-check.ts";

/** Bytes of text in a piece. Pieces do not refer to earlier ones, which costs almost no size. */
export const PIECE_BYTES = 256 * 1024;
/**
 * A twelfth smaller than level 3 on exported rows. It takes twice as long, still a third of the time of making the rows, and a
 * segment is made once and sent many times.
 */
const LEVEL = 6;
/** A stored block holds at most this much (RFC 1951, section 3.2.4). */
const STORED_BYTES_MAX = 65_535;

/** An empty last block with fixed codes. */
export const DEFLATE_END = new Uint8Array([0x03, 0x00]);

/** A compressed piece of a stream; empty for empty input. */
export function deflatePiece(bytes: Uint8Array, level = LEVEL): Uint8Array {
  if (bytes.length === 0) return bytes;
  return deflateRawSync(bytes, { level, finishFlush: constants.Z_SYNC_FLUSH });
}

/** An uncompressed piece, for the few bytes of a header line. */
export function storedPiece(bytes: Uint8Array): Uint8Array {
  if (bytes.length > STORED_BYTES_MAX) throw new RangeError("a stored block holds at most 65,535 bytes");
  const piece = new Uint8Array(5 + bytes.length);
  const view = new DataView(piece.buffer);
  view.setUint16(1, bytes.length, true);
  view.setUint16(3, ~bytes.length & 0xffff, true);
  piece.set(bytes, 5);
  return piece;
}

// CRC-32 of joined pieces from the CRCs of the pieces (the polynomial and bit order of ZIP, APPNOTE 4.4.7).
// Appending n bytes multiplies a CRC, seen as a polynomial over GF(2), by x^(8n): so pieces that were hashed
// when they were made need not be read again.

/** x^32 + x^26 + x^23 + ... + 1, lowest power in the highest bit. */
const POLYNOMIAL = 0xedb88320;
/** The polynomial 1 in that bit order. */
const ONE = 0x80000000;

/** CRC-32 of A followed by B, from the CRC-32 of each and the length of B in bytes. */
export function crc32Combine(crcA: number, crcB: number, lengthB: number): number {
  if (!Number.isSafeInteger(lengthB) || lengthB < 0) throw new RangeError(`not a length: ${lengthB}`);
  return (multiply(bytesShift(lengthB), crcA) ^ crcB) >>> 0;
}

/** x^(8 * bytes): powers are squared along the bits of the length, which may pass 32 bits. */
function bytesShift(bytes: number): number {
  let result = ONE;
  let power = 0x00800000; // x^8
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiply(power, result);
    power = multiply(power, power);
  }
  return result;
}

/** a * b modulo the polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let term = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= term;
    term = (term & 1) !== 0 ? (term >>> 1) ^ POLYNOMIAL : term >>> 1;
  }
  return product >>> 0;
}

// Inflates an entry as a stream and hashes both forms: compressed, and as CSV.

/** Inflated bytes in a piece, at most. */
const OUTPUT_BYTES = 256 * 1024;

export class EntryHasher implements EntryHashing {
  private readonly inflate: InflateRaw = createInflateRaw({ chunkSize: OUTPUT_BYTES });
  private readonly whole = new Bun.CryptoHasher("sha256");
  private readonly packed = new Bun.CryptoHasher("sha256");
  private readonly ended = Promise.withResolvers<void>();
  private packedBytes = 0;
  private bytes = 0;
  private crc = 0;

  /** @param seen receives the CSV in pieces; the bytes are valid only during the call */
  constructor(seen?: (csv: Uint8Array) => void) {
    this.ended.promise.catch(() => {});
    this.inflate.on("data", (csv: Buffer) => {
      this.whole.update(csv);
      this.crc = crc32(csv, this.crc);
      this.bytes += csv.length;
      try {
        seen?.(csv);
      } catch (error) {
        this.ended.reject(error as Error);
        this.inflate.destroy();
      }
    });
    this.inflate.on("end", () => this.ended.resolve());
    this.inflate.on("error", (error) => this.ended.reject(streamFault(error)));
  }

  /** Adds the next bytes of the entry; the caller may reuse them once this settles. */
  async update(packed: Uint8Array): Promise<void> {
    this.packed.update(packed);
    this.packedBytes += packed.length;
    const written = new Promise<void>((resolve) => this.inflate.write(packed, () => resolve()));
    await Promise.race([written, this.ended.promise]);
  }

  /** @throws the failure of an earlier piece */
  async finish(): Promise<EntryHashes> {
    this.inflate.end();
    await this.ended.promise;
    // Bytes behind the last block are not part of the CSV: readers ignore them.
    const rest = this.packedBytes - this.inflate.bytesWritten;
    if (rest > 0) throw streamFault(new Error(`${rest} bytes follow its end`));
    const { bytes, crc } = this;
    return { sha256: this.whole.digest("hex"), packedSha256: this.packed.digest("hex"), bytes, crc };
  }
}

function streamFault(error: Error): Error {
  return new NodeError(
    "history.inflate",
    "deflate_invalid",
    `the compressed data is damaged: ${error.message}`,
  );
}
