// Candles of a market, with their volume and its auctions, by TradingView's Lightweight Charts.

import {
  CandlestickSeries,
  ColorType,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import { useEffect, useRef, useState } from "preact/hooks";
import type * as api from "../../client/api.generated.ts";
import type { Auctions } from "../../http/chain-bodies.ts";
import type { AnswerOf } from "../data/calls.ts";
import { head } from "../data/node.ts";
import { useCall } from "../data/read.ts";
import { timeMs, utcTime } from "../format.ts";
import { isDark } from "../shell/theme.ts";
import { auctionMarks } from "./auction-marks.ts";
import { colorOf, monospace } from "./colors.ts";

export type Candle = api.Candle;

interface CandlesProps {
  readonly candleId: string;
  readonly decimals: number;
  readonly positionDecimals: number;
  /** Length of a candle. */
  readonly seconds: number;
  readonly auctions: Auctions["auctions"] | undefined;
  readonly label: string;
  /** Told the start of the first candle, Unix seconds; 0 where these are all candles. */
  onRead(from: number): void;
}

type Answer = AnswerOf<"candles.listData">;
interface Drawing {
  readonly chart: IChartApi;
  readonly prices: ISeriesApi<"Candlestick">;
  readonly volumes: ISeriesApi<"Histogram">;
  /** A bar over the whole height for each candle of an auction. */
  readonly auctions: ISeriesApi<"Histogram">;
  readonly marks: ISeriesMarkersPluginApi<Time>;
}

/** As many as a wide window shows. */
const CANDLES = 200;
const HEIGHT = 340;

export function Candles(props: CandlesProps) {
  const { candleId, decimals, positionDecimals, seconds, auctions, label, onRead } = props;
  const frame = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing>(undefined);
  /** By their starts; all that the chart shows. */
  const candles = useRef(new Map<string, Candle>());
  /** Undefined until all were read. */
  const [last, setLast] = useState<Prices>();
  const query = { candleId, pagination: { first: CANDLES } };
  const { data: all } = useCall("candles.listData", query, { isLive: false });
  // From the last candle on: time may go forward by many candles between two reads.
  const later = last === undefined ? undefined : { ...query, fromTimestamp: last.start };
  const { data: newest } = useCall("candles.listData", later);
  const dark = isDark();
  useEffect(() => {
    const drawn = draw(frame.current!, decimals);
    drawing.current = drawn;
    return () => {
      drawn.chart.remove();
      drawing.current = undefined;
    };
  }, [dark, decimals]);
  const pointsOf = (candle: Candle) => pointOf(candle, decimals, positionDecimals);
  useEffect(() => {
    if (all === undefined) return;
    candles.current = new Map(oldestFirst(all).map((candle) => [candle.start, candle]));
    setLast(lastOf(candles.current));
  }, [all]);
  // With all candles there are, auctions before the first trade are shown too.
  const first = all?.candles.pageInfo.hasNextPage ? oldestFirst(all)[0] : undefined;
  const from = first === undefined ? 0 : pointsOf(first).time;
  useEffect(() => {
    const points = [...candles.current.values()].map(pointsOf);
    drawing.current?.prices.setData(points);
    drawing.current?.volumes.setData(points.map(barOf));
    if (all !== undefined) onRead(from);
  }, [all, dark, decimals]);
  // Drawn when an auction begins or ends, and while it runs with each candle.
  const { bars, marks } = auctionMarks(auctions ?? [], seconds, from, head.value?.timeMs ?? 0);
  useEffect(() => {
    const color = colorOf("--auction");
    drawing.current?.auctions.setData(bars.map((time) => ({ time: time as UTCTimestamp, value: 1, color })));
    drawing.current?.marks.setMarkers(
      marks.map(({ time, text }) => ({
        time: time as UTCTimestamp,
        text,
        position: "aboveBar" as const,
        shape: text === "end" ? ("square" as const) : ("circle" as const),
        color: colorOf("--warn"),
      })),
    );
  }, [bars.join(), marks.map(({ text }) => text).join(), dark, decimals]);
  useEffect(() => {
    for (const candle of oldestFirst(newest)) {
      // The chart takes no candle before its last one.
      if (BigInt(candle.start) < BigInt(lastOf(candles.current).start)) continue;
      candles.current.set(candle.start, candle);
      const point = pointsOf(candle);
      drawing.current?.prices.update(point);
      drawing.current?.volumes.update(barOf(point));
    }
    if (newest !== undefined) setLast(lastOf(candles.current));
  }, [newest]);
  const words = !last?.close ? "no trades yet" : lastInWords(last, decimals);
  return <div ref={frame} class="candles" role="img" aria-label={`${label}: ${words}`} />;
}

function oldestFirst(answer: Answer | undefined): Candle[] {
  const candles = answer?.candles.edges.map(({ node }) => node) ?? [];
  // A period without trades has no prices.
  return candles.filter(({ open }) => open !== "" && open !== "0").reverse();
}

type Prices = Pick<Candle, "start" | "open" | "high" | "low" | "close">;

/** The last candle for screen readers. */
function lastInWords({ start, open, high, low, close }: Prices, decimals: number): string {
  const [first, most, least, last] = [open, high, low, close].map((price) => scaled(price, decimals));
  const at = utcTime(timeMs(start) ?? 0);
  return `the last of ${at} opened at ${first}, was between ${least} and ${most}, and closed at ${last}`;
}

const NO_CANDLE: Prices = { start: "0", open: "", high: "", low: "", close: "" };
const lastOf = (candles: ReadonlyMap<string, Candle>) => [...candles.values()].at(-1) ?? NO_CANDLE;

const scaled = (value: string, decimals: number) => Number(value) / 10 ** decimals;

function pointOf(candle: Candle, decimals: number, positionDecimals: number) {
  const price = (value: string) => scaled(value, decimals);
  return {
    time: Number(BigInt(candle.start) / 1_000_000_000n) as UTCTimestamp,
    open: price(candle.open),
    high: price(candle.high),
    low: price(candle.low),
    close: price(candle.close),
    volume: scaled(candle.volume, positionDecimals),
  };
}

const barOf = ({ time, volume }: ReturnType<typeof pointOf>) => ({ time, value: volume });

function draw(box: HTMLElement, decimals: number): Drawing {
  const [line, muted] = [colorOf("--line"), colorOf("--muted")];
  const chart = createChart(box, {
    autoSize: true,
    height: HEIGHT,
    layout: {
      // Its logo would be set as HTML; the view names the library.
      attributionLogo: false,
      background: { type: ColorType.Solid, color: colorOf("--surface") },
      textColor: muted,
      fontFamily: monospace(),
      fontSize: 11,
    },
    grid: { vertLines: { color: line }, horzLines: { color: line } },
    rightPriceScale: { borderColor: line, scaleMargins: { top: 0.08, bottom: 0.25 } },
    timeScale: { borderColor: line, timeVisible: true, secondsVisible: false, rightOffset: 4 },
  });
  // Behind the candles: series are drawn in the order in which they are added.
  const auctions = chart.addSeries(HistogramSeries, {
    priceScaleId: "auction",
    lastValueVisible: false,
    priceLineVisible: false,
  });
  // Room for the words above the bars.
  auctions.priceScale().applyOptions({ scaleMargins: { top: 0.1, bottom: 0 }, visible: false });
  const marks = createSeriesMarkers(auctions, []);
  const [up, down] = [colorOf("--good"), colorOf("--bad")];
  // As many as the chart's numbers have digits.
  const places = Math.min(Math.max(0, decimals), 15);
  const prices = chart.addSeries(CandlestickSeries, {
    upColor: up,
    downColor: down,
    wickUpColor: up,
    wickDownColor: down,
    borderVisible: false,
    priceFormat: { type: "price", precision: places, minMove: 10 ** -places },
  });
  const volumes = chart.addSeries(HistogramSeries, {
    color: colorOf("--line-strong"),
    priceScaleId: "volume",
    priceFormat: { type: "volume" },
    lastValueVisible: false,
    priceLineVisible: false,
  });
  volumes.priceScale().applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } });
  return { chart, prices, volumes, auctions, marks };
}
