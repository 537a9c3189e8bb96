// The schema as the library executes it: `schema.graphql`, resolvers (resolvers/), and the mapping of members (members.ts).
import {
  __Schema,
  buildASTSchema,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  type GraphQLObjectType,
  GraphQLSchema,
  getNullableType,
  introspectionTypes,
  isEnumType,
  isIntrospectionType,
  isListType,
  isObjectType,
  isUnionType,
  Kind,
  parse,
  type ValueNode,
} from "graphql";
import { descriptionOf } from "../../wire/descriptions.ts";
import { type MemberNote, memberAt, memberResolver, type Resolve } from "./members.ts";
import type { Opening } from "./operations.ts";
import type { QueryReads } from "./reads.ts";
import { RESOLVERS } from "./resolvers/all.ts";
import { answerAnyName, makeLenient, timestamp } from "./scalars.ts";
import text from "./schema.graphql" with { type: "text" };
import { SUBSCRIPTIONS } from "./subscriptions.ts";

/** Directives that are served; the others are notes for this file. */
const SERVED = new Set(["deprecated", "include", "skip", "specifiedBy"]);

/** A directive's arguments. */
type Note = Readonly<Record<string, unknown>>;

export function makeSchema(): GraphQLSchema {
  makeLenient();
  const built = buildASTSchema(parse(text, { noLocation: true }), { assumeValidSDL: true });
  const { types, directives, ...config } = built.toConfig();
  for (const type of types) complete(type);
  const served = directives.filter(({ name }) => SERVED.has(name)).sort(byName);
  const schema = new GraphQLSchema({ ...config, types, directives: served, assumeValid: true });
  arrangeIntrospection(schema);
  return schema;
}

type ListResolve = GraphQLFieldResolver<unknown, QueryReads>;

/** The library's resolvers of the lists of introspection: its types are shared by all schemas. */
const INTROSPECTION_LISTS = introspectionTypes
  .filter(isObjectType)
  .flatMap((type) => Object.values(type.getFields()))
  .filter(({ type }) => isListType(getNullableType(type)))
  .map((field) => [field, field.resolve as ListResolve] as const);

/**
 * Introspection as the original answers it: types by name, and lists in place of null. Its rows count as those of any list:
 * a thousand nested aliases make millions of values.
 */
function arrangeIntrospection(schema: GraphQLSchema): void {
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type))
    .sort(byName);
  const { types: allTypes } = __Schema.getFields();
  for (const [field, resolve] of INTROSPECTION_LISTS) {
    const list: ListResolve = field === allTypes ? () => types : resolve;
    field.resolve = (source, args, reads: QueryReads, info) =>
      reads.rows((list(source, args, reads, info) as readonly unknown[] | undefined) ?? []);
  }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function complete(type: GraphQLNamedType): void {
  if (type.name === timestamp.name) Object.assign(type, codecOf(timestamp));
  else if (isEnumType(type)) {
    answerAnyName(type);
    const name = String(noteOf(type.astNode, "message")?.name);
    for (const value of type.getValues()) value.description ??= descriptionOf(name, value.name);
  } else if (isUnionType(type)) type.resolveType = (value) => (value as { __typename: string }).__typename;
  else if (type.name === "Subscription") completeSubscriptions(type as GraphQLObjectType);
  else if (isObjectType(type)) completeObject(type);
}

function codecOf({ serialize, parseValue, parseLiteral }: typeof timestamp): object {
  return { serialize, parseValue, parseLiteral };
}

/** A subscription is opened by its stream; a payload is the value of its field. */
function completeSubscriptions(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields())) {
    const open = SUBSCRIPTIONS[field.name]!;
    field.subscribe = (_, args, { context, readNow }: Opening) => open(args, context, readNow);
    field.resolve = ({ payload }: { readonly payload: unknown }) => payload;
  }
}

/** Counts the field's failures: a query of many that fail would take longer than its limit of time. */
function counted(resolve: Resolve): Resolve {
  return (source, args, reads) => {
    try {
      return resolve(source, args, reads);
    } catch (error) {
      reads.budget.noteError();
      throw error;
    }
  };
}

function completeObject(type: GraphQLObjectType): void {
  const message = noteOf(type.astNode, "message")?.name as string | undefined;
  const own: Readonly<Record<string, Resolve>> = RESOLVERS[type.name] ?? {};
  for (const field of Object.values(type.getFields())) {
    const note = memberNoteOf(noteOf(field.astNode, "member"), field.name);
    const resolve = own[field.name] ?? (message && memberResolver(message, field.type, note));
    if (resolve) field.resolve = counted(resolve);
    const place = message === undefined ? undefined : memberAt(message, note.path);
    field.description ??= place && descriptionOf(place.message, place.member);
  }
}

function memberNoteOf(note: Note | undefined, fieldName: string): MemberNote {
  return {
    path: (note?.name ?? fieldName) as string,
    read: note?.read === true,
    isSeconds: note?.unit === "SECONDS",
  };
}

interface Annotated {
  readonly directives?: readonly {
    readonly name: { readonly value: string };
    readonly arguments?: readonly { readonly name: { readonly value: string }; readonly value: ValueNode }[];
  }[];
}

function noteOf(node: Annotated | null | undefined, name: string): Note | undefined {
  const directive = node?.directives?.find((directive) => directive.name.value === name);
  if (directive === undefined) return undefined;
  return Object.fromEntries(
    (directive.arguments ?? []).map((each) => [each.name.value, literal(each.value)]),
  );
}

function literal(node: ValueNode): unknown {
  return node.kind === Kind.STRING || node.kind === Kind.BOOLEAN || node.kind === Kind.ENUM
    ? node.value
    : undefined;
}
