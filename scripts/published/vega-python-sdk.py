"""A session of the published Python package `vega-python-sdk` with a running devnet: its own keys, signatures, proofs of work,
stubs of the network 0.73, and one address for the core's and the data node's service.

    python vega-python-sdk.py ADDRESSES.json

Each check that fails is a line on standard output; exit code 1 then. Run by ../published-clients.ts.
"""

import json
import sys
import time

import grpc
import requests
from google.protobuf import message_factory

import vega.proto.data_node.api.v2.trading_data_pb2 as trading_data
import vega.proto.vega.api.v1.core_pb2 as core
import vega.proto.vega.api.v1.corestate_pb2 as core_state
import vega.proto.vega.commands.v1.commands_pb2 as commands
import vega.proto.vega.vega_pb2 as vega
from vega.client import Client

with open(sys.argv[1]) as file:
    addresses = json.load(file)

AMOUNT = 1_000_000
#: More than a block takes at the plain difficulty: the package then proves more work, or with an older block.
TRANSFERS = 18
#: Methods of the network 0.73, which 0.71 does not have.
NEWER = set(
    "GetStopOrder ListStopOrders GetTransfer ListSuccessorMarkets ListLiquidityProviders ListFundingPeriods "
    "ListFundingPeriodDataPoints ListFundingPayments GetPartyActivityStreak GetCurrentReferralProgram ListReferralSets "
    "ListReferralSetReferees GetReferralSetStats ListTeams ListTeamReferees ListTeamRefereeHistory GetReferralFeeStats "
    "GetCurrentVolumeDiscountProgram GetVolumeDiscountStats".split()
)

faults = []
done = 0


def check(what, found, expected):
    global done
    done += 1
    if found != expected:
        faults.append(f"{what}: {found}, not {expected}")


def until(what, read, expected):
    """Reads until it is as expected, or half a minute is over."""
    for _ in range(60):
        found = read()
        if found == expected:
            break
        time.sleep(0.5)
    check(what, found, expected)


def answer_of(service, method, channel):
    """The status of a method that is asked for nothing in particular."""
    kinds = {
        (False, False): channel.unary_unary,
        (False, True): channel.unary_stream,
        (True, True): channel.stream_stream,
    }
    call = kinds[method.client_streaming, method.server_streaming](
        f"/{service.full_name}/{method.name}",
        request_serializer=lambda request: request.SerializeToString(),
        response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
    )
    request = message_factory.GetMessageClass(method.input_type)()
    try:
        answer = call(iter([request]) if method.client_streaming else request, timeout=1)
        if method.server_streaming:
            next(answer, None)
        return "OK"
    except grpc.RpcError as error:
        return error.code().name


phrase = requests.get(f"{addresses['nodeUrl']}/devnet/parties", timeout=10).json()["recoveryPhrase"]
client = Client(phrase, addresses["grpcDataAddress"], derivations=1)
other = Client(phrase, addresses["grpcNodeAddress"], derivations=2)._signer._pub_key
mine = client._signer._pub_key
data = client._trading_data_client
parties = {edge.node.id for edge in data.ListParties(trading_data.ListPartiesRequest()).parties.edges}
check("keys of the phrase are the devnet's", {mine, other} <= parties, True)

assets = data.ListAssets(trading_data.ListAssetsRequest()).assets.edges
asset = next(edge.node.id for edge in assets if edge.node.details.symbol == "tUSD")


def balance(party):
    wanted = trading_data.AccountFilter(
        asset_id=asset, party_ids=[party], account_types=[vega.ACCOUNT_TYPE_GENERAL]
    )
    accounts = data.ListAccounts(trading_data.ListAccountsRequest(filter=wanted)).accounts.edges
    return sum(int(edge.node.balance) for edge in accounts)


before = balance(other)
transfer = commands.Transfer(
    from_account_type=vega.ACCOUNT_TYPE_GENERAL,
    to_account_type=vega.ACCOUNT_TYPE_GENERAL,
    to=other,
    asset=asset,
    amount=str(AMOUNT),
    reference="sdk",
    one_off=commands.OneOffTransfer(),
)
for turn in range(TRANSFERS):
    sent = client.submit_transaction(transfer, "transfer")
    check(f"verdict {turn}", (sent.success, sent.code, sent.data), (True, 0, ""))
until("money that arrived", lambda: balance(other) - before, TRANSFERS * AMOUNT)
asked = trading_data.ListTransfersRequest(pubkey=mine, direction=trading_data.TRANSFER_DIRECTION_TRANSFER_FROM)
told = [edge.node for edge in data.ListTransfers(asked).transfers.edges if edge.node.reference == "sdk"]
check("transfers told", len(told), TRANSFERS)
check("their state", {node.status for node in told}, {told[0].STATUS_DONE})

transfer.amount = "1"
refused = client.submit_transaction(transfer, "transfer")
check("a transfer below the least amount", (refused.success, refused.code, refused.data != ""), (False, 70, True))

node = grpc.insecure_channel(addresses["grpcNodeAddress"])
for module, name, channel in (
    (core, "CoreService", node),
    (core, "CoreService", data.channel),
    (core_state, "CoreStateService", node),
    (trading_data, "TradingDataService", data.channel),
):
    service = module.DESCRIPTOR.services_by_name[name]
    for method in service.methods:
        status = answer_of(service, method, channel)
        check(f"{name}/{method.name} is served", status != "UNIMPLEMENTED", method.name not in NEWER)

for fault in faults:
    print(fault)
print(f"vega-python-sdk: {done} checks, {len(faults)} faults")
sys.exit(1 if faults else 0)
