/**
 * The gRPC server of a port: `@grpc/grpc-js` carries HTTP/2, framing, deadlines and flow control; messages stay bytes for
 * it. Loaded with the first connection (port.ts), whose socket it is handed, as those that follow.
 */
import type { Http2Server, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { Calls } from "./calls.ts";
import type { Connection } from "./connections.ts";
import { boundedCalls } from "./incoming-call.ts";
import { handlersOf, servicesOf } from "./methods.ts";
import type { GrpcPlanes } from "./services.ts";

/** A connection that no byte comes from is asked whether it is still there, and closed when it is not. */
const KEEPALIVE_MS = 60_000;
const KEEPALIVE_TIMEOUT_MS = 20_000;
/** A connection without calls is closed; clients reconnect by themselves. */
const IDLE_MS = 30 * 60_000;
/** Calls under way get this long once the port stops. */
const UNDER_WAY_MS = 5_000;
const LOOK_MS = 10;

/** Filters of the event bus and questions of reflection are small, as over HTTP. */
const MESSAGE_OF_MANY_BYTES_MAX = 64 * 1024;

/** Bytes of a call's headers: those of clients have some hundred. */
const HEADER_BYTES_MAX = 16 * 1024;

/** Members of the library's server beside its interface. */
interface LibraryServer {
  /** Each injector has a server. */
  readonly http2Servers: ReadonlyMap<Http2Server, unknown>;
  readonly commonServerOptions: { readonly settings: object };
}

const bytesIn = (bytes: Buffer): Buffer => bytes;
const bytesOut = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

export class GrpcServer {
  private readonly server: Server;
  private readonly injector: ReturnType<Server["createConnectionInjector"]>;
  private readonly http2: Http2Server;
  private readonly calls: Calls;

  constructor(planes: GrpcPlanes) {
    const { grpcRequestBytesMax, grpcCallsMax } = planes.data.context.limits;
    this.server = new Server({
      "grpc.max_receive_message_length": grpcRequestBytesMax,
      "grpc.max_concurrent_streams": grpcCallsMax,
      "grpc.keepalive_time_ms": KEEPALIVE_MS,
      "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MS,
      "grpc.max_connection_idle_ms": IDLE_MS,
      "grpc.enable_channelz": 0,
      interceptors: [
        boundedCalls(grpcRequestBytesMax, Math.min(grpcRequestBytesMax, MESSAGE_OF_MANY_BYTES_MAX)),
      ],
    });
    this.calls = new Calls(planes.data, planes.status);
    this.register(planes);
    const library = this.server as unknown as LibraryServer;
    // The library has no option for it; its own settings are made in its constructor.
    Object.assign(library.commonServerOptions.settings, { maxHeaderListSize: HEADER_BYTES_MAX });
    this.injector = this.server.createConnectionInjector(ServerCredentials.createInsecure());
    this.http2 = [...library.http2Servers.keys()][0]!;
  }

  add(socket: Socket, connection: Connection): void {
    const start = (session: ServerHttp2Session): void => connection.start(session);
    // The session is made before the connection is taken.
    this.http2.once("session", start);
    this.injector.injectConnection(socket);
    this.http2.off("session", start);
  }

  /** Connections take no further call; those under way end in a bounded time. */
  async stop(): Promise<void> {
    this.injector.drain(UNDER_WAY_MS);
    const endMs = performance.now() + UNDER_WAY_MS;
    while (this.calls.underWay > 0 && performance.now() < endMs) await Bun.sleep(LOOK_MS);
    // The last answers leave with the next turn.
    await new Promise(setImmediate);
    this.injector.destroy();
    this.server.forceShutdown();
  }

  private register(planes: GrpcPlanes): void {
    const { calls } = this;
    const { unary, stream, duplex } = handlersOf(planes);
    for (const { path } of servicesOf(planes).flatMap(({ methods }) => methods)) {
      const one = unary.get(path);
      if (one) this.server.register(path, calls.unary(one), bytesOut, bytesIn, "unary");
      const many = stream.get(path);
      if (many) this.server.register(path, calls.stream(many), bytesOut, bytesIn, "serverStream");
      const both = duplex.get(path);
      if (both) this.server.register(path, calls.duplex(both), bytesOut, bytesIn, "bidi");
    }
  }
}
