// The engine's markets against a model that was written a second time from the protocol, naively (markets/), over random
// sequences: some here, and as many as one likes with `bun scripts/simulate-markets.ts`.
import { describe, expect, test } from "bun:test";
import { IS_FULL_LENGTH, seeds } from "../support/seed.ts";
import { Decimal } from "./markets/decimal.ts";
import { describeFinding, findDifference } from "./markets/findings.ts";
import { inversePhi, logNormalFactors, phi } from "./markets/risk.ts";

/** Together they reach every state that is hard to reach. */
const REACHING = Array.from({ length: 120 }, (_, at) => at + 1);
const SEEDS = [...(IS_FULL_LENGTH ? REACHING : []), ...seeds(120)];

test("given random sequences, then engine and model agree after every command and every block", () => {
  const reached = new Map<string, number>();
  for (const seed of SEEDS) {
    const result = findDifference(seed);
    if ("error" in result) throw new Error(describeFinding(result));
    for (const [what, often] of result.counts) reached.set(what, (reached.get(what) ?? 0) + often);
  }
  if (!IS_FULL_LENGTH) return;
  for (const what of [
    ...["opened", "auction by trigger 6", "auction left", "auction extended by trigger 5", "GFA cancelled"],
    ...[
      "partial fill",
      "amendment lost its priority",
      "amended to a smaller size",
      "expired",
      "self-trade stopped",
    ],
    "auction lengthened by its least duration",
    ...["mark to market", "loss socialised", "insurance empty", "closed out", "close-out without volume"],
    ...["rounding repaired", "reduce-only cut", "settled", "called off"],
    ...[
      "auction by trigger 3",
      "auction extended by trigger 3",
      "order parked",
      "peg repriced",
      "GFN cancelled by an auction",
    ],
    ...[
      "provided order deployed",
      "provision void",
      "provision cancelled",
      "bond used by a deployment",
      "bond slashed",
    ],
    ...["bond refilled", "order refused 47", "auction by trigger 5"],
    ...["liquidity fees to 3", "rivals scored", "scored by the risk model", "scored the least"],
    ...["terminated in mode 4, trigger 3", "terminated in mode 4, trigger 6", "last distribution of fees"],
    ...["changed: network.markPriceUpdateMaximumFrequency", "changed: market.liquidity.stakeToCcyVolume"],
    ...["provision amendment without a fee", "provision amendment refused: commitment amount is too low"],
    ...["provision amendment refused: order in buy side shape offset must be > 0"],
    ...["distressed when trading ended in an auction", "first prices since an update"],
    ...["market updated", "risk model changed in opening", "risk model changed in trading"],
    ...["batch over several markets", "cancelled in 2 markets at once", "too many pegged orders"],
    ...[
      "insurance split to 1 markets",
      "insurance split to 2 markets",
      "models refreshed",
      "value window ended",
      "stakes grew",
      "stakes shrank",
    ],
  ])
    expect([what, (reached.get(what) ?? 0) > 0]).toEqual([what, true]);
}, 120_000);

test("given the sequences in which there once was a difference, then there is none", () => {
  // A unit that truncation leaves over where losses are shared belongs to the last winner, which in a final settlement may
  // be one that wins zero.
  for (const seed of [300_009_059, 400_009_799, 700_039_778]) {
    const result = findDifference(seed);
    if ("error" in result) throw new Error(describeFinding(result));
  }
});

describe("the model's own arithmetic", () => {
  // docs/protocol/70-trading-positions.md#52-risk-factors.
  test("factors of the log-normal model are those of the protocol", () => {
    const rows = [
      [1e-6, 0.1, 1, 0.8007282079844139, 3.556903591579342],
      [1e-3, 0.01, 1.2, 0.3368613079295404, 0.4878731379586174],
      [1e-6, 0.00011407711613050422, 1.5, 0.07633071606966757, 0.08237059925908596],
    ] as const;
    for (const [lambda, tau, sigma, long, short] of rows) {
      const [ownLong, ownShort] = logNormalFactors(lambda, tau, 0, sigma);
      expect(Math.abs(ownLong / long - 1)).toBeLessThan(1e-11);
      expect(Math.abs(ownShort / short - 1)).toBeLessThan(1e-9);
    }
    expect(phi(inversePhi(0.37))).toBeCloseTo(0.37, 14);
  });

  test("a quotient has 16 digits, half away from zero", () => {
    expect(Decimal.of(3416n).over(Decimal.of(3832n)).toString()).toBe("0.8914405010438413");
    expect(
      Decimal.of(1916n)
        .times(Decimal.of(3416n).over(Decimal.of(3832n)))
        .floor(),
    ).toBe(1707n);
    expect(Decimal.of("-1e-16").over(Decimal.of(2n)).toString()).toBe("-0.0000000000000001");
  });
});
