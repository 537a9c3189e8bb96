// Inflates a gzip file, after its check sum is known to be right: a flipped bit can inflate to other values long
// before anything is noticed, so of a file that is damaged inside nothing is given. Of a file that only ends too early,
// or has something else behind its end, every byte before that place is given: a reader loads the whole blocks.
//
// A file of moderate size is inflated at once, in memory, on zlib's own thread. A larger one is gone through twice,
// first for the check sum. zlib throws away its output of the input in which
// it met the end, so that input is gone through again in smaller steps, down to single bytes.
import { readSync } from "node:fs";
import { createGunzip, gunzip } from "node:zlib";
import { reasonOf } from "../errors/node-error.ts";

/** Input steps, coarse to fine. The first bounds what a small file can blow up to at a time: 64 KiB make 64 MiB. */
const STEPS_BYTES = [64 * 1024, 512, 1] as const;
const OUTPUT_BYTES = 1024 * 1024;
/** Output waits in the stream until it is drained after each step. */
const READABLE_BYTES_MAX = 2 ** 30;

/** Inflated at once: files up to this size ... */
const WHOLE_FILE_BYTES_MAX = 16 * 1024 * 1024;
/** ... that inflate to no more than this. */
const WHOLE_BYTES_MAX = 64 * 1024 * 1024;
/** Length of the pieces of data that was inflated at once, so that not all of its blocks are in memory together. */
const PIECE_BYTES = 512 * 1024;
/** Length of the inflated data (mod 2^32), the last field of the last member (RFC 1952, section 2.3.1). */
const LENGTH_FIELD_BYTES = 4;
/** Errors of zlib about a member's header. Everything before it has passed its check sum. */
const HEADER_FAULT = /header|compression method|window size/;

/** Of a file that is cut off, all that inflates is given: its check sum is gone. */
const UNVERIFIED = ", before its check sum: what was read of it could not be verified";

/** The file cannot be inflated any further. */
export class InflateFault extends Error {
  override readonly name = "InflateFault";
}

/**
 * The inflated bytes of a gzip file, in order. Pieces may be empty: a caller gets its turn while the check sum is
 * verified.
 * @param file descriptor of the open file
 * @param size its length
 * @param onRead called with the number of bytes of the file that were read
 * @throws InflateFault behind the last good byte; before the first piece where anything inside the file is damaged
 */
export async function* inflate(
  file: number,
  size: number,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const whole = size <= WHOLE_FILE_BYTES_MAX ? await inflateAtOnce(readAt(file, 0, size)) : undefined;
  if (whole === undefined) {
    yield* verify(file);
    yield* inflateInSteps(file, onRead);
    return;
  }
  for (let at = 0; at < whole.length; at += PIECE_BYTES) {
    yield whole.subarray(at, at + PIECE_BYTES);
    onRead(Math.round((size * Math.min(whole.length, at + PIECE_BYTES)) / whole.length));
  }
}

/** All of a small sound file, inflated on zlib's own thread; undefined for any other. */
function inflateAtOnce(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length < LENGTH_FIELD_BYTES) return Promise.resolve(undefined);
  const tail = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - LENGTH_FIELD_BYTES);
  // With one byte more than there should be, zlib is done in one go.
  const expected = Math.min(tail.getUint32(0, true), WHOLE_BYTES_MAX) + 1;
  const options = { maxOutputLength: WHOLE_BYTES_MAX, chunkSize: Math.max(expected, STEPS_BYTES[0]) };
  const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>();
  // Too large or damaged: looked at again, in steps.
  gunzip(bytes, options, (error, whole) => resolve(error ? undefined : whole));
  return promise;
}

/** Goes through the file for its check sum. @throws InflateFault when something inside it is damaged */
async function* verify(file: number): AsyncGenerator<Uint8Array> {
  const pass = new Pass(file, () => {});
  const nothing = new Uint8Array(0);
  for await (const _piece of pass.pieces(0, STEPS_BYTES[0])) yield nothing;
  const { failure } = pass;
  if (!failure || isCutOff(failure) || HEADER_FAULT.test(reasonOf(failure))) return;
  throw new InflateFault(
    `${faultText(failure)}; any value in the file may be wrong, so nothing of it is loaded`,
    {
      cause: failure,
    },
  );
}

async function* inflateInSteps(file: number, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let from = 0;
  let given = 0;
  let failure: Error | undefined;
  for (const step of STEPS_BYTES) {
    const pass = new Pass(file, onRead);
    let produced = 0;
    for await (const piece of pass.pieces(from, step)) {
      const fresh = piece.subarray(Math.max(0, given - produced));
      produced += piece.length;
      if (fresh.length === 0) continue;
      given += fresh.length;
      yield fresh;
    }
    if (!pass.failure) return;
    from = pass.failedAt;
    failure = pass.failure;
  }
  throw new InflateFault(faultText(failure!), { cause: failure });
}

/** A pass through the file: in large steps up to a place, from there on in steps of a chosen size. */
class Pass {
  failure: Error | undefined;
  /** Offset in the file of the step that failed. */
  failedAt = 0;
  private readonly gunzip = createGunzip({
    chunkSize: OUTPUT_BYTES,
    readableHighWaterMark: READABLE_BYTES_MAX,
  } as object);
  private ready: Uint8Array[] = [];
  private hasEnded = false;
  /** Settles when nothing more will come: at the end of the data, or at damage. */
  private readonly over = Promise.withResolvers<void>();

  constructor(
    private readonly file: number,
    private readonly onRead: (bytes: number) => void,
  ) {
    this.gunzip.on("readable", () => this.collect());
    this.gunzip.once("end", () => {
      this.hasEnded = true;
      this.over.resolve();
    });
    this.gunzip.once("error", (error) => {
      this.failure = error;
      this.over.resolve();
    });
  }

  async *pieces(from: number, step: number): AsyncGenerator<Uint8Array> {
    let next = this.step(0, from, step);
    try {
      // While the caller works on what one step gave, zlib's own thread is at the next.
      for (;;) {
        const at = await next;
        const ready = this.drain();
        const isOver = this.failure !== undefined || this.hasEnded;
        if (!isOver) next = this.step(at, from, step);
        yield* ready;
        if (isOver) return;
        this.onRead(at);
      }
    } finally {
      this.over.resolve();
      await next.catch(() => {});
      this.gunzip.destroy();
    }
  }

  /** Gives zlib the input at a place; returns the place behind it. */
  private async step(at: number, from: number, step: number): Promise<number> {
    this.failedAt = at;
    // Read at once, so that zlib is at work before the caller is.
    const input = readAt(this.file, at, at < from ? Math.min(STEPS_BYTES[0], from - at) : step);
    if (input.length > 0) await this.write(input);
    // Zero bytes behind the data are padding: zlib ends there by itself.
    else if (!this.hasEnded) await this.finish();
    return at + input.length;
  }

  private async write(input: Uint8Array): Promise<void> {
    const written = Promise.withResolvers<void>();
    this.gunzip.write(input, () => written.resolve());
    await Promise.race([written.promise, this.over.promise]);
  }

  private async finish(): Promise<void> {
    this.gunzip.end();
    this.collect();
    await this.over.promise;
  }

  private collect(): void {
    for (let piece = this.gunzip.read(); piece !== null; piece = this.gunzip.read()) this.ready.push(piece);
  }

  private drain(): Uint8Array[] {
    this.collect();
    const pieces = this.ready;
    this.ready = [];
    return pieces;
  }
}

function readAt(file: number, at: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  return bytes.subarray(0, readSync(file, bytes, 0, size, at));
}

function isCutOff(error: Error): boolean {
  return (error as { code?: string }).code === "Z_BUF_ERROR";
}

function faultText(error: Error): string {
  const reason = reasonOf(error);
  if (isCutOff(error)) return `the compressed data ends too early${UNVERIFIED}`;
  if (/incorrect (data|length) check/.test(reason)) return "the check sum of the compressed data is wrong";
  if (reason === "incorrect header check") return "what stands here is not gzip data";
  return `the compressed data is damaged: ${reason}`;
}
