// Markets in a checkpoint, and in a chain that begins from it (reference 60, section 12).
import { describe, expect, test } from "bun:test";
import { accountId } from "../../../src/engine/collateral.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import type { ProposalRecord } from "../../../src/engine/proposals.ts";
import { UINT_MAX } from "../../../src/engine/values.ts";
import {
  decodeCheckpoint,
  decodeMarketTracker,
  decodeProposals,
} from "../../../src/wire/generated/checkpoint.ts";
import {
  AccountType,
  decodeProposalTerms,
  encodeProposalTerms,
  ProposalState,
  type ProposalTerms,
} from "../../../src/wire/generated/vega.ts";
import { governedRig, newMarket, PLAIN, proposed, SHAPE, update, updateParameter } from "./governed-rig.ts";
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

test("given markets in every stage of governance, then the other chain has the money and none of them", () => {
  const rig = governedRig({ parameters: { "market.fee.factors.infrastructureFee": "0.02" } });
  for (const party of ["a", "b", "lp"]) rig.deposit(idOf(party), "ETH", 1_000_000n);
  rig.createMarket("M", PLAIN);
  rig.provide(idOf("lp"), "M", { commitment: 90_000, fee: "0.01", ...SHAPE });
  rig.order(idOf("a"), "M", "buy", 1, 900);
  rig.order(idOf("b"), "M", "sell", 1, 1_100);
  for (const size of [1, 50]) {
    rig.order(idOf("a"), "M", "buy", size, 1_000);
    rig.order(idOf("b"), "M", "sell", size, 1_000);
    rig.nextBlock(1, 3);
  }
  rig.fundInsurance("M", 777n);
  const enacted = proposed(rig, newMarket(), { close: 2n, enact: 3n });
  const passed = proposed(rig, newMarket(), { close: 2n, enact: 500n });
  proposed(rig, updateParameter("market.fee.factors.makerFee", "0.5"), { close: 2n, enact: 500n });
  proposed(rig, update("M"), { close: 400n, enact: 500n });
  const open = proposed(rig, newMarket(), { close: 400n, enact: 500n });
  for (const id of [enacted, passed, open])
    expect(rig.provide(idOf("lp"), id, { commitment: 500, fee: "0", ...SHAPE }).text).toBe("");
  rig.nextBlock(1, 5);
  const restored = beginFrom(rig);
  const { collateral, governance, markets } = restored.domains;
  for (const party of ["a", "b", "lp"]) {
    const owned = rig.accounts().filter(({ owner }) => owner === idOf(party));
    const sum = owned.reduce((all, { balance }) => all + balance, 0n);
    const general = accountId(idOf("ETH"), AccountType.ACCOUNT_TYPE_GENERAL, idOf(party));
    expect(collateral.balance(general)).toBe(sum);
  }
  const network = (type: number) => collateral.balance(accountId(idOf("ETH"), type as never));
  // Insurance, with what liquidity fees have not been paid out; and the fee of 0.02 of 50 at 1000.
  const fees = rig.systemBalance("ETH", AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY, "M");
  expect(network(AccountType.ACCOUNT_TYPE_GLOBAL_REWARD)).toBe(777n + fees);
  expect(network(AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE)).toBe(1_000n);
  expect(markets.list()).toEqual([]);
  expect(governance.proposals.active()).toEqual([]);
  expect(governance.proposals.enacted().map(({ id }) => id)).toEqual([enacted]);
});
