"""Reads the exported CSVs with exact types: amounts as whole numbers, times in UTC, "no time" as null."""
import json
from glob import glob
from pathlib import Path

# The type of each column, by table: docs/analysts.md explains them.
TYPES = json.loads(Path(__file__).with_name("types.json").read_text())
WHOLE = {"amount", "price", "size", "whole", "code"}


def files(folder, table):
    """The CSVs of a table: one for each export and schema version."""
    paths = sorted(glob(f"{folder}/*-{table}-[0-9][0-9][0-9]-*.csv"))
    if not paths:
        raise SystemExit(f"there is no CSV of {table} in {folder}: export it first")
    return paths


def polars_table(folder, table):
    import polars as pl

    text = pl.concat([pl.read_csv(file, infer_schema=False) for file in files(folder, table)])
    return text.with_columns(polars_column(pl, name, kind) for name, kind in TYPES[table].items())


def polars_column(pl, name, kind):
    column = pl.col(name)
    if kind in WHOLE:
        return column.cast(pl.Int128)
    if kind == "decimal" or kind == "double":
        return column.cast(pl.Float64)
    if kind == "time":
        time = column.str.to_datetime("%Y-%m-%d %H:%M:%S%.f%#z", time_unit="us", time_zone="UTC")
        # 1970 and 1754: there is no such time.
        return pl.when(time.dt.epoch("us") > 0).then(time).alias(name)
    if kind == "bool":
        return column == "t"
    return column


def pandas_table(folder, table):
    import pandas as pd

    parts = [pd.read_csv(file, dtype=str, keep_default_na=False) for file in files(folder, table)]
    rows = pd.concat(parts, ignore_index=True)
    for name, kind in TYPES[table].items():
        rows[name] = pandas_column(pd, rows[name], kind)
    return rows


def pandas_column(pd, column, kind):
    if kind in WHOLE:
        # Python's own integers: an amount can exceed 64 bits.
        return column.map(int).astype(object)
    if kind == "decimal" or kind == "double":
        return pd.to_numeric(column)
    if kind == "time":
        times = pd.to_datetime(column, format="ISO8601", utc=True)
        return times.where(times > pd.Timestamp(0, tz="UTC"))
    if kind == "bool":
        return column == "t"
    return column
