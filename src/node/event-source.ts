// The event socket as a part of a sidecar: from the socket to the event log, from there to the writer's thread; and the
// state of both, for the registry.
import { join } from "node:path";
import { logFailure, logNotice } from "../errors/log.ts";
import { codeOf, NodeError } from "../errors/node-error.ts";
import { EventLogWriter, liveBlockBytes } from "../ingest/event-log.ts";
import { type IntakeTrouble, whyNotStored } from "../ingest/intake.ts";
import type { ChainHead } from "../store/head.ts";
import { encodeBusEvent } from "../wire/generated/events.ts";
import { EventSocket, type EventSocketHooks, type PauseReason } from "./event-socket.ts";
import { GapFiller } from "./gap-filler.ts";
import type { SidecarConfig } from "./sidecar-config.ts";
import type { SourceStatus } from "./source-status.ts";
import type { ServedHome } from "./start.ts";
import type { LiveReport } from "./writer.worker.ts";

const DATA_NODE_READY = 55;
/** Where the event log is, below the home. */
const FOLDER = "events";

export const eventsFolder = (home: string) => join(home, FOLDER);

export interface EventSourceContext extends ServedHome {
  readonly config: SidecarConfig;
  readonly status: SourceStatus;
}

export async function startEventSource(context: EventSourceContext) {
  const { events, eventsSocket } = context.config;
  if (events === undefined && eventsSocket === undefined) return undefined;
  const source = new EventSource(context);
  try {
    return { addresses: source.listen(), stop: async () => source.stop() };
  } catch (error) {
    source.stop();
    throw error;
  }
}

const PAUSE_TEXTS: Readonly<Record<PauseReason, string>> = {
  event_log_full: "the event log is full of events that are not stored: the sender waits",
  disk_full: "the disk is full: events are kept in memory until there is room",
  store_failed: "events cannot be written, and are kept in memory: look at the disk",
};
const GAP_CODES: ReadonlySet<string> = new Set(["events_lost", "height_gap"]);
/** Room that a full disk took is taken again after a while. */
const REFILL_MS = 10_000;

/** A connection that lives for this long is logged although the one before it brought no block. */
const LASTING_MS = 5_000;

/**
 * Logs the connections of a core. A core that is refused dials again several times a second: after a connection that brought no
 * block only the ends are logged, in the same words, which are counted.
 */
class ConnectionLog {
  private hasBlock = true;
  private isLogged = true;
  private timer: ReturnType<typeof setTimeout> | undefined;

  noteConnected(): void {
    this.isLogged = false;
    if (this.hasBlock) this.logConnected();
    else this.timer = setTimeout(() => this.logConnected(), LASTING_MS);
    this.hasBlock = false;
  }

  /** A block came by the connection. */
  noteBlock(): void {
    this.hasBlock = true;
    this.logConnected();
  }

  noteClosed(text: string): void {
    clearTimeout(this.timer);
    logNotice("sidecar.events", text);
    this.isLogged = true;
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private logConnected(): void {
    clearTimeout(this.timer);
    if (this.isLogged) return;
    this.isLogged = true;
    logNotice("sidecar.events", "a core has connected to the event socket");
  }
}

class EventSource {
  private readonly log: EventLogWriter;
  private readonly socket: EventSocket;
  private readonly filler: GapFiller | undefined;
  private pause: PauseReason | undefined;
  private trouble: IntakeTrouble | undefined;
  /** The first height of which events are dropped, while they are. */
  private leftAt: number | undefined;
  private readonly refill = setInterval(() => {
    if (this.pause === undefined && this.trouble?.code !== "disk_full") this.log.refillReserve();
  }, REFILL_MS);
  private readonly connections = new ConnectionLog();
  private disconnected = "no core has connected yet";
  /** Height of a known block, while known ones come. */
  private knownHeight: number | undefined;
  /** Whether the writer was notified of events that it may not have read. */
  private isReaderNotified = false;
  private hasMore = false;
  private upgrade: number | undefined;

  constructor(private readonly context: EventSourceContext) {
    const { config, writer, status } = context;
    this.log = openLog(config);
    const hooks: EventSocketHooks = {
      onEvents: () => this.notifyReader(),
      onConnected: () => this.connected(),
      onDisconnected: (reason) => this.closed(reason),
      onPaused: (reason) => {
        this.pause = reason;
        if (reason) logFailure(new NodeError("sidecar.events", reason, PAUSE_TEXTS[reason]));
        else logNotice("sidecar.events", "events are written again");
        if (reason === "disk_full") writer.sendOrder({ kind: "fold" });
        this.reportState();
      },
      onLeft: (height) => this.setLeft(height),
      whyNotStored: () => whyNotStored(this.trouble),
      onTurnedAway: (reason) => logNotice("sidecar.events", `a connection was closed: ${reason}`),
    };
    this.socket = new EventSocket(this.log, hooks, undefined, config.limits.eventMemoryBytesMax);
    this.filler =
      config.gapsFrom === undefined
        ? undefined
        : new GapFiller({
            url: config.gapsFrom,
            blockBytesMax: liveBlockBytes(config.eventLogBytes),
            head: () => context.plane.head(),
            store: (records) => writer.sendOrder({ kind: "fill", records }),
            onChange: () => this.reportState(),
          });
    writer.onLive = (report) => this.receive(report);
    const notifyCommitted = writer.onCommitted;
    writer.onCommitted = () => {
      notifyCommitted();
      this.committed();
    };
    status.addPart("events", () => this.figures());
    status.eventLog = () => this.figures();
    const gaps = context.plane.context.db.prepare("SELECT from_height, to_height FROM gaps ORDER BY 1");
    status.addPart("gaps", () =>
      (gaps.values() as [bigint, bigint][]).map(([from, to]) => ({ from: Number(from), to: Number(to) })),
    );
    this.reportState();
    // Events of the last run may not be stored yet.
    this.notifyReader();
  }

  listen() {
    const { events, eventsSocket } = this.context.config;
    const addresses: Record<string, string | number> = {};
    const { serverStatus } = this.context;
    if (events) {
      const port = this.socket.listen(events);
      const host = events.host.includes(":") ? `[${events.host}]` : events.host;
      serverStatus.noteListening({ name: "events", host: events.host, port });
      Object.assign(addresses, { eventsUrl: `tcp://${host}:${port}`, eventsPort: port });
    }
    if (eventsSocket !== undefined) {
      this.socket.listen({ path: eventsSocket });
      serverStatus.noteListening({ name: "events", scheme: "unix", host: eventsSocket, port: 0 });
      addresses.eventsSocket = eventsSocket;
    }
    return addresses;
  }

  stop(): void {
    clearInterval(this.refill);
    this.filler?.stop();
    this.connections.stop();
    this.socket.stop();
    this.log.close();
  }

  private connected(): void {
    this.connections.noteConnected();
    this.reportState();
  }

  private closed(reason: string | undefined): void {
    this.disconnected = `the core's connection was closed${reason === undefined ? "" : `: ${reason}`}`;
    this.connections.noteClosed(this.disconnected);
    this.reportState();
  }

  /** @param height of the first event that is dropped; undefined: none is any more */
  private setLeft(height: number | undefined): void {
    this.leftAt = height;
    if (height !== undefined) logFailure(new NodeError("sidecar.events", "disk_full", leftText(height)));
    else logNotice("sidecar.events", "there is room again: events are taken from the next connection on");
    this.reportState();
  }

  private notifyReader(): void {
    if (this.isReaderNotified) {
      this.hasMore = true;
      return;
    }
    this.isReaderNotified = true;
    this.hasMore = false;
    this.context.writer.sendOrder({ kind: "grown" });
  }

  private receive(report: LiveReport): void {
    switch (report.kind) {
      case "read":
        this.log.noteRead(report.place);
        this.socket.notifyRoom();
        if (!report.isAtEnd) break;
        this.isReaderNotified = false;
        if (this.hasMore) this.notifyReader();
        break;
      case "state":
        this.setTrouble(report.trouble);
        break;
      case "known":
        this.knownHeight = report.height;
        this.connections.noteBlock();
        break;
      case "refused":
        this.socket.refuse(report.connection);
        break;
      case "filled":
        this.filler?.noteStored(report.failure);
        break;
      case "upgrade":
        this.answerUpgrade(report.height);
        break;
    }
    this.reportState();
  }

  private setTrouble(trouble: IntakeTrouble | undefined): void {
    this.trouble = trouble;
    if (trouble === undefined) this.filler?.stop();
    else if (GAP_CODES.has(trouble.code)) this.filler?.start();
    if (trouble?.again !== undefined) return;
    if (trouble) logFailure(new NodeError("sidecar.events", trouble.code, trouble.text));
    else {
      this.knownHeight = undefined;
      logNotice("sidecar.events", "events are stored");
    }
  }

  private committed(): void {
    this.knownHeight = undefined;
    if (this.socket.isConnected) this.connections.noteBlock();
    const head = this.context.plane.head();
    // The next release makes blocks: nothing waits for an answer any more.
    if (this.upgrade !== undefined && head !== undefined && head.height > this.upgrade) {
      this.upgrade = undefined;
      this.socket.setAnswer(undefined);
    }
    this.reportState();
  }

  private answerUpgrade(height: number): void {
    const head = this.context.plane.head();
    if (head === undefined) return;
    this.upgrade = height;
    this.socket.setAnswer(upgradeAnswer(head, height));
    logNotice("sidecar.events", `the core was told that everything up to block ${height} is stored`);
  }

  private reportState(): void {
    const { height } = this.socket;
    this.context.status.set("events", {
      ...this.state(),
      ...(height !== undefined && { height }),
    });
  }

  private state() {
    const { trouble, pause, knownHeight, upgrade } = this;
    if (this.leftAt !== undefined && whyNotStored(trouble) !== "store_failed")
      return { state: "stopped", code: "disk_full", text: leftText(this.leftAt) } as const;
    if (trouble !== undefined && trouble.code !== "disk_full")
      return { state: "stopped", code: trouble.code, text: this.withFilling(trouble.text) } as const;
    if (pause !== undefined) return { state: "paused", code: pause, text: PAUSE_TEXTS[pause] } as const;
    if (trouble !== undefined) return { state: "paused", code: trouble.code, text: trouble.text } as const;
    if (!this.socket.isConnected) return { state: "waiting", text: this.disconnected } as const;
    if (this.socket.height === undefined)
      return { state: "connected", text: "no event has come yet" } as const;
    if (upgrade !== undefined)
      return { state: "connected", text: `the core upgrades after block ${upgrade}` } as const;
    if (knownHeight !== undefined) {
      const text = `passing over blocks that are stored, now at ${knownHeight}`;
      return { state: "receiving", text } as const;
    }
    return { state: "receiving", text: `the last event is of block ${this.socket.height}` } as const;
  }

  private withFilling(text: string): string {
    return this.filler?.text === undefined ? text : `${text}; ${this.filler.text}`;
  }

  private figures() {
    return {
      logBytes: this.log.bytes,
      unreadBytes: this.log.unreadBytes,
      logBytesMax: this.context.config.eventLogBytes,
      reserveBytes: this.log.reserveBytes,
      memoryBytes: this.socket.heldBytes,
    };
  }
}

function leftText(height: number): string {
  return `the disk is full, and the memory for events, too: those of block ${height} and later are dropped, so that the core goes on; make room, and the missing blocks are asked for`;
}

export function openLog({ home, eventLogBytes }: SidecarConfig): EventLogWriter {
  try {
    return new EventLogWriter(eventsFolder(home), eventLogBytes);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    const text = `the event log in ${eventsFolder(home)} cannot be opened (${codeOf(error)})`;
    throw new NodeError("sidecar", "store_failed", text, "check the folder and its disk");
  }
}

/**
 * The message that a core waits for before it ends for an upgrade
 * (docs/protocol/30-node-api-events.md#10-socket-from-core-to-data-node).
 */
function upgradeAnswer(head: ChainHead, height: number): Uint8Array {
  return encodeBusEvent({
    id: `${height}-1`,
    block: head.hash,
    type: DATA_NODE_READY,
    version: 1,
    chainId: head.chainId,
    txHash: head.hash,
    protocolUpgradeDataNodeReady: { lastBlockHeight: BigInt(height) },
  });
}
