// Submission of proposals (docs/protocol/60-state-engine-governance.md#61-proposal-record to #64-submission-pipeline).
import { describe, expect, test } from "bun:test";
import { configurationOf } from "../../src/testing/market-config.ts";
import { emptyProposalSubmission } from "../../src/wire/generated/commands.ts";
import {
  decodeProposalTerms,
  encodeProposalTerms,
  type ProposalTerms,
} from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { ALICE, outline, SmallChain, START, TOKEN } from "./governance-fixture.ts";

const HOUR = 3_600n;
const DAY = 24n * HOUR;
const YEAR = 8_760n * HOUR;
const LATE = 3n * DAY;

/** A block time with a fraction, as real ones have. */
const HALF = 500_000_000n;

const newAsset = {
  changes: {
    name: "Toy Dollar",
    symbol: "TUSD",
    decimals: 6n,
    quantum: "1",
    builtinAsset: undefined,
    erc20: { contractAddress: TOKEN, lifetimeLimit: "100", withdrawThreshold: "10" },
  },
};
const updateAsset = {
  assetId: "ab".repeat(32),
  changes: { quantum: "2", erc20: { lifetimeLimit: "200", withdrawThreshold: "20" } },
};
const parameter = (key: string, value: string) => ({ updateNetworkParameter: { changes: { key, value } } });
const freeform = { newFreeform: {} };
const fee = parameter("transfer.fee.factor", "0.5");

/** Terms that pass: times are seconds after the start. */
function terms(
  change: Partial<ProposalTerms>,
  close = LATE,
  enact = LATE + DAY,
  validation = 0n,
): Partial<ProposalTerms> {
  const isFreeform = change.newFreeform !== undefined;
  return {
    closingTimestamp: START + close,
    enactmentTimestamp: isFreeform ? 0n : START + enact,
    validationTimestamp: change.newAsset ? START + (validation || HOUR) : 0n,
    ...change,
  };
}

function started(parameters: Record<string, string> = {}): SmallChain {
  const chain = new SmallChain();
  chain.genesis({ network_parameters: parameters });
  chain.stakes.set(ALICE, 1_000n);
  return chain.at(START, HALF);
}

const soonest = "2030-01-03 00:00:00.5 +0000 UTC";
const latest = "2031-01-01 00:00:00.5 +0000 UTC";

/** Refusals of docs/protocol/60-state-engine-governance.md#64-submission-pipeline in its order: [name, terms, reason, text]. */
const REFUSED: readonly (readonly [
  name: string,
  terms: Partial<ProposalTerms>,
  reason: number,
  text: string,
])[] = [
  [
    "1: closing too soon",
    terms(fee, 2n * DAY),
    1,
    `proposal closing time too soon, expected > ${soonest}, got 2030-01-03 00:00:00 +0000 UTC`,
  ],
  [
    "2: closing too late",
    terms(fee, YEAR + 1n, YEAR + 2n),
    2,
    `proposal closing time too late, expected < ${latest}, got 2031-01-01 00:00:01 +0000 UTC`,
  ],
  [
    "2: closing beyond all calendars",
    terms(fee, 2n ** 63n - 1n - START),
    2,
    `proposal closing time too late, expected < ${latest}, got 292277026596-12-04 15:30:07 +0000 UTC`,
  ],
  [
    "3: enactment too soon",
    terms(fee, LATE, 2n * DAY),
    3,
    `proposal enactment time too soon, expected > ${soonest}, got 2030-01-03 00:00:00 +0000 UTC`,
  ],
  [
    "4: enactment too late",
    terms(fee, LATE, YEAR + 1n),
    4,
    `proposal enactment time too late, expected < ${latest}, got 2031-01-01 00:00:01 +0000 UTC`,
  ],
  [
    "5: closing before validation",
    terms({ newAsset }, LATE, LATE + DAY, LATE + 1n),
    17,
    "proposal closing time cannot be before validation time, expected > 2030-01-04 00:00:01 +0000 UTC got 2030-01-04 00:00:00 +0000 UTC",
  ],
  [
    "6: enactment before closing",
    terms(fee, LATE, LATE - 1n),
    17,
    "proposal enactment time cannot be before closing time, expected > 2030-01-04 00:00:00 +0000 UTC got 2030-01-03 23:59:59 +0000 UTC",
  ],
  ["12: empty key", terms(parameter("", "1")), 19, "empty network parameter key"],
  ["12: empty value", terms(parameter("transfer.fee.factor", "")), 20, "empty network parameter value"],
  [
    "12: value out of bounds",
    terms(parameter("transfer.fee.factor", "2")),
    21,
    "unable to validate transfer.fee.factor: expect <= 1 got 2",
  ],
  [
    "12: asset without a name",
    terms({ newAsset: { changes: { ...newAsset.changes, name: "" } } }),
    33,
    "asset name and symbol are required",
  ],
  [
    "12: update without a quantum",
    terms({ updateAsset: { ...updateAsset, changes: { ...updateAsset.changes, quantum: "0" } } }),
    33,
    "asset quantum must be positive",
  ],
  [
    "12: update without limits",
    terms({ updateAsset: { ...updateAsset, changes: { quantum: "1", erc20: undefined } } }),
    33,
    "asset limits must be positive numbers of at most 256 bits",
  ],
  [
    "13: validation too soon",
    terms({ newAsset }, LATE, LATE + DAY, 1n),
    13,
    "proposal validation timestamp invalid",
  ],
  [
    "13: validation too late",
    terms({ newAsset }, LATE, LATE + DAY, 2n * DAY + 1n),
    13,
    "proposal validation timestamp invalid",
  ],
];

describe("the submission of a proposal", () => {
  test.each(REFUSED)("given %s, then one event tells of the rejection", (_name, proposal, reason, text) => {
    const chain = started();
    const sent = chain.submit(ALICE, proposal);
    expect({ text: sent.text, code: sent.code }).toEqual({ text, code: 70 });
    expect(outline(sent.events)).toEqual(["proposal 4"]);
    expect(sent.events[0]!.payload).toMatchObject({
      id: sent.id,
      reason,
      errorDetails: text,
      partyId: ALICE,
    });
    expect(chain.governance.proposals.get(sent.id)).toBeUndefined();
    expect(chain.assets.all().map(({ id }) => id)).toEqual(["VOTE"]);
    expect(chain.validations).toEqual([]);
  });

  test.each([
    ["7: no staking account", undefined, "no balance for party"],
    ["8: too little stake", 1_999n, "proposer have insufficient governance token, expected >= 2000 got 1999"],
  ])("given %s, then the reason is insufficient tokens", (_name, stake, text) => {
    const chain = started({ "governance.proposal.freeform.minProposerBalance": "2000" });
    chain.stakes.delete(ALICE);
    if (stake !== undefined) chain.stakes.set(ALICE, stake);
    const sent = chain.submit(ALICE, terms(freeform));
    expect(sent.text).toBe(text);
    expect(sent.events[0]!.payload).toMatchObject({ state: 4, reason: 5, errorDetails: text });
  });

  test("given several faults, then the first check in the protocol's order is the one that counts", () => {
    const chain = started();
    chain.stakes.delete(ALICE);
    const everything = terms(
      { newAsset: { changes: { ...newAsset.changes, name: "" } } },
      LATE,
      LATE - 1n,
      LATE + 1n,
    );
    expect(chain.submit(ALICE, everything).text).toContain("closing time cannot be before validation time");
    expect(chain.submit(ALICE, { ...everything, validationTimestamp: START }).text).toContain(
      "before closing time",
    );
    const noStake = { ...everything, validationTimestamp: START, enactmentTimestamp: START + LATE };
    expect(chain.submit(ALICE, noStake).text).toBe("no balance for party");
    chain.stakes.set(ALICE, 1n);
    expect(chain.submit(ALICE, noStake).text).toBe("asset name and symbol are required");
    expect(chain.submit(ALICE, { ...noStake, newAsset }).text).toBe("proposal validation timestamp invalid");
  });

  test("given a proposal that is let through, then its event has these members and no others", () => {
    const chain = started({ "governance.proposal.updateNetParam.requiredMajority": "0.750" });
    const { id, events, text } = chain.submit(ALICE, terms(fee));
    expect(text).toBe("");
    expect(events).toEqual([
      {
        member: "proposal",
        payload: {
          id,
          reference: "ref",
          partyId: ALICE,
          state: 2,
          timestamp: START * SECOND_NS + HALF,
          terms: {
            closingTimestamp: START + LATE,
            enactmentTimestamp: START + LATE + DAY,
            validationTimestamp: 0n,
            ...fee,
          },
          rationale: { title: "Title", description: "Description" },
          requiredParticipation: "0.00001",
          requiredMajority: "0.75",
        },
      },
    ]);
  });

  test("given a change of the requirements, then a proposal keeps those of its submission", () => {
    const chain = started();
    const { id } = chain.submit(ALICE, terms(fee));
    chain.params.setValue("governance.proposal.updateNetParam.requiredMajority", "1");
    expect(chain.governance.proposals.get(id)!.requiredMajority).toBe("0.66");
    const { events } = chain.submit(ALICE, terms(fee));
    expect(events.at(-1)!.payload.requiredMajority).toBe("1");
  });

  test("given a new asset, then the asset comes first, and validators are asked until the validation time", () => {
    const chain = started();
    const { id, events } = chain.submit(ALICE, terms({ newAsset }));
    expect(outline(events)).toEqual(["asset 1", "proposal 7"]);
    expect(events[0]!.payload.id).toBe(id);
    expect(chain.validations).toEqual([
      { id, kind: "governance.asset", voteType: 12, deadlineNs: (START + HOUR) * SECOND_NS, payload: id },
    ]);
    const second = chain.submit(ALICE, terms({ newAsset }));
    expect(second.text).toBe("erc20 address already in use");
    expect(second.events[0]!.payload).toMatchObject({ state: 4, reason: 41 });
  });

  test.each([
    ["freeform", terms(freeform)],
    ["asset update, of an asset that nobody knows", terms({ updateAsset })],
    ["network parameter, closing at the earliest", terms(fee, 2n * DAY + 1n)],
    ["network parameter, enacted as it closes", terms(fee, LATE, LATE)],
    ["network parameter at the latest", terms(fee, YEAR, YEAR)],
  ])("given a %s, then it is open", (_name, proposal) => {
    const chain = started();
    expect(outline(chain.submit(ALICE, proposal).events)).toEqual(["proposal 2"]);
    expect(chain.validations).toEqual([]);
  });

  test.each([
    ["freeform", terms(freeform, 2n * HOUR)],
    ["updateNetParam", terms(fee, 2n * HOUR, 3n * HOUR)],
    ["updateAsset", terms({ updateAsset }, 2n * HOUR, 3n * HOUR)],
    ["asset", terms({ newAsset }, 2n * HOUR, 3n * HOUR)],
  ])("given the kind %s, then the bounds of that kind are asked", (kind, proposal) => {
    const names = kind === "freeform" ? ["minClose"] : ["minClose", "minEnact"];
    const own = names.map((name) => [`governance.proposal.${kind}.${name}`, "1h"]);
    expect(started(Object.fromEntries(own)).submit(ALICE, proposal).text).toBe("");
    expect(started().submit(ALICE, proposal).text).toContain("closing time too soon");
  });

  test.each([
    ["earliest", 2n * DAY],
    ["latest", YEAR],
  ])("given times that are the %s to the nanosecond, then they are let through", (_name, time) => {
    expect(
      started()
        .at(START)
        .submit(ALICE, terms(fee, time, time)).text,
    ).toBe("");
  });

  test.each([
    ["earliest", START + 1n],
    ["latest", START + 2n * DAY],
  ])("given the %s validation time, then it is let through", (_name, validationTimestamp) => {
    const proposal = { ...terms({ newAsset }), validationTimestamp };
    expect(started().at(START).submit(ALICE, proposal).text).toBe("");
  });

  test("given an id that is taken, then there is an error and no event", () => {
    const chain = started();
    const { id } = chain.submit(ALICE, terms(freeform));
    const again = chain.submit(ALICE, terms(freeform), id);
    expect(again).toEqual({ id, text: "proposal with given ID already exists", code: 70, events: [] });
  });

  test.each([
    ["an unknown key", parameter("no.such.key", "1"), "unknown key"],
    [
      "the key that no proposal may change",
      parameter("blockchains.ethereumConfig", "{}"),
      "network parameter update disabled for blockchains.ethereumConfig",
    ],
  ])("given %s, then mempool and block refuse it, and there is no event", (_name, change, text) => {
    const chain = started();
    const checked = chain.send(ALICE, () =>
      chain.governance.checkProposal({
        ...emptyProposalSubmission(),
        terms: { ...terms(change) } as ProposalTerms,
      }),
    );
    expect(checked).toMatchObject({ text, code: 70, events: [] });
    expect(chain.submit(ALICE, terms(change))).toMatchObject({ text, code: 70, events: [] });
  });

  test("given a kind that this version does not know, then the chain says so", () => {
    const sent = started().submit(ALICE, terms({}));
    expect(sent).toMatchObject({ text: "not supported by this chain", code: 80, events: [] });
  });
});

test("a proposal's event shows the decimals of a market without zeros at their end, whatever was written", () => {
  const chain = new SmallChain();
  chain.genesis();
  chain.stakes.set(ALICE, 10n ** 30n);
  const changes = {
    ...configurationOf({ asset: "A", simple: { long: 0.1, short: 0.1 } }, "ab".repeat(32), "M"),
    ...{ lpPriceRange: "1.0", linearSlippageFactor: "0.10", quadraticSlippageFactor: "1e-3" },
    priceMonitoringParameters: { triggers: [{ horizon: 60n, probability: "0.950", auctionExtension: 5n }] },
    liquidityMonitoringParameters: { triggeringRatio: "0.50" },
  };
  const encoded = encodeProposalTerms({
    ...terms({}, LATE, LATE + DAY),
    newMarket: { changes },
  });
  const { text, events } = chain.submit(ALICE, decodeProposalTerms(encoded));
  expect(text).toBe("");
  expect(events.find(({ member }) => member === "proposal")!.payload).toMatchObject({
    terms: {
      newMarket: {
        changes: {
          ...{ lpPriceRange: "1", linearSlippageFactor: "0.1", quadraticSlippageFactor: "0.001" },
          priceMonitoringParameters: { triggers: [{ probability: "0.95" }] },
          liquidityMonitoringParameters: { triggeringRatio: "0.5" },
        },
      },
    },
  });
});
