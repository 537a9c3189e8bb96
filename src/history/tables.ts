// The fifteen exported tables, by the numbers of `datanode.api.v2.Table`
// (docs/protocol/20-network-history-export.md#11-export).
import * as collateral from "./rows/collateral.ts";
import * as markets from "./rows/markets.ts";
import * as network from "./rows/network.ts";
import type { ExportTable } from "./rows/source.ts";
import * as trading from "./rows/trading.ts";

/**
 * Version of the exported columns, in file names and segments
 * (docs/protocol/20-network-history-tables.md#32-schema-versions). It is the original's schema number, not this
 * store's: a change of a header line above is a new version.
 */
export const DATABASE_VERSION = 1;

/** Index + 1 is the table's number. */
export const EXPORT_TABLES: readonly ExportTable[] = [
  collateral.balances,
  network.checkpoints,
  network.delegations,
  collateral.ledger,
  trading.orders,
  trading.trades,
  markets.marketData,
  collateral.marginLevels,
  trading.positions,
  markets.liquidityProvisions,
  markets.markets,
  collateral.deposits,
  collateral.withdrawals,
  network.blocks,
  network.rewards,
];

/** The enum names of all tables, for refusals. */
export function tableNames(): string {
  return EXPORT_TABLES.map(({ name }) => `TABLE_${name.toUpperCase()}`).join(", ");
}

/** Table of an enum number; undefined for 0 and unknown numbers. */
export function tableOfNumber(number: number): ExportTable | undefined {
  return EXPORT_TABLES[number - 1];
}

/** Number of a table by its enum name (`TABLE_TRADES`), short name (`trades`) or number as text; 0 when unknown. */
export function tableNumber(name: string): number {
  const short = name.replace(/^TABLE_/i, "").toLowerCase();
  const index = EXPORT_TABLES.findIndex((table, i) => table.name === short || String(i + 1) === name);
  return index + 1;
}
