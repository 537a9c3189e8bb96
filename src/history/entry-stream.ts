// The data of an archive's entry, as a second reader of the ZIP format finds it: fflate reads the header by itself, ZIP64 too,
// and must come to the same file as our own reading of the directory (zip.ts). The data stays packed: zlib inflates six times
// faster, and reports bytes behind the end, which fflate passes over (docs/decisions/031-segments-of-csv.md).
import { Unzip, type UnzipFile, UnzipPassThrough } from "fflate";
import { type ArchiveEntry, ArchiveFault, type ArchiveSource, localHeader, Method } from "./zip.ts";

/** In memory at a time, of an archive of any size. */
const READ_BYTES = 1024 * 1024;

/** Hands deflated data on as it is. */
class PackedPassThrough extends UnzipPassThrough {
  static override compression = Method.deflate;
}

/** The packed data in order, in pieces that stay valid. @throws ArchiveFault where the two readers disagree */
export async function* entryStream(source: ArchiveSource, entry: ArchiveEntry): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let isComplete = false;
  const unzip = new Unzip((seen) => {
    if (!isSameFile(seen, entry)) throw otherFile();
    seen.ondata = (_error, piece, isLast) => {
      pieces.push(piece);
      isComplete = isLast;
    };
    seen.start();
  });
  unzip.register(PackedPassThrough);
  const end = entry.offset + entry.packedBytes;
  for (let at = entry.offset - localHeader(entry).length; at < end; ) {
    const bytes = await source.read(at, Math.min(READ_BYTES, end - at));
    at += bytes.length;
    unzip.push(bytes);
    yield* pieces.splice(0);
  }
  if (!isComplete) throw otherFile();
}

function otherFile(): ArchiveFault {
  return new ArchiveFault("a second reader of ZIP archives finds another file in its place");
}

function isSameFile({ name, compression, size, originalSize }: UnzipFile, entry: ArchiveEntry): boolean {
  return (
    name === entry.name &&
    compression === entry.method &&
    size === entry.packedBytes &&
    originalSize === entry.bytes
  );
}
