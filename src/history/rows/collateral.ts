// Rows of balances, ledger, margin levels, deposits and withdrawals
// (docs/protocol/20-network-history-tables.md#34-columns-per-table, tables 1, 4, 8, 12, 13).
import { amountText, type StoredAmount } from "../../store/amount.ts";
import { readDepositAt, readMarginLevelsAt, readWithdrawalAt } from "../../wire/generated/vega.ts";
import { amount, declared, idOf, json, labelOf, time, words } from "../columns.ts";
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
  ...declared({
    account_id: idOf("account"),
    vega_time: time(),
    tx_hash: idOf("transaction"),
    balance: amount("after the change"),
  }),
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
  ...declared({
    ledger_entry_time: time("`vega_time` and a microsecond for each entry of the block before"),
    account_from_id: idOf("account"),
    account_to_id: idOf("account"),
    quantity: amount(),
    tx_hash: idOf("transaction"),
    vega_time: time(),
    transfer_time: time("the entry's own time"),
    account_from_balance: amount("after the movement"),
    account_to_balance: amount("after the movement"),
    type: labelOf("vega.TransferType"),
  }),
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
  ...declared({
    account_id: idOf("account", "the party's margin account"),
    timestamp: time("as `vega_time`"),
    maintenance_margin: amount(),
    search_level: amount(),
    initial_margin: amount(),
    collateral_release_level: amount(),
    tx_hash: idOf("transaction"),
    vega_time: time(),
  }),
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
  ...declared({
    id: idOf("deposit"),
    status: labelOf("vega.Deposit.Status"),
    party_id: idOf("party"),
    asset: idOf("asset"),
    amount: amount(),
    foreign_tx_hash: words("transaction on Ethereum"),
    credited_timestamp: time("1970 before it is credited"),
    created_timestamp: time(),
    tx_hash: idOf("transaction"),
    vega_time: time(),
  }),
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
  ...declared({
    id: idOf("withdrawal"),
    party_id: idOf("party"),
    amount: amount(),
    asset: idOf("asset"),
    status: labelOf("vega.Withdrawal.Status"),
    ref: words("nonce of the bridge"),
    foreign_tx_hash: words("transaction on Ethereum; empty before it is known"),
    created_timestamp: time(),
    withdrawn_timestamp: time("1970 before it is withdrawn"),
    ext: json("receiver on Ethereum"),
    tx_hash: idOf("transaction"),
    vega_time: time(),
  }),
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
