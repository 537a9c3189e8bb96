// Bars over the blocks.
import uPlot from "uplot";
import { Chart, type ChartOptions } from "./chart.tsx";
import { colorOf } from "./colors.ts";

interface BarsProps {
  /** Oldest first. */
  readonly at: readonly number[];
  readonly values: readonly number[];
  readonly label: string;
  readonly height?: number;
  readonly onPick?: (at: number) => void;
}

const options = (axis: uPlot.Axis): ChartOptions => ({
  scales: {
    x: { time: false, range: (_, low, high) => [low - 0.5, high + 0.5] },
    y: { range: (_, __, high) => [0, Math.max(4, high)] },
  },
  axes: [
    {
      ...axis,
      grid: { show: false },
      space: 80,
      values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? tick.toLocaleString("en") : "")),
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
});

export function Bars({ at, values, label, height = 132, onPick }: BarsProps) {
  return <Chart label={label} height={height} x={at} y={values} options={options} onPick={onPick} />;
}
