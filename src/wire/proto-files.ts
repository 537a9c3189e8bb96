/**
 * The schema as protobuf files, one a package, with the original's names of packages, messages, fields and services: what
 * `.proto` texts (proto-text.ts) and descriptors for reflection (descriptors.ts) are made from.
 */
import { enumDescriptor, type FieldDescriptor, locate, messageDescriptor, packages } from "./schema/index.ts";
import { SERVICES, type ServiceDescriptor } from "./schema/services.ts";

export interface ProtoMessage {
  readonly name: string;
  /** In declaration order. */
  readonly fields: readonly FieldDescriptor[];
  readonly messages: readonly ProtoMessage[];
  readonly enums: readonly ProtoEnum[];
}

export interface ProtoEnum {
  readonly name: string;
  readonly values: readonly (readonly [name: string, number: number])[];
}

export interface ProtoFile {
  /** Path below the folder of all files: `vega/api/v1/core.proto`. */
  readonly path: string;
  readonly packageName: string;
  /** Go's name of the package that is generated. */
  readonly goPackage: string;
  /** Paths of the files that it needs. */
  readonly imports: readonly string[];
  readonly messages: readonly ProtoMessage[];
  readonly enums: readonly ProtoEnum[];
  readonly services: readonly ServiceDescriptor[];
}

type Place = readonly [path: string, goPackage: string];

/** Path and Go name by package: those of the original, and of Google's own packages. */
const PLACES: Readonly<Record<string, Place>> = {
  vega: ["vega/vega.proto", "code.vegaprotocol.io/vega/protos/vega"],
  "vega.events.v1": ["vega/events/v1/events.proto", "code.vegaprotocol.io/vega/protos/vega/events/v1"],
  "vega.commands.v1": [
    "vega/commands/v1/commands.proto",
    "code.vegaprotocol.io/vega/protos/vega/commands/v1",
  ],
  "vega.data.v1": ["vega/data/v1/data.proto", "code.vegaprotocol.io/vega/protos/vega/data/v1"],
  "vega.checkpoint.v1": [
    "vega/checkpoint/v1/checkpoint.proto",
    "code.vegaprotocol.io/vega/protos/vega/checkpoint/v1",
  ],
  "vega.api.v1": ["vega/api/v1/core.proto", "code.vegaprotocol.io/vega/protos/vega/api/v1"],
  "vega.wallet.v1": ["vega/wallet/v1/wallet.proto", "code.vegaprotocol.io/vega/protos/vega/wallet/v1"],
  "datanode.api.v2": [
    "data-node/api/v2/trading_data.proto",
    "code.vegaprotocol.io/vega/protos/data-node/api/v2",
  ],
  "google.protobuf": ["google/protobuf/any.proto", "google.golang.org/protobuf/types/known/anypb"],
  "google.rpc": ["google/rpc/status.proto", "google.golang.org/genproto/googleapis/rpc/status"],
  "google.api": ["google/api/httpbody.proto", "google.golang.org/genproto/googleapis/api/httpbody"],
  "grpc.health.v1": ["grpc/health/v1/health.proto", "google.golang.org/grpc/health/grpc_health_v1"],
  "grpc.reflection.v1": [
    "grpc/reflection/v1/reflection.proto",
    "google.golang.org/grpc/reflection/grpc_reflection_v1",
  ],
  "grpc.reflection.v1alpha": [
    "grpc/reflection/v1alpha/reflection.proto",
    "google.golang.org/grpc/reflection/grpc_reflection_v1alpha",
  ],
};

/** Every package's file; made when first asked for. */
export function protoFiles(): readonly ProtoFile[] {
  made ??= packages.map((pack) => fileOf(pack.name, Object.keys(pack.messages), Object.keys(pack.enums)));
  return made;
}

let made: readonly ProtoFile[] | undefined;

function fileOf(packageName: string, messages: readonly string[], enums: readonly string[]): ProtoFile {
  const [path, goPackage] = PLACES[packageName]!;
  const services = SERVICES.filter((service) => service.packageName === packageName);
  const named = [
    ...messages.flatMap((local) =>
      messageDescriptor(`${packageName}.${local}`).fields.map((field) => field.typeName),
    ),
    ...services.flatMap(({ methods }) => methods.flatMap(({ request, response }) => [request, response])),
  ];
  const needed = new Set(named.filter((name) => name !== "").map((name) => locate(name)!.pack.name));
  needed.delete(packageName);
  const inside = partsIn("", packageName, messages, enums);
  return {
    path,
    packageName,
    goPackage,
    imports: [...needed].map((name) => PLACES[name]![0]).sort(),
    ...inside,
    services,
  };
}

/** Messages and enums directly in `parent`: "" is the file itself. */
function partsIn(
  parent: string,
  packageName: string,
  messages: readonly string[],
  enums: readonly string[],
): Pick<ProtoFile, "messages" | "enums"> {
  const isInside = (local: string) =>
    local.startsWith(parent) && !local.slice(parent.length).includes(".") && local !== parent;
  const nameOf = (local: string) => local.slice(parent.length);
  return {
    messages: messages.filter(isInside).map((local) => ({
      name: nameOf(local),
      fields: messageDescriptor(`${packageName}.${local}`).fields,
      ...partsIn(`${local}.`, packageName, messages, enums),
    })),
    enums: enums.filter(isInside).map((local) => ({
      name: nameOf(local),
      // The first one must be zero: an interval has a value below it.
      values: [...enumDescriptor(`${packageName}.${local}`).numberOf].sort(
        ([, a], [, b]) => Number(b === 0) - Number(a === 0),
      ),
    })),
  };
}
