// WebSockets of every port: how a request becomes one, and how it is written no faster than its client reads. Its messages are
// its listener's.
import type { ServerWebSocket } from "bun";
import { badRequest } from "./errors.ts";
import { originOf } from "./origin.ts";

/** Bytes that a socket holds for its client; a sender waits above it. */
const BUFFERED_BYTES_MAX = 256 * 1024;
/** Time that a client has to read the reason of an end. */
const GOODBYE_MS = 5_000;
/** A close frame has room for 123 bytes. */
const REASON_LENGTH_MAX = 100;

/** Codes of RFC 6455, section 7.4, and of its registry. */
export const Close = { normal: 1000, tooBig: 1009, failed: 1011, restart: 1012, tryLater: 1013 } as const;

export interface SocketListener {
  opened?(socket: Socket): void;
  received?(text: string): void;
  /** The client has read: the socket takes more. */
  drained?(): void;
  closed?(code: number, reason: string): void;
}

interface Holder {
  readonly listener: SocketListener;
}

export class Socket {
  constructor(private readonly raw: ServerWebSocket<unknown>) {}

  /** Whether a sender should wait until its client has read. */
  get isFull(): boolean {
    return this.raw.getBufferedAmount() >= BUFFERED_BYTES_MAX;
  }

  sendText(text: string): void {
    this.raw.sendText(text);
  }

  /** Everything that is sent meanwhile goes out in one write. */
  sendTogether(send: () => void): void {
    this.raw.cork(send);
  }

  /** Ends with a reason. A client that reads nothing would never see the close frame, and keep its socket. */
  end(code: number = Close.normal, reason = ""): void {
    this.raw.close(code, reason.slice(0, REASON_LENGTH_MAX));
    setTimeout(() => this.raw.terminate(), GOODBYE_MS).unref();
  }

  /** Breaks the connection off. */
  terminate(): void {
    this.raw.terminate();
  }
}

const listenerOf = (raw: ServerWebSocket<unknown>) => (raw.data as Holder).listener;

/**
 * The runtime's handlers. Clients that are silent for a minute are pinged, so that dead connections are noticed. The bytes that
 * may wait for a client are bounded where they are produced: nothing is dropped here silently.
 * @param messageBytesMax of a client's message
 * @param backlogBytesMax bytes that may wait for a client before it is cut off
 */
export function socketHandlers(
  messageBytesMax: number,
  backlogBytesMax = 64 * 1024 * 1024,
): Bun.WebSocketHandler<unknown> {
  return {
    idleTimeout: 120,
    sendPings: true,
    maxPayloadLength: messageBytesMax,
    backpressureLimit: backlogBytesMax,
    closeOnBackpressureLimit: true,
    open: (raw) => listenerOf(raw).opened?.(new Socket(raw)),
    message: (raw, message) =>
      listenerOf(raw).received?.(typeof message === "string" ? message : message.toString("utf8")),
    drain: (raw) => listenerOf(raw).drained?.(),
    close: (raw, code, reason) => listenerOf(raw).closed?.(code, reason),
  };
}

/** Whether it is a whole upgrade: a part of one is an ordinary request. */
export function asksForSocket({ method, headers }: Request): boolean {
  if (method !== "GET" || headers.get("upgrade")?.toLowerCase() !== "websocket") return false;
  return headers.has("sec-websocket-key") && headers.has("sec-websocket-version");
}

/** An application, once it listens. */
interface ServedApp {
  readonly server: Pick<Bun.Server<unknown>, "upgrade"> | null;
}

/**
 * Makes a request a WebSocket. Its listener hears of the end only if it was opened.
 * @throws ApiError 400 for an invalid upgrade
 */
export function becomeSocket(
  { server }: ServedApp,
  request: Request,
  listener: SocketListener,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const data: Holder = { listener };
  if (!server?.upgrade(originOf(request), { headers, data }))
    throw badRequest("the upgrade to a WebSocket cannot be done");
  return new Response(null);
}
