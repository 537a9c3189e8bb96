/**
 * Answers of other programs: the only reader of them. None is trusted to be short or to end: each is read up to a number of
 * bytes, counted after inflation, and up to a moment. Bodies of errors too.
 */
import { Readable } from "node:stream";
import { createGunzip, createInflate } from "node:zlib";

/** An answer has more bytes than the reader takes. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";
  constructor(readonly bytesMax: number) {
    super(`the answer is too long: it has more than ${bytesMax} bytes`);
  }
}

interface AnswerRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>> | Headers;
  readonly body?: string;
  /** Path of a socket of this machine, in place of the address's host. */
  readonly unix?: string;
  /** Redirects are errors unless a caller says otherwise: the address was given by a person. */
  readonly redirect?: "error" | "follow" | "manual";
  readonly keepalive?: boolean;
  /** From the request to the last byte of the answer; `endless` for a stream, whose reader watches over it by `signal`. */
  readonly timeoutMs: number | "endless";
  readonly signal?: AbortSignal;
}

/** An answer whose body is read under a bound. */
export interface Answer {
  readonly status: number;
  readonly isOk: boolean;
  readonly headers: Headers;
  /** The whole body. @throws AnswerTooLong */
  text(bytesMax: number): Promise<string>;
  /** As much of the body as is taken, for the words of an error; empty where nothing can be read. */
  start(bytesMax: number): Promise<string>;
  /** The body in pieces, no more of them than the loop asks for. @throws AnswerTooLong */
  pieces(bytesMax: number): AsyncGenerator<Uint8Array>;
  /** Ends the request without reading. */
  discard(): Promise<void>;
}

/** @throws the runtime's error when there is no answer; `TimeoutError` when it comes too late */
export async function requestAnswer(url: string | URL, options: AnswerRequest): Promise<Answer> {
  const { timeoutMs, signal, redirect = "error", ...init } = options;
  const signals = [signal, timeoutMs === "endless" ? undefined : AbortSignal.timeout(timeoutMs)];
  const given = signals.filter((one) => one !== undefined);
  const [first] = given;
  const all = given.length > 1 ? AbortSignal.any(given) : first;
  const headers = new Headers(init.headers);
  // Identity is all that is asked for. The runtime would inflate a kilobyte to a megabyte before any byte is counted.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  const bare: FetchInit = { ...init, headers, redirect, decompress: false, ...(all && { signal: all }) };
  return answerOf(await fetch(url, bare));
}

/** With the runtime's own members. */
type FetchInit = RequestInit & { readonly decompress: boolean; readonly unix?: string };

function answerOf(response: Response): Answer {
  const body = () => inflated(response.body ?? NO_PIECES, response.headers.get("content-encoding"));
  return {
    status: response.status,
    isOk: response.ok,
    headers: response.headers,
    text: async (bytesMax) => (await wholeOf(body(), bytesMax)).toString("utf8"),
    start: (bytesMax) => startOf(body(), bytesMax),
    pieces: (bytesMax) => bounded(body(), bytesMax),
    discard: async () => response.body?.cancel().catch(() => {}),
  };
}

const NO_PIECES: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {},
};

/** An answer that is packed although nothing asked for it is inflated in small pieces, no more of them than are read. */
function inflated(pieces: AsyncIterable<Uint8Array>, encoding: string | null): AsyncIterable<Uint8Array> {
  if (encoding === null || encoding === "identity") return pieces;
  if (!/^(?:x-)?gzip$|^deflate$/.test(encoding))
    throw new Error(`the answer is packed as ${encoding.slice(0, 20)}`);
  const packed = Readable.from(pieces, { objectMode: false });
  const inflate = encoding === "deflate" ? createInflate() : createGunzip();
  packed.on("error", (error) => inflate.destroy(error));
  inflate.on("close", () => packed.destroy());
  return packed.pipe(inflate);
}

/** @throws AnswerTooLong */
async function* bounded(pieces: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new AnswerTooLong(bytesMax);
    yield piece;
  }
}

/** All of a body that comes in pieces. @throws AnswerTooLong */
export async function wholeOf(pieces: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const piece of bounded(pieces, bytesMax)) parts.push(piece);
  return Buffer.concat(parts);
}

async function startOf(pieces: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      const part = piece.subarray(0, bytesMax - bytes);
      parts.push(part);
      bytes += part.length;
      if (bytes >= bytesMax) break;
    }
  } catch {
    // The words that came have to do.
  }
  return Buffer.concat(parts).toString("utf8");
}
