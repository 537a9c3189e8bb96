// Statuses of HTTP and their gRPC numbers: the `code` of an error object (reference 30, section 6).
import { table } from "./explanation.ts";

export const STATUSES = table("status", {
  2: [
    "",
    "gRPC Unknown, HTTP 500.",
    "The service failed in a way it has no number for; the message says how.",
    "Read the message; look it up here.",
  ],
  3: [
    "InvalidArgument error",
    "gRPC InvalidArgument, HTTP 400: the request is not understood.",
    "JSON, base64 or a parameter cannot be read, an identifier has the wrong form, or a limit is passed.",
    "The message, or `details[0].message`, names the place. Correct the request.",
  ],
  4: [
    "",
    "gRPC DeadlineExceeded, HTTP 504.",
    "The answer did not come in time.",
    "Try again; ask for less at once.",
  ],
  5: [
    ["Not Found", "NotFound error"],
    "gRPC NotFound, HTTP 404.",
    "There is no such path (plain `Not Found`), or no such resource (with details).",
    "GET /docs lists the paths. For a resource, check the identifier; it may not be in a block yet (X-Min-Height waits).",
  ],
  7: [
    "PermissionDenied error",
    "gRPC PermissionDenied, HTTP 403.",
    "This key or caller may not do that.",
    "Use a key that is allowed.",
  ],
  8: [
    [
      "the answer is larger than <n> bytes: <hint>",
      "<n> submissions wait for their block already: use TYPE_SYNC",
    ],
    "gRPC ResourceExhausted, HTTP 429.",
    "The answer would be too large, or too many requests of one kind are under way.",
    "Ask for fewer rows or with a filter; use TYPE_SYNC in place of TYPE_COMMIT; try again in a moment.",
  ],
  9: [
    "height <n> is not reached: the last block is <n>",
    "gRPC FailedPrecondition, HTTP 412.",
    "The height of `X-Min-Height` did not come in time.",
    "Wait, or ask for a lower height. On a devnet with blocks on demand, a new block needs a transaction.",
  ],
  12: [
    "Method Not Allowed",
    "gRPC Unimplemented, HTTP 501: the path is there, for another method.",
    "Data are read with GET, transactions are sent with POST; there is no HEAD.",
    "Use the method that GET /docs shows.",
  ],
  13: [
    "Internal error",
    "gRPC Internal, HTTP 500: the request could not be carried out.",
    "`details[0].message` says why; a submission has the chain's own words there, with detail code 10000.",
    "Look up the text of the detail here.",
  ],
  14: [
    "",
    "gRPC Unavailable, HTTP 503.",
    "The node is loading, its chain has no block yet, or it has stopped; the message says which.",
    "Wait, or look at the node's log.",
  ],
  400: ["", "Bad request: gRPC 3.", "See status 3.", "Correct the request."],
  401: [
    "",
    "Not authorised: the wallet's service wants a token.",
    "See wallet code -32003.",
    "Connect first: client.connect_wallet.",
  ],
  403: [
    "",
    "Refused: gRPC 7, or the faucet's cool-down.",
    "The faucet gives a party one portion of an asset a minute.",
    "Wait for the time in the text.",
  ],
  404: ["", "Not found: gRPC 5.", "See status 5.", "Check path and identifier."],
  405: ["", "Method not allowed (faucet).", "Minting is a POST, health a GET.", "Use the other method."],
  412: [
    "",
    "The height asked for is not reached: gRPC 9.",
    "See status 9.",
    "Wait, or ask for a lower height.",
  ],
  413: [
    "",
    "The body is too large to be read at all.",
    "It has more than twice the bytes that are accepted.",
    "Send less. A transaction has at most 1,048,576 bytes.",
  ],
  429: ["", "Too much at once: gRPC 8.", "See status 8.", "Ask for less."],
  431: [
    "",
    "Address and headers are too long.",
    "Together they have more than 16 KiB.",
    "Post a long filter as a form (application/x-www-form-urlencoded).",
  ],
  500: ["", "Failed: gRPC 13 or 2.", "See status 13.", "Read `details`."],
  501: ["", "Wrong method: gRPC 12.", "See status 12.", "Use the other method."],
  503: ["", "Not ready: gRPC 14.", "See status 14.", "Wait, or look at the node's log."],
});
