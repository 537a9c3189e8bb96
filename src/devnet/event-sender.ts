/**
 * The core's end of a data node's event socket (docs/protocol/30-node-api-events.md#10-socket-from-core-to-data-node):
 * SP PAIR version 0 over TCP or a Unix socket. It dials, greets, and writes the messages of the outbox in order, as
 * fast as the other side takes them; when too many wait the chain makes no block until there is room again, or they are dropped
 * where blocks cannot wait.
 */
import type { Socket } from "bun";
import { messageFrom, type Outbox, type OutboxRow } from "../chain/outbox.ts";
import { readBusEventAt } from "../wire/generated/events.ts";

/** Zero, "SP", version 0, protocol 16 (PAIR version 0), two reserved bytes. */
const GREETING = Uint8Array.of(0, 0x53, 0x50, 0, 0, 16, 0, 0);
const REDIAL_MS = 100;
const LENGTH_BYTES = 8;
/** Of a message that the data node sends: the core's own limit. */
const RECEIVED_BYTES_MAX = 1024 * 1024;
/** Bytes that wait before blocks do. */
const UNSENT_BYTES_MAX = 64 * 1024 * 1024;
/** Blocks wait this long before a line is logged: the core gives up a message after the same time. */
const PATIENCE_MS = 3_000;
/** On stop the data node gets this long to read the remaining messages. */
const STOP_MS = 700;
const DATA_NODE_READY = 55;

type EventTarget = { readonly hostname: string; readonly port: number } | { readonly unix: string };

/** `tcp://HOST:PORT`, `unix:PATH` or, as the library of the original writes it, `ipc://PATH`; undefined for another text. */
export function parseEventTarget(text: string): EventTarget | undefined {
  const tcp = /^tcp:\/\/(\[[0-9a-fA-F:]+\]|[^\s:/[\]]+):(\d{1,5})$/.exec(text);
  if (tcp) {
    const port = Number(tcp[2]);
    if (port < 1 || port > 65_535) return undefined;
    return { hostname: tcp[1]!.replace(/^\[|\]$/g, ""), port };
  }
  const path = /^(?:unix:(?:\/\/)?|ipc:\/\/)(.{1,107})$/.exec(text)?.[1];
  return path === undefined ? undefined : { unix: path };
}

interface EventSenderOptions {
  /** The text of the option, for messages. */
  readonly name: string;
  readonly target: EventTarget;
  readonly outbox: Outbox;
  /** After a lost connection continues with the next message, as the network's core does; else with the oldest of the outbox. */
  readonly lossy: boolean;
  readonly unsentBytesMax?: number;
  /** Called when blocks must wait, and when they may continue; without it too many events are dropped. @param reason set once it takes longer */
  onHold?(isHeld: boolean, reason: string | undefined): void;
  /** Called with a line for the log. */
  onLine(text: string): void;
}

interface Connection {
  readonly socket: Socket;
  isGreeted: boolean;
  received: Uint8Array;
  /** Messages of the upgrade that were written on this connection. */
  upgradeWritten: boolean;
}

export class EventSender {
  private connection: Connection | undefined;
  /** The row under way, and how much of it is written. */
  private row: { readonly of: OutboxRow | undefined; readonly bytes: Uint8Array; at: number } | undefined;
  private redial: ReturnType<typeof setTimeout> | undefined;
  private patience: ReturnType<typeof setTimeout> | undefined;
  private isHeld = false;
  private isStopped = false;
  private lastLine = "";
  private readonly drained = Promise.withResolvers<void>();
  private isConfirmed = false;

  constructor(private readonly options: EventSenderOptions) {
    options.outbox.onMore = () => {
      this.pump();
      this.regulate();
    };
  }

  start(): void {
    this.dial();
    this.regulate();
  }

  /** Writes the remaining messages for a bounded time; the rest stays in the outbox. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.redial);
    if (this.connection?.isGreeted) {
      this.pump();
      await Promise.race([this.drained.promise, Bun.sleep(STOP_MS)]);
    }
    clearTimeout(this.patience);
    this.options.outbox.onMore = () => {};
    const { connection } = this;
    this.connection = undefined;
    connection?.socket.end();
    this.options.outbox.close();
  }

  private dial(): void {
    if (this.isStopped) return;
    const { target } = this.options;
    const socket = {
      binaryType: "uint8array",
      open: (socket: Socket) => this.opened(socket),
      data: (socket: Socket, bytes: Uint8Array) => this.received(socket, bytes),
      drain: () => this.pump(),
      close: (socket: Socket) => this.closed(socket, "it closed the connection"),
      end: (socket: Socket) => {
        socket.end();
      },
      error: (socket: Socket, error: Error) => this.closed(socket, error.message),
      // The promise reports it, too.
      connectError: () => {},
    } as const;
    const failed = (error: unknown) => {
      this.report(`no data node listens at ${this.options.name} (${codeOf(error)}): its events wait`);
      this.dialLater();
    };
    const dialed = "unix" in target ? Bun.connect({ ...target, socket }) : Bun.connect({ ...target, socket });
    dialed.catch(failed);
  }

  private dialLater(): void {
    clearTimeout(this.redial);
    if (!this.isStopped) this.redial = setTimeout(() => this.dial(), REDIAL_MS);
  }

  private opened(socket: Socket): void {
    if (this.isStopped) {
      socket.end();
      return;
    }
    socket.setNoDelay(true);
    this.connection = { socket, isGreeted: false, received: new Uint8Array(0), upgradeWritten: false };
    // Eight bytes always fit the buffer of a new socket.
    socket.write(GREETING);
  }

  private received(socket: Socket, bytes: Uint8Array): void {
    const { connection } = this;
    if (connection?.socket !== socket) return;
    connection.received = Buffer.concat([connection.received, bytes]);
    if (!connection.isGreeted) {
      if (connection.received.length < GREETING.length) return;
      if (Buffer.compare(connection.received.subarray(0, GREETING.length), GREETING) !== 0) {
        this.give(connection, "it does not speak SP PAIR version 0");
        return;
      }
      connection.isGreeted = true;
      connection.received = connection.received.slice(GREETING.length);
      this.report(`events go to ${this.options.name}`);
      this.pump();
    }
    this.readMessages(connection);
  }

  /** Of a data node's messages only the confirmation of an upgrade counts. */
  private readMessages(connection: Connection): void {
    while (connection.received.length >= LENGTH_BYTES) {
      const { received } = connection;
      const length = Number(new DataView(received.buffer, received.byteOffset).getBigUint64(0));
      if (length > RECEIVED_BYTES_MAX) {
        this.give(connection, `it sent a message of ${length} bytes`);
        return;
      }
      if (received.length < LENGTH_BYTES + length) return;
      const message = received.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
      connection.received = received.slice(LENGTH_BYTES + length);
      this.receiveReady(message);
    }
  }

  private receiveReady(message: Uint8Array): void {
    const { last } = this.options.outbox;
    let ready: ReturnType<typeof readBusEventAt>;
    try {
      ready = readBusEventAt(message, 0, message.length);
    } catch {
      return;
    }
    const height = ready.protocolUpgradeDataNodeReady?.lastBlockHeight;
    if (ready.type !== DATA_NODE_READY || last === undefined || height !== BigInt(last.height)) return;
    this.isConfirmed = true;
    this.report(`the data node at ${this.options.name} is ready for the upgrade after block ${last.height}`);
  }

  private give(connection: Connection, reason: string): void {
    connection.socket.terminate();
    this.closed(connection.socket, reason);
  }

  private closed(socket: Socket, reason: string): void {
    if (this.connection?.socket !== socket) return;
    this.connection = undefined;
    if (this.isStopped) {
      this.drained.resolve();
      return;
    }
    this.report(`the data node at ${this.options.name} is gone (${reason}): its events wait`);
    this.forgetSent();
    this.dialLater();
  }

  private forgetSent(): void {
    const { row } = this;
    if (this.options.lossy && row?.of !== undefined) {
      // The partly written message is lost; the next connection begins with the next message.
      row.at = messageFrom(row.bytes, row.at);
      return;
    }
    this.row = undefined;
    if (!this.options.lossy) this.options.outbox.restart();
    this.regulate();
  }

  private pump(): void {
    const { connection } = this;
    if (connection === undefined || !connection.isGreeted) return;
    for (;;) {
      this.row ??= this.nextRow(connection);
      const { row } = this;
      if (row === undefined) {
        if (this.isStopped) this.drained.resolve();
        return;
      }
      const { outbox } = this.options;
      if (row.of) outbox.beginSend(row.of);
      const written = connection.socket.write(row.bytes.subarray(row.at));
      // Closed: its own handler follows.
      row.at += Math.max(0, written);
      if (row.at < row.bytes.length) {
        if (row.of) outbox.tookPart(row.at);
        return;
      }
      this.row = undefined;
      if (row.of) outbox.sent(row.of);
      this.regulate();
    }
  }

  private nextRow(connection: Connection): EventSender["row"] {
    const { outbox } = this.options;
    const of = outbox.next();
    if (of !== undefined) return { of, bytes: of.bytes, at: outbox.beginOf(of) };
    // Sent once on every connection, until confirmed.
    if (outbox.last === undefined || connection.upgradeWritten || this.isConfirmed) return undefined;
    connection.upgradeWritten = true;
    return { of: undefined, bytes: outbox.last.bytes, at: 0 };
  }

  /** Blocks wait from the limit on, until half of it is sent. */
  private regulate(): void {
    const { outbox, unsentBytesMax = UNSENT_BYTES_MAX, onHold } = this.options;
    if (onHold === undefined) {
      if (outbox.unsentBytes > unsentBytesMax) this.dropWaiting();
      return;
    }
    const isHeld = outbox.unsentBytes > (this.isHeld ? unsentBytesMax / 2 : unsentBytesMax);
    if (isHeld === this.isHeld) return;
    this.isHeld = isHeld;
    clearTimeout(this.patience);
    onHold(isHeld, undefined);
    if (isHeld) {
      this.patience = setTimeout(() => onHold(true, this.holdReason()), PATIENCE_MS);
    }
  }

  /** The data node takes the blocks that it lacks from the history of this node. */
  private dropWaiting(): void {
    const { name, outbox } = this.options;
    outbox.dropAll();
    this.report(
      `events up to block ${outbox.missingUpTo} waited too long for the data node at ${name} and are dropped: it needs lyra history fetch`,
    );
    // A message may be half written.
    if (this.connection) this.give(this.connection, "it was too far behind");
    this.row = undefined;
  }

  private holdReason(): string {
    const { name, outbox } = this.options;
    const megabytes = Math.round(outbox.unsentBytes / 1024 / 1024);
    const why = this.connection?.isGreeted ? "does not take them" : "is not there";
    return `blocks wait: ${megabytes} MB of events wait for the data node at ${name}, which ${why}`;
  }

  /** Consecutive equal lines are logged once: an absent target is dialed ten times a second. */
  private report(text: string): void {
    if (text === this.lastLine) return;
    this.lastLine = text;
    this.options.onLine(text);
  }
}

function codeOf(error: unknown): string {
  return (error as { code?: string } | null)?.code ?? "unknown";
}
