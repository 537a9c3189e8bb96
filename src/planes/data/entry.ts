// Entries of the data API: handlers that the compiler checks against their messages, and the forms that many of them have.
import { type Endpoint, entriesFor, type RequestOf, type TypedEndpoint } from "../../http/endpoint.ts";
import { notFound } from "../../http/errors.ts";
import type { PageRequest } from "../../http/pagination.ts";
import type { Init } from "../../wire/codec.ts";
import type { MessageName, MessageOf } from "../../wire/message-types.ts";
import type { DataContext } from "./context.ts";

export const { endpoint, resource } = entriesFor<DataContext>();

type Names<Request extends MessageName, Response extends MessageName, Path extends string> = Omit<
  TypedEndpoint<DataContext, Request, Response, Path>,
  "handle"
>;

/** A list: a page of rows in one member of the response. */
export function list<
  Request extends MessageName,
  Response extends MessageName,
  const Path extends string,
  Member extends string & keyof MessageOf<Response>,
>(
  entry: Names<Request, Response, Path> & {
    /** Message of an error. */
    readonly failure: string;
    readonly member: Member;
    /** @throws ApiError, InvalidIdentifier, CursorError */
    rows(
      context: DataContext,
      page: PageRequest,
      request: RequestOf<Request, Path>,
    ): Init<MessageOf<Response>[Member]>;
  },
): Endpoint<DataContext> {
  const { failure, member, rows, ...names } = entry;
  return {
    ...(names as Omit<Endpoint<DataContext>, "handle">),
    handle(context, request) {
      const page = context.page(request);
      const typed = request as RequestOf<Request, Path>;
      return context.query(failure, () => ({ [member]: rows(context, page, typed) }));
    },
  };
}

/** An object in one member of the response. */
export function get<
  Request extends MessageName,
  Response extends MessageName,
  const Path extends string,
  Member extends string & keyof MessageOf<Response>,
>(
  entry: Names<Request, Response, Path> & {
    /** Message of the error where there is none. */
    readonly missing: string;
    readonly member: Member;
    /** @throws ApiError */
    read(
      context: DataContext,
      request: RequestOf<Request, Path>,
    ): Init<MessageOf<Response>[Member]> | undefined;
  },
): Endpoint<DataContext> {
  const { missing, member, read, ...names } = entry;
  return {
    ...(names as Omit<Endpoint<DataContext>, "handle">),
    handle(context, request) {
      const message = read(context, request as RequestOf<Request, Path>);
      if (message === undefined) throw notFound(missing);
      return { [member]: message };
    },
  };
}
