// A core's end of the event socket, for tests: dials, greets, and writes what it is told to, byte for byte.
import type { Socket } from "bun";

const GREETING = Uint8Array.of(0, 0x53, 0x50, 0, 0, 16, 0, 0);
type Target = { readonly hostname: string; readonly port: number } | { readonly unix: string };

/** A message behind its 64-bit length. */
export function messageOf(bytes: Uint8Array): Uint8Array {
  const framed = new Uint8Array(8 + bytes.length);
  new DataView(framed.buffer).setBigUint64(0, BigInt(bytes.length));
  framed.set(bytes, 8);
  return framed;
}

/** Events of an event file, each a message. */
export function messagesOf(file: Uint8Array): Uint8Array[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const messages: Uint8Array[] = [];
  for (let at = 0; at + 12 <= file.length; ) {
    const next = at + 4 + view.getUint32(at);
    if (next > file.length) break;
    messages.push(messageOf(file.subarray(at + 12, next)));
    at = next;
  }
  return messages;
}

export class Sender {
  /** Everything that came, the greeting first. */
  received = new Uint8Array(0);
  isClosed = false;
  private readonly closing = Promise.withResolvers<void>();
  private drained = Promise.withResolvers<void>();
  private socket!: Socket;

  static async dial(target: Target, greeting: Uint8Array = GREETING): Promise<Sender> {
    const sender = new Sender();
    const socket = {
      binaryType: "uint8array",
      data: (_: Socket, bytes: Uint8Array) => {
        sender.received = Buffer.concat([sender.received, bytes]);
      },
      drain: () => sender.drained.resolve(),
      close: () => sender.noteClosed(),
      error: () => sender.noteClosed(),
    } as const;
    sender.socket =
      "unix" in target
        ? await Bun.connect({ unix: target.unix, socket })
        : await Bun.connect({ ...target, socket });
    await sender.write(greeting);
    return sender;
  }

  /** Settles when all is handed to the system, or the connection is closed. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length && !this.isClosed; ) {
      this.drained = Promise.withResolvers();
      const written = this.socket.write(bytes.subarray(done));
      if (written < 0) return;
      done += written;
      if (done < bytes.length) await Promise.race([this.drained.promise, this.closing.promise]);
    }
  }

  /** Settles when the other side has closed. */
  get closed(): Promise<void> {
    return this.closing.promise;
  }

  /** An orderly end: what was written arrives. */
  async end(): Promise<void> {
    this.socket.end();
    await this.closing.promise;
  }

  /** An end in the middle of whatever is written. */
  terminate(): void {
    this.socket.terminate();
    this.noteClosed();
  }

  private noteClosed(): void {
    this.isClosed = true;
    this.closing.resolve();
    this.drained.resolve();
  }
}
