// Durations as Go prints them: `1h30m0s`, `1.5s`, `250ms` (reference 60, section 10.2, defaults).

const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
const SMALL_UNITS = [
  ["ms", 1_000_000n],
  ["µs", 1_000n],
  ["ns", 1n],
] as const;

/** @param ns nanoseconds */
export function durationText(ns: bigint): string {
  if (ns === 0n) return "0s";
  if (ns < 0n) return `-${durationText(-ns)}`;
  if (ns < SECOND) {
    const [name, unit] = SMALL_UNITS.find(([, size]) => ns >= size)!;
    return `${withFraction(ns, unit)}${name}`;
  }
  const hours = ns >= HOUR ? `${ns / HOUR}h` : "";
  const minutes = ns >= MINUTE ? `${(ns % HOUR) / MINUTE}m` : "";
  return `${hours}${minutes}${withFraction(ns % MINUTE, SECOND)}s`;
}

function withFraction(ns: bigint, unit: bigint): string {
  const digits = unit.toString().length - 1;
  const fraction = (ns % unit).toString().padStart(digits, "0").replace(/0+$/, "");
  return unit === 1n || fraction === "" ? `${ns / unit}` : `${ns / unit}.${fraction}`;
}
