// Rules of margins and of those that pay for them (reference 70, sections 5 and 7), which public runs of the network have shown.
import { expect, test } from "bun:test";
import { flows, MILLIONS, market, money, PROVIDED, trading } from "./scenario-markets.ts";

const rich = "l1 l2 l3 p q";
const provided = (first: string) => trading(PROVIDED, { bid: 990, ask: 1010, first, rich });

test("7.7 a provider without a score yet: the total is of the others, and it takes what they leave", () => {
  const joined = (party: string, first: string) => {
    const play = provided(first).run(`lp ${party}(500, 0.01, BID-1, ASK+1); q S 10@1000; p B 10@1000; /`);
    expect(play.rig.systemBalance("ETH", 6, "M")).toBe(0n);
    return flows(play, 14);
  };
  // A quarter, of three quarters: a third for the one that comes first, and nothing for the one that comes last.
  expect(joined("l2", "lp l1(1500, 0.01, BID-1, ASK+1)")).toEqual([">l1 100"]);
  expect(joined("l1", "lp l2(1500, 0.01, BID-1, ASK+1)")).toEqual([">l1 33", ">l2 67"]);
});

test("7.5 a first deployment is paid for at the search level of its margin; below that, up to the initial one", () => {
  const opened = (commitment: bigint, funds: bigint) => {
    const play = market(PROVIDED)
      .deposit(MILLIONS, "lp", "a", "b")
      .deposit(commitment + funds, "z");
    play.run(`lp lp(1000000, 0, BID-1, ASK+1); lp z(${commitment}, 0, BID-1, ASK+1)`);
    play.run("b B 100@900; b S 100@1100; z B 100@1000; a S 100@1000").open();
    return [money(play, "z"), play.levels("z"), ...play.deployed("z")];
  };
  // 12000 for the position alone.
  expect(opened(500n, 12_050n)).toEqual([
    "12000 50 500",
    "10100/11110/12120/14140",
    "buy 1@899",
    "sell 1@1101",
  ]);
  expect(opened(10_000n, 13_440n)).toEqual([
    "13440 0 10000",
    "11200/12320/13440/15680",
    "buy 12@899",
    "sell 10@1101",
  ]);
  expect(opened(10_000n, 13_439n)).toEqual(["12000 11439 0", "10000/11000/12000/14000"]);
});
