// The schema as `.proto` texts, for the generators of any language (`lyra proto`).
import { type ProtoEnum, type ProtoFile, type ProtoMessage, protoFiles } from "./proto-files.ts";
import type { FieldDescriptor } from "./schema/index.ts";

/** They come with every compiler of protobuf, and with every library of gRPC. */
const BUNDLED = /^(?:google\.protobuf|grpc\..*)$/;

/** Texts by path. */
export function protoTexts(): ReadonlyMap<string, string> {
  const files = protoFiles().filter(({ packageName }) => !BUNDLED.test(packageName));
  return new Map(files.map((file) => [file.path, textOf(file)]));
}

function textOf(file: ProtoFile): string {
  const { packageName, goPackage, imports, enums, messages, services } = file;
  const parts = [
    `syntax = "proto3";`,
    `package ${packageName};`,
    ...(imports.length > 0 ? [imports.map((path) => `import "${path}";`).join("\n")] : []),
    `option go_package = "${goPackage}";`,
    ...services.map(
      ({ fullName, methods }) =>
        `service ${fullName.slice(packageName.length + 1)} {\n${methods
          .map(({ name, request, response, isRequestStream, isResponseStream }) => {
            const asked = `${isRequestStream ? "stream " : ""}${shortName(request, packageName)}`;
            const answered = `${isResponseStream ? "stream " : ""}${shortName(response, packageName)}`;
            return `  rpc ${name}(${asked}) returns (${answered});\n`;
          })
          .join("")}}`,
    ),
    ...enums.map((one) => enumText(one, "")),
    ...messages.map((message) => messageText(message, packageName, "")),
  ];
  return `// The interface of the Vega Protocol 0.71, written by lyra proto.\n${parts.join("\n\n")}\n`;
}

/** Without its package where that is the file's own. */
function shortName(fullName: string, packageName: string): string {
  const rest = fullName.slice(packageName.length + 1);
  return fullName.startsWith(`${packageName}.`) && /^[A-Z]/.test(rest) ? rest : fullName;
}

function enumText({ name, values }: ProtoEnum, indent: string): string {
  const lines = values.map(([value, number]) => `${indent}  ${value} = ${number};\n`);
  return `${indent}enum ${name} {\n${lines.join("")}${indent}}`;
}

function messageText(message: ProtoMessage, packageName: string, indent: string): string {
  const inner = `${indent}  `;
  const nested = [
    ...message.enums.map((one) => enumText(one, inner)),
    ...message.messages.map((one) => messageText(one, packageName, inner)),
  ];
  const seen = new Set<string>();
  const fields = message.fields.flatMap((field) => {
    if (field.oneof === "") return [`${inner}${fieldText(field, packageName)}`];
    if (seen.has(field.oneof)) return [];
    seen.add(field.oneof);
    const members = message.fields.filter(({ oneof }) => oneof === field.oneof);
    const lines = members.map((member) => `${inner}  ${fieldText(member, packageName)}\n`);
    return [`${inner}oneof ${field.oneof} {\n${lines.join("")}${inner}}`];
  });
  const body = [...nested, ...fields].map((text) => `${text}\n`).join("");
  return body === ""
    ? `${indent}message ${message.name} {}`
    : `${indent}message ${message.name} {\n${body}${indent}}`;
}

function fieldText(field: FieldDescriptor, packageName: string): string {
  const type = field.typeName === "" ? field.kind : shortName(field.typeName, packageName);
  const whole = field.kind === "map" ? `map<string, ${type}>` : type;
  const label = field.repeated ? "repeated " : field.optional ? "optional " : "";
  return `${label}${whole} ${field.name} = ${field.number};`;
}
