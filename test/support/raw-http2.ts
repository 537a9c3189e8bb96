// HTTP/2 by the byte (RFC 9113), for what no client library would send.
import { connect, type Socket } from "node:net";

export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");
export const FrameType = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const END_STREAM = 1;
export const END_HEADERS = 4;
const CANCEL = 8;

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.of(),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const INITIAL_WINDOW_SIZE = 4;

/** Settings of a client. @param initialWindow bytes of a stream that may be on their way */
export function settings({ initialWindow }: { initialWindow: number }): Buffer {
  const payload = Buffer.alloc(6);
  payload.writeUInt16BE(INITIAL_WINDOW_SIZE);
  payload.writeUInt32BE(initialWindow, 2);
  return frame(FrameType.settings, 0, 0, payload);
}

/** A header field as a literal that no table keeps. */
function field(name: string, value: string): Buffer {
  const text = (one: string) => Buffer.concat([Buffer.of(one.length), Buffer.from(one, "latin1")]);
  return Buffer.concat([Buffer.of(0), text(name), text(value)]);
}

/** The header block of a call. */
export function callHeaders(path: string): Buffer {
  return Buffer.concat([
    field(":method", "POST"),
    field(":scheme", "http"),
    field(":path", path),
    field(":authority", "localhost"),
    field("content-type", "application/grpc"),
    field("te", "trailers"),
  ]);
}

/** A gRPC message in its frame. */
export function message(bytes: Uint8Array = Buffer.of()): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** A whole call with one message. */
export function call(stream: number, path: string, request?: Uint8Array): Buffer {
  return Buffer.concat([
    frame(FrameType.headers, END_HEADERS, stream, callHeaders(path)),
    frame(FrameType.data, END_STREAM, stream, message(request)),
  ]);
}

/** Takes a call back. */
export function cancel(stream: number): Buffer {
  const code = Buffer.alloc(4);
  code.writeUInt32BE(CANCEL);
  return frame(FrameType.reset, 0, stream, code);
}

/** More bytes that the connection takes. */
export function credit(count: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(count);
  return frame(FrameType.windowUpdate, 0, 0, payload);
}

export class RawConnection {
  readonly closed: Promise<void>;
  received = Buffer.of();
  private readonly socket: Socket;

  constructor(port: number) {
    this.socket = connect({ host: "127.0.0.1", port, noDelay: true });
    this.socket.on("data", (bytes: Buffer) => {
      this.received = Buffer.concat([this.received, bytes]);
    });
    this.socket.on("error", () => {});
    this.closed = new Promise((resolve) => this.socket.once("close", () => resolve()));
  }

  /** Preface, settings, and what a client may send after them. */
  greet(chosen: Uint8Array = frame(FrameType.settings, 0, 0), ...more: readonly Uint8Array[]): void {
    this.write(PREFACE, chosen, ...more);
  }

  write(...frames: readonly Uint8Array[]): boolean {
    return this.socket.write(Buffer.concat(frames));
  }

  /** Settles when everything written was taken. */
  drained(): Promise<void> {
    if (!this.socket.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      this.socket.once("drain", resolve);
      this.socket.once("close", () => resolve());
    });
  }

  /** Frames that came whole. */
  frames(): { readonly type: number; readonly flags: number; readonly stream: number }[] {
    const received = [];
    for (let at = 0; at + 9 <= this.received.length; at += 9 + this.received.readUIntBE(at, 3)) {
      const [type, flags] = [this.received[at + 3]!, this.received[at + 4]!];
      received.push({ type, flags, stream: this.received.readUInt32BE(at + 5) });
    }
    return received;
  }

  get isConnected(): boolean {
    return this.socket.readyState === "open";
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  end(): void {
    this.socket.destroy();
  }
}
