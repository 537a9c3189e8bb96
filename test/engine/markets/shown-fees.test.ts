// Fees and how they are passed on: what the network has been seen to do where the rules leave it open (reference 70,
// sections 4, 7.6 and 7.7).
import { describe, expect, test } from "bun:test";
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
});
