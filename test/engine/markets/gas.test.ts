// Gas of commands, by what is on their market (docs/protocol/30-node-api-endpoints.md#51-coreservice and #72-checktx-order).
// Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import { transactionOf } from "../../../src/testing/market-commands.ts";
import type { CommandInit } from "../../../src/wire/transaction.ts";
import type { Play } from "./rig.ts";
import { opened } from "./sample-markets.ts";

const UNKNOWN = "e".repeat(64);
const MAX = "network.transactions.maxgasperblock";
const CAPACITY = "network.transactions.minBlockCapacity";

function gas(play: Play, kind: CommandInit["kind"], payload: object): number {
  const command = { kind, payload } as CommandInit;
  const { gasWanted, text } = play.rig.engine.check(transactionOf("p1", command, "a1".repeat(32)));
  expect(text).toBe("");
  return gasWanted;
}

const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
/** 50 for the pegged order, 200 for the two shapes of the provision, 1 for eleven levels; 2 positions. */
const busy = (parameters: Readonly<Record<string, string>> = {}) =>
  opened({}, { parameters }).run(
    `x B 1 BID-5; ${many(6, 0)
      .map((_, i) => `y B 1@${60 + i}`)
      .join("; ")}; /`,
  );

// docs/protocol/70-trading-liquidity.md#72-submit
test("gas of orders and provisions counts the market's pegged orders, shapes, positions and price levels", () => {
  const play = busy();
  const marketId = play.rig.market("M").id;
  const onMarket = [
    "orderSubmission",
    "orderAmendment",
    "liquidityProvisionSubmission",
    "liquidityProvisionAmendment",
    "liquidityProvisionCancellation",
  ] as const;
  for (const kind of onMarket) {
    expect([kind, gas(play, kind, { marketId })]).toEqual([kind, 254]);
    expect([kind, gas(play, kind, { marketId: UNKNOWN })]).toEqual([kind, 1]);
  }
  const orderId = UNKNOWN;
  expect(gas(play, "orderCancellation", { marketId, orderId })).toBe(252);
  expect(gas(play, "orderCancellation", { marketId })).toBe(1);
  expect(gas(play, "orderCancellation", {})).toBe(1);
  expect(gas(play, "voteSubmission", {})).toBe(1);
});

// docs/protocol/70-trading-liquidity.md#72-submit
test("gas of a batch counts the first of each kind in full, each further one half", () => {
  const play = busy({ "network.transaction.defaultgas": "10" });
  const batch = (marketId: string) => ({
    submissions: many(3, { marketId }),
    amendments: many(4, { marketId }),
    cancellations: many(5, { marketId }),
  });
  // 2 * 10 + 2.5 * 10 + 3 * 10, and 2 * 263 + 2.5 * 263 + 3 * 261, cut to a whole number.
  expect(gas(play, "batchMarketInstructions", batch(UNKNOWN))).toBe(75);
  expect(gas(play, "batchMarketInstructions", batch(play.rig.market("M").id))).toBe(1966);
});

// docs/protocol/70-trading-liquidity.md#72-submit
test("the dearest command and the dearest batch still fit into the smallest block", () => {
  const play = busy({ [MAX]: "1000", [CAPACITY]: "10" });
  const marketId = play.rig.market("M").id;
  expect(gas(play, "orderSubmission", { marketId })).toBe(99);
  expect(gas(play, "batchMarketInstructions", { submissions: many(15, { marketId }) })).toBe(792);
  play.rig.setParameter(CAPACITY, "2");
  expect(gas(play, "batchMarketInstructions", { submissions: many(15, { marketId }) })).toBe(999);
});

// docs/protocol/70-trading-liquidity.md#72-submit
test("a pegged order counts for gas from the block after its own", () => {
  const play = busy();
  const marketId = play.rig.market("M").id;
  expect(gas(play, "orderSubmission", { marketId })).toBe(254);
  play.run("x B 1 BID-6; /");
  expect(gas(play, "orderSubmission", { marketId })).toBe(304);
});
