/**
 * A gRPC port. Only a socket listens at first: the library, the codec and the services are loaded when the first
 * connection has sent its first byte, so that a node which nothing asks over gRPC starts and idles as without it.
 */
import { createServer, type Server, type Socket } from "node:net";
import { logFailure } from "../../errors/log.ts";
import { NodeError, reasonOf } from "../../errors/node-error.ts";
import { addressOf, cannotListen, checkHost } from "../../http/http.ts";
import { type Connection, Connections } from "./connections.ts";
import type { GrpcServer } from "./server.ts";
import type { GrpcPlanes } from "./services.ts";

export interface GrpcPort {
  readonly port: number;
  /** Such as `127.0.0.1:3007`: a target as clients take it. */
  readonly address: string;
  stop(): Promise<void>;
}

interface GrpcOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** The flag that chooses this port, for the hint of an error: `--grpc-data-port`. */
  readonly portFlag: string;
}

/** Listens. @throws NodeError `host_empty`, `port_in_use`, `cannot_listen` */
export async function serveGrpc(planes: GrpcPlanes, options: GrpcOptions): Promise<GrpcPort> {
  const port = new LazyPort(planes);
  await port.listen(options);
  const name = planes.kind === "data" ? "grpcData" : "grpcNode";
  planes.status.noteListening({ name, host: options.host, port: port.port });
  return port;
}

class LazyPort implements GrpcPort {
  address = "";
  port = 0;
  private readonly connections: Connections;
  private readonly listener: Server;
  private server: Promise<GrpcServer> | undefined;

  constructor(private readonly planes: GrpcPlanes) {
    this.connections = new Connections(planes.data.context.limits.grpcConnectionsMax);
    this.listener = createServer({ noDelay: true }, (socket) => this.hold(socket));
  }

  async listen({ host, port, portFlag }: GrpcOptions): Promise<void> {
    checkHost(host);
    const failure = await new Promise<unknown>((resolve) => {
      this.listener.once("error", resolve);
      this.listener.listen({ host, port, exclusive: true }, () => resolve(undefined));
    });
    if (failure !== undefined) throw cannotListen(failure, { host, port, portFlag });
    this.listener.on("error", (error) => logFailure(brokenPort(error)));
    this.port = (this.listener.address() as { port: number }).port;
    this.address = addressOf(host, this.port);
  }

  async stop(): Promise<void> {
    this.listener.close();
    this.planes.data.streams.stop();
    const server = await this.server?.catch(() => undefined);
    await server?.stop();
    this.connections.destroy();
  }

  private hold(socket: Socket): void {
    // A reset is an error of the socket; the library has none to answer it on.
    socket.on("error", () => socket.destroy());
    const connection = this.connections.add(socket);
    if (connection === undefined) return;
    socket.once("readable", () => {
      this.hand(socket, connection).catch((error) => {
        logFailure(brokenPort(error));
        socket.destroy();
      });
    });
  }

  private async hand(socket: Socket, connection: Connection): Promise<void> {
    this.server ??= import("./server.ts").then(({ GrpcServer }) => new GrpcServer(this.planes));
    const server = await this.server;
    if (!socket.destroyed) server.add(socket, connection);
  }
}

function brokenPort(error: unknown): NodeError {
  return new NodeError("serve.grpc", "internal", `gRPC cannot be answered: ${reasonOf(error)}`);
}
