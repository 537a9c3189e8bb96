/**
 * Plays traces of another engine's markets and says what differs, by kind of event and field:
 * bun scripts/market-traces.ts FILE.json.gz… [--rules 0.71.6] [--show N] [--kind KIND] [--only NAME] [--first]
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { marketRulesOf } from "../src/engine/markets/rules.ts";
import { playTrace, readTraces, type TraceDifference, type TraceStep } from "../src/testing/market-traces.ts";

const ACCOUNTS = ["", "insurance", "settlement", "margin", "general", "infrastructure", "liquidity", "maker"];
const BOND = 9;

// biome-ignore lint/suspicious/noExplicitAny: an event is shown as it is
type Fields = any;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rules: { type: "string", default: "default" },
    /** Number of differences shown in full. */
    show: { type: "string", default: "0" },
    /** Begin of their kind, as the list at the end has it. */
    kind: { type: "string", default: "" },
    only: { type: "string" },
    /** Of each scenario the first differing step alone. */
    first: { type: "boolean", default: false },
  },
});
if (positionals.length === 0 || !["default", "0.71.6"].includes(values.rules)) {
  console.error(
    "usage: bun scripts/market-traces.ts FILE.json.gz… [--rules default|0.71.6] [--show N] [--kind KIND] [--only NAME] [--first]",
  );
  process.exit(2);
}
const rules = marketRulesOf(values.rules as "default" | "0.71.6");
const counts = new Map<string, { count: number; readonly first: string }>();
let [scenarios, equalScenarios, steps, equalSteps, events] = [0, 0, 0, 0, 0];
let toShow = Number(values.show);
for (const file of positionals) {
  for (const trace of readTraces(readFileSync(file))) {
    if (values.only !== undefined && trace.name !== values.only) continue;
    const result = playTrace(trace, rules);
    const differing = new Set(result.differences.map(({ step }) => step));
    scenarios++;
    steps += result.steps;
    events += result.events;
    equalSteps += result.steps - differing.size;
    if (differing.size === 0) equalScenarios++;
    const [first] = differing;
    for (const difference of result.differences) {
      if (values.first && difference.step !== first) continue;
      const kind = `${difference.kind}: ${difference.fields.join(", ")}`;
      const place = `${result.name}, step ${difference.step}`;
      const counted = counts.get(kind);
      if (counted) counted.count++;
      else counts.set(kind, { count: 1, first: place });
      if (toShow === 0 || !kind.startsWith(values.kind)) continue;
      toShow--;
      print(place, kind, trace.steps[difference.step]!, difference);
    }
  }
}
for (const [kind, { count, first }] of [...counts].sort(([, a], [, b]) => b.count - a.count))
  console.log(`${String(count).padStart(6)}  ${kind}  (${first})`);
const share = ((100 * equalSteps) / steps).toFixed(2);
console.log(
  `${scenarios} scenarios, ${equalScenarios} equal; ${steps} steps, ${equalSteps} equal (${share} %); ${events} events`,
);

function print(place: string, kind: string, step: TraceStep, { expected, actual }: TraceDifference): void {
  const { events: _, ...command } = step;
  console.log(`\n${place}: ${kind}\n${shortened(JSON.stringify(command))}`);
  if (expected.length !== actual.length) {
    const [theirs, ours] = [expected.map(textOf), actual.map(textOf)];
    for (const text of theirs) if (!ours.includes(text)) console.log(`   - ${text}`);
    for (const text of ours) if (!theirs.includes(text)) console.log(`   + ${text}`);
    return;
  }
  for (let at = 0; at < expected.length; at++) {
    const [theirs, ours] = [textOf(expected[at]), textOf(actual[at])];
    if (theirs === ours) console.log(`   = ${theirs}`);
    else if (isSameThing(expected[at], actual[at])) printFields(expected[at], actual[at]);
    else console.log(`   - ${theirs}\n   + ${ours}`);
  }
}

/** Of an event about the same thing, the fields that differ. */
function printFields(expected: Fields, actual: Fields): void {
  const name = shortened(nameOf(expected));
  for (const field of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const [theirs, ours] = [textOf(expected[field]), textOf(actual[field])];
    if (theirs !== ours) console.log(`   ${name} ${field}: - ${theirs} + ${ours}`);
  }
}

function nameOf(fields: Fields): string {
  return String(fields?.id ?? fields?.partyId ?? fields?.market ?? fields?.marketId ?? "");
}

function isSameThing(a: Fields, b: Fields): boolean {
  return nameOf(a) !== "" && nameOf(a) === nameOf(b);
}

/** With short ids, and movements as people write them. */
function textOf(value: Fields): string {
  if (!isMovements(value)) return shortened(JSON.stringify(value) ?? "nothing");
  const movements = value.map(({ entries = [] }: Fields) => entries.map(textOfEntry).join("; "));
  return shortened(movements.map((text: string) => text || "no entries").join(" | "));
}

function isMovements(value: Fields): boolean {
  return Array.isArray(value) && value.some((part) => typeof part === "object" && "entries" in part);
}

function textOfEntry({ fromAccount, toAccount, ...entry }: Fields): string {
  const from = `${accountText(fromAccount)} (${entry.fromAccountBalance})`;
  const to = `${accountText(toAccount)} (${entry.toAccountBalance})`;
  return `${from} > ${to} ${entry.amount} type ${entry.type}`;
}

function accountText({ owner, type }: Fields): string {
  const kind = type === BOND ? "bond" : (ACCOUNTS[type] ?? `account ${type}`);
  return owner === undefined ? kind : `${owner} ${kind}`;
}

function shortened(text: string): string {
  return text.replace(/[0-9a-f]{58,122}([0-9a-f]{6})/g, "…$1");
}
