// Schemas of answers from the descriptors of messages, under the JSON rules of reference 10, section 1.3.
import {
  enumDescriptor,
  type FieldDescriptor,
  type MessageDescriptor,
  messageDescriptor,
} from "../../wire/schema/index.ts";
import { FIELDS } from "./texts.ts";
import type { Schema } from "./types.ts";

export const INT64: Schema = { type: "string", format: "int64", pattern: "^-?\\d+$" };
export const UINT64: Schema = { type: "string", format: "uint64", pattern: "^\\d+$" };

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { type: "string" },
  bytes: { type: "string", format: "byte" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  uint32: { type: "integer", format: "int64" },
  int64: INT64,
  uint64: UINT64,
  float: { type: "number", format: "float" },
  double: { type: "number", format: "double" },
};

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
    this.schemas[fullName] ??= { type: "string", enum: [...enumDescriptor(fullName).numberOf.keys()] };
    return { $ref: `#/components/schemas/${fullName}` };
  }

  private messageSchema(descriptor: MessageDescriptor): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const field of descriptor.fields) {
      properties[field.jsonName] = this.fieldSchema(field);
      if (field.oneof === "" && !field.optional) required.push(field.jsonName);
    }
    return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
  }

  private fieldSchema(field: FieldDescriptor): Schema {
    if (field.kind === "map") {
      return { type: "object", additionalProperties: this.message(field.typeName) };
    }
    const value = this.valueSchema(field);
    if (field.repeated) return { type: "array", items: value };
    // Only a message that is neither optional nor a choice is there when it is unset: as null.
    const isNullable = field.kind === "message" && field.oneof === "" && !field.optional;
    const description = FIELDS[field.jsonName];
    if (!isNullable && (description === undefined || value.$ref)) return value;
    if (!isNullable) return { ...value, description: description! };
    return { nullable: true, allOf: [value] };
  }

  private valueSchema(field: FieldDescriptor): Schema {
    if (field.kind === "message") return this.message(field.typeName);
    if (field.kind === "enum") return this.enumeration(field.typeName);
    return SCALARS[field.kind]!;
  }
}
