// Rows of orders, trades and positions (docs/protocol/20-network-history-tables.md#34-columns-per-table, tables 5, 6, 9).
import { type Fee, readOrderAt, readTradeAt } from "../../wire/generated/vega.ts";
import { asInt64 } from "../../wire/limits.ts";
import {
  amount,
  codeOf,
  decimal,
  declared,
  flag,
  idOf,
  labelOf,
  price,
  size,
  time,
  whole,
  words,
} from "../columns.ts";
import { bool, identifier, text, timestamp, timestampNs, wholeText } from "../csv.ts";
import {
  bytesKey,
  type EventRow,
  type ExportTable,
  labels,
  linesByKey,
  linesByTime,
  sequence,
} from "./source.ts";

/** Digits of the largest 64-bit number. */
const INT64_DIGITS = 19;
const positionStatus = labels("vega.PositionStatus");

export const orders: ExportTable = {
  name: "orders",
  ...declared({
    id: idOf("order"),
    market_id: idOf("market"),
    party_id: idOf("party"),
    side: codeOf("vega.Side"),
    price: price(),
    size: size(),
    remaining: size(),
    time_in_force: codeOf("vega.Order.TimeInForce"),
    type: codeOf("vega.Order.Type"),
    status: codeOf("vega.Order.Status"),
    reference: words("the sender's"),
    reason: codeOf("vega.OrderError"),
    version: whole(),
    batch_id: whole(),
    pegged_offset: price("0 without a peg"),
    pegged_reference: codeOf("vega.PeggedReference"),
    lp_id: idOf("provision", "`\\x` for orders of their own"),
    created_at: time(),
    updated_at: time("1970 before an update"),
    expires_at: time("1970 without an expiry"),
    tx_hash: idOf("transaction"),
    vega_time: time(),
    seq_num: whole(),
    post_only: flag(),
    reduce_only: flag(),
  }),
  lines: linesByKey(
    "SELECT block, ord, tx, data FROM orders WHERE block BETWEEN ? AND ? ORDER BY block, ord",
    (row: EventRow, block, source) => {
      const m = readOrderAt(row.data, 0, row.data.length);
      const seq = sequence(row.ord);
      const ids = `${identifier(m.id)},${identifier(m.marketId)},${identifier(m.partyId)}`;
      const terms = `${m.side},${wholeText(m.price)},${m.size},${m.remaining},${m.timeInForce},${m.type},${m.status}`;
      const peg = `${wholeText(m.peggedOrder?.offset ?? "")},${m.peggedOrder?.reference ?? 0}`;
      const more = `${text(m.reference)},${m.reason ?? 0},${m.version},${m.batchId},${peg},${identifier(m.liquidityProvisionId)}`;
      const times = `${timestampNs(m.createdAt)},${timestampNs(m.updatedAt)},${timestampNs(m.expiresAt)}`;
      const origin = `${source.tx(row.tx, block)},${block.time},${seq}`;
      return [seq, `${ids},${terms},${more},${times},${origin},${bool(m.postOnly)},${bool(m.reduceOnly)}\n`];
    },
  ),
};

export const trades: ExportTable = {
  name: "trades",
  ...declared({
    synthetic_time: time("`vega_time` and `seq_num` microseconds"),
    tx_hash: idOf("transaction"),
    vega_time: time(),
    seq_num: whole(),
    id: idOf("trade"),
    market_id: idOf("market"),
    price: price(),
    size: size(),
    buyer: idOf("party"),
    seller: idOf("party"),
    aggressor: codeOf("vega.Side"),
    buy_order: idOf("order"),
    sell_order: idOf("order"),
    type: codeOf("vega.Trade.Type"),
    buyer_maker_fee: amount(),
    buyer_infrastructure_fee: amount(),
    buyer_liquidity_fee: amount(),
    seller_maker_fee: amount(),
    seller_infrastructure_fee: amount(),
    seller_liquidity_fee: amount(),
    buyer_auction_batch: whole(),
    seller_auction_batch: whole(),
  }),
  lines: linesByTime(
    "SELECT block, ord, tx, data FROM trades WHERE block BETWEEN ? AND ? ORDER BY block, ord",
    (row: EventRow, block, source) => {
      const m = readTradeAt(row.data, 0, row.data.length);
      const seq = sequence(row.ord);
      const timeUs = block.timeUs + seq;
      const origin = `${timestamp(timeUs)},${source.tx(row.tx, block)},${block.time},${seq}`;
      const terms = `${identifier(m.id)},${identifier(m.marketId)},${wholeText(m.price)},${m.size}`;
      const sides = `${identifier(m.buyer)},${identifier(m.seller)},${m.aggressor},${identifier(m.buyOrder)},${identifier(m.sellOrder)}`;
      const fees = `${feeTexts(m.buyerFee)},${feeTexts(m.sellerFee)}`;
      return [
        timeUs,
        `${origin},${terms},${sides},${m.type},${fees},${m.buyerAuctionBatch},${m.sellerAuctionBatch}\n`,
      ];
    },
  ),
};

function feeTexts(fee: Fee | undefined): string {
  if (fee === undefined) return "0,0,0";
  return `${wholeText(fee.makerFee)},${wholeText(fee.infrastructureFee)},${wholeText(fee.liquidityFee)}`;
}

interface PositionRow {
  block: bigint;
  party: bigint;
  market: bigint;
  tx: bigint;
  state: string;
}

/** A volume in a `bigint` column. */
const bigintText = (volume: string): string =>
  volume.length < INT64_DIGITS ? volume : asInt64(BigInt(volume)).toString();

export const positions: ExportTable = {
  name: "positions",
  ...declared({
    market_id: idOf("market"),
    party_id: idOf("party"),
    open_volume: size("negative for a short one; settled trades alone"),
    realised_pnl: decimal("an amount"),
    unrealised_pnl: decimal("an amount"),
    average_entry_price: decimal("in the asset's smallest unit"),
    average_entry_market_price: decimal("in the market's smallest unit"),
    loss: decimal("an amount"),
    adjustment: decimal("an amount"),
    tx_hash: idOf("transaction", "of the last settlement; `\\x` before one"),
    vega_time: time(),
    pending_open_volume: size("unsettled trades included, as in the next four"),
    pending_realised_pnl: decimal("an amount"),
    pending_unrealised_pnl: decimal("an amount"),
    pending_average_entry_price: decimal("in the asset's smallest unit"),
    pending_average_entry_market_price: decimal("in the market's smallest unit"),
    loss_socialisation_amount: decimal("an amount"),
    distressed_status: labelOf("vega.PositionStatus"),
  }),
  lines: linesByKey(
    "SELECT block, party, market, tx, state FROM positions WHERE block BETWEEN ? AND ? ORDER BY block, party, market",
    (row: PositionRow, block, source) => {
      const market = source.id(row.market);
      const party = source.id(row.party);
      // Seven settled values, six that include unsettled trades, and the status (store/project/position-state.ts).
      const state = JSON.parse(row.state) as string[];
      const settled = [bigintText(state[0]!), ...state.slice(1, 7)].join(",");
      const pending = [bigintText(state[7]!), ...state.slice(8, 13)].join(",");
      return [
        bytesKey(party, market),
        `${market},${party},${settled},${source.tx(row.tx, block)},${block.time},${pending},${positionStatus(Number(state[13]))}\n`,
      ];
    },
  ),
};
