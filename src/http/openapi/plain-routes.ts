// Routes beside the unary resources: archives, CSV, health, metrics, this document.
import {
  ACTIVITY_BODY,
  ADDRESSES_BODY,
  AUCTIONS_BODY,
  BLOCKS_BODY,
  MATCHES_BODY,
  PARAMETERS_BODY,
  SEGMENTS_BODY,
  TRANSACTION_BODY,
} from "../chain-bodies.ts";
import { STATUS_BODY } from "../status-body.ts";
import { requestParameters } from "./parameters.ts";
import type { Operation, Parameter, Paths, Response, Schema } from "./types.ts";

const BINARY: Schema = { type: "string", format: "binary" };
const TEXT: Schema = { type: "string" };
const WRAPPED_ERROR: Schema = {
  type: "object",
  properties: { error: { $ref: "#/components/schemas/Error" } },
  required: ["error"],
};
const ATTACHMENT = {
  "Content-Disposition": { description: "`attachment` and the name of the file.", schema: TEXT },
};

/** Of an archive, whose bytes are the same each time. */
const ARCHIVE_HEADERS = {
  ETag: { description: "Tag of exactly these bytes, for `If-Range` and `If-None-Match`.", schema: TEXT },
};
const CONTENT_RANGE = { description: "Range of these bytes, and the total.", schema: TEXT };

const MANIFEST: Parameter = {
  name: "manifest",
  in: "query",
  description:
    "`true` adds a last entry to the archive: rows, bytes and SHA-256 of each file, and the segments' hashes.",
  schema: { type: "boolean" },
};

function wrapped(description: string, schema = WRAPPED_ERROR): Response {
  return { description, content: { "application/json": { schema } } };
}

/** A parameter that is wrong by itself is refused before the export is asked, in the form of every other resource. */
const EITHER_ERROR: Schema = { oneOf: [{ $ref: "#/components/schemas/Error" }, WRAPPED_ERROR] };

const MIN_HEIGHT = { $ref: "#/components/parameters/MinHeight" };

const RETRY = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

const STREAM_ERRORS = {
  "400": wrapped(
    "A parameter is not understood; or, below `error`, the request names what is not there, and the text says what is.",
    EITHER_ERROR,
  ),
  "412": { $ref: "#/components/responses/BelowMinHeight" },
  "413": { $ref: "#/components/responses/BodyTooLarge" },
  "429": { ...wrapped("As many exports as may run at once are running."), headers: RETRY },
  "500": wrapped("The export failed before its first byte. One that fails later breaks the connection off."),
  "501": { $ref: "#/components/responses/WrongMethod" },
  "503": { $ref: "#/components/responses/Busy" },
};

const STREAM_LINE: Schema = {
  type: "object",
  description: "A line of the stream: a piece of the archive, or the error that ended it.",
  properties: {
    result: {
      type: "object",
      properties: {
        contentType: { type: "string" },
        data: { type: "string", format: "byte", description: "The next bytes of the archive." },
        extensions: {
          type: "array",
          items: { type: "object" },
          description: "In the first message only: what the archive will hold.",
        },
      },
    },
    error: { $ref: "#/components/schemas/Error" },
  },
};

const exportHistory: Operation = {
  operationId: "ExportNetworkHistory",
  tags: ["Network history"],
  summary: "Export a table as CSV in a ZIP archive",
  description:
    "The range covers whole segments: see `/api/v2/networkhistory/segments`. With `Accept: application/json+stream` the archive comes as lines of JSON.",
  parameters: [...requestParameters("datanode.api.v2.ExportNetworkHistoryRequest", ""), MANIFEST, MIN_HEIGHT],
  responses: {
    "200": {
      description: "The archive: one CSV file for each version of the table's columns in the range.",
      headers: { ...ATTACHMENT, ...ARCHIVE_HEADERS },
      content: {
        "application/zip": { schema: BINARY },
        "application/json+stream": { schema: STREAM_LINE },
      },
    },
    "206": {
      description: "The range of bytes that `Range` asks for; several at once are answered by the whole.",
      headers: { ...ATTACHMENT, ...ARCHIVE_HEADERS, "Content-Range": CONTENT_RANGE },
      content: { "application/zip": { schema: BINARY } },
    },
    "304": { description: "`If-None-Match` names the tag of these bytes.", headers: ARCHIVE_HEADERS },
    "416": {
      ...wrapped("`Range` begins behind the last byte."),
      headers: { "Content-Range": CONTENT_RANGE },
    },
    ...STREAM_ERRORS,
  },
};

const exportLedger: Operation = {
  operationId: "ExportLedgerEntries",
  tags: ["Ledger"],
  summary: "Export a party's ledger entries in one asset as CSV",
  description: "By block time, oldest first. The bounds of the date range are cut to whole seconds.",
  parameters: [...requestParameters("datanode.api.v2.ExportLedgerEntriesRequest", ""), MIN_HEIGHT],
  responses: {
    "200": {
      description: "A header line, and a line for each entry.",
      headers: ATTACHMENT,
      content: { "text/csv": { schema: TEXT } },
    },
    ...STREAM_ERRORS,
  },
};

function service(
  operationId: string,
  summary: string,
  description: string,
  responses: Operation["responses"],
): Operation {
  return { operationId, tags: ["Service"], summary, description, parameters: [], responses };
}

function plain(description: string, type = "text/plain", schema = TEXT): Response {
  return { description, content: { [type]: { schema } } };
}

const ERROR = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
const ID: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "64 hexadecimal digits.",
  schema: { type: "string" },
};

/** Below `/lyra/v1/history`: what another Lyra node fetches. */
function sharing(
  operationId: string,
  summary: string,
  responses: Operation["responses"],
  parameters: Operation["parameters"] = [],
): Operation {
  const description =
    "For `lyra history fetch` and `lyra history verify --against`. Each answer is checked there by its hashes.";
  return { operationId, tags: ["Network history"], summary, description, parameters, responses };
}

const JSON_OBJECT = (text: string) => plain(text, "application/json", { type: "object" });
const FILE = {
  "200": { description: "The file.", content: { "application/octet-stream": { schema: BINARY } } },
  "206": {
    description: "The range of bytes that `Range` asks for.",
    headers: { "Content-Range": CONTENT_RANGE },
    content: { "application/octet-stream": { schema: BINARY } },
  },
  "404": { description: "It is not here, or not any more.", content: ERROR },
  "416": { description: "`Range` begins behind the last byte." },
};
const IMAGE_STATE = {
  "200": JSON_OBJECT(
    "`{state: ready, image}`: its id, bytes, last block, and the SHA-256 of each chunk; or `{state: none}`.",
  ),
  "202": JSON_OBJECT("`{state: making, bytes}`: ask again in a moment."),
  "503": { description: "It could not be made; the message says why.", content: ERROR },
};

const SHARING_ROUTES: Paths = {
  "/lyra/v1/history": {
    get: sharing("HistorySummary", "This node's progress, and the history that it has", {
      "200": JSON_OBJECT("Chain, height, schema, and the last segment."),
    }),
  },
  "/lyra/v1/history/segments": {
    get: sharing(
      "HistorySegments",
      "The segments, oldest first, a thousand at a time",
      {
        "200": JSON_OBJECT("`{segments, more}`."),
        "400": { $ref: "#/components/responses/BadRequest" },
      },
      [
        {
          name: "from",
          in: "query",
          description: "Leave out segments that end below this height.",
          schema: { type: "integer" },
        },
      ],
    ),
  },
  "/lyra/v1/history/segments/{id}": {
    get: sharing("HistorySegment", "The file of a segment", FILE, [ID]),
  },
  "/lyra/v1/history/image": {
    get: sharing("HistoryImage", "State of the image of the store", {
      ...IMAGE_STATE,
    }),
    post: sharing("MakeHistoryImage", "Has an image of the store made, where there is no fresh one", {
      ...IMAGE_STATE,
      "412": { description: "This node has none to give; the message says why.", content: ERROR },
    }),
  },
  "/lyra/v1/history/image/{id}": {
    get: sharing("HistoryImageBytes", "Bytes of the image", FILE, [ID]),
  },
};

/** Facts of the chain that the network's interface lacks (planes/explorer/facts-routes.ts). */
function fact(
  operationId: string,
  summary: string,
  description: string,
  schema: Schema,
  parameters: Operation["parameters"] = [],
): Operation {
  const responses = {
    "200": plain("The answer.", "application/json", schema),
    "400": { $ref: "#/components/responses/BadRequest" },
  };
  return { operationId, tags: ["Explorer"], summary, description, parameters, responses };
}

const inQuery = (name: string, description: string, schema: Schema = { type: "string" }): Parameter => ({
  name,
  in: "query",
  description,
  schema,
});
const WHOLE_NUMBER: Schema = { type: "integer", minimum: 0 };

const EXPLORER_ROUTES: Paths = {
  "/lyra/v1/blocks": {
    get: fact("ListBlocks", "Blocks with their transactions counted", "Newest first.", BLOCKS_BODY, [
      inQuery("limit", "Blocks of one answer, at most 500; default 50.", WHOLE_NUMBER),
      inQuery("before", "Blocks below this height.", WHOLE_NUMBER),
    ]),
  },
  "/lyra/v1/transactions": {
    get: fact(
      "ListTransactionsInWords",
      "Transactions of blocks, their commands in words",
      "Newest first, as `/rest/transactions` of the block explorer has them. Words are those that a wallet shows its user.",
      ACTIVITY_BODY,
      [
        inQuery("limit", "Transactions of one answer, at most 200.", WHOLE_NUMBER),
        inQuery("before", "Those before this cursor."),
        inQuery("after", "Those after this cursor."),
        inQuery("height", "Those of this block.", WHOLE_NUMBER),
        inQuery("party", "Those of this sender."),
        inQuery("type", "Those of this kind of command, such as `Transfer Funds`."),
        inQuery(
          "withoutValidators",
          "`true` leaves out the commands that validators send as part of their work.",
          { type: "boolean" },
        ),
      ],
    ),
  },
  "/lyra/v1/transactions/{hash}": {
    get: fact(
      "TransactionStory",
      "All about a transaction",
      "Its command in words and in full, signature and proof of work verified again, the explanation of a refusal, and the money, balances and rows that it changed.",
      TRANSACTION_BODY,
      [{ ...ID, name: "hash" }],
    ),
  },
  "/lyra/v1/markets/{id}/auctions": {
    get: fact(
      "ListAuctions",
      "Auctions of a market",
      "From the market data of its newest 20,000 blocks, newest first.",
      AUCTIONS_BODY,
      [
        ID,
        inQuery(
          "from",
          "Auctions that still ran at this time or later, Unix seconds; default 0.",
          WHOLE_NUMBER,
        ),
      ],
    ),
  },
  "/lyra/v1/parameters": {
    get: fact(
      "ParametersWithDefaults",
      "Network parameters beside their defaults",
      "By name. The last name of an answer, as `after`, gives the next page.",
      PARAMETERS_BODY,
      [
        inQuery("changed", "`true`: those that differ from their defaults; `false`: the others.", {
          type: "boolean",
        }),
        inQuery("limit", "Parameters of one answer; default all.", WHOLE_NUMBER),
        inQuery("after", "Those behind this name."),
      ],
    ),
  },
  "/lyra/v1/segments": {
    get: fact(
      "ListSegmentsAndGaps",
      "Segments of the history, and the stretches of blocks that they hold",
      "Newest first.",
      SEGMENTS_BODY,
      [
        inQuery("limit", "Segments of one answer, at most 500; default 50.", WHOLE_NUMBER),
        inQuery(
          "before",
          "Segments that begin below this height: the first of them holds the block before it, where one does.",
          WHOLE_NUMBER,
        ),
      ],
    ),
  },
  "/lyra/v1/search": {
    get: fact(
      "Search",
      "Meaning of a hash, key, identifier, name or height",
      "The closest match first.",
      MATCHES_BODY,
      [inQuery("query", "The text, at most 200 characters.")],
    ),
  },
  "/lyra/v1/addresses": {
    get: service(
      "Addresses",
      "Mode and ports of this node",
      "On the node port too. The page finds the other ports by it.",
      {
        "200": plain("The addresses.", "application/json", ADDRESSES_BODY),
      },
    ),
  },
};

export const PLAIN_ROUTES: Paths = {
  ...SHARING_ROUTES,
  ...EXPLORER_ROUTES,
  "/api/v2/networkhistory/export": { get: exportHistory },
  "/api/v2/ledgerentry/export": { get: exportLedger },
  "/health": {
    get: service("Health", "Whether the process answers", "As the original service has it.", {
      "200": plain("The text `ok`."),
    }),
  },
  "/healthz": {
    get: service("Healthz", "Whether the process answers", "Always 200 while it does.", {
      "200": plain("The text `ok`."),
    }),
  },
  "/readyz": {
    get: service(
      "Readyz",
      "Whether the node has what it should",
      "For balancers: 503 while a recording loads, or when its source failed.",
      {
        "200": plain("The text `ok`."),
        "503": {
          description: "Not ready; the message says why.",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
      },
    ),
  },
  "/metrics": {
    get: service("Metrics", "Numbers for Prometheus", "Text format, version 0.0.4.", {
      "200": plain("A line for each number."),
    }),
  },
  "/status": {
    get: service(
      "Status",
      "The node's progress, and the state of its sources",
      "Height and time, lag, sources with their states; a sidecar says more than a node without sources. A devnet names markets that a fault has halted in `haltedMarkets`.",
      { "200": plain("The state.", "application/json", STATUS_BODY) },
    ),
  },
  "/docs": {
    get: service("Docs", "This page", "It asks no other host for anything.", {
      "200": plain("The page.", "text/html"),
    }),
  },
  "/docs/json": {
    get: service("OpenApi", "This document", "OpenAPI 3.1.", {
      "200": plain("The document.", "application/json", { type: "object" }),
    }),
  },
};
