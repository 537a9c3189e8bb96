// The story of a transaction: its command, its verdict, and the rows that it produced.
import type { Database } from "bun:sqlite";
import { sha256HexOf } from "../../crypto/sha.ts";
import type { RememberedRefusal } from "../../engine/chain-port.ts";
import { amountText, type StoredAmount } from "../../store/amount.ts";
import { Ids } from "../../store/ids.ts";
import { enumDescriptor } from "../../wire/descriptors.ts";
import { decodeInputData } from "../../wire/generated/commands.ts";
import { decodeStakeLinking, decodeTransfer } from "../../wire/generated/events.ts";
import {
  decodeDeposit,
  decodeOrder,
  decodeProposal,
  decodeTrade,
  decodeVote,
  decodeWithdrawal,
} from "../../wire/generated/vega.ts";
import { hexBytes } from "../../wire/identifiers.ts";
import { type PlainObject, toPlain } from "../../wire/json.ts";
import { rfc3339Nano } from "../../wire/time-text.ts";
import { readTransaction } from "../../wire/transaction.ts";

/** Transactions looked through for a hash, the newest first: about a second of work. */
const SEARCHED_TXS_MAX = 500_000;
/** Entries shown of a list; the rest is counted. */
const ENTRIES_MAX = 200;

export interface TransactionStory {
  readonly hash: string;
  /** `executed`, `failed` in its block, or `refused` before it was in one. */
  readonly state: "executed" | "failed" | "refused";
  readonly height?: string;
  readonly time?: string;
  readonly party?: string;
  /** Member of `InputData`, with its payload. */
  readonly command?: Readonly<Record<string, unknown>>;
  readonly code: number;
  /** The verdict's text, rule and sentence; for a transaction in a block only while this process remembers them. */
  readonly text?: string;
  readonly rule?: string;
  readonly sentence?: string;
  readonly movements: readonly Movement[];
  readonly balances: readonly Balance[];
  readonly events: readonly {
    readonly table: string;
    readonly rows: number;
    readonly data?: readonly PlainObject[];
  }[];
}

interface AccountName {
  readonly party: string;
  readonly asset: string;
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

interface ChainTxRow {
  readonly height: bigint;
  readonly code: bigint;
  readonly bytes: Uint8Array;
}

interface BlockRow {
  readonly no: bigint;
  readonly time: bigint;
}

/**
 * @param hash of the transaction's bytes, 64 hexadecimal digits
 * @param refusal the verdict, where the chain's process still has it
 * @returns undefined for a transaction that is in no block and was not recently refused
 */
export function transactionStory(
  db: Database,
  hash: string,
  refusal: RememberedRefusal | undefined,
): TransactionStory | undefined {
  const remembered = refusal?.outcome;
  const verdict = remembered && {
    text: remembered.text,
    ...(remembered.details && { rule: remembered.details.rule, sentence: remembered.details.sentence }),
  };
  const row = findTransaction(db, hash.toLowerCase());
  if (row === undefined) {
    if (remembered === undefined) return undefined;
    const nothing = { movements: [], balances: [], events: [] };
    const { outcome: _, ...sent } = refusal!;
    return {
      hash: hash.toUpperCase(),
      state: "refused",
      ...sent,
      code: remembered.code,
      ...verdict,
      ...nothing,
    };
  }
  const block = db
    .query("SELECT no, time FROM blocks WHERE height <= ? ORDER BY no DESC LIMIT 1")
    .get(Number(row.height)) as BlockRow;
  const { inputData, pubKey = "" } = readTransaction(row.bytes);
  const code = Number(row.code);
  return {
    hash: hash.toUpperCase(),
    state: code === 0 ? "executed" : "failed",
    height: row.height.toString(),
    time: rfc3339Nano(block.time * 1_000n),
    party: pubKey,
    command: toPlain("vega.commands.v1.InputData", decodeInputData(inputData), "stored"),
    code,
    ...(code !== 0 && verdict),
    ...effects(db, block.no, hash),
  };
}

function findTransaction(db: Database, hash: string): ChainTxRow | undefined {
  const select = db.prepare("SELECT height, code, bytes FROM chain_txs ORDER BY height DESC, n DESC LIMIT ?");
  try {
    for (const row of select.iterate(SEARCHED_TXS_MAX) as Iterable<ChainTxRow>)
      if (sha256HexOf(row.bytes) === hash) return row;
    return undefined;
  } finally {
    select.finalize();
  }
}

/** The rows of a block that name the transaction. */
function effects(db: Database, block: bigint, hash: string) {
  const bytes = hexBytes(hash)!;
  const tx = db.query("SELECT id FROM txs WHERE hash = ? ORDER BY id DESC").get(bytes) as {
    id: bigint;
  } | null;
  if (tx === null) return { movements: [], balances: [], events: [] };
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
  const row = db.query("SELECT party, asset, type FROM accounts WHERE ref = ?").get(ref) as {
    party: bigint;
    asset: bigint;
    type: bigint;
  };
  const type = enumDescriptor("vega.AccountType").nameOf.get(Number(row.type)) ?? String(row.type);
  return { party: ids.text(row.party), asset: ids.text(row.asset), type };
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
