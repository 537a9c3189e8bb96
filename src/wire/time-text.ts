// Times as texts, from Unix nanoseconds. Both forms show a fraction only as far as it is not zero, as Go does.

const NS_A_SECOND = 1_000_000_000n;

/** `2022-12-12T05:05:00.5Z`: RFC 3339 with nanoseconds, as the interface states times. */
export function rfc3339Nano(ns: bigint): string {
  const { date, time } = parts(ns);
  return `${date}T${time}Z`;
}

/** `2022-12-12 05:05:00.5 +0000 UTC`: how Go prints a time inside a sentence (reference 40, section 4.2). */
export function sentenceTime(ns: bigint): string {
  const { date, time } = parts(ns);
  return `${date} ${time} +0000 UTC`;
}

/** Four hundred years of the calendar, after which it repeats. */
const CYCLE_YEARS = 400n;
const CYCLE_NS = 146_097n * 86_400n * NS_A_SECOND;

/** Of any time: dates far beyond what the platform knows come with longer years. */
function parts(ns: bigint): { date: string; time: string } {
  const cycles = floorDivide(ns, CYCLE_NS);
  const inCycle = ns - cycles * CYCLE_NS;
  const nanos = inCycle % NS_A_SECOND;
  const second = new Date(Number((inCycle - nanos) / 1_000_000n)).toISOString();
  const year = (BigInt(second.slice(0, 4)) + cycles * CYCLE_YEARS).toString().padStart(4, "0");
  const fraction = nanos === 0n ? "" : `.${nanos.toString().padStart(9, "0").replace(/0+$/, "")}`;
  return { date: `${year}${second.slice(4, 10)}`, time: second.slice(11, 19) + fraction };
}

function floorDivide(a: bigint, b: bigint): bigint {
  return a / b - (a % b < 0n ? 1n : 0n);
}
