// A fault of the program inside a market: the market is halted, with the step taken back, and the chain goes on.
// Notation of statements and results: rig.ts.
import { describe, expect, test } from "bun:test";
import { Engine } from "../../../src/engine/engine.ts";
import { InvariantError } from "../../../src/engine/errors.ts";
import type { Market } from "../../../src/engine/markets/market.ts";
import { MarketState } from "../../../src/wire/generated/vega.ts";
import { createMarketRig, idOf, type MarketRig, Play } from "./rig.ts";
import { M4, MILLIONS } from "./sample-markets.ts";

const REFUSAL = "the market is halted by an internal error";
const CONFIG = { asset: "ETH", ...M4, targetStake: { scaling: 0.00001 } };
const OPENING = "aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(50000, 0.01, BID-1, ASK+1)";
const TERMINATED_AT = 1_700_000_500n;

/** Two markets in continuous trading, M and N. */
function opened(more: { readonly terminationSeconds?: bigint } = {}): {
  rig: MarketRig;
  play: Play;
  other: Play;
} {
  const rig = createMarketRig();
  rig.createMarket("M", { ...CONFIG, ...more });
  rig.createMarket("N", CONFIG);
  const [play, other] = [new Play(rig, "M"), new Play(rig, "N")];
  play.deposit(MILLIONS, "aux", "aux2", "lp", "p1", "p2");
  for (const each of [play, other]) each.run(OPENING);
  play.open();
  return { rig, play, other };
}

/** A market's part whose method changes things, emits some, and then fails. */
function failAfterwards(
  market: Market,
  part: object,
  method: string,
  error: Error = new TypeError("undefined is not a function"),
) {
  const target = part as Record<string, (...all: unknown[]) => unknown>;
  const before = target[method]!.bind(part);
  target[method] = (...all) => {
    before(...all);
    market.context.updateStatus({ mark: 77n });
    market.context.accounts.emit([
      market.context.accounts.move(
        [market.context.accounts.general("aux")],
        market.context.accounts.margin("aux"),
        5n,
        1,
      ),
    ]);
    throw error;
  };
}

const moneyOf = (rig: MarketRig) =>
  rig.accounts().map(({ owner, type, market, balance }) => [owner, type, market, balance]);
const halted = ({ engine }: MarketRig) =>
  engine.haltedMarkets().map(({ market, step, height }) => [market, step, height]);
const entriesOf = ({ engine }: MarketRig, market: string) =>
  [...engine.state.entries()].filter(
    ({ table, key }) => table.startsWith("markets.") && key.startsWith(idOf(market)),
  );

/** Tables that the halt writes, and those of prices, which the tick has moved on before its data fail. */
const MOVED = new Set(["markets.status", "markets.halted", "markets.monitors", "markets.prices"]);
const keptOf = (rig: MarketRig) => entriesOf(rig, "M").filter(({ table }) => !MOVED.has(table));

const STEPS: readonly [
  step: string,
  sabotage: (market: Market, rig: MarketRig) => void,
  run: (rig: MarketRig) => void,
][] = [
  ["tick", (market) => failAfterwards(market, market.parts.equity, "onTick"), (rig) => rig.nextBlock()],
  [
    "tick",
    (market) =>
      failAfterwards(market, market.parts.auctions, "onTick", new InvariantError("an account would hold -1")),
    (rig) => rig.nextBlock(),
  ],
  ["tick", (market) => failAfterwards(market, market, "emitData"), (rig) => rig.nextBlock()],
  [
    "block end",
    (market) => failAfterwards(market, market.parts.positions, "flush"),
    (rig) => rig.nextBlock(),
  ],
  [
    "oracle data",
    (market) => failAfterwards(market, market.end, "terminate"),
    (rig) => expect(rig.terminate().code).toBe(0),
  ],
  [
    "parameter",
    (market) => failAfterwards(market, market.context, "emitUpdated"),
    (rig) => {
      // The failed operation shows that the market is halted.
      rig.setParameter("market.fee.factors.makerFee", "0.02");
    },
  ],
];

describe("a fault inside a market", () => {
  test.each(STEPS)("in its %s (%#) is rolled back and halts that market alone", (step, sabotage, run) => {
    const { rig, play, other } = opened();
    const height = rig.engine.core.height;
    const [money, entries] = [moneyOf(rig), keptOf(rig)];
    const { mark } = rig.market("M").context.status;
    sabotage(rig.market("M"), rig);
    const seen = rig.events().length;
    run(rig);
    expect(halted(rig)).toEqual([[idOf("M"), step, step === "tick" ? height + 1 : height]]);
    expect(rig.faults).toHaveLength(1);
    expect(rig.market("M").context.status.mark).toBe(mark);
    expect(moneyOf(rig)).toEqual(money);
    expect(keptOf(rig)).toEqual(entries);
    const events = rig
      .events()
      .slice(seen)
      .filter(({ payload }) => (payload.id ?? payload.market) === idOf("M"));
    expect(events.at(-1)).toMatchObject({
      member: "marketUpdated",
      payload: { state: MarketState.STATE_SUSPENDED },
    });
    expect(play.run("p1 B 1@1000").last).toMatchObject({ code: 70, text: REFUSAL });
    if (step !== "oracle data") {
      expect(other.run("p1 B 2@1000; p2 S 2@1000").last.code).toBe(0);
      expect(rig.position("p1", "N")!.size).toBe(2n);
    } else expect(rig.market("N").context.record.state).toBe(MarketState.STATE_TRADING_TERMINATED);
    rig.nextBlock(1, 3);
    expect(rig.faults).toHaveLength(1);
    expect(keptOf(rig)).toEqual(entries);
  });

  test("as the chain's time ends its trading does not stop the chain", () => {
    const { rig } = opened({ terminationSeconds: TERMINATED_AT });
    failAfterwards(rig.market("M"), rig.market("M").end, "terminate");
    rig.nextBlock(600);
    expect(halted(rig).map(([, step]) => step)).toEqual(["oracle data"]);
    rig.nextBlock(1, 2);
  });

  test("as its vote closes does not stop the chain", () => {
    const rig = createMarketRig();
    rig.proposeMarket("M", CONFIG);
    failAfterwards(rig.market("M"), rig.market("M").parts.auctions, "startOpening");
    rig.deposit("aux", "ETH", 10n);
    rig.decide("M", true);
    expect(halted(rig).map(([, step]) => step)).toEqual(["vote"]);
    rig.nextBlock(1, 2);
  });
});

test("an internal contradiction of a market fails only the command, and the chain goes on", () => {
  const { rig, play } = opened();
  const { orders } = rig.market("M");
  const submit = orders.submit.bind(orders);
  failAfterwards(rig.market("M"), orders, "submit", new InvariantError("an account would hold -1"));
  const money = moneyOf(rig);
  expect(play.run("p1 B 1@1000").last).toMatchObject({
    code: 70,
    text: "internal error: the command was not executed",
  });
  expect(moneyOf(rig)).toEqual(money);
  orders.submit = submit;
  expect(play.run("p1 B 1@1000").last.code).toBe(0);
  expect([rig.faults.length, halted(rig)]).toEqual([1, []]);
});

describe("a halted market", () => {
  const stopped = () => {
    const all = opened();
    all.play.run("p1 B 3@950; p2 S 3@1050");
    all.other.run("p1 B 3@950");
    failAfterwards(all.rig.market("M"), all.rig.market("M").parts.equity, "onTick");
    all.rig.nextBlock();
    return all;
  };

  test("refuses every command, and a cancellation everywhere passes it over", () => {
    const { rig } = stopped();
    const marketId = idOf("M");
    const side = { reference: 2, offset: "1", proportion: 1 };
    const provision = {
      marketId,
      commitmentAmount: "5000",
      fee: "0.1",
      buys: [side],
      sells: [{ ...side, reference: 3 }],
      reference: "",
    };
    const [order] = rig.liveOrders("p1", "M");
    const verdicts = [
      rig.order("p1", "M", "buy", 1, 1000),
      rig.cancel("p1", "M", order!.id),
      rig.cancel("p1", "M"),
      rig.amend("p1", "M", order!.id, { price: "951" }),
      rig.deliver("p1", { kind: "liquidityProvisionSubmission", payload: provision }),
      rig.deliver("lp", { kind: "liquidityProvisionAmendment", payload: provision }),
      rig.cancelProvision("lp", "M"),
    ];
    expect(verdicts.map(({ text }) => text)).toEqual(verdicts.map(() => REFUSAL));
    expect(rig.cancel("p1").code).toBe(0);
    expect([rig.liveOrders("p1", "M").length, rig.liveOrders("p1", "N").length]).toEqual([1, 0]);
  });

  test("stays halted after a restart, and chains with the same fault have the same state", () => {
    const [one, two] = [stopped().rig, stopped().rig];
    expect(one.engine.state.digest()).toBe(two.engine.state.digest());
    const again = new Engine(one.engine.genesis);
    again.state.load(one.engine.state.entries());
    expect(again.haltedMarkets()).toEqual(one.engine.haltedMarkets());
  });

  test("resumes with a market update, by the parameters of that time", () => {
    const { rig, play } = stopped();
    rig.setParameter("market.fee.factors.makerFee", "0.02");
    expect(rig.market("M").context.record.makerFee).toBe("0");
    rig.updateMarket("M", { ...CONFIG, lpPriceRange: "0.5" });
    expect(halted(rig)).toEqual([]);
    expect(rig.market("M").context.record).toMatchObject({
      state: MarketState.STATE_ACTIVE,
      makerFee: "0.02",
    });
    expect(rig.market("N").context.record.makerFee).toBe("0.02");
    expect(play.run("p2 S 3@950; /").last.code).toBe(0);
    expect(rig.position("p1", "M")!.size).toBe(3n);
    rig.terminate();
    rig.settle(1_000);
    rig.nextBlock(1, 2);
    expect([rig.hasMarket("M"), rig.hasMarket("N"), rig.faults.length]).toEqual([false, false, 1]);
    expect(rig.accounts().reduce((sum, { balance }) => sum + balance, 0n)).toBe(5n * MILLIONS);
  });
});
