// Orders: their history, and how each stands now (docs/protocol/60-state-engine-parameters.md#142-mapping;
// docs/protocol/20-network-history-tables.md#33-value-rules-shared-by-all-tables and #34-columns-per-table;
// docs/protocol/70-trading-events.md#94-table-rules).
import type { Database, Statement } from "bun:sqlite";
import { Field } from "../../wire/block.ts";
import { readExpiredOrdersAt } from "../../wire/generated/events.ts";
import { encodeOrder, readOrderAt } from "../../wire/generated/vega.ts";
import { idBytes } from "../field.ts";
import { orderChecks } from "./checks.ts";
import {
  append,
  type BlockContext,
  microseconds,
  type Projection,
  payload,
  RowsOfBlock,
  upsert,
} from "./context.ts";

const ORDER = { active: 1, expired: 2, parked: 8, limit: 1, ioc: 3, fok: 4 } as const;

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

/** The parts of an order that its rows need. */
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
  const m = readOrderAt(bytes, start, end);
  orderChecks.check(m);
  return m;
}

/** Orders that may still trade: those that `liveOnly` shows (docs/protocol/10-data-api-endpoints.md#516-orders). */
export function isLive(m: Pick<OrderFacts, "status" | "type" | "timeInForce">): boolean {
  return (
    (m.status === ORDER.active || m.status === ORDER.parked) &&
    m.type === ORDER.limit &&
    m.timeInForce !== ORDER.ioc &&
    m.timeInForce !== ORDER.fok
  );
}

interface WrittenOrder {
  readonly ord: number;
  readonly facts: OrderFacts;
}

/**
 * Live orders as they stood before the running block: expiring orders are looked up there, whatever the block itself has
 * done with the order. Kept only in blocks in which orders expire; in all others a write costs nothing more.
 */
class LiveBefore {
  private block: BlockContext | undefined;
  private isKept = false;
  private readonly rows = new Map<string, Uint8Array | undefined>();

  constructor(private readonly live: Statement) {}

  /** The order is about to be written. */
  keep(block: BlockContext, id: Uint8Array): void {
    if (block !== this.block) this.enter(block);
    if (!this.isKept) return;
    const key = id.toHex();
    if (!this.rows.has(key)) this.rows.set(key, this.read(id));
  }

  /** Its message, if it was live. */
  find(block: BlockContext, key: string): Uint8Array | undefined {
    if (block !== this.block) this.enter(block);
    return this.rows.has(key) ? this.rows.get(key) : this.read(Uint8Array.fromHex(key));
  }

  clear(): void {
    this.block = undefined;
    this.rows.clear();
  }

  private enter(block: BlockContext): void {
    this.block = block;
    this.isKept = block.has(Field.expiredOrders);
    if (this.rows.size > 0) this.rows.clear();
  }

  private read(id: Uint8Array): Uint8Array | undefined {
    return (this.live.get(id) as { data: Uint8Array } | null)?.data;
  }
}

/** Columns of an order's current row by which lists are filtered: the store's check compares them too. */
export const orderColumns = (
  m: Omit<OrderFacts, "id" | "marketId" | "partyId" | "version" | "createdAt">,
) => ({
  status: m.status,
  type: m.type,
  tif: m.timeInForce,
  from_liquidity: m.liquidityProvisionId === "" ? 0 : 1,
  reference: m.reference,
});
const ORDER_COLUMNS = Object.keys(
  orderColumns({ status: 0, type: 0, timeInForce: 0, liquidityProvisionId: "", reference: "" }),
);

/**
 * Orders: one row for each (id, version) and block, a later event of the block in place of the earlier. Current is
 * the newest row of each id and creation time: a liquidity order keeps its id when it is put in the book again, and
 * the original lists each of these creations as it stood last. Only the newest creation of an id can be live.
 */
export function orders(db: Database): Projection {
  const earlier = db.prepare("SELECT ord, data FROM orders WHERE id = ? AND version = ? AND block = ?");
  // The row before in the index, which may be another order's: five times as fast as equalities with an ORDER BY.
  const before = db.prepare(
    "SELECT id, version, block, ord, data FROM orders WHERE (id, version, block) < (?, ?, ?) ORDER BY id DESC, version DESC, block DESC LIMIT 1",
  );
  const remove = db.prepare("DELETE FROM orders WHERE block = ? AND ord = ?");
  const removeCurrent = db.prepare("DELETE FROM orders_current WHERE id = ? AND created = ?");
  const replaced = db.prepare(
    "UPDATE orders_current INDEXED BY orders_current_live_by_id SET live = 0 WHERE id = ? AND created <> ? AND live = 1",
  );
  const history = append(db, "orders", "block, ord, id, version, tx, data");
  const current = upsert(
    db,
    "orders_current",
    `id, created, block, ord, market, party, live, ${ORDER_COLUMNS.join(", ")}`,
  );
  const live = db.prepare(
    "SELECT o.data FROM orders_current c INDEXED BY orders_current_live_by_id JOIN orders o USING(block, ord) WHERE c.id = ? AND c.live = 1",
  );
  const liveBefore = new LiveBefore(live);
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
    current.run(id, created, no, ord, market, party, liveFlag, ...Object.values(orderColumns(m)));
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
    const id = idBytes(m.id, "id");
    liveBefore.keep(block, id);
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
          const { marketId, orderIds } = readExpiredOrdersAt(event.bytes, event.start, event.end);
          const market = idBytes(marketId, "market_id").toHex();
          const ids = new Set(orderIds.map((id) => idBytes(id, "order_ids").toHex()));
          const live = [...ids]
            .sort()
            .map((id) => liveBefore.find(block, id))
            .filter((data) => data !== undefined)
            .map((data) => readOrderAt(data, 0, data.length))
            .filter((order) => idBytes(order.marketId, "market_id").toHex() === market);
          const updatedAt = BigInt(block.timeUs) * 1_000n;
          for (const [place, order] of live.entries()) {
            const m = { ...order, status: ORDER.expired, updatedAt };
            // The event uses a sequence number for each order in it
            // (docs/protocol/20-network-history-segments.md#63-stream-rules).
            write(block, m, block.ordOf(event.seq + place), block.tx(event), encodeOrder(m));
          }
        },
      ],
    ],
    reset: () => {
      written.clear();
      liveBefore.clear();
    },
  };
}
