// Inflates a gzip file, after its check sum is known to be right: a flipped bit can inflate to other values long
// before anything is noticed, so of a file that is damaged inside nothing is given. Of a file that only ends too early,
// or has something else behind its end, every byte before that place is given: a reader loads what is whole. Who can
// take back what he made of it gets the beginning earlier, and is told when the check sum is known to be right.
//
// A file of moderate size is inflated at once, in memory, on zlib's own thread. A larger one is gone through twice,
// first for the check sum (a tenth of the time it takes to load). zlib throws away what it made of the input in which
// it met the end, so that input is gone through again in smaller steps, down to single bytes.
import { readSync } from "node:fs";
import { constants, createGunzip, gunzip, gunzipSync } from "node:zlib";
import { reasonOf } from "../errors.ts";

/** Input steps, coarse to fine. The first bounds what a small file can blow up to at a time: 64 KiB make 64 MiB. */
const STEPS_BYTES = [64 * 1024, 512, 1] as const;
const OUTPUT_BYTES = 1024 * 1024;
/** Output waits in the stream until it is taken after each step. */
const READABLE_BYTES_MAX = 2 ** 30;

/** Inflated at once: files up to this size ... */
const WHOLE_FILE_BYTES_MAX = 16 * 1024 * 1024;
/** ... that inflate to no more than this. */
const WHOLE_BYTES_MAX = 64 * 1024 * 1024;
/** What is inflated at once is given in pieces, so that not all of its blocks are in memory together. */
const PIECE_BYTES = 512 * 1024;
/** The part of such a file that is inflated by the caller itself, while zlib's own thread is at the whole ... */
const BEGINNING_FILE_BYTES = 192 * 1024;
/** ... unless it makes more than this. */
const BEGINNING_BYTES_MAX = 4 * 1024 * 1024;
/** Room made at a time: it mostly makes less than this. */
const BEGINNING_BYTES_USUAL = 1536 * 1024;
/** Length of the inflated data (mod 2^32), the last field of the last member (RFC 1952, section 2.3.1). */
const LENGTH_FIELD_BYTES = 4;
/** What zlib says of a member's header. Whatever came before it has passed its check sum. */
const HEADER_FAULT = /header|compression method|window size/;

/** What is given of a file that is cut off is what inflates: nothing is left that tells whether it is right. */
const UNVERIFIED = ", before its check sum: what was read of it could not be verified";

/** The file cannot be inflated any further. */
export class InflateFault extends Error {
  override readonly name = "InflateFault";
}

export interface InflateOptions {
  /**
   * Gives the beginning of a file before its check sum is known to be right; `isVerified` tells when it is. For whoever
   * can take back what he made of it.
   */
  readonly isEarly?: boolean;
  /** Told how many bytes of the file were read. */
  readonly onRead?: (bytes: number) => void;
}

/** One gzip file on its way out of its compression. */
export class Inflation {
  /** Whether nothing inside the file is damaged; while it is false, what was given may be wrong. */
  isVerified = false;
  private readonly isEarly: boolean;
  private readonly onRead: (bytes: number) => void;

  /**
   * @param file descriptor of the open file
   * @param size its length
   */
  constructor(
    private readonly file: number,
    private readonly size: number,
    { isEarly = false, onRead = () => {} }: InflateOptions = {},
  ) {
    this.isEarly = isEarly;
    this.onRead = onRead;
  }

  /**
   * The inflated bytes in order. Pieces may be empty: a caller gets its turn while the file is looked through.
   * @throws InflateFault behind the last good byte; unless `isVerified`, all that was given before is worth nothing
   */
  async *pieces(): AsyncGenerator<Uint8Array> {
    const { beginning, whole: coming } = this.start();
    let given = 0;
    for (; given < beginning.length; given += PIECE_BYTES) {
      yield beginning.subarray(given, given + PIECE_BYTES);
    }
    given = beginning.length;
    const whole = await coming;
    if (whole === undefined) yield* lookThrough(this.file);
    this.isVerified = true;
    if (whole === undefined) yield* inflateInSteps(this.file, given, this.onRead);
    else yield* this.rest(whole, given);
  }

  /** A file of moderate size is at work on zlib's thread when this returns. */
  private start(): { beginning: Uint8Array; whole: Promise<Uint8Array | undefined> } {
    const nothing = new Uint8Array(0);
    if (this.size > WHOLE_FILE_BYTES_MAX) return { beginning: nothing, whole: Promise.resolve(undefined) };
    const bytes = readAt(this.file, 0, this.size);
    const whole = inflateAtOnce(bytes);
    return { beginning: this.isEarly ? inflateBeginning(bytes) : nothing, whole };
  }

  private *rest(whole: Uint8Array, from: number): Generator<Uint8Array> {
    for (let at = from; at < whole.length; at += PIECE_BYTES) {
      yield whole.subarray(at, at + PIECE_BYTES);
      this.onRead(Math.round((this.size * Math.min(whole.length, at + PIECE_BYTES)) / whole.length));
    }
  }
}

/** All of a small sound file, inflated on zlib's own thread; undefined for any other. */
function inflateAtOnce(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length < LENGTH_FIELD_BYTES) return Promise.resolve(undefined);
  const tail = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - LENGTH_FIELD_BYTES);
  // One byte more than there should be, and zlib is done in one go.
  const expected = Math.min(tail.getUint32(0, true), WHOLE_BYTES_MAX) + 1;
  const options = { maxOutputLength: WHOLE_BYTES_MAX, chunkSize: Math.max(expected, STEPS_BYTES[0]) };
  const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>();
  // Too large or damaged: looked at again, in steps.
  gunzip(bytes, options, (error, whole) => resolve(error ? undefined : whole));
  return promise;
}

/** What a caller can work on until the whole is there: inflated twice, which is cheaper than to wait. */
function inflateBeginning(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= BEGINNING_FILE_BYTES) return new Uint8Array(0);
  try {
    return gunzipSync(bytes.subarray(0, BEGINNING_FILE_BYTES), {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: BEGINNING_BYTES_MAX,
      chunkSize: BEGINNING_BYTES_USUAL,
    });
  } catch {
    return new Uint8Array(0);
  }
}

/** Goes through the file for its check sum. @throws InflateFault when something inside it is damaged */
async function* lookThrough(file: number): AsyncGenerator<Uint8Array> {
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

/** @param before inflated bytes that were given already */
async function* inflateInSteps(
  file: number,
  before: number,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let from = 0;
  let given = before;
  let failure: Error | undefined;
  for (const step of STEPS_BYTES) {
    const pass = new Pass(file, onRead);
    let made = 0;
    for await (const piece of pass.pieces(from, step)) {
      const fresh = piece.subarray(Math.max(0, given - made));
      made += piece.length;
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

/** One way through the file: in large steps up to a place, from there on in steps of a chosen size. */
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
        const ready = this.take();
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

  private take(): Uint8Array[] {
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
