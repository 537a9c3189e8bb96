// The served schema, by introspection, against the facts of the interface (docs/protocol/95-*.md): nothing missing,
// nothing more.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { buildClientSchema, getIntrospectionQuery, graphqlSync, validateSchema } from "graphql";
import { makeSchema } from "../../../src/planes/graphql/schema.ts";
import { readGolden } from "../../golden/graphql-vectors.ts";

interface Ref {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType?: Ref | null;
}
interface Input {
  readonly name: string;
  readonly type: Ref;
  readonly defaultValue: string | null;
}
interface Field {
  readonly name: string;
  readonly description: string | null;
  readonly type: Ref;
  readonly args: readonly Input[];
  readonly isDeprecated: boolean;
}
interface Type {
  readonly kind: string;
  readonly name: string;
  readonly description: string | null;
  readonly fields: readonly Field[];
  readonly inputFields: readonly Input[];
  readonly possibleTypes: readonly Ref[];
  readonly enumValues: readonly { readonly name: string }[];
}
interface Directive {
  readonly name: string;
  readonly locations: readonly string[];
  readonly args: readonly Input[];
}
interface Introspected {
  readonly queryType: { readonly name: string };
  readonly mutationType: null;
  readonly subscriptionType: { readonly name: string };
  readonly types: readonly Type[];
  readonly directives: readonly Directive[];
}

const schema = makeSchema();
/** Counts nothing. */
const contextValue = { rows: (list: readonly unknown[]) => list };
const introspected = graphqlSync({ schema, source: getIntrospectionQuery(), contextValue }).data!
  .__schema as unknown as Introspected;
const facts = readGolden<Record<string, unknown>>(
  join(import.meta.dir, "../../golden/graphql-schema.json.gz"),
);

function textOf({ kind, name, ofType }: Ref): string {
  if (kind === "NON_NULL") return `${textOf(ofType!)}!`;
  return kind === "LIST" ? `[${textOf(ofType!)}]` : name!;
}

const inputText = ({ type, defaultValue }: Input) =>
  defaultValue === null ? textOf(type) : `${textOf(type)} = ${defaultValue}`;
const named = <T extends { readonly name: string }, V>(list: readonly T[], value: (each: T) => V) =>
  Object.fromEntries(list.map((each) => [each.name, value(each)]));
const ofKind = (kind: string) => introspected.types.filter((type) => type.kind === kind);

/** A field in the notation of the facts. */
function fieldFact({ type, args, isDeprecated }: Field): unknown {
  if (args.length === 0 && !isDeprecated) return textOf(type);
  return {
    type: textOf(type),
    ...(args.length > 0 && { args: named(args, inputText) }),
    ...(isDeprecated && { deprecated: true }),
  };
}

/** The order of members counts. */
function sameText(actual: unknown, want: unknown): void {
  expect(JSON.stringify(actual, undefined, 1)).toBe(JSON.stringify(want, undefined, 1));
}

describe("the schema of GraphQL", () => {
  test("roots", () => {
    const { queryType, mutationType, subscriptionType } = introspected;
    expect([queryType.name, mutationType, subscriptionType.name]).toEqual([
      facts.query,
      facts.mutation,
      facts.subscription,
    ] as never);
  });

  test("objects, with every field, argument and deprecation, in their order", () => {
    sameText(
      named(ofKind("OBJECT"), ({ fields }) => ({ fields: named(fields, fieldFact) })),
      facts.objects,
    );
  });

  test("inputs", () => {
    sameText(
      named(ofKind("INPUT_OBJECT"), ({ inputFields }) => named(inputFields, inputText)),
      facts.inputs,
    );
  });

  test("enums", () => {
    sameText(
      named(ofKind("ENUM"), ({ enumValues }) => enumValues.map(({ name }) => name)),
      facts.enums,
    );
  });

  test("unions", () => {
    sameText(
      named(ofKind("UNION"), ({ possibleTypes }) => possibleTypes.map(({ name }) => name)),
      facts.unions,
    );
  });

  test("scalars and directives", () => {
    sameText(
      ofKind("SCALAR").map(({ name }) => name),
      facts.scalars,
    );
    sameText(
      named(introspected.directives, ({ locations, args }) => ({
        on: locations,
        args: named(args, inputText),
      })),
      facts.directives,
    );
  });

  test("types are told by name, and there are no others", () => {
    const names = introspected.types.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    const kinds = ["OBJECT", "INPUT_OBJECT", "ENUM", "UNION", "SCALAR"];
    expect(introspected.types.filter(({ kind }) => !kinds.includes(kind))).toEqual([]);
  });

  test("every type and every field of a type that can be reached is described", () => {
    const silent = introspected.types.flatMap((type) => [
      ...(type.description ? [] : [type.name]),
      ...(type.description?.includes("Not reachable") || isFrame(type.name)
        ? []
        : type.fields.filter(({ description }) => !description).map(({ name }) => `${type.name}.${name}`)),
    ]);
    expect(silent).toEqual([]);
  });

  test("clients of the library can build it anew, and it is valid", () => {
    const built = buildClientSchema({ __schema: introspected } as never);
    expect(validateSchema(built)).toEqual([]);
  });
});

/** Pages and their rows: their fields say what they are. */
function isFrame(name: string): boolean {
  return /(?:Connection|Edge)$/.test(name);
}
