/**
 * Writes what is made from the declarations of the devnet's tools (`src/planes/devnet/declarations.ts`): the package's calls,
 * `src/package/tools.generated.ts`, and the table in docs/devnet.md. The set-up does it when the declarations have changed.
 *
 * `bun run generate` does it at once.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isOptional, plainName, type Shape } from "../src/http/declaration.ts";
import type { Schema } from "../src/http/openapi/types.ts";
import {
  type Declaration,
  FORWARD_TIME,
  FORWARD_TIME_PATH,
  TOOL_LIST,
} from "../src/planes/devnet/declarations.ts";
import type { Member, MemberKind } from "../src/planes/devnet/members.ts";

const root = join(import.meta.dir, "..");
const CALLS = join(root, "src/package/tools.generated.ts");
const DOCUMENT = join(root, "docs/devnet.md");
const TABLE = /(?<=<!-- made from src\/planes\/devnet\/declarations\.ts -->\n)[\s\S]*?(?=<!-- end -->)/;

type Tool = (typeof TOOL_LIST)[number];

/** The type that a call takes for a member of each kind, and the JSON that is sent. */
const ARGUMENTS: Readonly<Record<MemberKind, { type: string; sent?: (name: string) => string }>> = {
  text: { type: "string" },
  party: { type: "string" },
  asset: { type: "string" },
  hash: { type: "string" },
  duration: { type: "string" },
  mode: { type: "string" },
  price: { type: "number | string", sent: (name) => `textOf(${name})` },
  amount: { type: "Amount", sent: (name) => `textOf(${name})` },
  wholeNumber: { type: "Amount", sent: (name) => `textOf(${name})` },
  count: { type: "number" },
  flag: { type: "boolean" },
  object: { type: "object" },
  hashes: { type: "readonly string[]" },
  time: { type: "string | bigint | Date", sent: (name) => `timeText(${name})` },
};

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);
/** `market/create` as `MarketCreate`. */
const typeName = (path: string) => path.split("/").map(capital).join("");
const sentences = ({ summary, description }: Declaration) =>
  `${capital(summary)}.${description === undefined ? "" : ` ${description}`}`;

/** The module of the package's calls. */
export function callsText(): string {
  const types = new AnswerTypes();
  const alone = TOOL_LIST.filter(({ path }) => !path.includes("/"));
  const groups = Map.groupBy(
    TOOL_LIST.filter(({ path }) => path.includes("/")),
    ({ path }) => path.split("/")[0]!,
  );
  const methods = alone.map((tool) => {
    const { parameters, call } = callOf(tool);
    const head = `  ${tool.path}(${parameters}): Promise<${types.of(tool)}> {`;
    return `${comment(tool, "  ")}${head}\n    return ${call};\n  }\n`;
  });
  const grouped = [...groups].map(([name, tools]) => {
    const members = tools.map((tool) => {
      const { parameters, call } = callOf(tool);
      const head = `    ${tool.path.split("/")[1]}: (${parameters}): Promise<${types.of(tool)}> =>`;
      return `${comment(tool, "    ")}${head}\n      ${call},\n`;
    });
    return `  readonly ${name} = {\n${members.join("")}  };\n`;
  });
  const choices = TOOL_LIST.filter(takesChoice).map(choiceText);
  return [
    "// Made by scripts/generate-tools.ts from src/planes/devnet/declarations.ts.",
    ...types.imports(),
    'import type { HttpClient } from "./http-client.ts";\n',
    "/** A whole number in an asset's smallest unit. Above 2^53 a text or a bigint. */",
    "export type Amount = bigint | number | string;\n",
    ...types.interfaces(),
    ...choices,
    "const textOf = (value: bigint | number | string | undefined) =>",
    "  value === undefined ? undefined : String(value);",
    "const timeText = (time: string | bigint | Date) =>",
    "  time instanceof Date ? time.toISOString() : String(time);\n",
    "/**",
    " * The tools of a devnet as calls (docs/devnet.md), each named as its path. A party is given by its public key or its name",
    " * (`alice` to `judy`), an asset by its id or symbol, a market by its id, the beginning of that, or its code. Each call",
    " * rejects with the tool's own sentence, `code` and `hint`.",
    " */",
    "export class DevnetTools {",
    "  constructor(",
    "    private readonly http: HttpClient,",
    "    private readonly nodeUrl: string,",
    "  ) {}\n",
    ...methods,
    ...grouped,
    "  private address(path: string): string {",
    '    return this.nodeUrl + "/devnet/" + path;',
    "  }",
    "}",
    "",
  ].join("\n");
}

/** Whether a call takes its members as one object: when none is required, and there are several. */
function takesChoice({ members }: Tool): boolean {
  const names = Object.keys(members);
  return names.length > 1 && names.every(isOptional);
}

/** The parameters of a call, and the expression that makes it. Members that are undefined are not sent. */
function callOf(tool: Tool): { parameters: string; call: string } {
  const { method, path, members, file, answer } = tool;
  const call = (body?: string) => {
    const words = [`"${method}"`, `this.address("${path}")`, ...(body === undefined ? [] : [body])];
    return `this.http.${answer.raw === "text" ? "text" : "json"}(${words.join(", ")})`;
  };
  if (file !== undefined) return { parameters: `${file.name}: string`, call: call(file.name) };
  const entries = Object.entries(members);
  if (entries.length === 0) return { parameters: "", call: call() };
  const sent = (name: string, { kind }: Member, value: string) => {
    const text = ARGUMENTS[kind].sent?.(value) ?? value;
    return text === name ? name : `${name}: ${text}`;
  };
  if (takesChoice(tool)) {
    const converted = entries
      .map(([word, member]) => [plainName(word), member] as const)
      .filter(([, { kind }]) => ARGUMENTS[kind].sent !== undefined)
      .map(([name, member]) => sent(name, member, `choice.${name}`));
    const body = converted.length === 0 ? "choice" : `{ ...choice, ${converted.join(", ")} }`;
    const parameters = `choice: ${typeName(path)}Choice = {}`;
    return { parameters, call: call(`JSON.stringify(${body})`) };
  }
  const parameters = entries.map(([word, { kind }]) => `${parameterName(word)}: ${ARGUMENTS[kind].type}`);
  const body = entries.map(([word, member]) => sent(plainName(word), member, plainName(word)));
  return { parameters: parameters.join(", "), call: call(`JSON.stringify({ ${body.join(", ")} })`) };
}

const parameterName = (word: string) => (isOptional(word) ? `${plainName(word)}?` : word);

function choiceText(tool: Tool): string {
  const members = Object.entries(tool.members).map(
    ([word, { kind, meaning }]) =>
      `  /** ${capital(meaning)}. */\n  readonly ${parameterName(word)}: ${ARGUMENTS[kind].type};`,
  );
  return `export interface ${typeName(tool.path)}Choice {\n${members.join("\n")}\n}\n`;
}

function comment(tool: Tool, indent: string): string {
  const { file } = tool;
  const meanings = takesChoice(tool)
    ? []
    : Object.entries(tool.members).map(([word, { meaning }]) => `@param ${plainName(word)} ${meaning}`);
  const uploaded = file === undefined ? [] : [`@param ${file.name} ${file.meaning}`];
  const lines = [sentences(tool), ...meanings, ...uploaded];
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}

/** Interfaces of the answers, each one written once. */
class AnswerTypes {
  private readonly names = new Map<string, { readonly name: string; readonly shape: Shape }>();
  private readonly files = new Map<string, Set<string>>();

  /** The type of a tool's answer. */
  of({ path, answer }: Tool): string {
    const { model, properties, declared } = answer;
    if (declared !== undefined || properties === undefined) return this.typeOf(answer);
    const key = JSON.stringify(answer);
    const entry = this.names.get(key) ?? {
      name: model === undefined ? `${typeName(path)}Answer` : `Devnet${model}`,
      shape: answer,
    };
    this.names.set(key, entry);
    return entry.name;
  }

  interfaces(): string[] {
    return [...this.names.values()].map(({ name, shape }) => {
      const about = shape.description === undefined ? "" : `/** ${shape.description} */\n`;
      return `${about}export interface ${name} ${this.membersOf(shape, "")}\n`;
    });
  }

  imports(): string[] {
    // Filled by the types.
    this.interfaces();
    return [...this.files]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, names]) => `import type { ${[...names].sort().join(", ")} } from "../${file}";`);
  }

  private typeOf(shape: Shape | Schema, indent = ""): string {
    const { declared, raw } = shape as Shape;
    if (declared !== undefined) {
      this.files.set(declared.file, (this.files.get(declared.file) ?? new Set()).add(declared.name));
      return declared.name;
    }
    if (raw !== undefined) return raw === "text" ? "string" : "object";
    const { type, enum: texts, items, properties, additionalProperties } = shape;
    switch (type) {
      case "string":
        return texts === undefined ? "string" : texts.map((text) => JSON.stringify(text)).join(" | ");
      case "integer":
        return "number";
      case "boolean":
        return "boolean";
      case "array":
        return `readonly ${this.typeOf(items!, indent)}[]`;
      default:
        if (properties !== undefined) return this.membersOf(shape, indent);
        return typeof additionalProperties === "object"
          ? `Readonly<Record<string, ${this.typeOf(additionalProperties, indent)}>>`
          : "object";
    }
  }

  private membersOf({ properties = {}, required = [] }: Shape | Schema, indent: string): string {
    const inner = `${indent}  `;
    const members = Object.entries(properties).map(([name, member]) => {
      const about = member.description === undefined ? "" : `${inner}/** ${member.description} */\n`;
      const mark = required.includes(name) ? "" : "?";
      return `${about}${inner}readonly ${name}${mark}: ${this.typeOf(member, inner)};\n`;
    });
    return `{\n${members.join("")}${indent}}`;
  }
}

/** The table of the tools in docs/devnet.md. */
export function tableText(): string {
  const row = (path: string, tool: Declaration) => {
    const words = Object.entries(tool.members).map(([word, { meaning }]) => `\`${word}\`: ${meaning}`);
    const body = tool.file === undefined ? words.join("; ") : `the file, ${tool.file.meaning}`;
    return `| \`${tool.method === "GET" ? "GET " : ""}${path}\` | ${body} | ${sentences(tool)} |`;
  };
  const rows = TOOL_LIST.map((tool) => row(tool.path, tool));
  const forward = row(`POST ${FORWARD_TIME_PATH}`, FORWARD_TIME);
  return ["| tool | body | |", "|---|---|---|", ...rows, forward].join("\n");
}

/** docs/devnet.md with the table in its place. */
export const documentText = (document: string): string =>
  document.replace(TABLE, () => `\n${tableText()}\n\n`);

if (import.meta.main) {
  writeFileSync(CALLS, callsText());
  // A container has the sources alone.
  if (existsSync(DOCUMENT)) {
    const document = readFileSync(DOCUMENT, "utf8");
    const written = documentText(document);
    if (written !== document) writeFileSync(DOCUMENT, written);
  }
}
