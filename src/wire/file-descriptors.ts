/**
 * The files in `proto/` as protobuf describes them to programs, for server reflection: each a serialised
 * `google.protobuf.FileDescriptorProto`, which the generator has made.
 */
import { enumDescriptor, messageDescriptor, splitName } from "./descriptors.ts";
import { FILES } from "./generated/files.ts";
import { ENUMS, MESSAGES } from "./generated/schema.ts";
import { SERVICES } from "./generated/services.ts";

export interface FileDescriptor {
  /** `vega/api/v1/core.proto` */
  readonly path: string;
  readonly packageName: string;
  /** Paths of the files that it imports. */
  readonly imports: readonly string[];
  /** Base64 of its `FileDescriptorProto`. */
  readonly descriptor: string;
}

let fileOfSymbol: ReadonlyMap<string, FileDescriptor> | undefined;

const files: readonly FileDescriptor[] = FILES;

export function fileAt(path: string): FileDescriptor | undefined {
  return files.find((file) => file.path === path);
}

/** The file that declares a message, an enum, a value, a field, a service or a method, by full name. */
export function fileDeclaring(symbol: string): FileDescriptor | undefined {
  fileOfSymbol ??= indexSymbols();
  return fileOfSymbol.get(symbol);
}

/** Serialised descriptors of a file and of all that it imports, directly or not. */
export function descriptorsFrom(file: FileDescriptor): Uint8Array[] {
  const reached = new Set([file]);
  for (const { imports } of reached) for (const path of imports) reached.add(fileAt(path)!);
  return [...reached].map(({ descriptor }) => Buffer.from(descriptor, "base64"));
}

function indexSymbols(): Map<string, FileDescriptor> {
  const fileOfPackage = new Map(files.map((file) => [file.packageName, file]));
  const index = new Map<string, FileDescriptor>();
  for (const message of Object.keys(MESSAGES)) {
    const file = fileOfPackage.get(splitName(message)[0])!;
    index.set(message, file);
    for (const { name } of messageDescriptor(message).fields) index.set(`${message}.${name}`, file);
  }
  for (const name of Object.keys(ENUMS)) {
    const file = fileOfPackage.get(splitName(name)[0])!;
    index.set(name, file);
    // Protobuf's scope of a value is the one around its enum.
    const scope = name.slice(0, name.lastIndexOf("."));
    for (const value of enumDescriptor(name).numberOf.keys()) index.set(`${scope}.${value}`, file);
  }
  for (const { fullName, packageName, methods } of SERVICES) {
    const file = fileOfPackage.get(packageName)!;
    index.set(fullName, file);
    for (const { name } of methods) index.set(`${fullName}.${name}`, file);
  }
  return index;
}
