// Bars over the blocks: a chart on a canvas, with its content in words for screen readers.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { isDark } from "../shell/theme.ts";
import { colorOf, monospace } from "./colors.ts";

interface BarsProps {
  /** Oldest first. */
  readonly at: readonly number[];
  readonly values: readonly number[];
  readonly label: string;
  readonly height?: number;
  readonly onPick?: (at: number) => void;
}

export function Bars({ at, values, label, height = 132, onPick }: BarsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const pick = useRef(onPick);
  pick.current = onPick;
  const dark = isDark();
  useEffect(() => {
    const box = frame.current!;
    const axis = {
      stroke: colorOf("--muted"),
      font: `11px ${monospace()}`,
      grid: { stroke: colorOf("--line"), width: 1 },
      ticks: { show: false },
      size: 30,
    };
    const chart = new uPlot(
      {
        width: box.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
        padding: [8, 4, 0, 0],
        scales: {
          x: { time: false, range: (_, low, high) => [low - 0.5, high + 0.5] },
          y: { range: (_, __, high) => [0, Math.max(4, high)] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            space: 80,
            values: (_, ticks) =>
              ticks.map((tick) => (Number.isInteger(tick) ? tick.toLocaleString("en") : "")),
          },
          {
            ...axis,
            size: 34,
            space: 32,
            values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? String(tick) : "")),
          },
        ],
        series: [
          {},
          {
            paths: uPlot.paths.bars!({ size: [0.72, 18], radius: 0.15 }),
            fill: colorOf("--accent"),
            width: 0,
            points: { show: false },
          },
        ],
      },
      [[], []],
      box,
    );
    plot.current = chart;
    chart.over.addEventListener("click", () => {
      const index = chart.cursor.idx;
      if (index != null) pick.current?.(chart.data[0]![index]!);
    });
    const resizing = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height }));
    resizing.observe(box);
    return () => {
      resizing.disconnect();
      chart.destroy();
    };
  }, [dark, height]);
  useEffect(() => {
    plot.current?.setData([[...at], [...values]]);
  }, [at, values, dark]);
  return <div ref={frame} class="chart" role="img" aria-label={label} style={{ height: `${height}px` }} />;
}
