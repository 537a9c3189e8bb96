// Markets, market data, trades, margin levels, liquidity provisions, oracles
// (docs/protocol/60-state-engine-parameters.md#142-mapping;
// docs/protocol/20-network-history-tables.md#33-value-rules-shared-by-all-tables and #34-columns-per-table).
import type { Database } from "bun:sqlite";
import { type BlockEvent, Field } from "../../wire/block.ts";
import {
  readLiquidityProvisionAt,
  readMarginLevelsAt,
  readMarketAt,
  readMarketDataAt,
  readOracleDataAt,
  readOracleSpecAt,
  readRiskFactorAt,
  readTradeAt,
} from "../../wire/generated/vega.ts";
import { Skim } from "../../wire/skim.ts";
import { idBytes } from "../field.ts";
import type { AccountFields } from "../ids.ts";
import { oracleDataKey } from "../oracle-data.ts";
import { marginsChecks, marketChecks, marketDataChecks, provisionChecks, tradeChecks } from "./checks.ts";
import { append, type BlockContext, on, type Projection, payload, upsert } from "./context.ts";

const ACCOUNT_TYPE_MARGIN = 3;
const MARGIN_ACCOUNT: AccountFields = { owner: "party_id", asset: "asset", market: "market_id" };

const marketSkim = new Skim("vega.Market", marketChecks.rules, ["id", "state"]);
const marketDataSkim = new Skim("vega.MarketData", marketDataChecks.rules, ["market"]);
const marginSkim = new Skim("vega.MarginLevels", marginsChecks.rules, ["party_id", "asset", "market_id"]);

export function markets(db: Database): Projection {
  const history = upsert(db, "markets", "block, id, tx, data");
  const current = upsert(db, "markets_current", "id, block, state");
  const risk = upsert(db, "risk_factors", "market, block, data");
  const read = ({ bytes, start, end }: BlockEvent) => {
    if (marketSkim.isPlain(bytes, start, end)) return { id: marketSkim.text(0), state: marketSkim.number(1) };
    const m = readMarketAt(bytes, start, end);
    marketChecks.check(m);
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
      on(Field.riskFactor, readRiskFactorAt, (block, m, event) => {
        risk.run(block.ids.intern(m.market, "market").ref, block.no, payload(event));
      }),
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
    marketDataChecks.check(m);
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
  const skim = marginSkim;
  const read = ({ bytes, start, end }: BlockEvent) => {
    if (skim.isPlain(bytes, start, end)) {
      return { partyId: skim.text(0), asset: skim.text(1), marketId: skim.text(2) };
    }
    const m = readMarginLevelsAt(bytes, start, end);
    marginsChecks.check(m);
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
