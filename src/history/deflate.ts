// Raw deflate in pieces that can be joined (RFC 1951): each piece ends on a byte boundary and is not the last block,
// so pieces follow each other freely, and one empty last block closes the stream.
import { constants, deflateRawSync } from "node:zlib";

/** Length of text compressed at a time: pieces never look back further, which costs 0.2 % of size. */
export const PIECE_BYTES = 256 * 1024;
/**
 * Measured on exported rows: making the rows takes three times as long as compressing them, and level 6 is 7 % smaller
 * than level 3 on market data, 9 % on orders, at half its speed. A segment is made once and sent many times.
 */
const LEVEL = 6;
/** A stored block holds at most this much (RFC 1951, section 3.2.4). */
const STORED_BYTES_MAX = 65_535;

/** An empty last block with fixed codes. */
export const DEFLATE_END = new Uint8Array([0x03, 0x00]);

/** Compressed piece of a stream; nothing for nothing. */
export function deflatePiece(bytes: Uint8Array, level = LEVEL): Uint8Array {
  if (bytes.length === 0) return bytes;
  return deflateRawSync(bytes, { level, finishFlush: constants.Z_SYNC_FLUSH });
}

/** A piece that is stored as it is, for the few bytes of a header line. */
export function storedPiece(bytes: Uint8Array): Uint8Array {
  if (bytes.length > STORED_BYTES_MAX) throw new RangeError("a stored block holds at most 65,535 bytes");
  const piece = new Uint8Array(5 + bytes.length);
  const view = new DataView(piece.buffer);
  view.setUint16(1, bytes.length, true);
  view.setUint16(3, ~bytes.length & 0xffff, true);
  piece.set(bytes, 5);
  return piece;
}
