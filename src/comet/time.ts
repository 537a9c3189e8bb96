// Times of the consensus engine: RFC 3339 with up to nine decimals.
const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;

/** Unix nanoseconds of a time; 0 for an invalid one, such as the engine's "no time". */
export function nanosecondsOf(text: string): bigint {
  const parts = RFC3339.exec(text);
  if (parts === null) return 0n;
  const ms = Date.parse(`${parts[1]}Z`);
  if (Number.isNaN(ms) || ms < 0) return 0n;
  return BigInt(ms) * 1_000_000n + BigInt((parts[2] ?? "").padEnd(9, "0") || "0");
}
