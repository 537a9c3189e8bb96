// The .proto files: they declare the original's interface, any compiler can read what `lyra proto` ships, and reflection
// describes the same files.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor";
import { PROTO_FOLDER, readProtoFiles } from "../../scripts/wire/protos.ts";
import { reflectionMethods } from "../../src/planes/grpc/reflection.ts";
import { enumDescriptor, type FieldDescriptor, messageDescriptor } from "../../src/wire/descriptors.ts";
import { descriptorsFrom, fileAt, fileDeclaring } from "../../src/wire/file-descriptors.ts";
import { FILES } from "../../src/wire/generated/files.ts";
import {
  decodeServerReflectionResponse,
  encodeServerReflectionRequest,
} from "../../src/wire/generated/reflection.ts";
import { PROTO_TEXTS } from "../../src/wire/proto/texts.ts";
import { serviceNamed } from "../../src/wire/services.ts";
import { Scratch } from "../rig/homes.ts";
import { lyra } from "../rig/lyra.ts";

interface OriginalField {
  readonly name: string;
  readonly number: number;
  /** A scalar, a full name, or `map<string,full name>`. */
  readonly type: string;
  readonly repeated?: true;
  readonly optional?: true;
  readonly oneof?: string;
}

interface OriginalMethod {
  readonly request: string;
  readonly response: string;
  readonly requestStream?: true;
  readonly responseStream?: true;
}

interface Original {
  readonly messages: Readonly<Record<string, readonly OriginalField[]>>;
  readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly services: Readonly<Record<string, Readonly<Record<string, OriginalMethod>>>>;
}

const scratch = new Scratch("proto");
afterAll(() => scratch.remove());

const files = readProtoFiles();
const golden = new URL("../golden/wire-0.71.6.json.gz", import.meta.url);
const original = JSON.parse(gunzipSync(await Bun.file(golden).bytes()).toString()) as Original;

/** The record has fields by number; members of JSON stand as declared, which the golden answers check. */
function inOrder(fields: readonly FieldDescriptor[]): FieldDescriptor[] {
  return [...fields].sort((a, b) => a.number - b.number);
}

function asRecorded({
  name,
  number,
  kind,
  typeName,
  repeated,
  optional,
  oneof,
}: FieldDescriptor): OriginalField {
  const type = kind === "map" ? `map<string,${typeName}>` : typeName || kind;
  return {
    ...{ name, number, type },
    ...(repeated && { repeated }),
    ...(optional && { optional }),
    ...(oneof !== "" && { oneof }),
  };
}

describe("the interface of 0.71.6", () => {
  test("has every message, with every field, its number, type and place", () => {
    expect(Object.keys(original.messages)).toHaveLength(578);
    for (const [name, fields] of Object.entries(original.messages))
      expect({ name, fields: inOrder(messageDescriptor(name).fields).map(asRecorded) }).toEqual({
        name,
        fields: [...fields],
      });
  });

  test("has every enum, with every value", () => {
    expect(Object.keys(original.enums)).toHaveLength(47);
    for (const [name, values] of Object.entries(original.enums))
      expect({ name, values: Object.fromEntries(enumDescriptor(name).numberOf) }).toEqual({ name, values });
  });

  test("has every method of every service", () => {
    for (const [name, methods] of Object.entries(original.services)) {
      const packageName = name.slice(0, name.lastIndexOf("."));
      const inFull = (type: string) => (type.includes(".") ? type : `${packageName}.${type}`);
      const expected = Object.entries(methods).map(([method, { request, response, ...streams }]) => ({
        name: method,
        path: `/${name}/${method}`,
        request: inFull(request),
        response: inFull(response),
        isRequestStream: streams.requestStream === true,
        isResponseStream: streams.responseStream === true,
      }));
      expect(serviceNamed(name).methods).toEqual(expected);
    }
  });
});

describe("the files of lyra proto", () => {
  test("are all of the folder but those that every compiler brings, and the consensus engine's", () => {
    const paths = files.map(({ path }) => path);
    expect([...PROTO_TEXTS.keys()]).toEqual(
      paths.filter((path) => !/^(?:google\/protobuf|grpc|tendermint)\//.test(path)),
    );
  });

  test("are read by a compiler that has google.protobuf alone", async () => {
    const root = new protobuf.Root();
    root.resolvePath = (_, path) => path;
    root.fetch = (path, callback) => {
      const text = PROTO_TEXTS.get(String(path));
      const error = text === undefined ? new Error(`${path} is not shipped`) : null;
      queueMicrotask(() => (callback as protobuf.FetchCallback)(error as Error, text));
    };
    await root.load([...PROTO_TEXTS.keys()]);
    root.resolveAll();
    const shipped = files.filter(({ path }) => PROTO_TEXTS.has(path));
    for (const { fullName, fields, isMapEntry } of shipped.flatMap(({ messages }) => messages))
      if (!isMapEntry) expect(root.lookupType(fullName).fieldsArray).toHaveLength(fields.length);
    for (const { fullName, methods } of shipped.flatMap(({ services }) => services))
      expect(root.lookupService(fullName).methodsArray).toHaveLength(methods.length);
  });

  test("are written as they are", async () => {
    const folder = scratch.path("protos");
    const { code, out } = await lyra(["proto", "--out", folder, "--json"]);
    expect([code, JSON.parse(out)]).toEqual([0, { out: folder, files: [...PROTO_TEXTS.keys()] }]);
    for (const path of PROTO_TEXTS.keys())
      expect(readFileSync(join(folder, path))).toEqual(readFileSync(join(PROTO_FOLDER, path)));
  });

  test("import what they use, and nothing else", () => {
    const packageOf = new Map(files.map(({ path, packageName }) => [path, packageName]));
    for (const { path, packageName, imports, messages, services } of files) {
      const types = [
        ...messages.flatMap(({ fields }) => fields.map(({ typeName }) => typeName)),
        ...services.flatMap(({ methods }) => methods.flatMap(({ request, response }) => [request, response])),
      ];
      const used = new Set(types.filter((type) => type !== "").map((type) => type.replace(/\.[A-Z].*$/, "")));
      used.delete(packageName);
      expect({ path, uses: imports.map((each) => packageOf.get(each)!).sort() }).toEqual({
        path,
        uses: [...used].sort(),
      });
    }
  });
});

describe("reflection", () => {
  const ask = async (request: Parameters<typeof encodeServerReflectionRequest>[0]) => {
    const methods = reflectionMethods([
      serviceNamed("vega.api.v1.CoreService"),
      serviceNamed("grpc.reflection.v1.ServerReflection"),
    ]);
    async function* requests() {
      yield encodeServerReflectionRequest(request);
    }
    const method = methods.get("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")!;
    const { messages } = await method.open(requests(), { signal: new AbortController().signal } as never);
    for await (const message of messages) return decodeServerReflectionResponse(message as Uint8Array);
    throw new Error("no answer");
  };

  test("answers a symbol with its file and all that it imports", async () => {
    for (const fileContainingSymbol of [
      "vega.api.v1.CoreService",
      "vega.api.v1.CoreService.Statistics",
      "vega.api.v1.SubmitTransactionRequest.Type",
      "vega.api.v1.SubmitTransactionRequest.tx",
    ]) {
      const { fileDescriptorResponse } = await ask({ fileContainingSymbol });
      expect(fileDescriptorResponse!.fileDescriptorProto.map(nameOf)).toEqual([
        "vega/api/v1/core.proto",
        "vega/commands/v1/commands.proto",
        "vega/events/v1/events.proto",
        "vega/vega.proto",
        "vega/data/v1/data.proto",
      ]);
    }
    expect((await ask({ fileContainingSymbol: "vega.Nothing" })).errorResponse?.errorCode).toBe(5);
    expect((await ask({ fileByFilename: "vega/nothing.proto" })).errorResponse?.errorCode).toBe(5);
    expect((await ask({ listServices: "" })).listServicesResponse?.service).toHaveLength(2);
  });

  test("describes each file as the .proto file declares it", () => {
    const set = {
      file: FILES.map(({ path }) => Descriptor.decode(descriptorsFrom(fileAt(path)!)[0]!)),
    };
    const described = (
      protobuf.Root as unknown as { fromDescriptor(set: object): protobuf.Root }
    ).fromDescriptor(set);
    described.resolveAll();
    for (const { messages, enums, path } of files) {
      for (const { fullName, fields, isMapEntry } of messages) {
        if (isMapEntry) continue;
        const type = described.lookupType(fullName);
        expect({ fullName, numbers: type.fieldsArray.map(({ name, id }) => [name, id]) }).toEqual({
          fullName,
          numbers: fields.map(({ name, number }) => [name, number]),
        });
        expect(fileDeclaring(fullName)?.path).toBe(path);
      }
      for (const { fullName, values } of enums)
        for (const { name, number } of values)
          expect(described.lookupEnum(fullName).values[name]).toBe(number);
    }
  });
});

const Descriptor = (protobuf as unknown as { descriptor: protobuf.Namespace }).descriptor.lookupType(
  "FileDescriptorProto",
);

function nameOf(descriptor: Uint8Array): string {
  return (Descriptor.decode(descriptor) as unknown as { name: string }).name;
}
