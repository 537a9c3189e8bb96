// The worked scenarios of the reference (70, section 10), to the unit: S14 and S15.
import { expect, test } from "bun:test";
import {
  amounts,
  entries,
  feesOf,
  LIQUIDITY_PAY,
  ledger,
  M4,
  MD,
  MILLIONS,
  market,
  socialised,
  total,
} from "./sample-markets.ts";

test("S14 the full chain of a close-out", () => {
  const play = market(MD)
    .deposit(1_000_000n, "sp", "bp", "party1", "party2")
    .deposit(240_000n, "guy")
    .deposit(100_000n, "aux");
  play.deposit(1_000_000n, "lp");
  play
    .run(
      "aux B 1@1; aux S 1@10001; lp lp(90000, 0.1, BID-100, ASK+100); party1 B 1@100 GFA; party2 S 1@100 GFA",
    )
    .open();
  expect([play.general("lp"), play.bond("lp"), play.deployed("lp")]).toEqual([1_000_000n, 0n, []]);
  play.run("sp S 200@10000; /; bp B 200@1; /");
  expect(play.levels("sp")).toBe("2000/2200/2400/2800");
  const before = play.trades().length;
  const place = entries(play);
  play.run("guy B 100@10000; /");
  expect(play.trades(before)).toEqual([
    "guy-sp 100@10000",
    "aux-network 1@1",
    "bp-network 99@1",
    "network-guy 100@1",
  ]);
  expect(play.transfers(6).filter(({ amount, from }) => from === "guy" && amount === 237_600n).length).toBe(
    1,
  );
  expect(play.transfers(8)).toEqual([{ from: "guy", to: undefined, amount: 240_000n }]);
  expect(
    play
      .transfers(5)
      .slice(-2)
      .map(({ to, amount }) => [to, amount]),
  ).toEqual([
    ["aux", 2399n],
    ["bp", 237_601n],
  ]);
  expect(ledger(play, place).filter((line) => /^(guy|I|S|party2 M>S)\b/.test(line))).toEqual([
    "guy G>guy M 2400",
    "party2 M>S 9900",
    "S>party1 M 9900",
    "guy G>guy M 237600",
    "guy M>I 240000",
    "I>S 240000",
    "S>aux M 2399",
    "S>bp M 237601",
  ]);
  expect(socialised(play)).toEqual(["aux -7600", "bp -752300"]);
  expect([play.margin("guy"), play.general("guy")]).toEqual([0n, 0n]);
  expect([play.margin("sp"), play.general("sp")]).toEqual([240_000n, 760_000n]);
  expect(play.insurance()).toBe(0n);
  expect(total(play)).toBe(5_340_000n);
  expect(play.rig.position("bp", "M")!.isDistressed).toBe(true);
  expect(play.pnl("guy")).toBe("0/0/-240000");
  expect(play.rig.shownPosition("bp", "M")?.positionStatus).toBe(4);
});

test("S15 close-out with fees", () => {
  const play = market(M4, {
    parameters: {
      "market.fee.factors.makerFee": "0.00025",
      "market.fee.factors.infrastructureFee": "0.0005",
    },
  })
    .deposit(500_000n, "tt_4")
    .deposit(100n, "tt_5")
    .deposit(10_000_000n, "tt_10", "tt_11");
  play.deposit(MILLIONS, "tt_6", "ta", "tb", "lp");
  play.run("lp lp(90000, 0.1, MID-100, MID+100); ta B 1@1; ta S 1@200; tb B 1@100; ta S 1@100").open();
  for (const order of [
    "tt_10 B 5@100 GTT",
    "tt_11 S 5@100 GTT",
    "tt_4 B 2@150",
    "tt_4 B 2@150",
    "tt_5 B 2@150",
    "tt_6 S 2@150",
    "tt_5 B 2@150",
    "tt_6 S 2@150",
    "tt_10 B 25@100",
  ])
    play.run(order).run("/");
  const trades = play.trades().length;
  const fees = amounts(play, LIQUIDITY_PAY).length;
  const place = entries(play);
  play.run("tt_11 S 25 FOK");
  expect(feesOf(play, 3)).toEqual(["0/0/0 1/1/30", "0/0/0 1/1/30", "0/0/0 1/2/210"]);
  expect(ledger(play, place).filter((line) => line.includes("F"))).toEqual([
    "tt_11 G>FM 1",
    "tt_11 G>FM 1",
    "tt_11 G>FM 1",
    "tt_11 G>FI 4",
    "tt_11 G>FL 270",
    "FM>tt_5 G 1",
    "FM>tt_5 G 1",
    "FM>tt_10 G 1",
  ]);
  expect(play.trades(trades)).toEqual(["tt_5-tt_11 2@150", "tt_5-tt_11 2@150", "tt_10-tt_11 21@100"]);
  expect(amounts(play, LIQUIDITY_PAY).slice(fees)).toEqual([270n]);
  play.run("/");
  // Of 200; nothing is left for the fees of the close-out.
  expect(ledger(play).filter((line) => /^tt_5 .>(S|I|F.) /.test(line))).toEqual([
    "tt_5 M>S 72",
    "tt_5 G>S 30",
  ]);
  expect(socialised(play)[0]).toBe("tt_5 98");
  expect(play.mark()).toBe(100n);
  expect(play.trades(trades + 3)).toEqual(["tt_10-network 4@100", "network-tt_5 4@100"]);
  expect([play.margin("tt_5"), play.general("tt_5"), play.insurance()]).toEqual([0n, 0n, 0n]);
  expect(["tt_4", "tt_5", "tt_6", "tt_10", "tt_11"].map((party) => play.pnl(party))).toEqual([
    "4/-200/0",
    "0/0/-102",
    "-4/200/-28",
    "30/0/0",
    "-30/200/-63",
  ]);
});
