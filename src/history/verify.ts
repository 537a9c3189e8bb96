// Checks an archive: the container, every byte of every CSV, and that the segments it was joined from form a chain. It proves
// that the rows have the hashes in the segment records, that the records hash to the segment ids, and that each names the
// previous id. Compare the last id with one from a node you trust: then every row is verified.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import { parseUniqueJson } from "../wire/unique-json.ts";
import { RowCounter } from "./csv.ts";
import { EntryHasher, type EntryHashes } from "./deflate.ts";
import { entryStream } from "./entry-stream.ts";
import {
  fileName,
  MANIFEST_FORMAT,
  MANIFEST_NAME,
  type Manifest,
  type ManifestFile,
  type ManifestSegment,
} from "./export-plan.ts";
import { segmentId } from "./segment-format.ts";
import { type ArchiveEntry, Method, readDirectory, verificationFailed } from "./zip.ts";

/** With O_NONBLOCK, opening a pipe does not wait for its writer. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Room for a manifest of more than a hundred thousand segments of 1.6 kB. */
const MANIFEST_BYTES_MAX = 256 * 1024 * 1024;

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

/** Checks a whole archive in bounded memory. @throws NodeError with exit code 4 that says where it fails */
export async function verifyArchive(path: string): Promise<Verification> {
  const file = await open(path, READ_FLAGS).catch((error) => {
    const message = `${path} cannot be opened: ${reasonOf(error)}`;
    throw new NodeError("history.verify", "archive_unreadable", message);
  });
  try {
    if (!(await file.stat()).isFile()) {
      throw new NodeError("history.verify", "archive_unreadable", `${path} is not a file`);
    }
    return await verifyOpen(file);
  } catch (error) {
    const isFailed = error instanceof NodeError && error.exitCode === ExitCode.verificationFailed;
    throw isFailed ? verificationFailed(`${path} is not sound: ${error.message}`) : error;
  } finally {
    await file.close();
  }
}

async function verifyOpen(file: FileHandle): Promise<Verification> {
  const entries = await readDirectory(file);
  if (entries.length === 0) throw verificationFailed("it holds no file");
  const last = entries.at(-1);
  const manifest = last?.name === MANIFEST_NAME ? await readManifest(file, last) : undefined;
  const csvs = manifest ? entries.slice(0, -1) : entries;
  if (!manifest) return await verifyChecksums(file, csvs);
  checkChain(manifest);
  checkNames(manifest, csvs);
  const files: VerifiedFile[] = [];
  let next = 0;
  for (const [i, described] of manifest.files.entries()) {
    const count = manifest.segments.slice(next).filter((s) => s.record.to <= described.to).length;
    const segments = manifest.segments.slice(next, (next += count));
    files.push(await verifyFile(file, csvs[i]!, described, segments, manifest.table));
  }
  const left = manifest.segments[next]?.record;
  if (left) throw verificationFailed(`no file holds the rows of segment ${left.from}-${left.to}`);
  const segments = manifest.segments.map((segment) => segment.id);
  const { from, to, table, chainId } = manifest;
  return { hasManifest: true, files, segments, from, to, table, chainId };
}

async function verifyChecksums(file: FileHandle, entries: readonly ArchiveEntry[]): Promise<Verification> {
  const files: VerifiedFile[] = [];
  for (const entry of entries) {
    const counter = new RowCounter();
    const { sha256 } = await readEntry(file, entry, (csv) => counter.count(csv));
    files.push({ name: entry.name, rows: counter.rows - 1, bytes: entry.bytes, sha256 });
  }
  return { hasManifest: false, files, segments: [] };
}

async function readManifest(file: FileHandle, entry: ArchiveEntry): Promise<Manifest> {
  if (entry.method !== Method.stored || entry.bytes > MANIFEST_BYTES_MAX) {
    throw verificationFailed("it is not a manifest of lyra", MANIFEST_NAME);
  }
  const text = Buffer.concat(await Array.fromAsync(entryStream(file, entry)));
  if (crc32(text) !== entry.crc)
    throw verificationFailed("its CRC-32 differs from the directory's", MANIFEST_NAME);
  try {
    const manifest = parseUniqueJson(text.toString()) as Manifest;
    if (manifest.format !== MANIFEST_FORMAT) throw new Error(`unknown format '${manifest.format}'`);
    if (manifest.files.length === 0 || manifest.segments.length === 0) throw new Error("it lists nothing");
    if (!hasShape(manifest)) throw new Error("members are missing");
    return manifest;
  } catch (error) {
    throw verificationFailed(`it is not a manifest of lyra (${reasonOf(error)})`, MANIFEST_NAME);
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
function checkChain(manifest: Manifest): void {
  let previous: ManifestSegment | undefined;
  for (const segment of manifest.segments) {
    const { record } = segment;
    const where = `segment ${record?.from}-${record?.to}`;
    if (segmentId(record) !== segment.id)
      throw verificationFailed("its record does not hash to its id", where);
    if (previous && record.previousId !== previous.id) {
      throw verificationFailed(
        `it does not name segment ${previous.record.from}-${previous.record.to} as the one before`,
        where,
      );
    }
    if (previous && record.from !== previous.record.to + 1) {
      throw verificationFailed(`it does not begin where the one before ends (${previous.record.to})`, where);
    }
    previous = segment;
  }
  const first = manifest.segments[0]!.record;
  if (
    first.from !== manifest.from ||
    previous!.record.to !== manifest.to ||
    first.chainId !== manifest.chainId
  ) {
    throw verificationFailed("its range or chain is not that of its segments", MANIFEST_NAME);
  }
}

function checkNames(manifest: Manifest, entries: readonly ArchiveEntry[]): void {
  if (entries.length !== manifest.files.length) {
    throw verificationFailed(
      `the archive has ${entries.length} CSV files, the manifest lists ${manifest.files.length}`,
    );
  }
  const table = manifest.table.replace(/^TABLE_/, "").toLowerCase();
  const archive = `${fileName(manifest.chainId, table, manifest.from, manifest.to)}.zip`;
  if (manifest.archive !== archive) {
    throw verificationFailed(`the name of the archive in it should be '${archive}'`, MANIFEST_NAME);
  }
  for (const [i, file] of manifest.files.entries()) {
    const version = String(file.databaseVersion).padStart(3, "0");
    const expected = `${fileName(manifest.chainId, `${table}-${version}`, file.from, file.to)}.csv`;
    if (file.name !== expected || entries[i]!.name !== expected) {
      throw verificationFailed(`the file is called '${entries[i]!.name}', it should be '${expected}'`);
    }
  }
}

async function verifyFile(
  file: FileHandle,
  entry: ArchiveEntry,
  described: ManifestFile,
  segments: readonly ManifestSegment[],
  table: string,
): Promise<VerifiedFile> {
  const check = new SegmentCheck(described, segments, table.replace(/^TABLE_/, "").toLowerCase());
  const seen = await readEntry(file, entry, (csv) => check.update(csv));
  check.finish();
  const differs = (what: string) =>
    verificationFailed(`its ${what} is not the one in the manifest`, described.name);
  if (seen.packedSha256 !== described.packedSha256) throw differs("SHA-256 as it lies in the archive");
  if (seen.sha256 !== described.sha256) throw differs("SHA-256");
  if (entry.bytes !== described.bytes) throw differs("length");
  if (check.rows !== described.rows) throw differs("number of rows");
  return { name: entry.name, rows: check.rows, bytes: entry.bytes, sha256: seen.sha256 };
}

/** Reads a whole entry and checks its length and CRC-32. */
async function readEntry(
  file: FileHandle,
  entry: ArchiveEntry,
  seen: (csv: Uint8Array) => void,
): Promise<EntryHashes> {
  if (entry.method !== Method.deflate) throw verificationFailed("it is not deflated", entry.name);
  const differs = () => verificationFailed("its length differs from the directory's");
  let bytes = 0;
  const hasher = new EntryHasher((csv) => {
    bytes += csv.length;
    // A few bytes can inflate to any number: stop at the first byte beyond the announced length.
    if (bytes > entry.bytes) throw differs();
    seen(csv);
  });
  try {
    for await (const piece of entryStream(file, entry)) await hasher.update(piece);
    const hashes = await hasher.finish();
    if (hashes.bytes !== entry.bytes) throw differs();
    if (hashes.crc !== entry.crc) throw verificationFailed("its CRC-32 differs from the directory's");
    return hashes;
  } catch (error) {
    throw verificationFailed(reasonOf(error), entry.name);
  }
}

/** Splits a joined CSV by the segments' lengths and checks each share against its record. */
class SegmentCheck {
  rows = 0;
  private readonly header: Buffer;
  private headerDone = 0;
  private at = 0;
  private done = 0;
  private hash: Bun.CryptoHasher;
  private counter = new RowCounter();

  constructor(
    private readonly file: ManifestFile,
    private readonly segments: readonly ManifestSegment[],
    private readonly table: string,
  ) {
    this.header = Buffer.from(`${file.columns}\n`);
    this.hash = this.newSegmentHash();
    const versions = segments.every((segment) => segment.record.databaseVersion === file.databaseVersion);
    const { from, to } = { from: segments[0]?.record.from, to: segments.at(-1)?.record.to };
    if (!versions || from !== file.from || to !== file.to) {
      throw verificationFailed("its range or version is not that of its segments", file.name);
    }
  }

  update(csv: Uint8Array): void {
    let rest = this.checkHeader(csv);
    while (rest.length > 0) {
      this.checkCompleted();
      const segment = this.segments[this.at];
      if (!segment) throw verificationFailed("it has more rows than its segments");
      const share = rest.subarray(0, segment.bytes - this.done);
      this.hash.update(share);
      this.counter.count(share);
      this.done += share.length;
      rest = rest.subarray(share.length);
    }
  }

  finish(): void {
    if (this.headerDone < this.header.length)
      throw verificationFailed("its first line is missing", this.file.name);
    this.checkCompleted();
    if (this.at < this.segments.length)
      throw verificationFailed("it has fewer rows than its segments", this.file.name);
  }

  private checkHeader(csv: Uint8Array): Uint8Array {
    const length = Math.min(csv.length, this.header.length - this.headerDone);
    const expected = this.header.subarray(this.headerDone, this.headerDone + length);
    if (!expected.equals(csv.subarray(0, length)))
      throw verificationFailed("its first line is not the one in the manifest");
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
      if (this.hash.digest("hex") !== segment.record.tables[this.table]) {
        throw verificationFailed(`the ${where} are not the ones its record names (SHA-256 differs)`);
      }
      if (this.counter.rows !== segment.rows)
        throw verificationFailed(`the number of ${where} is not ${segment.rows}`);
      this.rows += segment.rows;
      this.at++;
      this.done = 0;
      this.hash = this.newSegmentHash();
      this.counter = new RowCounter();
    }
  }

  /** A record has the hash of the CSV in an export of its segment alone, header line included. */
  private newSegmentHash(): Bun.CryptoHasher {
    return new Bun.CryptoHasher("sha256").update(this.header);
  }
}
