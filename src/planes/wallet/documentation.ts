// The document of the wallet service beside its routes; loaded with the first request for it.
import { choice, json, nullable, object, text } from "../../http/declaration.ts";
import { answer, info, jsonBody, ref } from "../../http/openapi/parts.ts";
import type { Operation, Parameter, Paths, Schema } from "../../http/openapi/types.ts";
import { METHOD_NAMES, METHODS } from "../../wallet/service/service.ts";
import { LOCAL_METHODS } from "./local-methods.ts";
import { TAG } from "./route-documents.ts";

const PLAIN: Schema = { type: "string" };
const TOKEN: Parameter = {
  name: "Authorization",
  in: "header",
  description: "`VWT` and the token that the answer to `client.connect_wallet` brought in this header.",
  schema: PLAIN,
};
const TOKEN_HEADER = {
  Authorization: { description: "The token of the session, for the requests that follow.", schema: PLAIN },
};

const VERSION = choice("Version of JSON-RPC.", ["2.0"]);
const REQUEST = object({
  jsonrpc: VERSION,
  method: choice(
    METHOD_NAMES.map((name) => `- \`${name}\`: ${METHODS[name]!.meaning}`).join("\n"),
    METHOD_NAMES,
  ),
  "params?": json(
    "Of the three transaction methods: `publicKey`, `transaction` (a command by its member's name), and for sending `sendingMode`: `TYPE_ASYNC` or `TYPE_SYNC`.",
  ),
  "id?": text("Comes back in the answer; without it the request is carried out and not answered."),
});
const ERROR = object({
  code: { type: "integer", description: "Number of the error; `lyra explain` describes each." },
  message: text("Kind of error."),
  data: text("The error in words."),
});
const ANSWER = object({
  jsonrpc: VERSION,
  "result?": nullable(
    json("The result of the method; null where there is nothing to give. There is none beside an error."),
  ),
  "error?": { ...ref("Error"), description: "Why there is no result." },
  "errors?": { ...ref("Error"), description: "The same again, for clients of old." },
  id: nullable(text("That of the request; null where it cannot be read.")),
});

const rpc = (description: string) => answer(description, ref("Answer"), "application/json-rpc");

const CALL_RESPONSES: Operation["responses"] = {
  "200": { ...rpc("The method's result."), headers: TOKEN_HEADER },
  "204": { description: "A notification was carried out." },
  "400": rpc("The request is not understood, or the method failed; `error` says how."),
  "401": rpc("The token is missing, or not that of a session."),
  "413": rpc("The body is too long."),
  "429": rpc("Too many requests; `Retry-After` says when it is worth asking again."),
  "500": rpc("The wallet or a node could not do it."),
};
const OTHER_HOST = {
  "403": {
    description: "The `Host` header names another machine.",
    content: { "text/plain": { schema: PLAIN } },
  },
};

const ADMINISTRATION = [
  "Methods of the local socket, which only this user reaches; JSON-RPC too, and no port has them.",
  ...Object.entries(LOCAL_METHODS).map(([name, { summary }]) => `- \`${name}\`: ${summary}`),
].join("\n");

/** Parameters and results of the local socket's methods. */
const LOCAL_SCHEMAS = Object.fromEntries(
  Object.entries(LOCAL_METHODS).flatMap(([name, { params, result }]) => [
    [`${name}.params`, params],
    [`${name}.result`, result],
  ]),
);

export const parts = () => ({
  info: info(
    "Lyra wallet",
    "JSON-RPC 2.0 over HTTP for web pages and programs of this machine.",
    "Whatever is signed, and every new session, waits for the user or for a policy of theirs.",
  ),
  servers: [{ url: "/", description: "This server" }],
  tags: [
    { name: TAG, description: "Sessions, keys and transactions." },
    { name: "Administration", description: ADMINISTRATION },
  ],
  components: { schemas: { Request: REQUEST, Answer: ANSWER, Error: ERROR, ...LOCAL_SCHEMAS } },
});

/** Adds parameters, bodies and errors, which no schema of a route has. */
export const completed = (paths: Paths): Paths =>
  Object.fromEntries(
    Object.entries(paths).map(([path, { get, post }]) => [
      path,
      {
        ...(get && { get: { ...get, parameters: [], responses: { ...responsesOf(get), ...OTHER_HOST } } }),
        ...(post && {
          post: {
            ...post,
            parameters: [TOKEN],
            requestBody: jsonBody("A single request; there are no batches.", ref("Request"), {
              jsonrpc: "2.0",
              method: "client.get_chain_id",
              id: "1",
            }),
            responses: { ...CALL_RESPONSES, ...OTHER_HOST },
          },
        }),
      },
    ]),
  );

/** The plugin describes an answer without a schema as some answer. */
function responsesOf({ responses }: Operation): Operation["responses"] {
  const done = responses["200"];
  const isDescribed = done !== undefined && "content" in done;
  return isDescribed ? responses : { "200": { description: "It does; there is no body." } };
}
