// Names in an archive, and its manifest. Runs in a browser too.
import type { SegmentRecord } from "./segment-format.ts";

/** `<chain>-<what>-<from>-<to>`, heights at least six digits (docs/protocol/20-network-history-export.md#21-names). */
export function fileName(chainId: string, what: string, from: number, to: number): string {
  // A chain id is free text; only these characters are safe in a file name and a header.
  const chain = chainId.replace(/[^A-Za-z0-9._-]/g, "_");
  return `${chain}-${what}-${height(from)}-${height(to)}`;
}

function height(value: number): string {
  return String(value).padStart(6, "0");
}

/**
 * The manifest is the last entry of an archive, on request. It lists the content of each CSV and has the record of every
 * segment, so that each row's bytes can be checked against the chain of segment hashes (archive-check.ts) without the node
 * that made them.
 */
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
  /** Of the entry's compressed data. */
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
