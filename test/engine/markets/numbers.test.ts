// Figures at the edges of the arithmetic rules (reference 70, sections 6.3, 7.7, 7.8, 8.1 and 11), each worked out by hand.
import { expect, test } from "bun:test";
import { idOf } from "./rig.ts";
import { M3, market } from "./scenario-markets.ts";

const PROVIDED = {
  ...M3,
  linearSlippage: "1",
  quadraticSlippage: "0",
  targetStake: { scaling: 0.001 },
};
const WIDE = "aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000";

test("virtual stakes that windows and smaller commitments multiply again and again stay within bounds", () => {
  const parameters = { "market.value.windowLength": "60s" };
  const play = market(PROVIDED, { parameters, keepsEvents: false });
  play.deposit(100_000_000n, "aux", "aux2", "lp", "p1", "p2");
  play.run(`${WIDE}; lp lp(5003, 0, BID-1, ASK+1)`);
  play.rig.nextBlock(1, 3);
  const amended = (commitmentAmount: string) => {
    const payload = { marketId: idOf("M"), commitmentAmount };
    return play.rig.deliver("lp", { kind: "liquidityProvisionAmendment", payload }).code;
  };
  for (let round = 0; round < 140; round++) {
    play.run(`p1 B ${1 + (round % 7)}@1000; p2 S ${1 + (round % 7)}@1000`);
    expect([amended("5000"), amended("5003")]).toEqual([0, 0]);
    play.rig.nextBlock(61);
  }
  const [share] = play.rig.market("M").equity.list();
  expect(share!.virtualStake.length).toBeLessThan(100);
  expect(play.rig.faults).toEqual([]);
});
