// Rows of orders, trades and positions (docs/protocol/20-network-history-tables.md#34-columns-per-table, tables 5, 6, 9).
import { type Fee, readOrderAt, readTradeAt } from "../../wire/generated/vega.ts";
import { asInt64 } from "../../wire/limits.ts";
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
  header:
    "id,market_id,party_id,side,price,size,remaining,time_in_force,type,status,reference,reason,version,batch_id,pegged_offset,pegged_reference,lp_id,created_at,updated_at,expires_at,tx_hash,vega_time,seq_num,post_only,reduce_only",
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
  header:
    "synthetic_time,tx_hash,vega_time,seq_num,id,market_id,price,size,buyer,seller,aggressor,buy_order,sell_order,type,buyer_maker_fee,buyer_infrastructure_fee,buyer_liquidity_fee,seller_maker_fee,seller_infrastructure_fee,seller_liquidity_fee,buyer_auction_batch,seller_auction_batch",
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
  header:
    "market_id,party_id,open_volume,realised_pnl,unrealised_pnl,average_entry_price,average_entry_market_price,loss,adjustment,tx_hash,vega_time,pending_open_volume,pending_realised_pnl,pending_unrealised_pnl,pending_average_entry_price,pending_average_entry_market_price,loss_socialisation_amount,distressed_status",
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
