// Scalars of the schema: times of the interface, and the library's own made as lenient as the original's
// (docs/protocol/95-graphql-queries.md#4-execution-rules and #5-values).
import {
  type GraphQLEnumType,
  GraphQLError,
  GraphQLID,
  GraphQLInt,
  GraphQLScalarType,
  GraphQLString,
  Kind,
  type ValueNode,
} from "graphql";
import { timeNs } from "../../wire/time-text.ts";
import { FieldError } from "./errors.ts";

/** Serialised as null in a non-null field: the library takes the object for a value. */
export const NO_TIME = Object.freeze({ toJSON: () => null });

/** An invalid time argument. The field refuses it, as in the original. */
class NotATime {
  constructor(readonly message: string) {}
}

const LAYOUT = "2006-01-02T15:04:05.999999999Z07:00";
const NOT_TEXT = "expected timestamp to be a string";

export function timeArgument(value: unknown): bigint | NotATime {
  if (typeof value !== "string") return new NotATime(NOT_TEXT);
  const ns = timeNs(value);
  if (ns !== undefined) return ns;
  const shown = JSON.stringify(value.slice(0, 100));
  return new NotATime(`parsing time ${shown} as "${LAYOUT}": cannot parse ${shown} as "2006"`);
}

/** A time argument in nanoseconds; undefined without one. @param path of the argument @throws FieldError */
export function timeOf(value: unknown, ...path: readonly string[]): bigint | undefined {
  if (value instanceof NotATime) throw new FieldError(value.message, path);
  return (value ?? undefined) as bigint | undefined;
}

/** `DateRange` as the data API has it. @throws FieldError */
export function dateRangeOf(
  range: Readonly<Record<string, unknown>> | null | undefined,
  name = "dateRange",
): object | undefined {
  if (range === undefined || range === null) return undefined;
  return {
    startTimestamp: timeOf(range.start, name, "start"),
    endTimestamp: timeOf(range.end, name, "end"),
  };
}

export const timestamp = new GraphQLScalarType({
  name: "Timestamp",
  serialize: (value) => value,
  parseValue: timeArgument,
  parseLiteral: (node) => timeArgument(node.kind === Kind.STRING ? node.value : undefined),
});

const DIGITS = /^-?\d{1,15}$/;

/** Numbers are accepted for text, and digits for `Int`. The call refuses numbers beyond 32 bits. */
export function makeLenient(): void {
  for (const scalar of [GraphQLString, GraphQLID]) {
    scalar.parseValue = (value) => {
      if (typeof value === "string") return value;
      if (typeof value === "number" && Number.isFinite(value)) return String(value);
      throw new GraphQLError(`${scalar.name} cannot represent a value that is not text`);
    };
  }
  GraphQLInt.parseValue = (value) => {
    const number = typeof value === "string" && DIGITS.test(value) ? Number(value) : value;
    if (typeof number === "number" && Number.isSafeInteger(number)) return number;
    throw new GraphQLError("Int cannot represent a value that is not a whole number");
  };
  GraphQLInt.parseLiteral = (node: ValueNode) => {
    if (node.kind === Kind.INT && DIGITS.test(node.value)) return Number(node.value);
    throw new GraphQLError("Int cannot represent a value that is not a whole number", { nodes: node });
  };
}

/** Names of enums are answered as they are, also those that the schema lacks (docs/protocol/95-graphql-queries.md#5-values). */
export function answerAnyName(type: GraphQLEnumType): void {
  type.serialize = (value) => value as string;
}
