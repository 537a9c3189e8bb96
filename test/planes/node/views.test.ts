// The views of the core's state (docs/protocol/30-node-api-endpoints.md#52-corestateservice), over a real small store.
import { afterAll, describe, expect, test } from "bun:test";
import { Field } from "../../../src/wire/block.ts";
import {
  encodeDelegationBalanceEvent,
  encodeKeyRotation,
  encodeStakeLinking,
  encodeValidatorUpdate,
} from "../../../src/wire/generated/events.ts";
import {
  encodeAccount,
  encodeAsset,
  encodeMarket,
  encodeMarketData,
  encodeNetworkLimits,
  encodeNetworkParameter,
  encodeParty,
  encodeProposal,
  encodeVote,
} from "../../../src/wire/generated/vega.ts";
import { blockNs, type Event, id, type Json, removeChains } from "../../support/small-chain.ts";
import { smallNode } from "./small-node.ts";

afterAll(removeChains);

const ZEROS = "0".repeat(64);
const [P1, P2, N1, A1, M1] = [id(0x51), id(0x52), id(0x11), id(0xa1), id(0x3e)];
const [GENERAL, MARGIN, INSURANCE, REWARD] = [4, 3, 1, 12];

const account = (owner: string, marketId: string, type: number, balance: string): Event => [
  Field.account,
  encodeAccount({ id: `${marketId}${owner}${type}`, owner, marketId, asset: A1, type, balance }),
];
const parameter = (key: string, value: string): Event => [
  Field.networkParameter,
  encodeNetworkParameter({ key, value }),
];
const linking = (n: number, party: string, type: number, amount: string, status = 2): Event => [
  Field.stakeLinking,
  encodeStakeLinking({ id: id(n), party, type, amount, status, finalizedAt: 1_234_567_891n }),
];
const delegation = (party: string, epochSeq: string, amount: string): Event => [
  Field.delegationBalance,
  encodeDelegationBalanceEvent({ party, nodeId: N1, epochSeq, amount }),
];
const vote = (partyId: string, proposal: number, value: number): Event => [
  Field.vote,
  encodeVote({
    partyId,
    proposalId: id(proposal),
    value,
    timestamp: 1_500n,
    totalGovernanceTokenBalance: "1",
    totalGovernanceTokenWeight: "0.50",
    totalEquityLikeShareWeight: "0",
  }),
];
const proposal = (n: number, partyId: string, state: number): Event => [
  Field.proposal,
  encodeProposal({
    id: id(n),
    reference: `r${n}`,
    partyId,
    state,
    timestamp: 1_000_001n,
    requiredMajority: "0.66",
    requiredParticipation: "0.1",
    terms: { closingTimestamp: 5n, newFreeform: {} },
    rationale: { title: "t", description: "<d>" },
  }),
];

const { ask } = smallNode([
  [
    parameter("b.key", "2"),
    parameter("a.key", "1"),
    [Field.party, encodeParty({ id: P2 })],
    [Field.party, encodeParty({ id: P1 })],
    [
      Field.asset,
      encodeAsset({
        id: A1,
        status: 4,
        details: {
          name: "A",
          symbol: "A",
          decimals: 5n,
          quantum: "1",
          builtinAsset: { maxFaucetAmountMint: "9" },
        },
      }),
    ],
    account("*", "!", REWARD, "7"),
    account(P1, "!", GENERAL, "100"),
    [
      Field.validatorUpdate,
      encodeValidatorUpdate({
        nodeId: N1,
        vegaPubKey: id(0x21),
        ethereumAddress: `0x${"Ab".repeat(20)}`,
        tmPubKey: "tm",
        infoUrl: "u",
        country: "NL",
        name: "n",
        avatarUrl: "a",
        vegaPubKeyIndex: 1,
        added: true,
        fromEpoch: 1n,
        epochSeq: 0n,
      }),
    ],
    linking(1, P1, 1, "50"),
    proposal(1, P1, 2),
    [Field.marketCreated, encodeMarket({ id: M1, decimalPlaces: 5n, state: 5 })],
  ],
  [
    account(P1, "!", GENERAL, "340282366920938463463374607431768211456"),
    account(P1, M1, MARGIN, "5"),
    account("*", M1, INSURANCE, "6"),
    account(P2, "!", GENERAL, "1"),
    linking(2, P1, 1, "30"),
    linking(3, P1, 2, "20"),
    linking(4, P1, 1, "1000", 1),
    linking(5, P2, 1, "8"),
    delegation(P1, "1", "10"),
    delegation(P1, "2", "11"),
    delegation(P2, "2", "12"),
    vote(P1, 1, 2),
    vote(P2, 1, 1),
    proposal(1, P1, 4),
    proposal(2, P2, 2),
  ],
  [
    parameter("a.key", "3"),
    vote(P1, 1, 1),
    vote(P1, 2, 2),
    [
      Field.networkLimits,
      encodeNetworkLimits({ canProposeAsset: true, proposeAssetEnabledFrom: 1_234_567_891n }),
    ],
    [
      Field.keyRotation,
      encodeKeyRotation({ nodeId: N1, oldPubKey: id(0x21), newPubKey: id(0x22), blockHeight: 3n }),
    ],
    [Field.marketData, encodeMarketData({ market: M1, markPrice: "10", lastTradedPrice: "9" })],
    [Field.marketData, encodeMarketData({ market: M1, markPrice: "11", lastTradedPrice: "10" })],
  ],
]);

const body = async (path: string): Promise<Json> => {
  const answer = await ask(path);
  expect({ path, status: answer.status }).toEqual({ path, status: 200 });
  return answer.body;
};

test("every view tells the block it was read at", async () => {
  const { headers } = await ask("/parties");
  expect(headers.get("x-block-height")).toBe("3");
  expect(headers.get("x-block-timestamp")).toBe(String(blockNs(3)));
});

test("/network/parameters: current values by key, one of them, or none", async () => {
  const both = [
    { key: "a.key", value: "3" },
    { key: "b.key", value: "2" },
  ];
  expect(await body("/network/parameters")).toEqual({ networkParameters: both });
  expect(await body("/network/parameters?networkParameterKey=b.key")).toEqual({
    networkParameters: [both[1]],
  });
  expect(await body("/network/parameters?network_parameter_key=c")).toEqual({ networkParameters: [] });
  expect(await body("/network/parameters?networkParameterKey=")).toEqual({ networkParameters: both });
});

test("/network/limits: the last ones, nanoseconds uncut", async () => {
  expect(await body("/network/limits")).toEqual({
    networkLimits: {
      canProposeMarket: false,
      canProposeAsset: true,
      proposeMarketEnabled: false,
      proposeAssetEnabled: false,
      genesisLoaded: false,
      proposeMarketEnabledFrom: "0",
      proposeAssetEnabledFrom: "1234567891",
    },
  });
});

describe("/accounts", () => {
  const general = {
    party: P1,
    market: "",
    balance: "340282366920938463463374607431768211456",
    asset: A1,
    type: "ACCOUNT_TYPE_GENERAL",
  };
  const margin = { ...general, market: M1, balance: "5", type: "ACCOUNT_TYPE_MARGIN" };
  const insurance = { ...general, party: ZEROS, market: M1, balance: "6", type: "ACCOUNT_TYPE_INSURANCE" };
  const reward = { ...general, party: ZEROS, balance: "7", type: "ACCOUNT_TYPE_GLOBAL_REWARD" };
  const cases: readonly (readonly [query: string, accounts: readonly object[]])[] = [
    ["", [reward]],
    [`?party=${P1}`, [general, margin]],
    [`?party=${P1.toUpperCase()}`, [general, margin]],
    [`?party=${P1}&market=${M1}`, [margin]],
    // The original finds none of these (docs/protocol/30-node-api-events.md#13-easily-missed, 14).
    [`?market=${M1}`, [margin, insurance]],
    [`?party=${ZEROS}`, [insurance, reward]],
    ["?party=network", [insurance, reward]],
    [`?party=${ZEROS}&market=${M1}`, [insurance]],
    [`?party=${id(0x99)}`, []],
    ["?party=no-key", []],
    ["?market=zz", []],
  ];
  test.each(cases)("%s", async (query, accounts) => {
    const listed: Json[] = (await body(`/accounts${query}`)).accounts;
    const sorted = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).sort();
    expect(sorted(listed)).toEqual(sorted(accounts));
  });
});

test("/assets, /parties, /markets: by id, and one of them", async () => {
  const { assets } = await body("/assets");
  expect(assets).toEqual([
    {
      id: A1,
      details: {
        name: "A",
        symbol: "A",
        decimals: "5",
        quantum: "1",
        builtinAsset: { maxFaucetAmountMint: "9" },
      },
      status: "STATUS_ENABLED",
    },
  ]);
  expect((await body(`/assets?asset=${A1}`)).assets).toEqual(assets);
  expect((await body(`/assets?asset=${P1}`)).assets).toEqual([]);
  expect(await body("/parties")).toEqual({ parties: [{ id: P1 }, { id: P2 }] });
  expect((await body("/markets")).markets).toMatchObject([{ id: M1, state: "STATE_ACTIVE" }]);
  expect((await body(`/markets?market=${A1}`)).markets).toEqual([]);
});

test("/markets/data: the latest of each market, with what the data API leaves out", async () => {
  const { marketsData } = await body("/markets/data");
  expect(marketsData).toHaveLength(1);
  expect(marketsData[0]).toMatchObject({ market: M1, markPrice: "11", lastTradedPrice: "10" });
  expect((await body(`/markets/data?market=${M1}`)).marketsData).toEqual(marketsData);
  expect((await body("/markets/data?market=x")).marketsData).toEqual([]);
});

test("/validators: the last update, with the key that was rotated to", async () => {
  expect(await body("/validators")).toMatchObject({
    validators: [
      {
        nodeId: N1,
        vegaPubKey: id(0x22),
        ethereumAddress: `0x${"Ab".repeat(20)}`,
        vegaPubKeyIndex: 1,
        added: true,
        fromEpoch: "1",
      },
    ],
  });
});

test("/parties/stake: accepted links less accepted unlinks", async () => {
  const { partiesStake } = await body("/parties/stake");
  expect(
    partiesStake.map((one: Json) => [one.party, one.currentStakeAvailable, one.stakeLinkings.length]),
  ).toEqual([
    [P1, "60", 4],
    [P2, "8", 1],
  ]);
  expect(partiesStake[0].stakeLinkings[0]).toMatchObject({
    id: id(1),
    type: "TYPE_LINK",
    finalizedAt: "1234567891",
  });
  expect((await body(`/parties/stake?party=${P2}`)).partiesStake).toEqual([partiesStake[1]]);
  expect((await body("/parties/stake?party=x")).partiesStake).toEqual([]);
});

test("/delegations: party, node and epoch select", async () => {
  const amounts = async (query: string) =>
    (await body(`/delegations${query}`)).delegations.map((one: Json) => one.amount);
  expect((await body("/delegations")).delegations[0]).toEqual({
    party: P1,
    nodeId: N1,
    amount: "10",
    epochSeq: "1",
  });
  expect(await amounts("")).toEqual(["10", "11", "12"]);
  expect(await amounts("?epochSeq=2")).toEqual(["11", "12"]);
  expect(await amounts(`?epochSeq=2&party=${P2}`)).toEqual(["12"]);
  expect(await amounts(`?node=${N1}&party=${P1}`)).toEqual(["10", "11"]);
  for (const query of ["epochSeq=3", "epochSeq=x", "epochSeq=-1", `epochSeq=${"9".repeat(40)}`, "node=x"]) {
    expect(await amounts(`?${query}`)).toEqual([]);
  }
});

test("/proposals: in their latest state, by id and by proposer", async () => {
  const states = async (query: string) =>
    (await body(`/proposals${query}`)).proposals.map((one: Json) => [one.reference, one.state]);
  expect(await states("")).toEqual([
    ["r1", "STATE_REJECTED"],
    ["r2", "STATE_OPEN"],
  ]);
  expect(await states(`?proposal=${id(1)}`)).toEqual([["r1", "STATE_REJECTED"]]);
  expect(await states(`?proposer=${P2}`)).toEqual([["r2", "STATE_OPEN"]]);
  expect(await states(`?proposal=${id(1)}&proposer=${P2}`)).toEqual([]);
  expect(await states("?proposal=x")).toEqual([]);
  // As Go prints it.
  expect((await ask("/proposals")).text).toContain('"description": "\\u003cd\\u003e"');
});

test("/votes: the latest of each party, and a filter is wanted", async () => {
  const values = async (query: string) => (await body(`/votes${query}`)).votes.map((one: Json) => one.value);
  expect(await values(`?proposal=${id(1)}`)).toEqual(["VALUE_NO", "VALUE_NO"]);
  expect(await values(`?party=${P1}`)).toEqual(["VALUE_NO", "VALUE_YES"]);
  expect(await values(`?proposal=${id(2)}&party=${P1}`)).toEqual(["VALUE_YES"]);
  expect(await values("?party=x")).toEqual([]);
  for (const query of ["", "?proposal=", "?party=&proposal="]) {
    const { status, body: error } = await ask(`/votes${query}`);
    expect(status).toBe(500);
    expect(error).toEqual({ code: 2, message: "missing proposal or party filter", details: [] });
  }
});

test("an empty store: empty lists and no limits", async () => {
  const empty = smallNode([[]]);
  for (const [path, member] of [
    ["/network/parameters", "networkParameters"],
    ["/accounts", "accounts"],
    ["/assets", "assets"],
    ["/parties", "parties"],
    ["/parties/stake", "partiesStake"],
    ["/validators", "validators"],
    ["/proposals", "proposals"],
    [`/votes?party=${P1}`, "votes"],
    ["/markets", "markets"],
    ["/markets/data", "marketsData"],
    ["/delegations", "delegations"],
  ] as const) {
    expect((await empty.ask(path)).body).toEqual({ [member]: [] });
  }
  expect((await empty.ask("/network/limits")).body).toEqual({ networkLimits: null });
});

test("a view that an answer cannot hold is refused, and says how to ask for less", async () => {
  const parties = Array.from({ length: 40 }, (_, n): Event => [Field.party, encodeParty({ id: id(n) })]);
  const wide = parameter("wide", "x".repeat(1_990));
  const small = smallNode([[...parties, wide]], { responseBytesMax: 2_000 });
  const refusal = async (path: string) => {
    const { status, body: error } = await small.ask(path);
    return [status, error.code, error.message];
  };
  const too = "the answer is larger than 2000 bytes: ";
  expect(await refusal("/parties")).toEqual([429, 8, `${too}the data API has pages`]);
  expect(await refusal("/network/parameters")).toEqual([429, 8, `${too}give networkParameterKey`]);
  expect((await small.ask("/network/parameters?networkParameterKey=x")).status).toBe(200);
});
