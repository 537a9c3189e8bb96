// Sends an export: the deflated rows of whole segments, joined behind a header line, in a ZIP. No row is read from
// the store and nothing is compressed again. Memory is one chunk, whatever the size. A segment file that turns out
// missing, short or damaged fails the stream, so that the download breaks and never looks whole.
import { crc32 } from "node:zlib";
import { NodeError, reasonOf } from "../errors.ts";
import { DEFLATE_END, storedPiece } from "./deflate.ts";
import { EntryHasher } from "./entry-hasher.ts";
import { type ExportPlan, manifestEntry, type PlannedFile, type PlannedPiece } from "./export-plan.ts";
import { type FileHashes, manifestBytes, manifestText } from "./manifest.ts";
import { openSegment, REMAKE_HINT, SegmentDamage } from "./segment-format.ts";
import { centralDirectory, localHeader, type ZipEntry } from "./zip.ts";

/** Data of a message: every one but the last has exactly this length (reference 20, section 1.3). */
export const MESSAGE_BYTES = 1024 * 1024;
/**
 * Written at a time where nobody sees the boundaries. Measured (bench/export.ts): 1 MiB sends a quarter faster and
 * doubles the wait of other requests, 128 KiB halves neither.
 */
export const CHUNK_BYTES = 256 * 1024;

/** Some bytes of the archive, read in order into whatever room there is. */
interface Part {
  readonly length: number;
  read(into: Buffer): Promise<void>;
}

export interface StreamOptions {
  readonly chunkBytes?: number;
  /** Aborted when nobody wants the rest. */
  readonly signal?: AbortSignal | undefined;
  /** Called once, when the stream is over in whatever way. */
  onEnd?(): void;
  /** Called when the stream breaks off because a segment cannot be read. */
  onFailure?(): void;
}

/**
 * The archive as a stream. It reads as fast as it is read, one chunk ahead, so that the disk works while the socket
 * does; when it is cancelled or aborted it closes what is open and stops.
 */
export function exportStream(plan: ExportPlan, options: StreamOptions = {}): ReadableStream<Uint8Array> {
  const { signal, onEnd } = options;
  const chunks = exportChunks(plan, options.chunkBytes);
  let ahead: Promise<IteratorResult<Uint8Array, undefined>> | undefined;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    signal?.removeEventListener("abort", end);
    chunks.return(undefined).catch(() => {});
    onEnd?.();
  };
  const next = () => {
    const chunk = chunks.next();
    // A failure is seen by the pull that waits for this chunk; until then nobody does.
    chunk.catch(() => {});
    return chunk;
  };
  signal?.addEventListener("abort", end, { once: true });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          // What is ready is written at once: without a turn of the loop in between, other requests would wait
          // until the socket is full.
          await new Promise(setImmediate);
          const { value, done } = await (ahead ?? next());
          signal?.throwIfAborted();
          if (!done) {
            ahead = next();
            return controller.enqueue(value);
          }
          controller.close();
        } catch (error) {
          if (!signal?.aborted) options.onFailure?.();
          controller.error(error);
        }
        end();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** The archive in chunks. Leaving the loop early closes what is open. @throws NodeError when a segment fails */
export async function* exportChunks(
  plan: ExportPlan,
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<Uint8Array, undefined> {
  let chunk = Buffer.allocUnsafeSlow(chunkBytes);
  let filled = 0;
  for await (const part of archiveParts(plan)) {
    for (let rest = part.length; rest > 0; ) {
      const room = chunk.subarray(filled, Math.min(filled + rest, chunkBytes));
      await part.read(room);
      filled += room.length;
      rest -= room.length;
      if (filled < chunkBytes) continue;
      yield chunk;
      chunk = Buffer.allocUnsafeSlow(chunkBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
  return undefined;
}

async function* archiveParts(plan: ExportPlan): AsyncGenerator<Part> {
  const entries: ZipEntry[] = [];
  const hashes: FileHashes[] = [];
  for (const file of plan.files) {
    entries.push(file.entry);
    yield bytesPart(localHeader(file.entry));
    const hasher = plan.hasManifest ? new EntryHasher() : undefined;
    for await (const part of entryParts(plan.directory, file)) yield hasher ? hashed(part, hasher) : part;
    if (hasher) hashes.push(await finish(file, hasher));
  }
  if (plan.hasManifest) {
    let crc = 0;
    for await (const text of manifestText(plan, hashes)) crc = crc32(text, crc);
    const entry = manifestEntry(manifestBytes(plan), crc);
    entries.push(entry);
    yield bytesPart(localHeader(entry));
    for await (const text of manifestText(plan, hashes)) yield bytesPart(Buffer.from(text));
  }
  yield bytesPart(centralDirectory(entries));
}

async function* entryParts(directory: string, file: PlannedFile): AsyncGenerator<Part> {
  yield bytesPart(storedPiece(Buffer.from(`${file.header}\n`)));
  for (const piece of file.pieces) if (piece.piece.deflatedBytes > 0) yield* segmentPart(directory, piece);
  yield bytesPart(DEFLATE_END);
}

async function* segmentPart(directory: string, { segment, piece }: PlannedPiece): AsyncGenerator<Part> {
  const fault = (error: unknown) => {
    const message = `segment ${segment.from}-${segment.to} failed while it was sent: ${reasonOf(error)}`;
    return new NodeError("history.export", "segment_damaged", message, REMAKE_HINT, undefined, {
      cause: error,
    });
  };
  const opened = await openSegment(directory, segment.id).catch((error) => Promise.reject(fault(error)));
  let done = 0;
  let crc = 0;
  const read = async (into: Buffer) => {
    for (let filled = 0; filled < into.length; ) {
      const position = piece.offset + done;
      const { bytesRead } = await opened.file.read(into, filled, into.length - filled, position);
      if (bytesRead === 0) throw new SegmentDamage("its file is short");
      filled += bytesRead;
      done += bytesRead;
    }
    crc = crc32(into, crc);
    if (done === piece.deflatedBytes && crc !== piece.deflatedCrc)
      throw new SegmentDamage("its bytes are damaged");
  };
  try {
    yield {
      length: piece.deflatedBytes,
      read: (into) => read(into).catch((error) => Promise.reject(fault(error))),
    };
  } finally {
    await opened.file.close();
  }
}

function bytesPart(bytes: Uint8Array): Part {
  let done = 0;
  return {
    length: bytes.length,
    async read(into) {
      into.set(bytes.subarray(done, done + into.length));
      done += into.length;
    },
  };
}

function hashed(part: Part, hasher: EntryHasher): Part {
  return {
    length: part.length,
    async read(into) {
      await part.read(into);
      await hasher.update(into);
    },
  };
}

/** What goes into the manifest is what was sent, and is what the archive's headers announced. */
async function finish(file: PlannedFile, hasher: EntryHasher): Promise<FileHashes> {
  const seen = await hasher.finish();
  if (seen.bytes !== file.entry.bytes || seen.crc !== file.entry.crc) {
    throw new NodeError(
      "history.export",
      "segment_damaged",
      `the rows in ${file.name} are not those its segments list`,
    );
  }
  return seen;
}
