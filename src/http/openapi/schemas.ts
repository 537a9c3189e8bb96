// Schemas of answers from the descriptors of messages, under the JSON rules of
// docs/protocol/10-data-api-serving.md#13-json-output-rules.
import { descriptionOf } from "../../wire/descriptions.ts";
import {
  enumDescriptor,
  type FieldDescriptor,
  type MessageDescriptor,
  messageDescriptor,
} from "../../wire/descriptors.ts";
import type { Schema } from "./types.ts";

export const INT64: Schema = { type: "string", format: "int64", pattern: "^-?\\d+$" };
export const UINT64: Schema = { type: "string", format: "uint64", pattern: "^\\d+$" };
/** JSON has no other numbers; the rendering writes these by name (src/wire/json.ts). */
const NOT_FINITE: Schema = { type: "string", enum: ["NaN", "Infinity", "-Infinity"] };

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { type: "string" },
  bytes: { type: "string", format: "byte", contentEncoding: "base64" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  uint32: { type: "integer", format: "uint32", minimum: 0, maximum: 4_294_967_295 },
  int64: INT64,
  uint64: UINT64,
  float: { anyOf: [{ type: "number", format: "float" }, NOT_FINITE] },
  double: { anyOf: [{ type: "number", format: "double" }, NOT_FINITE] },
};

/** Messages that the node itself puts together for an answer: their members are always set. */
const ENVELOPE = /^(?:datanode\.api\.v2|vega\.api\.v1)\./;
/** Members of such messages that are null when there is nothing to show. */
const NULL_IN_ENVELOPE: ReadonlySet<string> = new Set([
  "datanode.api.v2.GetLastTradeResponse.trade",
  "datanode.api.v2.GetLatestMarketDepthResponse.lastTrade",
  "vega.api.v1.ListNetworkLimitsResponse.networkLimits",
]);

/**
 * Whether an answer may hold null for a member. A message that is neither optional, a choice nor a list is printed as
 * null when it was never set (src/wire/json.ts); a recorded message may lack any of them, an answer's own frame none.
 */
function isNullable(message: string, field: FieldDescriptor): boolean {
  if (field.kind !== "message" || field.repeated || field.optional || field.oneof !== "") return false;
  return !ENVELOPE.test(message) || NULL_IN_ENVELOPE.has(`${message}.${field.jsonName}`);
}

/** The values of an enum by name, each with its meaning. */
export function enumSchema(fullName: string): Schema {
  const values = [...enumDescriptor(fullName).numberOf.keys()];
  const lines = values.map((value) => `- \`${value}\`: ${descriptionOf(fullName, value) ?? ""}`);
  return { type: "string", enum: values, description: lines.join("\n") };
}

/** Component schemas of the messages asked for and of everything inside them. */
export class SchemaBook {
  readonly schemas: Record<string, Schema> = {};

  /** A reference to a message's schema, which is made if it is new. */
  message(fullName: string): Schema {
    if (!(fullName in this.schemas)) {
      // Set first: a message may hold itself.
      this.schemas[fullName] = {};
      this.schemas[fullName] = this.messageSchema(messageDescriptor(fullName));
    }
    return { $ref: `#/components/schemas/${fullName}` };
  }

  enumeration(fullName: string): Schema {
    this.schemas[fullName] ??= enumSchema(fullName);
    return { $ref: `#/components/schemas/${fullName}` };
  }

  private messageSchema({ fullName, fields }: MessageDescriptor): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const field of fields) {
      properties[field.jsonName] = this.memberSchema(fullName, field);
      if (field.oneof === "" && !field.optional) required.push(field.jsonName);
    }
    return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
  }

  private memberSchema(message: string, field: FieldDescriptor): Schema {
    const value = this.fieldSchema(field);
    const schema = isNullable(message, field) ? { anyOf: [value, { type: "null" as const }] } : value;
    const description = descriptionOf(message, field.jsonName);
    return description === undefined ? schema : { ...schema, description };
  }

  private fieldSchema(field: FieldDescriptor): Schema {
    if (field.kind === "map") {
      return { type: "object", additionalProperties: this.message(field.typeName) };
    }
    const value = this.valueSchema(field);
    return field.repeated ? { type: "array", items: value } : value;
  }

  private valueSchema(field: FieldDescriptor): Schema {
    if (field.kind === "message") return this.message(field.typeName);
    if (field.kind === "enum") return this.enumeration(field.typeName);
    return SCALARS[field.kind]!;
  }
}
