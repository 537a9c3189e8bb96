// The streams in the OpenAPI document.
import { localName, requestParameters } from "../../../http/openapi/parameters.ts";
import { errorResponse, retry } from "../../../http/openapi/parts.ts";
import type { Operation, Parameter, Paths, Schema } from "../../../http/openapi/types.ts";
import { EVENT_BUS } from "./event-bus.ts";
import type { Description } from "./kind.ts";
import { STREAM_PREFIX } from "./routes.ts";
import { Streams } from "./streams.ts";

const HEIGHT: Parameter = {
  name: "height",
  in: "query",
  description:
    "With `true` each message has the height of its block beside `result`, and each block that is over tells its height.",
  schema: { type: "boolean" },
};

const FULL: Parameter = {
  name: "full",
  in: "query",
  description: "With `true` messages are printed as unary answers: with every member, and enums by name.",
  schema: { type: "boolean" },
};

const AFTER: Parameter = {
  name: "afterHeight",
  in: "query",
  description:
    "Of a client that was cut off: the block up to which it has everything, as the last `cursor` or its height. The changes of the blocks after it come in place of the pages at the beginning. Refused where they are not kept, or the chain was taken back to before it.",
  schema: { type: "string", pattern: "^\\d+(-[0-9A-F]{16})?$" },
};

const TRANSPORT =
  "A WebSocket on the same address has a frame for each message; a plain request a line, and does not end. The header `X-Block-Height` tells the height that the stream begins at.";

function lineOf(response: string): Schema {
  return {
    type: "object",
    description: "A message, or the error that ended the stream.",
    properties: {
      result: {
        type: "object",
        description: `A \`${response}\`, zero values left out and enums as numbers.`,
      },
      height: { type: "string", description: "Height of the block, where it is asked for." },
      cursor: {
        type: "string",
        description: "At the end of a block, where heights are asked for: for `afterHeight`.",
      },
      error: { $ref: "#/components/schemas/Error" },
    },
  };
}

function operation({ method, request, response, summary, description }: Description): Operation {
  return {
    operationId: method,
    tags: ["Streams"],
    summary,
    description: `${description} ${TRANSPORT}`,
    parameters: [...requestParameters(request, ""), HEIGHT, AFTER, FULL],
    responses: {
      "200": {
        description: `Lines of JSON, each a \`${localName(response)}\` below \`result\`.`,
        headers: { "X-Block-Height": { $ref: "#/components/headers/BlockHeight" } },
        content: { "application/json": { schema: lineOf(response) } },
      },
      "400": { $ref: "#/components/responses/BadRequest" },
      "429": errorResponse("As many streams as may be open are open.", retry("429")),
      "500": { $ref: "#/components/responses/Failed" },
      "501": { $ref: "#/components/responses/WrongMethod" },
      "503": { $ref: "#/components/responses/Busy" },
    },
  };
}

export function streamPaths(): Paths {
  const all = [...Streams.kinds, EVENT_BUS];
  return Object.fromEntries(all.map((one) => [STREAM_PREFIX + one.path, { get: operation(one) }]));
}
