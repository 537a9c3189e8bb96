// The reads of one query: the data API's handlers, called by the names of their gRPC methods on one snapshot of the store.
// Each call is made once a query: a page of orders asks for its market and for each of its parties once.
import type { Resource } from "../../http/endpoint.ts";
import { pathParameters } from "../../http/endpoint.ts";
import { ApiError, badRequest, invalidArgument } from "../../http/errors.ts";
import type { RequestFields } from "../../http/query.ts";
import { enumDescriptor, type FieldDescriptor, messageDescriptor } from "../../wire/descriptors.ts";
import type { MessageName, MessageOf } from "../../wire/message-types.ts";
import type { DataContext } from "../data/context.ts";
import { DATA_ENDPOINTS, UNROUTED_RESOURCES } from "../data/endpoints.ts";
import type { Budget } from "./budget.ts";

/** A message of the wire, or a part of one. */
// biome-ignore lint/suspicious/noExplicitAny: the schema says which message it is
export type Message = Readonly<Record<string, any>>;

/** Arguments of a call before they are a request: names of enums, numbers of any kind, null for absent. */
export type CallArguments = Readonly<Record<string, unknown>>;

type NameOf<Request> = Request extends `datanode.api.v2.${infer Name}Request` ? Name : never;
/** A method of the data API: `ListOrders`. */
export type MethodName = NameOf<MessageName>;
/** Members of its answer. */
export type AnswerMember<Name extends MethodName> = string &
  keyof MessageOf<Extract<MessageName, `datanode.api.v2.${Name}Response`>>;

interface Method {
  readonly resource: Resource<DataContext>;
  /** Members that a path would set. */
  readonly fixed: readonly string[];
}

const INT32_MAX = 2 ** 31 - 1;
const PACKAGE = "datanode.api.v2.";
const REQUEST = "Request";
const METHODS = new Map<string, Method>(
  [...DATA_ENDPOINTS, ...UNROUTED_RESOURCES].map((resource) => [
    resource.request.slice(PACKAGE.length, -REQUEST.length),
    { resource, fixed: pathParameters(resource.path ?? "") },
  ]),
);

export class QueryReads {
  /** The store was read, so that the answer has a height. */
  hasRead = false;
  /** Paths of the resources that were read. */
  readonly paths = new Set<string | undefined>();
  private readonly answers = new Map<string, Message | ApiError>();

  /** @param chain answers of the core node, by the name of their method */
  constructor(
    readonly context: DataContext,
    readonly budget: Budget,
    private readonly chain: ReadonlyMap<string, Message | ApiError> = new Map(),
  ) {}

  /** Answer of a method such as `ListOrders`. @throws ApiError, LimitError */
  call(name: MethodName, args: CallArguments = {}): Message {
    const { resource, fixed } = METHODS.get(name)!;
    const fields = requestFields(resource.request, args, this.context.limits.filterValuesMax);
    for (const member of fixed) fields[member] ??= "";
    const key = `${name} ${JSON.stringify(fields, bigintText)}`;
    return this.once(key, resource, fields);
  }

  /** The object with an identifier, by a method that takes nothing else. @throws ApiError, LimitError */
  byId(name: MethodName, member: string, id: string): Message {
    return this.once(`${name} ${id}`, METHODS.get(name)!.resource, { [member]: id });
  }

  /** Answer of the core node. @throws ApiError */
  ofChain(name: string): Message {
    this.hasRead = true;
    return settled(this.chain.get(name)!);
  }

  /** Counts the rows of a list while they are iterated; the list ends at a limit. @throws LimitError */
  *rows<T>(list: readonly T[]): Generator<T, void, undefined> {
    for (const row of list) {
      this.budget.spendRows(1);
      yield row;
    }
  }

  private once(key: string, resource: Method["resource"], fields: RequestFields): Message {
    let answer = this.answers.get(key);
    if (answer === undefined) {
      this.budget.checkTime();
      this.hasRead = true;
      this.paths.add(resource.path);
      this.answers.set(key, (answer = attempt(() => resource.handle(this.context, fields))));
    }
    return settled(answer);
  }
}

function attempt(read: () => object): Message | ApiError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function settled(answer: Message | ApiError): Message {
  if (answer instanceof ApiError) throw answer;
  return answer;
}

function bigintText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

/** Arguments as the fields of a request message, without absent and null ones. @throws ApiError 400 */
function requestFields(message: string, args: CallArguments, filterValuesMax: number): RequestFields {
  const fields: RequestFields = {};
  for (const field of messageDescriptor(message).fields) {
    const value = args[field.jsonName];
    if (value === undefined || value === null) continue;
    if (!field.repeated) fields[field.jsonName] = requestValue(field, value, filterValuesMax);
    else {
      const list = value as unknown[];
      if (list.length > filterValuesMax)
        throw badRequest(`parsing list "${field.name}": more than ${filterValuesMax} values`);
      fields[field.jsonName] = list
        .filter((each) => each !== null)
        .map((each) => requestValue(field, each, filterValuesMax)) as RequestFields[];
    }
  }
  return fields;
}

function requestValue(
  field: FieldDescriptor,
  value: unknown,
  filterValuesMax: number,
): RequestFields[string] {
  switch (field.kind) {
    case "message":
      return requestFields(field.typeName, value as CallArguments, filterValuesMax);
    case "enum":
      return typeof value === "number"
        ? value
        : enumDescriptor(field.typeName).numberOf.get(value as string)!;
    case "int64":
    case "uint64":
      return BigInt(value as bigint | number | string);
    case "int32":
      if (Math.abs(value as number) > INT32_MAX)
        throw invalidArgument("invalid pagination", `${field.name} is not a number of 32 bits`);
      return value as number;
    default:
      return value as string | number | boolean;
  }
}
