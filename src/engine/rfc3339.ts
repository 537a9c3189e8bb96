// Times in RFC 3339 as parameters give them (reference 60, section 5.7). No clock is read: a text is turned into a number.

const FORM = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;
const MINUTE_NS = 60_000_000_000n;

/** Unix nanoseconds; undefined when the text is no such time. */
export function timeNs(text: string): bigint | undefined {
  const match = FORM.exec(text);
  if (!match) return undefined;
  const [, date, time, fraction = "", sign, hours = "0", minutes = "0"] = match;
  const milliseconds = Date.parse(`${date}T${time}Z`);
  // Days that a month does not have are carried over by some parsers.
  if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(`${date}T${time}`))
    return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = BigInt(Number(hours) * 60 + Number(minutes)) * MINUTE_NS;
  const local = BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
  return sign === "-" ? local + offset : local - offset;
}
