// A stream over a WebSocket: a text frame for each message, no faster than the client reads.
import type { ServerWebSocket } from "bun";
import type { ApiError } from "../../../http/errors.ts";
import { type JsonMode, renderPlain } from "../../../wire/json.ts";
import { Close, closeCode, errorText, messageText } from "./envelope.ts";
import type { Observation } from "./observation.ts";

/** Bytes that the socket holds for a client; the rest waits as messages, which all clients share. */
const BUFFERED_BYTES_MAX = 256 * 1024;
/** Time that a client has to read the reason of an end. */
const GOODBYE_MS = 5_000;
/** A close frame has room for 123 bytes. */
const REASON_LENGTH_MAX = 100;

type Socket = Pick<
  ServerWebSocket<unknown>,
  "sendText" | "getBufferedAmount" | "cork" | "close" | "terminate"
>;

export class SocketStream {
  private observation: Observation | undefined;
  private isEnded = false;
  private isDue = false;

  constructor(
    private readonly socket: Socket,
    private readonly mode: JsonMode,
    /** Whether each message is indented, as `pretty` asks for. */
    private readonly isIndented = false,
  ) {}

  /** Sends what the observation has, now and from now on. */
  send(observation: Observation): void {
    if (this.isEnded) {
      observation.close();
      return;
    }
    this.observation = observation;
    observation.onReady = () => this.pumpSoon();
    this.pump();
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

  private laidOut(text: string): string {
    return this.isIndented ? renderPlain(JSON.parse(text), "pretty") : text;
  }

  /** To be called when the client has read. */
  pump(): void {
    const { observation, socket, mode } = this;
    if (observation === undefined || this.isEnded) return;
    try {
      socket.cork(() => {
        while (socket.getBufferedAmount() < BUFFERED_BYTES_MAX) {
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

  /** The last message tells the reason, and so does the close frame. */
  fail(error: ApiError): void {
    if (this.isEnded) return;
    this.socket.sendText(this.laidOut(errorText(error)));
    const [detail] = error.body.details;
    const reason = detail === undefined ? error.message : `${detail.message} ${detail.inner}`.trim();
    this.end(closeCode(error), reason);
  }

  end(code: number = Close.normal, reason = ""): void {
    if (this.isEnded) return;
    this.drop();
    this.socket.close(code, reason.slice(0, REASON_LENGTH_MAX));
    // A client that reads nothing would never see the close frame, and keep its socket.
    setTimeout(() => this.socket.terminate(), GOODBYE_MS).unref();
  }

  /** The socket is closed. */
  drop(): void {
    this.isEnded = true;
    this.observation?.close();
    this.observation = undefined;
  }
}
