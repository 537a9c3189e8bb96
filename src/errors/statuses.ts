// Statuses of HTTP and their gRPC numbers: the `code` of an error object
// (docs/protocol/30-node-api-endpoints.md#6-error-bodies).
import { type Explanation, type Row, table } from "./explanation.ts";

/** gRPC statuses that occur. */
export const Grpc = {
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

type GrpcRow = readonly [name: string, http: number, ...Row];

const GRPC_STATUSES: Readonly<Record<number, GrpcRow>> = {
  2: [
    "Unknown",
    500,
    "",
    "",
    "The service failed in a way it has no number for; the message says how.",
    "Read the message; look it up here.",
  ],
  3: [
    "InvalidArgument",
    400,
    [
      "InvalidArgument error",
      "parsing field <name>",
      "parsing list <name>",
      "too many values for field <name>",
      "more than one value provided for key <name> in map <name>",
      "field already set for oneof <name>",
      "invalid semicolon separator in query",
      "invalid URL escape <text>",
      "invalid path: <text>",
      "the query is not UTF-8",
      "path and query are longer than <n> characters",
      "X-Min-Height must be a block height",
      "the request body cannot be read",
      "the request body broke off",
      "the body of a GET cannot be read: send it by POST, or the filter in the query",
      "a batch was asked for before the stream was open",
      "the upgrade to a WebSocket cannot be done",
      "the request body is not JSON",
      "the request body must be a JSON object",
      "the request has more than one Host header",
      "the request body is nested deeper than <n> levels",
    ],
    "the request is not understood.",
    "JSON, base64 or a parameter cannot be read, an identifier has the wrong form, or a limit is passed.",
    "The message, or `details[0].message`, names the place. Correct the request.",
  ],
  4: [
    "DeadlineExceeded",
    504,
    "the request body comes too slowly",
    "",
    "The answer did not come in time, or the request was not whole in time (408 over HTTP).",
    "Try again; ask for less at once; send the whole request in one go.",
  ],
  5: [
    "NotFound",
    404,
    ["Not Found", "NotFound error"],
    "",
    "There is no such path (plain `Not Found`), or no such resource (with details).",
    "GET /docs lists the paths. For a resource, check the identifier; it may not be in a block yet (X-Min-Height waits).",
  ],
  7: [
    "PermissionDenied",
    403,
    "PermissionDenied error",
    "",
    "This key or caller may not do that.",
    "Use a key that is allowed.",
  ],
  8: [
    "ResourceExhausted",
    429,
    [
      "the answer is larger than <n> bytes: <hint>",
      "<n> submissions wait for their block already: use TYPE_SYNC",
      "too many bytes of requests are on their way already",
    ],
    "",
    "The answer would be too large, or too many requests of one kind are under way.",
    "Ask for fewer rows or with a filter; use TYPE_SYNC in place of TYPE_COMMIT; try again in a moment.",
  ],
  9: [
    "FailedPrecondition",
    412,
    "height <n> is not reached: the last block is <n>",
    "",
    "The height of `X-Min-Height` did not come in time.",
    "Wait, or ask for a lower height. On a devnet with blocks on demand, a new block needs a transaction.",
  ],
  11: ["OutOfRange", 400, "", "a range is not there.", "It begins behind the end.", "See status 416."],
  12: [
    "Unimplemented",
    501,
    "Method Not Allowed",
    "the path is there, for another method.",
    "Data are read with GET, transactions are sent with POST; there is no HEAD.",
    "Use the method that GET /docs shows.",
  ],
  13: [
    "Internal",
    500,
    "Internal error",
    "the request could not be carried out.",
    "`details[0].message` says why; a submission has the chain's own words there, with detail code 10000.",
    "Look up the text of the detail here.",
  ],
  14: [
    "Unavailable",
    503,
    "",
    "",
    "The node is loading, its chain has no block yet, or it has stopped; the message says which.",
    "Wait, or look at the node's log.",
  ],
};

const HTTP_STATUSES = table("status", {
  400: ["", "Bad request: gRPC 3.", "See status 3.", "Correct the request."],
  401: [
    "",
    "Not authorised: the wallet's service wants a token.",
    "See wallet code -32003.",
    "Connect first: client.connect_wallet.",
  ],
  403: [
    "the Host header names another machine",
    "Refused: gRPC 7, the faucet's cool-down, or a caller that is not of this machine.",
    "The faucet gives a party one portion of an asset a minute. The wallet's service and a devnet's tools take requests only under the names of this machine (Host, Origin).",
    "Wait for the time in the text; call 127.0.0.1 or localhost, or see lyra wallet serve --wallet-allow-host.",
  ],
  404: ["", "Not found: gRPC 5.", "See status 5.", "Check path and identifier."],
  405: [
    "",
    "Method not allowed (faucet and wallet).",
    "Minting is a POST, health a GET.",
    "Use a method that `Allow` names.",
  ],
  412: [
    "",
    "The height asked for is not reached: gRPC 9.",
    "See status 9.",
    "Wait, or ask for a lower height.",
  ],
  413: [
    "the request body is longer than <n> bytes",
    "The body is too large.",
    "A body that is much too long is not read: the server ends the request before its last byte, without a text.",
    "Send less. A transaction has at most 1,048,576 bytes.",
  ],
  416: [
    "the range begins beyond the <n> bytes of the archive",
    "The range asked for is not there: gRPC 11.",
    "`Range` begins behind the last byte of the archive; `Content-Range` says how long it is.",
    "Ask for less, or without `Range`. A download that is complete has no rest.",
  ],
  429: ["", "Too much at once: gRPC 8.", "See status 8.", "Ask for less."],
  431: [
    "",
    "Address and headers are too long.",
    "Together they have more than 16 KiB.",
    "Post a long filter as a form (application/x-www-form-urlencoded).",
  ],
  500: ["", "Failed: gRPC 13 or 2.", "See status 13.", "Read `details`."],
  501: ["", "Wrong method: gRPC 12.", "See status 12.", "Use a method that `Allow` names."],
  503: ["", "Not ready: gRPC 14.", "See status 14.", "Wait, or look at the node's log."],
});

/** Name of a gRPC number, such as `NotFound`. */
export function grpcName(code: number): string {
  return GRPC_STATUSES[code]?.[0] ?? "Unknown";
}

function grpcStatus([code, [name, http, texts, means, why, fix]]: [string, GrpcRow]): Explanation[] {
  const sentence = means === "" ? "." : `: ${means}`;
  return table("status", { [code]: [texts, `gRPC ${name}, HTTP ${http}${sentence}`, why, fix] });
}

export const STATUSES: readonly Explanation[] = [
  ...Object.entries(GRPC_STATUSES).flatMap(grpcStatus),
  ...HTTP_STATUSES,
];

/** The status of HTTP for one of gRPC. */
export const httpStatusOf = (grpc: number): number => GRPC_STATUSES[grpc]?.[1] ?? 500;

/** Errors of these classes have the class's text outside, and their own in the details. */
const CLASSES: ReadonlySet<number> = new Set([
  Grpc.invalidArgument,
  Grpc.notFound,
  Grpc.permissionDenied,
  Grpc.internal,
]);
export const classText = (grpc: number): string | undefined =>
  CLASSES.has(grpc) ? `${GRPC_STATUSES[grpc]![0]} error` : undefined;
