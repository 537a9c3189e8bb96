// Codes of the wallet's JSON-RPC service (docs/protocol/50-wallet-service.md#16-json-rpc-error-catalogue).
import type { Filled, Row } from "./explanation.ts";

export const WALLET_CODES = {
  "-32700": [
    [
      "Parse error",
      "the request can't be blank",
      "couldn't read the HTTP request body",
      "the request is not valid JSON",
      "the request is not a JSON object; batches are not supported",
      "the request is nested deeper than <n> levels",
      "the member <name> must be a text",
      "the member id is longer than <n> characters",
    ],
    "The request is not one JSON object.",
    "It is empty, broken off, a list, or a member has the wrong type; `id` must be a text. With HTTP 413 or 429 it is too long, or too many long ones come at once.",
    "Send one object: jsonrpc, method, params, id.",
  ],
  "-32600": [
    [
      "Invalid Request",
      "the API only supports JSON-RPC 2.0",
      "the method is required",
      "only POST is supported",
    ],
    "The envelope lacks something, or is not posted.",
    '`jsonrpc` is not "2.0", there is no method, or the request is not a POST.',
    "Complete the envelope, and POST it.",
  ],
  "-32601": [
    [
      "Method not found",
      'method "<name>" is not supported',
      "administrative endpoints are not exposed, for security reasons",
    ],
    "There is no such method here.",
    "The name is wrong, or begins with `admin.`: those are for the command line alone.",
    "client.list_keys, client.send_transaction and the other client methods are served; for the rest: lyra wallet.",
  ],
  "-32602": [
    ["Invalid params", "the params are required", "the params do not match expected ones"],
    "A parameter is missing or wrong.",
    "A name is misspelt, a type is wrong, a key or wallet does not exist, or the command breaks a rule of the network.",
    "`data` names the parameter, or lists the command's properties with what is wrong.",
  ],
  "-32603": [
    [
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
    "The wallet could not do it.",
    "It was locked or removed meanwhile, has no usable key, or a file cannot be read.",
    "Unlock the wallet and connect again.",
  ],
  "-32000": [
    ["Server error", "too many requests: try again in <n> s", "too many wrong tokens: try again in <n> s"],
    "Too much from one hostname (HTTP 429).",
    "A hostname has a number of connections, transactions and wrong tokens at once, and fewer a second from then on.",
    "Wait for as long as the text and `Retry-After` say.",
  ],
  "-32001": [
    "the request has been interrupted",
    "The request ended before the user answered.",
    "The caller closed the connection, or waited too long.",
    "Ask again, and give the user time.",
  ],
  "-32002": [
    [
      "the Origin header is required",
      "the Origin header is longer than <n> characters",
      "could not parse the Referer header: it is not an address",
    ],
    "The service does not know who asks.",
    "There is no usable `Origin` header; browsers send it, programs have to.",
    "Send `Origin` with the address of your application.",
  ],
  "-32003": [
    [
      "the Authorization header is required",
      "the Authorization header only support the VWT scheme",
      "the Authorization value is not a valid VWT",
      "the token has not a valid format",
      "there is no connection associated to this authentication token",
      "the hostname from the request does not match the one that initiated the connection",
      "the token has expired",
      "the connection has been closed",
    ],
    "The token is missing or not good (HTTP 401).",
    "This method is protected: it takes the token of a connection, from the same hostname, while it lasts.",
    "Connect (client.connect_wallet), then send `Authorization: VWT TOKEN` with each request.",
  ],
  1000: [
    [
      "Network error",
      "no healthy node available",
      "could not get information about the last block on the network",
      "could not get the chain ID from the node",
      "the transaction failed: <reason>",
    ],
    "No node could be asked, or none said whether it has the transaction.",
    "No node answers, the nodes do not agree, or the chain has no block yet. A text with a hash: the transaction may have been sent.",
    "Check the node's address and that it runs; try again. Where there is a hash, look for it first, up to the block that is named.",
  ],
  1001: [
    "",
    "The network refused the transaction with a code that the wallet does not know.",
    "The text has the code.",
    "Look up that code here.",
  ],
  1051: [
    "the network rejected the transaction because it's invalid: <reason>",
    "Result code 51: not allowed now.",
    "See code 51.",
    "Look at GET /network/limits.",
  ],
  1060: [
    "the network rejected the transaction because it's malformed: <reason>",
    "Result code 60: malformed, or not signed for this chain.",
    "See code 60.",
    "Look up the words in parentheses here.",
  ],
  1070: [
    "the network could not process the transaction: <reason>",
    "Result code 70: the command's own rules refuse it.",
    "See code 70.",
    "Look up the reason here.",
  ],
  1080: [
    "the network does not support this transaction: <reason>",
    "Result code 80: this chain cannot carry out such a command.",
    "See code 80.",
    "Send it to a network that has this feature.",
  ],
  1089: [
    "the network blocked the transaction through the spam protection: <reason>",
    "Result code 89: proof of work, replay or a spam rule.",
    "See code 89.",
    "Look up the reason here.",
  ],
  2000: [
    [
      "Application error",
      "this public key is not allowed to be used",
      "a request is already being processed",
      "the wallet is locked",
    ],
    "The application may not do this, or not now.",
    "It has not been given the key (client.list_keys asks for it), or five requests of the same hostname wait for the user.",
    "Call client.list_keys first; send the next request when one is answered.",
  ],
  2001: [
    [
      "the application cancelled the request",
      "the block height is too historic",
      "the transaction per block limit has been reached",
      "party is banned from submitting all transactions until <time>",
      "party is banned from submitting transactions of this type until <time>",
      "party has already submitted the maximum number of transactions of this type per epoch (<n>)",
    ],
    "The wallet does not send it, because the network would refuse it, and ban the key.",
    "A quota is used up, the key is banned, the node is behind, or there is no wallet to use.",
    "Wait for the next block, epoch, or the end of the ban; GET /statistics/spam/YOUR_KEY says which.",
  ],
  3000: [
    "the user closed the connection",
    "The connection was ended while the request waited.",
    "The user, or the service, closed it.",
    "Connect again.",
  ],
  3001: [
    [
      "the user rejected the wallet connection",
      "the user rejected the access to the keys",
      "the user rejected the sending of the transaction",
      "the user rejected the signing of the transaction",
      "the user rejected the checking of the transaction",
    ],
    "The user said no.",
    "The wallet asked, and it was refused; with a policy, no rule allowed it.",
    "Do not ask again by yourself. Show the user what it is for.",
  ],
  3002: [
    "the user cancelled the request",
    "The user cancelled the request.",
    "It was put aside before it was decided on.",
    "Ask again when the user wants it.",
  ],
} as const satisfies Readonly<Record<string, Row>>;

type Codes = typeof WALLET_CODES;
type TextsOf<Texts> = Texts extends readonly (infer Text extends string)[] ? Text : Texts;

/** The texts that may go with a code in an answer: those of its definition. */
export type WalletText<Code extends keyof Codes> = Filled<TextsOf<Codes[Code][0]> & string>;
