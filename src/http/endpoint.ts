// The entry of a unary resource: its path, its request and response messages, and the function between them.
// Routing, query parsing, JSON rendering and the OpenAPI document are all made from these entries.
import type { RequestFields } from "./query.ts";

export interface Endpoint<Context> {
  /** Path with parameters in braces, named as the request message's fields: `/api/v2/asset/{asset_id}`. */
  readonly path: string;
  /** Other paths that answer the same. */
  readonly aliases?: readonly string[];
  /** Full name of the request message. */
  readonly request: string;
  /** Full name of the response message. */
  readonly response: string;
  /** Group in the documentation. */
  readonly tag: string;
  readonly summary: string;
  /** Further sentences for the documentation. */
  readonly description?: string;
  /** How to ask for less, where that is not by pages: for the refusal of an answer that would be too large. */
  readonly narrowing?: string;
  /** Makes the response message. @throws ApiError */
  handle(context: Context, request: RequestFields): object;
}
