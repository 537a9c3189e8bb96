// Votes and proposals over a small made-up chain
// (docs/protocol/10-data-api-endpoints.md#512-governance-votes-and-proposals).
import { afterAll, describe, expect, test } from "bun:test";
import { Field } from "../../../src/wire/block.ts";
import { encodeProposal, encodeVote } from "../../../src/wire/generated/vega.ts";
import {
  chainOf,
  type Event,
  id,
  type Json,
  numberOf,
  removeChains,
  walk,
} from "../../support/small-chain.ts";

afterAll(removeChains);

// docs/protocol/10-data-api-endpoints.md#512-governance-votes-and-proposals.
describe("votes and proposals", () => {
  const YES = 2;
  const NO = 1;
  const vote = (party: number, proposal: number, value: number, timestamp: bigint): Event => [
    Field.vote,
    encodeVote({
      partyId: id(party),
      proposalId: id(proposal),
      value,
      timestamp,
      totalGovernanceTokenBalance: "01",
      totalGovernanceTokenWeight: "0.50",
    }),
  ];
  const proposal = (n: number, state: number, reference: string, kind: object): Event => [
    Field.proposal,
    encodeProposal({
      id: id(n).toUpperCase(),
      reference,
      partyId: id(0x50 + (n % 2)),
      state,
      timestamp: 1_000_001n,
      requiredMajority: "0.660",
      requiredLiquidityProviderParticipation: n === 4 ? "0.10" : "0",
      requiredLiquidityProviderMajority: n === 4 ? "0.00" : "",
      terms: { closingTimestamp: 5n, ...kind },
      rationale: { title: "t", description: "d" },
    }),
  ];
  const free = { newFreeform: {} };
  const get = chainOf([
    [proposal(1, 2, "one", free), proposal(2, 2, "two", free), proposal(3, 4, "three", { updateAsset: {} })],
    [
      vote(0x61, 1, NO, 1_500n),
      vote(0x62, 1, YES, 2_000n),
      vote(0x61, 2, YES, 2_000n),
      vote(0x61, 3, YES, 2_000n),
    ],
    [
      vote(0x61, 1, YES, 7_777n),
      vote(0x61, 1, YES, 9_999n),
      proposal(2, 6, "two", free),
      proposal(4, 6, "two", {}),
    ],
  ]);
  const pairs = (answer: { body: Json }) =>
    answer.body.votes.edges.map(({ node }: Json) => [numberOf(node.partyId), numberOf(node.proposalId)]);

  test("the latest vote counts, with the time of the first event of its block", async () => {
    const { body } = await get(`/votes?partyId=${id(0x61)}&proposalId=${id(1)}`);
    expect(body.votes.edges.map((edge: Json) => edge.node)).toEqual([
      {
        partyId: id(0x61),
        value: "VALUE_YES",
        proposalId: id(1),
        timestamp: "7000",
        totalGovernanceTokenBalance: "1",
        totalGovernanceTokenWeight: "0.5",
        totalEquityLikeShareWeight: "0",
      },
    ]);
  });

  test("votes of one block are in a total order, and a walk gives each once", async () => {
    const query = `/votes?partyId=${id(0x61)}`;
    expect(pairs(await get(query))).toEqual([
      [0x61, 1],
      [0x61, 3],
      [0x61, 2],
    ]);
    const first = await get(`${query}&pagination.first=2`);
    const after = encodeURIComponent(first.body.votes.pageInfo.endCursor);
    expect(pairs(await get(`${query}&pagination.first=2&pagination.after=${after}`))).toEqual([[0x61, 2]]);
    expect(pairs(await get(`/votes?proposalId=${id(1)}`))).toEqual([
      [0x61, 1],
      [0x62, 1],
    ]);
    expect(pairs(await get("/votes?partyId="))).toEqual([]);
  });

  test("paging is looked at before what is missing", async () => {
    const codeOf = async (query: string) => (await get(`/votes${query}`)).body.details[0].code;
    expect(await codeOf("?pagination.first=0")).toBe(10028);
    expect(await codeOf("")).toBe(10023);
  });

  test("a proposer that is not an identifier has no proposals", async () => {
    const { status, body } = await get("/governances?proposerPartyId=zz");
    expect([status, body.connection.edges]).toEqual([200, []]);
    expect((await get("/governances?proposerPartyId=zz&pagination.first=0")).status).toBe(400);
  });

  const idsOf = async (query: string) =>
    (await get(`/governances?${query}`)).body.connection.edges.map(({ node }: Json) =>
      numberOf(node.proposal.id),
    );
  const lists: [query: string, ids: number[]][] = [
    ["", [1, 4, 2, 3]],
    ["pagination.newestFirst=false", [1, 3, 2, 4]],
    ["pagination.last=2", [2, 3]],
    ["pagination.last=2&pagination.newestFirst=false", [2, 4]],
    ["proposalState=STATE_ENACTED", [4, 2]],
    ["proposalType=TYPE_UPDATE_ASSET", [3]],
    ["proposalType=TYPE_ALL&pagination.first=1", [1]],
    ["proposalType=TYPE_UNSPECIFIED", []],
    [`proposerPartyId=${id(0x51)}`, [1, 3]],
    ["proposalReference=two", [4, 2]],
    ["proposalReference=", [1, 4, 2, 3]],
  ];
  test.each(lists)("proposals: %s", async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  test.each([true, false])(
    "a walk over the proposals, newestFirst=%s, crosses from open to closed",
    async (newest) => {
      const walked = await walk(get, `/governances?pagination.newestFirst=${newest}&`, 1);
      expect(walked.map(({ proposal }) => numberOf(proposal.id))).toEqual(
        await idsOf(`pagination.newestFirst=${newest}`),
      );
    },
  );

  test("a proposal: by id before reference, of equal references the newest; votes by party", async () => {
    const { body } = await get(`/governance?proposalId=${id(1)}&reference=two`);
    expect(body.data.yes.map((one: Json) => one.partyId)).toEqual([id(0x61), id(0x62)]);
    expect([body.data.no, body.data.yesParty, body.data.noParty]).toEqual([[], {}, {}]);
    expect(body.data.proposal).toEqual({
      id: id(1),
      reference: "one",
      partyId: id(0x51),
      state: "STATE_OPEN",
      timestamp: "1000000",
      terms: { closingTimestamp: "5", enactmentTimestamp: "0", validationTimestamp: "0", newFreeform: {} },
      rationale: { description: "d", title: "t" },
      requiredParticipation: "0",
      requiredMajority: "0.66",
    });
    const { proposal } = (await get("/governance?reference=two")).body.data;
    expect([proposal.id, proposal.requiredLiquidityProviderParticipation]).toEqual([id(4), "0.1"]);
    expect(proposal.requiredLiquidityProviderMajority).toBeUndefined();
    const bad = await get("/governance?proposalId=zz");
    expect([bad.status, bad.body.details[0].code]).toEqual([400, 170001]);
  });
});

test("a reason that is none, and details without a text, are not shown", async () => {
  const proposal = (n: number, reason: number, errorDetails: string): Event => [
    Field.proposal,
    encodeProposal({ id: id(n), reference: `${n}`, reason, errorDetails, terms: { newFreeform: {} } }),
  ];
  const get = chainOf([[proposal(1, 0, ""), proposal(2, 3, "too soon")]]);
  const shown = async (n: number) => (await get(`/governance?proposalId=${id(n)}`)).body.data.proposal;
  expect(await shown(2)).toMatchObject({
    reason: "PROPOSAL_ERROR_ENACT_TIME_TOO_SOON",
    errorDetails: "too soon",
  });
  for (const name of ["reason", "errorDetails"]) expect(await shown(1)).not.toHaveProperty(name);
});

test("a proposal with a well-known name: its cursors lead on", async () => {
  const names = [id(3), "network", "VOTE"];
  const get = chainOf([
    names.map((name): Event => [Field.proposal, encodeProposal({ id: name, state: 2, partyId: id(1) })]),
  ]);
  const nodes = await walk(get, "/governances?", 1);
  expect(nodes.map(({ proposal }) => proposal.id).sort()).toEqual(names.sort());
});
