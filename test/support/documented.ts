// Answers of the data and node API, whatever test asks for them, against the OpenAPI documents.

import { openApiParts } from "../../src/planes/data/openapi.ts";
import { nodeOpenApiParts } from "../../src/planes/node/openapi.ts";
import { type OpenApiDocument, SchemaValidator } from "./schema-validator.ts";

interface Known {
  readonly document: OpenApiDocument;
  readonly validator: SchemaValidator;
  readonly paths: readonly { readonly path: string; readonly expression: RegExp }[];
}

let cached: readonly Known[] | undefined;

function documents(): readonly Known[] {
  cached ??= [openApiParts(), nodeOpenApiParts()].map((parts) => {
    const document = parts as unknown as OpenApiDocument;
    const paths = Object.keys(document.paths).map((path) => ({
      path,
      expression: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
    }));
    // A path without parameters goes before one with.
    paths.sort((a, b) => Number(a.path.includes("{")) - Number(b.path.includes("{")));
    return { document, validator: new SchemaValidator(document), paths };
  });
  return cached;
}

/** Undocumented parts of a JSON answer; empty for a resource without a document. */
export function undocumented(method: string, url: string, response: Response, text: string): string[] {
  // No resource of this server at all: a data port without a node, say.
  if (response.status === 404 && text.includes('"Not Found"')) return [];
  const type = response.headers.get("content-type")?.split(";")[0];
  if (type !== "application/json" || !text.startsWith("{")) return [];
  const pathname = url.replace(/[?#].*$/s, "");
  for (const { document, validator, paths } of documents()) {
    const path = paths.find(({ expression }) => expression.test(pathname))?.path;
    if (path === undefined) continue;
    const item = document.paths[path]!;
    // A posted form answers what GET documents, and so does another method.
    const own = method.toLowerCase() in item ? method.toLowerCase() : Object.keys(item)[0]!;
    return validator.check(own, path, String(response.status), JSON.parse(text));
  }
  return [];
}
