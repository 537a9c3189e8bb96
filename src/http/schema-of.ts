// Elysia's schemas of what is declared (`declaration.ts`): they check answers, and describe them in the documents.
import { type TSchema, t } from "elysia";
import type { Shape } from "./declaration.ts";
import type { Schema } from "./openapi/types.ts";

/** By which TypeBox knows the kind of a schema. */
const KIND = Symbol.for("TypeBox.Kind");

/** A whole number. The `t.Integer` of Elysia takes texts, too. */
export const integer = (options: object): TSchema =>
  ({ [KIND]: "Integer", type: "integer", ...options }) as unknown as TSchema;

/** A schema inside another schema; a named one is referred to. */
function innerSchema(shape: Shape | Schema): TSchema {
  const { model } = shape as Shape;
  return model === undefined ? schemaOf(shape) : t.Ref(model);
}

/** @param shape of the types that declarations have: texts, whole numbers, booleans, lists, objects */
export function schemaOf(shape: Shape | Schema): TSchema {
  const { type, description, enum: texts, pattern, minimum, items, properties, required = [] } = shape;
  const about = { ...(description !== undefined && { description }) };
  switch (type) {
    case "string":
      return texts === undefined
        ? t.String({ ...about, ...(pattern !== undefined && { pattern }) })
        : t.UnionEnum(texts as [string, ...string[]], { ...about, default: undefined });
    case "integer":
      return integer({ ...about, ...(minimum !== undefined && { minimum }) });
    case "boolean":
      return t.Boolean(about);
    case "array":
      return t.Array(innerSchema(items!), about);
    case "object":
      return properties === undefined ? recordOf(shape, about) : objectOf(properties, required, about);
    default:
      throw new TypeError(`no schema is declared with the type ${String(type)}`);
  }
}

function objectOf(
  properties: NonNullable<Schema["properties"]>,
  required: readonly string[],
  about: object,
): TSchema {
  const members = Object.entries(properties).map(([name, member]) => {
    const schema = innerSchema(member);
    return [name, required.includes(name) ? schema : t.Optional(schema)];
  });
  return t.Object(Object.fromEntries(members), about);
}

/** An object whose members are named nowhere. */
function recordOf({ additionalProperties }: Schema, about: object): TSchema {
  const value = typeof additionalProperties === "object" ? innerSchema(additionalProperties) : t.Unknown();
  return t.Record(t.String(), value, about);
}
