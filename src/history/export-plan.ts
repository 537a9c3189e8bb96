// The plan of an export: which pieces of which segments, under which names, and how long the archive will be
// (docs/protocol/20-network-history-export.md#12-validation-order-and-errors and #2-zip-and-csv-format). All refusals
// happen here, before the first byte is sent.
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { crc32Combine, DEFLATE_END, storedPiece } from "./deflate.ts";
import { fileName, MANIFEST_FORMAT, MANIFEST_NAME, type ManifestFile } from "./manifest.ts";
import { openSegment, pieceOf, REMAKE_HINT, SegmentDamage, type TablePiece } from "./segment-format.ts";
import { ExportRefusal, type SegmentRow, type SegmentRun, segmentsOfRange } from "./segment-table.ts";
import { tableNames, tableOfNumber } from "./tables.ts";
import { archiveBytes, Method, type ZipEntry } from "./zip.ts";

export interface ExportRequest {
  /** Number of `datanode.api.v2.Table`. */
  readonly table: number;
  readonly from: bigint;
  readonly to: bigint;
  /** Whether the last entry is a manifest. */
  readonly manifest: boolean;
}

export interface PlannedPiece {
  readonly segment: SegmentRow;
  readonly piece: TablePiece;
  /** Length of the segment's record as JSON text, for the manifest. */
  readonly recordBytes: number;
}

/** A CSV: the segments of one schema version (docs/protocol/20-network-history-export.md#23-when-csvs-split). */
export interface PlannedFile {
  readonly name: string;
  readonly databaseVersion: number;
  readonly from: number;
  readonly to: number;
  /** Column names, without line feed. */
  readonly header: string;
  readonly rows: number;
  readonly entry: ZipEntry;
  readonly pieces: readonly PlannedPiece[];
}

export interface ExportPlan {
  /** Name of the archive. */
  readonly name: string;
  readonly chainId: string;
  /** Name of the table in lower case. */
  readonly table: string;
  readonly from: number;
  readonly to: number;
  readonly directory: string;
  readonly files: readonly PlannedFile[];
  readonly hasManifest: boolean;
  /** Length of the archive. */
  readonly totalBytes: number;
}

/**
 * Plans an export of these segments.
 * @throws ExportRefusal for an invalid range or table; NodeError for a damaged segment
 */
export async function planExport(
  directory: string,
  segments: readonly SegmentRow[],
  request: ExportRequest,
): Promise<ExportPlan> {
  const table = tableOfNumber(request.table);
  if (!table) {
    const summary = "no table name for network history supplied";
    throw new ExportRefusal("table_unknown", summary, "empty table name", `tables are ${tableNames()}`);
  }
  const run = segmentsOfRange(segments, request.from, request.to);
  const files: PlannedFile[] = [];
  for (const group of versionGroups(run))
    files.push(planFile(table.name, await planPieces(directory, table.name, group)));
  const first = run[0]!;
  const plan = {
    name: `${fileName(first.chainId, table.name, first.from, run.at(-1)!.to)}.zip`,
    chainId: first.chainId,
    table: table.name,
    from: first.from,
    to: run.at(-1)!.to,
    directory,
    files,
    hasManifest: request.manifest,
  };
  const entries = files.map((file) => file.entry);
  if (plan.hasManifest) entries.push(manifestEntry(manifestBytes(plan), 0));
  return { ...plan, totalBytes: archiveBytes(entries) };
}

/** ETag of an archive: the same plan gives the same bytes. */
export function archiveTag({ name, hasManifest, files }: ExportPlan): string {
  const pieces = files.map((file) => [
    file.name,
    file.header,
    file.pieces.map(({ segment, piece }) => [segment.id, piece.deflatedBytes, piece.deflatedCrc]),
  ]);
  const hash = createHash("sha256").update(JSON.stringify([name, hasManifest, pieces]));
  return hash.digest("hex").slice(0, TAG_DIGITS);
}

const TAG_DIGITS = 32;

export function manifestEntry(bytes: number, crc: number): ZipEntry {
  return { name: MANIFEST_NAME, method: Method.stored, crc, bytes, packedBytes: bytes };
}

/** Adjacent segments of one version; A, B, A are three groups. */
function versionGroups(run: SegmentRun): SegmentRun[] {
  const groups: SegmentRow[][] = [];
  for (const segment of run) {
    const group = groups.at(-1);
    if (group?.at(-1)?.databaseVersion === segment.databaseVersion) group.push(segment);
    else groups.push([segment]);
  }
  return groups;
}

async function planPieces(directory: string, table: string, segments: SegmentRun): Promise<PlannedPiece[]> {
  const pieces: PlannedPiece[] = [];
  for (const segment of segments) {
    try {
      const { file, index } = await openSegment(directory, segment.id);
      await file.close();
      const piece = pieceOf(index, table);
      if (!piece) throw new SegmentDamage(`table file '${table}' not found in segment`);
      pieces.push({ segment, piece, recordBytes: Buffer.byteLength(JSON.stringify(index.record)) });
    } catch (error) {
      throw segmentFault(segment, error);
    }
  }
  return pieces;
}

/** A missing file means that the range is unavailable; anything else is damage of this store. */
function segmentFault(segment: SegmentRow, error: unknown): NodeError {
  const what = `segment ${segment.from}-${segment.to}`;
  if ((error as { code?: string }).code === "ENOENT") {
    const summary = "failed to get contiguous history segments";
    const hint = "it is made again when the node starts";
    return new ExportRefusal("segment_missing", summary, `${what} is listed, but its file is missing`, hint);
  }
  const message = `${what} cannot be read: ${reasonOf(error)}`;
  return new NodeError("history.export", "segment_damaged", message, REMAKE_HINT, {
    cause: error,
  });
}

function planFile(table: string, pieces: readonly PlannedPiece[]): PlannedFile {
  const { segment: first, piece } = pieces[0]!;
  const to = pieces.at(-1)!.segment.to;
  const header = Buffer.from(`${piece.header}\n`);
  let crc = crc32(header);
  let bytes = header.length;
  let packedBytes = storedPiece(header).length + DEFLATE_END.length;
  let rows = 0;
  for (const { piece } of pieces) {
    crc = crc32Combine(crc, piece.crc, piece.bytes);
    bytes += piece.bytes;
    packedBytes += piece.deflatedBytes;
    rows += piece.rows;
  }
  const version = String(first.databaseVersion).padStart(3, "0");
  const name = `${fileName(first.chainId, `${table}-${version}`, first.from, to)}.csv`;
  const entry = { name, method: Method.deflate, crc, bytes, packedBytes };
  const { databaseVersion, from } = first;
  return { name, databaseVersion, from, to, header: piece.header, rows, entry, pieces };
}

export interface FileHashes {
  readonly sha256: string;
  readonly packedSha256: string;
}

type Planned = Omit<ExportPlan, "totalBytes">;

/** A SHA-256 in hex always has this length, so the length of the manifest is known before the hashes. */
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

/** The manifest's text, one line for each segment; records are read from the segment files lazily. */
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

/** Escapes non-ASCII, so that length in characters is length in bytes. Only a chain id can contain it. */
function asciiOnly(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
