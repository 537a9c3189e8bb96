// Fees and how they are passed on: what the network has been seen to do where the rules leave it open (reference 70,
// sections 4, 7.6 and 7.7).
import { describe, expect, test } from "bun:test";
import { AccountType } from "../../../src/wire/generated/vega.ts";
import { flows, LIQUIDITY_DISTRIBUTE, trading } from "./scenario-markets.ts";

const STEP = "market.liquidity.providers.fee.distributionTimeStep";
/** Margins that every party here can pay, and a target of a hundredth of the open interest's value. */
const OPEN = {
  simple: { long: 0.1, short: 0.1, probability: 0.1 },
  linearSlippage: "1",
  quadraticSlippage: "0",
  targetStake: { scaling: 0.1 },
};
const SHAPE = "BID-2*1 MID-1*2, ASK+2*1 MID+1*2";

describe("the distribution of liquidity fees", () => {
  test("given a market's first tick, then it is a distribution, and the step is counted from there", () => {
    const play = trading(
      { ...OPEN, openingSeconds: 3 },
      { first: `lp lp(10000, 0.001, ${SHAPE})`, rich: "lp x" },
      { parameters: { [STEP]: "5s" } },
    );
    // The market has opened three seconds after that tick, four after it was made.
    play.run("x S 1@1000 FOK; / 2");
    expect(flows(play, LIQUIDITY_DISTRIBUTE)).toEqual([]);
    play.run("/");
    expect(flows(play, LIQUIDITY_DISTRIBUTE)).toEqual([">lp 2"]);
  });

  test("given a provider without a score, then its share is measured by the scores of the others, and it gets what they leave", () => {
    const play = trading(
      { ...OPEN, openingSeconds: 3 },
      {
        bid: 900,
        ask: 1100,
        first: `lp a(8000, 0.001, ${SHAPE}); lp b(2000, 0.002, ${SHAPE})`,
        rich: "a b c x",
      },
      { parameters: { [STEP]: "10m" } },
    );
    // One tick has scored a and b alike; c comes after it.
    play.rig.nextBlock(601);
    play.run(`lp c(10000, 0.001, ${SHAPE}); x B 15@1001 FOK`);
    expect(play.rig.systemBalance("ETH", AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY, "M")).toBe(18n);
    play.rig.nextBlock(601);
    // Shares 0.4, 0.1, 0.5; the first two by 0.5, and all of them by the sum of those two, 0.25: four fifths and a fifth
    // for a and b, and twice what there is for c, of which 1 is there. For its reward the whole part counts.
    expect(flows(play, LIQUIDITY_DISTRIBUTE)).toEqual([">a 14", ">b 3", ">c 1"]);
    const received = ["a", "b", "c"].map((party) => play.rig.market("M").index.activities.get(party));
    expect(received.map((activity) => activity?.liquidityReceived)).toEqual([14n, 3n, 36n]);
  });
});
