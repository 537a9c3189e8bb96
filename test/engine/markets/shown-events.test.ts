// What the events of markets show: their numbers, their order and their members (reference 70, section 9).
import { afterAll, describe, expect, test } from "bun:test";
import { type BlockEvent, Field } from "../../../src/wire/block.ts";
import { folder, type MadeEvent, removeFolders, secondNs, writeBlocks } from "../../history/fixtures.ts";
import { idOf } from "./rig.ts";
import { M4, market } from "./scenario-markets.ts";

afterAll(removeFolders);

describe("numbers of events", () => {
  const [BUYER, SELLER, PROVIDER] = ["buyer", "seller", "provider"].map(idOf) as [string, string, string];

  /** Three orders whose time is over in the running block, and a provision that follows the prices they leave. */
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
    const made = log.blockEvents().events;
    rig.nextBlock();
    return { log, made };
  };
  const numbersOf = (events: readonly BlockEvent[]) => events.map(({ field, seq }) => [field, seq]);

  test("given orders that expire, then each takes a number, and what follows goes on behind them", () => {
    const numbers = numbersOf(expired().log.blockEvents().events);
    const at = numbers.findIndex(([field]) => field === Field.expiredOrders);
    const seq = numbers[at]![1]!;
    expect(numbers.slice(at + 1, at + 3)).toEqual([
      [Field.order, seq + 3],
      [Field.order, seq + 4],
    ]);
  });

  test("given events taken back, then the next one has the number of the first of them", () => {
    const { log } = expired();
    const before = numbersOf(log.blockEvents().events);
    const at = before.findIndex(([field]) => field === Field.expiredOrders);
    log.truncate(at);
    log.emit("marketTick", { id: "", time: 0n });
    expect(log.blockEvents().events.at(-1)!.seq).toBe(before[at]![1]!);
  });

  test("given orders that expire before others are shown, then a store has room for rows of all of them", () => {
    const { log, made } = expired();
    const rowsOf = (events: readonly BlockEvent[]) =>
      events
        .filter(({ field }) => field === Field.order || field === Field.expiredOrders)
        .map(({ field, seq, bytes, start, end }): MadeEvent => {
          return { field, seq, message: bytes.subarray(start, end) };
        });
    const { db } = writeBlocks(folder(), [
      { height: 1, timeNs: secondNs(1), events: rowsOf(made) },
      { height: 2, timeNs: secondNs(2), events: rowsOf(log.blockEvents().events) },
    ]);
    const count = db.query("SELECT COUNT(*) AS n FROM orders WHERE block = (SELECT MAX(block) FROM orders)");
    expect(count.get()).toEqual({ n: 5n });
    db.close();
  });
});
