// All validators of a network have the same hashes, rows, segments and exports.
import { readFileSync } from "node:fs";
import { unzipSync } from "fflate";
import { sha256HexOf } from "../../src/crypto/sha.ts";
import { segmentPath } from "../../src/history/segment-format.ts";
import { listSegments } from "../../src/history/segment-table.ts";
import { EXPORT_TABLES } from "../../src/history/tables.ts";
import { tablesOfBlocks } from "../../src/store/chain-tables.ts";
import { segmentDirectory } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import { hexOf } from "../../src/wire/identifiers.ts";
import { rowsOf } from "../../test/chain/rig.ts";
import {
  atOneHeight,
  dataUrlOf,
  type LivePlace,
  type NodeTitle,
  NotAtRest,
  progress,
  reach,
  rowsIn,
  SEGMENT_BLOCKS,
  titleOf,
} from "./network.ts";

const SEGMENT_LOOKS = 25;

/** A node with history: a validator, or a sidecar behind it. */
export interface HistoryPlace {
  readonly node: NodeTitle & { readonly home: string; readonly dataPort: number };
}

/** Hashes, rows, segments and exports, of which there must be some. @throws Error naming what differs. @returns a sentence on it */
export async function expectSame(pairs: readonly (LivePlace & HistoryPlace)[]): Promise<string> {
  await reach(pairs, SEGMENT_BLOCKS + 1);
  const { height, segments } = await atOneHeight(pairs, (height) => sameAt(pairs, height));
  await progress(pairs, 1);
  return `${pairs.length} validators alike at block ${height}, ${segments} segments`;
}

/** Of validators that stand behind one block. @throws Error naming what differs */
export async function sameAt(
  pairs: readonly HistoryPlace[],
  height: number,
): Promise<{ readonly height: number; readonly segments: number }> {
  sameHashes(pairs, height);
  for (const pair of pairs) await segmentsAtRest(pair, height);
  alike(`rows at block ${height}`, pairs.map(tablesOf));
  alike(`blocks up to ${height}`, pairs.map(blockTablesOf));
  const segments = pairs.map(segmentsOf);
  alike("segments", segments);
  alike("exports", await Promise.all(pairs.map((pair) => exportsOf(pair))));
  return { height, segments: segments[0]!.size };
}

/** The application hash after each block, as each node stored it. @throws Error where hashes differ, or one is missing */
function sameHashes(pairs: readonly HistoryPlace[], last: number): void {
  const all = pairs.map((pair) => hashesIn(pair, last));
  for (let height = 1; height <= last; height++) {
    const hashes = all.map((each) => each.get(height) ?? "none");
    if (hashes.length < 2 || hashes.includes("none") || new Set(hashes).size > 1)
      throw new Error(`application hashes after block ${height}: ${hashes.join(", ")}`);
  }
}

/** Application hashes by the heights of their blocks. */
export function hashesIn(pair: HistoryPlace, last: number): ReadonlyMap<number, string> {
  using db = rowsIn(pair);
  const rows = db.query("SELECT height, app_hash FROM chain_blocks WHERE height <= ?").all(last) as {
    height: bigint;
    app_hash: Uint8Array;
  }[];
  return new Map(rows.map(({ height, app_hash }) => [Number(height), hexOf(app_hash)]));
}

/** @throws Error for what differs, and where there is nothing to compare */
export function alike(what: string, all: readonly ReadonlyMap<string, string>[]): void {
  const [first, ...rest] = all;
  if (rest.length === 0 || first!.size === 0) throw new Error(`${what}: there is nothing to compare`);
  for (const [n, other] of rest.entries())
    for (const name of new Set([...first!.keys(), ...other.keys()]))
      if (first!.get(name) !== other.get(name))
        throw new Error(
          `${what} of validators 1 and ${n + 2} differ: ${name}: ${first!.get(name)}, ${other.get(name)}`,
        );
}

/** Rows of each table but those that a chain keeps for itself. */
export function tablesOf(pair: HistoryPlace): Map<string, string> {
  using db = rowsIn(pair);
  return digestsOf(rowsOf(digestStore(db)));
}

/** Transactions with their verdicts, headers and application hashes, which a chain keeps of its blocks. */
function blockTablesOf(pair: HistoryPlace): Map<string, string> {
  using db = rowsIn(pair);
  const { tables } = digestStore(db);
  return new Map(tablesOfBlocks(db).map((name) => [name, tables[name]!.sha256]));
}

export function digestsOf({ tables }: ReturnType<typeof rowsOf>): Map<string, string> {
  const digests = Object.entries(tables).map(
    ([name, each]) => [name, `${each.rows} ${each.sha256}`] as const,
  );
  // Segments are made beside the blocks, and compared by themselves.
  return new Map(digests.filter(([name]) => name !== "segments"));
}

/** Last block of the newest segment that is due. */
export const lastSegmentEnd = (height: number): number =>
  Math.floor((height - 1) / SEGMENT_BLOCKS) * SEGMENT_BLOCKS;

/** Waits for the segments that are due: they are made beside the blocks. */
export async function segmentsAtRest(pair: HistoryPlace, height: number): Promise<void> {
  const due = lastSegmentEnd(height);
  for (let look = 0; (boundsIn(pair)?.to ?? 0) < due; look++) {
    // Listed behind the commit of a block that is executed: engines that stand still do not bring it.
    if (look === SEGMENT_LOOKS)
      throw new NotAtRest(`the segment up to block ${due} of ${titleOf(pair)} does not come`);
    await Bun.sleep(200);
  }
}

interface Bounds {
  readonly from: number;
  readonly to: number;
}

/** First and last block of the segments. */
export function boundsIn(pair: HistoryPlace): Bounds | undefined {
  using db = rowsIn(pair);
  const segments = listSegments(db);
  return segments.length === 0 ? undefined : { from: segments[0]!.from, to: segments.at(-1)!.to };
}

/** The files of history, by the blocks that they hold. */
export function segmentsOf(pair: HistoryPlace): Map<string, string> {
  using db = rowsIn(pair);
  const folder = segmentDirectory(pair.node.home);
  return new Map(
    listSegments(db).map(({ from, to, id, previousId }) => [
      `${from}-${to}`,
      `${id} ${previousId} ${sha256HexOf(readFileSync(segmentPath(folder, id)))}`,
    ]),
  );
}

/** SHA-256 of each table's export, as a client gets it. @param bounds default: all of its segments */
export async function exportsOf(
  pair: HistoryPlace,
  bounds: Bounds | undefined = boundsIn(pair),
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  if (bounds === undefined) return hashes;
  for (const { name } of EXPORT_TABLES) {
    const query = `table=TABLE_${name.toUpperCase()}&fromBlock=${bounds.from}&toBlock=${bounds.to}`;
    const answer = await fetch(dataUrlOf(pair, `/api/v2/networkhistory/export?${query}`));
    if (!answer.ok) throw new Error(`${titleOf(pair)}, export of ${name}: ${await answer.text()}`);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    hashes.set(name, sha256HexOf(bytes));
    if (name === "blocks") expectBlocks(bytes, bounds, titleOf(pair));
  }
  return hashes;
}

/** The export of blocks has a line for each, behind its header. */
function expectBlocks(archive: Uint8Array, { from, to }: Bounds, title: string): void {
  const [text] = Object.values(unzipSync(archive)).map((bytes) => Buffer.from(bytes).toString());
  const lines = text?.trim().split("\n").slice(1) ?? [];
  if (lines.length !== to - from + 1)
    throw new Error(`${title}: the export of blocks ${from} to ${to} has ${lines.length} lines`);
}
