// The manifest: the last entry of an archive on request. It says what each CSV holds and carries the record of every
// segment, so that whoever has the archive can check each row's bytes against the chain of segment hashes
// (verify.ts) without the node that made it.
import type { ExportPlan, PlannedFile } from "./export-plan.ts";
import { openSegment, type SegmentRecord } from "./segment-format.ts";

export const MANIFEST_NAME = "manifest.json";
export const MANIFEST_FORMAT = "lyra-history-manifest-1";

/** A CSV of the archive. */
export interface ManifestFile {
  readonly name: string;
  readonly databaseVersion: number;
  readonly from: number;
  readonly to: number;
  /** Column names, as in the first line. */
  readonly columns: string;
  /** Without the first line. */
  readonly rows: number;
  readonly bytes: number;
  /** Of the CSV. */
  readonly sha256: string;
  /** Of the entry's data as it lies in the archive. */
  readonly packedSha256: string;
}

/** A segment's share of the CSVs, in order. */
export interface ManifestSegment {
  readonly id: string;
  readonly rows: number;
  readonly bytes: number;
  /** Its SHA-256 as JSON is the id; it names the segment before and the SHA-256 of each table. */
  readonly record: SegmentRecord;
}

export interface Manifest {
  readonly format: typeof MANIFEST_FORMAT;
  readonly archive: string;
  readonly chainId: string;
  readonly table: string;
  readonly from: number;
  readonly to: number;
  readonly files: readonly ManifestFile[];
  readonly segments: readonly ManifestSegment[];
}

export interface FileHashes {
  readonly sha256: string;
  readonly packedSha256: string;
}

type Planned = Omit<ExportPlan, "totalBytes">;

/** A SHA-256 in hex always has this length, so the length of the manifest is known before any hash is. */
const UNKNOWN_HASHES: FileHashes = { sha256: "0".repeat(64), packedSha256: "0".repeat(64) };

/** Length of the manifest of a plan. */
export function manifestBytes(plan: Planned): number {
  const pieces = plan.files.flatMap((file) => file.pieces);
  const hashes = plan.files.map(() => UNKNOWN_HASHES);
  const around = manifestHead(plan, hashes).length + manifestTail.length;
  return pieces.reduce((sum, { segment, piece, recordBytes }, i) => {
    return (
      sum + segmentLine(segment.id, piece.rows, piece.bytes, "", i === pieces.length - 1).length + recordBytes
    );
  }, around);
}

/** The manifest's text, a line for each segment: records are read from the segment files as they are needed. */
export async function* manifestText(plan: Planned, hashes: readonly FileHashes[]): AsyncGenerator<string> {
  yield manifestHead(plan, hashes);
  const pieces = plan.files.flatMap((file) => file.pieces);
  for (const [i, { segment, piece }] of pieces.entries()) {
    const { file, index } = await openSegment(plan.directory, segment.id);
    await file.close();
    yield segmentLine(
      segment.id,
      piece.rows,
      piece.bytes,
      JSON.stringify(index.record),
      i === pieces.length - 1,
    );
  }
  yield manifestTail;
}

function manifestHead(plan: Planned, hashes: readonly FileHashes[]): string {
  const files = plan.files.map((file, i) => manifestFile(file, hashes[i]!));
  const head = {
    format: MANIFEST_FORMAT,
    archive: plan.name,
    chainId: plan.chainId,
    table: `TABLE_${plan.table.toUpperCase()}`,
    from: plan.from,
    to: plan.to,
    files,
  };
  return asciiOnly(JSON.stringify(head, null, 1).replace(/\n}$/, ',\n "segments": [\n'));
}

function manifestFile(file: PlannedFile, { sha256, packedSha256 }: FileHashes): ManifestFile {
  const { name, databaseVersion, from, to, header, rows, entry } = file;
  return { name, databaseVersion, from, to, columns: header, rows, bytes: entry.bytes, sha256, packedSha256 };
}

function segmentLine(id: string, rows: number, bytes: number, record: string, isLast: boolean): string {
  return `  {"id":"${id}","rows":${rows},"bytes":${bytes},"record":${record}}${isLast ? "" : ","}\n`;
}

const manifestTail = " ]\n}\n";

/** So that length in characters is length in bytes. A chain id is the only text that could hold more. */
function asciiOnly(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
