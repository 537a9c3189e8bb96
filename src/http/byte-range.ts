// A single range of bytes of an answer whose length is known (RFC 9110, section 14). Several at once are answered by the
// whole, as the standard allows.

/** From `start`, `end` excluded. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const SINGLE = /^bytes=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i;

/**
 * The requested range of `length` bytes. Undefined: send the whole, also for an unknown form of range and for an `If-Range`
 * that does not match `etag`. "unsatisfiable": answer 416.
 */
export function requestedRange(
  headers: Headers,
  length: number,
  etag: string,
): ByteRange | "unsatisfiable" | undefined {
  const range = headers.get("range");
  if (range === null) return undefined;
  // Dates are less exact than the tag.
  const condition = headers.get("if-range");
  if (condition !== null && condition.trim() !== etag) return undefined;
  const match = SINGLE.exec(range);
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "") return suffix(last, length);
  const start = Number(first);
  if (last !== "" && Number(last) < start) return undefined;
  if (start >= length) return "unsatisfiable";
  return { start, end: last === "" ? length : Math.min(Number(last) + 1, length) };
}

/** The last bytes, by number. */
function suffix(count: string, length: number): ByteRange | "unsatisfiable" | undefined {
  if (count === "") return undefined;
  if (Number(count) === 0 || length === 0) return "unsatisfiable";
  return { start: Math.max(0, length - Number(count)), end: length };
}

/** Whether a client has these bytes already, by its `If-None-Match`. */
export function isKnown(headers: Headers, etag: string): boolean {
  const tags = headers.get("if-none-match");
  if (tags === null) return false;
  // Here a weak tag is as good (RFC 9110, section 13.1.2).
  return tags.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}
