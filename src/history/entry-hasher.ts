// Inflates an entry as it passes by and hashes both forms: as it lies in the archive, and as the CSV it is.
import { crc32, createInflateRaw, type InflateRaw } from "node:zlib";
import { NodeError } from "../errors/node-error.ts";

/** Inflated bytes handed on at a time. */
const OUTPUT_BYTES = 256 * 1024;

export interface EntryHashes {
  readonly sha256: string;
  readonly packedSha256: string;
  /** Of the CSV. */
  readonly bytes: number;
  readonly crc: number;
}

export class EntryHasher {
  private readonly inflate: InflateRaw = createInflateRaw({ chunkSize: OUTPUT_BYTES });
  private readonly whole = new Bun.CryptoHasher("sha256");
  private readonly packed = new Bun.CryptoHasher("sha256");
  private readonly ended = Promise.withResolvers<void>();
  private packedBytes = 0;
  private bytes = 0;
  private crc = 0;

  /** @param seen is given the CSV, piece after piece; the bytes are only valid during the call */
  constructor(seen?: (csv: Uint8Array) => void) {
    this.ended.promise.catch(() => {});
    this.inflate.on("data", (csv: Buffer) => {
      this.whole.update(csv);
      this.crc = crc32(csv, this.crc);
      this.bytes += csv.length;
      try {
        seen?.(csv);
      } catch (error) {
        this.inflate.destroy(error as Error);
      }
    });
    this.inflate.on("end", () => this.ended.resolve());
    this.inflate.on("error", (error) => this.ended.reject(streamFault(error)));
  }

  /** Takes the next bytes of the entry; they may be reused when this settles. */
  async update(packed: Uint8Array): Promise<void> {
    this.packed.update(packed);
    this.packedBytes += packed.length;
    const written = new Promise<void>((resolve) => this.inflate.write(packed, () => resolve()));
    await Promise.race([written, this.ended.promise]);
  }

  /** @throws what went wrong on the way */
  async finish(): Promise<EntryHashes> {
    this.inflate.end();
    await this.ended.promise;
    // What lies behind the last block is no part of the CSV: no reader would show it.
    const rest = this.packedBytes - this.inflate.bytesWritten;
    if (rest > 0) throw streamFault(new Error(`${rest} bytes follow its end`));
    const { bytes, crc } = this;
    return { sha256: this.whole.digest("hex"), packedSha256: this.packed.digest("hex"), bytes, crc };
  }
}

function streamFault(error: Error): Error {
  if (error instanceof NodeError) return error;
  return new NodeError(
    "history.inflate",
    "deflate_invalid",
    `the compressed data is damaged: ${error.message}`,
  );
}
