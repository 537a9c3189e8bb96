// A client of the gRPC ports with this project's codec; clients of other makers: scripts/grpc-clients.ts.
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { codecOf } from "../../src/wire/codecs.ts";
import { decodeStatus } from "../../src/wire/generated/rpc.ts";
import { decodeErrorDetail, type ErrorDetail } from "../../src/wire/generated/vega.ts";
import { type MethodDescriptor, serviceNamed } from "../../src/wire/services.ts";

const OK = status.OK;
const MESSAGE_BYTES_MAX = 256 * 1024 * 1024;
const bytes = (value: Buffer): Buffer => value;

export interface GrpcAnswer {
  /** 0 where all is well. */
  readonly code: number;
  /** The status's text. */
  readonly text: string;
  readonly details: readonly ErrorDetail[];
  // biome-ignore lint/suspicious/noExplicitAny: each test names the message that it asks for
  readonly message: any;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

interface CallOptions {
  readonly metadata?: Readonly<Record<string, string>>;
  /** Milliseconds from now. */
  readonly timeoutMs?: number;
}

export function methodNamed(path: string): MethodDescriptor {
  const [service, name] = path.split("/") as [string, string];
  return serviceNamed(service).methods.find((method) => method.name === name)!;
}

export class GrpcClient {
  readonly raw: Client;

  constructor(address: string) {
    this.raw = new Client(address, credentials.createInsecure(), {
      "grpc.max_receive_message_length": MESSAGE_BYTES_MAX,
      "grpc.max_send_message_length": MESSAGE_BYTES_MAX,
      "grpc.use_local_subchannel_pool": 1,
    });
  }

  /** @param path `vega.api.v1.CoreService/Statistics` */
  call(path: string, request: object = {}, options: CallOptions = {}): Promise<GrpcAnswer> {
    const method = methodNamed(path);
    return this.send(path, codecOf(method.request).encode(request), options);
  }

  /** The same with bytes that may be anything. */
  send(path: string, request: Uint8Array, options: CallOptions = {}): Promise<GrpcAnswer> {
    return new Promise((resolve) => {
      let headers: Record<string, string> = {};
      const call = this.raw.makeUnaryRequest(
        `/${path}`,
        bytes,
        bytes,
        Buffer.from(request),
        metadataOf(options),
        deadlineOf(options),
        (error, body) => {
          if (error) return resolve({ ...failureOf(error), headers });
          const message = codecOf(methodNamed(path).response).decode(body!);
          resolve({ code: OK, text: "", details: [], message, body: body!, headers });
        },
      );
      call.on("metadata", (metadata) => {
        headers = textsOf(metadata);
      });
    });
  }

  /** All messages of a stream, and how it ends. */
  stream(path: string, request: object = {}, options: CallOptions = {}) {
    const method = methodNamed(path);
    const [requestCodec, answered] = [codecOf(method.request), codecOf(method.response)];
    const call = this.raw.makeServerStreamRequest(
      `/${path}`,
      bytes,
      bytes,
      Buffer.from(requestCodec.encode(request)),
      metadataOf(options),
      deadlineOf(options),
    );
    // biome-ignore lint/suspicious/noExplicitAny: each test names the message that it asks for
    const messages: any[] = [];
    let headers: Record<string, string> = {};
    call.on("metadata", (metadata) => {
      headers = textsOf(metadata);
    });
    call.on("data", (body: Buffer) => messages.push(answered.decode(body)));
    const ended = new Promise<Omit<GrpcAnswer, "headers">>((resolve) => {
      call.on("error", (error: ServiceError) => resolve(failureOf(error)));
      call.on("end", () =>
        resolve({ code: OK, text: "", details: [], message: undefined, body: Buffer.of() }),
      );
    });
    return { call, messages, ended, headers: () => headers };
  }

  close(): void {
    this.raw.close();
  }
}

function metadataOf({ metadata = {} }: CallOptions): Metadata {
  const pairs = new Metadata();
  for (const [name, value] of Object.entries(metadata)) pairs.set(name, value);
  return pairs;
}

function deadlineOf({ timeoutMs }: CallOptions): { deadline?: number } {
  return timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
}

function failureOf({ code, details, metadata }: ServiceError): Omit<GrpcAnswer, "headers"> {
  const [packed] = metadata.get("grpc-status-details-bin");
  const packedDetails = packed === undefined ? [] : decodeStatus(packed as Buffer).details;
  return {
    code,
    text: details,
    details: packedDetails.map(({ value }) => decodeErrorDetail(value)),
    message: undefined,
    body: Buffer.of(),
  };
}

function textsOf(metadata: Metadata): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.getMap()).map(([name, value]) => [name, String(value)]));
}
