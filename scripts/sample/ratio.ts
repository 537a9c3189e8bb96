// Whole numbers of any size; fractions as the network writes them: 16 decimals, rounded down, no trailing zeros.
const UNIT = 10n ** 16n;

export function ratio(part: bigint, whole: bigint): string {
  return whole === 0n ? "0" : decimal((part * UNIT) / whole);
}

/** 100 times the ratio, made after the division as the network does (docs/protocol/60-state-engine-staking.md#89-payout-events). */
export function percent(part: bigint, whole: bigint): string {
  return whole === 0n ? "0" : decimal(((part * UNIT) / whole) * 100n);
}

function decimal(scaled: bigint): string {
  const digits = (scaled % UNIT).toString().padStart(16, "0").replace(/0+$/, "");
  return digits === "" ? String(scaled / UNIT) : `${scaled / UNIT}.${digits}`;
}

export function ceilDiv(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

export function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

export function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}
