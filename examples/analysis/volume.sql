-- Volume, fees and number of trades of each market with DuckDB, in the folder with the CSVs: duckdb < volume.sql
-- The types are given: DuckDB takes them from the first rows otherwise, and a later amount can be larger.
CREATE VIEW trades AS
SELECT * FROM read_csv('*-trades-[0-9][0-9][0-9]-*.csv', header = true, types = {
  'price': 'HUGEINT', 'size': 'HUGEINT',
  'buyer_maker_fee': 'HUGEINT', 'buyer_infrastructure_fee': 'HUGEINT', 'buyer_liquidity_fee': 'HUGEINT',
  'seller_maker_fee': 'HUGEINT', 'seller_infrastructure_fee': 'HUGEINT', 'seller_liquidity_fee': 'HUGEINT'
});

-- The newest row of each market, with its names and decimals.
CREATE VIEW markets AS
SELECT
  id,
  tradable_instrument ->> '$.instrument.code' AS code,
  tradable_instrument ->> '$.instrument.future.settlementAsset' AS asset,
  decimal_places, position_decimal_places
FROM read_csv('*-markets-[0-9][0-9][0-9]-*.csv', header = true, types = {'tradable_instrument': 'JSON'})
QUALIFY row_number() OVER (PARTITION BY id ORDER BY vega_time DESC) = 1;

SELECT
  code,
  count(*) AS trades,
  sum(size) / 10 ** any_value(position_decimal_places) AS volume,
  sum(price * size) / sum(size) / 10 ** any_value(decimal_places) AS average_price,
  sum(buyer_maker_fee + buyer_infrastructure_fee + buyer_liquidity_fee
    + seller_maker_fee + seller_infrastructure_fee + seller_liquidity_fee) AS fees,
  any_value(asset) AS fee_asset
FROM trades JOIN markets ON markets.id = trades.market_id
GROUP BY code ORDER BY code;
