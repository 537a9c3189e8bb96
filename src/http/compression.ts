// Answers for clients that ask for compressed ones (RFC 9110, section 12.5.3). Only gzip: every client has it, and its
// fastest level makes JSON of this kind a sixth, in a microsecond for each kilobyte.
import { gzip } from "node:zlib";

/** A smaller answer fits into a few packets uncompressed. */
export const COMPRESSED_BYTES_MIN = 4 * 1024;
/** A larger answer is compressed on another thread, so that it does not delay other requests by a millisecond. */
const AT_ONCE_BYTES_MAX = 256 * 1024;
const FASTEST = 1;
const SMALLEST = 9;

type Body = string | Uint8Array<ArrayBuffer>;
interface AnswerHead {
  readonly status?: number;
  readonly headers: Record<string, string>;
}

const RANGE = /^\s*(gzip|x-gzip|\*)\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?$/i;

/** Whether an `Accept-Encoding` asks for gzip: by name, or by `*` unless `gzip;q=0`. */
export function acceptsGzip(header: string | null): boolean {
  if (header === null) return false;
  let star = false;
  for (const range of header.split(",")) {
    const match = RANGE.exec(range);
    if (match === null) continue;
    const isWanted = Number(match[2] ?? 1) > 0;
    if (match[1] !== "*") return isWanted;
    star = isWanted;
  }
  return star;
}

/** Whether an answer of this length is compressed for this request. */
export function isCompressedFor(request: Request, length: number): boolean {
  return length >= COMPRESSED_BYTES_MIN && acceptsGzip(request.headers.get("accept-encoding"));
}

/** The response, compressed if the request accepts it. @param head `Vary` must cover both forms */
export function encodedResponse(
  body: Body,
  head: AnswerHead,
  request: Request,
): Response | Promise<Response> {
  if (!isCompressedFor(request, body.length)) return new Response(body, head);
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  const packed = compressed(bytes);
  return packed instanceof Uint8Array
    ? packedResponse(packed, head)
    : packed.then((ready) => packedResponse(ready, head));
}

/** @param head with `Vary` as it is for both forms */
export function packedResponse(packed: Uint8Array<ArrayBuffer>, head: AnswerHead): Response {
  return new Response(packed, { ...head, headers: { ...head.headers, "content-encoding": "gzip" } });
}

function compressed(
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
  return bytes.length <= AT_ONCE_BYTES_MAX ? compressedNow(bytes) : compressedElsewhere(bytes, FASTEST);
}

export function compressedNow(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(bytes, { level: FASTEST, library: "libdeflate" });
}

/** At the best compression level: for assets that are compressed once a process. */
export function compressedOnce(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return compressedElsewhere(bytes, SMALLEST);
}

function compressedElsewhere(
  bytes: Uint8Array<ArrayBuffer>,
  level: number,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    gzip(bytes, { level }, (error, packed) =>
      error ? reject(error) : resolve(packed as Uint8Array<ArrayBuffer>),
    );
  });
}
