// Sends an export: the deflated rows of whole segments, joined behind a header line, in a ZIP. No row is read from
// the store and nothing is compressed again. Memory is one chunk, for any size. A missing, short or
// damaged segment file fails the stream, so that the download breaks off and never looks complete.
import { crc32 } from "node:zlib";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { DEFLATE_END, EntryHasher, storedPiece } from "./deflate.ts";
import {
  type ExportPlan,
  type FileHashes,
  manifestBytes,
  manifestEntry,
  manifestText,
  type PlannedFile,
  type PlannedPiece,
} from "./export-plan.ts";
import { openSegment, REMAKE_HINT, SegmentDamage } from "./segment-format.ts";
import { centralDirectory, localHeader, type ZipEntry } from "./zip.ts";

/** Bytes of a message; every message except the last has exactly this length (docs/protocol/20-network-history-export.md#13-grpc-stream). */
export const MESSAGE_BYTES = 1024 * 1024;
/**
 * Bytes written at once if chunk boundaries do not matter (bench/export.ts). Half as much is slower; twice as much is a little
 * faster but doubles the wait of other requests.
 */
export const CHUNK_BYTES = 512 * 1024;

/** Free bytes before each chunk in its buffer, for a message header, so that the chunk becomes a message without a copy. */
export const ROOM_BYTES = 32;

/** A part of the archive, read in order into buffers of any size. */
interface Part {
  readonly length: number;
  read(into: Uint8Array): Promise<void>;
}

/** Bytes of the archive from `start` up to `end`. */
interface ArchiveRange {
  readonly start: number;
  readonly end: number;
}

interface StreamOptions {
  readonly chunkBytes?: number;
  /** A part of the archive; default: all of it. */
  readonly range?: ArchiveRange | undefined;
  /** Aborted when the client no longer needs the rest. */
  readonly signal?: AbortSignal | undefined;
  /** Called once when the stream has ended, for any reason. */
  onEnd?(): void;
  /** Called when the stream breaks off because a segment cannot be read. */
  onFailure?(): void;
}

/** The chunks of an archive, read one ahead so that disk and socket work in parallel. */
class ChunkReader {
  private readonly chunks: AsyncGenerator<Uint8Array, undefined>;
  private ahead: Promise<IteratorResult<Uint8Array, undefined>> | undefined;
  private isOver = false;

  constructor(
    plan: ExportPlan,
    private readonly options: StreamOptions,
  ) {
    this.chunks = exportChunks(plan, options.chunkBytes, options.range);
    options.signal?.addEventListener("abort", this.end, { once: true });
  }

  /** The next chunk, valid until the next call but one; undefined after the last. */
  async next(): Promise<Uint8Array | undefined> {
    try {
      // Yield to the event loop even if a chunk is ready: otherwise other requests would wait until the socket is full.
      await new Promise(setImmediate);
      const { value, done } = await (this.ahead ?? this.read());
      this.options.signal?.throwIfAborted();
      if (done) this.end();
      else this.ahead = this.read();
      return value;
    } catch (error) {
      if (!this.options.signal?.aborted) this.options.onFailure?.();
      this.end();
      throw error;
    }
  }

  /** Closes open files. */
  readonly end = (): void => {
    if (this.isOver) return;
    this.isOver = true;
    this.options.signal?.removeEventListener("abort", this.end);
    this.chunks.return(undefined).catch(() => {});
    this.options.onEnd?.();
  };

  private read(): Promise<IteratorResult<Uint8Array, undefined>> {
    const chunk = this.chunks.next();
    // The caller gets the failure when it awaits the chunk.
    chunk.catch(() => {});
    return chunk;
  }
}

/** The archive as a stream. When it is cancelled or aborted it closes open files and stops. */
export function exportStream(plan: ExportPlan, options: StreamOptions = {}): ReadableStream<Uint8Array> {
  const reader = new ChunkReader(plan, options);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await reader.next();
          if (chunk === undefined) controller.close();
          // The reader reuses its buffers.
          else controller.enqueue(chunk.slice());
        } catch (error) {
          controller.error(error);
        }
      },
      cancel: reader.end,
    },
    { highWaterMark: 0 },
  );
}

/**
 * The archive in chunks, each behind `ROOM_BYTES` free bytes and valid until the next but one is requested.
 * Leaving the loop early closes open files.
 */
export async function* exportPieces(
  plan: ExportPlan,
  options: StreamOptions = {},
): AsyncGenerator<Uint8Array, undefined> {
  const reader = new ChunkReader(plan, options);
  try {
    for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) yield chunk;
  } finally {
    reader.end();
  }
}

/**
 * The same for a response body: written directly to the socket from reused buffers. A failing download is broken off.
 */
export function exportBody(plan: ExportPlan, options: StreamOptions = {}): ReadableStream<Uint8Array> {
  const reader = new ChunkReader(plan, options);
  return new ReadableStream<Uint8Array>({
    type: "direct",
    async pull(controller: { write(chunk: Uint8Array): number | Promise<number>; close(): void }) {
      try {
        for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) {
          // Wait for the client: otherwise chunks for a slow one would pile up.
          await controller.write(chunk);
        }
      } catch {
        reader.end();
        // The runtime prints any other value. `onFailure` gets the failure itself.
        throw undefined;
      }
      controller.close();
    },
    cancel: reader.end,
  } as unknown as UnderlyingSource<Uint8Array>);
}

/** A small archive, or a range of it, in memory. @throws NodeError for a segment that cannot be read */
export async function exportBytes(
  plan: ExportPlan,
  range: ArchiveRange = { start: 0, end: plan.totalBytes },
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(range.end - range.start);
  let filled = 0;
  for await (const chunk of exportChunks(plan, Math.min(CHUNK_BYTES, bytes.length), range)) {
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  return bytes;
}

/**
 * The archive in chunks, each valid until the next but one is requested. Leaving the loop early closes open files. For a
 * range, segments outside are not read, and those at its ends are read completely, because their checksums cover all bytes. With
 * a manifest everything is read, for the hashes. @throws NodeError for a segment that cannot be read
 */
export async function* exportChunks(
  plan: ExportPlan,
  chunkBytes = CHUNK_BYTES,
  range: ArchiveRange = { start: 0, end: plan.totalBytes },
): AsyncGenerator<Uint8Array, undefined> {
  const buffer = () => new Uint8Array(ROOM_BYTES + chunkBytes).subarray(ROOM_BYTES);
  let [chunk, other] = [buffer(), buffer()];
  let filled = 0;
  let at = 0;
  for await (const part of archiveParts(plan)) {
    const end = at + part.length;
    const isOutside = end <= range.start || at >= range.end;
    if (isOutside && !plan.hasManifest) {
      at = end;
      continue;
    }
    while (at < end) {
      const isWanted = at >= range.start && at < range.end;
      const until = isWanted ? Math.min(end, range.end) : at < range.start ? Math.min(end, range.start) : end;
      const room = chunk.subarray(filled, Math.min(filled + until - at, chunkBytes));
      await part.read(room);
      at += room.length;
      // The next bytes overwrite those outside the range.
      if (!isWanted) continue;
      filled += room.length;
      if (filled < chunkBytes) continue;
      yield chunk;
      [chunk, other] = [other, chunk];
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
    yield* entryParts(plan.directory, file, hasher);
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

async function* entryParts(
  directory: string,
  file: PlannedFile,
  hasher: EntryHasher | undefined,
): AsyncGenerator<Part> {
  yield bytesPart(storedPiece(Buffer.from(`${file.header}\n`)), hasher);
  for (const piece of file.pieces) {
    if (piece.piece.deflatedBytes > 0) yield* segmentPart(directory, piece, hasher);
  }
  yield bytesPart(DEFLATE_END, hasher);
}

async function* segmentPart(
  directory: string,
  { segment, piece }: PlannedPiece,
  hasher: EntryHasher | undefined,
): AsyncGenerator<Part> {
  const fault = (error: unknown) => {
    const message = `segment ${segment.from}-${segment.to} failed while it was sent: ${reasonOf(error)}`;
    return new NodeError("history.export", "segment_damaged", message, REMAKE_HINT, {
      cause: error,
    });
  };
  const opened = await openSegment(directory, segment.id).catch((error) => Promise.reject(fault(error)));
  let done = 0;
  let crc = 0;
  const read = async (into: Uint8Array) => {
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
    await hasher?.update(into);
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

function bytesPart(bytes: Uint8Array, hasher?: EntryHasher): Part {
  let done = 0;
  return {
    length: bytes.length,
    async read(into) {
      into.set(bytes.subarray(done, done + into.length));
      done += into.length;
      await hasher?.update(into);
    },
  };
}

/** The sent bytes must match the archive's headers; the manifest lists their hashes. */
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
