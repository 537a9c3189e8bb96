// Votes, tally, enactment (docs/protocol/60-state-engine-governance.md#65-governance-tick-last-tick-listener to #67-votes).
import { describe, expect, test } from "bun:test";
import { type ProposalTerms, VoteValue } from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { ALICE, BOB, CAROL, ETHEREUM, outline, SmallChain, START, TOKEN } from "./governance-fixture.ts";

const { VALUE_NO: NO, VALUE_YES: YES } = VoteValue;
const CLOSE = START + 100n;
const ENACT = START + 200n;
const VALIDATE = START + 50n;

const fee = { updateNetworkParameter: { changes: { key: "transfer.fee.factor", value: "0.5" } } };
const builtin = {
  name: "Toy",
  symbol: "TOY",
  decimals: 2n,
  quantum: "1",
  erc20: undefined,
  builtinAsset: { maxFaucetAmountMint: "9" },
};
const erc20 = {
  ...builtin,
  builtinAsset: undefined,
  erc20: { contractAddress: TOKEN, lifetimeLimit: "100", withdrawThreshold: "10" },
};

function terms(change: Partial<ProposalTerms>): Partial<ProposalTerms> {
  return {
    closingTimestamp: CLOSE,
    enactmentTimestamp: change.newFreeform ? 0n : ENACT,
    validationTimestamp: change.newAsset ? VALIDATE : 0n,
    ...change,
  };
}

/** A chain with short proposals, where Alice holds 60, Bob 30 and Carol 10. */
function started(parameters: Record<string, string> = {}): SmallChain {
  const chain = new SmallChain();
  const quick = ["freeform", "updateNetParam", "asset", "updateAsset"].flatMap((kind) =>
    (kind === "freeform" ? ["minClose"] : ["minClose", "minEnact"]).map((name) => [
      `governance.proposal.${kind}.${name}`,
      "1s",
    ]),
  );
  chain.genesis({
    network_parameters: {
      "blockchains.ethereumConfig": ETHEREUM,
      ...Object.fromEntries(quick),
      ...parameters,
    },
  });
  chain.tick(START);
  for (const [party, stake] of [
    [ALICE, 60n],
    [BOB, 30n],
    [CAROL, 10n],
  ] as const)
    chain.stakes.set(party, stake);
  return chain;
}

function opened(change: Partial<ProposalTerms>, chain = started()): { chain: SmallChain; id: string } {
  const { id, text } = chain.submit(ALICE, terms(change));
  expect(text).toBe("");
  return { chain, id };
}

describe("votes", () => {
  test("given a vote, then its event has the stake of now and no weight yet", () => {
    const { chain, id } = opened(fee);
    const { events } = chain.at(START + 1n, 5n).vote(BOB, id, YES);
    const payload = {
      partyId: BOB,
      value: YES,
      proposalId: id,
      timestamp: (START + 1n) * SECOND_NS + 5n,
      totalGovernanceTokenBalance: "30",
      totalGovernanceTokenWeight: "0",
      totalEquityLikeShareWeight: "0",
    };
    expect(events).toEqual([{ member: "vote", payload }]);
  });

  test("given a second vote of a party, then it takes the place of the first", () => {
    const { chain, id } = opened(fee);
    chain.vote(ALICE, id, NO);
    chain.at(START + 2n).vote(ALICE, id, YES);
    expect(chain.governance.votes.of(id)).toEqual([
      {
        proposal: id,
        party: ALICE,
        value: YES,
        timestampNs: (START + 2n) * SECOND_NS,
        balance: 60n,
        share: "0",
      },
    ]);
  });

  test.each([
    ["an unknown proposal", "ee".repeat(32), 60n, "proposal does not exist"],
    ["no staking account", undefined, undefined, "no balance for party"],
    ["too little stake", undefined, 19n, "vote requires more tokens than the party has"],
  ])("given %s, then there is an error and no event", (_name, proposal, stake, text) => {
    const { chain, id } = opened(
      fee,
      started({ "governance.proposal.updateNetParam.minVoterBalance": "20" }),
    );
    chain.stakes.delete(BOB);
    if (stake !== undefined) chain.stakes.set(BOB, stake);
    expect(chain.vote(BOB, proposal ?? id, YES)).toMatchObject({ text, code: 70, events: [] });
  });

  test("given a proposal that waits for validators, then it takes votes", () => {
    const { chain, id } = opened({ newAsset: { changes: builtin } });
    expect(chain.vote(ALICE, id, YES).text).toBe("");
  });

  test("given a passed proposal, then it is not open, and once it is through it does not exist", () => {
    const { chain, id } = opened(fee);
    chain.vote(ALICE, id, YES);
    chain.vote(BOB, id, YES);
    expect(outline(chain.tick(CLOSE + 1n))).toEqual(["proposal 3", "vote", "vote"]);
    expect(chain.vote(CAROL, id, NO).text).toBe("proposal is not open for votes");
    chain.tick(ENACT + 1n);
    expect(chain.vote(CAROL, id, NO).text).toBe("proposal does not exist");
  });

  test("given a validator's new key, then its votes on open proposals go along, each with its event", () => {
    const { chain, id } = opened(fee);
    const second = chain.submit(ALICE, terms({ newFreeform: {} })).id;
    const untouched = chain.submit(ALICE, terms({ newFreeform: {} })).id;
    chain.vote(ALICE, second, NO);
    chain.vote(ALICE, id, YES);
    chain.vote(BOB, untouched, YES);
    const moved = "d0".repeat(32);
    chain.at(START + 9n).governance.moveVotes(ALICE, moved);
    const events = chain.events();
    expect(
      events.map(({ payload }) => [payload.proposalId, payload.partyId, payload.value, payload.timestamp]),
    ).toEqual([
      [id, moved, YES, START * SECOND_NS],
      [second, moved, NO, START * SECOND_NS],
    ]);
    expect(events[0]!.payload).toMatchObject({
      totalGovernanceTokenBalance: "60",
      totalGovernanceTokenWeight: "0",
    });
    expect(chain.governance.votes.of(id).map(({ party }) => party)).toEqual([moved]);
    expect(chain.governance.votes.of(untouched).map(({ party }) => party)).toEqual([BOB]);
  });
});

describe("the tally", () => {
  /** [name, votes, supply, parameters, state, reason] */
  test.each([
    ["no votes", {}, 0n, {}, 5, 32],
    ["no stake behind the votes", { poor: YES }, 0n, {}, 5, 32],
    ["a majority", { alice: YES, bob: YES, carol: NO }, 0n, {}, 3, undefined],
    ["less than a majority", { alice: YES, bob: NO, carol: NO }, 0n, {}, 5, 31],
    [
      "exactly the majority",
      { alice: YES, bob: NO, carol: NO },
      0n,
      { requiredMajority: "0.6" },
      3,
      undefined,
    ],
    [
      "a majority that is too small a part of the supply",
      { carol: YES },
      1_000n,
      { requiredParticipation: "0.011" },
      5,
      32,
    ],
    ["exactly the participation", { carol: YES }, 1_000n, { requiredParticipation: "0.01" }, 3, undefined],
    ["neither majority nor participation", { carol: NO }, 1_000n, { requiredParticipation: "0.011" }, 5, 32],
    ["an unknown supply", { carol: YES }, 0n, { requiredParticipation: "1" }, 3, undefined],
    // docs/protocol/60-state-engine-governance.md#66-tally-by-tokens.
  ])("given %s, then the tally has its outcome", (_name, votes, supply, required, state, reason) => {
    const parameters = Object.entries(required).map(([name, value]) => [
      `governance.proposal.updateNetParam.${name}`,
      value,
    ]);
    const { chain, id } = opened(fee, started(Object.fromEntries(parameters)));
    const parties: Record<string, string> = { alice: ALICE, bob: BOB, carol: CAROL, poor: "e0".repeat(32) };
    chain.stakes.set(parties.poor!, 1n);
    for (const [name, value] of Object.entries(votes)) chain.vote(parties[name]!, id, value);
    chain.stakes.set(parties.poor!, 0n);
    chain.supply = supply;
    const [proposal] = chain.tick(CLOSE + 1n);
    expect(proposal!.payload).toMatchObject({ id, state });
    expect(proposal!.payload.reason).toBe(reason);
    expect(proposal!.payload.errorDetails).toBeUndefined();
  });

  test("given the closing time, then votes are counted strictly after it, with the stakes of that moment", () => {
    const { chain, id } = opened(fee);
    chain.at(START + 2n).vote(CAROL, id, NO);
    chain.at(START + 1n).vote(ALICE, id, YES);
    chain.at(START + 1n).vote(BOB, id, YES);
    chain.stakes.set(ALICE, 20n);
    chain.stakes.delete(CAROL);
    expect(chain.tick(CLOSE, 999_999_999n)).toEqual([]);
    const events = chain.tick(CLOSE + 1n);
    expect(outline(events)).toEqual(["proposal 3", "vote", "vote", "vote"]);
    // By time, then party; a vote without stake has an event too.
    const votes = events
      .slice(1)
      .map(({ payload }) => [
        payload.partyId,
        payload.value,
        payload.timestamp,
        payload.totalGovernanceTokenBalance,
        payload.totalGovernanceTokenWeight,
        payload.totalEquityLikeShareWeight,
      ]);
    expect(votes).toEqual([
      [ALICE, YES, (START + 1n) * SECOND_NS, "20", "0.4", "0"],
      [BOB, YES, (START + 1n) * SECOND_NS, "30", "0.6", "0"],
      [CAROL, NO, (START + 2n) * SECOND_NS, "0", "0", "0"],
    ]);
    expect(chain.governance.votes.of(id)).toEqual([]);
  });

  test("given thirds, then weights have 16 decimals", () => {
    const { chain, id } = opened(fee);
    chain.stakes.set(ALICE, 2n).set(BOB, 1n);
    chain.vote(ALICE, id, YES);
    chain.vote(BOB, id, NO);
    const weights = chain
      .tick(CLOSE + 1n)
      .slice(1)
      .map(({ payload }) => payload.totalGovernanceTokenWeight);
    expect(weights).toEqual(["0.6666666666666667", "0.3333333333333333"]);
  });
});

describe("enactment", () => {
  function passed(change: Partial<ProposalTerms>, chain = started()): { chain: SmallChain; id: string } {
    const { id } = opened(change, chain);
    if (change.newAsset !== undefined) {
      chain.validated(id, true);
      chain.tick(VALIDATE);
    }
    chain.vote(ALICE, id, YES);
    chain.vote(BOB, id, YES);
    chain.tick(CLOSE + 1n);
    return { chain, id };
  }

  test("given a network parameter, then it is set strictly after the enactment time, and watchers hear at once", () => {
    const { chain, id } = passed(fee);
    const heard: string[] = [];
    chain.params.watch(["transfer.fee.factor"], (_key, value) => heard.push(value));
    expect(chain.tick(ENACT)).toEqual([]);
    const events = chain.tick(ENACT + 1n);
    expect(outline(events)).toEqual(["networkParameter", "proposal 6"]);
    expect(events[1]!.payload).toMatchObject({ id, state: 6, timestamp: START * SECOND_NS });
    expect(heard).toEqual(["0.5"]);
    expect(chain.tick(ENACT + 2n)).toEqual([]);
    expect(heard).toHaveLength(1);
  });

  test("given a value that does not hold any more, then the proposal fails and nothing is set", () => {
    const key = "market.auction.minimumDuration";
    const { chain, id } = passed({ updateNetworkParameter: { changes: { key, value: "23h" } } });
    chain.params.setValue("market.auction.maximumDuration", "1h");
    chain.events();
    const events = chain.tick(ENACT + 1n);
    expect(outline(events)).toEqual(["proposal 1"]);
    const text = `unable to validate ${key}: expect < 1h0m0s (market.auction.maximumDuration) got 23h0m0s`;
    expect(events[0]!.payload).toMatchObject({ id, reason: 20, errorDetails: text });
    expect(chain.params.text(key)).toBe("30m0s");
  });

  test("given two values of one tick that exclude each other, then the later proposal fails without a reason", () => {
    const [least, most] = ["minimum", "maximum"].map((bound) => `market.auction.${bound}Duration`);
    const chain = started();
    const change = (key: string, value: string) =>
      terms({ updateNetworkParameter: { changes: { key, value } } });
    const ids = [change(most!, "1h"), change(least!, "23h")].map(
      (proposal, index) => chain.submit(ALICE, proposal, `${index}1`.repeat(32)).id,
    );
    for (const id of ids) chain.vote(ALICE, id, YES);
    const events = chain.tick(ENACT + 1n);
    expect(outline(events).slice(4)).toEqual(["networkParameter", "proposal 6", "proposal 1"]);
    const text = `unable to update ${least}: expect < 1h0m0s (${most}) got 23h0m0s`;
    expect(events.at(-1)!.payload).toMatchObject({ id: ids[1], errorDetails: text });
    expect(events.at(-1)!.payload.reason).toBeUndefined();
  });

  test("given a fault of the engine, then the proposal fails, nothing of it is done, and the chain goes on", () => {
    const { chain, id } = passed(fee);
    chain.params.watch(["transfer.fee.factor"], () => {
      throw new RangeError("a fault");
    });
    const before = chain.params.text("transfer.fee.factor");
    const events = chain.tick(ENACT + 1n);
    expect(outline(events)).toEqual(["proposal 1"]);
    expect(events[0]!.payload.errorDetails).toBe("internal error: the command was not executed");
    expect(chain.params.text("transfer.fee.factor")).toBe(before);
    expect(chain.faults).toEqual([`proposal ${id}: RangeError: a fault`]);
    expect(chain.tick(ENACT + 2n)).toEqual([]);
  });

  test("given a freeform proposal, then it closes and is enacted in one tick", () => {
    const { chain, id } = opened({ newFreeform: {} });
    chain.vote(ALICE, id, YES);
    expect(outline(chain.tick(CLOSE + 1n))).toEqual(["proposal 3", "vote", "proposal 6"]);
  });

  test("given an enactment time that has passed at the close, then one tick does both", () => {
    const { chain, id } = opened(fee);
    chain.vote(ALICE, id, YES);
    expect(outline(chain.tick(ENACT + 1n))).toEqual(["proposal 3", "vote", "networkParameter", "proposal 6"]);
  });

  test("given several proposals in one tick, then all close before the first is enacted, in order of submission", () => {
    const chain = started();
    const ids = ["ff", "11", "88"].map((digits) => chain.submit(ALICE, terms(fee), digits.repeat(32)).id);
    for (const id of ids) chain.vote(ALICE, id, YES);
    const events = chain.tick(ENACT + 1n).filter(({ member }) => member === "proposal");
    expect(events.map(({ payload }) => [payload.id, payload.state])).toEqual([
      ...ids.map((id) => [id, 3]),
      ...ids.map((id) => [id, 6]),
    ] as [string, number][]);
  });

  test("given a builtin asset, then it waits for its listing and is enabled in the tick of its enactment", () => {
    const { chain, id } = passed({ newAsset: { changes: builtin } });
    expect(chain.assets.get(id)!.status).toBe(1);
    const events = chain.tick(ENACT + 1n);
    expect(outline(events)).toEqual(["asset 3", "asset 4", "account", "proposal 6"]);
    expect(chain.enabled.at(-1)).toBe(id);
    expect(chain.signed).toEqual([]);
  });

  test("given an ERC20 asset, then the enactment collects signatures for its listing", () => {
    const { chain, id } = passed({ newAsset: { changes: erc20 } });
    expect(outline(chain.tick(ENACT + 1n))).toEqual(["asset 3", "proposal 6"]);
    expect(chain.signed).toEqual([
      { resource: id, kind: 1, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    expect(chain.assets.get(id)!.status).toBe(3);
  });

  test("given no bridge at the enactment of an ERC20 asset, then proposal and asset come to nothing", () => {
    const chain = started({ "blockchains.ethereumConfig": ETHEREUM.replaceAll("0x0b41", "bridge") });
    const { id } = passed({ newAsset: { changes: erc20 } }, chain);
    const events = chain.tick(ENACT + 1n);
    expect(outline(events)).toEqual(["proposal 1", "asset 2"]);
    expect(events[0]!.payload.errorDetails).toBe("no collateral bridge is configured");
    expect(chain.assets.get(id)).toBeUndefined();
  });

  test("given an update of a listed asset, then it is staged and signatures are collected under the proposal", () => {
    const { chain, id: assetId } = passed({ newAsset: { changes: erc20 } });
    chain.tick(ENACT + 1n);
    chain.assets.list(assetId);
    chain.at(START);
    const changes = { quantum: "5", erc20: { lifetimeLimit: "7", withdrawThreshold: "6" } };
    const { id } = passed({ updateAsset: { assetId, changes } }, chain);
    expect(outline(chain.tick(ENACT + 1n))).toEqual(["proposal 6"]);
    expect(chain.signed.at(-1)).toMatchObject({ resource: id, kind: 5 });
    expect(chain.assets.stagedUpdate(assetId)).toMatchObject({ proposalId: id, assetId });
    expect(chain.assets.get(assetId)!.details.quantum).toBe("1");
  });

  test.each([
    ["an unknown asset", "ab".repeat(32), 16, "asset does not exist"],
    ["an asset that is not of the bridge", "VOTE", 16, "expected an ERC20 asset but was not"],
  ])("given an update of %s, then it fails at its enactment", (_name, assetId, reason, text) => {
    const changes = { quantum: "5", erc20: { lifetimeLimit: "7", withdrawThreshold: "6" } };
    const { chain } = passed({ updateAsset: { assetId, changes } });
    const events = chain.tick(ENACT + 1n);
    expect(outline(events)).toEqual(["proposal 1"]);
    expect(events[0]!.payload.reason).toBe(reason);
    expect(events[0]!.payload.errorDetails).toBe(text);
    expect(chain.signed).toEqual([]);
  });

  test("given an update that fails, then it does so before what was submitted later closes", () => {
    const changes = { quantum: "5", erc20: { lifetimeLimit: "7", withdrawThreshold: "6" } };
    const { chain } = passed({ updateAsset: { assetId: "ab".repeat(32), changes } });
    chain.submit(ALICE, { ...terms({ newFreeform: {} }), closingTimestamp: ENACT });
    expect(outline(chain.tick(ENACT + 1n))).toEqual(["proposal 1", "proposal 5"]);
  });
});

describe("a new asset before its vote", () => {
  test("given that validators accept it, then it opens in that tick and closes in a later one", () => {
    const { chain, id } = opened({ newAsset: { changes: builtin } });
    expect(chain.tick(START + 1n)).toEqual([]);
    chain.validated(id, true);
    expect(outline(chain.tick(CLOSE + 1n))).toEqual(["proposal 2"]);
    expect(outline(chain.tick(CLOSE + 1n))).toEqual(["proposal 5", "asset 2"]);
    expect(chain.assets.get(id)).toBeUndefined();
  });

  test("given that validators do not accept it, then it is rejected, and its votes are forgotten", () => {
    const { chain, id } = opened({ newAsset: { changes: builtin } });
    chain.vote(ALICE, id, YES);
    chain.validated(id, false);
    const events = chain.tick(VALIDATE + 1n);
    expect(outline(events)).toEqual(["proposal 4", "asset 2"]);
    expect(events[0]!.payload.reason).toBe(13);
    expect(events[0]!.payload.errorDetails).toBeUndefined();
    expect(chain.governance.votes.of(id)).toEqual([]);
    expect(chain.vote(ALICE, id, YES).text).toBe("proposal does not exist");
  });

  test("given a late word of the validators on a proposal that is gone, then nothing happens", () => {
    const { chain, id } = opened({ newAsset: { changes: builtin } });
    chain.validated(id, false);
    chain.tick(VALIDATE + 1n);
    chain.validated(id, true);
    expect(chain.tick(VALIDATE + 2n)).toEqual([]);
  });

  test("given a vote that declines it, then proposal, votes and asset are told of in this order", () => {
    const { chain, id } = opened({ newAsset: { changes: builtin } });
    chain.validated(id, true);
    chain.tick(VALIDATE);
    chain.vote(ALICE, id, NO);
    expect(outline(chain.tick(CLOSE + 1n))).toEqual(["proposal 5", "vote", "asset 2"]);
  });
});

describe("governance as state", () => {
  test("given a state that was stored and loaded, then the chain goes on as if nothing had been", () => {
    const first = opened({ newAsset: { changes: erc20 } });
    const { chain } = first;
    const second = chain.submit(BOB, terms(fee)).id;
    chain.validated(first.id, true);
    chain.tick(VALIDATE);
    for (const id of [first.id, second]) for (const party of [CAROL, ALICE, BOB]) chain.vote(party, id, YES);
    const stored = [...chain.core.state.entries()];

    const other = new SmallChain();
    other.core.state.load(stored);
    for (const [party, stake] of chain.stakes) other.stakes.set(party, stake);
    for (const seconds of [CLOSE, CLOSE + 1n, ENACT, ENACT + 1n]) {
      expect(other.tick(seconds)).toEqual(chain.tick(seconds));
    }
    expect([...other.core.state.entries()]).toEqual([...chain.core.state.entries()]);
    expect(other.signed).toEqual(chain.signed);
    expect(other.signed).toHaveLength(1);
  });

  test("given that nothing is left to decide, then nothing of it stays in the state", () => {
    const { chain, id } = opened({ newFreeform: {} });
    chain.vote(ALICE, id, YES);
    chain.tick(CLOSE + 1n);
    const tables = [...chain.core.state.entries()].map(({ table }) => table);
    expect(tables.filter((table) => /^governance\.(proposals|votes)$/.test(table))).toEqual([]);
  });
});
