// Compares rows that say the same: columns with the messages that they were taken from, tables by party with the tables
// in order of time, and the newest row of a key with its history. Segments bind the messages and their order, and these
// bind the rest, so that a store from elsewhere cannot tell a party or a market something else.
import type { Database } from "bun:sqlite";
import { NodeError } from "../errors/node-error.ts";
import {
  readCheckpointEventAt,
  readRewardPayoutEventAt,
  readStakeLinkingAt,
  readTransferAt,
} from "../wire/generated/events.ts";
import {
  readDepositAt,
  readLiquidityProvisionAt,
  readMarginLevelsAt,
  readMarketAt,
  readMarketDataAt,
  readOrderAt,
  readProposalAt,
  readTradeAt,
  readVoteAt,
  readWithdrawalAt,
} from "../wire/generated/vega.ts";
import { identifierBytes } from "../wire/identifiers.ts";
import { checkDerivedRows, rowsOf } from "./derived-check.ts";
import { eraOf } from "./eras.ts";
import { accountHash, Ids } from "./ids.ts";
import { type IndexColumn, SLICE_ROWS, type Walk, walk } from "./index-check.ts";
import { microseconds } from "./project/context.ts";
import { proposalColumns } from "./project/governance.ts";
import { isLive, orderColumns } from "./project/orders.ts";
import { readFloors } from "./retention.ts";

type Pause = () => Promise<void>;
type Row = Readonly<Record<string, unknown>>;

/** @throws NodeError `store_damaged`; whatever `pause` throws */
export async function checkRowsAgree(db: Database, pause: Pause = async () => {}): Promise<void> {
  checkNumbers(db);
  for (const what of pairs(db)) await walk(db, what, SLICE_ROWS, pause);
  await checkAccounts(db, pause);
  for (const messages of MESSAGES) await checkMessages(db, messages, pause);
  await checkDerivedRows(db, pause);
}

function differs(fault: string): NodeError {
  const hint = "restore the home from a backup, or load its recording into another home";
  return new NodeError("store.check", "store_damaged", fault, hint);
}

// Rows of two tables.

/** Tables with a row for each change of a key, and their tables with the newest block of each key. */
const CURRENT: Readonly<Record<string, readonly string[]>> = {
  assets: ["id"],
  deposits: ["id", "party"],
  liquidity_provisions: ["id"],
  margin_levels: ["account"],
  markets: ["id"],
  positions: ["party", "market"],
  proposals: ["id"],
  stake_linkings: ["id"],
  transfers: ["ref"],
  votes: ["proposal", "party"],
  withdrawals: ["id", "party"],
};

function pairs(db: Database): Walk[] {
  const from = (table: string, selected: string, other: string): Walk => ({
    from: `${table} ${treeOf(db, table)}`,
    order: keyOf(db, table),
    selected: selected.split(", ").map((name) => ({ name, desc: 0n })),
    condition: "",
    other,
    fault: `a row of the store's table ${table} is not what other tables say`,
  });
  const walks: Walk[] = [];
  for (const [table, keys] of Object.entries(CURRENT)) {
    const same = (alias: string) => keys.map((key) => `${alias}.${key} = s.${key}`).join(" AND ");
    const selected = ["block", ...keys].join(", ");
    walks.push(
      from(table, selected, `SELECT 1 FROM ${table}_current c WHERE ${same("c")} AND c.block >= s.block`),
      from(`${table}_current`, selected, `SELECT 1 FROM ${table} h WHERE h.block = s.block AND ${same("h")}`),
    );
  }
  const floor = readFloors(db).get("balances")?.no ?? 0;
  const delegationsFloor = readFloors(db).get("delegations")?.no ?? 0;
  const sameDelegation = (a: string, b: string) =>
    ["party", "node", "epoch"].map((key) => `${a}.${key} = ${b}.${key}`).join(" AND ");
  return [
    ...walks,
    from(
      "network_parameters",
      "key, block, value",
      "SELECT 1 FROM network_parameters_current c WHERE c.key = s.key AND (c.block > s.block OR (c.block = s.block AND c.value = s.value))",
    ),
    from(
      "network_parameters_current",
      "key, block, value",
      "SELECT 1 FROM network_parameters h WHERE h.key = s.key AND h.block = s.block AND h.value = s.value",
    ),
    from(
      "delegations",
      "block, ord, party, node, epoch, amount",
      `SELECT 1 FROM delegations_current c WHERE ${sameDelegation("c", "s")} AND (c.block > s.block OR (c.block = s.block
        AND (c.amount = s.amount OR EXISTS (SELECT 1 FROM delegations l WHERE l.block = s.block AND l.ord > s.ord
        AND ${sameDelegation("l", "s")}))))`,
    ),
    from(
      "delegations_current",
      "party, node, epoch, block, amount",
      `SELECT 1 WHERE s.block <= ${delegationsFloor} UNION ALL
        SELECT 1 FROM delegations d WHERE d.block = s.block AND ${sameDelegation("d", "s")} AND d.amount = s.amount`,
    ),
    from("orders", "id, block", "SELECT 1 FROM orders_current c WHERE c.id = s.id AND c.block >= s.block"),
    from(
      "orders_current",
      "id, block, ord",
      "SELECT 1 FROM orders o WHERE o.block = s.block AND o.ord = s.ord AND o.id = s.id",
    ),
    from(
      "balances",
      "block, account, balance",
      `SELECT 1 FROM accounts a JOIN balances_by_party p ON p.era = ${eraOf("s.block")} AND p.party_no = a.party_no
        AND p.block = s.block AND p.account = s.account AND p.balance = s.balance
        JOIN balances_current c ON c.account = s.account AND (c.block > s.block OR (c.block = s.block AND c.balance = s.balance))
        WHERE a.ref = s.account`,
    ),
    from(
      "balances_by_party",
      "era, party_no, block, account, balance",
      `SELECT 1 FROM balances b JOIN accounts a ON a.ref = b.account AND a.party_no = s.party_no
        WHERE b.block = s.block AND b.account = s.account AND b.balance = s.balance AND s.era = ${eraOf("s.block")}`,
    ),
    from(
      "balances_current",
      "account, block, balance",
      `SELECT 1 WHERE s.block <= ${floor} UNION ALL
        SELECT 1 FROM balances b WHERE b.block = s.block AND b.account = s.account AND b.balance = s.balance`,
    ),
    from(
      "ledger",
      "block, n, from_account, to_account",
      `SELECT 1 FROM accounts f, accounts t
        JOIN ledger_by_party p ON p.era = ${eraOf("s.block")} AND p.party_no = f.party_no AND p.block = s.block AND p.n = s.n
        JOIN ledger_by_party q ON q.era = p.era AND q.party_no = t.party_no AND q.block = s.block AND q.n = s.n
        WHERE f.ref = s.from_account AND t.ref = s.to_account`,
    ),
    from(
      "ledger_by_party",
      "era, party_no, block, n",
      `SELECT 1 FROM ledger l JOIN accounts a ON a.ref IN (l.from_account, l.to_account) AND a.party_no = s.party_no
        WHERE l.block = s.block AND l.n = s.n AND s.era = ${eraOf("s.block")}`,
    ),
  ];
}

function keyOf(db: Database, table: string): IndexColumn[] {
  return db
    .query("SELECT name, 0 AS desc FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk")
    .all(table) as IndexColumn[];
}

function treeOf(db: Database, table: string): string {
  const [[sql]] = db
    .query("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?")
    .values(table) as [[string]];
  return sql.endsWith("WITHOUT ROWID") ? `INDEXED BY sqlite_autoindex_${table}_1` : "NOT INDEXED";
}

// Identifiers and accounts.

/** Rows by party name it by its number. */
function checkNumbers(db: Database): void {
  const twice = db.query("SELECT 1 FROM ids GROUP BY no HAVING count(*) > 1 LIMIT 1").get();
  if (twice) throw differs("two identifiers of the store have one number");
  const other =
    "SELECT 1 FROM accounts a LEFT JOIN ids i ON i.ref = a.party WHERE i.no IS NOT a.party_no LIMIT 1";
  if (db.query(other).get()) throw differs("an account of the store has another party's number");
}

/** An account's id is a hash of what it is of. */
async function checkAccounts(db: Database, pause: Pause): Promise<void> {
  const ids = new Ids(db);
  for await (const row of rowsOf(
    db,
    "SELECT hash, party, asset, market, type FROM accounts NOT INDEXED",
    pause,
  )) {
    const [asset, party, market] = [row.asset, row.party, row.market].map((ref) => ids.text(ref as bigint));
    const hash = accountHash(asset!, party!, market!, Number(row.type));
    if (Buffer.compare(hash, row.hash as Uint8Array) !== 0)
      throw differs("an account of the store is of another party, asset or market than its id");
  }
}

// Columns and the messages in `data`.

interface Messages<Message> {
  readonly table: string;
  /** Columns, and a message in `data`. */
  readonly select: string;
  read(bytes: Uint8Array, start: number, end: number): Message;
  /** Identifiers that a column refers to. */
  readonly refs?: (m: Message) => Readonly<Record<string, string>>;
  /** Identifiers that a column holds. */
  readonly bytes?: (m: Message) => Readonly<Record<string, string>>;
  readonly values?: (m: Message, row: Row) => Readonly<Record<string, number | bigint | string>>;
  /** Parties that a column has the number of. */
  readonly numbers?: (m: Message) => Readonly<Record<string, string>>;
}

function messages<Message>(
  table: string,
  rest: Omit<Messages<Message>, "table" | "select"> & { select?: string },
) {
  return { table, select: `SELECT * FROM ${table}`, ...rest } as Messages<unknown>;
}

/** Account of a margin account's levels. */
const MARGIN =
  "SELECT m.data, a.party, a.asset, a.market, a.type FROM margin_levels m JOIN accounts a ON a.ref = m.account";
const MARGIN_TYPE = 3n;

const MESSAGES: readonly Messages<unknown>[] = [
  messages("trades", {
    read: readTradeAt,
    refs: (m) => ({ market: m.marketId, buyer: m.buyer, seller: m.seller }),
    bytes: (m) => ({ buy_order: m.buyOrder, sell_order: m.sellOrder }),
  }),
  messages("orders", {
    read: readOrderAt,
    bytes: ({ id }) => ({ id }),
    values: ({ version }) => ({ version: BigInt(version) }),
  }),
  messages("orders_current", {
    select: `SELECT c.*, o.data, (SELECT count(*) FROM orders_current n WHERE n.id = c.id) AS creations
      FROM orders_current c JOIN orders o ON o.block = c.block AND o.ord = c.ord`,
    read: readOrderAt,
    bytes: ({ id }) => ({ id }),
    refs: (m) => ({ market: m.marketId, party: m.partyId }),
    values: (m, row) => ({
      // Of several creations only the newest can be live.
      live: !isLive(m) ? 0n : row.creations === 1n ? 1n : (row.live as bigint),
      created: BigInt(microseconds(m.createdAt)),
      ...orderColumns(m),
    }),
  }),
  messages("deposits", {
    read: readDepositAt,
    bytes: ({ id }) => ({ id }),
    refs: ({ partyId }) => ({ party: partyId }),
  }),
  messages("withdrawals", {
    read: readWithdrawalAt,
    bytes: ({ id }) => ({ id }),
    refs: ({ partyId }) => ({ party: partyId }),
  }),
  messages("transfers_current", {
    select:
      "SELECT t.id, t.data, c.from_no, c.to_no FROM transfers_current c JOIN transfers t ON t.block = c.block AND t.ref = c.ref",
    read: readTransferAt,
    bytes: ({ id }) => ({ id }),
    numbers: (m) => ({ from_no: m.from, to_no: m.to }),
  }),
  messages("rewards", {
    read: readRewardPayoutEventAt,
    refs: ({ party, asset }) => ({ party, asset }),
    values: ({ epochSeq }) => ({ epoch: BigInt(epochSeq) }),
  }),
  messages("markets", { read: readMarketAt, refs: ({ id }) => ({ id }) }),
  messages("markets_current", {
    select:
      "SELECT c.state, m.data FROM markets_current c JOIN markets m ON m.block = c.block AND m.id = c.id",
    read: readMarketAt,
    values: ({ state }) => ({ state: BigInt(state) }),
  }),
  messages("market_data", { read: readMarketDataAt, refs: ({ market }) => ({ market }) }),
  messages("checkpoints", {
    read: readCheckpointEventAt,
    values: (m) => ({ height: BigInt(m.blockHeight) }),
  }),
  messages("margin_levels", {
    select: MARGIN,
    read: readMarginLevelsAt,
    refs: (m) => ({ party: m.partyId, asset: m.asset, market: m.marketId === "!" ? "" : m.marketId }),
    values: () => ({ type: MARGIN_TYPE }),
  }),
  messages("liquidity_provisions", {
    read: readLiquidityProvisionAt,
    bytes: ({ id }) => ({ id }),
    refs: (m) => ({ party: m.partyId, market: m.marketId }),
  }),
  messages("proposals_current", {
    select:
      "SELECT c.*, p.data FROM proposals_current c JOIN proposals p ON p.block = c.block AND p.id = c.id",
    read: readProposalAt,
    bytes: ({ id }) => ({ id }),
    refs: ({ partyId }) => ({ party: partyId }),
    values: proposalColumns,
  }),
  messages("stake_linkings_current", {
    select:
      "SELECT c.*, l.data FROM stake_linkings_current c JOIN stake_linkings l ON l.block = c.block AND l.id = c.id",
    read: readStakeLinkingAt,
    bytes: ({ id }) => ({ id }),
    refs: ({ party }) => ({ party }),
  }),
  messages("votes", {
    read: readVoteAt,
    bytes: (m) => ({ proposal: m.proposalId }),
    refs: ({ partyId }) => ({ party: partyId }),
  }),
];

async function checkMessages(db: Database, what: Messages<unknown>, pause: Pause): Promise<void> {
  const ids = new Ids(db);
  const entries = (of: Readonly<Record<string, unknown>> | undefined) => Object.entries(of ?? {});
  for await (const row of rowsOf(db, what.select, pause)) {
    const data = row.data as Uint8Array;
    const m = what.read(data, 0, data.length);
    const isSame =
      entries(what.refs?.(m)).every(
        ([name, id]) => BigInt(ids.find(id as string)?.ref ?? NO_REF) === row[name],
      ) &&
      entries(what.numbers?.(m)).every(
        ([name, id]) => BigInt(ids.find(id as string)?.no ?? -1) === row[name],
      ) &&
      entries(what.bytes?.(m)).every(
        ([name, id]) => Buffer.compare(identifierBytes(id as string), row[name] as Uint8Array) === 0,
      ) &&
      entries(what.values?.(m, row)).every(
        ([name, value]) => (typeof value === "number" ? BigInt(value) : value) === row[name],
      );
    if (!isSame) throw differs(`a row of the store's table ${what.table} has columns of another message`);
  }
}

/** No reference: those have 48 bits. */
const NO_REF = 2 ** 52;
