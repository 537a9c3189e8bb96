// Documents of the tools' routes.
import type { TSchema } from "elysia";
import { json, list, object, type Shape, text, whole } from "../../http/declaration.ts";
import { schemaOf } from "../../http/schema-of.ts";
import { type Declaration, TOOL_LIST } from "./declarations.ts";

const ERROR = object(
  {
    code: whole("gRPC status number."),
    message: text("The failed operation, and the reason."),
    details: list("Stable code of the error and a way out.", json("An entry of it.")),
  },
  "Why nothing was done.",
);

/** Schemas that the document defines once: `Status` and the others that declarations name. */
export const MODELS: Readonly<Record<string, TSchema>> = Object.fromEntries([
  ["Error", schemaOf(ERROR)],
  ...TOOL_LIST.map(({ answer: shape }) => shape)
    .filter(({ model }) => model !== undefined)
    .map((shape) => [shape.model, schemaOf(shape)]),
]);

export const TAG = "Tools";

/** Schema of the answer and texts of a tool's route. @param name of the operation, with slashes between its words */
export function toolDocument(
  name: string,
  { answer: shape, file, summary, description }: Omit<Declaration, "members">,
) {
  return {
    response: { 200: responseOf(shape) },
    // For the document: answers are JSON.
    parse: ["json" as const],
    detail: {
      operationId: name.replace(/\W(\w)/g, (_, letter: string) => letter.toUpperCase()),
      tags: [TAG],
      summary: `${summary[0]!.toUpperCase()}${summary.slice(1)}`,
      ...(description !== undefined && { description }),
      ...(file && { requestBody: fileBody(`Dump ${file.meaning}.`) }),
    },
  };
}

/** A named schema is given by its name, which the types know of no model. */
function responseOf(shape: Shape): TSchema {
  if (shape.model !== undefined) return shape.model as never;
  return { ...schemaOf(shape), description: shape.description ?? "Done." };
}

export const LIST_DOCUMENT = toolDocument("tools", {
  method: "GET",
  summary: "list the tools",
  answer: object(
    { tools: list("An entry for each.", json("Method, path, summary, and the meaning of each member.")) },
    "The tools with their bodies.",
  ),
});

const fileBody = (description: string) => ({
  required: true,
  description,
  content: { "application/json": { schema: { type: "object" as const } } },
});
