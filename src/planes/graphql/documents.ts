/**
 * Queries before they are executed: the library parses them, then they are measured, then the library validates them. The
 * measure comes first because validation can take time in the square of a query (docs/graphql.md, limits).
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  validate,
} from "graphql";
import { LruCache } from "../../cache/lru.ts";
import type { Limits } from "../../http/limits.ts";
import { type AnsweredError, refusedError } from "./errors.ts";

/** Tokens of a query: enough for `queryFieldsMax` fields with arguments. */
const TOKENS_MAX = 30_000;
const VALIDATION_ERRORS_MAX = 20;
const KEPT_BYTES_MAX = 8 * 1024 * 1024;
/** Estimated memory of a parsed query: a fixed part, and a multiple of its text. */
const ENTRY_BYTES = 1_024;
const PARSED_FACTOR = 20;

/** A query that is not executed. */
export class RefusedQuery extends Error {
  override readonly name = "RefusedQuery";
  constructor(
    readonly status: number,
    readonly errors: readonly AnsweredError[],
  ) {
    super(errors[0]?.message);
  }
}

function refused(code: string, ...errors: readonly GraphQLError[]): RefusedQuery {
  return new RefusedQuery(
    422,
    errors.map((error) => refusedError(error, code)),
  );
}

function tooLarge(message: string): RefusedQuery {
  return new RefusedQuery(200, [{ message, extensions: { code: "COMPLEXITY_LIMIT_EXCEEDED" } }]);
}

/** A cache of parsed and validated queries. */
export class Documents {
  private readonly kept = new LruCache<string, DocumentNode>(
    KEPT_BYTES_MAX,
    (_, text) => ENTRY_BYTES + text.length * PARSED_FACTOR,
  );

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly limits: Limits,
  ) {}

  /** @throws RefusedQuery */
  get(text: string): DocumentNode {
    let document = this.kept.get(text);
    if (document === undefined) {
      document = this.read(text);
      this.kept.set(text, document);
    }
    return document;
  }

  private read(text: string): DocumentNode {
    const document = parsed(text);
    new Measure(document, this.limits).check();
    const errors = validate(this.schema, document, undefined, { maxErrors: VALIDATION_ERRORS_MAX });
    if (errors.length > 0) throw refused("GRAPHQL_VALIDATION_FAILED", ...errors);
    return document;
  }
}

function parsed(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: TOKENS_MAX });
  } catch (error) {
    if (error instanceof GraphQLError) throw refused("GRAPHQL_PARSE_FAILED", error);
    // Stack overflow of the parser: values or types that are nested too deep.
    if (error instanceof RangeError)
      throw refused("GRAPHQL_PARSE_FAILED", new GraphQLError("the query is nested too deep"));
    throw error;
  }
}

/** The operation that is asked for. @throws RefusedQuery */
export function operationOf(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const operation = name
    ? operations.find((each) => each.name?.value === name)
    : operations.length === 1
      ? operations[0]
      : undefined;
  if (operation?.operation === "mutation")
    throw refused("GRAPHQL_VALIDATION_FAILED", new GraphQLError("nothing can be changed by GraphQL"));
  if (operation !== undefined) return operation;
  const shown = (name ?? "").slice(0, 100);
  const text = name ? `the query has no operation called ${shown}` : "operationName must say which operation";
  throw refused("GRAPHQL_VALIDATION_FAILED", new GraphQLError(text));
}

/** Names of the fields that an operation asks of the root. */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode): Set<string> {
  const names = new Set<string>();
  const seen = new Set<string>();
  const walk = ({ selections }: SelectionSetNode) => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) walk(selection.selectionSet);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = fragmentsOf(document).get(selection.name.value);
        if (fragment) walk(fragment.selectionSet);
      }
    }
  };
  walk(operation.selectionSet);
  return names;
}

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((each) => [each.name.value, each]));
}

interface Size {
  readonly fields: number;
  readonly depth: number;
}

/** Fields and levels of a query; those of a fragment count wherever it is used, and are counted once. */
class Measure {
  private readonly fragments: Map<string, FragmentDefinitionNode>;
  private readonly sizes = new Map<string, Size>();
  /** Depth of the walk, inline fragments included. */
  private level = 0;

  constructor(
    private readonly document: DocumentNode,
    private readonly limits: Limits,
  ) {
    this.fragments = fragmentsOf(document);
  }

  /** @throws RefusedQuery */
  check(): void {
    const { queryFieldsMax, queryDepthMax } = this.limits;
    for (const each of this.document.definitions) {
      if (each.kind !== Kind.OPERATION_DEFINITION && each.kind !== Kind.FRAGMENT_DEFINITION) continue;
      const { fields, depth } = this.sizeOf(each.selectionSet);
      if (fields > queryFieldsMax)
        throw tooLarge(`the query asks for more than ${queryFieldsMax} fields: split it`);
      if (depth > queryDepthMax) throw this.tooDeep();
    }
  }

  private tooDeep(): RefusedQuery {
    return tooLarge(`the query is nested deeper than ${this.limits.queryDepthMax} levels`);
  }

  private sizeOf({ selections }: SelectionSetNode): Size {
    if (++this.level > 2 * this.limits.queryDepthMax) throw this.tooDeep();
    let fields = 0;
    let depth = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const inner = selection.selectionSet ? this.sizeOf(selection.selectionSet) : NOTHING;
        fields += 1 + inner.fields;
        depth = Math.max(depth, 1 + inner.depth);
      } else {
        const inner =
          selection.kind === Kind.INLINE_FRAGMENT
            ? this.sizeOf(selection.selectionSet)
            : this.sizeOfFragment(selection.name.value);
        fields += inner.fields;
        depth = Math.max(depth, inner.depth);
      }
    }
    this.level--;
    return { fields, depth };
  }

  private sizeOfFragment(name: string): Size {
    let size = this.sizes.get(name);
    if (size === undefined) {
      // For fragments in a circle and unknown fragments, which validation refuses.
      this.sizes.set(name, NOTHING);
      const fragment = this.fragments.get(name);
      size = fragment ? this.sizeOf(fragment.selectionSet) : NOTHING;
      this.sizes.set(name, size);
    }
    return size;
  }
}

const NOTHING: Size = { fields: 0, depth: 0 };
