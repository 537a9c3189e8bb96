// The form of every answer, however bad the question: a page or an error object, with nothing of the inside in it.
import { expect } from "bun:test";
import { expectNoLeak } from "./scenario.ts";

/**
 * Server errors that the interface demands for a request of the client (docs/protocol/10-data-api-serving.md#16-errors,
 * #31-input-handling and docs/protocol/10-data-api-endpoints.md#5-secondary-endpoints).
 */
const DEMANDED: ReadonlyArray<readonly [message: string, inner: RegExp]> = [
  ["failed to get assets", /: invalid pagination$/],
  ["failed to get market data history", /: invalid pagination$|end date must be after start date$/],
  ["failed to get market data", /^no market data for market: /],
  ["failed to get orders", /not currently supported$/],
  ["failed to get order versions", /not currently supported$/],
  ["failed to get rewards", /^epoch \d+ is above \d+$/],
  ["failed to get summary", /^epoch \d+ is above \d+$/],
  ["failed to query ledger entries", /should be limited to a single party$/],
  ["failed to get liquidity provision", /market or party filters are required$/],
  ["failed to get transfer", /unknown transfer direction: TRANSFER_DIRECTION_UNSPECIFIED$/],
  ["failed to get candle data", /^getting candle data for time span: invalid candle id:/],
  ["invalid erc20 token contract address", /^$/],
  ["not an update asset proposal", /^$/],
];
/** A cursor of another list is not told apart from a failed query (docs/protocol/10-data-api-serving.md#31-input-handling). */
const CURSOR = /^parsing cursor: /;
const CLIENT_STATUS = new Map([
  [400, 3],
  [404, 5],
  [413, 3],
  [429, 8],
  [501, 12],
]);

export async function expectOrderly(response: Response, request: string): Promise<void> {
  const text = await response.text();
  try {
    expectNoLeak(text);
    if (response.status === 200 && response.headers.get("content-type") === "text/csv") return;
    expect(response.headers.get("content-type")).toBe("application/json");
    const body = JSON.parse(text);
    if (response.status === 200) expect(Object.keys(body).length).toBeGreaterThan(0);
    else expectError(response.status, body);
  } catch (error) {
    throw new Error(`${request}\n${response.status} ${text.slice(0, 500)}\n${(error as Error).message}`);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: looked at as it is
function expectError(status: number, body: any): void {
  // Errors of streams are wrapped.
  const error = body.error ?? body;
  expect(Object.keys(error)).toEqual(["code", "message", "details"]);
  const [detail, ...more] = error.details;
  expect(more).toEqual([]);
  if (detail) {
    expect(Object.keys(detail)).toEqual(["@type", "code", "message", "inner"]);
    expect(detail.inner.length).toBeLessThan(1_500);
  }
  expect(error.message.length).toBeLessThan(1_500);
  const code = CLIENT_STATUS.get(status);
  if (code !== undefined) expect(error.code).toBe(code);
  else expect({ status, isDemanded: isDemanded(detail) }).toEqual({ status: 500, isDemanded: true });
}

function isDemanded(detail?: { message: string; inner: string }): boolean {
  if (!detail) return false;
  if (CURSOR.test(detail.inner)) return true;
  return DEMANDED.some(([message, inner]) => message === detail.message && inner.test(detail.inner));
}
