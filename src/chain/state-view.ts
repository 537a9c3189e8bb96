/**
 * The state's commitment, part by part: tables, below them the branches of a table by the digits of positions, below these
 * the entries. Two nodes whose states differ are walked down to the entry in which they do (`lyra chain diff`).
 */
import type { StatePart } from "../engine/chain-port.ts";
import { isBelow } from "../engine/entry-tree.ts";
import type { State } from "../engine/state.ts";
import type { ChainPoint } from "./chain-store.ts";

/** Keys that are looked through at one go. */
const KEYS_AT_ONCE = 20_000;

/**
 * @param table undefined for the whole state
 * @param prefix hexadecimal digits of positions in the table
 * @returns undefined where the state has nothing below the prefix, or its tree does not branch so far
 */
export async function statePartOf(
  { state, point }: { readonly state: State; readonly point: ChainPoint },
  table: string | undefined,
  prefix: string,
): Promise<StatePart | undefined> {
  const { height, appHash } = point;
  if (table === undefined) {
    const tables = state.tableDigests();
    const entries = tables.reduce((sum, each) => sum + each.entries, 0);
    return { height, appHash, digest: state.digest(), entries, tables };
  }
  const place = state.tree(table)?.place(prefix);
  if (place === undefined) return undefined;
  const { hash: digest, entries, children } = place;
  const part = { height, appHash, digest, entries };
  if (children !== undefined) return { ...part, children };
  // Positions do not lead back to keys. Blocks have their turn meanwhile: the caller sees by the height that one came.
  const leaf: { key: string; value: string }[] = [];
  for (const [n, key] of state.keysOf(table).entries()) {
    if (n > 0 && n % KEYS_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    if (!isBelow(key, prefix)) continue;
    const value = state.find(table, key);
    if (value !== undefined) leaf.push({ key, value });
  }
  return { ...part, leaf };
}
