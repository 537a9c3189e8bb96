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

function parts(ns: bigint): { date: string; time: string } {
  const nanos = ((ns % NS_A_SECOND) + NS_A_SECOND) % NS_A_SECOND;
  const second = new Date(Number((ns - nanos) / 1_000_000n)).toISOString();
  const [date, clock] = second.split("T") as [string, string];
  const fraction = nanos === 0n ? "" : `.${nanos.toString().padStart(9, "0").replace(/0+$/, "")}`;
  return { date, time: clock.slice(0, 8) + fraction };
}
