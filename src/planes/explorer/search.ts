// Finds the meaning of a text: a height, a hash, a key, an identifier, or a name.
import type { Matches } from "../../http/chain-bodies.ts";
import type { ChainHead } from "../../store/head.ts";
import { NEIGHBOURS_MAX, referencePrefix } from "../../store/ids.ts";
import { readValidatorUpdateAt } from "../../wire/generated/events.ts";
import { hexBytes, hexOf, identifierText, isHex64 } from "../../wire/identifiers.ts";
import { findAsset } from "../data/assets.ts";
import type { DataContext } from "../data/context.ts";
import { findMarket } from "../data/markets.ts";
import { type BlockRow, blockAt, hashOf } from "./block-rows.ts";
import { CommandWords } from "./command-words.ts";
import { blockTime, summaryOf } from "./facts.ts";
import type { ExplorerTx, TransactionSource } from "./transactions.ts";

const QUERY_CHARACTERS_MAX = 200;
const MATCHES_MAX = 12;
/** Names that are looked through, of each kind. */
const NAMES_MAX = 2_000;
/** Blocks whose hashes are compared, the newest first. */
const BLOCKS_SEARCHED_MAX = 50_000;
/** The same for the beginning of a hash, which is asked for after every few keys. */
const BLOCKS_OF_PREFIX_MAX = 2_000;
/** Hashes that are compared with a beginning where nothing newer fits: no index has them. */
const HASHES_OF_PREFIX_MAX = 50_000;
/** Transactions whose hashes are compared with a beginning before: refused ones left no row. */
const NEWEST_MAX = 500;
/** Identifiers that begin alike and are looked at. */
const ALIKE_MAX = 100;
const ID_DIGITS = 64;
/** The beginning of an identifier or hash, as the page shows one in short: its end may follow. */
const BEGINNING = /^([\da-f]{6,64})(?:…([\da-f]*))?$/i;

const HEIGHT = /^\d{1,15}$/;

type Match = Matches["matches"][number];

export async function searchChain(
  context: DataContext,
  source: TransactionSource,
  query: string,
  head: ChainHead | undefined,
): Promise<Matches> {
  const given = query.trim().slice(0, QUERY_CHARACTERS_MAX);
  if (given === "") return { matches: [] };
  // Of hexadecimal digits, which are no height.
  const text = given.replace(/^0x(?=[\da-f])/i, "");
  const digits = given.replace(/[ ,_]/g, "");
  const matches = [
    ...(HEIGHT.test(digits) ? numbered(context, Number(digits), head) : []),
    ...(isHex64(text)
      ? await identified(context, source, text.toLowerCase())
      : [...named(context, text), ...(await beginning(context, source, text.toLowerCase()))]),
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

/** By keys alone. @param id lower-case hexadecimal */
function keyed(context: DataContext, id: string): Match[] {
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
  return matches;
}

async function identified(context: DataContext, source: TransactionSource, id: string): Promise<Match[]> {
  const matches = keyed(context, id);
  // A market or an asset has the identifier of its proposal; then there is no transaction to look for.
  if (matches.length > 0) return matches;
  const height = heightWith(context, (hash) => hash === id, BLOCKS_SEARCHED_MAX);
  if (height !== undefined) {
    return [{ kind: "block", id: String(height), title: `block of ${blockTime(context, height)}` }];
  }
  const words = new CommandWords(context);
  return (await source.withHash(id)).map((tx) => transactionMatch(tx, words));
}

const transactionMatch = (tx: ExplorerTx, words: CommandWords): Match => ({
  kind: "transaction",
  id: tx.hash.toUpperCase(),
  title: summaryOf(tx, words)?.title ?? "",
});

/** All that is identified by something that begins so; by ranges of the keys where there are any. */
async function beginning(context: DataContext, source: TransactionSource, text: string): Promise<Match[]> {
  const [, start, end = ""] = BEGINNING.exec(text) ?? [];
  if (start === undefined) return [];
  const fits = (id: string) => id.startsWith(start) && id.endsWith(end);
  const low = hexBytes(start.padEnd(ID_DIGITS, "0"))!;
  const high = hexBytes(start.padEnd(ID_DIGITS, "f"))!;
  const ids = new Set<string>();
  // References lie in the order of identifiers; those that share a prefix stand beside their place.
  const refs = context.all<{ bytes: Uint8Array }>(
    "SELECT bytes FROM ids WHERE ref BETWEEN ? AND ? LIMIT ?",
    referencePrefix(low) - NEIGHBOURS_MAX,
    referencePrefix(high) + NEIGHBOURS_MAX,
    ALIKE_MAX,
  );
  for (const { bytes } of refs) ids.add(identifierText(bytes));
  for (const table of [...BY_BYTES.map((each) => each.table), "proposals_current"])
    for (const { id } of context.all<{ id: Uint8Array }>(
      `SELECT id FROM ${table} WHERE id BETWEEN ? AND ? LIMIT ?`,
      low,
      high,
      ALIKE_MAX,
    ))
      ids.add(hexOf(id));
  const matches = [...ids]
    .filter((each) => isHex64(each) && fits(each))
    .slice(0, MATCHES_MAX)
    .flatMap((id) => keyed(context, id));
  const words = new CommandWords(context);
  const hashes = new Set<string>();
  let seen = 0;
  for await (const tx of source.newestFirst({}, [])) {
    const hash = tx.hash.toLowerCase();
    if (fits(hash) && hashes.size < MATCHES_MAX && !hashes.has(hash)) {
      hashes.add(hash);
      matches.push(transactionMatch(tx, words));
    }
    if (++seen === NEWEST_MAX) break;
  }
  if (matches.length === 0)
    for (const { hash } of context.all<{ hash: Uint8Array }>(
      `SELECT hash FROM (SELECT hash FROM txs ORDER BY id DESC LIMIT ${HASHES_OF_PREFIX_MAX}) WHERE hash BETWEEN ? AND ? LIMIT ?`,
      low,
      high,
      ALIKE_MAX,
    ))
      if (fits(hexOf(hash)))
        matches.push({ kind: "transaction", id: hexOf(hash).toUpperCase(), title: "a transaction" });
  const height = heightWith(context, fits, BLOCKS_OF_PREFIX_MAX);
  if (height !== undefined)
    matches.push({ kind: "block", id: String(height), title: `block of ${blockTime(context, height)}` });
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

/** Height of the newest block whose hash fits. @param searched blocks that are looked at */
function heightWith(
  { db }: DataContext,
  fits: (hash: string) => boolean,
  searched: number,
): number | undefined {
  const rows = db
    .query("SELECT no, height, time, hash FROM blocks ORDER BY no DESC LIMIT ?")
    .iterate(searched) as Iterable<BlockRow>;
  for (const row of rows) if (fits(hashOf(row))) return Number(row.height);
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
