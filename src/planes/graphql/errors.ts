// Errors of GraphQL answers, in the original's form (docs/protocol/95-graphql-queries.md#2-errors): `{message, path,
// extensions}`.
import { GraphQLError } from "graphql";
import { grpcName } from "../../errors/statuses.ts";
import { ApiError } from "../../http/errors.ts";

const FAULT = "an internal error occurred";

/** A resolver refuses its arguments or its object. Answered without `extensions`. */
export class FieldError extends Error {
  override readonly name = "FieldError";
  /** @param inArgument path of the value inside the field's arguments */
  constructor(
    message: string,
    readonly inArgument: readonly string[] = [],
  ) {
    super(message);
  }
}

/** A query reached a limit; `code` names it. */
export class LimitError extends Error {
  override readonly name = "LimitError";
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

/** An error as it is answered. */
export interface AnsweredError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions?: object;
}

/** The message of an error of the data API: that of its details, several joined. */
export function apiMessage({ body }: ApiError): string {
  if (body.details.length === 0) return body.message;
  return body.details.map(({ message }) => message).join(", ");
}

/** An error of the data API as one of the original's wrapped ones prints it. */
export function wrappedText(failure: string, error: ApiError): string {
  const name = grpcName(error.grpc);
  return `${failure}: rpc error: code = ${name} desc = ${error.message}`;
}

/** @param onFault logs what no resolver expected */
export function answeredError(error: GraphQLError, onFault: (error: unknown) => void): AnsweredError {
  const { originalError } = error;
  const path = error.path === undefined ? {} : { path: error.path };
  if (originalError instanceof ApiError) {
    const code = originalError.grpc;
    const extensions = { code, type: grpcName(code) };
    return { message: apiMessage(originalError), ...path, extensions };
  }
  if (originalError instanceof FieldError) {
    return { message: originalError.message, path: [...(error.path ?? []), ...originalError.inArgument] };
  }
  if (originalError instanceof LimitError)
    return { message: originalError.message, ...path, extensions: { code: originalError.code } };
  if (originalError !== undefined && !(originalError instanceof GraphQLError)) {
    // Null in a field that the schema declares non-null.
    if (originalError.message.startsWith("Cannot return null for non-nullable field"))
      return { message: "must not be null", ...path };
    onFault(originalError);
    return { message: FAULT, ...path };
  }
  return { message: error.message, ...path };
}

/** Error text of the library for a query that repeats fields too often to compare them all. */
const GIVEN_UP = "Validation aborted.";
/** Longer messages are cut: they can quote the query. */
const MESSAGE_LENGTH_MAX = 300;

/** An error of a query that is not executed: with its place in the text. */
export function refusedError(error: GraphQLError, code: string): AnsweredError {
  const locations = error.locations === undefined ? {} : { locations: error.locations };
  const { message: given } = error;
  let message = given === GIVEN_UP ? "the query repeats its fields too often: give each once" : given;
  if (message.length > MESSAGE_LENGTH_MAX) message = `${message.slice(0, MESSAGE_LENGTH_MAX)}...`;
  return { message, ...locations, extensions: { code } };
}
