// Markets in the engine alone, on one thread: orders a second with all their events and the block's commit, on ten markets with a
// thousand parties; what an order costs on a book with 100,000 resting orders beside one with 100; mark to market of 10,000 open
// positions; and how long 100,000 resting orders take to be taken back and to be loaded.
// bun bench/markets.ts [--commands N]

import type { CommandInit } from "../src/wire/transaction.ts";
import type { CheckedTransaction } from "../src/wire/transaction-check.ts";
import { createMarketRig, idOf, type MarketRig, orderOf, transactionOf } from "../test/engine/markets/rig.ts";
import { Dice } from "../test/simulation/markets/dice.ts";
import { argument, median } from "./support.ts";

const COMMANDS = Number(argument("--commands") ?? 60_000);
const MARKETS = 10;
const PARTIES = 1_000;
const PER_BLOCK = 2_000;
const RESTING = 100_000;
const POSITIONS = 10_000;
const ROUNDS = 5;
const MONEY = 10n ** 15n;
const MIDDLE = 100_000;
const SIMPLE = { long: 0.001, short: 0.001 };

/** With the network's own time between two marks. */
function quiet(markets: number): MarketRig {
  const parameters = { "network.markPriceUpdateMaximumFrequency": "5s" };
  const rig = createMarketRig({ assets: { ETH: {} }, parameters, keepsEvents: false });
  for (let n = 0; n < markets; n++) {
    rig.createMarket(`m${n}`, {
      asset: "ETH",
      simple: SIMPLE,
      linearSlippage: "0.01",
      quadraticSlippage: "0",
      targetStake: { scaling: 0.000_01 },
    });
  }
  for (const party of ["open1", "open2", "provider"]) rig.deposit(party, "ETH", MONEY);
  for (let n = 0; n < markets; n++) {
    rig.order("open1", `m${n}`, "buy", 1, MIDDLE - 20_000);
    rig.order("open2", `m${n}`, "sell", 1, MIDDLE + 20_000);
    rig.order("open1", `m${n}`, "buy", 1, MIDDLE);
    rig.order("open2", `m${n}`, "sell", 1, MIDDLE);
    const payload = {
      marketId: idOf(`m${n}`),
      commitmentAmount: "1000000",
      fee: "0.001",
      buys: [{ reference: 2, offset: "100", proportion: 1 }],
      sells: [{ reference: 3, offset: "100", proportion: 1 }],
      reference: "provision",
    };
    rig.deliver("provider", { kind: "liquidityProvisionSubmission", payload });
  }
  rig.nextBlock(1, 3);
  return rig;
}

/**
 * Of the mix that a busy market has: new orders, cancellations and amendments, and orders that trade. The client's part
 * (encoding) and admission (decoding, checks of form; admission.ts) are done before the clock starts.
 */
function mixed(): number {
  const rig = quiet(MARKETS);
  for (let n = 0; n < PARTIES; n++) rig.deposit(`p${n}`, "ETH", MONEY);
  const transactions = mix();
  const begun = performance.now();
  for (const [at, tx] of transactions.entries()) {
    rig.engine.deliver(tx);
    if ((at + 1) % PER_BLOCK === 0) rig.nextBlock();
  }
  return COMMANDS / ((performance.now() - begun) / 1_000);
}

function mix(): CheckedTransaction[] {
  const dice = new Dice(1);
  const transactions: CheckedTransaction[] = [];
  const add = (party: string, command: CommandInit): string => {
    const id = idOf(`order ${transactions.length}`);
    transactions.push(transactionOf(party, command, id));
    return id;
  };
  // Names are the rig's; a chain's commands have ids.
  const ids = Array.from({ length: MARKETS }, (_, n) => idOf(`m${n}`));
  const resting: { id: string; party: string; market: string }[] = [];
  while (transactions.length < COMMANDS) {
    const kind = dice.below(100);
    const party = `p${dice.below(PARTIES)}`;
    const market = ids[dice.below(MARKETS)]!;
    const side = dice.below(2) === 0 ? "buy" : "sell";
    if (kind < 45 || resting.length < 100) {
      const away = 1 + dice.below(2_000);
      const price = side === "buy" ? MIDDLE - away : MIDDLE + away;
      resting.push({ id: add(party, orderOf(market, side, 1 + dice.below(9), price)), party, market });
    } else if (kind < 90) {
      const at = dice.below(resting.length);
      const { id, party: owner, market: marketId } = resting[at]!;
      if (dice.below(2) === 0) {
        add(owner, { kind: "orderCancellation", payload: { orderId: id, marketId } });
        resting[at] = resting.at(-1)!;
        resting.pop();
      } else {
        add(owner, { kind: "orderAmendment", payload: { orderId: id, marketId, sizeDelta: 1n } });
      }
    } else {
      add(party, orderOf(market, side, 1 + dice.below(3), undefined));
    }
  }
  return transactions;
}

/** A book with this many orders of many parties, at 2,000 prices a side. */
function filled(orders: number): MarketRig {
  const rig = quiet(1);
  for (let n = 0; n < PARTIES; n++) rig.deposit(`p${n}`, "ETH", MONEY);
  for (let n = 0; n < orders; n++) {
    const side = n % 2 === 0 ? "buy" : "sell";
    const away = 1_000 + ((n * 7) % 2_000);
    rig.order(`p${n % PARTIES}`, "m0", side, 1, side === "buy" ? MIDDLE - away : MIDDLE + away);
    if (n % 5_000 === 4_999) rig.nextBlock();
  }
  rig.nextBlock();
  return rig;
}

/** Milliseconds of 2,000 orders, each placed and cancelled. */
function ordersOn(rig: MarketRig): number {
  const begun = performance.now();
  for (let n = 0; n < 2_000; n++) {
    const away = 1_000 + (n % 2_000);
    const { id } = rig.order(`p${n % PARTIES}`, "m0", "buy", 1, MIDDLE - away);
    rig.deliver(`p${n % PARTIES}`, {
      kind: "orderCancellation",
      payload: { orderId: id, marketId: idOf("m0") },
    });
  }
  const tookMs = performance.now() - begun;
  rig.nextBlock();
  return tookMs;
}

function bookCost() {
  const small = filled(100);
  const large = filled(RESTING);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS + 1; round++) {
    const few = ordersOn(small);
    const many = ordersOn(large);
    if (round > 0) ratios.push(many / few);
  }
  const { state } = large.engine;
  large.endBlock();
  const place = state.place();
  large.beginBlock();
  for (let n = 0; n < 1_000; n++) large.order("p1", "m0", "buy", 1, MIDDLE - 5_000);
  const begunRevert = performance.now();
  state.returnTo(place);
  const revertMs = performance.now() - begunRevert;
  const entries = [...state.entries()];
  const begunLoad = performance.now();
  state.load(entries);
  large.market("m0").context.book.best(1);
  const loadMs = performance.now() - begunLoad;
  return { ratio: median(ratios), revertMs, loadMs, loadedOrders: RESTING };
}

/** Milliseconds of one run of mark to market over this many positions. */
function markToMarket(): number {
  const rig = quiet(1);
  for (let n = 0; n < POSITIONS; n++) {
    const [buyer, seller] = [`b${n}`, `s${n}`];
    if (n % 2 === 1) continue;
    rig.deposit(buyer, "ETH", MONEY);
    rig.deposit(seller, "ETH", MONEY);
    rig.order(seller, "m0", "sell", 1, MIDDLE);
    rig.order(buyer, "m0", "buy", 1, MIDDLE);
    if (n % 1_000 === 0) rig.nextBlock();
  }
  rig.nextBlock();
  const market = rig.market("m0");
  const times: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const begun = performance.now();
    market.parts.marks.run(BigInt(MIDDLE + round));
    times.push(performance.now() - begun);
    rig.nextBlock();
  }
  return median(times);
}

/** In a process of its own, as the other measurements: heaps of earlier rounds would be measured, too. */
function mixedInChild(): number {
  const words = [process.execPath, import.meta.path, "--part", "orders", "--commands", String(COMMANDS)];
  const { stdout, success } = Bun.spawnSync(words, { stderr: "inherit" });
  if (!success) throw new Error("orders were not measured");
  return Number(stdout.toString());
}

if (argument("--part") === "orders") {
  console.log(mixed());
} else {
  const ordersPerSecond = median(Array.from({ length: ROUNDS }, mixedInChild));
  const book = bookCost();
  const markToMarketMs = markToMarket();
  console.log(JSON.stringify({ ordersPerSecond, book, markToMarketMs, positions: POSITIONS }, undefined, 1));
}
