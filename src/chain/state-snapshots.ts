/**
 * Snapshots of the state for other nodes, as a consensus engine's state synchronisation moves them: all entries of the
 * state and where the chain stands, in compressed chunks. They are written from the stored state, in a read transaction of
 * its own, while blocks go on; and they are restored by content: the hash that the entries give must be the one that the
 * consensus engine trusts for the height. Rows and segments are no part of them: history comes from another Lyra.
 *
 *   first line    format, chain, genesis and place, as JSON
 *   other lines   table, key as JSON and value as it is stored, with tabs between, by table and key
 *   chunk         gzip of whole lines, cut behind the line that reaches `CHUNK_BYTES`
 *   metadata      SHA-256 of each chunk's lines, one behind the other
 *   hash          SHA-256 of the metadata: the same on all nodes, whatever compresses
 */
import type { Database } from "bun:sqlite";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync, gzip } from "node:zlib";
import { sha256Of } from "../crypto/sha.ts";
import { digestOfEntries, type StateEntry } from "../engine/state.ts";
import { NodeError } from "../errors/node-error.ts";
import { openReader } from "../store/database.ts";
import { appHashFrom, type Place } from "./app-hash.ts";
import { type ChainPoint, storedEntries, storedStatePoint } from "./chain-store.ts";

const SNAPSHOT_FORMAT = 1;

const MIB = 1024 * 1024;
/** Lines of a chunk; one more line than that makes it full. */
const CHUNK_BYTES = 4 * MIB;
/** Lines that are read at one go. */
const AT_ONCE_BYTES = MIB / 8;
/** A chunk's lines at the most: what a receiver unpacks. A message of the consensus engine holds 16 MB. */
const CHUNK_BYTES_MAX = 14 * MIB;
const CHUNKS_MAX = 10_000;
const HASH_BYTES = 32;
/** Snapshots that stay however old they are; a consensus engine asks for one over minutes. */
const KEPT_MIN = 3;
const KEPT_MS = 10 * 60_000;
const DIRECTORY = "snapshots";
const PARTIAL = ".part";
const DESCRIPTION = "snapshot.json";

/** Of a chain's state at a height, complete and immutable. */
export interface StateSnapshot {
  readonly height: number;
  readonly format: number;
  readonly chunks: number;
  readonly hash: Uint8Array;
  readonly metadata: Uint8Array;
}

/** The chain of a snapshot. */
interface Chain {
  readonly chainId: string;
  /** Hash of the genesis, as `Genesis.hash`. */
  readonly genesis: string;
}

interface Header extends Chain {
  readonly format: number;
  readonly place: Place;
}

const pack = promisify(gzip);

/** The snapshots of a home. */
export class StateSnapshots {
  private readonly directory: string;
  private running: Promise<StateSnapshot> | undefined;

  constructor(
    private readonly home: string,
    private readonly chain: Chain,
    private readonly chunkBytes = CHUNK_BYTES,
  ) {
    this.directory = join(home, DIRECTORY);
  }

  /** The newest first. */
  list(): StateSnapshot[] {
    return this.heights().map((height) => this.read(height));
  }

  /** Height of the oldest one; undefined while there is none. */
  get oldestHeight(): number | undefined {
    return this.heights().at(-1);
  }

  /** Settles when none is being written: its read transaction keeps the store's log from being folded back. */
  async idle(): Promise<void> {
    await this.running?.catch(() => {});
  }

  /** A chunk as it is sent; undefined where there is no such snapshot or chunk. */
  chunk(height: number, format: number, index: number): Uint8Array | undefined {
    const path = join(this.pathOf(height), nameOf(index));
    if (format !== SNAPSHOT_FORMAT || !existsSync(path)) return undefined;
    return readFileSync(path);
  }

  /**
   * Writes a snapshot of the stored state, which must be up to date; it counts once it is whole. While one is
   * being written, the call waits for it. @param nowMs Unix milliseconds, for the age of snapshots that go
   */
  write(nowMs: number): Promise<StateSnapshot> {
    this.running ??= this.writeOne(nowMs).finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async writeOne(nowMs: number): Promise<StateSnapshot> {
    const db = openReader(this.home);
    try {
      // All of it as of now, whatever is stored meanwhile.
      db.run("BEGIN");
      const { appHash: _, ...place } = storedStatePoint(db);
      const { height } = place;
      if (!existsSync(join(this.pathOf(height), DESCRIPTION)))
        await this.writeChunks(db, { format: SNAPSHOT_FORMAT, ...this.chain, place });
      this.removeOld(nowMs);
      return this.read(height);
    } finally {
      db.close();
    }
  }

  private async writeChunks(db: Database, header: Header): Promise<void> {
    const path = this.pathOf(header.place.height);
    const partial = path + PARTIAL;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true, mode: 0o700 });
    const hashes: Uint8Array[] = [];
    for await (const lines of chunksOf(linesOf(db, header), this.chunkBytes)) {
      if (hashes.length >= CHUNKS_MAX || lines.length > CHUNK_BYTES_MAX)
        throw new NodeError("chain.snapshot", "snapshot_too_large", "the state does not fit a snapshot");
      writeFileSync(join(partial, nameOf(hashes.length)), await pack(lines, { level: 1 }));
      hashes.push(sha256Of(lines, new Uint8Array(HASH_BYTES)));
    }
    const metadata = Buffer.concat(hashes).toString("hex");
    writeFileSync(join(partial, DESCRIPTION), JSON.stringify({ format: SNAPSHOT_FORMAT, metadata }));
    renameSync(partial, path);
  }

  private read(height: number): StateSnapshot {
    const text = readFileSync(join(this.pathOf(height), DESCRIPTION), "utf8");
    const { format, metadata: hex } = JSON.parse(text) as { format: number; metadata: string };
    const metadata = Uint8Array.fromHex(hex);
    const hash = sha256Of(metadata, new Uint8Array(HASH_BYTES));
    return { height, format, chunks: metadata.length / HASH_BYTES, hash, metadata };
  }

  private heights(): number[] {
    if (!existsSync(this.directory)) return [];
    const names = readdirSync(this.directory).filter((name) => /^\d{1,15}$/.test(name));
    return names.map(Number).sort((a, b) => b - a);
  }

  private removeOld(nowMs: number): void {
    // Only one is written at a time: a process that was killed left what is partial now.
    for (const name of readdirSync(this.directory))
      if (name.endsWith(PARTIAL)) rmSync(join(this.directory, name), { recursive: true, force: true });
    for (const height of this.heights().slice(KEPT_MIN)) {
      const path = this.pathOf(height);
      if (nowMs - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
    }
  }

  private pathOf(height: number): string {
    return join(this.directory, String(height));
  }
}

function nameOf(index: number): string {
  return `${String(index).padStart(5, "0")}.gz`;
}

function* linesOf(db: Database, header: Header): Generator<string> {
  yield `${JSON.stringify(header)}\n`;
  for (const { table, key, value } of storedEntries(db)) yield `${table}\t${JSON.stringify(key)}\t${value}\n`;
}

/** Blocks have their turn in between. */
async function* chunksOf(lines: Iterable<string>, bytesMax: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let atOnce = 0;
  for (const line of lines) {
    const part = Buffer.from(line, "utf8");
    parts.push(part);
    bytes += part.length;
    atOnce += part.length;
    if (atOnce >= AT_ONCE_BYTES) {
      atOnce = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (bytes < bytesMax) continue;
    yield Buffer.concat(parts);
    [parts, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(parts);
}

type Verdict = { readonly accepted: true } | { readonly accepted: false; readonly text: string };

const ACCEPTED: Verdict = { accepted: true };
const refused = (text: string): Verdict => ({ accepted: false, text });

/** Whether a snapshot that another node offers has a form that can be restored. */
export function checkOffer({ height, format, chunks, hash, metadata }: StateSnapshot): Verdict {
  if (format !== SNAPSHOT_FORMAT)
    return refused(`it has format ${format}, and this program reads ${SNAPSHOT_FORMAT}`);
  if (!Number.isSafeInteger(height) || height < 1) return refused("its height is invalid");
  if (!(chunks >= 1 && chunks <= CHUNKS_MAX)) return refused(`it has ${chunks} chunks`);
  if (metadata.length !== chunks * HASH_BYTES)
    return refused("its metadata do not have a hash for each chunk");
  const isWhole = Buffer.compare(sha256Of(metadata, new Uint8Array(HASH_BYTES)), hash) === 0;
  return isWhole ? ACCEPTED : refused("its metadata do not have its hash");
}

/**
 * The chunks of a snapshot as they come. They lie on the disk until the last one has come, and nothing is believed before:
 * memory holds one of them, then the commitment, then the state.
 */
export class SnapshotRestore {
  private readonly directory: string;
  private next = 0;

  /** @param appHash of the height, lower-case hex, from someone trusted */
  constructor(
    home: string,
    private readonly snapshot: StateSnapshot,
    private readonly appHash: string,
    private readonly chain: Chain,
  ) {
    this.directory = join(home, DIRECTORY, "restoring");
    this.discard();
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
  }

  get isComplete(): boolean {
    return this.next === this.snapshot.chunks;
  }

  /** Takes the next chunk. A chunk that is refused may come from another node. */
  apply(index: number, bytes: Uint8Array): Verdict {
    if (index !== this.next || this.isComplete)
      return refused(`chunk ${index} came, and chunk ${this.next} is next`);
    const lines = unpacked(bytes);
    if (lines === undefined) return refused(`chunk ${index} cannot be unpacked`);
    const expected = this.snapshot.metadata.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
    if (Buffer.compare(sha256Of(lines, new Uint8Array(HASH_BYTES)), expected) !== 0)
      return refused(`chunk ${index} does not have its hash`);
    writeFileSync(join(this.directory, nameOf(index)), lines);
    this.next++;
    return ACCEPTED;
  }

  /** The place of the state, when all its content gives the trusted hash. @throws NodeError `snapshot_invalid` */
  verify(): ChainPoint {
    if (!this.isComplete) throw invalid(`chunk ${this.next} of ${this.snapshot.chunks} is missing`);
    const { format, chainId, genesis, place } = this.header();
    if (format !== SNAPSHOT_FORMAT || chainId !== this.chain.chainId || genesis !== this.chain.genesis)
      throw invalid(`it is of chain ${String(chainId).slice(0, 50)}, or of another genesis`);
    if (place?.height !== this.snapshot.height) throw invalid("it is of another height");
    const appHash = appHashFrom(digestOfEntries(this.entries()), place);
    if (appHash !== this.appHash)
      throw invalid(
        `its content has the application hash ${appHash}, and block ${place.height} has ${this.appHash}`,
      );
    const { height, hash, timeNs, previousTimeNs, txs, blockEvents, ledgerEntries, events } = place;
    return { height, hash, timeNs, previousTimeNs, appHash, txs, blockEvents, ledgerEntries, events };
  }

  /** @throws NodeError `snapshot_invalid` */
  *entries(): Generator<StateEntry> {
    for (let index = 0; index < this.snapshot.chunks; index++) {
      const lines = this.linesOf(index);
      for (const line of index === 0 ? lines.slice(1) : lines) yield entryOf(line);
    }
  }

  /** Removes the chunks. */
  discard(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  private header(): Partial<Header> {
    try {
      return JSON.parse(this.linesOf(0)[0] ?? "") as Partial<Header>;
    } catch {
      throw invalid("its first line cannot be read");
    }
  }

  private linesOf(index: number): string[] {
    const text = readFileSync(join(this.directory, nameOf(index)), "utf8");
    const lines = text.split("\n");
    if (lines.pop() !== "") throw invalid(`chunk ${index} ends within a line`);
    return lines;
  }
}

function entryOf(line: string): StateEntry {
  const keyAt = line.indexOf("\t") + 1;
  const valueAt = line.indexOf("\t", keyAt) + 1;
  if (keyAt === 0 || valueAt === 0) throw invalid("a line of it is not an entry");
  let key: unknown;
  try {
    key = JSON.parse(line.slice(keyAt, valueAt - 1));
  } catch {
    // Refused below.
  }
  if (typeof key !== "string") throw invalid("a key of it is not a text");
  return { table: line.slice(0, keyAt - 1), key, value: line.slice(valueAt) };
}

function unpacked(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: CHUNK_BYTES_MAX });
  } catch {
    return undefined;
  }
}

function invalid(text: string): NodeError {
  return new NodeError("chain.restore", "snapshot_invalid", `the snapshot cannot be restored: ${text}`);
}
