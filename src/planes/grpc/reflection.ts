// Server reflection (grpc.reflection.v1 and v1alpha, which have the same bytes): tools such as grpcurl list and call the
// methods without files of their own.
import { Grpc } from "../../errors/statuses.ts";
import { within } from "../../http/within.ts";
import { codecOf } from "../../wire/codecs.ts";
import { descriptorsFrom, type FileDescriptor, fileAt, fileDeclaring } from "../../wire/file-descriptors.ts";
import {
  encodeServerReflectionResponse,
  type ServerReflectionRequest,
} from "../../wire/generated/reflection.ts";
import type { ServiceDescriptor } from "../../wire/services.ts";
import type { DuplexMethod } from "./calls.ts";
import { Places } from "./clients.ts";
import { decodeRequest } from "./unary.ts";

/** Tools ask a few questions and leave. */
const STREAMS_MAX = 100;
/** The stream of a client that is silent for this long ends; tools open a new one. */
const SILENT_MS = 60_000;

type Answer = Partial<
  Omit<Parameters<typeof encodeServerReflectionResponse>[0], "validHost" | "originalRequest">
>;

/** Methods by path. */
export function reflectionMethods(services: readonly ServiceDescriptor[]): Map<string, DuplexMethod> {
  const codec = codecOf("grpc.reflection.v1.ServerReflectionRequest");
  const names = services.map(({ fullName }) => fullName).sort();
  const places = new Places(STREAMS_MAX);
  const method: DuplexMethod = {
    kind: "other",
    needs: "nothing",
    open(requests, { signal }) {
      places.enter(signal);
      return { messages: answers(requests[Symbol.asyncIterator]()) };
    },
  };
  async function* answers(requests: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = await within(requests.next(), SILENT_MS);
      if (next === undefined || next.done) return;
      const request = decodeRequest(codec, next.value) as ServerReflectionRequest;
      const answer = answerOf(request, names);
      yield encodeServerReflectionResponse({ validHost: request.host, originalRequest: request, ...answer });
    }
  }
  return new Map(
    services
      .filter(({ packageName }) => packageName.startsWith("grpc.reflection."))
      .flatMap(({ methods }) => methods.map(({ path }) => [path, method] as const)),
  );
}

function answerOf(request: ServerReflectionRequest, services: readonly string[]): Answer {
  const { listServices, fileByFilename, fileContainingSymbol } = request;
  if (listServices !== undefined)
    return { listServicesResponse: { service: services.map((name) => ({ name })) } };
  if (fileByFilename !== undefined)
    return filesFrom(fileAt(fileByFilename), `the file ${fileByFilename.slice(0, 200)}`);
  if (fileContainingSymbol !== undefined) {
    const name = fileContainingSymbol.replace(/^\./, "");
    return filesFrom(fileDeclaring(name), `the symbol ${name.slice(0, 200)}`);
  }
  const { fileContainingExtension, allExtensionNumbersOfType } = request;
  const type = fileContainingExtension?.containingType ?? allExtensionNumbersOfType;
  if (type === undefined) return refused(Grpc.invalidArgument, "the request asks for nothing");
  return refused(Grpc.notFound, `there are no extensions of ${type.slice(0, 200)}`);
}

/** With the files that it imports: tools then ask no more. */
function filesFrom(file: FileDescriptor | undefined, what: string): Answer {
  if (file === undefined) return refused(Grpc.notFound, `there is not ${what}`);
  return { fileDescriptorResponse: { fileDescriptorProto: descriptorsFrom(file) } };
}

function refused(errorCode: number, errorMessage: string): Answer {
  return { errorResponse: { errorCode, errorMessage } };
}
