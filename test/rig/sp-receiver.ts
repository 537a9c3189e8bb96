// A data node's end of the event socket (docs/protocol/30-node-api-events.md#10-socket-from-core-to-data-node), for
// tests: it collects whole messages.
import type { Socket } from "bun";
import { type BusEvent, encodeBusEvent, readBusEventAt } from "../../src/wire/generated/events.ts";
import { eventually } from "../support/eventually.ts";

const GREETING = Uint8Array.of(0, 0x53, 0x50, 0, 0, 16, 0, 0);

export class SpReceiver {
  readonly events: BusEvent[] = [];
  /** First bytes of each connection. */
  readonly greetings: Uint8Array[] = [];
  isPaused = false;
  private rest = new Uint8Array(0);
  private isGreeted = false;
  private socket: Socket | undefined;
  private readonly server: { readonly port?: number; stop(force: boolean): void };

  constructor(unix?: string, port = 0) {
    const socket = {
      binaryType: "uint8array",
      open: (opened: Socket) => {
        this.socket = opened;
        this.rest = new Uint8Array(0);
        this.isGreeted = false;
        opened.write(GREETING);
        if (this.isPaused) opened.pause();
      },
      data: (_: Socket, bytes: Uint8Array) => this.take(bytes),
    } as const;
    this.server =
      unix === undefined ? Bun.listen({ hostname: "127.0.0.1", port, socket }) : Bun.listen({ unix, socket });
  }

  get port(): number {
    return this.server.port!;
  }

  pause(): void {
    this.isPaused = true;
    this.socket?.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.socket?.resume();
  }

  /** Cuts the connection, as a receiver that is killed. */
  cut(): void {
    this.socket?.terminate();
  }

  ready(lastBlockHeight: bigint): void {
    const message = encodeBusEvent({
      type: 55,
      version: 1,
      protocolUpgradeDataNodeReady: { lastBlockHeight },
    });
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(message.length));
    this.socket?.write(Buffer.concat([length, message]));
  }

  /** Height of the last block that is complete. */
  get height(): number {
    return Number(this.events.findLast(({ endBlock }) => endBlock)?.endBlock?.height ?? 0);
  }

  async until(isDone: () => boolean): Promise<void> {
    await eventually(isDone, () => `${isDone}, at block ${this.height}`);
  }

  stop(): void {
    this.server.stop(true);
  }

  private take(bytes: Uint8Array): void {
    let at = 0;
    this.rest = Buffer.concat([this.rest, bytes]);
    if (!this.isGreeted && this.rest.length >= GREETING.length) {
      this.greetings.push(this.rest.slice(0, GREETING.length));
      this.isGreeted = true;
      at = GREETING.length;
    }
    const view = new DataView(this.rest.buffer, this.rest.byteOffset, this.rest.length);
    while (this.isGreeted && this.rest.length - at >= 8) {
      const length = Number(view.getBigUint64(at));
      if (this.rest.length - at - 8 < length) break;
      this.events.push(readBusEventAt(this.rest, at + 8, at + 8 + length));
      at += 8 + length;
    }
    this.rest = this.rest.slice(at);
  }
}
