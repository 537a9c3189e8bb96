// The words that people read before they approve, for every kind of command: its effect, the receiver, the amount.
import { describe, expect, test } from "bun:test";
import { priceText, sizeText } from "../../../src/wallet/approvals/formatting.ts";
import { COMMAND_KINDS } from "../../../src/wire/transaction-commands.ts";
import { rows, toldOf, UNITS } from "./words-rows.ts";

describe("in plain words", () => {
  test.each(rows)("%s %j", (kind, payload, title, lines, warnings) => {
    expect(toldOf(kind, payload)).toEqual([title, lines, warnings]);
  });

  test("in a batch: each with the decimals of its own market", () => {
    const order = { size: "1500", price: "250", side: "SIDE_BUY", type: "TYPE_LIMIT" };
    const [, lines, warnings] = toldOf("batchMarketInstructions", {
      submissions: [
        { ...order, marketId: "m9" },
        { ...order, marketId: "m1" },
      ],
      amendments: [{ orderId: "o", marketId: "m9", price: "1" }],
    });
    expect([lines, warnings]).toEqual([
      {
        "change 1": 'order o, market m9 "TEA/X", new price 0.01 USD',
        "order 1": 'Buy 1.5 at 2.5 USD (limit order) on m9 "TEA/X"',
        "order 2": "Buy 1500 at 250 (limit order) on m1",
      },
      [UNITS],
    ]);
  });

  test("sizes of markets whose smallest one is a hundred", () => {
    const market = { code: "", quoteName: "", settlementAsset: "", decimals: 0, positionDecimals: -2 };
    expect([sizeText("12", market), sizeText("-12", market), sizeText("0", market)]).toEqual([
      "1,200",
      "-1,200",
      "0",
    ]);
    expect([priceText("12", market), priceText("x y", market)]).toEqual(["12", '"x y"']);
  });

  test("every kind of command is above", () => {
    expect([...new Set(rows.map(([kind]) => kind))].sort()).toEqual([...COMMAND_KINDS].sort());
  });
});
