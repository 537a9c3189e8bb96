"""Hourly candles of each market with polars, in the market's own decimals: python candles.py FOLDER"""
import sys

import polars as pl

from tables import polars_table

folder = sys.argv[1]
trades = polars_table(folder, "trades")
# The newest row of each market: a market is written again whenever it changes.
markets = polars_table(folder, "markets").sort("vega_time").group_by("id", maintain_order=True).last()

candles = (
    trades.join(markets, left_on="market_id", right_on="id", suffix="_market")
    .with_columns(
        price=pl.col("price").cast(pl.Float64) / 10.0 ** pl.col("decimal_places").cast(pl.Float64),
        size=pl.col("size").cast(pl.Float64) / 10.0 ** pl.col("position_decimal_places").cast(pl.Float64),
        code=pl.col("tradable_instrument").str.json_path_match("$.instrument.code"),
    )
    # Trades of a block share its time; the synthetic time orders them.
    .sort("synthetic_time")
    .group_by_dynamic("vega_time", every="1h", group_by="code")
    .agg(
        open=pl.col("price").first(),
        high=pl.col("price").max(),
        low=pl.col("price").min(),
        close=pl.col("price").last(),
        volume=pl.col("size").sum(),
        trades=pl.len(),
    )
    .sort("code", "vega_time")
)
with pl.Config(tbl_rows=-1, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True):
    print(candles)
