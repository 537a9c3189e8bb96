// Operations over a socket: a query is answered once, a subscription payload by payload, each on a snapshot of the store.
import { createSourceEventStream, GraphQLError } from "graphql";
import { ApiError } from "../../http/errors.ts";
import { Budget } from "./budget.ts";
import { FieldError } from "./errors.ts";
import { type Execution, isSubscription, type Outcome, type Prepared } from "./execution.ts";
import { QueryReads } from "./reads.ts";
import type { ReadNow, SubscriptionContext } from "./subscriptions.ts";

/** An answer as sockets send it. */
export type Payload = Outcome["body"];

/** Context of the resolvers of subscriptions (schema.ts). */
export interface Opening {
  readonly context: SubscriptionContext;
  readonly readNow: ReadNow;
}

/** Answers of an operation: one, or as many as come. */
export async function answersOf(
  execution: Execution,
  prepared: Prepared,
  context: SubscriptionContext,
): Promise<Payload | AsyncIterableIterator<Payload>> {
  if (!isSubscription(prepared)) return (await execution.run(prepared)).body;
  const { document, operation, request } = prepared;
  const opening: Opening = { context, readNow: (read) => readNow(execution, read) };
  const source = await createSourceEventStream({
    schema: execution.schema,
    document,
    contextValue: opening,
    variableValues: request.variables,
    operationName: operation.name?.value,
  });
  if (Symbol.asyncIterator in source) {
    const field = operation.selectionSet.selections[0];
    return new Answers(execution, prepared, rootName(field), source[Symbol.asyncIterator]());
  }
  return { errors: (source.errors ?? []).map((error) => execution.answered(error)), data: null };
}

function rootName(
  selection: Prepared["operation"]["selectionSet"]["selections"][number] | undefined,
): string {
  return selection !== undefined && "alias" in selection
    ? (selection.alias?.value ?? selection.name.value)
    : "";
}

function readNow<T>({ plane }: Execution, read: (reads: QueryReads) => T): T {
  return plane.readSnapshot((context) => read(new QueryReads(context, new Budget(context.limits))));
}

/** An answer for each payload. If the stream fails, the last answer holds the error. */
class Answers implements AsyncIterableIterator<Payload> {
  private isOver = false;

  constructor(
    private readonly execution: Execution,
    private readonly prepared: Prepared,
    private readonly fieldName: string,
    private readonly payloads: AsyncIterator<unknown>,
  ) {}

  async next(): Promise<IteratorResult<Payload, undefined>> {
    if (this.isOver) return { value: undefined, done: true };
    try {
      const { value, done } = await this.payloads.next();
      if (done) return { value: undefined, done: true };
      const { body } = this.execution.execute(this.prepared, undefined, new Root(value));
      return { value: body, done: false };
    } catch (error) {
      this.isOver = true;
      await this.payloads.return?.();
      return { value: { errors: [this.failure(error)], data: null }, done: false };
    }
  }

  async return(): Promise<IteratorResult<Payload, undefined>> {
    this.isOver = true;
    await this.payloads.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private failure(error: unknown) {
    const isOurs = error instanceof ApiError || error instanceof FieldError;
    const cause = isOurs ? error : this.execution.plane.onFault(error);
    const path = [this.fieldName];
    return this.execution.answered(new GraphQLError(cause.message, { originalError: cause, path }));
  }
}

/** Root value of a payload: the resolver of any subscription field returns `payload`. */
class Root {
  constructor(readonly payload: unknown) {}
}
