// An archive checked in the browser: in itself, and against the segments of the node that this page is of.
import { checkArchive, type Verification } from "../../history/archive-check.ts";
import { type ArchiveSource, endsEarly } from "../../history/zip.ts";
import { browserTools, slices } from "./archive-tools.ts";

export interface NodeSegment {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly chainId: string;
}

export type Comparison =
  | { readonly verdict: "same"; readonly segments: number }
  /** `from` and `to` are of the node's segment; undefined where it has cut the blocks otherwise. */
  | {
      readonly verdict: "different";
      readonly text: string;
      readonly from?: number;
      readonly to?: number;
      readonly here?: string;
      readonly there?: string;
    }
  /** The node cannot say: it has not all of these blocks, or the archive no manifest. */
  | { readonly verdict: "unknown"; readonly text: string };

/** @param onProgress gets the part that is read, 0 to 1 @throws ArchiveFault that says where it is damaged */
export function verifyFile(
  file: Blob,
  signal: AbortSignal,
  onProgress: (part: number) => void,
): Promise<Verification> {
  const rest = slices(signal);
  const source: ArchiveSource = {
    size: file.size,
    async read(offset, length) {
      await rest();
      if (length < 0 || offset < 0 || offset + length > file.size) throw endsEarly();
      const bytes = new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
      onProgress((offset + length) / file.size);
      return bytes;
    },
  };
  return checkArchive(source, browserTools(rest));
}

/**
 * Every row of an archive has the hash in its segment's record, and every record the segment's id: where the ids are those of the
 * node, the rows are.
 * @param segments of the node, the oldest first
 */
export function compareWithNode(archive: Verification, segments: readonly NodeSegment[]): Comparison {
  const { hasManifest, from, to, chainId } = archive;
  if (!hasManifest || from === undefined || to === undefined) {
    const text = "The archive has no manifest: only names, sizes and checksums could be checked.";
    return { verdict: "unknown", text };
  }
  const own = segments.filter((segment) => segment.to >= from && segment.from <= to);
  const other = own.find((segment) => segment.chainId !== chainId) ?? segments[0];
  if (other !== undefined && other.chainId !== chainId)
    return {
      verdict: "different",
      text: `The archive is of the chain ${chainId}, the node of ${other.chainId}.`,
    };
  const isCovered =
    own[0]?.from === from &&
    own.at(-1)?.to === to &&
    own.every((segment, n) => n === 0 || segment.from === own[n - 1]!.to + 1);
  if (!isCovered)
    return {
      verdict: "unknown",
      text:
        own.length === 0
          ? `The node has no segment of the blocks ${from} to ${to}.`
          : "The node does not have segments of exactly these blocks, all of them.",
    };
  const at = own.findIndex(({ id }, n) => id !== archive.segments[n]);
  if (at < 0 && own.length === archive.segments.length) return { verdict: "same", segments: own.length };
  const segment = own[at];
  const here = archive.segments[at];
  if (segment === undefined || here === undefined)
    return { verdict: "different", text: "The node has cut these blocks into other segments." };
  return {
    verdict: "different",
    text: `The archive differs from the node in the blocks ${segment.from} to ${segment.to}, or before them.`,
    from: segment.from,
    to: segment.to,
    here,
    there: segment.id,
  };
}
