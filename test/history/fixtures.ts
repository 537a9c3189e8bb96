// Made-up segments and stores for the history tests, and the other programs that look at what comes out.
import type { Database } from "bun:sqlite";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeSegment } from "../../src/history/segment.ts";
import { InProcessBuilder, SegmentMaker, type SegmentMakerOptions } from "../../src/history/segment-maker.ts";
import { listSegments, recordSegment, type SegmentRow } from "../../src/history/segment-table.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter, segmentDirectory } from "../../src/store/database.ts";
import { Field } from "../../src/wire/block.ts";
import { encodeCheckpointEvent } from "../../src/wire/generated/events.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";

const folders: string[] = [];

/** A folder that `removeFolders` takes away. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "lyra-history-"));
  folders.push(path);
  return path;
}

export function removeFolders(): void {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
}

/** Text with everything a CSV reader can stumble over. */
export const AWKWARD = [
  "",
  " padded ",
  "a,b",
  'say "hi"',
  "two\nlines",
  "cr\rhere",
  "crlf\r\nboth",
  "naïve ✓ 𝄞",
  "\\x00",
];

export interface MadeSegment {
  readonly from: number;
  readonly to: number;
  /** Lines of the table `trades`, without line feeds. */
  readonly lines: readonly string[];
  readonly version?: number;
  readonly header?: string;
}

/** Writes segment files that hold one table, chained; the rows are as the store lists them. */
export async function makeSegments(
  directory: string,
  segments: readonly MadeSegment[],
): Promise<SegmentRow[]> {
  const rows: SegmentRow[] = [];
  for (const { from, to, lines, version, header } of segments) {
    const block = { time: "2026-01-01T00:00:00.000000Z", hash: "ab" };
    const row = await writeSegment(directory, {
      chainId: "chain-x",
      from,
      to,
      previousId: rows.at(-1)?.id ?? "",
      first: { height: from, ...block },
      last: { height: to, ...block },
      databaseVersion: version ?? 1,
      tables: [{ name: "trades", header: header ?? "id,text", lines: lines.map((line) => `${line}\n`) }],
    });
    rows.push(row);
  }
  return rows;
}

/** Payload field number and message of an event; `tx` is a hash in hex when it is not the block's. */
export interface MadeEvent {
  readonly field: number;
  readonly message: Uint8Array;
  readonly seq?: number;
  readonly tx?: string;
}

export interface MadeBlock {
  readonly height: number;
  readonly timeNs: bigint;
  readonly events?: readonly MadeEvent[];
  readonly hash?: string;
}

export const BLOCK_HASH = "CD".repeat(32);

/** Writes blocks through the real writer. The database stays open. */
export function writeBlocks(
  home: string,
  blocks: readonly MadeBlock[],
): { db: Database; writer: BlockWriter } {
  const db = openWriter(home);
  const writer = new BlockWriter(db);
  for (const block of blocks) writeBlock(writer, block);
  return { db, writer };
}

export function writeBlock(
  writer: BlockWriter,
  { height, timeNs, events = [], hash = BLOCK_HASH }: MadeBlock,
): void {
  const txHashes = [hash];
  const all = events.map(({ field, message, seq, tx }, i) => {
    let index = 0;
    if (tx !== undefined) {
      index = txHashes.indexOf(tx);
      if (index < 0) index = txHashes.push(tx) - 1;
    }
    return { field, seq: seq ?? i + 3, tx: index, bytes: message, start: 0, end: message.length };
  });
  writer.write({ chainId: "chain-x", height, timeNs, hash, txHashes, events: all });
}

/** A block a second from 2026-01-01. */
export function secondNs(height: number): bigint {
  return (1_767_225_600n + BigInt(height)) * SECOND_NS;
}

/** Path of a program, or undefined after saying which checks are left out. */
export function program(name: string): string | undefined {
  const path = Bun.which(name);
  if (path === null) console.log(`SKIPPED: ${name} is not on this machine, so it checks nothing here`);
  return path ?? undefined;
}

/** Output of a program; its failure is the test's. */
export function run(command: readonly string[], stdin = ""): string {
  const result = Bun.spawnSync([...command], { stdin: Buffer.from(stdin), stdout: "pipe", stderr: "pipe" });
  if (result.exitCode !== 0)
    throw new Error(`${command[0]} failed: ${result.stderr.toString()}${result.stdout.toString()}`);
  return result.stdout.toString();
}

/** A CSV reader of its own: fields with whether they were quoted, as NULL and the empty string differ in that. */
export function parseCsv(csv: string): { text: string; quoted: boolean }[][] {
  const rows: { text: string; quoted: boolean }[][] = [];
  let row: { text: string; quoted: boolean }[] = [];
  for (let at = 0; at < csv.length; ) {
    let text = "";
    const quoted = csv[at] === '"';
    if (quoted) {
      for (at++; csv[at] !== '"' || csv[at + 1] === '"'; at++) {
        if (csv[at] === '"') at++;
        text += csv[at];
      }
      at++;
    } else {
      while (at < csv.length && csv[at] !== "," && csv[at] !== "\n") text += csv[at++];
    }
    row.push({ text, quoted });
    if (csv[at] === "\n") {
      rows.push(row);
      row = [];
    }
    at++;
  }
  return rows;
}

/** Everything a stream gives. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk.slice());
  return Buffer.concat(parts);
}

/** Blocks without events, a second apart. */
export function blocks(from: number, to: number): MadeBlock[] {
  return Array.from({ length: to - from + 1 }, (_, i) => ({ height: from + i, timeNs: secondNs(from + i) }));
}

/** Blocks with a row each, whose content and hash a word changes. */
export function rowed(from: number, to: number, word = "ab"): MadeBlock[] {
  return blocks(from, to).map(({ height, timeNs }) => ({
    height,
    timeNs,
    hash: Bun.SHA256.hash(`${word}${height}`, "hex"),
    events: [
      {
        field: Field.checkpoint,
        message: encodeCheckpointEvent({ hash: word, blockHash: word, blockHeight: BigInt(height) }),
      },
    ],
  }));
}

/** A home with blocks, and segments of ten of them. */
export async function homeOf(blocks: readonly MadeBlock[]): Promise<string> {
  const store = segmentedStore(blocks);
  await runOnce(store.maker());
  store.db.close();
  return store.home;
}

/** A store with blocks, and a maker of segments of ten blocks over it. */
export function segmentedStore(blocks: readonly MadeBlock[], options: Partial<SegmentMakerOptions> = {}) {
  const home = folder();
  const { db, writer } = writeBlocks(home, blocks);
  const maker = (more: Partial<SegmentMakerOptions> = {}) =>
    new SegmentMaker({
      home,
      db,
      segmentLength: 10,
      record: (row) => recordSegment(db, row),
      builder: new InProcessBuilder(home),
      ...options,
      ...more,
    });
  const ranges = () => listSegments(db).map((row) => `${row.from}-${row.to}`);
  const files = () => readdirSync(segmentDirectory(home)).sort();
  return { home, db, writer, maker, ranges, files, directory: segmentDirectory(home) };
}

export async function runOnce(maker: SegmentMaker): Promise<void> {
  await maker.idle();
  await maker.stop();
}
