/**
 * Writes `src/client/api.generated.ts`: the types and the table of the client, from the endpoints, the streams and their
 * messages, which the OpenAPI documents are made from too. The set-up does it when these have changed.
 *
 * `bun run generate` does it at once.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { localName, requestParameters } from "../src/http/openapi/parameters.ts";
import { SchemaBook } from "../src/http/openapi/schemas.ts";
import type { Schema } from "../src/http/openapi/types.ts";
import { DATA_ENDPOINTS } from "../src/planes/data/endpoints.ts";
import { EVENT_BUS } from "../src/planes/data/observe/event-bus.ts";
import type { Description } from "../src/planes/data/observe/kind.ts";
import { Streams } from "../src/planes/data/observe/streams.ts";
import { CHAIN_ENDPOINTS, VIEW_ENDPOINTS } from "../src/planes/node/endpoints.ts";
import { REFUSAL_DETAILS } from "../src/planes/node/openapi.ts";
import { descriptionOf } from "../src/wire/descriptions.ts";
import {
  enumDescriptor,
  type FieldDescriptor,
  messageDescriptor,
  splitName,
} from "../src/wire/descriptors.ts";
import { COMMAND_KINDS, type CommandKind } from "../src/wire/transaction-commands.ts";

const OUT = join(import.meta.dir, "../src/client/api.generated.ts");

/** Group of all resources of the node API: many of them have the names of the data API's. */
const NODE_GROUP = "node";

interface Operation {
  readonly plane: "data" | "node";
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly tag: string;
  readonly request: string;
  readonly response: string;
  readonly summary: string;
  readonly description?: string;
  /** Of a body. */
  readonly required?: readonly string[];
}

const OPERATIONS: readonly Operation[] = [
  ...DATA_ENDPOINTS.map((endpoint) => ({ plane: "data" as const, method: "GET" as const, ...endpoint })),
  ...CHAIN_ENDPOINTS.map((endpoint) => ({ plane: "node" as const, ...endpoint })),
  ...VIEW_ENDPOINTS.map((endpoint) => ({ plane: "node" as const, method: "GET" as const, ...endpoint })),
];
const STREAMS: readonly Description[] = [...Streams.kinds, EVENT_BUS];

/** Members that the client sets by itself: it reads the event bus as fast as it can, without batches. */
const WITHHELD: ReadonlySet<string> = new Set(["datanode.api.v2.ObserveEventBusRequest.batchSize"]);

/** Packages whose messages have the names of other packages' messages. */
const PREFIXES: Readonly<Record<string, string>> = {
  "vega.api.v1": "Core",
  "vega.commands.v1": "Command",
  "vega.data.v1": "Data",
  "vega.events.v1": "Event",
};

/** `Order.Status` of `vega` is `OrderStatus`. */
function typeName(fullName: string): string {
  const [packageName, local] = splitName(fullName);
  return `${PREFIXES[packageName] ?? ""}${local.replaceAll(".", "")}`;
}

const lower = (text: string) => text[0]!.toLowerCase() + text.slice(1);
const camel = (words: string) =>
  lower(words.replace(/[^A-Za-z0-9]+(\w)/g, (_, letter) => letter.toUpperCase()));

/** `Network history` is `networkHistory`. */
function groupOf({ plane, tag }: Operation): string {
  return plane === "node" ? NODE_GROUP : camel(tag.replace(/[A-Z]+(?=\d|\b)/g, (word) => word.toLowerCase()));
}

/** `ListMarkets` of the group `markets` is `list`, `GetLatestMarketData` `getLatestData`: the group's own noun is left out. */
function callName(operation: Operation): string {
  const name = localName(operation.request).replace(/Request$/, "");
  if (operation.plane === "node") return lower(name);
  const nouns = operation.tag.split(" ").flatMap((word) => {
    const capital = word[0]!.toUpperCase() + word.slice(1);
    return [capital, capital.replace(/ies$/, "y"), capital.replace(/s$/, "")];
  });
  const noun = [operation.tag.replace(/ (\w)/g, (_, letter) => letter.toUpperCase()), ...nouns]
    .sort((a, b) => b.length - a.length)
    .find((each) => new RegExp(`${each}(?![a-z])`).test(name));
  return lower(noun === undefined ? name : name.replace(noun, ""));
}

/** `markets/depth/updates` is `marketsDepthUpdates`. */
const streamName = (path: string) => camel(path);

const comment = (text: string | undefined, indent: string) =>
  text === undefined || text === "" ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`;

const FLOAT = 'number | "NaN" | "Infinity" | "-Infinity"';
const INPUTS: Readonly<Record<string, string>> = {
  string: "string",
  bytes: "string",
  bool: "boolean",
  int32: "number",
  uint32: "number",
  int64: "Whole",
  uint64: "Whole",
  float: "number",
  double: "number",
};

/** Types of what is answered (with every member) and of what is sent (all of it optional). */
class Types {
  private readonly book = new SchemaBook();
  private readonly inputs = new Map<string, string>();

  answer(fullName: string): string {
    this.book.message(fullName);
    return typeName(fullName);
  }

  /** A request, by the parameters that the document has. */
  request(fullName: string, path: string, needs: readonly string[] = []): string {
    const inPath = requestParameters(fullName, path)
      .filter(({ required }) => required)
      .map(({ name }) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
    return this.input(fullName, [...inPath, ...needs], typeName(fullName), false);
  }

  /** A request that is a body, with all that its message has. @param required as the document says */
  body(fullName: string, required: readonly string[]): string {
    return this.input(fullName, required, typeName(fullName));
  }

  /** A command's payload. */
  payload(fullName: string): string {
    return this.input(fullName);
  }

  /** A message in a request. @param hasLists of messages: a query has no form for them */
  private input(
    fullName: string,
    required: readonly string[] = [],
    name = `${typeName(fullName)}Input`,
    hasLists = true,
  ): string {
    if (this.inputs.has(name)) return name;
    this.inputs.set(name, "");
    const { fields } = messageDescriptor(fullName);
    const sendable = fields.filter(
      ({ kind, repeated, jsonName }) =>
        (hasLists || kind !== "message" || !repeated) && !WITHHELD.has(`${fullName}.${jsonName}`),
    );
    const members = sendable.map((field) => {
      const mark = required.includes(field.jsonName) ? "" : "?";
      const about = comment(descriptionOf(fullName, field.jsonName), "  ");
      return `${about}  readonly ${field.jsonName}${mark}: ${this.inputType(field)};\n`;
    });
    this.inputs.set(name, `export interface ${name} {\n${members.join("")}}\n`);
    return name;
  }

  private inputType(field: FieldDescriptor): string {
    const { kind, typeName: fullName, repeated } = field;
    if (kind === "map") return `Readonly<Record<string, ${this.input(fullName)}>>`;
    const type =
      kind === "message"
        ? this.input(fullName)
        : kind === "enum"
          ? this.enumeration(fullName)
          : INPUTS[kind]!;
    return repeated ? `readonly ${type}[]` : type;
  }

  private enumeration(fullName: string): string {
    this.book.enumeration(fullName);
    return typeName(fullName);
  }

  texts(): string[] {
    const names = new Map<string, string>();
    const answers = Object.entries(this.book.schemas).map(([fullName, schema]) => {
      const name = typeName(fullName);
      if (names.has(name)) throw new Error(`${fullName} and ${names.get(name)} have one name: add a prefix`);
      names.set(name, fullName);
      if (schema.enum !== undefined) return enumText(fullName);
      return `export interface ${name} ${membersText(schema, "")}\n`;
    });
    return [...answers, ...this.inputs.values()];
  }
}

function enumText(fullName: string): string {
  const values = [...enumDescriptor(fullName).numberOf.keys()].map((value) => {
    return `${comment(descriptionOf(fullName, value), "  ")}  | ${JSON.stringify(value)}\n`;
  });
  return `export type ${typeName(fullName)} =\n${values.join("")};\n`;
}

function membersText({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, member]) => {
    const mark = required.includes(name) ? "" : "?";
    return `${comment(member.description, inner)}${inner}readonly ${name}${mark}: ${schemaType(member, inner)};\n`;
  });
  return `{\n${members.join("")}${indent}}`;
}

function schemaType(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return typeName(schema.$ref.replace("#/components/schemas/", ""));
  if (schema.anyOf !== undefined) {
    if (schema.anyOf.some(({ format }) => format === "double" || format === "float")) return FLOAT;
    return schema.anyOf.map((one) => schemaType(one, indent)).join(" | ");
  }
  switch (schema.type) {
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `readonly ${schemaType(schema.items!, indent)}[]`;
    case "object": {
      const { additionalProperties: each } = schema;
      return typeof each === "object"
        ? `Readonly<Record<string, ${schemaType(each, indent)}>>`
        : membersText(schema, indent);
    }
    default:
      return "string";
  }
}

/** The member that holds the pages of a list, and what its rows are. */
function pageOf({ request, response }: Operation): { member: string; row: string } | undefined {
  if (!messageDescriptor(request).fields.some(({ typeName }) => typeName === "datanode.api.v2.Pagination"))
    return undefined;
  for (const field of messageDescriptor(response).fields) {
    if (field.kind !== "message") continue;
    const edges = messageDescriptor(field.typeName).fields.find(({ jsonName }) => jsonName === "edges");
    if (edges === undefined) continue;
    const node = messageDescriptor(edges.typeName).fields.find(({ jsonName }) => jsonName === "node")!;
    return { member: field.jsonName, row: node.typeName };
  }
  return undefined;
}

const queryNames = (request: string, path = "") =>
  requestParameters(request, path)
    .filter((parameter) => parameter.in === "query" && !WITHHELD.has(`${request}.${parameter.name}`))
    .map(({ name }) => name);

/** `GET data /api/v2/markets markets pagination.first`: method, plane, path, the member with pages or `-`, names of parameters. */
function rowText(operation: Operation): string {
  const { plane, method, path, request } = operation;
  const names =
    method === "POST"
      ? messageDescriptor(request).fields.map(({ jsonName }) => jsonName)
      : queryNames(request, path);
  return [method, plane, path, pageOf(operation)?.member ?? "-", ...names].join(" ");
}

function sentences({ summary, description }: { summary: string; description?: string }): string {
  return `${summary}.${description === undefined ? "" : ` ${description}`}`;
}

/** The module. */
export function clientText(): string {
  const types = new Types();
  const groups = Map.groupBy(OPERATIONS, groupOf);
  const interfaces: string[] = [];
  const tables: string[] = [];
  for (const [group, operations] of groups) {
    const calls = operations.map((operation) => {
      const { request, response, path, method } = operation;
      const page = pageOf(operation);
      const answer = types.answer(response);
      const sent =
        operation.required === undefined
          ? types.request(request, path)
          : types.body(request, operation.required);
      const type =
        page !== undefined
          ? `PagedCall<${sent}, ${answer}, ${types.answer(page.row)}>`
          : `Call<${sent}, ${method === "POST" ? `${answer} & Refusable` : answer}>`;
      return { name: callName(operation), about: sentences(operation), type, row: rowText(operation) };
    });
    const names = calls.map(({ name }) => name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw new Error(`${group} has two calls named ${twice}`);
    const members = calls.map(
      ({ name, about, type }) => `${comment(about, "    ")}    readonly ${name}: ${type};\n`,
    );
    interfaces.push(`  readonly ${group}: {\n${members.join("")}  };\n`);
    tables.push(
      `  ${group}: {\n${calls.map(({ name, row }) => `    ${name}: ${JSON.stringify(row)},\n`).join("")}  },\n`,
    );
  }
  const streams = STREAMS.map((kind) => ({
    name: streamName(kind.path),
    about: sentences(kind),
    type: `Stream<${types.request(kind.request, "", kind.needs)}, ${types.answer(kind.response)}>`,
    row: [
      kind.path,
      ...queryNames(kind.request).map((name) => (kind.needs?.includes(name) ? `${name}!` : name)),
    ].join(" "),
  }));
  const { fields } = messageDescriptor("vega.commands.v1.InputData");
  const commands = fields
    .filter(({ jsonName }) => COMMAND_KINDS.includes(jsonName as CommandKind))
    .map(({ jsonName, typeName }) => `  | { readonly ${jsonName}: ${types.payload(typeName)} }\n`);
  return [
    "// Made by scripts/generate-client.ts from the endpoints and streams of the planes.",
    'import type { Call, PagedCall, Stream, Whole } from "./calls.ts";\n',
    ...types.texts(),
    comment("Why a transaction was refused.", "") +
      `export interface RefusalDetails ${membersText(REFUSAL_DETAILS, "")}\n`,
    "/** A verdict, with its reason where it is a refusal. */",
    "export interface Refusable {\n  readonly details?: RefusalDetails;\n}\n",
    "/** A command to send, named by its member. */",
    `export type Command =\n${commands.join("")};\n`,
    "/** Every resource of the data API by its group, and those of the node API in `node`. */",
    `export interface Resources {\n${interfaces.join("")}}\n`,
    "/** Every stream. */",
    `export interface StreamCalls {\n${streams.map(({ name, about, type }) => `${comment(about, "  ")}  readonly ${name}: ${type};\n`).join("")}}\n`,
    "/** By group and call: method, plane, path, the member with pages or `-`, names of parameters. */",
    `export const RESOURCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {\n${tables.join("")}};\n`,
    "/** By name: path below `/api/v2/stream/`, names of parameters; `!` stands behind those that are needed. */",
    `export const STREAMS: Readonly<Record<string, string>> = {\n${streams.map(({ name, row }) => `  ${name}: ${JSON.stringify(row)},\n`).join("")}};\n`,
  ].join("\n");
}

if (import.meta.main) writeFileSync(OUT, clientText());
