// What the demo has left in the store: counted there, not remembered from the play.
import type { Database } from "bun:sqlite";
import { openReader } from "../../store/database.ts";
import { AccountType } from "../../wire/generated/vega.ts";

/** Tables that an engine without markets feeds, with what a person calls their rows. */
const TABLES = [
  ["blocks", "blocks"],
  ["parties", "parties"],
  ["accounts", "accounts"],
  ["balances", "balance changes"],
  ["ledger", "ledger entries"],
  ["assets", "states of assets"],
  ["deposits", "states of deposits"],
  ["withdrawals", "states of withdrawals"],
  ["transfers", "states of transfers"],
  ["rewards", "reward payouts"],
  ["delegations", "delegation balances"],
  ["epochs", "epoch events"],
  ["stake_linkings", "states of stake linkings"],
  ["nodes", "nodes"],
  ["nodes_announced", "announcements of nodes"],
  ["ranking_scores", "ranking scores"],
  ["reward_scores", "reward scores"],
  ["key_rotations", "rotations of Vega keys"],
  ["ethereum_key_rotations", "rotations of Ethereum keys"],
  ["node_signatures", "signatures for the bridge"],
  ["multisig_signers", "changes of the bridge's signers"],
  ["network_parameters", "values of network parameters"],
  ["network_limits", "network limits"],
  ["checkpoints", "checkpoints"],
  ["core_snapshots", "core snapshots"],
  ["upgrade_proposals", "states of upgrade proposals"],
  ["proposals", "states of proposals"],
  ["votes", "votes"],
  ["segments", "history segments"],
] as const;

/** Types of accounts that such an engine can touch. */
export const TOUCHABLE_ACCOUNTS: readonly number[] = [
  AccountType.ACCOUNT_TYPE_GENERAL,
  AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE,
  AccountType.ACCOUNT_TYPE_EXTERNAL,
  AccountType.ACCOUNT_TYPE_GLOBAL_REWARD,
  AccountType.ACCOUNT_TYPE_PENDING_TRANSFERS,
  AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES,
  AccountType.ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES,
  AccountType.ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES,
  AccountType.ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS,
];

export interface DemoSummary {
  readonly tables: readonly { readonly table: string; readonly what: string; readonly rows: number }[];
  /** How many accounts there are of each type, by name without `ACCOUNT_TYPE_`. */
  readonly accounts: readonly { readonly type: string; readonly accounts: number }[];
}

export function summarise(home: string): DemoSummary {
  const db = openReader(home);
  try {
    return {
      tables: TABLES.map(([table, what]) => ({ table, what, rows: count(db, table) })),
      accounts: accounts(db),
    };
  } finally {
    db.close();
  }
}

/** What a table or a type of account lacks; empty when the month was a whole one. */
export function gapsOf({ tables, accounts }: DemoSummary): string[] {
  return [
    ...tables.filter(({ rows }) => rows === 0).map(({ what }) => `no ${what}`),
    ...accounts.filter((each) => each.accounts === 0).map(({ type }) => `no account of type ${type}`),
  ];
}

function count(db: Database, table: string): number {
  return Number((db.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: bigint }).n);
}

function accounts(db: Database): DemoSummary["accounts"] {
  const rows = db.query("SELECT type, count(*) AS n FROM accounts GROUP BY type").all() as {
    type: bigint;
    n: bigint;
  }[];
  const counts = new Map(rows.map(({ type, n }) => [Number(type), Number(n)]));
  return TOUCHABLE_ACCOUNTS.map((number) => ({ type: nameOf(number), accounts: counts.get(number) ?? 0 }));
}

function nameOf(number: number): string {
  const [name] = Object.entries(AccountType).find(([, value]) => value === number)!;
  return name.replace("ACCOUNT_TYPE_", "");
}
