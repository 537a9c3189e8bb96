// One entry for each resource that asks the chain itself. The views of its state are ordinary endpoints over the
// store (http/endpoint.ts).
import type { NodeContext } from "./context.ts";

interface ChainEndpointBase {
  /** Path with parameters in braces, named as the request message's fields. */
  readonly path: string;
  /** Full name of the request message: of the query, or of the body of a POST. */
  readonly request: string;
  /** Full name of the response message. */
  readonly response: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
}

export interface ChainQuery extends ChainEndpointBase {
  readonly method: "GET";
  /** @param request fields that the client sent @throws ApiError */
  handle(context: NodeContext, request: { readonly [name: string]: unknown }): object | Promise<object>;
}

export interface ChainCall extends ChainEndpointBase {
  readonly method: "POST";
  /** Members of the body that must be there, for the documentation. */
  readonly required: readonly string[];
  /**
   * @param body the request message, complete with defaults
   * @returns the response message; a member `details` of it is printed too, where the request asks for it
   * @throws ApiError
   */
  // biome-ignore lint/suspicious/noExplicitAny: each handler names the message that `request` says
  handle(context: NodeContext, body: any): Promise<object>;
}

export type ChainEndpoint = ChainQuery | ChainCall;
