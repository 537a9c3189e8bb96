"""A party's general balance of an asset over time with pandas: python accounts.py FOLDER [PARTY ASSET]

The CSVs of balances and ledger have account ids alone. An account id is the SHA-256 of asset, party, market and type,
as texts behind each other, so the accounts of known parties can be named.
"""
import sys
from hashlib import sha256

from tables import pandas_table


def account_id(asset, party, market="", kind="ACCOUNT_TYPE_GENERAL"):
    return "\\x" + sha256(f"{asset}{party}{market}{kind}".encode()).hexdigest()


folder, *named = sys.argv[1:]
deposits = pandas_table(folder, "deposits")
done = deposits[deposits["status"] == "STATUS_FINALIZED"]
# Identifiers without the `\x` in front: as the API writes them.
largest = done.loc[done["amount"].map(int).idxmax()]
party, asset = named or (largest["party_id"][2:], largest["asset"][2:])

balances = pandas_table(folder, "balances")
own = balances[balances["account_id"] == account_id(asset, party)].sort_values("vega_time")
print(f"party {party}")
print(f"asset {asset}")
for time, balance in zip(own["vega_time"], own["balance"]):
    print(f"{time:%Y-%m-%d %H:%M:%S}  {balance:>30,}")
