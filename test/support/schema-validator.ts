// Answers against the OpenAPI 3.1 documents, by ajv: JSON Schema 2020-12. Members that a schema does not name are
// faults: our answers have none.
import type { ErrorObject, ValidateFunction } from "ajv";
import Ajv2020 from "ajv/dist/2020";
import addFormats from "ajv-formats";

type Json = Readonly<Record<string, unknown>>;

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const ROOT = "document";

export class SchemaValidator {
  private readonly ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
  private readonly made = new Map<string, ValidateFunction>();

  constructor(private readonly document: OpenApiDocument) {
    addFormats(this.ajv);
    // Of texts and numbers whose bounds stand in `pattern`, `minimum` and `maximum`.
    for (const name of ["uint64", "uint32"]) this.ajv.addFormat(name, true);
    this.ajv.addSchema({ $id: ROOT, components: { schemas: closed(document.components.schemas!) } }, ROOT);
    this.ajv.addVocabulary(["components"]);
  }

  /** Faults of an answer, one line each; empty when all is well. */
  check(method: string, path: string, status: string, body: unknown, type = "application/json"): string[] {
    const key = [method, path, status, type].join(" ");
    let validate = this.made.get(key);
    if (validate === undefined) {
      const schema = this.schemaOf(method, path, status, type);
      this.made.set(key, (validate = this.ajv.compile(closed(rooted(schema)) as Json)));
    }
    return validate(body) ? [] : validate.errors!.map(line);
  }

  /** The same against a schema of the document's own. */
  checkPart(name: string, body: unknown): string[] {
    const validate = this.made.get(name) ?? this.ajv.compile({ $ref: `${ROOT}#/components/schemas/${name}` });
    this.made.set(name, validate);
    return validate(body) ? [] : validate.errors!.map(line);
  }

  private schemaOf(method: string, path: string, status: string, type: string): unknown {
    const operation = this.document.paths[path]?.[method] as { responses: Json } | undefined;
    if (operation === undefined) throw new Error(`the document has no ${method} ${path}`);
    const response = this.resolve(operation.responses[status]) as { content?: Json } | undefined;
    const content = response?.content?.[type] as { schema: unknown } | undefined;
    if (content === undefined) throw new Error(`the document has no ${status} ${type} for ${method} ${path}`);
    return content.schema;
  }

  private resolve(part: unknown): unknown {
    const { $ref } = (part ?? {}) as { $ref?: string };
    if ($ref === undefined) return part;
    let node: unknown = this.document;
    for (const name of $ref.replace("#/", "").split("/")) node = (node as Json)?.[name];
    return node;
  }
}

/** A copy in which an object has no member but those named. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const isObject = copy.type === "object" && copy.properties !== undefined;
  return isObject && copy.additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}

function rooted(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${ROOT}#/components/`));
}

function line({ instancePath, message, params }: ErrorObject): string {
  const extra = params.additionalProperty ?? params.missingProperty;
  return `${instancePath}: ${message}${extra === undefined ? "" : ` (${extra})`}`;
}
