/**
 * Traces of another engine's markets: scenarios with each command's verdict and every event, which the rig plays and compares
 * field by field. A file is JSON, gzipped, as `Trace` says.
 */

import { gunzipSync } from "node:zlib";
import { sha3HexOf } from "../crypto/sha.ts";
import type { MarketRules } from "../engine/markets/rules.ts";
import { compare } from "../wire/arithmetic.ts";
import type { BlockEvent } from "../wire/block.ts";
import { decodeBusEvent } from "../wire/generated/events.ts";
import { AccountType, MarketState } from "../wire/generated/vega.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import type { CommandInit } from "../wire/transaction.ts";
import { bareEvent } from "../wire/whole-event.ts";
import type { RigMarket } from "./market-config.ts";
import type { RigAsset } from "./market-genesis.ts";
import { createMarketRig, type MarketRig } from "./market-rig.ts";
import { memberOf } from "./recorded-blocks.ts";

// biome-ignore lint/suspicious/noExplicitAny: an event is compared as it is
type Fields = any;

/** Kind of event, as the rig names it, and its fields without those that are empty, 0 or false. */
export type TracedEvent = readonly [kind: string, fields: Fields];

export interface TraceStep {
  readonly do:
    | "market"
    | "update"
    | "deposit"
    | "withdraw"
    | "insurance"
    | "parameter"
    | "command"
    | "oracle"
    | "end"
    | "begin";
  readonly market?: string;
  readonly config?: RigMarket;
  readonly party?: string;
  readonly asset?: string;
  readonly amount?: string;
  readonly key?: string;
  readonly value?: string;
  readonly kind?: CommandInit["kind"];
  /** Root of the command's identifiers. */
  readonly id?: string;
  readonly payload?: Fields;
  readonly oracle?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly timeNs?: string;
  readonly hash?: string;
  /** Text of the refusal. */
  readonly refused?: string;
  /** Kinds whose order the other engine left to chance, and such that it does not give twice. */
  readonly anyOrder?: readonly string[];
  readonly varies?: readonly string[];
  readonly events: readonly TracedEvent[];
}

export interface Trace {
  readonly name: string;
  readonly seed: number;
  readonly startSeconds: string;
  readonly firstHash: string;
  readonly assets: Readonly<Record<string, { readonly decimals: number; readonly quantum: string }>>;
  readonly parameters: Readonly<Record<string, string>>;
  /** The other engine broke at the last step, which nothing is compared with: why. */
  readonly originalDefect?: string;
  readonly steps: readonly TraceStep[];
}

/** A kind of event that differs in a step. */
export interface TraceDifference {
  /** Place of the step in its scenario, from 0. */
  readonly step: number;
  readonly kind: string;
  /** `count`, `order`, the paths of fields that differ, or `verdict`. */
  readonly fields: readonly string[];
  readonly expected: readonly Fields[];
  readonly actual: readonly Fields[];
}

interface TraceResult {
  readonly name: string;
  /** Those that were played. */
  readonly steps: number;
  readonly events: number;
  readonly differences: readonly TraceDifference[];
}

/** Not of markets. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "party",
  "asset",
  "networkParameter",
  "oracleSpec",
  "oracleData",
  "epochEvent",
  "stateVar",
  "timeUpdate",
  "checkpoint",
  "beginBlock",
  "endBlock",
  "transactionResult",
  "txErrEvent",
]);

/** Each scenario of a file, with its identifiers put in. @param isPlayed by its place; all unless it is given */
export function* readTraces(file: Uint8Array, isPlayed: (place: number) => boolean = () => true) {
  const { scenarios } = JSON.parse(gunzipSync(file).toString()) as {
    scenarios: (Trace & { readonly ids: readonly (string | number)[] })[];
  };
  for (const [place, scenario] of scenarios.entries()) if (isPlayed(place)) yield withIds(scenario);
}

/** An identifier is stated, the hash of a text, or the hash of another identifier, whose place is stated. */
function withIds({
  ids: stated,
  ...scenario
}: Trace & { readonly ids: readonly (string | number)[] }): Trace {
  const ids: string[] = [];
  for (const id of stated) {
    if (typeof id === "number") ids.push(sha3HexOf(Buffer.from(ids[id]!, "hex")));
    else ids.push(/^[0-9a-f]{64}$/.test(id) ? id : sha3HexOf(Buffer.from(id)));
  }
  return JSON.parse(JSON.stringify(scenario).replace(/#(\d+);/g, (_, place) => ids[place]!)) as Trace;
}

/** Plays a scenario. @param rules the present ones unless they are given */
export function playTrace(trace: Trace, rules?: MarketRules): TraceResult {
  const assets: Record<string, RigAsset> = {};
  for (const [id, { decimals, quantum }] of Object.entries(trace.assets))
    assets[id] = { decimals, quantum, id };
  const rig = createMarketRig({
    assets,
    parameters: trace.parameters,
    startSeconds: BigInt(trace.startSeconds) - 1n,
    ...(rules && { rules }),
  });
  rig.endBlock();
  rig.beginBlockAt(BigInt(trace.startSeconds) * SECOND_NS, trace.firstHash);
  const reader = new EventReader(rig);
  reader.read();
  const differences: TraceDifference[] = [];
  let events = 0;
  const steps = trace.originalDefect === undefined ? trace.steps : trace.steps.slice(0, -1);
  for (const [place, step] of steps.entries()) {
    const verdict = play(rig, step, reader);
    const produced = reader.read();
    events += step.events.length;
    if (verdict !== step.refused && step.do !== "oracle")
      differences.push({
        step: place,
        kind: "verdict",
        fields: ["verdict"],
        expected: [step.refused],
        actual: [verdict],
      });
    if (step.do === "insurance") continue;
    for (const difference of eventDifferences(step, produced))
      differences.push({ step: place, ...difference });
  }
  if (rig.faults.length > 0) throw rig.faults[0];
  return { name: trace.name, steps: steps.length, events, differences };
}

/** New events of a rig, from one call to the next. */
class EventReader {
  private count = 0;
  private ended: readonly TracedEvent[] | undefined;

  constructor(private readonly rig: MarketRig) {}

  endBlock(): void {
    const events = this.rig.endBlock();
    this.rig.forgetEvents();
    this.ended = events.slice(this.count).map(({ member, payload }) => [member, plain(payload)]);
    this.count = 0;
  }

  read(): readonly TracedEvent[] {
    const { ended } = this;
    this.ended = undefined;
    if (ended !== undefined) return ended;
    const { events } = this.rig.engine.core.log.blockEvents();
    const fresh = events.slice(this.count);
    this.count = events.length;
    return fresh.map(tracedEvent);
  }
}

/** An event in the form of traces. */
export function tracedEvent(event: BlockEvent): TracedEvent {
  const decoded = decodeBusEvent(bareEvent(event));
  const kind = memberOf(decoded)!;
  return [kind, plain(decoded[kind])];
}

/** @returns the text of a refusal */
function play(rig: MarketRig, step: TraceStep, reader: EventReader): string | undefined {
  switch (step.do) {
    case "market":
      rig.createMarket(step.market!, step.config!);
      return undefined;
    case "update":
      rig.updateMarket(step.market!, step.config!);
      return undefined;
    case "deposit":
      rig.deposit(step.party!, step.asset!, BigInt(step.amount!));
      return undefined;
    case "withdraw":
      try {
        rig.withdraw(step.party!, step.asset!, BigInt(step.amount!));
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    case "insurance":
      rig.fundInsurance(step.market!, BigInt(step.amount!));
      return undefined;
    case "parameter":
      rig.setParameter(step.key!, step.value!);
      return undefined;
    case "command": {
      const command = { kind: step.kind!, payload: payloadOf(step.kind!, step.payload) } as CommandInit;
      const { code, text } = rig.deliver(step.party!, command, step.id!);
      return code === 0 ? undefined : text;
    }
    case "oracle":
      rig.oracleData(step.data!, step.oracle!);
      return undefined;
    case "end":
      reader.endBlock();
      return undefined;
    case "begin":
      rig.beginBlockAt(BigInt(step.timeNs!), step.hash!);
      return undefined;
  }
}

/** Fields of 64 bits are texts in a trace. */
const LONG: ReadonlySet<string> = new Set(["size", "sizeDelta", "expiresAt"]);

/** A command's payload, with its long numbers. */
export function payloadOf(kind: string, payload: Fields): Fields {
  if (kind === "batchMarketInstructions") {
    const inner = (list: Fields[] = []) => list.map((part) => payloadOf("", part));
    const { cancellations, amendments, submissions } = payload;
    return {
      cancellations: inner(cancellations),
      amendments: inner(amendments),
      submissions: inner(submissions),
    };
  }
  return Object.fromEntries(
    Object.entries(payload).map(([name, value]) => [name, LONG.has(name) ? BigInt(value as string) : value]),
  );
}

/** Without fields that are empty, 0 or false; long numbers as texts. */
function plain(value: Fields): Fields {
  if (typeof value === "bigint") return value === 0n ? undefined : value.toString();
  if (value instanceof Uint8Array) return value.length === 0 ? undefined : Buffer.from(value).toString("hex");
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((part) => plain(part) ?? {});
  if (typeof value === "object" && value !== null) {
    const fields: [string, Fields][] = [];
    for (const name of Object.keys(value).sort()) {
      const field = plain(value[name]);
      if (field !== undefined) fields.push([name, field]);
    }
    return fields.length === 0 ? undefined : Object.fromEntries(fields);
  }
  return value === 0 || value === "" || value === false || value === null ? undefined : value;
}

/** Kinds of events that differ from those of a step. */
export function eventDifferences(
  step: TraceStep,
  actual: readonly TracedEvent[],
): Omit<TraceDifference, "step">[] {
  const anyOrder = [...(step.anyOrder ?? []), ...(isCalledOff(step) ? CALLED_OFF : [])];
  const expected = byKind(step.events.map(([kind, fields]) => [kind, plain(fields)]));
  const ours = byKind(actual);
  const differences: Omit<TraceDifference, "step">[] = [];
  for (const kind of new Set([...expected.keys(), ...ours.keys()])) {
    if (step.varies?.includes(kind)) continue;
    const [theirs, mine] = [expected.get(kind) ?? [], ours.get(kind) ?? []].map((list) =>
      anyOrder.includes(kind) ? sorted(list) : list,
    ) as [Fields[], Fields[]];
    const fields = differing(theirs, mine);
    if (fields.length > 0) differences.push({ kind, fields, expected: theirs, actual: mine });
  }
  return differences;
}

/**
 * Of a market whose trading ends before it has opened: orders are cancelled party by party, in no order
 * (docs/protocol/70-trading-markets.md#14-creation-and-transitions).
 */
const CALLED_OFF: readonly string[] = ["order", "ledgerMovements", "account"];

const isCalledOff = ({ events }: TraceStep): boolean =>
  events.some(([kind, { state }]) => kind === "marketUpdated" && state === MarketState.STATE_CANCELLED);

const sorted = (list: readonly Fields[]): Fields[] =>
  list
    .map((fields) => [JSON.stringify(fields), fields] as const)
    .sort(([a], [b]) => compare(a, b))
    .map(([, fields]) => fields);

function byKind(events: readonly TracedEvent[]): Map<string, Fields[]> {
  const kinds = new Map<string, Fields[]>();
  let before: string | undefined;
  for (const [kind, fields] of events) {
    if (LEFT_OUT.has(kind)) continue;
    const list = kinds.get(kind) ?? [];
    if (kind === "marketCreated") kinds.delete("marketUpdated");
    if (kind === "marketUpdated") {
      const { tradableInstrument: _, ...shown } = fields;
      const text = JSON.stringify(shown);
      // Shown again without a change.
      if (text === before) continue;
      before = text;
      list.push(shown);
    } else if (kind === "ledgerMovements") {
      list.push(
        (fields?.ledgerMovements ?? []).map(({ entries }: Fields) => ({ entries: inOrder(entries) })),
      );
    } else list.push(fields ?? {});
    kinds.set(kind, list);
  }
  const accounts = kinds.get("account");
  if (accounts !== undefined) {
    // The last one of each: how often an account is shown while a step goes on says nothing.
    const last = new Map<string, Fields>(accounts.map((account) => [account.id, account]));
    kinds.set(
      "account",
      [...last.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  }
  return kinds;
}

/**
 * The insurance of a market that ends goes to the others' in no order
 * (docs/protocol/70-trading-positions.md#65-final-settlement, step 6).
 */
function inOrder(entries: Fields[] | undefined): Fields[] | undefined {
  const { ACCOUNT_TYPE_INSURANCE: INSURANCE } = AccountType;
  const isPart = ({ fromAccount, toAccount }: Fields) =>
    fromAccount.type === INSURANCE && toAccount.type === INSURANCE;
  if (!entries?.some(isPart)) return entries;
  return [...sorted(entries.filter(isPart)), ...entries.filter((entry) => !isPart(entry))];
}

/** The differing fields; `count` and `order` where the lists are not of the same events. */
function differing(expected: readonly Fields[], actual: readonly Fields[]): string[] {
  const [theirs, ours] = [expected.map((e) => JSON.stringify(e)), actual.map((e) => JSON.stringify(e))];
  if (theirs.length === ours.length && theirs.every((text, at) => text === ours[at])) return [];
  if (theirs.length !== ours.length) return [`count ${ours.length > theirs.length ? "more" : "fewer"}`];
  if ([...theirs].sort().join() === [...ours].sort().join()) return ["order"];
  const paths = new Set<string>();
  for (const [at, fields] of expected.entries()) notePaths(fields, actual[at], "", paths);
  return [...paths].sort();
}

function notePaths(expected: Fields, actual: Fields, path: string, paths: Set<string>): void {
  if (typeof expected !== "object" || typeof actual !== "object") {
    if (expected !== actual) paths.add(path);
    return;
  }
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const inner = Array.isArray(expected) ? path : path === "" ? name : `${path}.${name}`;
    notePaths(expected[name], actual[name], inner, paths);
  }
}
