// The messages, enums and services of `src/wire/proto`, as protobufjs reads them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import protobuf from "protobufjs";
import type { FieldDescriptor } from "../../src/wire/descriptors.ts";
import type { ServiceDescriptor } from "../../src/wire/services.ts";

export const PROTO_FOLDER = join(import.meta.dir, "..", "..", "src", "wire", "proto");

export interface ProtoFile {
  /** Below the folder of all files: `vega/api/v1/core.proto`. */
  readonly path: string;
  readonly packageName: string;
  /** Go's name of the generated package. */
  readonly goPackage: string;
  readonly imports: readonly string[];
  /** Nested ones stand behind those around them. */
  readonly messages: readonly ProtoMessage[];
  readonly enums: readonly ProtoEnum[];
  readonly services: readonly ServiceDescriptor[];
}

export interface ProtoMessage {
  readonly fullName: string;
  /** Inside its package: `Asset`, `HealthCheckResponse.ServingStatus`. */
  readonly localName: string;
  /** In declaration order, because members of JSON follow it (data API 1.3). */
  readonly fields: readonly CommentedField[];
  /** An entry of a map whose values are not messages. */
  readonly isMapEntry?: boolean;
}

export interface CommentedField extends FieldDescriptor {
  readonly comment: string;
}

export interface ProtoEnum {
  readonly fullName: string;
  readonly localName: string;
  /** In declaration order. */
  readonly values: readonly { readonly name: string; readonly number: number; readonly comment: string }[];
}

/** Every file below `src/wire/proto`, by path; one package has one file. */
export function readProtoFiles(): ProtoFile[] {
  const root = new protobuf.Root();
  const paths = readdirSync(PROTO_FOLDER, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".proto"))
    .sort();
  const parsed = paths.map((path) => {
    const text = readFileSync(join(PROTO_FOLDER, path), "utf8");
    const { package: name, imports } = protobuf.parse(text, root, {
      keepCase: true,
      alternateCommentMode: true,
    });
    if (name == null) throw new Error(`${path} names no package`);
    return { path, packageName: name, imports: imports ?? [] };
  });
  root.resolveAll();
  return parsed.map((file) => fileOf(file, root.lookup(file.packageName) as protobuf.Namespace));
}

function fileOf(
  head: Pick<ProtoFile, "path" | "packageName" | "imports">,
  namespace: protobuf.Namespace,
): ProtoFile {
  const messages: ProtoMessage[] = [];
  const enums: ProtoEnum[] = [];
  const services: ServiceDescriptor[] = [];
  const walk = (parts: readonly protobuf.ReflectionObject[]): void => {
    for (const part of parts) {
      if (part instanceof protobuf.Enum) enums.push(enumOf(part, head.packageName));
      else if (part instanceof protobuf.Service) services.push(serviceOf(part, head.packageName));
      else if (part instanceof protobuf.Type) {
        messages.push(messageOf(part, head.packageName));
        messages.push(...scalarMapEntries(part, head.packageName));
        walk(part.nestedArray);
      }
    }
  };
  walk(namespace.nestedArray);
  const byName = (a: ProtoEnum, b: ProtoEnum) => (a.localName < b.localName ? -1 : 1);
  const goPackage = String(namespace.options?.go_package);
  return { ...head, goPackage, messages, enums: enums.sort(byName), services };
}

const fullNameOf = (part: protobuf.ReflectionObject): string => part.fullName.slice(1);
const oneLine = (comment: string | null | undefined): string => (comment ?? "").replaceAll("\n", " ");

function messageOf(type: protobuf.Type, packageName: string): ProtoMessage {
  const fullName = fullNameOf(type);
  return {
    fullName,
    localName: fullName.slice(packageName.length + 1),
    fields: type.fieldsArray.map(fieldOf),
  };
}

function fieldOf(field: protobuf.Field): CommentedField {
  const { name, id, type, resolvedType, repeated, partOf } = field;
  const isMap = field instanceof protobuf.MapField;
  if (isMap && field.keyType !== "string") throw new Error(`${field.fullName}: keys of maps must be strings`);
  const isOptional = partOf?.isProto3Optional === true;
  const isScalarMap = isMap && resolvedType === null;
  const kind = resolvedType === null ? type : resolvedType instanceof protobuf.Enum ? "enum" : "message";
  return {
    name,
    jsonName: lowerCamel(name),
    number: id,
    kind: (isScalarMap ? "message" : isMap ? "map" : kind) as FieldDescriptor["kind"],
    typeName: isScalarMap ? entryFullName(field) : resolvedType === null ? "" : fullNameOf(resolvedType),
    repeated: repeated || isScalarMap,
    optional: isOptional,
    oneof: partOf && !isOptional ? partOf.name : "",
    comment: oneLine(field.comment),
  };
}

/** On the wire a map is a list of entries: where its values are no messages, the generated code has it as one. */
function scalarMapEntries(type: protobuf.Type, packageName: string): ProtoMessage[] {
  return type.fieldsArray
    .filter((field) => field instanceof protobuf.MapField && field.resolvedType === null)
    .map((field) => {
      const fullName = entryFullName(field);
      const member = (name: string, number: number, kind: string): CommentedField => ({
        ...{ name, jsonName: name, number, kind: kind as FieldDescriptor["kind"], typeName: "", comment: "" },
        ...{ repeated: false, optional: false, oneof: "" },
      });
      const fields = [member("key", 1, "string"), member("value", 2, field.type)];
      return { fullName, localName: fullName.slice(packageName.length + 1), fields, isMapEntry: true };
    });
}

/** Protobuf's name of the message that an entry of a map is. */
export function entryName({ name }: { readonly name: string }): string {
  const camel = lowerCamel(name);
  return `${camel[0]!.toUpperCase()}${camel.slice(1)}Entry`;
}

function entryFullName(field: protobuf.Field): string {
  return `${fullNameOf(field.parent!)}.${entryName(field)}`;
}

/** Protobuf's name of a member in JSON. */
function lowerCamel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function enumOf(one: protobuf.Enum, packageName: string): ProtoEnum {
  const fullName = fullNameOf(one);
  return {
    fullName,
    localName: fullName.slice(packageName.length + 1),
    values: Object.entries(one.values).flatMap(([name, number]) =>
      // The library has the names by number beside the numbers by name.
      typeof number === "number" ? [{ name, number, comment: oneLine(one.comments[name]) }] : [],
    ),
  };
}

function serviceOf(service: protobuf.Service, packageName: string): ServiceDescriptor {
  const fullName = fullNameOf(service);
  const methods = service.methodsArray.map((method) => ({
    name: method.name,
    path: `/${fullName}/${method.name}`,
    request: fullNameOf(method.resolvedRequestType!),
    response: fullNameOf(method.resolvedResponseType!),
    isRequestStream: method.requestStream === true,
    isResponseStream: method.responseStream === true,
  }));
  return { fullName, packageName, methods };
}
