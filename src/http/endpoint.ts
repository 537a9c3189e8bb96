// The entry of a unary resource: its request and response messages, the function between them, and its path.
// Routing, query parsing, JSON rendering, gRPC methods and the OpenAPI document are all made from these entries.
import type { RequestFields } from "./query.ts";

/** A resource, however it is asked for. */
export interface Resource<Context> {
  /** Full name of the request message, by which gRPC finds the resource too. */
  readonly request: string;
  /** Full name of the response message. */
  readonly response: string;
  /** Path with parameters in braces, named as the request message's fields: `/api/v2/asset/{asset_id}`; gRPC alone without. */
  readonly path?: string;
  /** How to ask for less, where that is not by pages: for the refusal of an answer that would be too large. */
  readonly narrowing?: string;
  /** Makes the response message. @throws ApiError */
  handle(context: Context, request: RequestFields): object;
}

/** A resource that HTTP has a path for. */
export interface Endpoint<Context> extends Resource<Context> {
  readonly path: string;
  /** Other paths that answer the same. */
  readonly aliases?: readonly string[];
  /** Group in the documentation. */
  readonly tag: string;
  readonly summary: string;
  /** Further sentences for the documentation. */
  readonly description?: string;
}

const PARAMETER = /\{(\w+)\}/g;

/** Names of a path's parameters, as members of the request. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, name]) =>
    name!.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
}
