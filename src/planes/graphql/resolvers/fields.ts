// Forms that many resolvers have: a call, and a member of its answer.
import type { Resolve } from "../members.ts";
import type { AnswerMember, CallArguments, Message, MethodName } from "../reads.ts";

/** Resolvers by type and field: those whose fields are not members of a message. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolve>>>>;

type Request = (args: Message, source: Message) => CallArguments;

/** A field that is a member of a call's answer. @param request default: the arguments unchanged */
export function called<Name extends MethodName>(
  method: Name,
  member: AnswerMember<Name>,
  request: Request = (args) => args,
): Resolve {
  return (source, args, reads) => reads.call(method, request(args, source))[member];
}

/** A field that is the whole answer of a call. */
export function answered(method: MethodName, request: Request = (args) => args): Resolve {
  return (source, args, reads) => reads.call(method, request(args, source));
}

/** A value of a union. */
export function as(typeName: string, value: object): object {
  return { ...value, __typename: typeName };
}

/** A connection of one edge without a cursor. */
export function onlyEdge(node: unknown): object {
  return { edges: [{ node, cursor: "" }], pageInfo: {} };
}
