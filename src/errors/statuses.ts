// Statuses of HTTP and their gRPC numbers: the `code` of an error object
// (docs/protocol/30-node-api-endpoints.md#6-error-bodies).
import { type CodeEntry, type Explanation, explanationOf, explanationsOf } from "./explanation.ts";

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

interface GrpcEntry extends Omit<CodeEntry, "meaning"> {
  readonly name: string;
  /** The status of HTTP. */
  readonly http: number;
  /** Behind name and status. */
  readonly meaning?: string;
}

const GRPC_STATUSES: Readonly<Record<number, GrpcEntry>> = {
  2: {
    name: "Unknown",
    http: 500,
    cause: "The service failed in a way it has no number for; the message says how.",
    fix: "Read the message; look it up here.",
  },
  3: {
    name: "InvalidArgument",
    http: 400,
    text: [
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
      "there is no parameter <name>",
      "there is no member <name>",
    ],
    meaning: "the request is not understood.",
    cause:
      "JSON, base64 or a parameter cannot be read, an identifier has the wrong form, or a limit is passed.",
    fix: "The message, or `details[0].message`, names the place. Correct the request.",
  },
  4: {
    name: "DeadlineExceeded",
    http: 504,
    text: "the request body comes too slowly",
    cause: "The answer did not come in time, or the request was not whole in time (408 over HTTP).",
    fix: "Try again; ask for less at once; send the whole request in one go.",
  },
  5: {
    name: "NotFound",
    http: 404,
    text: ["Not Found", "NotFound error"],
    cause: "There is no such path (plain `Not Found`), or no such resource (with details).",
    fix: "GET /docs lists the paths. For a resource, check the identifier; it may not be in a block yet (X-Min-Height waits).",
  },
  7: {
    name: "PermissionDenied",
    http: 403,
    text: "PermissionDenied error",
    cause: "This key or caller may not do that.",
    fix: "Use a key that is allowed.",
  },
  8: {
    name: "ResourceExhausted",
    http: 429,
    text: [
      "the answer is larger than <n> bytes: <hint>",
      "<n> submissions wait for their block already: use TYPE_SYNC",
      "too many bytes of requests are on their way already",
    ],
    cause: "The answer would be too large, or too many requests of one kind are under way.",
    fix: "Ask for fewer rows or with a filter; use TYPE_SYNC in place of TYPE_COMMIT; try again in a moment.",
  },
  9: {
    name: "FailedPrecondition",
    http: 412,
    text: "height <n> is not reached: the last block is <n>",
    cause: "The height of `X-Min-Height` did not come in time.",
    fix: "Wait, or ask for a lower height. On a devnet with blocks on demand, a new block needs a transaction.",
  },
  11: {
    name: "OutOfRange",
    http: 400,
    meaning: "a range is not there.",
    cause: "It begins behind the end.",
    fix: "See status 416.",
  },
  12: {
    name: "Unimplemented",
    http: 501,
    text: "Method Not Allowed",
    meaning: "the path is there, for another method.",
    cause: "Data are read with GET or HEAD, transactions are sent with POST.",
    fix: "Use the method that GET /docs shows.",
  },
  13: {
    name: "Internal",
    http: 500,
    text: "Internal error",
    meaning: "the request could not be carried out.",
    cause:
      "`details[0].message` says why; a submission has the chain's own words there, with detail code 10000.",
    fix: "Look up the text of the detail here.",
  },
  14: {
    name: "Unavailable",
    http: 503,
    cause: "The node is loading, its chain has no block yet, or it has stopped; the message says which.",
    fix: "Wait, or look at the node's log.",
  },
};

const HTTP_STATUSES = explanationsOf("status", {
  400: { meaning: "Bad request: gRPC 3.", cause: "See status 3.", fix: "Correct the request." },
  401: {
    meaning: "Not authorised: the wallet's service wants a token.",
    cause: "See wallet code -32003.",
    fix: "Connect first: client.connect_wallet.",
  },
  403: {
    text: "the Host header names another machine",
    meaning: "Refused: gRPC 7, the faucet's cool-down, or a caller that is not of this machine.",
    cause:
      "The faucet gives a party one portion of an asset a minute. The wallet's service and a devnet's tools take requests only under the names of this machine (Host, Origin).",
    fix: "Wait for the time in the text; call 127.0.0.1 or localhost, or see lyra wallet serve --wallet-allow-host.",
  },
  404: { meaning: "Not found: gRPC 5.", cause: "See status 5.", fix: "Check path and identifier." },
  405: {
    meaning: "Method not allowed (faucet and wallet).",
    cause: "Minting is a POST, health a GET.",
    fix: "Use a method that `Allow` names.",
  },
  412: {
    meaning: "The height asked for is not reached: gRPC 9.",
    cause: "See status 9.",
    fix: "Wait, or ask for a lower height.",
  },
  413: {
    text: "the request body is longer than <n> bytes",
    meaning: "The body is too large.",
    cause:
      "A body that is much too long is not read: the server ends the request before its last byte, without a text.",
    fix: "Send less. A transaction has at most 1,048,576 bytes.",
  },
  416: {
    text: "the range begins beyond the <n> bytes of the archive",
    meaning: "The range asked for is not there: gRPC 11.",
    cause: "`Range` begins behind the last byte of the archive; `Content-Range` says how long it is.",
    fix: "Ask for less, or without `Range`. A download that is complete has no rest.",
  },
  429: { meaning: "Too much at once: gRPC 8.", cause: "See status 8.", fix: "Ask for less." },
  431: {
    meaning: "Address and headers are too long.",
    cause: "Together they have more than 16 KiB.",
    fix: "Post a long filter as a form (application/x-www-form-urlencoded).",
  },
  500: { meaning: "Failed: gRPC 13 or 2.", cause: "See status 13.", fix: "Read `details`." },
  501: {
    meaning: "Wrong method: gRPC 12.",
    cause: "See status 12.",
    fix: "Use a method that `Allow` names.",
  },
  503: { meaning: "Not ready: gRPC 14.", cause: "See status 14.", fix: "Wait, or look at the node's log." },
});

/** Name of a gRPC number, such as `NotFound`. */
export function grpcName(code: number): string {
  return GRPC_STATUSES[code]?.name ?? "Unknown";
}

function grpcStatus([code, entry]: [string, GrpcEntry]): Explanation {
  const { name, http, meaning } = entry;
  const sentence = meaning === undefined ? "." : `: ${meaning}`;
  return explanationOf("status", code, { ...entry, meaning: `gRPC ${name}, HTTP ${http}${sentence}` });
}

export const STATUSES: readonly Explanation[] = [
  ...Object.entries(GRPC_STATUSES).map(grpcStatus),
  ...HTTP_STATUSES,
];

/** The status of HTTP for one of gRPC. */
export const httpStatusOf = (grpc: number): number => GRPC_STATUSES[grpc]?.http ?? 500;

/** Errors of these classes have the class's text outside, and their own in the details. */
const CLASSES: ReadonlySet<number> = new Set([
  Grpc.invalidArgument,
  Grpc.notFound,
  Grpc.permissionDenied,
  Grpc.internal,
]);
export const classText = (grpc: number): string | undefined =>
  CLASSES.has(grpc) ? `${GRPC_STATUSES[grpc]!.name} error` : undefined;
