// Lists inside single objects (delegations of a node, votes of a proposal) have no pages of their own.
import { Grpc } from "../../errors/statuses.ts";
import { ApiError } from "../../http/errors.ts";
import type { Param } from "../../http/pagination.ts";
import type { DataContext } from "./context.ts";

/** What one nested row adds to an answer at least: two ids of 64 digits. */
const NESTED_ROW_BYTES_MIN = 128;

/**
 * All rows of a nested list. More of them than an answer may hold are refused before they are read, as the
 * finished answer would be (reference 10, section 1.9).
 * @param sql a SELECT without LIMIT
 * @throws ApiError 429
 */
export function nestedRows<R>(context: DataContext, sql: string, ...params: Param[]): R[] {
  const maximum = Math.floor(context.limits.responseBytesMax / NESTED_ROW_BYTES_MIN);
  const rows = context.all<R>(`${sql} LIMIT ?`, ...params, maximum + 1);
  if (rows.length <= maximum) return rows;
  throw new ApiError(
    Grpc.resourceExhausted,
    `the answer is larger than ${context.limits.responseBytesMax} bytes: ask for fewer rows with pagination.first`,
  );
}
