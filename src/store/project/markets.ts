// Markets, market data, orders, trades, margin levels, liquidity provisions, oracles (reference 60, section 14.2;
// reference 20, sections 3.3 and 3.4).
import type { Database } from "bun:sqlite";
import type { BlockEvent } from "../../sources/block.ts";
import { readExpiredOrdersAt } from "../../wire/generated/events.ts";
import {
  encodeOrder,
  readLiquidityProvisionAt,
  readMarginLevelsAt,
  readMarketAt,
  readMarketDataAt,
  readOracleDataAt,
  readOracleSpecAt,
  readOrderAt,
  readRiskFactorAt,
  readTradeAt,
} from "../../wire/generated/vega.ts";
import { Skim } from "../../wire/skim.ts";
import type { AccountFields } from "../accounts.ts";
import {
  checkMargins,
  checkMarket,
  checkMarketData,
  checkOrder,
  checkProvision,
  checkTrade,
} from "./checks.ts";
import {
  append,
  type BlockContext,
  idBlob,
  microseconds,
  type Projection,
  payload,
  RowsOfBlock,
  upsert,
} from "./context.ts";
import { Field } from "./fields.ts";
import { MARGIN_RULES, MARKET_DATA_RULES, MARKET_RULES, ORDER_RULES } from "./rules.ts";

const ACCOUNT_TYPE_MARGIN = 3;
const MARGIN_ACCOUNT: AccountFields = { owner: "party_id", asset: "asset", market: "market_id" };
const ORDER = { active: 1, expired: 2, parked: 8, limit: 1, ioc: 3, fok: 4 } as const;

const marketSkim = new Skim("vega.Market", MARKET_RULES, ["id", "state"]);
const marketDataSkim = new Skim("vega.MarketData", MARKET_DATA_RULES, ["market"]);
const marginSkim = new Skim("vega.MarginLevels", MARGIN_RULES, ["party_id", "asset", "market_id"]);
const orderSkim = new Skim("vega.Order", ORDER_RULES, [
  "id",
  "market_id",
  "party_id",
  "time_in_force",
  "type",
  "created_at",
  "status",
  "reference",
  "version",
  "liquidity_provision_id",
]);

/** Rows of one version looked through for an earlier state of a creation; it is nearly always the first. */
const EARLIER_ROWS_MAX = 64;

interface StoredOrder {
  ord: bigint;
  data: Uint8Array;
}

interface EarlierOrder extends StoredOrder {
  block: bigint;
  id: Uint8Array;
  version: bigint;
}

interface LiveOrder {
  block: bigint;
  tx: bigint;
  data: Uint8Array;
}

/** What the rows of an order need of it. */
interface OrderFacts {
  readonly id: string;
  readonly marketId: string;
  readonly partyId: string;
  readonly timeInForce: number;
  readonly type: number;
  readonly createdAt: bigint;
  readonly status: number;
  readonly reference: string;
  readonly version: bigint | number;
  readonly liquidityProvisionId: string;
}

/** @throws FieldFault, WireError */
function orderFacts(bytes: Uint8Array, start: number, end: number): OrderFacts {
  const skim = orderSkim;
  if (!skim.isPlain(bytes, start, end)) {
    const m = readOrderAt(bytes, start, end);
    checkOrder(m);
    return m;
  }
  return {
    id: skim.text(0),
    marketId: skim.text(1),
    partyId: skim.text(2),
    timeInForce: skim.number(3),
    type: skim.number(4),
    createdAt: skim.int64(5),
    status: skim.number(6),
    reference: skim.text(7),
    version: skim.number(8),
    liquidityProvisionId: skim.text(9),
  };
}

/** Orders that may still trade: what `liveOnly` shows (reference 10, section 5.16). */
function isLive(m: OrderFacts): boolean {
  return (
    (m.status === ORDER.active || m.status === ORDER.parked) &&
    m.type === ORDER.limit &&
    m.timeInForce !== ORDER.ioc &&
    m.timeInForce !== ORDER.fok
  );
}

export function markets(db: Database): Projection {
  const history = upsert(db, "markets", "block, id, tx, data");
  const current = upsert(db, "markets_current", "id, block, state");
  const risk = upsert(db, "risk_factors", "market, block, data");
  const read = ({ bytes, start, end }: BlockEvent) => {
    if (marketSkim.isPlain(bytes, start, end)) return { id: marketSkim.text(0), state: marketSkim.number(1) };
    const m = readMarketAt(bytes, start, end);
    checkMarket(m);
    return m;
  };
  const changed = (block: BlockContext, event: BlockEvent) => {
    const m = read(event);
    const id = block.ids.intern(m.id, "id").ref;
    history.run(block.no, id, block.tx(event), payload(event));
    current.run(id, block.no, m.state);
  };
  return {
    handlers: [
      [Field.marketCreated, changed],
      [Field.marketUpdated, changed],
      [
        Field.riskFactor,
        (block, event) => {
          const m = readRiskFactorAt(event.bytes, event.start, event.end);
          risk.run(block.ids.intern(m.market, "market").ref, block.no, payload(event));
        },
      ],
    ],
  };
}

export function marketData(db: Database): Projection {
  const row = append(db, "market_data", "market, block, ord, tx, data");
  const skim = marketDataSkim;
  const marketOf = (block: BlockContext, { bytes, start, end }: BlockEvent): number => {
    if (skim.isPlain(bytes, start, end)) {
      return block.ids.internAt(bytes, skim.start(0), skim.end(0), "market").ref;
    }
    const m = readMarketDataAt(bytes, start, end);
    checkMarketData(m);
    return block.ids.intern(m.market, "market").ref;
  };
  return {
    handlers: [
      [
        Field.marketData,
        (block, event) => {
          row.run(marketOf(block, event), block.no, block.ord(event), block.tx(event), payload(event));
        },
      ],
    ],
  };
}

interface WrittenOrder {
  readonly ord: number;
  readonly facts: OrderFacts;
}

/**
 * Orders: one row for each (id, version) and block, a later event of the block in place of the earlier. Current is
 * the newest row of each id and creation time: a liquidity order keeps its id when it is put in the book anew, and
 * the original lists each of these creations as it stood last. Only the newest creation of an id can be live.
 */
export function orders(db: Database): Projection {
  const earlier = db.prepare("SELECT ord, data FROM orders WHERE id = ? AND version = ? AND block = ?");
  // The row before in the index, which may be another order's: a fifth of what equalities with an ORDER BY take.
  const before = db.prepare(
    "SELECT id, version, block, ord, data FROM orders WHERE (id, version, block) < (?, ?, ?) ORDER BY id DESC, version DESC, block DESC LIMIT 1",
  );
  const remove = db.prepare("DELETE FROM orders WHERE block = ? AND ord = ?");
  const removeCurrent = db.prepare("DELETE FROM orders_current WHERE id = ? AND created = ?");
  const replaced = db.prepare(
    "UPDATE orders_current SET live = 0 WHERE id = ? AND created <> ? AND live = 1",
  );
  const history = append(db, "orders", "block, ord, id, version, tx, data");
  const current = upsert(
    db,
    "orders_current",
    "id, created, block, ord, market, party, status, type, tif, from_liquidity, live, reference",
  );
  const live = db.prepare(
    "SELECT o.block, o.tx, o.data FROM orders_current c JOIN orders o USING(block, ord) WHERE c.id = ? AND c.live = 1",
  );
  const written = new RowsOfBlock<WrittenOrder>();
  const show = (
    block: BlockContext,
    m: OrderFacts,
    id: Uint8Array,
    no: number,
    ord: number,
    liveFlag: number,
  ) => {
    const created = microseconds(m.createdAt);
    const market = block.ids.intern(m.marketId, "market_id").ref;
    const party = block.ids.intern(m.partyId, "party_id").ref;
    const fromLiquidity = m.liquidityProvisionId === "" ? 0 : 1;
    current.run(
      id,
      created,
      no,
      ord,
      market,
      party,
      m.status,
      m.type,
      m.timeInForce,
      fromLiquidity,
      liveFlag,
      m.reference,
    );
  };
  /** A row of another creation is gone: that creation stands as it did before this block, or was never written. */
  const fallBack = (block: BlockContext, gone: OrderFacts, id: Uint8Array) => {
    removeCurrent.run(id, microseconds(gone.createdAt));
    let at = BigInt(block.no);
    for (let tries = 0; tries < EARLIER_ROWS_MAX; tries++) {
      const row = before.get(id, gone.version, at) as EarlierOrder | null;
      if (!row || row.version !== BigInt(gone.version) || Buffer.compare(row.id, id) !== 0) return;
      const m = orderFacts(row.data, 0, row.data.length);
      if (m.createdAt === gone.createdAt) return show(block, m, id, Number(row.block), Number(row.ord), 0);
      at = row.block;
    }
  };
  const stored = (block: BlockContext, m: OrderFacts, id: Uint8Array): WrittenOrder | undefined => {
    const row = earlier.get(id, m.version, block.no) as StoredOrder | null;
    return row ? { ord: Number(row.ord), facts: orderFacts(row.data, 0, row.data.length) } : undefined;
  };
  const write = (block: BlockContext, m: OrderFacts, ord: number, tx: number, data: Uint8Array) => {
    const id = idBlob(m.id, "id");
    const key = `${id.toHex()}|${m.version}`;
    const gone = written.get(block, key) ?? (block.isContinued ? stored(block, m, id) : undefined);
    if (gone) {
      remove.run(block.no, gone.ord);
      if (gone.facts.createdAt !== m.createdAt) fallBack(block, gone.facts, id);
    }
    written.set(key, { ord, facts: m });
    history.run(block.no, ord, id, m.version, tx, data);
    replaced.run(id, microseconds(m.createdAt));
    show(block, m, id, block.no, ord, isLive(m) ? 1 : 0);
  };
  return {
    handlers: [
      [
        Field.order,
        (block, event) => {
          const m = orderFacts(event.bytes, event.start, event.end);
          write(block, m, block.ord(event), block.tx(event), payload(event));
        },
      ],
      [
        Field.expiredOrders,
        (block, event) => {
          const { orderIds } = readExpiredOrdersAt(event.bytes, event.start, event.end);
          for (const [i, id] of orderIds.entries()) {
            const row = live.get(idBlob(id, "order_ids")) as LiveOrder | null;
            if (!row) continue;
            // The order's own row again, its transaction too, with another status and time (reference 70, section 9.4).
            const before = readOrderAt(row.data, 0, row.data.length);
            const m = { ...before, status: ORDER.expired, updatedAt: BigInt(block.timeUs) * 1_000n };
            const tx = block.carriedTx(Number(row.tx), Number(row.block));
            // The event takes one sequence number for each order in it (reference 20, section 6.3).
            write(block, m, block.ordOf(event.seq + i), tx, encodeOrder(m));
          }
        },
      ],
    ],
    reset: () => written.clear(),
  };
}

export function trades(db: Database): Projection {
  const row = append(db, "trades", "block, ord, market, buyer, seller, buy_order, sell_order, tx, data");
  return {
    handlers: [
      [
        Field.trade,
        (block, event) => {
          const m = readTradeAt(event.bytes, event.start, event.end);
          checkTrade(m);
          row.run(
            block.no,
            block.ord(event),
            block.ids.intern(m.marketId, "market_id").ref,
            block.ids.intern(m.buyer, "buyer").ref,
            block.ids.intern(m.seller, "seller").ref,
            idBlob(m.buyOrder, "buy_order"),
            idBlob(m.sellOrder, "sell_order"),
            block.tx(event),
            payload(event),
          );
        },
      ],
    ],
  };
}

export function marginLevels(db: Database): Projection {
  const history = upsert(db, "margin_levels", "block, account, tx, data");
  const current = upsert(db, "margin_levels_current", "account, block");
  const skim = marginSkim;
  const read = ({ bytes, start, end }: BlockEvent) => {
    if (skim.isPlain(bytes, start, end)) {
      return { partyId: skim.text(0), asset: skim.text(1), marketId: skim.text(2) };
    }
    const m = readMarginLevelsAt(bytes, start, end);
    checkMargins(m);
    return m;
  };
  return {
    handlers: [
      [
        Field.marginLevels,
        (block, event) => {
          const m = read(event);
          const tx = block.tx(event);
          const type = ACCOUNT_TYPE_MARGIN;
          const { ref: account } = block.accounts.intern(
            m.partyId,
            m.asset,
            m.marketId,
            type,
            block.no,
            tx,
            MARGIN_ACCOUNT,
          );
          history.run(block.no, account, tx, payload(event));
          current.run(account, block.no);
        },
      ],
    ],
  };
}

export function liquidity(db: Database): Projection {
  const history = upsert(db, "liquidity_provisions", "block, id, party, market, tx, data");
  const current = upsert(db, "liquidity_provisions_current", "id, block");
  return {
    handlers: [
      [
        Field.liquidityProvision,
        (block, event) => {
          const m = readLiquidityProvisionAt(event.bytes, event.start, event.end);
          checkProvision(m);
          const id = idBlob(m.id, "id");
          const party = block.ids.intern(m.partyId, "party_id").ref;
          const market = block.ids.intern(m.marketId, "market_id").ref;
          history.run(block.no, id, party, market, block.tx(event), payload(event));
          current.run(id, block.no);
        },
      ],
    ],
  };
}

export function oracles(db: Database): Projection {
  const spec = upsert(db, "oracle_specs", "block, id, tx, data");
  const data = append(db, "oracle_data", "block, ord, tx, data");
  const bySpec = upsert(db, "oracle_data_by_spec", "spec, block, ord");
  return {
    handlers: [
      [
        Field.oracleSpec,
        (block, event) => {
          const m = readOracleSpecAt(event.bytes, event.start, event.end);
          const id = idBlob(m.externalDataSourceSpec?.spec?.id ?? "", "external_data_source_spec.spec.id");
          spec.run(block.no, id, block.tx(event), payload(event));
        },
      ],
      [
        Field.oracleData,
        (block, event) => {
          const m = readOracleDataAt(event.bytes, event.start, event.end);
          const ord = block.ord(event);
          data.run(block.no, ord, block.tx(event), payload(event));
          for (const id of m.externalData?.data?.matchedSpecIds ?? []) {
            bySpec.run(idBlob(id, "external_data.data.matched_spec_ids"), block.no, ord);
          }
        },
      ],
    ],
  };
}
