// The OpenAPI document of the node plane, made from its endpoints and the messages they name.
import manifest from "../../../package.json" with { type: "json" };
import { STATE_BODY } from "../../http/chain-bodies.ts";
import { localName, requestParameters } from "../../http/openapi/parameters.ts";
import {
  BELOW_MIN_HEIGHT,
  BLOCK_HEADERS,
  BODY_TOO_LARGE,
  BUSY,
  ERROR_SCHEMAS,
  type ErrorKind,
  errorResponse,
  HEADER_PARTS,
  OTHER_DOCUMENTS,
  PARAMETER_PARTS,
  retry,
} from "../../http/openapi/parts.ts";
import { SchemaBook } from "../../http/openapi/schemas.ts";
import {
  OPENAPI_VERSION,
  type Operation,
  type Parameter,
  type Paths,
  type Response,
  type Schema,
} from "../../http/openapi/types.ts";
import { toPlain } from "../../wire/json.ts";
import { readTransaction } from "../../wire/transaction.ts";
import type { ChainCall, ChainEndpointBase } from "./context.ts";
import { CHAIN_ENDPOINTS, VIEW_ENDPOINTS } from "./endpoints.ts";
import { STATE_PATH } from "./state-routes.ts";

/** Groups, in the order of the page. */
const NODE_TAGS: Readonly<Record<string, string>> = {
  Transactions: "Signed transactions go in here.",
  Chain: "Where the chain stands, and what a sender may still send.",
  "State of the network": "Parameters, limits, assets and validators as they are now.",
  "State of the parties": "Accounts, stake and delegations as they are now.",
  "State of governance": "Proposals and votes as they are now.",
  "State of the markets": "Markets and their latest data.",
  Service: "For operators of this node.",
};

const INFO = {
  title: "Lyra node API",
  version: manifest.version,
  description: [
    "The core node of a trading network of the Vega Protocol 0.71 interface: transactions go in, its present state comes out.",
    "Names of members and parameters may be written in camelCase or snake_case.",
    "Amounts, times and other 64-bit numbers are text, because JavaScript rounds them; times are Unix nanoseconds.",
    "Every read may be posted as well, its query as a form (`application/x-www-form-urlencoded`) in the body.",
    "The same resources are served on the port of the data API. What a code or a rule means: `lyra explain`.",
    OTHER_DOCUMENTS,
  ].join(" "),
};

/** Error answers, by status. */
const ERRORS: readonly ErrorKind[] = [
  ["400", "BadRequest", "The request is not understood: a parameter, the JSON, the base64, or a limit."],
  BELOW_MIN_HEIGHT,
  BODY_TOO_LARGE,
  ["429", "TooMuch", "The answer would be too large, or too many submissions wait for their block."],
  ["500", "Failed", "The chain could not be asked; `details` says why: `tx already exists in cache`, say."],
  ["501", "WrongMethod", "The path is there, for another method."],
  BUSY,
];

export const REFUSAL_DETAILS: Schema = {
  type: "object",
  description: "Why the transaction was refused; absent when it was not.",
  properties: {
    rule: { type: "string", description: "Name of the rule, for `lyra explain`." },
    sentence: { type: "string", description: "The reason for a person, with the sender's own numbers." },
    numbers: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "The sender's own numbers, by name.",
    },
  },
  required: ["rule", "sentence", "numbers"],
};

/** The document. */
export function nodeOpenApiParts() {
  const book = new SchemaBook();
  const paths: Paths = {};
  for (const endpoint of CHAIN_ENDPOINTS) {
    const documented = operation(book, endpoint);
    paths[endpoint.path] =
      endpoint.method === "GET" ? { get: documented } : { post: posted(book, endpoint, documented) };
  }
  for (const endpoint of VIEW_ENDPOINTS) paths[endpoint.path] = { get: operation(book, endpoint, true) };
  return {
    openapi: OPENAPI_VERSION,
    info: INFO,
    servers: [{ url: "/", description: "This node" }],
    tags: Object.entries(NODE_TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...paths, ...SERVICE },
    components: {
      schemas: { ...ERROR_SCHEMAS, RefusalDetails: REFUSAL_DETAILS, ...asSent(book.schemas) },
      parameters: { MinHeight: PARAMETER_PARTS.MinHeight!, Strict: PARAMETER_PARTS.Strict! },
      headers: HEADER_PARTS,
      responses: Object.fromEntries(
        ERRORS.map(([status, name, text]) => [name, errorResponse(text, retry(status))]),
      ),
    },
  };
}

function operation(book: SchemaBook, endpoint: ChainEndpointBase, isView = false): Operation {
  return {
    operationId: localName(endpoint.request).replace(/Request$/, ""),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    parameters: [
      ...requestParameters(endpoint.request, endpoint.path),
      { $ref: "#/components/parameters/MinHeight" },
      { $ref: "#/components/parameters/Strict" },
    ],
    responses: {
      "200": {
        description: "The requested resource.",
        ...(isView ? { headers: BLOCK_HEADERS } : {}),
        content: { "application/json": { schema: book.message(endpoint.response) } },
      },
      ...Object.fromEntries(
        ERRORS.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  };
}

/**
 * A transfer, signed for a chain called `example` by a key of the tests: the answer is the refusal. `lyra tx send`
 * makes transactions that are taken.
 */
const SIGNED_ELSEWHERE = [
  "CpkBCAEQB6I/kQEIBBJAMGMwYzBjMGMwYzBjMGMwYzBjMGMwYzBjMGMwYzBjMGMwYzBjMGMwYzBjMGMwYzBjMGMwYz",
  "BjMGMwYzBjMGMwYxgEIkBkMWQxZDFkMWQxZDFkMWQxZDFkMWQxZDFkMWQxZDFkMWQxZDFkMWQxZDFkMWQxZDFkMWQx",
  "ZDFkMWQxZDFkMWQxKgQxMDAwqgYAEpMBCoABYjI4NmE5ZDYyNjhhMzExMzA0MmIyZDY3OGZkNzcxMzZlZWRmMjgyZT",
  "BmZmVlOTlhMjI5ODcxZThkZjY1OTUwZjBjMDNhNjQ4MWQ3MDRlNGNjMGM3YjUxOGU1ODkwZjI0MWQ0MzI2ODFjZWNh",
  "NzA3MDlhMmQxZGJjODE4OWZhMDQSDHZlZ2EvZWQyNTUxORgBgH0DwrsBRApAYWJhYmFiYWJhYmFiYWJhYmFiYWJhYm",
  "FiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYhAF0j5ANzliNTU2MmU4ZmU2NTRmOTQwNzhi",
  "MTEyZThhOThiYTc5MDFmODUzYWU2OTViZWQ3ZTBlMzkxMGJhZDA0OTY2NA==",
].join("");

const DETAILS_PARAMETER: Parameter = {
  name: "details",
  in: "query",
  description:
    "Whether a refusal carries `details`. Clients of the original network may not know that member.",
  schema: { type: "boolean" },
};

function exampleOf(path: string): object {
  const tx = path.includes("/raw")
    ? SIGNED_ELSEWHERE
    : toPlain(
        "vega.commands.v1.Transaction",
        readTransaction(Buffer.from(SIGNED_ELSEWHERE, "base64")),
        "normal",
      );
  return path.endsWith("/check") ? { tx } : { tx, type: "TYPE_SYNC" };
}

/** A POST: its message is the body, its answer may carry details, and it waits for no height. */
function posted(book: SchemaBook, endpoint: ChainCall, operation: Operation): Operation {
  const { request, response, required } = endpoint;
  book.message(request);
  const body = { ...book.schemas[request]!, required };
  delete book.schemas[request];
  book.message(response);
  const verdict = book.schemas[response]!;
  const details: Schema = {
    $ref: "#/components/schemas/RefusalDetails",
    description: "Only of a refusal, and only with `details=true`.",
  };
  const answer: Schema = { ...verdict, properties: { ...verdict.properties, details } };
  delete book.schemas[response];
  const verdictResponse = {
    description: "The verdict. `success` is true exactly when the transaction was accepted (code 0).",
    content: { "application/json": { schema: answer } },
  };
  const { "412": _, ...errors } = operation.responses;
  return {
    ...operation,
    parameters: [DETAILS_PARAMETER, { $ref: "#/components/parameters/Strict" }],
    requestBody: {
      required: true,
      description:
        "JSON, whatever the content type says. The example is signed for another chain and shows a refusal.",
      content: { "application/json": { schema: body, example: exampleOf(endpoint.path) } },
    },
    responses: { ...errors, "200": verdictResponse },
  };
}

/** Of what clients send nothing has to be there, but what is named above. */
function asSent(schemas: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      if (!name.startsWith("vega.commands.v1.")) return [name, schema];
      const { required: _, ...rest } = schema;
      return [name, rest];
    }),
  );
}

const plain = (description: string, type = "text/plain", schema: Schema = { type: "string" }) => ({
  "200": { description, content: { [type]: { schema } } },
});

function service(
  operationId: string,
  summary: string,
  responses: Operation["responses"],
): { get: Operation } {
  return { get: { operationId, tags: ["Service"], summary, parameters: [], responses } };
}

const NOTHING_THERE: Response = {
  description: "The state has nothing there, or this node has no state of its own.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

const NOT_READY: Response = {
  description: "The chain has no block yet, or has stopped; the message says why.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

const SERVICE: Paths = {
  [STATE_PATH]: {
    get: {
      operationId: "State",
      tags: ["Service"],
      summary: "Get digests of the state, or the entries of a small part of it",
      description:
        "Two nodes with the same blocks have the same digests: `lyra chain diff` walks down to the first entry that differs. A sidecar has no state of its own.",
      parameters: [
        {
          name: "table",
          in: "query",
          description: "A table; without it, the whole state.",
          schema: { type: "string" },
        },
        {
          name: "prefix",
          in: "query",
          description: "Digits of the SHA-256 of keys: a branch of the table.",
          schema: { type: "string", pattern: "^[0-9a-f]{0,12}$" },
        },
      ],
      responses: {
        ...plain("The part.", "application/json", STATE_BODY),
        "404": NOTHING_THERE,
      },
    },
  },
  "/health": service("Health", "Whether the process answers", plain("The text `ok`.")),
  "/healthz": service("Healthz", "Whether the process answers", plain("The text `ok`.")),
  "/readyz": service("Readyz", "Whether the chain takes transactions", {
    ...plain("The text `ok`."),
    "503": NOT_READY,
  }),
  "/docs": service("Docs", "This page", plain("The page.", "text/html")),
  "/docs/json": service(
    "OpenApi",
    "This document",
    plain("The document.", "application/json", { type: "object" }),
  ),
};
