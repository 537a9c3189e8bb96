// Markets, market data, trades, margin levels, liquidity provisions, oracles
// (docs/protocol/60-state-engine-parameters.md#142-mapping;
// docs/protocol/20-network-history-tables.md#33-value-rules-shared-by-all-tables and #34-columns-per-table).
import type { Database } from "bun:sqlite";
import { type BlockEvent, Field } from "../../wire/block.ts";
import {
  type Market,
  readLiquidityProvisionAt,
  readMarginLevelsAt,
  readMarketAt,
  readMarketDataAt,
  readOracleDataAt,
  readOracleSpecAt,
  readRiskFactorAt,
  readTradeAt,
} from "../../wire/generated/vega.ts";
import { idBytes } from "../field.ts";
import type { AccountFields } from "../ids.ts";
import { oracleDataKey } from "../oracle-data.ts";
import { marginsChecks, marketChecks, marketDataChecks, provisionChecks, tradeChecks } from "./checks.ts";
import { append, type BlockContext, on, type Projection, payload, upsert } from "./context.ts";

const ACCOUNT_TYPE_MARGIN = 3;
const MARGIN_ACCOUNT: AccountFields = { owner: "party_id", asset: "asset", market: "market_id" };

export function markets(db: Database): Projection {
  const history = upsert(db, "markets", "block, id, tx, data");
  const current = upsert(db, "markets_current", "id, block, state");
  const risk = upsert(db, "risk_factors", "market, block, data");
  const changed = (block: BlockContext, m: Market, event: BlockEvent) => {
    marketChecks.check(m);
    const id = block.ids.intern(m.id, "id").ref;
    history.run(block.no, id, block.tx(event), payload(event));
    current.run(id, block.no, m.state);
  };
  return {
    handlers: [
      on(Field.marketCreated, readMarketAt, changed),
      on(Field.marketUpdated, readMarketAt, changed),
      on(Field.riskFactor, readRiskFactorAt, (block, m, event) => {
        risk.run(block.ids.intern(m.market, "market").ref, block.no, payload(event));
      }),
    ],
  };
}

export function marketData(db: Database): Projection {
  const row = append(db, "market_data", "market, block, ord, tx, data");
  return {
    handlers: [
      on(Field.marketData, readMarketDataAt, (block, m, event) => {
        marketDataChecks.check(m);
        const market = block.ids.intern(m.market, "market").ref;
        row.run(market, block.no, block.ord(event), block.tx(event), payload(event));
      }),
    ],
  };
}

export function trades(db: Database): Projection {
  const row = append(db, "trades", "block, ord, market, buyer, seller, buy_order, sell_order, tx, data");
  return {
    handlers: [
      on(Field.trade, readTradeAt, (block, m, event) => {
        tradeChecks.check(m);
        row.run(
          block.no,
          block.ord(event),
          block.ids.intern(m.marketId, "market_id").ref,
          block.ids.intern(m.buyer, "buyer").ref,
          block.ids.intern(m.seller, "seller").ref,
          idBytes(m.buyOrder, "buy_order"),
          idBytes(m.sellOrder, "sell_order"),
          block.tx(event),
          payload(event),
        );
      }),
    ],
  };
}

export function marginLevels(db: Database): Projection {
  const history = upsert(db, "margin_levels", "block, account, tx, data");
  const current = upsert(db, "margin_levels_current", "account, block");
  return {
    handlers: [
      on(Field.marginLevels, readMarginLevelsAt, (block, m, event) => {
        marginsChecks.check(m);
        const tx = block.tx(event);
        const { ref: account } = block.accounts.intern(
          m.partyId,
          m.asset,
          m.marketId,
          ACCOUNT_TYPE_MARGIN,
          block.no,
          tx,
          MARGIN_ACCOUNT,
        );
        history.run(block.no, account, tx, payload(event));
        current.run(account, block.no);
      }),
    ],
  };
}

export function liquidity(db: Database): Projection {
  const history = upsert(db, "liquidity_provisions", "block, id, party, market, tx, data");
  const current = upsert(db, "liquidity_provisions_current", "id, block");
  return {
    handlers: [
      on(Field.liquidityProvision, readLiquidityProvisionAt, (block, m, event) => {
        provisionChecks.check(m);
        const id = idBytes(m.id, "id");
        const party = block.ids.intern(m.partyId, "party_id").ref;
        const market = block.ids.intern(m.marketId, "market_id").ref;
        history.run(block.no, id, party, market, block.tx(event), payload(event));
        current.run(id, block.no);
      }),
    ],
  };
}

export function oracles(db: Database): Projection {
  const spec = upsert(db, "oracle_specs", "block, id, tx, data");
  const data = append(db, "oracle_data", "block, ord, tx, data");
  const current = upsert(db, "oracle_data_current", "key, block, ord");
  const bySpec = upsert(db, "oracle_data_by_spec", "spec, block, ord");
  return {
    handlers: [
      on(Field.oracleSpec, readOracleSpecAt, (block, m, event) => {
        const id = idBytes(m.externalDataSourceSpec?.spec?.id ?? "", "external_data_source_spec.spec.id");
        spec.run(block.no, id, block.tx(event), payload(event));
      }),
      on(Field.oracleData, readOracleDataAt, (block, m, event) => {
        const ord = block.ord(event);
        data.run(block.no, ord, block.tx(event), payload(event));
        current.run(oracleDataKey(m), block.no, ord);
        for (const id of m.externalData?.data?.matchedSpecIds ?? []) {
          bySpec.run(idBytes(id, "external_data.data.matched_spec_ids"), block.no, ord);
        }
      }),
    ],
  };
}
