/**
 * A month on a devnet, in seconds: every kind of thing that happens, by real transactions, so that a new devnet has data to
 * look at. Time is frozen between the scenes, so that every run tells the same story.
 */

import type { Database } from "bun:sqlite";
import { openReader } from "../../store/database.ts";
import { AccountType } from "../../wire/generated/vega.ts";
import { systemTimeNs } from "../clock.ts";
import type { Devnet } from "../devnet.ts";
import * as money from "./acts.ts";
import * as politics from "./acts.ts";
import * as validators from "./acts.ts";
import * as trade from "./markets.ts";
import { Stage } from "./stage.ts";

interface Scene {
  readonly day: number;
  readonly title: string;
  play(stage: Stage): Promise<unknown>;
}

const DAYS = 30;
/** A day is an epoch. */
const DAY_SECONDS = 10;
/** Blocks of a day besides those that transactions make: enough for a first history segment in the end. */
const STEPS = 25;
/** The whole month, with what the scenes take of it: how far back a new chain begins. */
export const DEMO_SECONDS = 490;

const SCENES: readonly Scene[] = [
  { day: 1, title: "transfers of every kind", play: money.transfersOfEveryKind },
  { day: 2, title: "stake and delegations", play: validators.stakeAndDelegate },
  { day: 3, title: "a second node is announced", play: validators.announce },
  { day: 4, title: "freeform proposals", play: politics.freeforms },
  { day: 5, title: "markets open", play: trade.openMarkets },
  { day: 6, title: "deposits", play: money.deposits },
  { day: 7, title: "a network parameter changes", play: politics.parameterChange },
  { day: 8, title: "rewards for traders", play: trade.marketRewards },
  { day: 9, title: "reward accounts", play: money.rewardAccounts },
  { day: 10, title: "new assets", play: politics.newAssets },
  { day: 12, title: "withdrawals and a claim", play: money.withdrawals },
  { day: 13, title: "a crash, and a close-out", play: trade.crash },
  { day: 14, title: "mistakes", play: money.mistakes },
  { day: 15, title: "a new Vega key", play: validators.rotateVegaKey },
  { day: 17, title: "limits of an asset change", play: politics.assetLimits },
  { day: 19, title: "a transfer is cancelled", play: money.cancelTransfer },
  { day: 20, title: "delegations are taken back", play: validators.undelegate },
  { day: 21, title: "markets settle, a new one opens", play: trade.settlement },
  { day: 22, title: "a new Ethereum key", play: validators.rotateEthereumKey },
  { day: 24, title: "the bridge stops and goes on", play: money.bridgeStopped },
  { day: 26, title: "the bridge's threshold", play: validators.threshold },
  { day: 28, title: "an upgrade is proposed", play: validators.upgrade },
];

/** Parameters that differ while the demo plays, with their values afterwards. */
const PARAMETERS = [
  ["validators.epoch.length", `${DAY_SECONDS}s`, "1m"],
  ["snapshot.interval.length", "100", "1000"],
  ["market.auction.minimumDuration", "1s", "30m0s"],
  ["network.markPriceUpdateMaximumFrequency", "1s", "5s"],
  ["network.checkpoint.timeElapsedBetweenCheckpoints", "10s", "1m"],
] as const;

export interface DemoResult {
  readonly days: number;
  readonly transactions: number;
  /** Transactions that the chain had to refuse, and did. */
  readonly refusals: number;
}

/**
 * Plays the month. The chain makes blocks on demand meanwhile.
 * @param progress called with the share that is done, 0 to 1, and what happens
 * @param nowNs the system's time, which the story ends at
 */
export async function playDemo(
  devnet: Devnet,
  progress: (part: number, note: string, isScene: boolean) => void = () => {},
  nowNs: () => bigint = systemTimeNs,
): Promise<DemoResult> {
  const { chain } = devnet;
  const stage = new Stage(devnet);
  await chain.setBlockMode({ kind: "instant" });
  await chain.freezeClock(true);
  for (const [key, value] of PARAMETERS) await chain.setParameter(key, value);
  let isWelcome = false;
  for (let day = 1; day <= DAYS; day++) {
    for (const { title, play } of SCENES.filter((scene) => scene.day === day)) {
      progress((day - 1) / DAYS, `day ${day}: ${title}`, true);
      await play(stage);
    }
    progress((day - 0.5) / DAYS, `day ${day}`, false);
    await money.dailyPayments(stage);
    await trade.dailyTrades(stage);
    for (let step = 0; step < STEPS; step++) await stage.pass(DAY_SECONDS / STEPS);
    if (!isWelcome && day > 3) isWelcome = await validators.welcome(stage);
    await chain.endEpoch();
  }
  for (const [key, , value] of PARAMETERS) await chain.setParameter(key, value);
  await chain.freezeClock(false);
  // The story began in the past, to end now.
  const now = nowNs();
  if (now > chain.status.timeNs) await chain.setNextBlockTime(now);
  await chain.mine(1);
  return { days: DAYS, transactions: stage.transactions, refusals: stage.refusals };
}

// The demo's traces in the store: counted there, not remembered from the play.

/** Tables that the engine feeds, with what a person calls their rows. */
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
  ["markets", "states of markets"],
  ["market_data", "market data"],
  ["orders", "states of orders"],
  ["trades", "trades"],
  ["positions", "states of positions"],
  ["margin_levels", "margin levels"],
  ["liquidity_provisions", "states of liquidity provisions"],
] as const;

/** Types of accounts that the engine can touch. */
const TOUCHABLE_ACCOUNTS: readonly number[] = [
  AccountType.ACCOUNT_TYPE_INSURANCE,
  AccountType.ACCOUNT_TYPE_SETTLEMENT,
  AccountType.ACCOUNT_TYPE_MARGIN,
  AccountType.ACCOUNT_TYPE_BOND,
  AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY,
  AccountType.ACCOUNT_TYPE_FEES_MAKER,
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
  /** Number of accounts of each type, by name without `ACCOUNT_TYPE_`. */
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

/** Tables and types of account without rows; empty when the month was a whole one. */
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
