// The file that holds the page: its scripts, styles and documents, each compressed, behind an index.
import { gunzipSync, gzipSync } from "node:zlib";

interface PackedFile {
  readonly name: string;
  readonly type: string;
  /** Its place behind the index. */
  readonly at: number;
  readonly packedBytes: number;
}

export interface PageFile {
  readonly type: string;
  /** gzip */
  readonly packed: Uint8Array<ArrayBuffer>;
  plain(): Uint8Array<ArrayBuffer>;
}

/** Bytes of the index, as four big-endian bytes at the beginning. */
const LENGTH_BYTES = 4;
const SMALLEST = 9;

export function packPage(
  files: readonly { readonly name: string; readonly type: string; readonly bytes: Uint8Array }[],
): Uint8Array {
  const packed = files.map(({ bytes }) => gzipSync(bytes, { level: SMALLEST }));
  let at = 0;
  const index = files.map(({ name, type }, n): PackedFile => {
    const packedBytes = packed[n]!.length;
    at += packedBytes;
    return { name, type, at: at - packedBytes, packedBytes };
  });
  const head = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, ...packed]);
}

export function unpackPage(pack: Uint8Array<ArrayBuffer>): ReadonlyMap<string, PageFile> {
  const length = new DataView(pack.buffer, pack.byteOffset).getUint32(0);
  const start = LENGTH_BYTES + length;
  const index = JSON.parse(Buffer.from(pack.subarray(LENGTH_BYTES, start)).toString()) as PackedFile[];
  return new Map(
    index.map(({ name, type, at, packedBytes }) => {
      const packed = pack.subarray(start + at, start + at + packedBytes);
      return [name, { type, packed, plain: () => gunzipSync(packed) as Uint8Array<ArrayBuffer> }];
    }),
  );
}
