// Rules of margins and of those that pay for them (reference 70, sections 5 and 7), which public runs of the network have shown.
import { expect, test } from "bun:test";
import { flows, LN, M2, M4, MILLIONS, market, money, PROVIDED, trading } from "./sample-markets.ts";

const RICH = 10n ** 12n;
const rich = "l1 l2 l3 p q";
/** Margin factors: search level, initial margin, release level. */
const scaled = (search: number, initial: number, release: number) => ({
  parameters: {
    "market.margin.scalingFactors": JSON.stringify({
      search_level: search,
      initial_margin: initial,
      collateral_release: release,
    }),
  },
});
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

test("5.3 slippage: what closing costs at most, and its cap where the cap is less or the book is too thin", () => {
  const config = { ...M4, targetStake: { scaling: 1e-9 } };
  const short = (linearSlippage: string, quadraticSlippage: string) => {
    const play = market({ ...config, linearSlippage, quadraticSlippage }).deposit(RICH, "b", "s", "p");
    play.run("b B 10@14900; b B 1@15000; b B 1@15900; p S 1@15900; s S 1@100000; s S 10@100100");
    return play.open().levels("p");
  };
  expect(short("0.25", "0.25")).toBe("9540/10494/11448/13356");
  expect(short("100", "100")).toBe("85690/94259/102828/119966");
  const play = market({ ...config, linearSlippage: "0.25", quadraticSlippage: "0.25" });
  play.deposit(RICH, "b", "s", "long", "short", "x", "y");
  play.run("b B 10@496 =b1; b B 5@498; long B 10@500; short S 10@500; s S 5@502; s S 10@504 =s1").open();
  const levels = () => [play.levels("long"), play.levels("short")];
  const move = "x B 1@501; y S 1@501; x B 1@500; y S 1@500; /";
  expect(levels()).toEqual(["530/583/636/742", "530/583/636/742"]);
  expect(play.run(`cancel b1; ${move}`).levels("long")).toBe("14250/15675/17100/19950");
  expect(play.run(`cancel s1; ${move}`).levels("short")).toBe("14250/15675/17100/19950");
  play.run("x B 5@502; y S 5@498; /");
  expect(levels()).toEqual(["14193/15612/17031/19870", "14193/15612/17031/19870"]);
});

test("5.4 orders need the initial margin, those that only reduce a position need no more than it has", () => {
  const play = market(LN, scaled(1.5, 2, 3)).deposit(RICH, "a1", "a2", "lp");
  play.deposit(711n, "t1").deposit(712n, "t2").deposit(321n, "t3").deposit(40n, "t4");
  play.run("lp lp(100000, 0, BID-55, ASK+55); a2 B 5@5; a1 S 10@15; a2 B 10@10; a1 S 10@10").open();
  const refused = (line: string) => expect(play.run(line).last.text).toBe("margin check failed");
  const taken = (line: string) => expect(play.run(line).last.text).toBe("");
  refused("t1 S 10@10");
  taken("t2 S 1@10");
  play.deposit(1n, "t1");
  taken("t1 S 10@10");
  taken("t2 S 9@10");
  refused("t3 B 20@15 FOK");
  play.deposit(2n, "t3");
  taken("t3 B 20@15 FOK");
  expect([money(play, "t1"), money(play, "t2"), money(play, "t3")]).toEqual([
    "712 0 0",
    "712 0 0",
    "322 1 0",
  ]);
  // The mark has come to 15 meanwhile; nobody has lost, and nobody can pay more.
  play.run("/");
  expect([play.levels("t1"), play.levels("t3"), money(play, "t3")]).toEqual([
    "406/609/812/1218",
    "321/481/642/963",
    "323 0 0",
  ]);
  play.run("t3 S 1@10; /; a2 B 2@10; /; t3 S 18@10; /");
  expect([play.pnl("t3"), play.levels("t3")]).toEqual(["18/0/0", "289/433/578/867"]);
  refused("t3 B 1@10; /");
  refused("t3 S 3@10; /");
  refused("t3 S 19 FOK; /");
  taken("t3 S 1 FOK; /");
  expect([play.pnl("t3"), play.levels("t3")]).toEqual(["17/-85/-5", "137/205/274/411"]);
  taken("t3 S 17 FOK; /");
  expect([play.pnl("t3"), play.levels("t3"), money(play, "t3")]).toEqual([
    "0/0/-142",
    "61/91/122/183",
    "181 0 0",
  ]);
  // An empty side has begun an auction, whose orders need the initial margin as well.
  expect(play.rig.marketData("M").trigger).toBe(6);
  refused("t4 S 1@10; /");
  play.deposit(32n, "t4");
  taken("t4 S 1@10; /");
  expect([play.levels("t4"), money(play, "t4")]).toEqual(["36/54/72/108", "72 0 0"]);
});

test("5.5 where the book is too thin a position stays, and pays at each mark", () => {
  const config = { ...M2, linearSlippage: "0.535", quadraticSlippage: "0" };
  const play = market(config, scaled(3.2, 4, 5))
    .deposit(RICH, "sp", "bp", "aux", "aux2")
    .deposit(12_000n, "p");
  play.run("aux B 1@1; aux S 1@151; aux B 1@150; aux2 S 1@150").open();
  play.run("sp S 290@150; /; bp B 1@140 =b; /; p B 290@150; /");
  expect([money(play, "p"), play.levels("p")]).toEqual(["12000 0 0", "23273/74473/93092/116365"]);
  play.run("cancel b; bp B 1@40; /; sp S 1@120; /; bp B 1@120; /");
  expect([money(play, "p"), play.levels("p"), play.pnl("p"), play.insurance()]).toEqual([
    "3300 0 0",
    "18618/59577/74472/93090",
    "290/-8700/0",
    0n,
  ]);
});
