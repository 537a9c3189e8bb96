// The life of a market at its edges: states in which it is changed or ended
// (docs/protocol/70-trading-markets.md#14-creation-and-transitions to #17-market-update). Notation of statements and
// results: rig.ts.
import { describe, expect, test } from "bun:test";
import type { ProposalRecord } from "../../../src/engine/proposals.ts";
import { configurationOf } from "../../../src/testing/market-config.ts";
import {
  decodeProposalTerms,
  encodeProposalTerms,
  LiquidityProvisionStatus,
  MarketState,
  OrderStatus,
} from "../../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { alice, ChainRig, type SeenEvent } from "../chain-rig.ts";
import { createMarketRig, idOf, type MarketRig, type Play } from "./rig.ts";
import { LIGHT, M3, market, VOID } from "./sample-markets.ts";

const CONFIG = { ...M3, asset: "ETH", linearSlippage: "1", quadraticSlippage: "0" };
const BUILTIN = "vegaprotocol.builtin.timestamp";
const [ACTIVE, DEACTIVATED] = [1, 2];

/** Continuous trading at 1000 between 900 and 1100. */
function opened(more: Parameters<typeof market>[0] = {}, options: Parameters<typeof market>[1] = {}): Play {
  const play = market({ ...CONFIG, ...more }, options);
  play.deposit(100_000_000n, "aux", "aux2", "void", "p1", "p2");
  return play.run(`${VOID}; aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000`).open();
}

/** Statuses of the sources, by id, as they were shown last. */
const sources = ({ rig }: Play): Map<string, number> =>
  new Map(
    rig.events("oracleSpec").map(({ payload }) => {
      const { id, status } = payload.externalDataSourceSpec.spec;
      return [id, status] as const;
    }),
  );

test("a market that is changed after its trading has ended leaves no source behind", () => {
  const play = opened();
  const { rig } = play;
  rig.terminate();
  rig.nextBlock();
  rig.updateMarket("M", { ...CONFIG, oracle: idOf("other") });
  expect([...sources(play).values()]).toEqual([DEACTIVATED, DEACTIVATED, ACTIVE, DEACTIVATED]);
  const unknown = rig.oracleData({ "trading.ended": "true" }, idOf("other"));
  expect(unknown.text).toBe("there are no subscribes to the oracle data");
  expect(rig.settle(1_000, idOf("other")).text).toBe("");
  expect([...sources(play).values()]).toEqual([DEACTIVATED, DEACTIVATED, DEACTIVATED, DEACTIVATED]);
  expect(rig.terminate(idOf("other")).text).toBe(
    "no one listens to the public keys that signed this oracle data",
  );
});

test("trading that ends in an auction leaves the auction's market data, also when its orders stop", () => {
  const simple = { long: 0.11, short: 0.1, up: 20, down: -20 };
  const play = opened({ simple, triggers: [{ horizon: 60, probability: 0.95, extension: 50 }] });
  const { rig } = play;
  play.run("p1 S 1@1050; p2 B 2@1050; p1 S 1@1050");
  const shown = () => {
    const data = rig.marketData("M");
    const { marketTradingMode, trigger, auctionStart, auctionEnd, nextMarkToMarket, targetStake } = data;
    const { indicativePrice, indicativeVolume } = data;
    return {
      ...{ marketTradingMode, trigger, auctionStart, auctionEnd, nextMarkToMarket, targetStake },
      indication: `${indicativeVolume}@${indicativePrice}`,
    };
  };
  const before = shown();
  expect(before).toMatchObject({ marketTradingMode: 4, trigger: 3, indication: "2@1050" });
  rig.terminate();
  rig.nextBlock();
  rig.nextBlock();
  expect(shown()).toEqual(before);
  rig.settle(1_000);
  const { auctionStart, auctionEnd } = before;
  expect(shown()).toMatchObject({ marketTradingMode: 4, auctionStart, auctionEnd, indication: "2@1050" });
});

test("trading that ends in the opening auction leaves that auction's market data", () => {
  const play = market(CONFIG).deposit(1_000_000n, "p1", "p2").run("p1 B 1@1000; p2 S 1@1000; /");
  const { rig } = play;
  const { auctionStart, auctionEnd } = rig.marketData("M");
  expect(auctionStart).toBeGreaterThan(0n);
  rig.terminate();
  expect(rig.marketData("M")).toMatchObject({
    ...{ marketState: 4, marketTradingMode: 3, auctionStart, auctionEnd },
    ...{ indicativePrice: "0", indicativeVolume: 0n },
  });
  rig.nextBlock();
  expect(rig.hasMarket("M")).toBe(false);
});

test.each([
  ["nothing is left of a number with more decimals than it has digits", 2 ** 40, "9".repeat(77), 0n],
  ["decimals beyond the asset's are cut", 20, "123456", 1_234n],
  ["a number without decimals has the asset's", 0, "+7", 7n * 10n ** 18n],
  ["a negative number is no price", 0, "-7", -1n],
  ["a number beyond 256 bits is no price", 0, "9".repeat(60), -1n],
])("settlement data: %s", (_name, settlementDecimals, text, price) => {
  const rig = createMarketRig({ assets: { ETH: { decimals: 18 } } });
  rig.createMarket("M", { ...CONFIG, settlementDecimals });
  expect(rig.oracleData({ "prices.settlement": text }).text).toBe("");
  expect(rig.market("M").context.record.settlementPrice).toBe(price);
  expect(rig.faults).toEqual([]);
});

test("the chain's time reaches markets as data after epochs and before all other ticks", () => {
  const chain = new ChainRig();
  const { markets, assets } = chain.engine.domains;
  const now = chain.engine.core.nowNs;
  const changes = configurationOf(CONFIG, assets.all()[0]!.id, "M");
  // biome-ignore lint/suspicious/noExplicitAny: the end of trading is put in
  const { future } = changes.instrument as any;
  future.dataSourceSpecForTradingTermination = {
    internal: { time: { conditions: [{ operator: 2, value: "1" }] } },
  };
  future.dataSourceSpecBinding = { ...future.dataSourceSpecBinding, tradingTerminationProperty: BUILTIN };
  const terms = {
    closingTimestamp: now / SECOND_NS,
    enactmentTimestamp: now / SECOND_NS + 1n,
    newMarket: { changes },
  };
  const proposal = {
    id: idOf("M"),
    party: idOf("proposer"),
    terms: decodeProposalTerms(encodeProposalTerms(terms)),
  };
  markets.propose(proposal as ProposalRecord);
  const stakeDeposited = {
    ethereumAddress: `0x${"7".repeat(40)}`,
    vegaPublicKey: alice.publicKey,
    amount: "5",
  };
  const stakingEvent = { index: 0n, block: 1n, stakeDeposited: { ...stakeDeposited, blockTime: 1n } };
  const blocks = chain.report({ txId: `0x${"1".repeat(64)}`, nonce: 1n, stakingEvent });
  chain.close();
  const ACCEPTED = 2;
  const linked = ({ member, payload }: SeenEvent) => member === "stakeLinking" && payload.status === ACCEPTED;
  const { events } = blocks.find((block) => block.events.some(linked))!;
  const data = events.findIndex(({ member }) => member === "oracleData");
  expect(data).toBeGreaterThan(0);
  expect(data).toBeLessThan(events.findIndex(linked));
});

test("slippage factors that a proposal leaves out are 0, in a new market and in a changed one", () => {
  const none = { ...CONFIG, linearSlippage: "", quadraticSlippage: "" };
  const { rig } = market(none);
  const shown = (member: string) => {
    const { linearSlippageFactor, quadraticSlippageFactor } = rig.events(member).at(-1)!.payload;
    return [linearSlippageFactor, quadraticSlippageFactor];
  };
  expect(shown("marketCreated")).toEqual(["0", "0"]);
  rig.updateMarket("M", CONFIG);
  expect(shown("marketUpdated")).toEqual(["1", "0"]);
  rig.updateMarket("M", none);
  expect(shown("marketUpdated")).toEqual(["0", "0"]);
});

test.each([
  ["settled", (play: Play) => [play.rig.terminate(), play.rig.settle(1_000)]],
  ["cancelled", (play: Play) => [play.rig.terminate()]],
])("a market that was %s leaves nothing in the state", (how, end) => {
  const provided = { ...CONFIG, targetStake: { scaling: 0.001 } };
  const play = market(provided).deposit(100_000_000n, "aux", "aux2", "lp");
  play.run("lp lp(50000, 0.001, BID-20, ASK+20); aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000");
  if (how === "settled") play.open();
  const { rig } = play;
  const shares = () => rig.engine.domains.markets.tables.shares.keys().length;
  expect(shares()).toBe(1);
  end(play);
  rig.nextBlock();
  expect(rig.events("marketData").at(-1)!.payload.liquidityProviderFeeShare).toHaveLength(1);
  expect(rig.hasMarket("M")).toBe(false);
  const { tables } = rig.engine.domains.markets;
  const kept = [
    tables.shares,
    tables.orders,
    tables.positions,
    tables.provisions,
    tables.trades,
    tables.windows,
  ];
  expect(kept.map((table) => [...table.keys()].length)).toEqual(kept.map(() => 0));
});

describe("a failed provision of a party without the market's asset does not disturb a market that", () => {
  const provide = (rig: MarketRig) => {
    const entry = (reference: number) => [{ reference, proportion: 1, offset: "1" }];
    const amounts = { commitmentAmount: "1000", fee: "0.01" };
    const payload = { marketId: idOf("M"), ...amounts, buys: entry(2), sells: entry(3) };
    const { text } = rig.deliver(idOf("stranger"), { kind: "liquidityProvisionSubmission", payload });
    expect(text).toBe("party general account missing when trying to create a bond account");
    const shown = rig.events("liquidityProvision").slice(-2);
    expect(shown.map(({ payload: { status } }) => status)).toEqual([
      LiquidityProvisionStatus.STATUS_PENDING,
      LiquidityProvisionStatus.STATUS_REJECTED,
    ]);
    expect(rig.accounts().filter(({ owner }) => owner === idOf("stranger"))).toEqual([]);
  };

  test("is declined", () => {
    const rig = createMarketRig();
    rig.proposeMarket("M", CONFIG);
    provide(rig);
    rig.decide("M", false);
    rig.nextBlock();
    expect(rig.hasMarket("M")).toBe(false);
  });

  test("is cancelled", () => {
    const rig = createMarketRig();
    rig.createMarket("M", CONFIG);
    provide(rig);
    expect(rig.terminate().text).toBe("");
    rig.nextBlock();
    expect(rig.hasMarket("M")).toBe(false);
  });

  test("settles", () => {
    const { rig } = opened();
    provide(rig);
    expect([rig.terminate().text, rig.settle(1_000).text]).toEqual(["", ""]);
    rig.nextBlock();
    expect(rig.hasMarket("M")).toBe(false);
    expect(rig.accounts().some(({ owner }) => owner === idOf("stranger"))).toBe(false);
  });
});

test("a closed market leaves only its id and the epoch's fees in the state", () => {
  const tablesOf = (rig: MarketRig) =>
    new Set(
      [...rig.engine.state.entries()].map(({ table }) => table).filter((name) => /^markets\b/.test(name)),
    );
  const traded = opened().deposit(1_000_000n, "z");
  traded.run("lp z(5000, 0.001, BID-10, ASK+10); p1 B 2@1100; p1 B 3@950; p1 B 1 BID-5; /; p2 S 4@900; / 3");
  expect(tablesOf(traded.rig).size).toBe(13);
  expect([traded.rig.terminate().text, traded.rig.settle(1_000).text]).toEqual(["", ""]);
  traded.rig.nextBlock();
  expect([...tablesOf(traded.rig)]).toEqual(["markets.activities", "markets.count", "markets.ended"]);

  const waiting = market(CONFIG).deposit(1_000_000n, "p1", "p2", "z");
  waiting.run("lp z(5000, 0.001, BID-10, ASK+10); p1 B 2@1000; p1 B 1 BID-5; p2 S 2@1000; /");
  expect(tablesOf(waiting.rig).size).toBe(9);
  expect(waiting.rig.terminate().text).toBe("");
  waiting.rig.nextBlock();
  expect([...tablesOf(waiting.rig)]).toEqual(["markets.count", "markets.ended"]);
});

test("a wrong call of the test rig throws a named error, and changes nothing", () => {
  const rig = createMarketRig({ assets: { USD: { decimals: 2 } } });
  const config = { asset: "USD", simple: { long: 0.1, short: 0.1 } };
  rig.createMarket("M", config);
  rig.deposit("a", "USD", 1_000n);
  expect(() => rig.createMarket("M", config)).toThrow("there is a market M already");
  expect(() => rig.deposit("a", "EUR", 1n)).toThrow("there is no asset EUR");
  expect(() => rig.balance("a", "EUR")).toThrow("there is no asset EUR");
  expect(() => rig.deposit("a", "USD", -5n)).toThrow("an amount is a bigint, 0n or more, not -5");
  expect(() => rig.withdraw("a", "USD", 5 as never)).toThrow("an amount is a bigint, 0n or more, not 5");
  expect(() => rig.fundInsurance("M", -1n)).toThrow("an amount is a bigint");
  expect(() => rig.order("a", "M", "hold" as never, 1, 1)).toThrow("side is buy or sell, not hold");
  expect(() => rig.deliver("a", { orderSubmission: {} } as never)).toThrow("there is no command");
  expect(() => rig.marketData("Z")).toThrow("there is no market Z");
  rig.nextBlock();
  expect([rig.balance("a", "USD"), rig.faults]).toEqual([1_000n, []]);
});

// docs/protocol/70-trading-markets.md#14-creation-and-transitions
test("a market is pending as of its vote's closing time, even if votes are counted later", () => {
  const rig = createMarketRig();
  rig.proposeMarket("M", { asset: "ETH", ...LIGHT });
  const closingNs = rig.nowNs;
  const times = () => rig.shownMarket("M")!.marketTimestamps!;
  expect(times()).toMatchObject({ proposed: closingNs, pending: closingNs });
  rig.nextBlock(2);
  rig.decide("M", true);
  expect([rig.shownMarket("M")!.state, times().pending]).toEqual([MarketState.STATE_PENDING, closingNs]);
});

describe("the parties that a market lists", () => {
  const records = ({ rig }: Play) =>
    [...rig.engine.state.entries()]
      .filter(({ table }) => table === "markets.members")
      .map(({ key }) => key.slice(key.indexOf("/") + 1));

  // docs/protocol/70-trading-positions.md#54-when-margin-moves
  test("have no record once the market has opened, until one leaves, and again after its next order", () => {
    const play = opened();
    play.run("p1 B 1@950 =a; p2 B 1@950 =b");
    expect(records(play)).not.toContain("p1");
    play.run("cancel a");
    expect(records(play)).toContain("p1");
    expect(records(play)).not.toContain("p2");
    play.run("p1 B 1@951");
    expect(records(play)).not.toContain("p1");
  });

  // docs/protocol/70-trading-positions.md#65-final-settlement
  test("are deleted with the market, also after orders that were cancelled", () => {
    const play = opened();
    play.run("p1 B 1@950 =a; cancel a; /");
    expect(records(play)).not.toEqual([]);
    play.rig.terminate();
    play.rig.settle(1_000);
    play.rig.nextBlock(2);
    expect(play.rig.engine.haltedMarkets()).toEqual([]);
    expect(records(play)).toEqual([]);
  });

  // docs/protocol/70-trading-markets.md#14-creation-and-transitions
  test("lose their orders in the order of listing if the market ends before it opens; one that left is listed last", () => {
    const play = market(CONFIG);
    play.deposit(1_000_000n, "p3", "p1", "p2");
    play.run("p1 B 1@900 =a; p3 B 1@901; p2 B 1@902; cancel a; p1 B 1@903");
    const from = play.rig.events().length;
    play.rig.terminate();
    const cancelled = play.rig
      .events()
      .slice(from)
      .filter(({ member, payload }) => member === "order" && payload.status === OrderStatus.STATUS_CANCELLED)
      .map(({ payload }) => payload.partyId);
    expect(cancelled).toEqual(["p3", "p2", "p1"]);
  });
});
