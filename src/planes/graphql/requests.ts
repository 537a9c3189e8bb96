// Requests of GraphQL over HTTP: the forms that the original accepts, and its texts for the others
// (docs/protocol/95-graphql-queries.md#1-http).
import { ApiError } from "../../http/errors.ts";
import { splitUrl, withBody } from "../../http/http.ts";
import type { Limits } from "../../http/limits.ts";
import { parseBody, parsePairs } from "../../http/query.ts";
import type { QueryRequest } from "./execution.ts";

/** A malformed request. */
export class BadForm extends Error {
  override readonly name = "BadForm";
  constructor(
    message: string,
    readonly status = 400,
    readonly contentType = "application/json",
  ) {
    super(message);
  }
}

const NOT_SUPPORTED = "transport not supported";
const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json";
const MULTIPART = "multipart/form-data";

/** Members of a request, and the types that the original's decoder names in its errors. */
const MEMBERS = new Map([
  ["query", { name: "query", go: "string" }],
  ["operationname", { name: "operationName", go: "string" }],
  ["variables", { name: "variables", go: "map[string]interface {}" }],
  ["extensions", { name: "extensions", go: "map[string]interface {}" }],
]);

/** A received request. It is parsed only if no cached answer has its key. */
export interface Received {
  /** Key of the cached answer; undefined if it is not cached. */
  readonly key: string | undefined;
  /** @throws BadForm */
  read(): QueryRequest;
}

/** Receives a request and calls `use` while its body counts towards the limit of bodies in memory. @throws BadForm, ApiError 413, 429 */
export async function withQuery<T>(
  request: Request,
  limits: Limits,
  use: (received: Received) => T | Promise<T>,
): Promise<T> {
  const { method } = request;
  if (method === "GET") {
    const { query } = splitUrl(request.url);
    return use({ key: `GET ${query}`, read: () => fromAddress(query) });
  }
  if (method !== "POST") throw new BadForm(NOT_SUPPORTED, 400, TEXT);
  const type = (request.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (type === JSON_TYPE) {
    return withBody(request, limits.queryBytesMax, (body) =>
      use({ key: body, read: () => fromJson(body, limits.bodyDepthMax) }),
    );
  }
  if (type !== MULTIPART) throw new BadForm(NOT_SUPPORTED, 400, TEXT);
  const headers = { "content-type": request.headers.get("content-type")! };
  return withBody(request, limits.queryBytesMax, async (body) => {
    const operations = await operationsIn(body, headers);
    return use({ key: undefined, read: () => fromJson(operations, limits.bodyDepthMax) });
  });
}

function fromAddress(query: string): QueryRequest {
  let pairs: ReturnType<typeof parsePairs>;
  try {
    pairs = parsePairs(query);
  } catch (error) {
    if (error instanceof ApiError) throw new BadForm(error.message, 400, TEXT);
    throw error;
  }
  const given = (name: string) => pairs.find(([key]) => key === name)?.[1];
  const object = (name: string) => {
    const text = given(name);
    if (text === undefined || text === "") return undefined;
    try {
      const value: unknown = JSON.parse(text);
      if (value === null || isObject(value)) return value ?? undefined;
    } catch {
      // Refused below.
    }
    throw new BadForm(`${name} could not be decoded`);
  };
  const variables = object("variables");
  object("extensions");
  return { query: given("query") ?? "", operationName: given("operationName"), variables };
}

/** The text of the operations of a form, whose body is read already. @throws BadForm */
async function operationsIn(body: string, headers: Record<string, string>): Promise<string> {
  let operations: unknown;
  try {
    operations = (await new Response(body, { headers }).formData()).get("operations");
  } catch {
    operations = undefined;
  }
  if (typeof operations === "string") return operations;
  throw new BadForm("operations form field could not be decoded");
}

/** A request out of the text of an object. @throws BadForm */
function fromJson(body: string, depthMax: number): QueryRequest {
  let value: unknown;
  try {
    if (body.trim() === "") throw new ApiError(3, "EOF");
    value = parseBody(body, depthMax);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new BadForm(`json body could not be decoded: ${decoderText(body, error.message)}`);
  }
  return fromValue(value, (reason) => new BadForm(`json body could not be decoded: ${reason}`));
}

/** Truncated JSON has an error text of its own. */
function decoderText(body: string, reason: string): string {
  if (reason === "EOF") return reason;
  return /EOF|end of|Unexpected end|Expected '\}'/i.test(reason) || /^\s*[{[][^}\]]*$/.test(body)
    ? "unexpected EOF"
    : reason;
}

/** @param refused makes the error for a value of the wrong shape */
function fromValue(value: unknown, refused: (reason: string) => Error): QueryRequest {
  if (value === null) return { query: "" };
  if (!isObject(value))
    throw refused(`json: cannot unmarshal ${goKind(value)} into Go value of type graphql.RawParams`);
  const read: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const expected = MEMBERS.get(key.toLowerCase());
    if (expected === undefined || member === null) continue;
    const fits = expected.go === "string" ? typeof member === "string" : isObject(member);
    if (!fits)
      throw refused(
        `json: cannot unmarshal ${goKind(member)} into Go struct field RawParams.${expected.name} of type ${expected.go}`,
      );
    read[expected.name] = member;
  }
  const { query = "", operationName, variables } = read;
  return {
    query: query as string,
    operationName: operationName as string | undefined,
    variables: variables as Record<string, unknown> | undefined,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value;
}
