// Auctions on the time axis of candles.
import { expect, test } from "bun:test";
import { auctionMarks } from "../../src/web/components/auction-marks.ts";

const auction = (start: string, left: string | null) => ({
  start: `2026-11-29T${start}Z`,
  end: null,
  left: left === null ? null : `2026-11-29T${left}Z`,
  mode: "TRADING_MODE_MONITORING_AUCTION",
  trigger: "AUCTION_TRIGGER_PRICE",
  extension: "AUCTION_TRIGGER_UNSPECIFIED",
});
const at = (time: string) => Date.parse(`2026-11-29T${time}Z`) / 1_000;

test("an auction marks each candle that it overlaps, its beginning with the trigger, and its end", () => {
  const { bars, marks } = auctionMarks([auction("10:00:30", "10:02:10")], 60, at("09:00:00"), 0);
  expect(bars).toEqual([at("10:00:00"), at("10:01:00"), at("10:02:00")]);
  expect(marks).toEqual([
    { time: at("10:00:00"), text: "price" },
    { time: at("10:02:00"), text: "end" },
  ]);
  // Within one candle there is one mark.
  const hours = auctionMarks([auction("10:00:30", "10:02:10")], 3_600, at("09:00:00"), 0);
  expect(hours).toEqual({ bars: [at("10:00:00")], marks: [{ time: at("10:00:00"), text: "price" }] });
});

test("a running auction goes to the last block, an auction before the first candle is cut off, and bars are not doubled", () => {
  const now = at("10:03:20") * 1_000;
  expect(auctionMarks([auction("10:02:00", null)], 60, at("09:00:00"), now).bars).toEqual([
    at("10:02:00"),
    at("10:03:00"),
  ]);
  const cut = auctionMarks([auction("10:00:00", "10:01:00")], 60, at("10:01:00"), now);
  expect(cut).toEqual({ bars: [at("10:01:00")], marks: [{ time: at("10:01:00"), text: "end" }] });
  expect(auctionMarks([auction("10:00:00", "10:01:00")], 60, at("10:02:00"), now).bars).toEqual([]);
  const two = [auction("10:01:40", "10:02:00"), auction("10:00:00", "10:01:30")];
  expect(auctionMarks(two, 60, 0, now).bars).toEqual([at("10:00:00"), at("10:01:00"), at("10:02:00")]);
  expect(auctionMarks([auction("00:00:00", null)], 1, 0, now).bars.length).toBeLessThanOrEqual(101);
});
