// A stream over a WebSocket: a text frame for each message.
import type { ApiError } from "../../../http/errors.ts";
import { Close, type Socket, type SocketListener } from "../../../http/web-sockets.ts";
import { type JsonMode, renderPlain } from "../../../wire/json.ts";
import { closeCode, errorText, messageText } from "./envelope.ts";
import type { Observation } from "./observation.ts";

/** A stream, and how its messages are printed. */
export interface OpenStream<O extends Observation = Observation> {
  readonly observation: O;
  readonly mode: JsonMode;
}

export class SocketStream implements SocketListener {
  private socket: Socket | undefined;
  private observation: Observation | undefined;
  private mode: JsonMode = "stream";
  private isEnded = false;
  private isDue = false;
  private onOpen = () => {};

  /**
   * @param isIndented whether each message is indented, as `pretty` asks for
   * @param received takes what the client sends
   */
  constructor(
    private readonly isIndented: boolean,
    readonly received?: (text: string) => void,
  ) {}

  opened(socket: Socket): void {
    this.socket = socket;
    this.onOpen();
    this.pump();
  }

  /** Sends what the observation has, now and from now on. */
  send({ observation, mode }: OpenStream): void {
    if (this.isEnded) {
      observation.close();
      return;
    }
    this.observation = observation;
    this.mode = mode;
    observation.onReady = () => this.pumpSoon();
    this.pump();
  }

  /** The last message tells the reason, and so does the close frame. */
  fail(error: ApiError): void {
    if (this.isEnded) return;
    const { socket } = this;
    if (socket === undefined) {
      this.onOpen = () => this.fail(error);
      return;
    }
    socket.sendText(this.laidOut(errorText(error)));
    const [detail] = error.body.details;
    const reason = detail === undefined ? error.message : `${detail.message} ${detail.inner}`.trim();
    this.end(closeCode(error), reason);
  }

  end(code: number = Close.normal, reason = ""): void {
    if (this.isEnded) return;
    this.closed();
    this.socket?.end(code, reason);
  }

  drained(): void {
    this.pump();
  }

  closed(): void {
    this.isEnded = true;
    this.observation?.close();
    this.observation = undefined;
  }

  /** When all messages of the block are made: they go out in one write. */
  private pumpSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    queueMicrotask(() => {
      this.isDue = false;
      this.pump();
    });
  }

  private pump(): void {
    const { observation, socket, mode } = this;
    if (observation === undefined || socket === undefined || this.isEnded) return;
    try {
      socket.sendTogether(() => {
        while (!socket.isFull) {
          const message = observation.poll();
          if (message === undefined) break;
          socket.sendText(this.laidOut(messageText(message, observation.wantsHeights, mode)));
        }
      });
    } catch (error) {
      this.fail(error as ApiError);
      return;
    }
    if (observation.isEnded) this.end();
  }

  private laidOut(text: string): string {
    return this.isIndented ? renderPlain(JSON.parse(text), "pretty") : text;
  }
}
