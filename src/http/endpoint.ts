// The entry of a unary resource: its request and response messages, the function between them, and its path.
// Routing, query parsing, JSON rendering, gRPC methods and the OpenAPI document are all made from these entries.
import type { Init } from "../wire/codec.ts";
import type { MessageName, MessageOf } from "../wire/message-types.ts";
import type { RequestFields } from "./query.ts";

/** A resource, however it is asked for. */
export interface Resource<Context> {
  /** Full name of the request message, by which gRPC finds the resource too. */
  readonly request: string;
  /** Full name of the response message. */
  readonly response: string;
  /** Path with parameters in braces, named as the request message's fields: `/api/v2/asset/{asset_id}`; gRPC alone without. */
  readonly path?: string;
  /** Advice to ask for less, where that is not by pages: for the refusal of an answer that would be too large. */
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

/** A message as a client sent it: the members that it left out are absent. */
export type Sent<T> = T extends string | number | bigint | boolean | Uint8Array
  ? T
  : T extends ReadonlyMap<infer K, infer V>
    ? ReadonlyMap<K, Sent<V>>
    : T extends readonly (infer E)[]
      ? readonly Sent<E>[]
      : { readonly [K in keyof T]?: Sent<Exclude<T[K], undefined>> };

type CamelCase<Text extends string> = Text extends `${infer Head}_${infer Letter}${infer Rest}`
  ? `${Head}${Uppercase<Letter>}${CamelCase<Rest>}`
  : Text;

/** Members of the request that a path sets. */
type PathMember<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? CamelCase<Name> | PathMember<Rest>
  : never;

/** A request as handlers get it: the members that its path names are always present. */
export type RequestOf<Name extends MessageName, Path extends string = ""> = Sent<MessageOf<Name>> &
  Required<Pick<Sent<MessageOf<Name>>, PathMember<Path> & keyof Sent<MessageOf<Name>>>>;

/** An entry whose messages the compiler knows by their names. */
type Typed<
  Entry,
  Context,
  Request extends MessageName,
  Response extends MessageName,
  Path extends string,
> = Omit<Entry, "request" | "response" | "path" | "handle"> & {
  readonly request: Request;
  readonly response: Response;
  handle(context: Context, request: RequestOf<Request, Path>): Init<MessageOf<Response>>;
};

export type TypedEndpoint<
  Context,
  Request extends MessageName,
  Response extends MessageName,
  Path extends string,
> = Typed<Endpoint<Context>, Context, Request, Response, Path> & { readonly path: Path };

/** Makers of the entries of a service, which check their handlers against the messages. */
export function entriesFor<Context>() {
  return {
    endpoint: <Request extends MessageName, Response extends MessageName, const Path extends string>(
      entry: TypedEndpoint<Context, Request, Response, Path>,
    ) => entry as Endpoint<Context>,
    resource: <Request extends MessageName, Response extends MessageName>(
      entry: Typed<Resource<Context>, Context, Request, Response, "">,
    ) => entry as Resource<Context>,
  };
}

const PARAMETER = /\{(\w+)\}/g;

/** Names of a path's parameters, as members of the request. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, name]) =>
    name!.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
}
