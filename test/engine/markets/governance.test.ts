// Markets as governance makes and changes them: proposals, votes with tokens and with equity-like shares, enactment
// (docs/protocol/60-state-engine-governance.md#6-governance;
// docs/protocol/70-trading-markets.md#13-newmarket-change-checks, #14-creation-and-transitions and #17-market-update).
import { describe, expect, test } from "bun:test";
import {
  AccountType,
  MarketState,
  MarketTradingMode,
  ProposalError,
  ProposalState,
} from "../../../src/wire/generated/vega.ts";
import {
  CLOSE,
  ENACT,
  governedRig,
  link,
  NO,
  newMarket,
  outline,
  PLAIN,
  PROPOSER,
  propose,
  proposed,
  SHAPE,
  update,
  updateParameter,
  vote,
  YES,
} from "./governed-rig.ts";
import { idOf, type MarketRig, type MarketRigOptions } from "./rig.ts";

const [A, B, FIRST, SECOND] = ["a", "b", "first", "second"].map(idOf) as [string, string, string, string];
const { STATE_PASSED, STATE_DECLINED, STATE_ENACTED, STATE_FAILED } = ProposalState;
const MAJORITY = ProposalError.PROPOSAL_ERROR_MAJORITY_THRESHOLD_NOT_REACHED;
const PARTICIPATION = ProposalError.PROPOSAL_ERROR_PARTICIPATION_THRESHOLD_NOT_REACHED;

/** The last proposal event: state, reason and text. */
const lastProposal = (rig: MarketRig) => {
  const { state, reason, errorDetails } = rig.events("proposal").at(-1)!.payload;
  return [state, reason, errorDetails];
};

/** A market M that trades at 1000, whose providers have 0.6 and 0.4 of it. */
function traded(options: MarketRigOptions = {}): MarketRig {
  const rig = governedRig(options);
  for (const party of [A, B, FIRST, SECOND]) rig.deposit(party, "ETH", 1_000_000n);
  rig.createMarket("M", { ...PLAIN, linearSlippage: "0", quadraticSlippage: "0" });
  rig.provide(FIRST, "M", { commitment: 60_000, fee: "0", ...SHAPE });
  rig.provide(SECOND, "M", { commitment: 40_000, fee: "0", ...SHAPE });
  rig.order(A, "M", "buy", 1, 900);
  rig.order(B, "M", "sell", 1, 1_100);
  rig.order(A, "M", "buy", 1, 1_000);
  rig.order(B, "M", "sell", 1, 1_000);
  rig.nextBlock(1, 3);
  expect(rig.marketData("M").marketTradingMode).toBe(MarketTradingMode.TRADING_MODE_CONTINUOUS);
  return rig;
}

describe("a proposal of a market", () => {
  test("makes the market at once, which opens when the vote closes, and the enactment changes nothing", () => {
    const rig = governedRig();
    let seen = rig.events().length;
    const id = proposed(rig, newMarket());
    expect(outline(rig, seen)).toEqual([
      ...["proposal 2", "oracleSpec", "oracleSpec", "marketData", "marketCreated 1", "marketUpdated 1"],
      ...["riskFactor", "vote"],
    ]);
    expect(rig.shownMarket(id)).toMatchObject({
      tradingMode: MarketTradingMode.TRADING_MODE_NO_TRADING,
      openingAuction: { duration: ENACT - CLOSE },
    });
    expect(rig.order(A, id, "buy", 1, 1).text).toBe("trading not allowed");
    rig.nextBlock(CLOSE);
    seen = rig.events().length;
    rig.nextBlock();
    expect(outline(rig, seen)).toEqual(["marketData", "proposal 3", "vote", "auction", "marketUpdated 3"]);
    expect(rig.shownMarket(id)!.tradingMode).toBe(MarketTradingMode.TRADING_MODE_OPENING_AUCTION);
    rig.nextBlock(ENACT - CLOSE - 1n);
    seen = rig.events().length;
    rig.nextBlock();
    expect(outline(rig, seen)).toEqual(["marketData", "proposal 6"]);
    expect(rig.marketData(id).marketState).toBe(MarketState.STATE_PENDING);
  });

  test("with too few votes drops the market when the vote closes, and returns commitments", () => {
    const rig = governedRig();
    const { id } = propose(rig, newMarket());
    rig.deposit(FIRST, "ETH", 1_000n);
    expect(rig.provide(FIRST, id, { commitment: 600, fee: "0", ...SHAPE }).text).toBe("");
    vote(rig, PROPOSER, id, NO);
    rig.nextBlock(CLOSE);
    const seen = rig.events().length;
    expect([rig.balance(FIRST, "ETH"), rig.balance(FIRST, "ETH", "bond", id)]).toEqual([400n, 600n]);
    rig.nextBlock();
    expect(outline(rig, seen)).toEqual([
      ...["marketData", "proposal 5", "vote", "oracleSpec", "oracleSpec"],
      ...["order 4", "order 4", "liquidityProvision 2", "ledgerMovements", "marketUpdated 2"],
    ]);
    expect(rig.balance(FIRST, "ETH")).toBe(1_000n);
    expect(rig.shownMarket(id)!.tradingMode).toBe(MarketTradingMode.TRADING_MODE_NO_TRADING);
    expect(rig.order(FIRST, id, "buy", 1, 1).text).toBe("OrderError: Invalid Market ID");
  });

  test("has termination data before the vote closes: it is ignored, and cancels the market after it", () => {
    const rig = governedRig();
    const id = proposed(rig, newMarket());
    rig.terminate();
    expect(rig.marketData(id).marketState).toBe(MarketState.STATE_PROPOSED);
    rig.nextBlock(CLOSE + 1n);
    rig.terminate();
    expect(rig.shownMarket(id)).toMatchObject({ state: MarketState.STATE_CANCELLED });
    rig.nextBlock(ENACT - CLOSE);
    expect(rig.hasMarket(id)).toBe(false);
    expect(lastProposal(rig)).toEqual([STATE_ENACTED, undefined, undefined]);
  });
});

describe("members that a market proposal leaves out", () => {
  const monitoring = (rig: ReturnType<typeof governedRig>, kind: "newMarket" | "updateMarket", id: string) =>
    rig
      .events("proposal")
      .filter(({ payload }) => payload.id === id)
      .map(({ payload }) => {
        // biome-ignore lint/suspicious/noExplicitAny: a payload of the test
        const { changes } = (payload.terms as any)[kind];
        return [payload.state, changes.priceMonitoringParameters, changes.liquidityMonitoringParameters];
      });
  const silent = {
    adjust: (changes: object) => ({
      ...changes,
      priceMonitoringParameters: undefined,
      liquidityMonitoringParameters: undefined,
    }),
  };

  test("is filled from network parameters from the first event on; an extension of zero becomes a second", () => {
    const rig = governedRig({ parameters: { "market.stake.target.timeWindow": "2h" } });
    const id = proposed(rig, newMarket(silent));
    rig.nextBlock(ENACT + 1n);
    const given = (auctionExtension: bigint) => ({
      targetStakeParameters: { timeWindow: 7_200n, scalingFactor: 10 },
      triggeringRatio: "0",
      auctionExtension,
    });
    expect(monitoring(rig, "newMarket", id)).toEqual([
      [ProposalState.STATE_OPEN, { triggers: [] }, given(0n)],
      [ProposalState.STATE_PASSED, { triggers: [] }, given(1n)],
      [STATE_ENACTED, { triggers: [] }, given(1n)],
    ]);
  });

  test("stays empty in a rejected proposal and in an update, whose extension of zero becomes a second", () => {
    const rig = traded();
    const refused = propose(rig, newMarket({ ...silent, decimals: 40 }));
    expect(monitoring(rig, "newMarket", refused.id)).toEqual([
      [ProposalState.STATE_REJECTED, undefined, undefined],
    ]);
    const bare = proposed(rig, update("M", silent));
    const instant = proposed(rig, update("M", { liquidityExtension: 0 }));
    rig.nextBlock(ENACT + 1n);
    expect(monitoring(rig, "updateMarket", bare).at(-1)).toEqual([STATE_ENACTED, undefined, undefined]);
    const extensions = monitoring(rig, "updateMarket", instant).map(([state, , liquidity]) => [
      state,
      liquidity.auctionExtension,
    ]);
    expect(extensions).toEqual([
      [ProposalState.STATE_OPEN, 0n],
      [ProposalState.STATE_PASSED, 0n],
      [STATE_ENACTED, 1n],
    ]);
  });
});

describe("checks of a proposal, the first of them that fails", () => {
  const poor = { party: idOf("poor") };
  const late = { terminationSeconds: 1n };
  const many = { asset: "XYZ", decimals: 4 };
  test.each([
    [
      "times, before the proposer",
      newMarket(many),
      { ...poor, close: 0n },
      1,
      /^proposal closing time too soon, /,
    ],
    ["an account of stake", newMarket(many), { party: idOf("none") }, 5, "no balance for party"],
    [
      "the stake, before the market",
      newMarket(many),
      poor,
      5,
      "proposer have insufficient governance token, expected >= 2 got 1",
    ],
    ["the asset, before its decimals", newMarket(many), {}, 16, "asset does not exist"],
    [
      "the end of trading, before the asset",
      newMarket({ ...many, ...late }),
      {},
      26,
      /^data source spec termination time before/,
    ],
    ["decimals, before the auction", newMarket({ decimals: 4 }), { enact: 14n }, 39, /decimal places/],
    ["an auction that is too short", newMarket(), { enact: 14n }, 22, /too short, expected > 5s, got 4s$/],
    ["an auction that is too long", newMarket(), { enact: 31n }, 23, /too long, expected < 20s, got 21s$/],
    ["the stake, before the market that changes", update("none"), poor, 5, /^proposer have insufficient gov/],
    ["the market that changes", update("none"), {}, 38, "market does not exist"],
  ] as const)("%s", (_name, change, how, reason, text) => {
    const rig = governedRig({
      assets: { ETH: { decimals: 3 } },
      parameters: {
        "governance.proposal.market.minProposerBalance": "2",
        "governance.proposal.updateMarket.minProposerBalance": "2",
        "market.auction.minimumDuration": "5s",
        "market.auction.maximumDuration": "20s",
      },
    });
    link(rig, idOf("poor"), 1n);
    const seen = rig.events().length;
    const result = propose(rig, change, how);
    expect([result.code, lastProposal(rig)]).toEqual([
      70,
      [ProposalState.STATE_REJECTED, reason, result.text],
    ]);
    expect(result.text).toMatch(text);
    expect(outline(rig, seen)).toEqual(["proposal 4", "txErrEvent"]);
  });

  test.each([0n, 5n, 20n])("an opening auction of %p seconds passes", (seconds) => {
    const rig = governedRig({
      parameters: { "market.auction.minimumDuration": "5s", "market.auction.maximumDuration": "20s" },
    });
    expect(propose(rig, newMarket(), { enact: CLOSE + seconds }).text).toBe("");
  });

  test("a market whose own proposal is not enacted does not change", () => {
    const rig = governedRig();
    const id = proposed(rig, newMarket());
    rig.nextBlock(CLOSE + 1n);
    expect(propose(rig, update(id)).text).toBe("market has been enacted yet");
    rig.nextBlock(ENACT - CLOSE);
    expect(propose(rig, update(id)).text).toBe("");
  });

  test("the equity-like share of the proposer, with that of the market's providers alone", () => {
    const rig = traded();
    rig.setParameter("governance.proposal.updateMarket.minProposerEquityLikeShare", "0.6");
    const short = (share: string) =>
      `proposer have insufficient equity-like share, expected >= 0.6 got ${share}`;
    expect(propose(rig, update("M"), { party: FIRST }).text).toBe("no balance for party");
    for (const party of [FIRST, SECOND]) link(rig, party, 1n);
    expect(propose(rig, update("M"), { party: SECOND }).text).toBe(short("0.4"));
    expect(propose(rig, update("M")).text).toBe(short("0"));
    expect(lastProposal(rig)[1]).toBe(ProposalError.PROPOSAL_ERROR_INSUFFICIENT_EQUITY_LIKE_SHARE);
    expect(propose(rig, update("M"), { party: FIRST }).text).toBe("");
  });
});

describe("votes on the change of a market", () => {
  test("are accepted by token balance or by equity-like share, and refused with neither", () => {
    const rig = traded({ parameters: { "governance.proposal.updateMarket.minVoterBalance": "3" } });
    const { id } = propose(rig, update("M"));
    const [few, removed] = [idOf("few"), idOf("gone")];
    for (const [party, amount] of [
      [few, 2n],
      [removed, 5n],
      [removed, -5n],
      [FIRST, 1n],
    ] as const)
      link(rig, party, amount);
    expect(vote(rig, SECOND, id).text).toBe("no balance for party");
    expect(vote(rig, removed, id).text).toBe("vote requires tokens or equity-like share");
    expect(vote(rig, few, id).text).toBe("vote requires more tokens than the party has");
    expect(vote(rig, FIRST, id).text).toBe("");
    expect(rig.events("vote").at(-1)!.payload).toMatchObject({
      totalGovernanceTokenBalance: "1",
      totalGovernanceTokenWeight: "0",
      totalEquityLikeShareWeight: "0.6",
    });
  });

  test("shares that rounding takes above 1 count as their part of the sum", () => {
    const rig = traded();
    rig.deposit(SECOND, "ETH", 1_000_000n);
    const third = idOf("third");
    rig.deposit(third, "ETH", 1_000_000n);
    rig.provide(third, "M", { commitment: 20_000, fee: "0", ...SHAPE });
    rig.amendProvision(FIRST, "M", { commitment: "80000" });
    rig.amendProvision(SECOND, "M", { commitment: "20000" });
    rig.nextBlock();
    const shown = rig.marketData("M").liquidityProviderFeeShare.map(({ equityLikeShare }) => equityLikeShare);
    expect(shown.sort()).toEqual(["0.1666666666666667", "0.1666666666666667", "0.6666666666666667"]);
    const { id } = propose(rig, update("M"));
    for (const party of [FIRST, third]) {
      link(rig, party, 1n);
      expect(vote(rig, party, id).text).toBe("");
    }
    expect(rig.events("vote").map(({ payload }) => payload.totalEquityLikeShareWeight)).toEqual([
      "0.6666666666666666",
      "0.1666666666666667",
    ]);
  });

  /** [name, what tokens say and whether their stake stays, what shares say, state, reason] */
  test.each([
    ["tokens for it", [YES, true], {}, STATE_PASSED, undefined],
    [
      "tokens against it, whatever shares say",
      [NO, true],
      { first: YES, second: YES },
      STATE_DECLINED,
      MAJORITY,
    ],
    ["neither", undefined, {}, STATE_DECLINED, PARTICIPATION],
    ["a share that is no majority of all", undefined, { first: YES }, STATE_DECLINED, MAJORITY],
    ["all shares", undefined, { first: YES, second: YES }, STATE_PASSED, undefined],
    ["shares on both sides", undefined, { first: YES, second: NO }, STATE_DECLINED, MAJORITY],
    [
      "tokens that are gone, and all shares",
      [NO, false],
      { first: YES, second: YES },
      STATE_PASSED,
      undefined,
    ],
  ] as const)(
    "with %s the outcome is as the rules of participation and majority say",
    (_name, tokens, shares, state, reason) => {
      const rig = traded({ parameters: { "governance.proposal.updateMarket.requiredMajorityLP": "0.61" } });
      const { id } = propose(rig, update("M"));
      for (const party of [FIRST, SECOND]) link(rig, party, 5n);
      if (tokens !== undefined) vote(rig, PROPOSER, id, tokens[0]);
      for (const [name, value] of Object.entries(shares)) vote(rig, idOf(name), id, value);
      for (const party of [FIRST, SECOND]) link(rig, party, -5n);
      if (tokens?.[1] === false) link(rig, PROPOSER, -100n);
      rig.nextBlock(CLOSE + 1n);
      expect(lastProposal(rig)).toEqual([state, reason, undefined]);
    },
  );
});

describe("a change of a market", () => {
  test("replaces the market's rules, keeps its state, and emits all before the proposal's last event", () => {
    const rig = traded();
    const before = rig.shownMarket("M")!;
    const id = proposed(
      rig,
      update("M", { code: "NEXT", lpPriceRange: "0.50", oracle: idOf("other"), linearSlippage: "" }),
    );
    rig.nextBlock(ENACT);
    const seen = rig.events().length;
    rig.nextBlock();
    expect(outline(rig, seen)).toEqual([
      ...["marketData", "oracleSpec", "oracleSpec", "oracleSpec", "oracleSpec"],
      ...["riskFactor", "marketData", "marketUpdated 5", "proposal 6"],
    ]);
    expect(rig.events("proposal").at(-1)!.payload.id).toBe(id);
    const after = rig.shownMarket("M")!;
    const { instrument } = after.tradableInstrument!;
    expect([instrument!.code, instrument!.name, after.lpPriceRange, after.linearSlippageFactor]).toEqual([
      "NEXT",
      "M",
      "0.5",
      "0",
    ]);
    for (const member of [
      "state",
      "tradingMode",
      "marketTimestamps",
      "openingAuction",
      "decimalPlaces",
    ] as const)
      expect(after[member]).toEqual(before[member] as never);
    expect(rig.marketData("M").markPrice).toBe("1000");
    expect(rig.terminate().text).toBe("no one listens to the public keys that signed this oracle data");
    expect(rig.terminate(idOf("other")).text).toBe("");
  });

  test("with a riskier model raises margins at once as far as there is money, and closes no position", () => {
    const rig = traded();
    const [rich, poor] = [idOf("rich"), idOf("poor")];
    rig.deposit(rich, "ETH", 300n);
    rig.deposit(poor, "ETH", 130n);
    rig.order(B, "M", "sell", 2, 1_000);
    for (const party of [rich, poor]) rig.order(party, "M", "buy", 1, 1_000);
    rig.nextBlock();
    const funds = () =>
      [rich, poor].map((party) => [rig.balance(party, "ETH", "margin", "M"), rig.balance(party, "ETH")]);
    // Maintenance 0.1 of 1000, and 1.2 times that at first.
    expect(funds()).toEqual([
      [120n, 180n],
      [120n, 10n],
    ]);
    proposed(
      rig,
      update("M", { simple: { long: 0.2, short: 0.1 }, linearSlippage: "0", quadraticSlippage: "0" }),
    );
    rig.nextBlock(ENACT + 1n);
    expect(funds()).toEqual([
      [240n, 60n],
      [130n, 0n],
    ]);
    rig.nextBlock();
    expect(rig.position(poor, "M")!.size).toBe(1n);
  });

  test("is overridden by a later proposal enacted in the same tick", () => {
    const rig = traded();
    for (const code of ["LATE", "LATER"]) proposed(rig, update("M", { code }));
    rig.nextBlock(ENACT + 1n);
    expect(
      rig
        .events("proposal")
        .slice(-2)
        .map(({ payload }) => payload.state),
    ).toEqual([STATE_ENACTED, STATE_ENACTED]);
    expect(rig.shownMarket("M")!.tradableInstrument!.instrument!.code).toBe("LATER");
  });

  test("fails if the market has ended, and its providers have no vote any more", () => {
    const rig = traded();
    proposed(rig, update("M"));
    const open = propose(rig, update("M"), { close: ENACT }).id;
    rig.terminate();
    rig.settle(1_000);
    rig.nextBlock(ENACT);
    expect(rig.hasMarket("M")).toBe(false);
    expect(vote(rig, PROPOSER, open).text).toBe("");
    rig.nextBlock();
    const ends = rig
      .events("proposal")
      .slice(-3)
      .map(({ payload }) => [payload.state, payload.reason, payload.errorDetails]);
    const failed = [
      STATE_FAILED,
      ProposalError.PROPOSAL_ERROR_INVALID_MARKET,
      `market "${idOf("M")}" doesn't exist anymore`,
    ];
    expect(ends).toEqual([failed, [STATE_PASSED, undefined, undefined], failed]);
    expect(propose(rig, update("M")).text).toBe("market does not exist");
  });
});

test("of a fee parameter reaches every market before the proposal's last event, and the next trade pays it", () => {
  const rig = traded();
  rig.createMarket("N", PLAIN);
  proposed(rig, updateParameter("market.fee.factors.makerFee", "0.01"));
  rig.nextBlock(ENACT);
  const seen = rig.events().length;
  rig.nextBlock();
  expect(outline(rig, seen)).toEqual([
    ...["marketData", "marketData", "networkParameter", "marketUpdated 5", "marketUpdated 3", "proposal 6"],
  ]);
  rig.order(B, "M", "sell", 3, 1_000);
  rig.order(A, "M", "buy", 3, 1_000);
  expect(rig.trades("M").at(-1)!.buyerFee!.makerFee).toBe("30");
  expect(rig.systemBalance("ETH", AccountType.ACCOUNT_TYPE_FEES_MAKER, "M")).toBe(0n);
});

test("of market parameters counts from the next command on", () => {
  const rig = governedRig({ assets: { ETH: { quantum: "1.5" } } });
  const other = idOf("other");
  for (const party of [A, B, FIRST, SECOND, other]) rig.deposit(party, "ETH", 1_000_000n);
  rig.createMarket("M", {
    ...PLAIN,
    simple: { long: 0.1, short: 0.1, up: 10, down: -10 },
    triggers: [{ horizon: 60, probability: 0.95, extension: 5 }],
  });
  rig.provide(FIRST, "M", { commitment: 90_000, fee: "0", ...SHAPE });
  rig.order(A, "M", "buy", 1, 900);
  rig.order(B, "M", "sell", 1, 1_100);
  rig.order(A, "M", "buy", 1, 1_000);
  rig.order(B, "M", "sell", 1, 1_000);
  rig.nextBlock(1, 3);
  const factors = { search_level: 1.3, initial_margin: 1.5, collateral_release: 2 };
  rig.setParameter("market.margin.scalingFactors", JSON.stringify(factors));
  rig.order(other, "M", "buy", 1, 950);
  expect(rig.balance(other, "ETH", "margin", "M")).toBe(150n);
  const provide = (commitment: number, fee: string, buys = SHAPE.buys) =>
    rig.provide(SECOND, "M", { commitment, fee, ...SHAPE, buys }).text;
  rig.setParameter("market.liquidityProvision.minLpStakeQuantumMultiple", "2");
  expect(provide(2, "0.2")).toBe("commitment amount is too low");
  rig.setParameter("market.liquidity.maximumLiquidityFeeFactorLevel", "0.1");
  expect(provide(3, "0.2")).toBe("invalid liquidity provision fee");
  rig.setParameter("market.liquidityProvision.shapes.maxSize", "1");
  expect(provide(3, "0.1", [...SHAPE.buys, ...SHAPE.buys])).toBe("SIDE_BUY shape size exceed max (1)");
  expect(provide(3, "0.1")).toBe("");
  rig.setParameter("limits.markets.maxPeggedOrders", "1");
  const peg = () => rig.order(other, "M", "buy", 1, undefined, { peg: { reference: 2, offset: "5" } }).text;
  expect([peg(), peg()]).toEqual(["", "OrderError: too many pegged orders"]);
  rig.setParameter("spam.protection.max.batchSize", "2");
  expect(rig.batch(other, { cancellations: [{}, {}, {}] }).text).toBe(
    "market batch instructions too big, got(3), expected(2)",
  );
  const { nextMarkToMarket } = rig.marketData("M");
  rig.setParameter("network.markPriceUpdateMaximumFrequency", "30s");
  expect(rig.marketData("M").nextMarkToMarket - nextMarkToMarket).toBe(30_000_000_000n);
  rig.setParameter("market.auction.minimumDuration", "7s");
  rig.order(A, "M", "buy", 1, 1_020);
  rig.order(B, "M", "sell", 1, 1_020);
  expect(rig.marketData("M").auctionEnd - rig.nowNs).toBe(7_000_000_000n);
});
