// Errors of the API as errors of its callers.
import { type ErrorDetail, LyraError } from "./lyra-error.ts";

/** An error object of the API: alone, or below `error` in a stream. */
interface ErrorBody {
  readonly code?: number;
  readonly message?: string;
  readonly details?: readonly ErrorDetail[];
}

/** Names of gRPC's numbers, which the API's `code` is one of. */
const NAMES: Readonly<Record<number, string>> = {
  2: "unknown",
  3: "invalid_argument",
  4: "deadline_exceeded",
  5: "not_found",
  7: "permission_denied",
  8: "resource_exhausted",
  9: "failed_precondition",
  11: "out_of_range",
  12: "unimplemented",
  13: "internal",
  14: "unavailable",
};
/** The beginning of the answer to a stream of an unknown market, which the interface gives the number of an internal error. */
export const UNKNOWN_MARKET = "no market found for id: ";
/** The code of a devnet's tool is the message of its first detail, and its hint the cause. */
const TOOL_CODE = /^[a-z][a-z0-9_]*$/;

/** @param attempt what was asked for: said where the API gives no sentence */
export function apiError(body: ErrorBody, status: number | undefined, attempt: string): LyraError {
  const { message = "", details = [] } = body;
  const [first] = details;
  if (first?.message !== undefined && TOOL_CODE.test(first.message))
    return new LyraError(first.message, message, { hint: first.inner ?? "", details, status });
  const isUnknown = first?.message?.startsWith(UNKNOWN_MARKET);
  const code = isUnknown ? "not_found" : (NAMES[body.code ?? 0] ?? "request_refused");
  const sentence = first?.message || message || `${attempt} was answered with status ${status}`;
  const cause = first?.inner ? `: ${first.inner}` : "";
  return new LyraError(code, `${sentence}${cause}`, { details, status });
}

/** The error object of a body: the body itself, or below `error`. */
export function errorIn(body: unknown): ErrorBody {
  const { error } = (body ?? {}) as { readonly error?: ErrorBody };
  return typeof error === "object" && error !== null ? error : ((body ?? {}) as ErrorBody);
}
