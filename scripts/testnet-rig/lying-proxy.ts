/**
 * A liar between a consensus engine and its application: it passes everything on, and puts other transactions into proposals.
 * The application, which is honest, is not heard on them: its own refusals become acceptances.
 */

import { connect, createServer, type Server, type Socket } from "node:net";
import { FrameSplitter, frameOf } from "../../src/abci/frames.ts";
import {
  decodeRequest,
  decodeResponse,
  encodeResponse,
  type RequestPrepareProposal,
  ResponseProcessProposalProposalStatus as Status,
} from "../../src/wire/generated/abci.ts";

type Lie = (honest: readonly Uint8Array[], request: RequestPrepareProposal) => readonly Uint8Array[];

/** A proposal that was made in place of the honest one. */
interface Told {
  readonly height: number;
  readonly txs: readonly Uint8Array[];
}

export class LyingProxy {
  private readonly sockets = new Set<Socket>();
  private lie: { readonly make: Lie; readonly done: (proposal: Told) => void } | undefined;

  private constructor(private readonly server: Server) {}

  /** @param path where the engine dials @param application path of the application's own socket */
  static async at(path: string, application: string): Promise<LyingProxy> {
    const server = createServer();
    const proxy = new LyingProxy(server);
    server.on("connection", (engine) => proxy.pass(engine, connect(application)));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return proxy;
  }

  /** Lies in the next proposal. @returns its height and transactions, once it is made */
  lieOnce(make: Lie): Promise<Told> {
    return new Promise((resolve) => {
      this.lie = { make, done: resolve };
    });
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private pass(engine: Socket, application: Socket): void {
    for (const [socket, other] of [
      [engine, application],
      [application, engine],
    ] as const) {
      this.sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    let request: RequestPrepareProposal | undefined;
    const requests = new FrameSplitter();
    engine.on("data", (piece) => {
      for (const message of requests.push(bytesOf(piece)))
        request = decodeRequest(message).prepareProposal ?? request;
      application.write(piece);
    });
    const responses = new FrameSplitter();
    application.on("data", (piece) => {
      for (const message of responses.push(bytesOf(piece)))
        engine.write(frameOf(this.changed(message, request)));
    });
  }

  private changed(message: Uint8Array, request: RequestPrepareProposal | undefined): Uint8Array {
    const response = decodeResponse(message);
    if (response.processProposal) return encodeResponse({ processProposal: { status: Status.ACCEPT } });
    const { lie } = this;
    if (response.prepareProposal === undefined || request === undefined || lie === undefined) return message;
    this.lie = undefined;
    const txs = lie.make(response.prepareProposal.txs, request);
    lie.done({ height: Number(request.height), txs });
    return encodeResponse({ prepareProposal: { txs: [...txs] } });
  }
}

const bytesOf = (piece: string | Uint8Array): Uint8Array => new Uint8Array(Buffer.from(piece));
