// Rows of blocks, checkpoints, delegations and rewards
// (docs/protocol/20-network-history-tables.md#34-columns-per-table, tables 2, 3, 14, 15).
import { amountText, type StoredAmount } from "../../store/amount.ts";
import { hashOfRow } from "../../store/head.ts";
import { readCheckpointEventAt, readRewardPayoutEventAt } from "../../wire/generated/events.ts";
import { amount, declared, double, idOf, time, whole, words } from "../columns.ts";
import { bytea, doubleText, identifier, text, timestamp, timestampNs, wholeText } from "../csv.ts";
import { type EventRow, type ExportTable, linesByKey, sequence } from "./source.ts";

interface BlockRow {
  block: bigint;
  time: bigint;
  height: bigint;
  hash: Uint8Array;
}

export const blocks: ExportTable = {
  name: "blocks",
  ...declared({
    vega_time: time(),
    height: whole(),
    hash: idOf("block"),
  }),
  *lines(source, range) {
    const sql = "SELECT no AS block, time, height, hash FROM blocks WHERE no BETWEEN ? AND ? ORDER BY no";
    for (const rows of source.slices<BlockRow>(sql, range)) {
      for (const row of rows) yield `${timestamp(Number(row.time))},${row.height},${bytea(hashOfRow(row))}\n`;
    }
  },
};

export const checkpoints: ExportTable = {
  name: "checkpoints",
  ...declared({
    hash: words("lower-case hexadecimal"),
    block_hash: words("upper-case hexadecimal"),
    block_height: whole(),
    tx_hash: idOf("transaction"),
    vega_time: time(),
    seq_num: whole(),
  }),
  lines: linesByKey(
    "SELECT block, ord, tx, data FROM checkpoints WHERE block BETWEEN ? AND ? ORDER BY block, ord",
    (row: EventRow, block, source) => {
      const seq = sequence(row.ord);
      const m = readCheckpointEventAt(row.data, 0, row.data.length);
      const what = `${text(m.hash)},${text(m.blockHash)},${m.blockHeight}`;
      return [seq, `${what},${source.tx(row.tx, block)},${block.time},${seq}\n`];
    },
  ),
};

interface DelegationRow {
  block: bigint;
  ord: bigint;
  party: bigint;
  node: bigint;
  epoch: bigint;
  amount: StoredAmount;
  tx: bigint;
}

export const delegations: ExportTable = {
  name: "delegations",
  ...declared({
    party_id: idOf("party"),
    node_id: idOf("node"),
    epoch_id: whole(),
    amount: amount(),
    tx_hash: idOf("transaction"),
    vega_time: time(),
    seq_num: whole(),
  }),
  lines: linesByKey(
    "SELECT block, ord, party, node, epoch, amount, tx FROM delegations WHERE block BETWEEN ? AND ? ORDER BY block, ord",
    (row: DelegationRow, block, source) => {
      const seq = sequence(row.ord);
      const what = `${source.id(row.party)},${source.id(row.node)},${row.epoch},${amountText(row.amount)}`;
      return [seq, `${what},${source.tx(row.tx, block)},${block.time},${seq}\n`];
    },
  ),
};

export const rewards: ExportTable = {
  name: "rewards",
  ...declared({
    party_id: idOf("party"),
    asset_id: idOf("asset"),
    market_id: idOf("market", "`\\x` for a reward without a market"),
    reward_type: words("name of `vega.AccountType`"),
    epoch_id: whole(),
    amount: amount(),
    percent_of_total: double(),
    timestamp: time("of the payout"),
    tx_hash: idOf("transaction"),
    vega_time: time(),
    seq_num: whole(),
  }),
  lines: linesByKey(
    "SELECT block, ord, tx, data FROM rewards WHERE block BETWEEN ? AND ? ORDER BY block, ord",
    (row: EventRow, block, source) => {
      const seq = sequence(row.ord);
      const m = readRewardPayoutEventAt(row.data, 0, row.data.length);
      const ids = `${identifier(m.party)},${identifier(m.asset)},${identifier(m.market === NO_MARKET ? "" : m.market)}`;
      const share = doubleText(Number(m.percentOfTotalReward));
      const what = `${text(m.rewardType)},${wholeText(m.epochSeq)},${wholeText(m.amount)},${share}`;
      const origin = `${source.tx(row.tx, block)},${block.time},${seq}`;
      return [seq, `${ids},${what},${timestampNs(m.timestamp)},${origin}\n`];
    },
  ),
};

/** Written in events for "no market". */
const NO_MARKET = "!";
