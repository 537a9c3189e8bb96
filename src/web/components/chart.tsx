// A chart on a canvas, in the colours of the theme and as wide as its place, with its content in words for screen readers.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { isDark } from "../shell/theme.ts";
import { colorOf, monospace } from "./colors.ts";

export type ChartOptions = Pick<uPlot.Options, "axes" | "scales" | "series">;

interface ChartProps {
  readonly label: string;
  readonly height: number;
  /** Places on the x axis, ascending. */
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** @param axis looks that both axes share */
  readonly options: (axis: uPlot.Axis) => ChartOptions;
  readonly onPick?: ((x: number) => void) | undefined;
}

export function Chart({ label, height, x, y, options, onPick }: ChartProps) {
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
        ...options(axis),
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
  }, [dark, height, options]);
  useEffect(() => {
    plot.current?.setData([[...x], [...y]]);
  }, [x, y, dark]);
  return <div ref={frame} class="chart" role="img" aria-label={label} style={{ height: `${height}px` }} />;
}
