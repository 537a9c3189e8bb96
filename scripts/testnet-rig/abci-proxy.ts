/**
 * A place between a consensus engine and its application, where requests and responses can be seen, held back and changed. It
 * takes the engine's connections before the application listens, as an engine that dials in vain does.
 */
import { connect, createServer, type Server, type Socket } from "node:net";
import { FrameSplitter, frameOf } from "../../src/abci/frames.ts";
import type { Init } from "../../src/wire/codec.ts";
import {
  decodeRequest,
  decodeResponse,
  encodeResponse,
  type Request,
  type Response,
} from "../../src/wire/generated/abci.ts";

const DIAL_MS = 50;

/** Sees each message. @returns false to end the connection instead of passing it; a response to pass in its place */
export interface AbciWatch {
  request?(request: Request): boolean | undefined;
  response?(response: Response, request: Request): boolean | Init<Response> | undefined;
}

export class AbciProxy {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {}

  /** Sees messages from now on; by default all are passed. */
  watch: AbciWatch = {};

  /** @param path of the socket that the engine dials. @param target that of the application */
  static async listen(path: string, target: string): Promise<AbciProxy> {
    const server = createServer();
    const proxy = new AbciProxy(server, target);
    server.on("connection", (engine) => void proxy.opened(engine));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return proxy;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async opened(engine: Socket): Promise<void> {
    let isOpen = true;
    this.sockets.add(engine);
    engine.on("error", () => {});
    engine.on("close", () => {
      isOpen = false;
      this.sockets.delete(engine);
    });
    engine.pause();
    let chain: Socket | undefined;
    while (isOpen && chain === undefined) {
      chain = await dial(this.target);
      if (chain === undefined) await Bun.sleep(DIAL_MS);
    }
    if (chain === undefined) return;
    if (!isOpen) {
      chain.destroy();
      return;
    }
    this.join(engine, chain);
  }

  private join(engine: Socket, chain: Socket): void {
    this.sockets.add(chain);
    const end = () => {
      engine.destroy();
      chain.destroy();
    };
    for (const socket of [engine, chain]) {
      socket.on("error", () => {});
      socket.on("close", () => {
        this.sockets.delete(socket);
        end();
      });
    }
    const requests = new FrameSplitter();
    const responses = new FrameSplitter();
    /** Requests whose responses have not come: these come in the same order. */
    const open: Request[] = [];
    engine.on("data", (bytes: Buffer) => {
      for (const frame of requests.push(bytes)) {
        const request = decodeRequest(frame);
        if (this.watch.request?.(request) === false) return end();
        open.push(request);
        chain.write(frameOf(frame));
      }
    });
    chain.on("data", (bytes: Buffer) => {
      for (const frame of responses.push(bytes)) {
        const request = open.shift()!;
        const verdict = this.watch.response?.(decodeResponse(frame), request);
        if (verdict === false) return end();
        engine.write(frameOf(typeof verdict === "object" ? encodeResponse(verdict) : frame));
      }
    });
    engine.resume();
  }
}

/** Undefined while nothing listens there. */
function dial(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}
