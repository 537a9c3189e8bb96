"""A session of the published Python client `vega_sim` with a running devnet: its own gRPC stubs, service and live cache.

    python vega-sim.py ADDRESSES.json

Only the wallet is of this file: keys of the devnet's phrase, proofs of work and signatures, from the interface alone.
Each check that fails is a line on standard output; exit code 1 then. Run by ../published-clients.ts.
"""

import hashlib
import hmac
import json
import logging
import os
import struct
import sys
import threading

import requests
from nacl.signing import SigningKey

import vega_sim.proto.data_node.api.v2.trading_data_pb2 as trading_data
import vega_sim.proto.vega.api.v1.core_pb2 as core
import vega_sim.proto.vega.commands.v1.signature_pb2 as signatures
import vega_sim.proto.vega.commands.v1.transaction_pb2 as transactions
import vega_sim.proto.vega.vega_pb2 as vega
from vega_sim.service import VegaService
from vega_sim.wallet.base import Wallet

logging.basicConfig(level=logging.ERROR)
with open(sys.argv[1]) as file:
    addresses = json.load(file)

faults = []
done = 0


def check(what, found, expected):
    global done
    done += 1
    if found != expected:
        faults.append(f"{what}: {found}, not {expected}")


def key_of(phrase, index):
    seed = hashlib.pbkdf2_hmac("sha512", phrase.encode(), b"mnemonic", 2048, 64)
    digest = hmac.new(b"ed25519 seed", seed, hashlib.sha512).digest()
    for part in (1789, 0, index):
        data = b"\0" + digest[:32] + struct.pack(">I", part + 0x80000000)
        digest = hmac.new(digest[32:], data, hashlib.sha512).digest()
    return SigningKey(digest[:32])


def proof_of(block, tid):
    for nonce in range(1 << 40):
        parts = (b"Vega_SPAM_PoW", block.hash.encode(), tid.encode(), struct.pack(">Q", nonce))
        digest = hashlib.sha3_256(b"".join(parts)).digest()
        if 256 - int.from_bytes(digest, "big").bit_length() >= block.spam_pow_difficulty:
            return transactions.ProofOfWork(tid=tid, nonce=nonce)


class ProvingWallet(Wallet):
    def __init__(self, client, phrase):
        self.client, self.phrase, self.keys = client, phrase, {}

    def create_key(self, name, wallet_name=None):
        self.keys[name] = key_of(self.phrase, len(self.keys) + 1)

    def public_key(self, name, wallet_name=None):
        return bytes(self.keys[name].verify_key).hex()

    def submit_transaction(self, key_name, transaction, transaction_type, wallet_name=None):
        block = self.client.LastBlockHeight(core.LastBlockHeightRequest())
        nonce = int.from_bytes(os.urandom(8), "big")
        command = {transaction_type: transaction}
        data = transactions.InputData(nonce=nonce, block_height=block.height, **command).SerializeToString()
        digest = hashlib.sha3_256(block.chain_id.encode() + b"\0" + data).digest()
        value = self.keys[key_name].sign(digest).signature.hex()
        tx = transactions.Transaction(
            input_data=data,
            signature=signatures.Signature(value=value, algo="vega/ed25519", version=1),
            pub_key=self.public_key(key_name),
            version=3,
            pow=proof_of(block, os.urandom(32).hex()),
        )
        request = core.SubmitTransactionRequest(tx=tx, type=core.SubmitTransactionRequest.Type.TYPE_SYNC)
        answer = self.client.SubmitTransaction(request)
        check(f"{transaction_type} taken", (answer.success, answer.data), (True, ""))


class Devnet(VegaService):
    """The devnet as the client sees the network's single-process chain: its time is moved, and nothing else."""

    data_node_rest_url = property(lambda self: addresses["dataUrl"])
    faucet_url = property(lambda self: addresses["faucetUrl"])
    vega_node_url = property(lambda self: addresses["nodeUrl"])
    vega_node_grpc_url = property(lambda self: addresses["grpcNodeAddress"])
    data_node_grpc_url = property(lambda self: addresses["grpcDataAddress"])

    def __init__(self):
        super().__init__(can_control_time=True, warn_on_raw_data_access=False, listen_for_high_volume_stream_updates=True)
        phrase = requests.get(self.vega_node_url + "/devnet/parties").json()["recoveryPhrase"]
        self._wallet = ProvingWallet(self.core_client, phrase)

    @property
    def wallet(self):
        return self._wallet

    def wait_fn(self, wait_multiple=1):
        self.forward(f"{max(1, int(wait_multiple))}s")


service = Devnet()
for name in ("alice", "bob", "carol", "dave"):
    service.create_key(name)
key = service.wallet.public_key
asset = service.find_asset_id("tUSD", raise_on_missing=True)
funds = service.party_account("alice", asset, None).general
service.mint("alice", asset, 1_000.0)
check("minted", service.party_account("alice", asset, None).general, funds + 1_000.0)

market = service.create_simple_market(
    market_name="SIM/JAN27",
    proposal_key="alice",
    settlement_asset_id=asset,
    termination_key="dave",
    position_decimals=2,
    market_decimals=3,
)
check("market pending", service.market_info(market).state, 3)
check("market found", service.find_market_id("SIM/JAN27"), market)

specs = {"buy_specs": [("PEGGED_REFERENCE_MID", 5, 1)], "sell_specs": [("PEGGED_REFERENCE_MID", 5, 1)]}
service.submit_liquidity("carol", market, 10_000, 0.001, is_amendment=False, **specs)


def order(who, side, volume, price):
    return service.submit_order(who, market, "TYPE_LIMIT", "TIME_IN_FORCE_GTC", f"SIDE_{side}", volume, price)


def status(order_id):
    return service.trading_data_client_v2.GetOrder(trading_data.GetOrderRequest(order_id=order_id)).order


order("alice", "BUY", 1, 90)
order("bob", "SELL", 1, 110)
order("alice", "BUY", 1, 100)
order("bob", "SELL", 1, 100)
service.wait_fn(10)
service.wait_for_thread_catchup()
info = service.market_info(market)
check("market trades", (info.state, info.trading_mode), (5, 1))
check("provision", service.has_liquidity_provision("carol", market), True)

resting = order("alice", "BUY", 2.5, 99)
check("order", (status(resting).price, status(resting).size, status(resting).status), ("99000", 250, 1))
service.amend_order("alice", market, resting, price=98.5)
service.wait_fn()
check("amended", (status(resting).price, status(resting).version), ("98500", 2))
service.submit_market_order("bob", market, "SIDE_SELL", 1.5)
service.wait_fn(6)
service.wait_for_thread_catchup()

trades = service.get_trades(market)
check("trades", sorted((one.price, one.size) for one in trades), [(99.25, 1.5), (100.0, 1.0)])
check("parties of a trade", (trades[0].buyer, trades[0].seller), (key("carol"), key("bob")))
streamed = service.get_trades_from_stream(market)
check("trades of the stream", {one.id for one in streamed}, {one.id for one in trades})
check("position", service.positions_by_market("bob", market).open_volume, -2.5)
margin = service.margin_levels("alice", market)[0]
account = service.party_account("alice", asset, market)
check("margin in levels", margin.search_level < account.margin <= margin.collateral_release_level, True)
data = service.get_latest_market_data(market)
check("mark price", (data.mark_price, data.best_bid_price, data.best_offer_price), (99.25, 99.25, 109.25))
check("mark price of the stream", service.market_data_from_feed(market).mark_price, 99.25)
depth = service.market_depth(market, num_levels=3)
check("bids", [level.price for level in depth.buys], [99.25, 98.5, 90.0])
book = service.order_book_by_market(market)
check("offers", sorted(book.asks), [109.25, 110.0])
live = service.data_cache.order_status_from_feed()[market]
check("orders of the stream", {party: len(orders) for party, orders in live.items()}, {key("alice"): 2, key("bob"): 1, key("carol"): 2})
estimated, _ = service.estimate_position(market, -2.5, collateral_available=100.0)
check("estimated margin", estimated.worst_case.maintenance_margin > 0, True)
check("risk factors", service.get_risk_factors(market).short > 0, True)

new_order = service.create_order_submission(market, 1, "SIDE_SELL", "TYPE_LIMIT", "TIME_IN_FORCE_GTC", price=120.0)
service.submit_instructions("bob", cancellations=[], amendments=[], submissions=[new_order, new_order])
service.cancel_order("alice", market, resting)
service.wait_fn(2)
check("cancelled", status(resting).status, 3)
check("of a batch", len([one for one in service.list_orders("bob", market) if one.price == 120.0]), 2)

before = service.party_account("carol", asset, None).general
general = vega.ACCOUNT_TYPE_GENERAL
service.one_off_transfer("alice", "carol", general, general, asset, 12.5)
service.wait_fn(2)
check("transferred", round(service.party_account("carol", asset, None).general - before, 5), 12.5)
check("transfers", [one.amount for one in service.list_transfers(key_name="alice")], [12.5])
entries = service.list_ledger_entries(from_party_ids=[key("alice")])
check("ledger entries", any(one.quantity == 12.5 for one in entries), True)
service.wait_for_thread_catchup()
check("ledger of the stream", any(one.amount == 12.5 for one in service.get_ledger_entries_from_stream()), True)

service.update_network_parameter("alice", "market.fee.factors.makerFee", "0.0003")
check("parameter", service.get_network_parameter("market.fee.factors.makerFee", to_type="float"), 0.0003)

service.settle_market("dave", 101.0, market)
service.wait_fn(2)
check("settled", service.market_info(market).state, 9)
check("margin given back", service.party_account("bob", asset, market).margin, 0)

service.stop()
# A stream that ends with the node, not with its reader, holds a thread.
check("threads", threading.active_count() < 20, True)
for fault in faults:
    print(fault)
print(f"vega-sim: {done} checks, {len(faults)} faults")
sys.stdout.flush()
os._exit(1 if faults else 0)
