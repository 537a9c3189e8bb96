interface MeterProps {
  /** Empty where a column's title names it. */
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** The same in words; default: `3 of 20`. */
  readonly text?: string;
}

/** The used part of an allowance. */
export function Meter({ label, value, max, text = `${value} of ${max}` }: MeterProps) {
  const part = max > 0 ? value / max : 0;
  return (
    <div class={label === "" ? "meter-row bare" : "meter-row"}>
      {label !== "" && <span>{label}</span>}
      <meter
        aria-label={label || text}
        min={0}
        max={Math.max(max, 1)}
        high={max * 0.8}
        optimum={0}
        value={value}
        class={part >= 1 ? "full" : undefined}
      />
      <span class="number">{text}</span>
    </div>
  );
}
