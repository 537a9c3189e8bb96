// Events of markets: their numbers, order and members (docs/protocol/70-trading-events.md#9-events-and-tables).
// Notation of statements and results: rig.ts.
import { afterAll, describe, expect, test } from "bun:test";
import { configurationOf } from "../../../src/testing/market-config.ts";
import { type BlockEvent, Field } from "../../../src/wire/block.ts";
import { decodeProposalTerms, encodeProposalTerms } from "../../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { folder, type MadeEvent, removeFolders, secondNs, writeBlocks } from "../../history/fixtures.ts";
import { createMarketRig, idOf } from "./rig.ts";
import { M4, MD, market } from "./sample-markets.ts";

afterAll(removeFolders);

describe("sequence numbers of events", () => {
  const [BUYER, SELLER, PROVIDER] = ["buyer", "seller", "provider"].map(idOf) as [string, string, string];

  /** Three orders whose time has passed in the running block, and a provision that follows the prices they leave. */
  const expired = () => {
    const play = market(M4).deposit(10_000_000n, BUYER, SELLER, PROVIDER);
    play.run(`lp ${PROVIDER}(100000, 0.01, BID-2, ASK+2); ${BUYER} B 1@90; ${SELLER} S 1@110`);
    play.run(`${BUYER} B 5@100; ${SELLER} S 5@100`).open();
    const { rig } = play;
    for (const [party, side, price] of [
      [BUYER, "buy", 95],
      [BUYER, "buy", 96],
      [SELLER, "sell", 105],
    ] as const) {
      const more = { timeInForce: 2, expiresAt: rig.nowNs + 500_000_000n };
      expect(rig.order(party, "M", side, 1, price, more).code).toBe(0);
    }
    const { log } = rig.engine.core;
    const events = log.blockEvents().events;
    rig.nextBlock();
    return { log, events };
  };
  const numbersOf = (events: readonly BlockEvent[]) => events.map(({ field, seq }) => [field, seq]);

  test("each expired order takes a sequence number, and later events go on behind them", () => {
    const numbers = numbersOf(expired().log.blockEvents().events);
    const at = numbers.findIndex(([field]) => field === Field.expiredOrders);
    const seq = numbers[at]![1]!;
    expect(numbers.slice(at + 1, at + 3)).toEqual([
      [Field.order, seq + 3],
      [Field.order, seq + 4],
    ]);
  });

  test("events of a rolled-back command give their sequence numbers back", () => {
    const { log } = expired();
    const before = numbersOf(log.blockEvents().events);
    const at = before.findIndex(([field]) => field === Field.expiredOrders);
    log.truncate(at);
    log.emit("marketTick", { id: "", time: 0n });
    expect(log.blockEvents().events.at(-1)!.seq).toBe(before[at]![1]!);
  });

  test("orders that expire and orders that follow fit the store's rows without a clash", () => {
    const { log, events: expiry } = expired();
    const rowsOf = (events: readonly BlockEvent[]) =>
      events
        .filter(({ field }) => field === Field.order || field === Field.expiredOrders)
        .map(({ field, seq, bytes, start, end }): MadeEvent => {
          return { field, seq, message: bytes.subarray(start, end) };
        });
    const { db } = writeBlocks(folder(), [
      { height: 1, timeNs: secondNs(1), events: rowsOf(expiry) },
      { height: 2, timeNs: secondNs(2), events: rowsOf(log.blockEvents().events) },
    ]);
    const count = db.query("SELECT COUNT(*) AS n FROM orders WHERE block = (SELECT MAX(block) FROM orders)");
    expect(count.get()).toEqual({ n: 5n });
    db.close();
  });
});

describe("decimals are emitted without trailing zeros or exponents, whatever was submitted:", () => {
  test("those of a market", () => {
    const rig = createMarketRig();
    const decimals = { lpPriceRange: "1.0", linearSlippage: "0.10", quadraticSlippage: "1e-3" };
    const config = { asset: "ETH", ...M4, ...decimals, triggeringRatio: "0.50" };
    const changes = {
      ...configurationOf(config, idOf("ETH"), "M"),
      priceMonitoringParameters: { triggers: [{ horizon: 60n, probability: "0.950", auctionExtension: 5n }] },
    };
    const now = rig.nowNs / SECOND_NS;
    const terms = encodeProposalTerms({
      ...{ closingTimestamp: now, enactmentTimestamp: now + 1n },
      newMarket: { changes },
    });
    const id = idOf("M");
    rig.proposeRecorded(
      { id, reference: "", partyId: idOf("proposer"), terms: decodeProposalTerms(terms) },
      rig.nowNs,
    );
    expect(rig.events("marketCreated")[0]!.payload).toMatchObject({
      ...{ lpPriceRange: "1", linearSlippageFactor: "0.1", quadraticSlippageFactor: "0.001" },
      priceMonitoringSettings: { parameters: { triggers: [{ probability: "0.95" }] } },
      liquidityMonitoringParameters: { triggeringRatio: "0.5" },
    });
    rig.decide("M", true);
    rig.updateMarket("M", { ...config, lpPriceRange: "0.90", linearSlippage: "00.2" });
    expect(rig.events("marketUpdated").at(-1)!.payload).toMatchObject({
      ...{ lpPriceRange: "0.9", linearSlippageFactor: "0.2" },
      liquidityMonitoringParameters: { triggeringRatio: "0.5" },
    });
  });

  test("those of a provision, and of the market's fee that follows it", () => {
    const { rig } = market(M4).deposit(10_000_000n, "lp").run("lp lp(100000, 0.010, BID-2, ASK+2)");
    const shown = () => [
      rig.events("liquidityProvision").at(-1)!.payload.fee,
      rig.events("marketUpdated").at(-1)!.payload.fees.factors.liquidityFee,
    ];
    expect(shown()).toEqual(["0.01", "0.01"]);
    const payload = { marketId: idOf("M"), fee: "2.50e-2", commitmentAmount: "100000" };
    rig.deliver("lp", { kind: "liquidityProvisionAmendment", payload });
    expect(shown()).toEqual(["0.025", "0.025"]);
  });
});

test("the end event of an extended auction has no extension trigger", () => {
  const play = market(M4).deposit(10_000_000n, "a", "b", "lp");
  play.run("a B 1@90; b S 1@110; a B 5@100; b S 5@100; /; /");
  play.run("lp lp(100000, 0.01, BID-2, ASK+2)").open();
  const shown = play.rig
    .events("auction")
    .map(({ payload: { leave, trigger, extensionTrigger } }) => [leave, trigger, extensionTrigger]);
  const [OPENING, TARGET_NOT_MET] = [2, 5];
  expect(shown).toEqual([
    [false, OPENING, 0],
    [false, OPENING, TARGET_NOT_MET],
    [true, OPENING, 0],
  ]);
});

test("each extension of an auction for liquidity has an event", () => {
  const play = market(M4)
    .deposit(10_000_000n, "a", "b")
    .run("a B 1@90; b S 1@110; a B 5@100; b S 5@100; / 9");
  const triggers = () => play.rig.events("auction").map(({ payload }) => payload.extensionTrigger);
  const count = triggers().length;
  const { end } = play.rig.events("auction").at(-1)!.payload;
  play.run("/; /; /");
  expect(triggers().slice(count)).toEqual([5, 5, 5]);
  expect(BigInt(play.rig.events("auction").at(-1)!.payload.end)).toBeGreaterThan(BigInt(end));
});

test("closed-out parties: each one's orders and margin levels come together, trades after all of them", () => {
  const play = market(MD)
    .deposit(1_000_000n, "sp", "bp", "party1", "party2", "aux")
    .deposit(120_000n, "one", "two")
    .deposit(90_000n, "lp");
  play
    .run(
      "aux B 1@1; aux S 1@10001; lp lp(90000, 0.1, BID-100, ASK+100); party1 B 1@100 GFA; party2 S 1@100 GFA",
    )
    .open();
  play.run("sp S 200@10000; /; bp B 200@1; /; one B 50@10000; two B 50@10000");
  const { rig } = play;
  const shown = rig.endBlock().map(({ member, payload }) => {
    if (member === "order") return `order ${payload.partyId} ${payload.reference.slice(0, 11)}`.trim();
    if (member === "marginLevels") return `levels ${payload.partyId} ${payload.maintenanceMargin}`;
    if (member === "trade") return `trade ${payload.type} ${payload.buyer} ${payload.seller}`;
    return member === "settleDistressed" ? `${member} ${payload.partyId}` : "";
  });
  const from = shown.indexOf("order network LS");
  expect(
    shown
      .slice(from)
      .filter((line) => line !== "")
      .slice(0, 15),
  ).toEqual([
    "order network LS",
    "order aux",
    "order bp",
    "trade 2 aux network",
    "trade 2 bp network",
    "order one distressed-",
    "order network close-out d",
    "levels one 0",
    "order two distressed-",
    "order network close-out d",
    "levels two 0",
    "trade 3 network one",
    "trade 3 network two",
    "settleDistressed one",
    "settleDistressed two",
  ]);
  expect(shown.slice(from).filter((line) => line.startsWith("levels one"))).toEqual([
    "levels one 0",
    "levels one 599950",
  ]);
});
