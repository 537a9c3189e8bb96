// A value over time as a stepped line: it stays until the next change.
import uPlot from "uplot";
import { localTime } from "../format.ts";
import { Chart, type ChartOptions } from "./chart.tsx";
import { colorOf } from "./colors.ts";

interface LineProps {
  /** Unix milliseconds, oldest first. */
  readonly at: readonly number[];
  readonly values: readonly number[];
  readonly label: string;
}

const HEIGHT = 180;
const AXIS_WIDTH = 84;
const DAY_S = 86_400;

/** @param step seconds between two texts of the axis */
function timeText(seconds: number, step: number): string {
  const text = localTime(seconds * 1_000, 0);
  if (step >= DAY_S) return text.slice(0, 10);
  return step < 60 ? text.slice(11) : text.slice(11, 16);
}

const options = (axis: uPlot.Axis): ChartOptions => ({
  axes: [
    {
      ...axis,
      space: 90,
      values: (_, ticks, __, ___, step) => ticks.map((tick) => timeText(tick, step)),
    },
    { ...axis, size: AXIS_WIDTH, space: 32 },
  ],
  series: [
    {},
    {
      paths: uPlot.paths.stepped!({ align: 1 }),
      stroke: colorOf("--accent"),
      fill: colorOf("--accent-soft"),
      width: 1.5,
      points: { show: false },
    },
  ],
});

export function Line({ at, values, label }: LineProps) {
  const seconds = at.map((ms) => ms / 1_000);
  return <Chart label={label} height={HEIGHT} x={seconds} y={values} options={options} />;
}
