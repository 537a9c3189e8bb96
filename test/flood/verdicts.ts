// The form of every answer to a submission (docs/protocol/30-node-api-endpoints.md#51-coreservice;
// docs/compatibility.md).
const SUBMITTED = ["success", "txHash", "code", "data", "log", "height"];
const CHECKED = ["success", "code", "gasWanted", "gasUsed", "data", "log", "info"];
const CODES = new Set([0, 51, 60, 70, 71, 80, 89]);
/** Errors of the call, no verdicts: HTTP 500 in the chain's own words. */
const CALL_ERRORS =
  /^(?:tx already exists in cache|tx size is too big: \d+, max: \d+|Tx too large\. .+|mempool is full: .+|timed out waiting for tx to be included in a block)$/;
const CLIENT_ERRORS: ReadonlyMap<number, number> = new Map([
  [400, 3],
  [404, 5],
  [429, 8],
  [501, 12],
]);
/** Of the inside of the program. */
const LEAK = /\bat .+:\d+:\d+|TypeError|RangeError|undefined|\[object|SQLITE|node_modules/;

/** The fault of an answer; undefined when it is a well-formed acceptance or refusal. */
export function oddity(path: string, status: number, text: string): string | undefined {
  if (LEAK.test(text)) return `it tells of the inside: ${text.slice(0, 300)}`;
  // biome-ignore lint/suspicious/noExplicitAny: looked at as it is
  let answer: any;
  try {
    answer = JSON.parse(text);
  } catch {
    return `it is not JSON (${status}): ${text.slice(0, 300)}`;
  }
  if (status === 200) return verdictOddity(path.endsWith("/check") ? CHECKED : SUBMITTED, answer);
  const { code, message, details } = answer;
  if (typeof message !== "string" || message === "" || message.length > 1_000 || !Array.isArray(details)) {
    return `it is not an error object (${status}): ${text.slice(0, 300)}`;
  }
  if (status === 500) {
    return code === 13 && CALL_ERRORS.test(details[0]?.message)
      ? undefined
      : `status 500 without a reason: ${text.slice(0, 300)}`;
  }
  return CLIENT_ERRORS.get(status) === code ? undefined : `status ${status} with code ${code}: ${message}`;
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function verdictOddity(members: readonly string[], answer: any): string | undefined {
  const names = Object.keys(answer);
  const expected = "details" in answer ? [...members, "details"] : members;
  if (names.join() !== expected.join()) return `it has the members ${names}`;
  const { success, code, data, details } = answer;
  if (!CODES.has(code)) return `there is no code ${code}`;
  if (success !== (code === 0)) return `success is ${success} with code ${code}`;
  if (success) return details === undefined ? undefined : "a success has details";
  if (typeof data !== "string" || data === "") return "a refusal says nothing";
  const isDetailed = typeof details?.rule === "string" && details.rule !== "" && details.sentence?.length > 0;
  return isDetailed ? undefined : `a refusal without details: ${JSON.stringify(details)}`;
}
