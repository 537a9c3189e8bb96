// HTTP tests as a table: a request, what must be in the answer, and what must not.
import { expect } from "bun:test";
import { undocumented } from "./documented.ts";

export interface Scenario {
  readonly name: string;
  readonly method?: string;
  /** Path and query, as sent. */
  readonly get: string;
  readonly send?: Record<string, string>;
  readonly body?: string;
  readonly status: number;
  /** Texts that the body holds. */
  readonly has?: readonly string[];
  /** The body, to the letter. */
  readonly is?: string;
  /** Texts that the body does not hold, beside those that no answer may hold. */
  readonly not?: readonly string[];
  /** Headers; null for those that must be absent. */
  readonly headers?: Record<string, string | null>;
}

/** Leaks of the inside: stack traces, SQL, files, names of the runtime. */
const LEAKS: readonly RegExp[] = [
  /\bat .*\(.*:\d+:\d+\)/,
  /\.ts\b/,
  /\bSELECT\b|\bWHERE\b|SQLITE|sqlite/,
  /node_modules|\/src\/|\/tmp\/|\/home\/|lyra\.db/,
  /TypeError|RangeError|SyntaxError|undefined is not|\[object /,
];

export function expectNoLeak(body: string): void {
  for (const leak of LEAKS) expect(body).not.toMatch(leak);
}

/** Runs a scenario against a server. */
export async function run(url: string, scenario: Scenario): Promise<void> {
  const { method = "GET", get, send = {}, body, status, has = [], is, not = [], headers = {} } = scenario;
  const response = await fetch(url + get, {
    method,
    headers: send,
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text });
  // The form of streams leaves zero values out, and is not the documented one.
  const isStream = Object.values(send).some((value) => value.includes("stream"));
  const faults = isStream ? [] : undocumented(method, get, response, text);
  expect({ get, faults }).toEqual({ get, faults: [] });
  if (is !== undefined) expect(text).toBe(is);
  for (const part of has) expect(text).toContain(part);
  for (const part of not) expect(text).not.toContain(part);
  expectNoLeak(text);
  for (const [name, value] of Object.entries(headers)) {
    expect({ name, value: response.headers.get(name) }).toEqual({ name, value });
  }
}
