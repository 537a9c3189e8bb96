// The OpenAPI document of the wallet service: JSON-RPC 2.0 over HTTP.

import { answer, jsonBody, object, ref, smallDocument, text } from "../../http/openapi/parts.ts";
import type { Parameter, Paths, Schema } from "../../http/openapi/types.ts";
import { METHOD_NAMES } from "../../wallet/service/service.ts";

const PLAIN: Schema = { type: "string" };
const TOKEN: Parameter = {
  name: "Authorization",
  in: "header",
  description: "`VWT` and the token that the answer to `client.connect_wallet` brought in this header.",
  schema: { type: "string" },
};
const TOKEN_HEADER = {
  Authorization: { description: "The token of the session, for the requests that follow.", schema: PLAIN },
};

/** Meaning of each method. */
const METHODS: Readonly<Record<string, string>> = {
  "client.check_transaction": "signs a transaction and has a node check it; nothing is sent",
  "client.connect_wallet": "asks the user for a session; the token is in the header `Authorization`",
  "client.disconnect_wallet": "ends the session",
  "client.get_chain_id": "tells the chain of the node",
  "client.list_keys": "tells the public keys that the session may use",
  "client.send_transaction": "asks the user to sign a transaction, and sends it",
  "client.sign_transaction": "asks the user to sign a transaction, and gives it back",
};

const REQUEST = object({
  jsonrpc: { type: "string", const: "2.0", description: "Version of JSON-RPC." },
  method: {
    type: "string",
    enum: METHOD_NAMES,
    description: METHOD_NAMES.map((name) => `- \`${name}\`: ${METHODS[name] ?? ""}`).join("\n"),
  },
  "params?": {
    type: "object",
    description:
      "Of the three transaction methods: `publicKey`, `transaction` (a command by its member's name), and for sending `sendingMode`: `TYPE_ASYNC` or `TYPE_SYNC`.",
  },
  "id?": text("Comes back in the answer; without it the request is carried out and not answered."),
});

const ANSWER = object({
  jsonrpc: { type: "string", const: "2.0", description: "Version of JSON-RPC." },
  "result?": {
    description: "What the method gives: null where there is nothing to give. There is none beside an error.",
  },
  "error?": { ...ref("Error"), description: "Why there is no result." },
  "errors?": { ...ref("Error"), description: "The same again, for clients of old." },
  id: { type: ["string", "null"], description: "That of the request; null where it cannot be read." },
});

const rpc = (description: string) => answer(description, ref("Answer"), "application/json-rpc");

const paths: Paths = {
  "/api/v2/requests": {
    post: {
      operationId: "Request",
      tags: ["Wallet"],
      summary: "Call a method",
      description: "The page's origin, from `Origin` or `Referer`, is shown to the user.",
      parameters: [TOKEN],
      requestBody: jsonBody("One request; there are no batches.", ref("Request"), {
        jsonrpc: "2.0",
        method: "client.get_chain_id",
        id: "1",
      }),
      responses: {
        "200": { ...rpc("The method's result."), headers: TOKEN_HEADER },
        "204": { description: "A notification was carried out." },
        "400": rpc("The request is not understood, or the method failed; `error` says how."),
        "401": rpc("The token is missing, or not that of a session."),
        "403": {
          description: "The `Host` header names another machine.",
          content: { "text/plain": { schema: PLAIN } },
        },
        "413": rpc("The body is too long."),
        "429": rpc("Too many requests; `Retry-After` says when it is worth asking again."),
        "500": rpc("The wallet or a node could not do it."),
      },
    },
  },
  "/api/v2/methods": {
    get: {
      operationId: "Methods",
      tags: ["Wallet"],
      summary: "List the methods",
      parameters: [],
      responses: { "200": answer("Names of the methods.", ref("Methods")) },
    },
  },
  "/api/v2/health": {
    get: {
      operationId: "Health",
      tags: ["Wallet"],
      summary: "Whether the service answers",
      parameters: [],
      responses: { "200": { description: "It does; there is no body." } },
    },
  },
};

export const walletDocument = () =>
  smallDocument({
    title: "Lyra wallet",
    sentences: [
      "JSON-RPC 2.0 over HTTP for web pages and programs of this machine.",
      "Whatever is signed, and every new session, waits for the user or for a policy of theirs.",
    ],
    tags: { Wallet: "Sessions, keys and transactions." },
    paths,
    schemas: {
      Request: REQUEST,
      Answer: ANSWER,
      Error: object({
        code: { type: "integer", description: "Number of the error; `lyra explain` tells about each." },
        message: text("Kind of error."),
        data: text("The error in words."),
      }),
      Methods: object({
        result: object(
          { registeredMethods: { type: "array", items: PLAIN, description: "Names, sorted." } },
          "The list below its name, as in a result.",
        ),
      }),
    },
  });
