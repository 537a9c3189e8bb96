// Auctions on the time axis of candles: each marks the candles that it overlaps.
import type { Auctions } from "../../http/chain-bodies.ts";
import { enumWords, timeMs } from "../format.ts";

type Auction = Auctions["auctions"][number];

/** Of one auction: a long one is marked at both ends and shaded this far from its newest. */
const BARS_MAX = 100;

interface AuctionMarks {
  /** Starts of the candles that auctions overlap, Unix seconds, each once and in order. */
  readonly bars: readonly number[];
  readonly marks: readonly { readonly time: number; readonly text: string }[];
}

/**
 * @param seconds length of a candle
 * @param from start of the first candle, Unix seconds
 * @param now Unix milliseconds of the last block
 */
export function auctionMarks(
  auctions: readonly Auction[],
  seconds: number,
  from: number,
  now: number,
): AuctionMarks {
  const bars = new Set<number>();
  const marks: { time: number; text: string }[] = [];
  const candleOf = (ms: number) => Math.floor(ms / 1_000 / seconds) * seconds;
  for (const { start, left, trigger } of auctions) {
    const begin = timeMs(start);
    if (begin === undefined) continue;
    const end = left === null ? now : (timeMs(left) ?? now);
    const [first, last] = [candleOf(begin), candleOf(Math.max(begin, end))];
    if (last < from) continue;
    const least = Math.max(first, from, last - BARS_MAX * seconds);
    for (let time = least; time <= last; time += seconds) bars.add(time);
    if (first >= from) marks.push({ time: first, text: triggerWords(trigger) });
    if (left !== null && last !== first) marks.push({ time: last, text: "end" });
  }
  const byTime = (one: number, other: number) => one - other;
  return {
    bars: [...bars].sort(byTime),
    marks: marks.toSorted((one, other) => byTime(one.time, other.time)),
  };
}

export const triggerWords = (trigger: string) => enumWords(trigger, "AUCTION_TRIGGER_");
