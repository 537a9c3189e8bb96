// Rows that a transaction wrote: movements of money, balances after its block, and rows of every other table.
import type { Database } from "bun:sqlite";
import { enumDescriptor } from "../wire/descriptors.ts";
import { decodeStakeLinking, decodeTransfer } from "../wire/generated/events.ts";
import {
  decodeDeposit,
  decodeOrder,
  decodeProposal,
  decodeTrade,
  decodeVote,
  decodeWithdrawal,
} from "../wire/generated/vega.ts";
import { hexBytes } from "../wire/identifiers.ts";
import { type PlainObject, toPlain } from "../wire/json.ts";
import { amountText, type StoredAmount } from "./amount.ts";
import { Ids } from "./ids.ts";

/** Entries shown of a list; the rest is counted. */
const ENTRIES_MAX = 200;

export interface AccountName {
  readonly party: string;
  readonly asset: string;
  readonly market: string;
  readonly type: string;
}

interface Movement {
  readonly from: AccountName;
  readonly to: AccountName;
  readonly amount: string;
  readonly type: string;
}

interface Balance extends AccountName {
  readonly balance: string;
}

export interface TransactionEffects {
  readonly movements: readonly Movement[];
  readonly balances: readonly Balance[];
  readonly events: readonly {
    readonly table: string;
    readonly rows: number;
    readonly data?: readonly PlainObject[];
  }[];
}

const NO_EFFECTS: TransactionEffects = { movements: [], balances: [], events: [] };

/** Message type of the tables whose rows are shown whole. */
const MESSAGES: Readonly<Record<string, { readonly type: string; decode(bytes: Uint8Array): object }>> = {
  deposits: { type: "vega.Deposit", decode: decodeDeposit },
  orders: { type: "vega.Order", decode: decodeOrder },
  proposals: { type: "vega.Proposal", decode: decodeProposal },
  stake_linkings: { type: "vega.events.v1.StakeLinking", decode: decodeStakeLinking },
  trades: { type: "vega.Trade", decode: decodeTrade },
  transfers: { type: "vega.events.v1.Transfer", decode: decodeTransfer },
  votes: { type: "vega.Vote", decode: decodeVote },
  withdrawals: { type: "vega.Withdrawal", decode: decodeWithdrawal },
};
/** Shown as movements and balances. */
const MONEY_TABLES: ReadonlySet<string> = new Set(["ledger", "balances", "balances_by_party", "accounts"]);

/**
 * The rows of a block that name the transaction.
 * @param block row of `blocks`
 * @param hash 64 hexadecimal digits
 */
export function transactionEffects(db: Database, block: bigint, hash: string): TransactionEffects {
  const bytes = hexBytes(hash)!;
  const tx = db.query("SELECT id FROM txs WHERE hash = ? ORDER BY id DESC").get(bytes) as {
    id: bigint;
  } | null;
  if (tx === null) return NO_EFFECTS;
  const ids = new Ids(db);
  const place = [block, tx.id] as const;
  const movements = db
    .query(
      `SELECT from_account, to_account, quantity, type FROM ledger WHERE block = ? AND tx = ? ORDER BY n LIMIT ${ENTRIES_MAX}`,
    )
    .all(...place) as { from_account: bigint; to_account: bigint; quantity: StoredAmount; type: bigint }[];
  const balances = db
    .query(`SELECT account, balance FROM balances WHERE block = ? AND tx = ? LIMIT ${ENTRIES_MAX}`)
    .all(...place) as { account: bigint; balance: StoredAmount }[];
  return {
    movements: movements.map(
      (entry): Movement => ({
        from: accountName(db, ids, entry.from_account),
        to: accountName(db, ids, entry.to_account),
        amount: amountText(entry.quantity),
        type: enumDescriptor("vega.TransferType").nameOf.get(Number(entry.type)) ?? String(entry.type),
      }),
    ),
    balances: balances.map(
      ({ account, balance }): Balance => ({ ...accountName(db, ids, account), balance: amountText(balance) }),
    ),
    events: tablesWithTx(db).flatMap((table) => rowsOf(db, table, place)),
  };
}

function accountName(db: Database, ids: Ids, ref: bigint): AccountName {
  const row = db.query("SELECT party, asset, market, type FROM accounts WHERE ref = ?").get(ref) as {
    party: bigint;
    asset: bigint;
    market: bigint;
    type: bigint;
  };
  const type = enumDescriptor("vega.AccountType").nameOf.get(Number(row.type)) ?? String(row.type);
  const [party, asset, market] = [row.party, row.asset, row.market].map((id) => ids.text(id));
  return { party: party!, asset: asset!, market: market!, type };
}

/** Tables whose rows name a block and a transaction. */
function tablesWithTx(db: Database): string[] {
  const sql = `SELECT s.name FROM sqlite_schema s WHERE s.type = 'table' AND s.name NOT LIKE 'chain_%'
    AND (SELECT count(*) FROM pragma_table_info(s.name) WHERE name IN ('block', 'tx')) = 2 ORDER BY s.name`;
  return (db.query(sql).all() as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => !MONEY_TABLES.has(name));
}

function rowsOf(db: Database, table: string, place: readonly [block: bigint, tx: bigint]) {
  const where = `FROM ${table} WHERE block = ? AND tx = ?`;
  const { rows } = db.query(`SELECT count(*) AS rows ${where}`).get(...place) as { rows: bigint };
  if (rows === 0n) return [];
  const message = MESSAGES[table];
  if (message === undefined) return [{ table, rows: Number(rows) }];
  const stored = db.query(`SELECT data ${where} LIMIT ${ENTRIES_MAX}`).all(...place) as {
    data: Uint8Array;
  }[];
  const data = stored.map((row) => toPlain(message.type, message.decode(row.data), "stored"));
  return [{ table, rows: Number(rows), data }];
}
