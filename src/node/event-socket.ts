// The event socket: a core dials it and sends its events
// (docs/protocol/30-node-api-events.md#10-socket-from-core-to-data-node), which go straight to the event log. A sender
// is never made to wait for the store, only for room in the log: a core ends for good when a send takes 3 seconds.
// While the disk is full its events are kept in memory; past a bound they are taken and dropped, so that it can go on.
import { chmodSync, existsSync, lstatSync, unlinkSync } from "node:fs";
import type { Socket } from "bun";
import { codeOf, NodeError } from "../errors/node-error.ts";
import type { MessageOf } from "../errors/program-codes.ts";
import { isDiskFull } from "../files/sqlite-error.ts";
import { givesWay, isLocal } from "../http/connection-places.ts";
import { DEFAULT_LIMITS } from "../http/limits.ts";
import { StreamFault } from "../ingest/block-assembler.ts";
import type { EventLogWriter } from "../ingest/event-log.ts";
import { framed, GREETING, Greeting, PairReceiver } from "../ingest/sp-pair.ts";
import { GarbageLimit } from "../store/garbage-limit.ts";

/** A connection that does not greet is closed after this. */
const GREETING_MS = 5_000;
/** Connections that have not greeted, at once: a core greets within a round trip, also while others dial without a pause. */
const UNGREETED_MAX = 256;
/** A sender that is silent for this long gives way to another sender: its machine may be gone without a word. */
const SILENT_MS = 30_000;
/** Interval at which a full log or disk is looked at. */
const ROOM_MS = 200;
/** Only this user's processes reach a Unix socket. */
const SOCKET_MODE = 0o600;
const KEEP_ALIVE_MS = 10_000;
/** Bytes of events between two collections of garbage. */
const GARBAGE_BYTES = 16 * 1024 * 1024;

export interface EventSocketHooks {
  /** The log has grown. */
  onEvents(): void;
  onConnected(): void;
  /** @param reason of a connection that was not simply closed */
  onDisconnected(reason: string | undefined): void;
  /** Events cannot be appended (a reason), or can again. */
  onPaused(reason: PauseReason | undefined): void;
  /** Memory is full, too: events are dropped. */
  onLeft?(height: number | undefined): void;
  /** Why the store takes nothing from the log, if so: then a full log does not get room by itself. */
  whyNotStored?(): "disk_full" | "store_failed" | undefined;
  /** A connection was closed that is not the sender's. */
  onTurnedAway(reason: string): void;
}

export type PauseReason = "event_log_full" | "disk_full" | "store_failed";

/** A connection; of the sender once it has greeted and found no other one. */
interface Connection {
  greeting: Greeting | undefined;
  greetingTimer: ReturnType<typeof setTimeout> | undefined;
  receiver: PairReceiver | undefined;
  /** Its number in the log. */
  no: number;
}

type Peer = Socket<Connection>;

type Address = { readonly host: string; readonly port: number } | { readonly path: string };

export class EventSocket {
  private readonly listeners: { stop(closeActive?: boolean): void }[] = [];
  /** Connections that have not greeted, oldest first. */
  private readonly ungreeted = new Set<Peer>();
  private peer: Peer | undefined;
  /** Records that the log has no room for, in order. */
  private held: Uint8Array[] = [];
  private bytesHeld = 0;
  /** Whether events are dropped, until those in memory are written. */
  private isLeft = false;
  /** When the last whole message came. */
  private heardMs = 0;
  private readonly garbage = new GarbageLimit(GARBAGE_BYTES);
  private pause: PauseReason | undefined;
  private roomTimer: ReturnType<typeof setInterval> | undefined;
  /** Goes to every sender until it is withdrawn: it may have lost the connection. */
  private answer: Uint8Array | undefined;
  private lastHeight: number | undefined;

  constructor(
    private readonly log: EventLogWriter,
    private readonly hooks: EventSocketHooks,
    private readonly silentMs = SILENT_MS,
    private readonly memoryBytesMax = DEFAULT_LIMITS.eventMemoryBytesMax,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Bytes of events in memory that the disk has no room for. */
  get heldBytes(): number {
    return this.bytesHeld;
  }

  /** Height of the last event that came. */
  get height(): number | undefined {
    return this.lastHeight;
  }

  get isConnected(): boolean {
    return this.peer !== undefined;
  }

  /** @returns the port, 0 for a path. @throws NodeError `port_in_use` */
  listen(address: Address): number {
    const socket = {
      binaryType: "uint8array",
      open: (peer: Peer) => this.opened(peer),
      data: (peer: Peer, bytes: Uint8Array) => this.received(peer, bytes),
      close: (peer: Peer) => this.closed(peer),
      error: (peer: Peer) => peer.terminate(),
    } as const;
    const data = { greeting: undefined, greetingTimer: undefined, receiver: undefined, no: 0 };
    try {
      if ("path" in address) {
        removeLeftSocket(address.path);
        this.listeners.push(asPrivate(() => Bun.listen<Connection>({ unix: address.path, socket, data })));
        chmodSync(address.path, SOCKET_MODE);
        return 0;
      }
      const { host: hostname, port } = address;
      const listener = Bun.listen<Connection>({ hostname, port, socket, data });
      this.listeners.push(listener);
      return listener.port;
    } catch (error) {
      throw listenError(address, error);
    }
  }

  /** Closes a connection by its number, where it is still the sender's. */
  refuse(connection: number): void {
    if (this.peer?.data.no === connection) this.drop("its events were refused");
  }

  /** Sends a message to the sender, and to the next ones. @param message undefined: to no further one */
  setAnswer(message: Uint8Array | undefined): void {
    this.answer = message && framed(message);
    if (this.answer) this.peer?.write(this.answer);
  }

  /** There may be room in the log again. */
  notifyRoom(): void {
    if (this.pause !== undefined) this.flush();
  }

  stop(): void {
    clearInterval(this.roomTimer);
    this.writeHeld();
    for (const listener of this.listeners.splice(0)) listener.stop(true);
    this.peer?.terminate();
    this.peer = undefined;
  }

  private opened(peer: Peer): void {
    if (this.ungreeted.size >= UNGREETED_MAX && !this.evictUngreeted(peer)) {
      peer.terminate();
      return;
    }
    this.ungreeted.add(peer);
    peer.setNoDelay(true);
    peer.setKeepAlive(true, KEEP_ALIVE_MS);
    const greetingTimer = setTimeout(() => peer.terminate(), GREETING_MS);
    peer.data = { greeting: new Greeting(), greetingTimer, receiver: undefined, no: 0 };
    // Eight bytes always fit the buffer of a new socket.
    peer.write(GREETING);
  }

  /** @returns whether there is a place for another connection */
  private evictUngreeted(next: Peer): boolean {
    const peer = givesWay([...this.ungreeted], next);
    if (peer === undefined) return false;
    this.endGreeting(peer);
    peer.terminate();
    return true;
  }

  private received(peer: Peer, bytes: Uint8Array): void {
    try {
      const rest = peer.data.greeting ? this.greet(peer, peer.data.greeting, bytes) : bytes;
      if (rest && peer === this.peer) this.takeBytes(peer.data.receiver!, rest);
    } catch (error) {
      if (!(error instanceof StreamFault)) throw error;
      // Whatever came whole before it counts.
      if (peer === this.peer) this.flush();
      if (peer === this.peer) this.drop(error.message);
      else {
        peer.terminate();
        this.hooks.onTurnedAway(error.message);
      }
    }
  }

  /** @returns the bytes behind the greeting, of a connection that is now the sender's */
  private greet(peer: Peer, greeting: Greeting, bytes: Uint8Array): Uint8Array | undefined {
    const rest = greeting.push(bytes);
    if (rest === undefined) return undefined;
    this.endGreeting(peer);
    if (this.peer !== undefined) {
      if (!this.givesWay(this.peer, peer)) {
        peer.end();
        this.hooks.onTurnedAway("another sender is connected");
        return undefined;
      }
      this.drop("it was silent, and another sender came");
    }
    const no = this.log.nextConnection();
    peer.data = { ...peer.data, receiver: new PairReceiver(no), no };
    this.peer = peer;
    this.heardMs = this.nowMs();
    if (this.answer) peer.write(this.answer);
    if (this.isSenderWaiting) peer.pause();
    this.hooks.onConnected();
    return rest;
  }

  /** Whether a sender gives way to another sender: it is silent, or of another machine and has sent nothing yet. */
  private givesWay(peer: Peer, next: Peer): boolean {
    if (this.isSenderWaiting) return false;
    if (this.nowMs() - this.heardMs > this.silentMs) return true;
    return peer.data.receiver?.messages === 0 && !isLocal(peer) && isLocal(next);
  }

  private endGreeting(peer: Peer): void {
    if (peer.data.greeting === undefined) return;
    clearTimeout(peer.data.greetingTimer);
    peer.data.greeting = undefined;
    this.ungreeted.delete(peer);
  }

  private takeBytes(receiver: PairReceiver, bytes: Uint8Array): void {
    const { messages } = receiver;
    try {
      receiver.push(bytes);
    } finally {
      if (receiver.messages > messages) this.heardMs = this.nowMs();
      if (receiver.height !== undefined) this.lastHeight = receiver.height;
    }
    this.flush();
    this.garbage.noteWork(bytes.length);
  }

  /** Appends events, those in memory first. */
  private flush(): void {
    let reason = this.writeHeld();
    for (const fresh of this.peer?.data.receiver?.takeRecords() ?? []) {
      if (this.isLeft) break;
      reason ??= this.append(fresh);
      if (reason === undefined) this.hooks.onEvents();
      else this.hold(fresh);
    }
    if (reason !== this.pause) this.setPause(reason);
    if (this.isLeft && reason === undefined) this.comeBack();
    else if (!this.isLeft && !this.isSenderWaiting && this.bytesHeld > this.memoryBytesMax) this.leave();
  }

  /** @returns why some of it is still there */
  private writeHeld(): PauseReason | undefined {
    let reason: PauseReason | undefined;
    let written = 0;
    while (written < this.held.length && reason === undefined) {
      reason = this.append(this.held[written]!);
      if (reason === undefined) written++;
    }
    if (written === 0) return reason;
    for (const records of this.held.splice(0, written)) this.bytesHeld -= records.length;
    this.hooks.onEvents();
    return reason;
  }

  private hold(records: Uint8Array): void {
    this.held.push(records);
    this.bytesHeld += records.length;
  }

  /** Events are dropped from here on. The sender is told by a broken connection; it dials again, and must not wait. */
  private leave(): void {
    this.isLeft = true;
    this.hooks.onLeft?.(this.lastHeight);
    if (this.peer) this.drop("the disk is full, and the memory for its events, too");
  }

  /** The next connection's events follow those that were in memory; what was dropped between them is missing. */
  private comeBack(): void {
    this.isLeft = false;
    this.hooks.onLeft?.(undefined);
    if (this.peer) this.drop("there is room again: its next connection is taken");
  }

  private append(records: Uint8Array): PauseReason | undefined {
    try {
      if (this.log.append(records)) return undefined;
      return this.hooks.whyNotStored?.() ?? "event_log_full";
    } catch (error) {
      if (isDiskFull(error)) return "disk_full";
      if (codeOf(error) === undefined) throw error;
      return "store_failed";
    }
  }

  /** A log that is full of unread events gets room by itself: nothing is kept in memory for it. */
  private get isSenderWaiting(): boolean {
    return this.pause === "event_log_full";
  }

  private setPause(reason: PauseReason | undefined): void {
    this.pause = reason;
    clearInterval(this.roomTimer);
    if (this.isSenderWaiting) this.peer?.pause();
    else this.peer?.resume();
    if (reason !== undefined) this.roomTimer = setInterval(() => this.flush(), ROOM_MS);
    this.hooks.onPaused(reason);
  }

  private drop(reason: string): void {
    const { peer } = this;
    this.peer = undefined;
    peer?.terminate();
    this.hooks.onDisconnected(reason);
  }

  private closed(peer: Peer): void {
    this.endGreeting(peer);
    if (peer !== this.peer) return;
    this.flush();
    this.peer = undefined;
    const isCut = peer.data.receiver?.isInsideMessage;
    this.hooks.onDisconnected(isCut ? "it broke off inside an event" : undefined);
  }
}

/** Makes a socket that no other user can reach, also not for a moment. */
function asPrivate<T>(make: () => T): T {
  const before = process.umask(0o777 & ~SOCKET_MODE);
  try {
    return make();
  } finally {
    process.umask(before);
  }
}

/** A socket that a killed process has left is in the way; any other file stays where it is. */
function removeLeftSocket(path: string): void {
  if (existsSync(path) && lstatSync(path).isSocket()) unlinkSync(path);
}

function listenError(address: Address, error: unknown): NodeError {
  const code = codeOf(error) ?? "unknown";
  const refuse = (text: MessageOf<"cannot_listen">, flag: string) =>
    new NodeError("sidecar", "cannot_listen", text, `give another ${flag}`);
  if ("path" in address)
    return refuse(`cannot listen on the socket ${address.path} (${code})`, "--events-socket");
  const { host, port } = address;
  if (code !== "EADDRINUSE")
    return refuse(`cannot listen on ${host} port ${port} (${code})`, "--events-host");
  return new NodeError(
    "sidecar",
    "port_in_use",
    `port ${port} on ${host} is in use`,
    "stop what uses it, or give another --events-port",
  );
}
