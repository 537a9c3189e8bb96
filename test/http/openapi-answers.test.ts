// The answers that the original gave over this project's recordings are what the OpenAPI document says.
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DATA_ROUTES } from "../../src/planes/data/app.ts";
import { openApiParts } from "../../src/planes/data/openapi.ts";
import { type OpenApiDocument, SchemaValidator } from "../support/schema-validator.ts";

/** In the clone, or beside it. */
const FOLDERS = [join(import.meta.dir, "../golden"), join(import.meta.dir, "../../../shared/vectors")];
const FILES = ["sample-answers.json.gz", "devnet-answers.json.gz"];

interface Recorded {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const pathOf = (url: string) => url.replace(/\?.*$/s, "");

/** The documented path of a plain answer; undefined for streams, forms and unknown paths. */
function documentedPath({ method, path, headers, requestHeaders, body }: Recorded): string | undefined {
  const type = headers["content-type"] ?? "";
  const isJson = typeof body === "object" && type.startsWith("application/json") && !type.includes("stream");
  if (method !== "GET" || !isJson || requestHeaders?.accept?.includes("stream")) return undefined;
  const route = DATA_ROUTES.findLast((one) => expressionOf(one.path).test(pathOf(path)));
  return route && Object.keys(document.paths).find((known) => nameless(known) === nameless(route.path));
}

function expressionOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, "([^/]*)")}$`);
}

/** Documents name parameters in camelCase. */
function nameless(path: string): string {
  return path.replace(/\{\w+\}/g, "{}");
}

const document = openApiParts() as unknown as OpenApiDocument;
const validator = new SchemaValidator(document);

for (const file of FILES) {
  const found = FOLDERS.map((folder) => join(folder, file)).find((path) => existsSync(path));
  if (found === undefined) console.log(`skipped: ${file} against the document (it is not here)`);
  describe.skipIf(found === undefined)(file, () => {
    test("every answer fits the document", () => {
      const text = new TextDecoder().decode(Bun.gunzipSync(readFileSync(found!)));
      const faults: string[] = [];
      let checked = 0;
      for (const answer of JSON.parse(text) as Recorded[]) {
        const path = documentedPath(answer);
        if (path === undefined) continue;
        checked++;
        const wrong = validator.check("get", path, String(answer.status), answer.body);
        if (wrong.length > 0) faults.push(`${answer.name}: ${wrong[0]}`);
      }
      expect(checked).toBeGreaterThan(800);
      expect(faults).toEqual([]);
    });
  });
}
