// The document of the tools: what it says beside the schemas of their routes.
import type { TSchema } from "elysia";
import { json, list, object, type Shape, text, whole } from "../../http/declaration.ts";
import { answer, info, jsonBody, ref, withParts } from "../../http/openapi/parts.ts";
import type { Operation, Paths } from "../../http/openapi/types.ts";
import { schemaOf } from "../../http/schema-of.ts";
import { type Declaration, FORWARD_TIME, FORWARD_TIME_PATH, TOOL_LIST } from "./declarations.ts";
import type { NameReport } from "./names.ts";

const ERROR = object(
  {
    code: whole("gRPC status number."),
    message: text("What could not be done, and why."),
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

const TAG = "Tools";
const ERRORS: Operation["responses"] = {
  "400": answer("The body is not understood, or the chain refused.", ref("Error")),
  "403": answer("The request comes from another machine, or from a page of another origin.", ref("Error")),
  "501": answer("Another method.", ref("Error")),
};

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
      ...(file && { requestBody: jsonBody(`Dump ${file.meaning}.`, { type: "object" }, undefined) as never }),
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
    { tools: list("One entry for each.", json("Method, path, summary, and the meaning of each member.")) },
    "The tools with their bodies.",
  ),
});

/** @param report of the devnet that answers, for the examples */
export function documentation(report: () => NameReport) {
  return {
    parts: async () => ({
      info: info(
        "Lyra devnet tools",
        "Whatever a developer wants of a local network: time, blocks, money, snapshots.",
        "For this machine alone, unless `--tools-allow` opened them.",
      ),
      servers: [{ url: "/", description: "This server" }],
      tags: [{ name: TAG, description: "Each is a verb of `lyra devnet` too." }],
    }),
    examples: async (paths: Paths) => completed(paths, report()),
  };
}

/** With the errors that all tools have in common, and examples that work on this devnet. */
function completed(paths: Paths, { parties, assets }: NameReport): Paths {
  const party = JSON.stringify(parties[0]?.name ?? "alice");
  const asset = JSON.stringify(parties[0]?.balances[0]?.symbol ?? assets[0]?.symbol ?? "");
  return withParts(paths, (path) => {
    const example = JSON.stringify(EXAMPLES.get(path) ?? {});
    return {
      errors: ERRORS,
      bodyDescription: "Members by name; no others.",
      example: JSON.parse(example.replaceAll('"PARTY"', party).replaceAll('"ASSET"', asset)),
    };
  });
}

const EXAMPLES: ReadonlyMap<string, object> = new Map(
  [
    ...TOOL_LIST.map((tool) => [`/devnet/${tool.path}`, tool] as const),
    [FORWARD_TIME_PATH, FORWARD_TIME] as const,
  ].map(([path, { example = {} }]) => [path, example]),
);
