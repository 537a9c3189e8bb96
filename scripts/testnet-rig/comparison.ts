// All validators of a network have the same hashes, rows, segments and exports.
import { readFileSync } from "node:fs";
import { sha256HexOf } from "../../src/crypto/sha.ts";
import { segmentPath } from "../../src/history/segment-format.ts";
import { listSegments } from "../../src/history/segment-table.ts";
import { EXPORT_TABLES } from "../../src/history/tables.ts";
import { segmentDirectory } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { rowsOf } from "../../test/chain/rig.ts";
import {
  atOneHeight,
  dataUrlOf,
  engineOf,
  type NodePlace,
  NotAtRest,
  progress,
  rowsIn,
  SEGMENT_BLOCKS,
} from "./network.ts";

const SEGMENT_LOOKS = 25;

/** A node with history: a validator, or a sidecar behind it. */
export interface HistoryPlace {
  readonly node: { readonly number: number; readonly home: string; readonly dataPort: number };
}

/** Rows, segments, exports and hashes. @throws Error naming what differs. @returns a sentence on it */
export async function expectSame(pairs: readonly ValidatorPair[]): Promise<string> {
  const { height, segments } = await atOneHeight(pairs, (height) => sameAt(pairs, height));
  await progress(pairs, 1);
  await sameHashes(pairs, height);
  return `${pairs.length} validators alike at block ${height}, ${segments} segments`;
}

/** Of validators that stand behind one block. @throws Error naming what differs */
export async function sameAt(
  pairs: readonly ValidatorPair[],
  height: number,
): Promise<{ readonly height: number; readonly segments: number }> {
  for (const pair of pairs) await segmentsAtRest(pair, height);
  alike(`rows at block ${height}`, pairs.map(tablesOf));
  const segments = pairs.map(segmentsOf);
  alike("segments", segments);
  alike("exports", await Promise.all(pairs.map((pair) => exportsOf(pair))));
  return { height, segments: segments[0]!.size };
}

/** The application hash of each block, as far as the engines have it. */
export async function sameHashes(pairs: readonly NodePlace[], last: number): Promise<void> {
  const clients = pairs.map(engineOf);
  for (let height = 2; height <= last; height++) {
    const hashes = await Promise.all(
      clients.map((client) =>
        client.block(height).then(
          ({ appHash }) => appHash,
          () => "none",
        ),
      ),
    );
    const present = hashes.filter((hash) => hash !== "none");
    if (new Set(present).size > 1) throw new Error(`application hashes differ at block ${height}: ${hashes}`);
  }
}

export function alike(what: string, all: readonly Map<string, string>[]): void {
  const [first, ...rest] = all;
  for (const [n, other] of rest.entries())
    for (const name of new Set([...first!.keys(), ...other.keys()]))
      if (first!.get(name) !== other.get(name))
        throw new Error(
          `${what} of validators 1 and ${n + 2} differ: ${name}: ${first!.get(name)}, ${other.get(name)}`,
        );
}

/** Rows of each table but those that a chain keeps for itself. */
export function tablesOf(pair: ValidatorPair): Map<string, string> {
  using db = rowsIn(pair);
  return digestsOf(rowsOf(digestStore(db)));
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
      throw new NotAtRest(`the segment up to block ${due} of validator ${pair.node.number} does not come`);
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
    if (!answer.ok)
      throw new Error(`validator ${pair.node.number}, export of ${name}: ${await answer.text()}`);
    hashes.set(name, sha256HexOf(new Uint8Array(await answer.arrayBuffer())));
  }
  return hashes;
}
