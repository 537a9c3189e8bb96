/** Data from outside and the specifications that wait for it (docs/protocol/70-trading-markets.md#16-data-sources-oracles). */

import { sha3HexOf } from "../../crypto/sha.ts";
import type { CommandText } from "../../errors/result-codes.ts";
import { compare } from "../../wire/arithmetic.ts";
import type { Init } from "../../wire/codec.ts";
import { Decimal } from "../../wire/decimal.ts";
import { enumDescriptor } from "../../wire/descriptors.ts";
import {
  type OracleDataSubmission,
  OracleDataSubmissionOracleSource,
} from "../../wire/generated/commands.ts";
import {
  type Condition,
  ConditionOperator,
  type Filter,
  type Property,
  PropertyKeyType,
  type Signer,
} from "../../wire/generated/data.ts";
import {
  type DataSourceDefinition,
  DataSourceSpecStatus,
  encodeDataSourceDefinition,
} from "../../wire/generated/vega.ts";
import { decimalProblem } from "../../wire/validate/fields.ts";
import type { Core } from "../core.ts";
import { CommandError } from "../errors.ts";
import type { Table } from "../state.ts";
import { parseInt64, shortened, UINT_MAX } from "../values.ts";
import { type OracleMessage, openOracleProperties } from "./open-oracle.ts";
import { refusal } from "./refusals.ts";

const BUILTIN = "vegaprotocol.builtin";
export const BUILTIN_TIME = `${BUILTIN}.timestamp`;
const PROPERTIES_MAX = 1_000;

/** A market's interest in a specification. */
export interface Subscription {
  readonly market: string;
  readonly what: "settlement" | "termination";
}

interface SpecRecord {
  readonly id: string;
  readonly definition: DataSourceDefinition;
  /** Unix nanoseconds. */
  readonly createdAt: bigint;
  /** Above that of all earlier ones; a stored state of earlier versions has none. */
  readonly sequence?: number;
  readonly subscriptions: readonly Subscription[];
}

/** A specification that data has matched, for one of its subscribers. */
interface Matched extends Subscription {
  readonly properties: ReadonlyMap<string, string>;
}

export class Oracles {
  private readonly specs: Table<SpecRecord>;

  constructor(private readonly core: Core) {
    this.specs = core.state.table("oracles.specs");
  }

  /** Id of a definition: that of its bytes, so that equal ones are one. */
  static idOf(definition: DataSourceDefinition): string {
    return sha3HexOf(encodeDataSourceDefinition(definition));
  }

  subscribe(definition: DataSourceDefinition, subscription: Subscription): void {
    const id = Oracles.idOf(definition);
    const before = this.specs.get(id);
    const subscriptions = [...(before?.subscriptions ?? []), subscription];
    const { createdAt, sequence } = before ?? { createdAt: this.core.nowNs, sequence: this.last + 1 };
    const spec: SpecRecord = { id, definition, createdAt, subscriptions, ...(sequence && { sequence }) };
    this.specs.set(id, spec);
    if (before === undefined) this.emit(spec, DataSourceSpecStatus.STATUS_ACTIVE);
  }

  unsubscribe(id: string, { market, what }: Subscription): void {
    const spec = this.specs.get(id);
    if (spec === undefined) return;
    const subscriptions = spec.subscriptions.filter((one) => one.market !== market || one.what !== what);
    if (subscriptions.length === spec.subscriptions.length) return;
    if (subscriptions.length > 0) {
      this.specs.set(id, { ...spec, subscriptions });
      return;
    }
    this.specs.delete(id);
    this.emit(spec, DataSourceSpecStatus.STATUS_DEACTIVATED);
  }

  /** Data as a command brings it. @throws CommandError for data that cannot be read, or that no specification waits for */
  read(party: string, command: OracleDataSubmission): OracleMessage {
    const message = normalised(party, command);
    const listening = this.inOrder().filter(({ definition }) => listensTo(definition, message));
    if (listening.length === 0)
      throw refusal("no one listens to the public keys that signed this oracle data");
    if (this.matches(message).length > 0) return message;
    for (const { definition } of listening) {
      const problem = comparisonProblem(filtersOf(definition), message.properties);
      if (problem !== undefined) throw refusal(problem);
    }
    throw refusal("there are no subscribes to the oracle data");
  }

  /** @returns the subscribers that it is for, specification by specification */
  matches(message: OracleMessage): Matched[] {
    return this.matchingSpecs(message).flatMap(({ subscriptions }) =>
      subscriptions.map((subscription) => ({ ...subscription, properties: message.properties })),
    );
  }

  /** Shows data that a specification has matched, by the names of its properties. @param specs as they were before it was used */
  emitData(message: OracleMessage, specs: readonly string[]): void {
    const data = [...message.properties]
      .map(([name, value]): Property => ({ name, value }))
      .sort((a, b) => compare(a.name, b.name));
    this.core.emit("oracleData", {
      externalData: {
        data: { signers: message.signers, data, matchedSpecIds: specs, broadcastAt: this.core.nowNs },
      },
    });
  }

  /** Ids of the specifications that a message matches, in order. */
  matchingIds(message: OracleMessage): string[] {
    return this.matchingSpecs(message).map(({ id }) => id);
  }

  /** A specification waits for the chain's own time. */
  get hasTimed(): boolean {
    return this.specs
      .values()
      .some(({ definition }) => filtersOf(definition).some(({ key }) => key?.name === BUILTIN_TIME));
  }

  private matchingSpecs(message: OracleMessage): SpecRecord[] {
    return this.inOrder().filter((spec) => matchesSpec(spec.definition, message));
  }

  /** As they were first subscribed to. */
  private inOrder(): SpecRecord[] {
    return this.specs.values().sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
  }

  private get last(): number {
    return this.specs.values().reduce((last, { sequence = 0 }) => Math.max(last, sequence), 0);
  }

  private emit({ id, definition, createdAt }: SpecRecord, status: number): void {
    this.core.emit("oracleSpec", {
      externalDataSourceSpec: { spec: { id, createdAt, updatedAt: 0n, data: definition, status } },
    });
  }
}

/** Filters of a definition; the chain's time has one of its own, with the first condition alone. */
export function filtersOf({ internal, external }: DataSourceDefinition): readonly Filter[] {
  if (external?.oracle !== undefined) return external.oracle.filters as readonly Filter[];
  const conditions = (internal?.time?.conditions ?? []).slice(0, 1) as readonly Condition[];
  const key = { name: BUILTIN_TIME, type: PropertyKeyType.TYPE_TIMESTAMP, numberDecimalPlaces: undefined };
  return [{ key, conditions: [...conditions] }];
}

function matchesSpec(definition: DataSourceDefinition, message: OracleMessage): boolean {
  const { properties } = message;
  const isBuiltin = [...properties.keys()].every((name) => name.startsWith(BUILTIN));
  if (!isBuiltin && !listensTo(definition, message)) return false;
  const filters = filtersOf(definition);
  return filters.length > 0 && filters.every((filter) => passes(filter, properties));
}

/** Every signer of the data is listed. */
function listensTo({ external }: DataSourceDefinition, { signers }: OracleMessage): boolean {
  const listed = new Set((external?.oracle?.signers ?? []).map(signerKey));
  return listed.size > 0 && signers.every((signer) => listed.has(signerKey(signer)));
}

function signerKey({ pubKey, ethAddress }: Init<Signer>): string {
  return pubKey?.key !== undefined
    ? `key:${pubKey.key}`
    : `address:${(ethAddress?.address ?? "").toLowerCase()}`;
}

function passes({ key, conditions }: Filter, properties: ReadonlyMap<string, string>): boolean {
  const text = properties.get(key?.name ?? "");
  if (text === undefined) return false;
  const value = parsedValue(text, key!.type);
  if (value === undefined) return false;
  return conditions.every(({ operator, value: bound }) => {
    const limit = parsedValue(bound, key!.type);
    return limit !== undefined && holds(compareValues(value, limit), operator);
  });
}

/** Why data cannot be held against a condition that is reached. */
function comparisonProblem(
  filters: readonly Filter[],
  properties: ReadonlyMap<string, string>,
): CommandText | undefined {
  for (const filter of filters) {
    const { type, name } = filter.key!;
    const text = properties.get(name);
    if (text === undefined) return undefined;
    if (filter.conditions.length > 0 && parsedValue(text, type) === undefined)
      return valueProblem(text, type);
    if (!passes(filter, properties)) return undefined;
  }
  return undefined;
}

/** Types whose values are compared, and those of them that have no order. */
const COMPARED: ReadonlySet<number> = new Set([
  PropertyKeyType.TYPE_INTEGER,
  PropertyKeyType.TYPE_STRING,
  PropertyKeyType.TYPE_BOOLEAN,
  PropertyKeyType.TYPE_DECIMAL,
  PropertyKeyType.TYPE_TIMESTAMP,
]);
const UNORDERED: ReadonlySet<number> = new Set([PropertyKeyType.TYPE_STRING, PropertyKeyType.TYPE_BOOLEAN]);

/** Why no data can be held against a filter: its values are of another type than the property, or that has no such comparison. */
export function filterProblem({ key, conditions }: Filter): string | undefined {
  const { type } = key!;
  if (!COMPARED.has(type)) return `property type ${typeName(type)}`;
  for (const { operator, value } of conditions) {
    if (parsedValue(value, type) === undefined) return valueProblem(value, type);
    if (!UNORDERED.has(type) || operator === ConditionOperator.OPERATOR_EQUALS) continue;
    const name = enumDescriptor("vega.data.v1.Condition.Operator").nameOf.get(operator);
    return `unsupported operator ${name} for type ${typeName(type)}`;
  }
  return undefined;
}

export function typeName(type: number): string {
  return enumDescriptor("vega.data.v1.PropertyKey.Type").nameOf.get(type) ?? String(type);
}

function valueProblem(text: string, type: number): CommandText {
  const shown = shortened(text);
  if (type === PropertyKeyType.TYPE_INTEGER) return `value "${shown}" is not a valid integer`;
  if (type === PropertyKeyType.TYPE_DECIMAL)
    return decimalProblem(shown) ?? `can't convert ${shown} to decimal: fractional part too long`;
  if (type === PropertyKeyType.TYPE_BOOLEAN)
    return `strconv.ParseBool: parsing ${JSON.stringify(shown)}: invalid syntax`;
  return parseInt64(text) === undefined ? int64Problem(text) : "invalid timestamp";
}

/** The refusal of a text that is not a whole number of 64 bits. */
export function int64Problem(text: string): CommandText {
  const fault = /^[+-]?\d+$/.test(text) ? "value out of range" : "invalid syntax";
  return `strconv.ParseInt: parsing ${JSON.stringify(shortened(text))}: ${fault}`;
}

type Value = Decimal | string | boolean;

/** A property's value by its type; undefined where the text is not of it. */
function parsedValue(text: string, type: number): Value | undefined {
  if (type === PropertyKeyType.TYPE_STRING) return text;
  if (type === PropertyKeyType.TYPE_BOOLEAN) return BOOLEANS.get(text);
  if (type === PropertyKeyType.TYPE_INTEGER) {
    const [, sign, digits] = /^([+-]?)0*(\d{1,78})$/.exec(text) ?? [];
    if (digits === undefined || BigInt(digits) > UINT_MAX) return undefined;
    return Decimal.of(sign === "-" ? -BigInt(digits) : BigInt(digits));
  }
  if (type === PropertyKeyType.TYPE_TIMESTAMP) {
    const time = parseInt64(text) ?? -1n;
    return time < 0n ? undefined : Decimal.of(time);
  }
  if (type !== PropertyKeyType.TYPE_DECIMAL || text.length > 200) return undefined;
  try {
    return text === "" ? undefined : Decimal.parseNumber(text);
  } catch {
    return undefined;
  }
}

/** Texts that stand for a boolean. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

function compareValues(a: Value, b: Value): number {
  if (a instanceof Decimal && b instanceof Decimal) return a.compare(b);
  return compare(String(a), String(b));
}

function holds(order: number, operator: number): boolean {
  if (operator === ConditionOperator.OPERATOR_EQUALS) return order === 0;
  if (operator === ConditionOperator.OPERATOR_GREATER_THAN) return order > 0;
  if (operator === ConditionOperator.OPERATOR_GREATER_THAN_OR_EQUAL) return order >= 0;
  if (operator === ConditionOperator.OPERATOR_LESS_THAN) return order < 0;
  return operator === ConditionOperator.OPERATOR_LESS_THAN_OR_EQUAL && order <= 0;
}

/** Data in the form of its source, without names that are the chain's own. @throws CommandError */
function normalised(party: string, { source, payload }: OracleDataSubmission): OracleMessage {
  try {
    const message =
      source === OracleDataSubmissionOracleSource.ORACLE_SOURCE_OPEN_ORACLE
        ? openOracleProperties(payload)
        : { signers: [{ pubKey: { key: party } }], properties: jsonProperties(payload) };
    for (const name of message.properties.keys()) {
      if (name.startsWith(BUILTIN))
        throw refusal("forbidden property name: it is reserved for the chain itself");
    }
    return message;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw error.prefixedBy("error normalizing incoming oracle data: ");
  }
}

/** Properties of an object of texts. @throws CommandError */
function jsonProperties(payload: Uint8Array): Map<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
  } catch {
    throw refusal("the data is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refusal("the data is not a JSON object");
  const entries = Object.entries(value);
  if (entries.length === 0 || entries.length > PROPERTIES_MAX) {
    throw refusal("the data has no properties, or too many");
  }
  for (const [, text] of entries)
    if (typeof text !== "string") throw refusal("a property of the data is not a text");
  // A lone surrogate, which JSON can spell, is the replacement character, as the network's parser reads it.
  return new Map(entries.map(([name, text]) => [name.toWellFormed(), (text as string).toWellFormed()]));
}
