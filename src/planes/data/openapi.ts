// The OpenAPI document, made from the endpoints and the messages they name: nothing in it is written twice.
import manifest from "../../../package.json" with { type: "json" };
import type { Endpoint } from "../../http/endpoint.ts";
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
import { PLAIN_ROUTES } from "../../http/openapi/plain-routes.ts";
import { SchemaBook } from "../../http/openapi/schemas.ts";
import {
  type Header,
  OPENAPI_VERSION,
  type Operation,
  type Parameter,
  type Paths,
  type Response,
  type Schema,
} from "../../http/openapi/types.ts";
import { messageDescriptor } from "../../wire/descriptors.ts";
import type { DataContext } from "./context.ts";
import { DATA_ENDPOINTS } from "./endpoints.ts";
import { streamPaths } from "./observe/openapi.ts";

/** Groups, in the order of the page. */
const TAGS: Readonly<Record<string, string>> = {
  Accounts: "Balances as they are now.",
  Balances: "Balances as they changed, block by block.",
  Ledger: "Every movement of money between accounts.",
  Assets: "Currencies of accounts, transfers and settlements.",
  Deposits: "Money that came from outside.",
  Withdrawals: "Money that goes out.",
  "ERC20 bridge": "Signed bundles that the contracts on Ethereum accept.",
  Transfers: "Money sent between parties, once or every epoch.",
  Rewards: "Payouts at the ends of epochs.",
  Parties: "Participants, and their stake.",
  Delegations: "Stake given to validators.",
  Epochs: "Periods after which stake and rewards are counted.",
  Nodes: "Validators, their keys and signatures.",
  Governance: "Proposals and votes.",
  Network: "Parameters, limits, checkpoints and upgrades.",
  Markets: "Markets and their data.",
  Candles: "Prices and volumes by period.",
  Orders: "Orders and their versions.",
  Trades: "Purchases and sales.",
  Positions: "Open positions and margins.",
  Liquidity: "Commitments of liquidity providers.",
  Oracles: "Data from outside that markets settle on.",
  Explorer: "Blocks and transactions in words, and what a hash or a name is.",
  "Network history": "Blocks of the past as CSV, for as long as they are kept.",
  Streams: "Everything as it happens, block by block.",
  Service: "For operators of this node.",
};

interface OpenApiParts {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Paths;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

const INFO = {
  title: "Lyra data API",
  version: manifest.version,
  description: [
    "Everything that a trading network of the Vega Protocol 0.71 interface has recorded.",
    "Names of parameters may be written in camelCase or snake_case; lists repeat the parameter.",
    "Amounts, times and other 64-bit numbers are text, because JavaScript rounds them; times are Unix nanoseconds.",
    "Every read may be posted as well, its query as a form (`application/x-www-form-urlencoded`) in the body: for what is too long for an address.",
    "Every answer says in `X-Block-Height` which block it was read at.",
    OTHER_DOCUMENTS,
  ].join(" "),
};
const SERVERS = [{ url: "/", description: "This node" }];

/** Error answers that every unary resource can give, by status. */
const ERRORS: readonly ErrorKind[] = [
  ["400", "BadRequest", "A parameter is not understood, or a needed one is missing."],
  ["404", "NotFound", "There is no such resource."],
  BELOW_MIN_HEIGHT,
  BODY_TOO_LARGE,
  ["429", "TooLarge", "The answer would be larger than this node sends: ask for fewer rows."],
  ["500", "Failed", "The request could not be answered; a cursor of another list is one reason."],
  ["501", "WrongMethod", "Another method than GET (or a form sent with POST)."],
  BUSY,
];

/** The document. */
export function openApiParts(endpoints: readonly Endpoint<DataContext>[] = DATA_ENDPOINTS): OpenApiParts {
  const book = new SchemaBook();
  const paths: Paths = {};
  for (const endpoint of endpoints) {
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      paths[path] = { get: operation(book, endpoint, path) };
    }
  }
  Object.assign(paths, streamPaths(), PLAIN_ROUTES);
  return {
    openapi: OPENAPI_VERSION,
    info: INFO,
    servers: SERVERS,
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...ERROR_SCHEMAS, ...book.schemas },
      parameters: PARAMETER_PARTS,
      headers: HEADER_PARTS,
      responses: Object.fromEntries(
        ERRORS.map(([status, name, text]) => [
          name,
          errorResponse(text, { ...BLOCK_HEADERS, ...retry(status) }),
        ]),
      ),
    },
  };
}

function operation(book: SchemaBook, endpoint: Endpoint<DataContext>, path: string): Operation {
  const aliasNumber = (endpoint.aliases ?? []).indexOf(path) + 1;
  const isAlias = aliasNumber > 0;
  const id = localName(endpoint.request).replace(/Request$/, "");
  const description = [
    endpoint.description,
    isAlias ? `Another path of \`${endpoint.path}\`, for clients of the original network.` : undefined,
  ].filter((text) => text !== undefined);
  return {
    operationId: isAlias ? `${id}Alias${aliasNumber}` : id,
    tags: [endpoint.tag],
    summary: isAlias ? `${endpoint.summary} (alias)` : endpoint.summary,
    ...(description.length > 0 ? { description: description.join(" ") } : {}),
    parameters: [
      ...requestParameters(endpoint.request, path),
      { $ref: "#/components/parameters/Pretty" },
      { $ref: "#/components/parameters/Strict" },
      { $ref: "#/components/parameters/MinHeight" },
    ],
    responses: {
      "200": {
        description: answerText(endpoint.response),
        headers: BLOCK_HEADERS,
        content: { "application/json": { schema: book.message(endpoint.response) } },
      },
      ...Object.fromEntries(
        ERRORS.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  };
}

function answerText(response: string): string {
  const isList = messageDescriptor(response).fields.some(
    ({ kind, typeName }) =>
      kind === "message" &&
      messageDescriptor(typeName).fields.some(({ jsonName }) => jsonName === "pageInfo"),
  );
  return isList
    ? "A page: each row with its cursor, and in `pageInfo` whether there are more."
    : "The requested resource.";
}
