// Parts that the documents of the planes share: answers, bodies, errors, headers, and the way to the other documents.
import manifest from "../../../package.json" with { type: "json" };
import { UINT64 } from "./schemas.ts";
import type { Header, Operation, Parameter, Paths, Response, Schema } from "./types.ts";

/** Where each document is when the ports are the usual ones; a devnet prints its own at the start. */
const OTHERS = [
  "[data API](http://127.0.0.1:3008/docs)",
  "[node API](http://127.0.0.1:3003/docs)",
  "[devnet tools](http://127.0.0.1:3003/devnet/docs)",
  "[faucet](http://127.0.0.1:1790/docs)",
  "[wallet](http://127.0.0.1:1789/docs)",
].join(", ");

/** Stands at the end of every document's description. */
export const OTHER_DOCUMENTS = `Documents at their usual ports: ${OTHERS}. \`lyra devnet\` prints the ports it took.`;

export function info(title: string, ...sentences: readonly string[]) {
  return { title, version: manifest.version, description: [...sentences, OTHER_DOCUMENTS].join(" ") };
}

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export function answer(description: string, schema: Schema, type = "application/json"): Response {
  return { description, content: { [type]: { schema } } };
}

export function jsonBody(description: string, schema: Schema, example: unknown): Operation["requestBody"] {
  return { required: true, description, content: { "application/json": { schema, example } } };
}

interface OperationParts {
  readonly errors: Operation["responses"];
  readonly bodyDescription: string;
  /** A body that works. */
  readonly example: object;
}

/** Operations that routes describe by their schemas, with what no schema says. */
export function withParts(paths: Paths, partsOf: (path: string) => OperationParts): Paths {
  const completed = (path: string, { parameters = [], responses, requestBody, ...rest }: Operation) => {
    const { errors, bodyDescription, example } = partsOf(path);
    const schema = requestBody?.content["application/json"]?.schema;
    // A body that a schema does not describe is described by hand.
    const body = schema?.properties ? jsonBody(bodyDescription, schema, example) : requestBody;
    return {
      ...rest,
      parameters,
      ...(body && { requestBody: body }),
      responses: { ...responses, ...errors },
    };
  };
  return Object.fromEntries(
    Object.entries(paths).map(([path, { get, post }]) => [
      path,
      { ...(get && { get: completed(path, get) }), ...(post && { post: completed(path, post) }) },
    ]),
  );
}

/** Fifteen digits, which every client's numbers hold. */
const MIN_HEIGHT_MAX = 999_999_999_999_999;

export const PARAMETER_PARTS: Readonly<Record<string, Parameter>> = {
  Pretty: {
    name: "pretty",
    in: "query",
    description: "Indents the answer; any value, or none.",
    allowEmptyValue: true,
    schema: { type: "string" },
  },
  Strict: {
    name: "strict",
    in: "query",
    description:
      "With `true` parameters that do not exist are refused (400) with the name that was meant, and so are members of a body; a refused name of an enum comes with that, too.",
    schema: { type: "boolean" },
  },
  MinHeight: {
    name: "X-Min-Height",
    in: "header",
    description:
      "Answers from this height on: the request waits a while for it, and is then refused with 412 and the height there is.",
    schema: { type: "integer", format: "int64", minimum: 0, maximum: MIN_HEIGHT_MAX },
  },
};

export const HEADER_PARTS: Readonly<Record<string, Header>> = {
  BlockHeight: {
    description: "Height of the block that the answer was read at; 0 while there is none.",
    schema: { type: "string", pattern: "^\\d+$" },
  },
  BlockTimestamp: {
    description: "Time of that block, Unix nanoseconds; 0 while there is none.",
    schema: UINT64,
  },
  HistoryFrom: {
    description:
      "The first block from which on the history asked for is complete; absent where no older rows were removed.",
    schema: { type: "string", pattern: "^\\d+$" },
  },
  RetryAfter: {
    description: "Seconds after which it is worth asking again.",
    schema: { type: "integer", minimum: 1 },
  },
};

export const BLOCK_HEADERS = {
  "X-Block-Height": { $ref: "#/components/headers/BlockHeight" },
  "X-Block-Timestamp": { $ref: "#/components/headers/BlockTimestamp" },
  "X-History-From": { $ref: "#/components/headers/HistoryFrom" },
};

const RETRY_HEADERS = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

export const ERROR_SCHEMAS: Readonly<Record<string, Schema>> = {
  ErrorDetail: {
    type: "object",
    properties: {
      "@type": { type: "string", description: "Always `type.googleapis.com/vega.ErrorDetail`." },
      code: { type: "integer", format: "int32", description: "Number of the error in the catalogue." },
      message: { type: "string", description: "The failed operation." },
      inner: { type: "string", description: "Why; empty when there is no more to say." },
    },
    required: ["@type", "code", "message", "inner"],
  },
  Error: {
    type: "object",
    properties: {
      code: { type: "integer", format: "int32", description: "gRPC status number." },
      message: {
        type: "string",
        description: "Kind of error, or the whole of it when there are no details.",
      },
      details: {
        type: "array",
        items: { $ref: "#/components/schemas/ErrorDetail" },
        description: "Numbers and reasons of the error; empty when the message says it all.",
      },
    },
    required: ["code", "message", "details"],
  },
};

export type ErrorKind = readonly [status: string, name: string, description: string];

export const BELOW_MIN_HEIGHT = [
  "412",
  "BelowMinHeight",
  "The height of `X-Min-Height` was not reached in time.",
] as const;

export const BODY_TOO_LARGE = [
  "413",
  "BodyTooLarge",
  "A posted body is longer than this node reads; one that is much longer is cut off without an answer in JSON.",
] as const;

export const BUSY = [
  "503",
  "Busy",
  "As many requests as may wait for a height are waiting, or the node is not ready.",
] as const;

/** Headers of a status that may change soon. */
export function retry(status: string): Response["headers"] {
  return status === "429" || status === "503" ? RETRY_HEADERS : {};
}

export function errorResponse(description: string, headers: Response["headers"]): Response {
  return {
    description,
    ...(headers && Object.keys(headers).length > 0 ? { headers } : {}),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}
