// Inflates a gzip file as a stream and, when the file is damaged, gives every byte that comes before the damage:
// a reader loads what is whole. zlib throws away what it made of the input in which it met the damage, so that
// input is gone through again in smaller steps, down to single bytes. Sound files are read once.
import { readSync } from "node:fs";
import { createGunzip } from "node:zlib";
import { reasonOf } from "../errors.ts";

/** Input steps, coarse to fine. The first bounds what a small file can blow up to at a time: 64 KiB make 64 MiB. */
const STEPS_BYTES = [64 * 1024, 512, 1] as const;
const OUTPUT_BYTES = 1024 * 1024;
/** Output waits in the stream until it is taken after each step. */
const READABLE_BYTES_MAX = 2 ** 30;

/** The file cannot be inflated any further. */
export class InflateFault extends Error {
  override readonly name = "InflateFault";
}

/**
 * The inflated bytes in order.
 * @param file descriptor of the open file
 * @param onRead told how many bytes of the file were read
 * @throws InflateFault behind the last good byte
 */
export async function* inflate(
  file: number,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  let from = 0;
  let given = 0;
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

function faultText(error: Error): string {
  const reason = reasonOf(error);
  if ((error as { code?: string }).code === "Z_BUF_ERROR") return "the compressed data ends too early";
  if (/incorrect (data|length) check/.test(reason)) {
    return "the check sum of the compressed data is wrong: something before this place is damaged";
  }
  if (reason === "incorrect header check") return "what stands here is not gzip data";
  return `the compressed data is damaged: ${reason}`;
}
