// From which block on an answer is complete, where a disk budget or a retention has removed older rows.
import type { Database } from "bun:sqlite";
import { type Floor, readFloors } from "../../store/retention.ts";

/** Resources that read history, with its table. Whatever else is asked for is current state, and never removed. */
const TABLE_OF: Readonly<Record<string, string>> = {
  "/api/v2/balance/changes": "balances",
  "/api/v2/ledgerentry/history": "ledger",
  "/api/v2/orders": "orders",
  "/api/v2/order/{order_id}": "orders",
  "/api/v2/order/versions/{order_id}": "orders",
  "/api/v2/trades": "trades",
  "/api/v2/market/{market_id}/trade/latest": "trades",
  "/api/v2/candle": "trades",
  "/api/v2/market/data/{market_id}": "market_data",
  "/api/v2/liquidity/provisions": "liquidity_provisions",
  "/api/v2/rewards": "rewards",
  "/api/v2/checkpoints": "checkpoints",
};

export class HistoryFrom {
  private headNo = -1;
  private floors: ReadonlyMap<string, Floor> = new Map();

  constructor(private readonly db: Database) {}

  /** Height of the first block from which on a resource has every row; undefined where nothing was removed. */
  of(path: string, headNo: number): number | undefined {
    const table = TABLE_OF[path];
    if (table === undefined) return undefined;
    if (headNo !== this.headNo) {
      this.headNo = headNo;
      this.floors = readFloors(this.db);
    }
    const floor = this.floors.get(table);
    return floor === undefined || floor.no === 0 ? undefined : floor.height + 1;
  }
}
