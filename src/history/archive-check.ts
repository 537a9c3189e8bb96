/**
 * Checks an archive: the container, every byte of every CSV, and that the segments it was joined from form a chain. It proves
 * that the rows have the hashes in the segment records, that the records hash to the segment ids, and that each names the
 * previous id. Compare the ids with those of a node you trust: then every row is verified.
 *
 * Runs in the executable (verify.ts) and in a browser, which have other hash functions.
 */
import { parseUniqueJson } from "../wire/unique-json.ts";
import { entryStream } from "./entry-stream.ts";
import {
  fileName,
  MANIFEST_FORMAT,
  MANIFEST_NAME,
  type Manifest,
  type ManifestFile,
  type ManifestSegment,
} from "./manifest.ts";
import { RowCounter } from "./row-counter.ts";
import type { SegmentRecord } from "./segment-format.ts";
import {
  type ArchiveEntry,
  ArchiveFault,
  type ArchiveSource,
  isSame,
  joined,
  Method,
  readDirectory,
} from "./zip.ts";

/** Room for a manifest of more than a hundred thousand segments of 1.6 kB. */
const MANIFEST_BYTES_MAX = 256 * 1024 * 1024;

/** Hash functions and inflating, of the executable or of a browser. */
export interface ArchiveTools {
  newSha256(): Sha256;
  crc32(bytes: Uint8Array): number;
  /** @param seen receives the inflated bytes in pieces, valid only during the call; what it throws ends the entry */
  newEntryHasher(seen: (csv: Uint8Array) => void): EntryHashing;
}

interface Sha256 {
  update(bytes: Uint8Array): unknown;
  /** Lower-case hex. */
  hex(): string;
}

/** Inflates an entry and hashes both forms. */
export interface EntryHashing {
  /** Adds the next bytes of the entry. */
  update(packed: Uint8Array): Promise<void>;
  /** @throws the failure of an earlier piece; an error where bytes follow the end */
  finish(): Promise<EntryHashes>;
}

export interface EntryHashes {
  readonly sha256: string;
  readonly packedSha256: string;
  /** Of the CSV. */
  readonly bytes: number;
  readonly crc: number;
}

interface VerifiedFile {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Verification {
  /** If false, only names, sizes and CRC-32 could be checked. */
  readonly hasManifest: boolean;
  readonly files: readonly VerifiedFile[];
  /** Ids of the segments, first to last; empty without a manifest. */
  readonly segments: readonly string[];
  readonly from?: number;
  readonly to?: number;
  readonly table?: string;
  readonly chainId?: string;
}

/** Checks a whole archive in bounded memory. @throws ArchiveFault that says where it fails */
export async function checkArchive(source: ArchiveSource, tools: ArchiveTools): Promise<Verification> {
  const entries = await readDirectory(source);
  if (entries.length === 0) throw new ArchiveFault("it holds no file");
  const last = entries.at(-1);
  const manifest = last?.name === MANIFEST_NAME ? await readManifest(source, last, tools) : undefined;
  const csvs = manifest ? entries.slice(0, -1) : entries;
  if (!manifest) return await verifyChecksums(source, csvs, tools);
  checkChain(manifest, tools);
  checkNames(manifest, csvs);
  const files: VerifiedFile[] = [];
  let next = 0;
  for (const [i, described] of manifest.files.entries()) {
    const count = manifest.segments.slice(next).filter((s) => s.record.to <= described.to).length;
    const segments = manifest.segments.slice(next, (next += count));
    files.push(await verifyFile(source, csvs[i]!, described, segments, manifest.table, tools));
  }
  const left = manifest.segments[next]?.record;
  if (left) throw new ArchiveFault(`no file holds the rows of segment ${left.from}-${left.to}`);
  const segments = manifest.segments.map((segment) => segment.id);
  const { from, to, table, chainId } = manifest;
  return { hasManifest: true, files, segments, from, to, table, chainId };
}

async function verifyChecksums(
  source: ArchiveSource,
  entries: readonly ArchiveEntry[],
  tools: ArchiveTools,
): Promise<Verification> {
  const files: VerifiedFile[] = [];
  for (const entry of entries) {
    const counter = new RowCounter();
    const { sha256 } = await readEntry(source, entry, (csv) => counter.count(csv), tools);
    files.push({ name: entry.name, rows: counter.rows - 1, bytes: entry.bytes, sha256 });
  }
  return { hasManifest: false, files, segments: [] };
}

async function readManifest(
  source: ArchiveSource,
  entry: ArchiveEntry,
  { crc32 }: ArchiveTools,
): Promise<Manifest> {
  if (entry.method !== Method.stored || entry.bytes > MANIFEST_BYTES_MAX) {
    throw new ArchiveFault("it is not a manifest of lyra", MANIFEST_NAME);
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of entryStream(source, entry)) pieces.push(piece);
  const text = joined(pieces);
  if (crc32(text) !== entry.crc)
    throw new ArchiveFault("its CRC-32 differs from the directory's", MANIFEST_NAME);
  try {
    const manifest = parseUniqueJson(new TextDecoder().decode(text)) as Manifest;
    if (manifest.format !== MANIFEST_FORMAT) throw new Error(`unknown format '${manifest.format}'`);
    if (manifest.files.length === 0 || manifest.segments.length === 0) throw new Error("it lists nothing");
    if (!hasShape(manifest)) throw new Error("members are missing");
    return manifest;
  } catch (error) {
    throw new ArchiveFault(`it is not a manifest of lyra (${(error as Error).message})`, MANIFEST_NAME);
  }
}

/** Whether the members that the checks below need exist; those check the values. */
function hasShape({ chainId, table, files, segments }: Manifest): boolean {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  return (
    typeof chainId === "string" &&
    typeof table === "string" &&
    files.every((file) => typeof file.name === "string" && typeof file.columns === "string") &&
    segments.every(
      ({ id, bytes, record }) =>
        typeof id === "string" &&
        isCount(bytes) &&
        isCount(record?.from) &&
        isCount(record.to) &&
        Boolean(record.tables),
    )
  );
}

/** Each record must hash to its id, name the previous id, and begin behind that segment. */
function checkChain(manifest: Manifest, tools: ArchiveTools): void {
  let previous: ManifestSegment | undefined;
  for (const segment of manifest.segments) {
    const { record } = segment;
    const where = `segment ${record?.from}-${record?.to}`;
    if (idOf(record, tools) !== segment.id)
      throw new ArchiveFault("its record does not hash to its id", where);
    if (previous && record.previousId !== previous.id) {
      throw new ArchiveFault(
        `it does not name segment ${previous.record.from}-${previous.record.to} as the one before`,
        where,
      );
    }
    if (previous && record.from !== previous.record.to + 1) {
      throw new ArchiveFault(`it does not begin where the one before ends (${previous.record.to})`, where);
    }
    previous = segment;
  }
  const first = manifest.segments[0]!.record;
  if (
    first.from !== manifest.from ||
    previous!.record.to !== manifest.to ||
    first.chainId !== manifest.chainId
  ) {
    throw new ArchiveFault("its range or chain is not that of its segments", MANIFEST_NAME);
  }
}

function idOf(record: SegmentRecord, tools: ArchiveTools): string {
  const hash = tools.newSha256();
  hash.update(new TextEncoder().encode(JSON.stringify(record)));
  return hash.hex();
}

function checkNames(manifest: Manifest, entries: readonly ArchiveEntry[]): void {
  if (entries.length !== manifest.files.length) {
    throw new ArchiveFault(
      `the archive has ${entries.length} CSV files, the manifest lists ${manifest.files.length}`,
    );
  }
  const table = manifest.table.replace(/^TABLE_/, "").toLowerCase();
  const archive = `${fileName(manifest.chainId, table, manifest.from, manifest.to)}.zip`;
  if (manifest.archive !== archive) {
    throw new ArchiveFault(`the name of the archive in it should be '${archive}'`, MANIFEST_NAME);
  }
  for (const [i, file] of manifest.files.entries()) {
    const version = String(file.databaseVersion).padStart(3, "0");
    const expected = `${fileName(manifest.chainId, `${table}-${version}`, file.from, file.to)}.csv`;
    if (file.name !== expected || entries[i]!.name !== expected) {
      throw new ArchiveFault(`the file is called '${entries[i]!.name}', it should be '${expected}'`);
    }
  }
}

async function verifyFile(
  source: ArchiveSource,
  entry: ArchiveEntry,
  described: ManifestFile,
  segments: readonly ManifestSegment[],
  table: string,
  tools: ArchiveTools,
): Promise<VerifiedFile> {
  const check = new SegmentCheck(described, segments, table.replace(/^TABLE_/, "").toLowerCase(), tools);
  const seen = await readEntry(source, entry, (csv) => check.update(csv), tools);
  check.finish();
  const differs = (what: string) =>
    new ArchiveFault(`its ${what} is not the one in the manifest`, described.name);
  if (seen.packedSha256 !== described.packedSha256) throw differs("SHA-256 as it lies in the archive");
  if (seen.sha256 !== described.sha256) throw differs("SHA-256");
  if (entry.bytes !== described.bytes) throw differs("length");
  if (check.rows !== described.rows) throw differs("number of rows");
  return { name: entry.name, rows: check.rows, bytes: entry.bytes, sha256: seen.sha256 };
}

/** Reads a whole entry and checks its length and CRC-32. */
async function readEntry(
  source: ArchiveSource,
  entry: ArchiveEntry,
  seen: (csv: Uint8Array) => void,
  tools: ArchiveTools,
): Promise<EntryHashes> {
  if (entry.method !== Method.deflate) throw new ArchiveFault("it is not deflated", entry.name);
  const differs = () => new ArchiveFault("its length differs from the directory's");
  let bytes = 0;
  const hasher = tools.newEntryHasher((csv) => {
    bytes += csv.length;
    // A few bytes can inflate to any number: stop at the first byte beyond the announced length.
    if (bytes > entry.bytes) throw differs();
    seen(csv);
  });
  try {
    for await (const piece of entryStream(source, entry)) await hasher.update(piece);
    const hashes = await hasher.finish();
    if (hashes.bytes !== entry.bytes) throw differs();
    if (hashes.crc !== entry.crc) throw new ArchiveFault("its CRC-32 differs from the directory's");
    return hashes;
  } catch (error) {
    throw new ArchiveFault(error instanceof Error ? error.message : String(error), entry.name);
  }
}

/** Splits a joined CSV by the segments' lengths and checks each share against its record. */
class SegmentCheck {
  rows = 0;
  private readonly header: Uint8Array;
  private headerDone = 0;
  private at = 0;
  private done = 0;
  private hash: Sha256;
  private counter = new RowCounter();

  constructor(
    private readonly file: ManifestFile,
    private readonly segments: readonly ManifestSegment[],
    private readonly table: string,
    private readonly tools: ArchiveTools,
  ) {
    this.header = new TextEncoder().encode(`${file.columns}\n`);
    this.hash = this.newSegmentHash();
    const versions = segments.every((segment) => segment.record.databaseVersion === file.databaseVersion);
    const { from, to } = { from: segments[0]?.record.from, to: segments.at(-1)?.record.to };
    if (!versions || from !== file.from || to !== file.to) {
      throw new ArchiveFault("its range or version is not that of its segments", file.name);
    }
  }

  update(csv: Uint8Array): void {
    let rest = this.checkHeader(csv);
    while (rest.length > 0) {
      this.checkCompleted();
      const segment = this.segments[this.at];
      if (!segment) throw new ArchiveFault("it has more rows than its segments");
      const share = rest.subarray(0, segment.bytes - this.done);
      this.hash.update(share);
      this.counter.count(share);
      this.done += share.length;
      rest = rest.subarray(share.length);
    }
  }

  finish(): void {
    if (this.headerDone < this.header.length)
      throw new ArchiveFault("its first line is missing", this.file.name);
    this.checkCompleted();
    if (this.at < this.segments.length)
      throw new ArchiveFault("it has fewer rows than its segments", this.file.name);
  }

  private checkHeader(csv: Uint8Array): Uint8Array {
    const length = Math.min(csv.length, this.header.length - this.headerDone);
    const expected = this.header.subarray(this.headerDone, this.headerDone + length);
    if (!isSame(expected, csv.subarray(0, length)))
      throw new ArchiveFault("its first line is not the one in the manifest");
    this.headerDone += length;
    return csv.subarray(length);
  }

  /** Checks every completed segment, including those without rows. */
  private checkCompleted(): void {
    for (
      let segment = this.segments[this.at];
      segment && this.done === segment.bytes;
      segment = this.segments[this.at]
    ) {
      const where = `rows of segment ${segment.record.from}-${segment.record.to}`;
      if (this.hash.hex() !== segment.record.tables[this.table]) {
        throw new ArchiveFault(`the ${where} are not the ones its record names (SHA-256 differs)`);
      }
      if (this.counter.rows !== segment.rows)
        throw new ArchiveFault(`the number of ${where} is not ${segment.rows}`);
      this.rows += segment.rows;
      this.at++;
      this.done = 0;
      this.hash = this.newSegmentHash();
      this.counter = new RowCounter();
    }
  }

  /** A record has the hash of the CSV in an export of its segment alone, header line included. */
  private newSegmentHash(): Sha256 {
    const hash = this.tools.newSha256();
    hash.update(this.header);
    return hash;
  }
}
