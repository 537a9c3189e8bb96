// A file as protobuf describes it to programs, for server reflection. The library encodes; its own conversion leaves out imports,
// names in JSON and what `optional` means.
import protobuf from "protobufjs";
import descriptorJson from "protobufjs/google/protobuf/descriptor.json" with { type: "json" };
import type { FieldDescriptor } from "../../src/wire/descriptors.ts";
import { entryName, type ProtoFile, type ProtoMessage } from "./protos.ts";

const FileDescriptorProto = protobuf.Root.fromJSON(descriptorJson as protobuf.INamespace).lookupType(
  "google.protobuf.FileDescriptorProto",
);

/** The serialised `google.protobuf.FileDescriptorProto`. */
export function fileDescriptor(file: ProtoFile): Uint8Array {
  const { path, packageName, imports, goPackage } = file;
  const description = {
    name: path,
    package: packageName,
    dependency: imports,
    ...declaredIn("", file),
    service: file.services.map(({ fullName, methods }) => ({
      name: lastPart(fullName),
      method: methods.map(({ name, request, response, isRequestStream, isResponseStream }) => ({
        name,
        inputType: `.${request}`,
        outputType: `.${response}`,
        ...(isRequestStream && { clientStreaming: true }),
        ...(isResponseStream && { serverStreaming: true }),
      })),
    })),
    options: { goPackage },
    syntax: "proto3",
  };
  return FileDescriptorProto.encode(FileDescriptorProto.fromObject(description)).finish();
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
const parentOf = (localName: string): string => localName.slice(0, Math.max(0, localName.lastIndexOf(".")));

/** Messages and enums directly in `parent`: "" is the file itself. */
function declaredIn(
  parent: string,
  file: ProtoFile,
): { nestedType?: object[]; messageType?: object[]; enumType: object[] } {
  const messages = file.messages.filter(({ localName }) => parentOf(localName) === parent);
  const enumType = file.enums
    .filter(({ localName }) => parentOf(localName) === parent)
    .map(({ localName, values }) => ({
      name: lastPart(localName),
      value: values.map(({ name, number }) => ({ name, number })),
    }));
  return {
    [parent === "" ? "messageType" : "nestedType"]: messages.map((message) => messageOf(message, file)),
    enumType,
  };
}

function messageOf(message: ProtoMessage, file: ProtoFile): object {
  const { fullName, localName, fields, isMapEntry } = message;
  const groups = new Set(fields.map(({ oneof }) => oneof).filter((name) => name !== ""));
  // A oneof for each `optional` field comes behind those that are declared.
  const oneofs = [...groups, ...fields.filter(({ optional }) => optional).map(({ name }) => `_${name}`)];
  const { nestedType, ...declared } = declaredIn(localName, file);
  return {
    name: lastPart(localName),
    field: fields.map((field) => fieldOf(field, fullName, oneofs)),
    ...declared,
    nestedType: [...(nestedType ?? []), ...fields.filter(({ kind }) => kind === "map").map(mapEntry)],
    oneofDecl: oneofs.map((name) => ({ name })),
    ...(isMapEntry && { options: { mapEntry: true } }),
  };
}

function fieldOf(field: FieldDescriptor, message: string, oneofs: readonly string[]): object {
  const { name, jsonName, number, kind, typeName, repeated, optional, oneof } = field;
  const group = optional ? `_${name}` : oneof;
  return {
    name,
    jsonName,
    number,
    label: repeated || kind === "map" ? "LABEL_REPEATED" : "LABEL_OPTIONAL",
    type: kind === "map" ? "TYPE_MESSAGE" : `TYPE_${kind.toUpperCase()}`,
    ...(typeName !== "" && { typeName: `.${kind === "map" ? `${message}.${entryName(field)}` : typeName}` }),
    ...(group !== "" && { oneofIndex: oneofs.indexOf(group) }),
    ...(optional && { proto3Optional: true }),
  };
}

/** The message of one entry of a map. */
function mapEntry(field: FieldDescriptor): object {
  const label = "LABEL_OPTIONAL";
  return {
    name: entryName(field),
    field: [
      { name: "key", jsonName: "key", number: 1, label, type: "TYPE_STRING" },
      {
        name: "value",
        jsonName: "value",
        number: 2,
        label,
        type: "TYPE_MESSAGE",
        typeName: `.${field.typeName}`,
      },
    ],
    options: { mapEntry: true },
  };
}
