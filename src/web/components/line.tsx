// A value over time as a stepped line: it stays until the next change.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { localTime } from "../format.ts";
import { isDark } from "../shell/theme.ts";
import { colorOf, monospace } from "./colors.ts";

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

export function Line({ at, values, label }: LineProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const dark = isDark();
  useEffect(() => {
    const box = frame.current!;
    const axis = {
      stroke: colorOf("--muted"),
      font: `11px ${monospace()}`,
      grid: { stroke: colorOf("--line"), width: 1 },
      ticks: { show: false },
    };
    const chart = new uPlot(
      {
        width: box.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
        padding: [8, 4, 0, 0],
        axes: [
          {
            ...axis,
            size: 30,
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
      },
      [[], []],
      box,
    );
    plot.current = chart;
    const resizing = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height: HEIGHT }));
    resizing.observe(box);
    return () => {
      resizing.disconnect();
      chart.destroy();
    };
  }, [dark]);
  useEffect(() => {
    plot.current?.setData([at.map((ms) => ms / 1_000), [...values]]);
  }, [at, values, dark]);
  return <div ref={frame} class="chart" role="img" aria-label={label} style={{ height: `${HEIGHT}px` }} />;
}
