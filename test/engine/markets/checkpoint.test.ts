// Markets in a checkpoint, and in a chain that begins from it (reference 60, section 12).
import { describe, expect, test } from "bun:test";
import type { Engine } from "../../../src/engine/engine.ts";
import type { ProposalRecord } from "../../../src/engine/proposals.ts";
import { UINT_MAX } from "../../../src/engine/values.ts";
import {
  decodeCheckpoint,
  decodeMarketTracker,
  decodeProposals,
} from "../../../src/wire/generated/checkpoint.ts";
import {
  decodeProposalTerms,
  encodeProposalTerms,
  ProposalState,
  type ProposalTerms,
} from "../../../src/wire/generated/vega.ts";
import { beginFrom, createMarketRig, idOf } from "./rig.ts";

const contentOf = (engine: Engine) => decodeCheckpoint(Buffer.from(engine.checkpoint().state, "base64"));

describe("proposals in a checkpoint", () => {
  const ended = { closingTimestamp: 1n, enactmentTimestamp: 2n };
  const newMarket = decodeProposalTerms(encodeProposalTerms({ ...ended, newMarket: { changes: {} } }));
  const updateMarket = decodeProposalTerms(
    encodeProposalTerms({ ...ended, updateMarket: { marketId: idOf("M"), changes: {} } }),
  );
  const freeform = decodeProposalTerms(encodeProposalTerms({ ...ended, newFreeform: {} }));

  function record(reference: string, terms: ProposalTerms): ProposalRecord {
    return {
      ...{ sequence: 0, id: idOf(reference), reference, party: idOf("proposer"), timestampNs: 1n, terms },
      state: ProposalState.STATE_OPEN,
      rationale: { title: "t", description: "d" },
      ...{ requiredParticipation: "0.1", requiredMajority: "0.2" },
      ...{ requiredLpParticipation: "0.3", requiredLpMajority: "0.4" },
    };
  }
  const proposalsOf = (engine: Engine) =>
    decodeProposals(contentOf(engine).governance).proposals.map(({ reference, state }) => [reference, state]);

  test("given passed ones, then new markets alone are in it, and the other chain passes them over", () => {
    const rig = createMarketRig();
    const { proposals } = rig.engine.domains.governance;
    for (const [reference, terms] of [
      ["market", newMarket],
      ["freeform", freeform],
    ] as const) {
      proposals.openProposal(record(reference, terms));
      proposals.advance(record(reference, terms), ProposalState.STATE_PASSED);
    }
    proposals.openProposal(record("open", newMarket));
    expect(proposalsOf(rig.engine)).toEqual([["market", ProposalState.STATE_PASSED]]);
    expect(proposalsOf(beginFrom(rig))).toEqual([]);
  });

  test("given an enacted change of a market, then what was required of its providers is kept", () => {
    const rig = createMarketRig();
    const { proposals } = rig.engine.domains.governance;
    proposals.endProposal(record("update", updateMarket), ProposalState.STATE_ENACTED);
    const [proposal] = decodeProposals(contentOf(beginFrom(rig)).governance).proposals;
    expect(proposal).toMatchObject({
      reference: "update",
      requiredLiquidityProviderParticipation: "0.3",
      requiredLiquidityProviderMajority: "0.4",
    });
  });
});

test("given trades of more than 256 bits, then another chain can begin from it", () => {
  const rig = createMarketRig({ assets: { ETH: { decimals: 18 } } });
  rig.createMarket("M", { asset: "ETH", decimals: 18, simple: { long: 0, short: 0 } });
  for (const party of ["p1", "p2"]) rig.deposit(party, "ETH", 10n ** 70n);
  // The first trade of a market without triggers may have any price, and a risk of 0 asks for no margin.
  for (let n = 0; n < 2; n++) {
    rig.order("p1", "M", "buy", 10, UINT_MAX);
    rig.order("p2", "M", "sell", 10, UINT_MAX);
  }
  rig.order("p1", "M", "buy", 1, 90);
  rig.order("p2", "M", "sell", 1, UINT_MAX);
  for (let n = 0; n < 5; n++) rig.nextBlock();
  expect(rig.market("M").status.tradedValue).toBe(20n * UINT_MAX);
  const { marketActivity } = decodeMarketTracker(contentOf(beginFrom(rig)).marketTracker);
  expect(marketActivity.map(({ valueTraded }) => BigInt(valueTraded))).toEqual([UINT_MAX]);
});
