// Finds the meaning of a text: a height, a hash, a key, an identifier, or a name.
import type { Matches } from "../../http/chain-bodies.ts";
import type { ChainHead } from "../../store/head.ts";
import { readValidatorUpdateAt } from "../../wire/generated/events.ts";
import { hexBytes, isHex64 } from "../../wire/identifiers.ts";
import { findAsset } from "../data/assets.ts";
import type { DataContext } from "../data/context.ts";
import { findMarket } from "../data/markets.ts";
import { type BlockRow, blockAt, hashOf } from "./block-rows.ts";
import { CommandWords } from "./command-words.ts";
import { blockTime, summaryOf } from "./facts.ts";
import type { TransactionSource } from "./transactions.ts";

const QUERY_CHARACTERS_MAX = 200;
const MATCHES_MAX = 12;
/** Names that are looked through, of each kind. */
const NAMES_MAX = 2_000;
/** Blocks whose hashes are compared, the newest first. */
const BLOCKS_SEARCHED_MAX = 50_000;

type Match = Matches["matches"][number];

export async function searchChain(
  context: DataContext,
  source: TransactionSource,
  query: string,
  head: ChainHead | undefined,
): Promise<Matches> {
  const text = query.trim().slice(0, QUERY_CHARACTERS_MAX);
  if (text === "") return { matches: [] };
  const number = Number(text.replace(/[ ,_]/g, ""));
  const matches = [
    ...(Number.isSafeInteger(number) && number >= 0 ? numbered(context, number, head) : []),
    ...(isHex64(text) ? await identified(context, source, text.toLowerCase()) : named(context, text)),
  ];
  return { matches: matches.slice(0, MATCHES_MAX) };
}

function numbered(context: DataContext, number: number, head: ChainHead | undefined): Match[] {
  const matches: Match[] = [];
  const block = blockAt(context.db, number);
  if (block !== undefined && head !== undefined && number >= head.firstHeight && number <= head.height)
    matches.push({ kind: "block", id: String(number), title: `block of ${blockTime(context, number)}` });
  const epoch = context.get("SELECT 1 FROM epochs WHERE id = ? LIMIT 1", number);
  if (epoch !== undefined) matches.push({ kind: "epoch", id: String(number), title: `epoch ${number}` });
  return matches;
}

/** Tables by an identifier's bytes. */
const BY_BYTES = [
  { kind: "order", table: "orders_current" },
  { kind: "deposit", table: "deposits_current" },
  { kind: "withdrawal", table: "withdrawals_current" },
] as const;

async function identified(context: DataContext, source: TransactionSource, id: string): Promise<Match[]> {
  const matches: Match[] = [];
  const add = (kind: Match["kind"], title: string) => matches.push({ kind, id, title });
  const interned = context.ids.find(id);
  const bytes = hexBytes(id)!;
  if (interned !== undefined) {
    const { ref } = interned;
    const asset = findAsset(context, id);
    if (asset !== undefined)
      add("asset", `${asset.details?.symbol ?? ""}  ${asset.details?.name ?? ""}`.trim());
    const market = findMarket(context, id);
    if (market !== undefined) add("market", market.tradableInstrument?.instrument?.code ?? "");
    if (context.get("SELECT 1 FROM nodes WHERE id = ?", ref) !== undefined)
      add("validator", nodeName(context, id));
    if (context.get("SELECT 1 FROM parties WHERE id = ?", ref) !== undefined) add("party", "a public key");
  }
  if (context.get("SELECT 1 FROM proposals_current WHERE id = ?", bytes) !== undefined)
    add("proposal", "a proposal");
  for (const { kind, table } of BY_BYTES)
    if (context.get(`SELECT 1 FROM ${table} WHERE id = ? LIMIT 1`, bytes) !== undefined)
      add(kind, `a ${kind}`);
  // A market or an asset has the identifier of its proposal; then there is no transaction to look for.
  if (matches.length > 0) return matches;
  const height = heightOfHash(context, id);
  if (height !== undefined) {
    return [{ kind: "block", id: String(height), title: `block of ${blockTime(context, height)}` }];
  }
  const words = new CommandWords(context);
  for (const tx of await source.withHash(id))
    matches.push({
      kind: "transaction",
      id: tx.hash.toUpperCase(),
      title: summaryOf(tx, words)?.title ?? "",
    });
  return matches;
}

/** The validators' names as they announced themselves. */
function nodes(context: DataContext): { readonly id: string; readonly name: string }[] {
  return context
    .all<{ id: bigint; data: Uint8Array }>(`SELECT id, data FROM nodes LIMIT ${NAMES_MAX}`)
    .map(({ id, data }) => ({
      id: context.ids.text(id),
      name: readValidatorUpdateAt(data, 0, data.length).name,
    }));
}

function heightOfHash({ db }: DataContext, hash: string): number | undefined {
  const rows = db
    .query("SELECT no, height, time, hash FROM blocks ORDER BY no DESC LIMIT ?")
    .iterate(BLOCKS_SEARCHED_MAX) as Iterable<BlockRow>;
  for (const row of rows) if (hashOf(row) === hash) return Number(row.height);
  return undefined;
}

function nodeName(context: DataContext, id: string): string {
  return nodes(context).find((node) => node.id === id)?.name ?? "";
}

function named(context: DataContext, text: string): Match[] {
  const sought = text.toLowerCase();
  const ids = (table: string) =>
    context
      .all<{ id: bigint }>(`SELECT id FROM ${table} LIMIT ${NAMES_MAX}`)
      .map(({ id }) => context.ids.text(id));
  const candidates: (Match & { readonly names: readonly string[] })[] = [
    ...ids("assets_current").map((id) => {
      const { symbol = "", name = "" } = findAsset(context, id)?.details ?? {};
      return { kind: "asset" as const, id, title: `${symbol}  ${name}`.trim(), names: [symbol, name] };
    }),
    ...ids("markets_current").map((id) => {
      const { code = "", name = "" } = findMarket(context, id)?.tradableInstrument?.instrument ?? {};
      return { kind: "market" as const, id, title: code, names: [code, name] };
    }),
    ...nodes(context).map(({ id, name }) => ({ kind: "validator" as const, id, title: name, names: [name] })),
  ];
  const closeness = (names: readonly string[]) =>
    Math.min(...names.map((name) => closenessOf(name.toLowerCase(), sought)));
  return candidates
    .map(({ names, ...match }) => ({ match, closeness: closeness(names) }))
    .filter(({ closeness: value }) => value < Number.POSITIVE_INFINITY)
    .sort((one, other) => one.closeness - other.closeness)
    .map(({ match }) => match);
}

/** The same, then its beginning, then a part of it. */
function closenessOf(name: string, sought: string): number {
  const at = name.indexOf(sought);
  if (at < 0) return Number.POSITIVE_INFINITY;
  return name === sought ? 0 : at === 0 ? 1 : 2;
}
