// Hash functions and inflating of a browser, for the check of archives: the browser's own inflater, and SHA-256 in pieces, which
// browsers lack.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { ArchiveTools, EntryHashes, EntryHashing } from "../../history/archive-check.ts";

/** Inflated at a time: a browser inflates what it is given in one go. */
const STEP_BYTES = 32 * 1024;
/** Work between two moments at which the page can draw. */
const SLICE_MS = 12;

/** @param rest lets the page draw, and rejects where the check is called off */
export function browserTools(rest: () => Promise<void>): ArchiveTools {
  return {
    newSha256: () => {
      const hash = sha256.create();
      return { update: (bytes) => hash.update(bytes), hex: () => bytesToHex(hash.digest()) };
    },
    crc32: (bytes) => crc32(bytes),
    newEntryHasher: (seen) => new StreamHashing(seen, rest),
  };
}

/** Gives the page time to draw after a slice of work. */
export function slices(signal?: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - since < SLICE_MS) return;
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    });
    since = performance.now();
  };
}

class StreamHashing implements EntryHashing {
  private readonly stream = new DecompressionStream("deflate-raw");
  private readonly writer = this.stream.writable.getWriter();
  private readonly whole = sha256.create();
  private readonly packed = sha256.create();
  private readonly ended: Promise<void>;
  private bytes = 0;
  private crc = 0;

  constructor(
    private readonly seen: (csv: Uint8Array) => void,
    private readonly rest: () => Promise<void>,
  ) {
    this.ended = this.readOutput();
    this.ended.catch(() => {});
  }

  async update(packed: Uint8Array): Promise<void> {
    this.packed.update(packed);
    for (let at = 0; at < packed.length; at += STEP_BYTES) {
      // The stream may keep what it is given, and the caller use it again.
      const step = packed.slice(at, at + STEP_BYTES) as Uint8Array<ArrayBuffer>;
      await Promise.race([this.writer.write(step).catch(damaged), this.ended]);
      await this.rest();
    }
  }

  async finish(): Promise<EntryHashes> {
    this.writer.close().catch(() => {});
    await this.ended;
    const { bytes, crc } = this;
    return {
      sha256: bytesToHex(this.whole.digest()),
      packedSha256: bytesToHex(this.packed.digest()),
      bytes,
      crc,
    };
  }

  private async readOutput(): Promise<void> {
    const reader = this.stream.readable.getReader();
    for (;;) {
      const { done, value } = await reader.read().catch(damaged);
      if (done) return;
      this.whole.update(value);
      this.crc = crc32(value, this.crc);
      this.bytes += value.length;
      try {
        this.seen(value);
      } catch (error) {
        reader.cancel().catch(() => {});
        throw error;
      }
      await this.rest();
    }
  }
}

function damaged(error: unknown): never {
  throw new Error(
    `the compressed data is damaged: ${error instanceof Error ? error.message : String(error)}`,
  );
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 of ZIP archives (PKWARE APPNOTE 4.4.7), continued from that of the bytes before. */
function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (let at = 0; at < bytes.length; at++) crc = TABLE[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}
