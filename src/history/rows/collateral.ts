// Rows of balances, ledger, margin levels, deposits and withdrawals
// (docs/protocol/20-network-history-tables.md#34-columns-per-table, tables 1, 4, 8, 12, 13).
import { amountText, type StoredAmount } from "../../store/amount.ts";
import { readDepositAt, readMarginLevelsAt, readWithdrawalAt } from "../../wire/generated/vega.ts";
import { identifier, jsonbText, numericText, text, timestamp, timestampNs, wholeText } from "../csv.ts";
import { type DataRow, type ExportTable, labels, linesByKey, linesByTime, sequence } from "./source.ts";

const transferType = labels("vega.TransferType");
const depositStatus = labels("vega.Deposit.Status");
const withdrawalStatus = labels("vega.Withdrawal.Status");

interface BalanceRow {
  block: bigint;
  account: bigint;
  balance: StoredAmount;
  tx: bigint;
}

export const balances: ExportTable = {
  name: "balances",
  header: "account_id,vega_time,tx_hash,balance",
  lines: linesByKey(
    "SELECT block, account, balance, tx FROM balances WHERE block BETWEEN ? AND ? ORDER BY block, account",
    (row: BalanceRow, block, source) => {
      const account = source.account(row.account);
      const tx = source.tx(row.tx, block);
      return [account, `${account},${block.time},${tx},${amountText(row.balance)}\n`];
    },
  ),
};

interface LedgerRow {
  block: bigint;
  n: bigint;
  from_account: bigint;
  to_account: bigint;
  quantity: StoredAmount;
  type: bigint;
  transfer_time: bigint;
  from_balance: StoredAmount;
  to_balance: StoredAmount;
  tx: bigint;
}

export const ledger: ExportTable = {
  name: "ledger",
  header:
    "ledger_entry_time,account_from_id,account_to_id,quantity,tx_hash,vega_time,transfer_time,account_from_balance,account_to_balance,type",
  lines: linesByTime(
    "SELECT * FROM ledger WHERE block BETWEEN ? AND ? ORDER BY block, n",
    (row: LedgerRow, block, source) => {
      const entryUs = block.timeUs + sequence(row.n);
      const accounts = `${source.account(row.from_account)},${source.account(row.to_account)}`;
      const times = `${block.time},${timestamp(Number(row.transfer_time))}`;
      const balancesAfter = `${amountText(row.from_balance)},${amountText(row.to_balance)}`;
      const type = transferType(Number(row.type));
      return [
        entryUs,
        `${timestamp(entryUs)},${accounts},${amountText(row.quantity)},${source.tx(row.tx, block)},${times},${balancesAfter},${type}\n`,
      ];
    },
  ),
};

export const marginLevels: ExportTable = {
  name: "margin_levels",
  header:
    "account_id,timestamp,maintenance_margin,search_level,initial_margin,collateral_release_level,tx_hash,vega_time",
  lines: linesByKey(
    "SELECT block, account, tx, data FROM margin_levels WHERE block BETWEEN ? AND ? ORDER BY block, account",
    (row: DataRow & { account: bigint }, block, source) => {
      const account = source.account(row.account);
      const m = readMarginLevelsAt(row.data, 0, row.data.length);
      const levels = [m.maintenanceMargin, m.searchLevel, m.initialMargin, m.collateralReleaseLevel].map(
        wholeText,
      );
      // The column `timestamp` is the block's time, not the event's.
      return [
        account,
        `${account},${block.time},${levels.join(",")},${source.tx(row.tx, block)},${block.time}\n`,
      ];
    },
  ),
};

/** Deposits and withdrawals sort by id, party and only then time: the order restarts at each segment. */
function byIdAndParty(table: string): string {
  return `SELECT t.block, t.tx, t.data FROM ${table} t JOIN ids p ON p.ref = t.party
    WHERE t.block BETWEEN ? AND ? ORDER BY t.id, p.bytes, t.block`;
}

export const deposits: ExportTable = {
  name: "deposits",
  header:
    "id,status,party_id,asset,amount,foreign_tx_hash,credited_timestamp,created_timestamp,tx_hash,vega_time",
  *lines(source, { first, last }) {
    for (const row of source.walk<DataRow>(byIdAndParty("deposits"), first, last)) {
      const block = source.block(row.block);
      const m = readDepositAt(row.data, 0, row.data.length);
      const ids = `${identifier(m.partyId)},${identifier(m.asset)}`;
      const times = `${timestampNs(m.creditedTimestamp)},${timestampNs(m.createdTimestamp)}`;
      const origin = `${source.tx(row.tx, block)},${block.time}`;
      yield `${identifier(m.id)},${depositStatus(m.status)},${ids},${wholeText(m.amount)},${text(m.txHash)},${times},${origin}\n`;
    }
  },
};

export const withdrawals: ExportTable = {
  name: "withdrawals",
  header:
    "id,party_id,amount,asset,status,ref,foreign_tx_hash,created_timestamp,withdrawn_timestamp,ext,tx_hash,vega_time",
  *lines(source, { first, last }) {
    for (const row of source.walk<DataRow>(byIdAndParty("withdrawals"), first, last)) {
      const block = source.block(row.block);
      const m = readWithdrawalAt(row.data, 0, row.data.length);
      const what = `${identifier(m.partyId)},${numericText(m.amount)},${identifier(m.asset)},${withdrawalStatus(m.status)}`;
      const times = `${timestampNs(m.createdTimestamp)},${timestampNs(m.withdrawnTimestamp)}`;
      // Proto-JSON: empty members are omitted
      // (docs/protocol/20-network-history-tables.md#33-value-rules-shared-by-all-tables).
      const erc20 = m.ext?.erc20 && { receiverAddress: m.ext.erc20.receiverAddress || undefined };
      const ext = text(jsonbText({ erc20 }));
      const origin = `${source.tx(row.tx, block)},${block.time}`;
      yield `${identifier(m.id)},${what},${text(m.ref)},${text(m.txHash)},${times},${ext},${origin}\n`;
    }
  },
};
