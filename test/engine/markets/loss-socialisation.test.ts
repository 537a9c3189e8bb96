// Losses that a party cannot pay: the insurance pool, then those who won
// (docs/protocol/70-trading-positions.md#56-loss-cover-order and #63-loss-socialisation;
// docs/protocol/70-trading-scenarios.md#s11-loss-socialisation-one-debtor to
// #s13-loss-socialisation-with-partial-insurance-2900). Notation of statements and results: rig.ts.
import { describe, expect, test } from "bun:test";
import { AccountType } from "../../../src/wire/generated/vega.ts";
import type { Play } from "./rig.ts";
import {
  around1000,
  entries,
  eventsFrom,
  FLAT,
  flows,
  ledger,
  M2,
  MILLIONS,
  market,
  money,
  move,
  opened,
  shared,
  socialised,
  total,
  trading,
} from "./sample-markets.ts";

/** Losses and wins of marks. */
const MARKS = [4, 5];

/** Types of the last trades: 1 of orders, 2 GOOD and 3 BAD ones of a close-out. */
const kinds = (play: Play, count: number) =>
  play.rig
    .trades("M")
    .slice(-count)
    .map(({ type }) => type);

// docs/protocol/70-trading-scenarios.md#s11-loss-socialisation-one-debtor to
// #s13-loss-socialisation-with-partial-insurance-2900
describe("loss socialisation", () => {
  const providers = (play: Play) => play.deposit(MILLIONS, "sp", "bp", "a1", "a2");
  const noInsurance =
    "sp S 1000@120 =sp1; bp B 1000@80 =bp1; a1 S 1@120 =a120; a2 B 1@80 =a80; a1 S 1@100; a2 B 1@100";

  // docs/protocol/70-trading-scenarios.md#s11-loss-socialisation-one-debtor
  test("a loser without insurance: winners share its loss, then the network's", () => {
    const play = providers(market(M2))
      .deposit(5_000n, "p1")
      .deposit(50_000n, "p2", "p3")
      .deposit(MILLIONS, "lp");
    play.run(noInsurance).open();
    expect(play.mark()).toBe(100n);
    play.run("p1 S 100@100; /; p2 B 100@100; /; cancel sp1; cancel bp1; sp S 1000@200; /; bp B 1000@80; /");
    play.run("cancel a120; cancel a80; p2 B 100@180; /");
    const place = entries(play);
    play.run("p3 S 100@180; /");
    expect(play.mark()).toBe(180n);
    expect(ledger(play, place, ...MARKS)).toEqual([
      "a1 M>S 24",
      "a1 G>S 56",
      "p1 M>S 2400",
      "p1 G>S 2600",
      "S>a2 M 50",
      "S>p2 M 5030",
    ]);
    expect(kinds(play, 2)).toEqual([2, 3]);
    expect(socialised(play)).toEqual(["p1 3000", "a2 -30", "p2 -2970", "sp -2000"]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([24000n, 31030n]);
    expect([play.margin("p3"), play.general("p3")]).toEqual([2400n, 47600n]);
    expect(["p1", "p2", "p3", "sp"].map((party) => play.pnl(party))).toEqual([
      "0/0/-5000",
      "200/8000/-2970",
      "-100/0/0",
      "-100/2000/-2000",
    ]);
    expect(play.rig.shownPosition("p1", "M")?.positionStatus).toBe(2);
    expect(total(play) - MILLIONS).toBe(400_105_000n);
    expect(play.insurance()).toBe(0n);
    expect(play.rig.position("p1", "M")).toBeUndefined();
    expect(play.trades().slice(-2)).toEqual(["network-sp 100@200", "p1-network 100@200"]);
  });

  // docs/protocol/70-trading-scenarios.md#s12-loss-socialisation-two-winners
  test("a loser and two winners, who share in proportion to their gains", () => {
    const play = providers(market(M2))
      .deposit(2_500n, "p1")
      .deposit(10_000n, "p2", "p3", "p4")
      .deposit(MILLIONS, "lp");
    play.run(noInsurance).open();
    play.run("p1 S 25@100; /; p2 B 25@100; /; p1 S 75@100; /; p3 B 75@100; /; cancel sp1; cancel bp1");
    play.run("sp S 1000@300; /; bp B 1000@80; /; cancel a120; cancel a80; p2 B 10@180; /");
    const place = entries(play);
    play.run("p4 S 10@180; /");
    expect(ledger(play, place, ...MARKS)).toEqual([
      "a1 M>S 24",
      "a1 G>S 56",
      "p1 M>S 2400",
      "p1 G>S 100",
      "S>a2 M 25",
      "S>p2 M 638",
      "S>p3 M 1917",
    ]);
    expect(play.trades().slice(-2)).toEqual(["network-sp 100@300", "p1-network 100@300"]);
    expect(kinds(play, 2)).toEqual([2, 3]);
    // 5500 that p1 did not pay; then sp's win of 12000 over the mark, which nobody pays.
    expect(socialised(play)).toEqual(["p1 5500", "a2 -55", "p2 -1362", "p3 -4083", "sp -12000"]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([4200n, 6438n]);
    expect([play.margin("p3"), play.general("p3")]).toEqual([9000n, 2917n]);
    expect([play.margin("p4"), play.general("p4")]).toEqual([1440n, 8560n]);
    expect(play.margin("sp")).toBe(14400n);
    expect(["p1", "p2", "p3", "p4"].map((party) => play.pnl(party))).toEqual([
      "0/0/-2500",
      "35/2000/-1362",
      "75/6000/-4083",
      "-10/0/0",
    ]);
  });

  // docs/protocol/70-trading-scenarios.md#s13-loss-socialisation-with-partial-insurance-2900
  test("the insurance pool pays first, winners share the rest", () => {
    const play = market(M2).deposit(MILLIONS, "sp", "bp", "a1", "a2", "p5", "p6", "lp");
    play.deposit(2_000n, "p1").deposit(10_000n, "p2", "p4").deposit(3_000n, "p3");
    play.rig.fundInsurance("M", 2_900n);
    play.run("a1 B 1@10 =a10; a2 S 1@1000 =a1000; p5 B 1@100 GFA; p6 S 1@100 GFA").open();
    play.run(
      "sp S 1000@120 =sp1; /; bp B 1000@80 =bp1; /; p1 S 30@100; /; p2 B 30@100; /; p3 S 60@100; /; p2 B 60@100; /",
    );
    play.run("p3 S 10@100; /; p4 B 10@100; /; cancel sp1; cancel bp1; sp S 1000@300; /; bp B 1000@80; /");
    play.run("cancel a10; cancel a1000; p2 B 10@180; /; p4 S 10@180; /");
    expect(play.insurance()).toBe(0n);
    expect([play.general("p2"), play.margin("p2")]).toEqual([5110n, 12000n]);
    expect(play.general("p4")).toBe(10791n);
    expect(["p1", "p2", "p3", "p4"].map((party) => play.pnl(party))).toEqual([
      "0/0/-2400",
      "100/7200/-90",
      "0/0/-5500",
      "0/0/791",
    ]);
  });
});

const NONE = { linearSlippage: "0", quadraticSlippage: "0" };

// docs/protocol/70-trading-positions.md#56-loss-cover-order
test("the first of two losers uses up the insurance pool: by position at a mark, by id at settlement", () => {
  const opened = () => {
    const play = trading(FLAT, { rich: "s bp" }).deposit(1_200n, "a", "b");
    play.run("s S 20@1000; b B 10@1000; a B 10@1000; /");
    play.rig.fundInsurance("M", 500n);
    return play;
  };
  // The first to have a position; 3100 of 4200 are available for 200 and 4000.
  const marked = move(opened().run("bp B 100@700"), 800);
  expect(shared(marked)).toEqual(["b 300", "a 800", "aux2 -53", "s -1047", "bp -2000"]);
  expect([marked.pnl("b"), marked.pnl("a")]).toEqual(["0/0/-1700", "0/0/-1200"]);
  // By id at the settlement.
  const settled = opened();
  settled.rig.terminate();
  settled.rig.settle(800);
  expect([socialised(settled), flows(settled, 2)]).toEqual([
    ["a 300", "b 800", "aux2 -53", "s -1047"],
    [">aux2 147", ">s 2953"],
  ]);
});

// docs/protocol/70-trading-positions.md#63-loss-socialisation
test.each([
  [0n, ["104", "313", "522", "211"], ["p1 500", "aux -46", "w1 -137", "w2 -228", "w3 -89"]],
  [300n, ["131", "395", "659", "265"], ["p1 200", "aux -19", "w1 -55", "w2 -91", "w3 -35"]],
] as const)(
  "four winners share what was paid, the last one gets the rounding units; insurance pool %p",
  (insurance, wins, losses) => {
    const play = trading({ ...M2, ...NONE }, { first: "", rich: "w1 w2 w3" }).deposit(1_000n, "p1");
    play.rig.fundInsurance("M", insurance);
    move(play.run("p1 S 10@1000; w1 B 3@1000; w2 B 5@1000; w3 B 2@1000; /"), 1150);
    expect(flows(play, 5).map((line) => line.split(" ")[1]!)).toEqual([...wins]);
    expect([socialised(play), play.pnl("p1")]).toEqual([[...losses], `-10/-1500/${500n - insurance}`]);
  },
);

// docs/protocol/70-trading-positions.md#63-loss-socialisation
test("a share that was rounded up creates no money: the last winner gets less", () => {
  const unit = 10n ** 18n;
  const config = { ...M2, ...NONE };
  const options = { assets: { ETH: { decimals: 18 } } };
  const play = trading(config, { first: "", rich: "w1 w2 w3", funds: 10n ** 30n }, options);
  play.deposit(1_000n * unit, "p1").run("p1 S 10@1000; w1 B 3@1000; w2 B 5@1000; w3 B 2@1000; /");
  const before = total(play);
  move(play, 1150);
  expect(flows(play, 5)).toEqual([
    ">aux 104545454545454550000",
    ">w1 313636363636363650000",
    ">w2 522727272727272750000",
    ">w3 209090909090909050000",
  ]);
  expect(total(play)).toBe(before);
});

const pnls = (play: Play, ...parties: string[]): string[] => parties.map((party) => play.pnl(party));

// docs/protocol/70-trading-positions.md#63-loss-socialisation
test("two losers at once: winners share what is missing, or the insurance pool has just enough", () => {
  const after = (insurance: bigint) => {
    const play = market(M2).deposit(MILLIONS, "sp", "bp", "a", "c");
    play.rig.fundInsurance("M", insurance);
    play.deposit(2_000n, "p1").deposit(3_000n, "p3").deposit(10_000n, "p2", "p4");
    play.run(
      "sp S 1000@120 =s; bp B 1000@80 =b; a S 1@120 =as; c B 1@80 =cb; a B 10@100 GFA; c S 10@100 GFA",
    );
    play.open().run("p1 S 30@100; /; p2 B 30@100; /; p3 S 60@100; /; p2 B 60@100; /; p3 S 10@100; /");
    play.run("p4 B 10@100; /; cancel s; cancel b; sp S 1000@300; /; bp B 1000@80; /; cancel as; cancel cb");
    const before = total(play);
    play.run("p2 B 10@180; /; p4 S 10@180; /");
    expect([play.insurance(), total(play)]).toEqual([0n, before]);
    return play;
  };
  expect(pnls(after(0n), "p1", "p2", "p3", "p4")).toEqual([
    "0/0/-2000",
    "100/7200/-2455",
    "0/0/-3000",
    "0/0/528",
  ]);
  const covered = after(3_000n);
  expect(pnls(covered, "p1", "p2", "p3", "p4")).toEqual(["0/0/-2400", "100/7200/0", "0/0/-5600", "0/0/800"]);
  // The network cannot pay for the close-outs: their taker goes without its win.
  expect(shared(covered)).toEqual(["sp -12000"]);
});

const RICH = 1_000_000_000_000n;

// docs/protocol/70-trading-positions.md#63-loss-socialisation
test("winners of a mark share its missing money, the seller to a close-out that of the close-out", () => {
  const play = market(
    { ...M2, linearSlippage: "1", quadraticSlippage: "0" },
    {
      parameters: {
        "market.margin.scalingFactors": JSON.stringify({
          search_level: 3.2,
          initial_margin: 4,
          collateral_release: 5,
        }),
      },
    },
  );
  play.deposit(RICH, "asker", "bidder", "a", "b").deposit(10_000n, "short");
  play.run("b B 1@1; a S 1@1000; a S 10@180; b B 10@180").open();
  play.run("asker S 150@200 =wall; /; bidder B 50@190; /; bidder B 50@180; /; short S 100@180; /");
  // Its way out is at 200, its mark at 180; it sold half of what it has for 190.
  expect(play.levels("short")).toBe("2000/6400/8000/10000");
  expect([play.margin("short"), play.general("short")]).toEqual([8_000n, 2_500n]);

  play.run("cancel wall; asker S 150@350; /; asker S 1@300; /; bidder B 1@300; /");
  // 12,000 are owed and 10,500 there; b has won 1,200 by the same mark. Then the network pays 50 too much for each of 100.
  expect(play.trades().slice(-2)).toEqual(["network-asker 100@350", "short-network 100@350"]);
  expect(["short", "bidder", "asker"].map((party) => play.pnl(party))).toEqual([
    "0/0/-10000",
    "101/11500/-1363",
    "-101/5000/-5000",
  ]);
  expect(socialised(play)).toContain("bidder -1363");
  expect(play.insurance()).toBe(0n);
  expect([play.margin("short"), play.general("short")]).toEqual([0n, 0n]);
});

const LOSS = 1;
const WIN = 2;
const MTM_LOSS = 4;

/** Entries of a type, also those that moved nothing. */
const moved = (play: Play, type: number): string[] =>
  play.transfers(type).map(({ from, to, amount }) => `${from ?? ""}>${to ?? ""} ${amount}`);

/** Balances of an account of the market's own, as its events show them. */
const balances = (play: Play, place: number, type: number): string[] =>
  eventsFrom(play, place, "account")
    .filter(({ payload }) => payload.type === type)
    .map(({ payload }) => payload.balance);

const place = (play: Play): number => play.rig.events().length;

// docs/protocol/70-trading-positions.md#65-final-settlement
test("a gain that truncated losses do not cover is paid by the insurance pool, as far as that goes", () => {
  const after = (insurance: bigint) => {
    const play = opened({ positionDecimals: 1 }).deposit(MILLIONS, "w");
    play.rig.fundInsurance("M", insurance);
    // 1.5 against three times 0.5: one and a half is cut to one, a half to nothing.
    play.run("x S 5@100; y S 5@100; z S 5@100; w B 15@100; /");
    play.rig.terminate();
    const from = entries(play);
    play.rig.settle(101);
    const reward = play.rig.systemBalance("ETH", AccountType.ACCOUNT_TYPE_GLOBAL_REWARD);
    return [...ledger(play, from, LOSS, WIN), play.general("w") - MILLIONS, reward];
  };
  expect(after(100n)).toEqual(["I>w M 1", 1n, 99n]);
  expect(after(0n)).toEqual([0n, 0n]);
});

// docs/protocol/70-trading-positions.md#56-loss-cover-order
test("a loss paid from several accounts has an entry for each, and one balance event of the settlement account", () => {
  const play = trading().deposit(400n, "p").run("p S 1@1000; aux B 1@1000; /");
  expect(money(play, "p")).toBe("120 280 0");
  const [from, first] = [place(play), entries(play)];
  move(play, 1150);
  const { ACCOUNT_TYPE_SETTLEMENT: settlement } = AccountType;
  const paid = play.rig
    .transfers()
    .slice(first)
    .filter(({ type }) => type === MTM_LOSS);
  expect(
    paid.map((entry) => `${entry.fromAccount?.owner} ${entry.amount} ${entry.toAccountBalance}`),
  ).toEqual(["aux2 150 150", "p 120 270", "p 30 300"]);
  expect(balances(play, from, settlement)).toEqual(["150", "300", "0"]);
});

// docs/protocol/70-trading-positions.md#56-loss-cover-order
test("a final loss paid from several accounts has one balance event of the settlement account", () => {
  const play = trading().deposit(400n, "p").run("p S 1@1000; aux B 1@1000; /");
  play.rig.terminate();
  const from = place(play);
  play.rig.settle(1150);
  expect(balances(play, from, AccountType.ACCOUNT_TYPE_SETTLEMENT)).toEqual(["150", "300", "0"]);
  expect(moved(play, LOSS)).toEqual(["aux2> 150", "p> 120", "p> 30"]);
});

// docs/protocol/70-trading-positions.md#62-mtm-run
test("loss socialisation events follow the account events of all losers", () => {
  const play = trading().deposit(130n, "p", "q").run("p S 1@1000; q S 1@1000; aux B 2@1000; /");
  const from = place(play);
  move(play, 1200);
  const changes = eventsFrom(play, from, "account", "lossSocialization").filter(
    ({ member, payload }) => member !== "account" || ["p", "q"].includes(payload.owner),
  );
  expect(
    changes.map(({ payload: { owner, type, balance, partyId, amount } }) =>
      owner ? `${owner} ${type} ${balance}` : `${partyId} ${amount}`,
    ),
  ).toEqual(["p 3 0", "p 4 0", "q 3 0", "q 4 0", "p 70", "q 70", "aux -140"]);
});

// docs/protocol/70-trading-positions.md#63-loss-socialisation
test("rounding units go to the last winner if the network has won nothing", () => {
  const play = trading(
    { ...FLAT, simple: { long: 0.05, short: 0.05 } },
    { bid: 10, ask: 900, mark: 300, rich: "c d w" },
  );
  play.deposit(40n, "p").deposit(20n, "q").run("aux2 S 2@300; p B 2@300; /");
  // The two of p are sold at 380 and 20, on the average at the mark. Then a ninth of 180 is left for w.
  play.run("c B 1@200; d S 1@200; q B 1@380; w B 1@20; /");
  expect(play.mark()).toBe(200n);
  expect(play.trades().slice(-6)).toEqual([
    "c-d 1@200",
    "q-network 1@380",
    "w-network 1@20",
    "network-p 2@200",
    "aux-network 1@10",
    "network-q 1@10",
  ]);
  expect([play.insurance(), play.margin("w") + play.general("w") - MILLIONS]).toEqual([0n, 20n]);
  // Nothing of it came to the insurance, which then has nothing for what aux wins of q's own close-out.
  expect(socialised(play)).toEqual(["p 160", "aux2 -160", "q 160", "w -160", "aux -190"]);
});

test("a rounding difference of either sign is spread over gains truncated to zero, not over losses truncated to zero", () => {
  const play = around1000({ positionDecimals: 2 });
  play.deposit(100_000n, "x", "y").run("p1 S 1@1000; p2 S 3@1000; aux B 4@1000; /");
  // aux wins 4.5; aux2 and p1 lose 0.9 each, p2 2.7; x has sold at the mark price, y has bought.
  play.run("x S 1@1090; y B 1@1090; /");
  const wins = play.transfers(5).filter(({ amount }) => amount > 0n);
  expect(wins.map(({ to, amount }) => `${to} ${amount}`)).toEqual(["aux 1", "y 1"]);
  expect(play.transfers(4).map(({ from, amount }) => `${from} ${amount}`)).toEqual(["p2 2"]);
});
