// Queries: from a request to the answer, all of whose reads are on one snapshot of the store.
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
} from "graphql";
import type { Answer } from "../../http/answers.ts";
import type { DataPlane } from "../data/plane.ts";
import { Budget } from "./budget.ts";
import type { ChainAnswering, ChainAnswers } from "./chain.ts";
import { Documents, operationOf, RefusedQuery, rootFields } from "./documents.ts";
import { type AnsweredError, answeredError, refusedError } from "./errors.ts";
import { QueryReads } from "./reads.ts";

export interface QueryRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** A query that is ready to be executed. */
export interface Prepared {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly request: QueryRequest;
}

/** An answer before it is text. */
export interface Outcome {
  readonly status: number;
  readonly body: { readonly errors?: readonly AnsweredError[]; readonly data: unknown };
  /** Where the store was read. */
  readonly head?: Answer["head"];
  /** Depends on the store alone, so that it can be cached until the next block. */
  readonly isOfStore?: boolean;
}

const UNPROCESSABLE = 422;

export class Execution {
  private readonly documents: Documents;

  constructor(
    readonly schema: GraphQLSchema,
    readonly plane: DataPlane,
    private readonly chain: ChainAnswering,
  ) {
    this.documents = new Documents(schema, plane.context.limits);
  }

  /** @throws RefusedQuery */
  prepare(request: QueryRequest): Prepared {
    const document = this.documents.get(request.query);
    return { document, operation: operationOf(document, request.operationName), request };
  }

  /** Executes a query. */
  run(prepared: Prepared): Outcome | Promise<Outcome> {
    const answers = this.chain.answersFor(rootFields(prepared.document, prepared.operation));
    return answers === undefined
      ? this.execute(prepared)
      : answers.then((all) => this.execute(prepared, all));
  }

  /** Executes one payload of a subscription, or a query. @param root the payload */
  execute(prepared: Prepared, answers?: ChainAnswers, root?: object): Outcome {
    const { document, operation, request } = prepared;
    const { plane } = this;
    return plane.readSnapshot((context, head) => {
      const reads = new QueryReads(context, new Budget(context.limits), answers);
      const result = execute({
        schema: this.schema,
        document,
        rootValue: root,
        contextValue: reads,
        variableValues: request.variables,
        operationName: operation.name?.value,
      }) as ExecutionResult;
      // Resolvers must be synchronous: a promise would read another snapshot.
      if (result instanceof Promise) throw new Error("a resolver of GraphQL is asynchronous");
      if (result.data === undefined) return refusal(new RefusedQuery(UNPROCESSABLE, coercionErrors(result)));
      const body = { ...this.errorsOf(result), data: result.data };
      const isOfStore = answers === undefined && reads.budget.isWithin;
      return {
        status: 200,
        body,
        isOfStore,
        ...(reads.hasRead && { head: plane.readHead(head, reads.paths) }),
      };
    });
  }

  private errorsOf({ errors }: ExecutionResult): { errors?: AnsweredError[] } {
    if (errors === undefined || errors.length === 0) return {};
    const { queryErrorsMax } = this.plane.context.limits;
    const first = errors.slice(0, queryErrorsMax).map((error) => this.answered(error));
    if (errors.length <= queryErrorsMax) return { errors: first };
    const extensions = { code: "TOO_MANY_ERRORS" };
    return { errors: [...first, { message: `more than ${queryErrorsMax} fields failed`, extensions }] };
  }

  answered(error: GraphQLError): AnsweredError {
    return answeredError(error, (fault) => this.plane.onFault(fault));
  }
}

function coercionErrors({ errors = [] }: ExecutionResult): AnsweredError[] {
  return errors.map((error) => refusedError(error, "GRAPHQL_VALIDATION_FAILED"));
}

export function refusal({ status, errors }: RefusedQuery): Outcome {
  return { status, body: { errors, data: null } };
}

export function isSubscription({ operation }: Prepared): boolean {
  return operation.operation === OperationTypeNode.SUBSCRIPTION;
}
