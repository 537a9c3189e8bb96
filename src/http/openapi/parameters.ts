// Parameters of a request from the descriptor of its message, under the rules of
// docs/protocol/10-data-api-serving.md#14-query-parameter-parsing.
import { type FieldDescriptor, messageDescriptor } from "../../wire/schema/index.ts";
import { enumSchema, INT64, UINT64 } from "./schemas.ts";
import { PARAMETERS, REQUIRED, SPECIAL } from "./texts.ts";
import type { Parameter, Schema } from "./types.ts";

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { type: "string" },
  bytes: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  uint32: { type: "integer", format: "uint32", minimum: 0, maximum: 4_294_967_295 },
  int64: INT64,
  uint64: UINT64,
  float: { type: "number" },
  double: { type: "number" },
};

/** Parameters in the path and in the query, in the order of the message. */
export function requestParameters(request: string, path: string): Parameter[] {
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!));
  const parameters: Parameter[] = [];
  collect(request, request, "", inPath, parameters);
  return parameters;
}

function collect(
  request: string,
  message: string,
  prefix: string,
  inPath: ReadonlySet<string>,
  parameters: Parameter[],
): void {
  for (const field of messageDescriptor(message).fields) {
    if (prefix === "" && inPath.has(field.name)) {
      parameters.push({
        name: field.name,
        in: "path",
        description: describe(request, field.name, field.jsonName),
        required: true,
        schema: scalarSchema(field),
      });
      continue;
    }
    const name = prefix + field.jsonName;
    // Deeper lists of messages have no form in a query, and none occurs.
    if (field.kind === "message") collect(request, field.typeName, `${name}.`, inPath, parameters);
    else parameters.push(queryParameter(request, name, field));
  }
}

function queryParameter(request: string, name: string, field: FieldDescriptor): Parameter {
  const value = scalarSchema(field);
  const isRequired = REQUIRED.has(`${localName(request)}.${name}`);
  return {
    name,
    in: "query",
    description: describe(request, name, field.jsonName),
    ...(isRequired ? { required: true } : {}),
    ...(field.repeated ? { style: "form", explode: true } : {}),
    schema: field.repeated ? { type: "array", items: value } : value,
  };
}

function scalarSchema(field: FieldDescriptor): Schema {
  if (field.kind !== "enum") return SCALARS[field.kind]!;
  return enumSchema(field.typeName);
}

/** The most particular text there is. */
function describe(request: string, name: string, last: string): string {
  const local = localName(request);
  const text =
    SPECIAL[`${local}.${name}`] ?? SPECIAL[`${local}.${last}`] ?? PARAMETERS[name] ?? PARAMETERS[last];
  return text ?? "";
}

/** `ListAssetsRequest` of `datanode.api.v2.ListAssetsRequest`. */
export function localName(fullName: string): string {
  return fullName.slice(fullName.lastIndexOf(".") + 1);
}
