/**
 * The words in which Lyra's own interfaces are declared: JSON schemas as plain data that carry the TypeScript type of what they
 * describe. The routes (`schema-of.ts`), the documents, the command line, the package and the docs are made from declarations.
 * Imports nothing that runs, because the command line and the package load declarations without the planes.
 */
import type { Schema } from "./openapi/types.ts";

declare const VALUE: unique symbol;

/** A JSON schema of values of this type. */
export interface Shape<Value = unknown> extends Schema {
  readonly [VALUE]?: Value;
  /** Name of a schema that a document defines once and refers to. */
  readonly model?: string;
  /** Where TypeScript declares the type: its name, and the file below `src`. */
  readonly declared?: { readonly name: string; readonly file: string };
  /** Of an answer that is already JSON text: whether the package returns the text or the parsed document. */
  readonly raw?: "text" | "object";
}

export type ValueOf<S> = S extends Shape<infer Value> ? Value : never;

/** Members by name; a question mark behind a name: may be absent. */
export type Members = Readonly<Record<string, Shape>>;

type Plain<Name> = Name extends `${infer Before}?` ? Before : Name;
/** The object that a table describes: names with a question mark become optional members. */
export type Named<Values> = {
  readonly [Name in keyof Values as Name extends `${string}?` ? never : Name]: Values[Name];
} & {
  readonly [Name in keyof Values as Name extends `${string}?` ? Plain<Name> : never]?: Values[Name];
};
type Flat<T> = { readonly [Name in keyof T]: T[Name] };
type ObjectOf<M extends Members> = Flat<Named<{ readonly [Name in keyof M]: ValueOf<M[Name]> }>>;

export const isOptional = (name: string) => name.endsWith("?");
export const plainName = (name: string) => name.replace("?", "");

export const text = (description: string): Shape<string> => ({ type: "string", description });
export const flag = (description: string): Shape<boolean> => ({ type: "boolean", description });
export const whole = (description: string): Shape<number> => ({ type: "integer", minimum: 0, description });
/** 64-bit numbers and amounts are texts. */
export const decimal = (description: string): Shape<number> => ({ type: "number", description });
/** Whole numbers by name. */
export const counts = (description: string): Shape<Readonly<Record<string, number>>> => ({
  type: "object",
  additionalProperties: { type: "integer" },
  description,
});
export const wholeText = (description: string): Shape<string> => ({
  type: "string",
  pattern: "^\\d+$",
  description,
});

/** The same, or null. */
export const nullable = <Value>({ type, ...shape }: Shape<Value> & Schema): Shape<Value | null> =>
  ({ ...shape, type: [type as string, "null"] }) as Shape<Value | null>;

export const choice = <const Text extends string>(
  description: string,
  texts: readonly Text[],
): Shape<Text> => ({
  type: "string",
  enum: texts,
  description,
});

export const list = <Item>(description: string, items: Shape<Item>): Shape<readonly Item[]> => ({
  type: "array",
  items,
  description,
});

export function object<M extends Members>(members: M, description?: string): Shape<ObjectOf<M>> {
  const names = Object.keys(members);
  const required = names.filter((name) => !isOptional(name));
  return {
    type: "object",
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(names.map((name) => [plainName(name), members[name]!])),
    ...(required.length > 0 && { required }),
  };
}

/** An object whose members are not described. */
export const json = (description: string): Shape<object> => ({ type: "object", description });

/** A JSON document that comes as text and is sent as it is. */
export const document = (description: string, raw: "text" | "object"): Shape<string> => ({
  type: "object",
  description,
  raw,
});

/** The same schema, which documents define once under this name. */
export const named = <Value>(model: string, shape: Shape<Value>): Shape<Value> => ({ ...shape, model });

/** The same schema, of a type that TypeScript declares elsewhere. @param file below `src` */
export const typed = <Value>(shape: Shape, name: string, file: string): Shape<Value> => ({
  ...(shape as Shape<Value>),
  declared: { name, file },
});
