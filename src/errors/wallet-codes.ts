// Codes of the wallet's JSON-RPC service (docs/protocol/50-wallet-service.md#16-json-rpc-error-catalogue).
import type { CodeEntry, TextOf } from "./explanation.ts";
import { CAUSES, FIXES } from "./shared.ts";

export const WALLET_CODES = {
  "-32700": {
    text: [
      "Parse error",
      "the request can't be blank",
      "couldn't read the HTTP request body",
      "the request is not valid JSON",
      "a member of the request is there twice",
      "the request is not a JSON object; batches are not supported",
      "the request is nested deeper than <n> levels",
      "the member <name> must be a text",
      "the member id is longer than <n> characters",
    ],
    meaning: "The request is not one JSON object.",
    cause:
      "It is empty, broken off, a list, or a member has the wrong type; `id` must be a text. With HTTP 413 or 429 it is too long, or too many long ones come at once.",
    fix: "Send one object: jsonrpc, method, params, id.",
  },
  "-32600": {
    text: [
      "Invalid Request",
      "the API only supports JSON-RPC 2.0",
      "the method is required",
      "only POST is supported",
    ],
    meaning: "The envelope lacks something, or is not posted.",
    cause: '`jsonrpc` is not "2.0", there is no method, or the request is not a POST.',
    fix: "Complete the envelope, and POST it.",
  },
  "-32601": {
    text: [
      "Method not found",
      'method "<name>" is not supported',
      "administrative endpoints are not exposed, for security reasons",
    ],
    meaning: "There is no such method here.",
    cause: "The name is wrong, or begins with `admin.`: those are for the command line alone.",
    fix: "client.list_keys, client.send_transaction and the other client methods are served; for the rest: lyra wallet.",
  },
  "-32602": {
    text: ["Invalid params", "the params are required", "the params do not match expected ones"],
    meaning: "A parameter is missing or wrong.",
    cause:
      "A name is misspelt, a type is wrong, a key or wallet does not exist, or the command breaks a rule of the network.",
    fix: "`data` names the parameter, or lists the command's properties with what is wrong.",
  },
  "-32603": {
    text: [
      "Internal error",
      "could not connect to the wallet",
      "could not list the keys",
      "could not sign transaction",
      "could not send transaction",
      "could not check transaction",
      "could not create the wallet: <reason>",
      "could not import the wallet: <reason>",
      "could not generate a new key: <reason>",
      "could not <change> the key: <reason>",
      "could not sign the message: <reason>",
      "could not compute the proof-of-work: <reason>",
      "could not import the network: <reason>",
      "the tokens cannot be read",
      "the request failed inside the wallet",
    ],
    meaning: "The wallet could not do it.",
    cause: "It was locked or removed meanwhile, has no usable key, or a file cannot be read.",
    fix: "Unlock the wallet and connect again.",
  },
  "-32000": {
    text: [
      "Server error",
      "too many requests: try again in <n> s",
      "too many wrong tokens: try again in <n> s",
    ],
    meaning: "Too much from one hostname (HTTP 429).",
    cause:
      "A hostname has a number of connections, transactions and wrong tokens at once, and fewer a second from then on.",
    fix: "Wait for as long as the text and `Retry-After` say.",
  },
  "-32001": {
    text: "the request has been interrupted",
    meaning: "The request ended before the user answered.",
    cause: "The caller closed the connection, or waited too long.",
    fix: "Ask again, and give the user time.",
  },
  "-32002": {
    text: [
      "the Origin header is required",
      "the Origin header is longer than <n> characters",
      "could not parse the Referer header: it is not an address",
    ],
    meaning: "The service does not know who asks.",
    cause: "There is no usable `Origin` header; browsers send it, programs have to.",
    fix: "Send `Origin` with the address of your application.",
  },
  "-32003": {
    text: [
      "the Authorization header is required",
      "the Authorization header only support the VWT scheme",
      "the Authorization value is not a valid VWT",
      "the token has not a valid format",
      "there is no connection associated to this authentication token",
      "the hostname from the request does not match the one that initiated the connection",
      "the token has expired",
      "the connection has been closed",
    ],
    meaning: "The token is missing or not good (HTTP 401).",
    cause:
      "This method is protected: it takes the token of a connection, from the same hostname, while it lasts.",
    fix: "Connect (client.connect_wallet), then send `Authorization: VWT TOKEN` with each request.",
  },
  1000: {
    text: [
      "Network error",
      "no healthy node available",
      "could not get information about the last block on the network",
      "could not get the chain ID from the node",
      "the transaction failed: <reason>",
    ],
    meaning: "No node could be asked, or none said whether it has the transaction.",
    cause:
      "No node answers, the nodes do not agree, or the chain has no block yet. A text with a hash: the transaction may have been sent.",
    fix: "Check the node's address and that it runs; try again. Where there is a hash, look for it first, up to the block that is named.",
  },
  1001: {
    meaning: "The network refused the transaction with a code that the wallet does not know.",
    cause: "The text has the code.",
    fix: FIXES.lookUpCode,
  },
  1051: {
    text: "the network rejected the transaction because it's invalid: <reason>",
    meaning: "Result code 51: not allowed now.",
    cause: CAUSES.code(51),
    fix: FIXES.networkLimits,
  },
  1060: {
    text: "the network rejected the transaction because it's malformed: <reason>",
    meaning: "Result code 60: malformed, or not signed for this chain.",
    cause: CAUSES.code(60),
    fix: FIXES.lookUpWords,
  },
  1070: {
    text: "the network could not process the transaction: <reason>",
    meaning: "Result code 70: the command's own rules refuse it.",
    cause: CAUSES.code(70),
    fix: "Look up the reason here.",
  },
  1080: {
    text: "the network does not support this transaction: <reason>",
    meaning: "Result code 80: this chain cannot carry out such a command.",
    cause: CAUSES.code(80),
    fix: FIXES.otherNetwork,
  },
  1089: {
    text: "the network blocked the transaction through the spam protection: <reason>",
    meaning: "Result code 89: proof of work, replay or a spam rule.",
    cause: CAUSES.code(89),
    fix: "Look up the reason here.",
  },
  2000: {
    text: [
      "Application error",
      "this public key is not allowed to be used",
      "a request is already being processed",
      "the wallet is locked",
    ],
    meaning: "The application may not do this, or not now.",
    cause:
      "It has not been given the key (client.list_keys asks for it), or five requests of the same hostname wait for the user.",
    fix: "Call client.list_keys first; send the next request when one is answered.",
  },
  2001: {
    text: [
      "the application cancelled the request",
      "the block height is too historic",
      "the transaction per block limit has been reached",
      "party is banned from submitting all transactions until <time>",
      "party is banned from submitting transactions of this type until <time>",
      "party has already submitted the maximum number of transactions of this type per epoch (<n>)",
    ],
    meaning: "The wallet does not send it, because the network would refuse it, and ban the key.",
    cause: "A quota is used up, the key is banned, the node is behind, or there is no wallet to use.",
    fix: "Wait for the next block, epoch, or the end of the ban; GET /statistics/spam/YOUR_KEY says which.",
  },
  3000: {
    text: "the user closed the connection",
    meaning: "The connection was ended while the request waited.",
    cause: "The user, or the service, closed it.",
    fix: "Connect again.",
  },
  3001: {
    text: [
      "the user rejected the wallet connection",
      "the user rejected the access to the keys",
      "the user rejected the sending of the transaction",
      "the user rejected the signing of the transaction",
      "the user rejected the checking of the transaction",
    ],
    meaning: "The user said no.",
    cause: "The wallet asked, and it was refused; with a policy, no rule allowed it.",
    fix: "Do not ask again by yourself. Show the user what it is for.",
  },
  3002: {
    text: "the user cancelled the request",
    meaning: "The user cancelled the request.",
    cause: "It was put aside before it was decided on.",
    fix: "Ask again when the user wants it.",
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

type Codes = typeof WALLET_CODES;
/** The texts that may go with a code in an answer: those of its definition. */
export type WalletText<Code extends keyof Codes> = TextOf<Codes[Code]>;
