// Requests that come as protobuf, in the form that handlers see: as `readRequest` makes it of a query (query.ts).
import { enumDescriptor, type FieldDescriptor, messageDescriptor } from "../wire/descriptors.ts";
import { badRequest } from "./errors.ts";
import type { RequestFields } from "./query.ts";

/**
 * The fields that are set. A field without presence that has its default counts as left out, as on the wire.
 * @throws ApiError 400 for a value that an enum does not have, and for a list that is too long
 */
export function fieldsOf(messageName: string, message: object, filterValuesMax: number): RequestFields {
  const fields: RequestFields = {};
  for (const field of messageDescriptor(messageName).fields) {
    const value = (message as RequestFields)[field.jsonName];
    if (value === undefined || (isImplicit(field) && isDefault(value))) continue;
    fields[field.jsonName] = converted(field, value, filterValuesMax) as RequestFields[string];
  }
  return fields;
}

function isImplicit(field: FieldDescriptor): boolean {
  return field.repeated || (!field.optional && field.oneof === "" && field.kind !== "message");
}

function isDefault(value: unknown): boolean {
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  return value === "" || value === 0 || value === 0n || value === false;
}

function converted(field: FieldDescriptor, value: unknown, filterValuesMax: number): unknown {
  if (!field.repeated) return checked(field, value, filterValuesMax);
  const list = value as unknown[];
  if (list.length > filterValuesMax)
    throw badRequest(`parsing list "${field.name}": more than ${filterValuesMax} values`);
  return list.map((one) => checked(field, one, filterValuesMax));
}

function checked(field: FieldDescriptor, value: unknown, filterValuesMax: number): unknown {
  if (field.kind === "message") return fieldsOf(field.typeName, value as object, filterValuesMax);
  if (field.kind === "enum" && !enumDescriptor(field.typeName).nameOf.has(value as number)) {
    const what = field.repeated ? "list" : "field";
    throw badRequest(`parsing ${what} "${field.name}": "${value}" is not a valid value`);
  }
  return value;
}
