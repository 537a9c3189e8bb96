// The original's own traces of market scenarios: each command's verdict and every event, field by field, under its rules.
// Of the larger file a tenth is played, another tenth each day, and all of it at full length.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { marketRulesOf } from "../../src/engine/markets/rules.ts";
import {
  playTrace,
  readTraces,
  type Trace,
  type TraceDifference,
  type TraceStep,
} from "../../src/testing/market-traces.ts";
import { IS_FULL_LENGTH, SEED } from "../support/seed.ts";

const PARTS = 10;
const SETTLED = 9;
const EXTENDED_BY_PRICES = 3;
const file = (name: string) => readFileSync(new URL(`markets/${name}.json.gz`, import.meta.url));
const isChosen = (place: number) => IS_FULL_LENGTH || (place + SEED) % PARTS === 0;

const short = ({ step, kind, fields }: TraceDifference) => `step ${step}, ${kind}: ${fields.join(", ")}`;

function differencesOf(trace: Trace, rules = marketRulesOf("0.71.6")): string[] {
  return playTrace(trace, rules).differences.map((difference) => `${trace.name}, ${short(difference)}`);
}

test("each rule that a small scenario is about gives the original's events", () => {
  const traces = [...readTraces(file("own"))];
  expect(traces).toHaveLength(8);
  for (const trace of traces) expect(differencesOf(trace)).toEqual([]);
});

test("random scenarios give the original's events", () => {
  const traces = [...readTraces(file("random-1"), isChosen)];
  expect(traces.length).toBeGreaterThanOrEqual(PARTS);
  for (const trace of traces) expect(differencesOf(trace)).toEqual([]);
});

test("without its defects they begin to differ where one of them shows", () => {
  const traces = [...readTraces(file("own")), ...readTraces(file("random-1"), isChosen)];
  for (const trace of traces) {
    const { differences } = playTrace(trace, marketRulesOf("default"));
    const [first] = differences;
    if (first !== undefined) expect([trace.name, short(first), isExplained(trace, first)]).toContain(true);
  }
});

test("by default the bond of a provider that the original forgets goes back to it", () => {
  const trace = [...readTraces(file("own"))].find(({ name }) => name.includes("forgotten"))!;
  const { differences } = playTrace(trace, marketRulesOf("default"));
  const [ledger] = differences.filter(({ kind }) => kind === "ledgerMovements");
  const entries = (events: TraceDifference["actual"]) =>
    events.flat().flatMap((movement) => movement.entries);
  const theirs = entries(ledger!.expected).map((entry) => JSON.stringify(entry));
  const more = entries(ledger!.actual).filter((entry) => !theirs.includes(JSON.stringify(entry)));
  expect(more).toMatchObject([{ fromAccount: { owner: "lp1", type: 9 }, amount: "30000", type: 24 }]);
});

test("a trace that tells of another price, or of an event too few, is seen to differ", () => {
  const [trace] = [...readTraces(file("own"))];
  const at = trace!.steps.findIndex(({ events }) => events.some(([kind]) => kind === "order"));
  const changed = (events: TraceStep["events"]): Trace => ({
    ...trace!,
    steps: trace!.steps.map((step, place) => (place === at ? { ...step, events } : step)),
  });
  const { events } = trace!.steps[at]!;
  const priced = events.map(
    ([kind, fields]) => [kind, kind === "order" ? { ...fields, price: "1" } : fields] as const,
  );
  expect(differencesOf(changed(priced))).toEqual([`${trace!.name}, step ${at}, order: price`]);
  const fewer = events.filter(([kind]) => kind !== "order");
  expect(differencesOf(changed(fewer))).toEqual([`${trace!.name}, step ${at}, order: count more`]);
});

/** A market ends with money of a forgotten party on it, an auction shows how prices extend it, or an update has set slippage factors. */
function isExplained(trace: Trace, { step, kind, actual }: TraceDifference): boolean {
  const { events } = trace.steps[step]!;
  if (events.some(([name, { state }]) => name === "marketUpdated" && state === SETTLED)) return true;
  if (kind === "auction")
    return actual.some(({ extensionTrigger }) => extensionTrigger === EXTENDED_BY_PRICES);
  return trace.steps.slice(0, step + 1).some(({ do: action }) => action === "update");
}
