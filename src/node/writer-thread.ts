// The writer's thread, seen from the main one.
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError, nodeErrorOf, threadReason } from "../errors/node-error.ts";
import { workerUrl } from "../files/worker-url.ts";
import { STORE_DAMAGED } from "../http/status.ts";
import type { ReplayResult } from "../ingest/replay.ts";
import { type EventFeed, EventTap, FeedInlet } from "../store/event-feed.ts";
import type { LiveOrder, LiveReport, WriterOrder, WriterReport } from "./writer.worker.ts";

/** The writer gets this long to finish its block and close. */
const WRITER_STOP_MS = 1_500;

/** The writer as the main thread sees it. */
export interface Writing {
  readonly loaded: Promise<ReplayResult | undefined>;
  readonly broken: Promise<NodeError>;
  /** Notified of every commit of a load. */
  onCommitted: () => void;
  /** Notified of what a live intake tells. */
  onLive: (report: LiveReport) => void;
  /** Why the node is not ready. */
  notReady(): string | undefined;
  /** The home was moved: served data is still right, but new blocks are not kept in their place. Undefined: it is back. */
  noteLost(failure: NodeError | undefined): void;
  /** When the last whole round of background checks ended, Unix microseconds. */
  readonly scrubbedUs: number | undefined;
  /** Events of the blocks that are stored. */
  readonly feed: EventFeed;
  sendOrder(order: LiveOrder): void;
  stop(): Promise<void>;
}

/** For a home that cannot be written. */
export class NoWriter implements Writing {
  readonly loaded = Promise.resolve(undefined);
  readonly broken = new Promise<NodeError>(() => {});
  onCommitted = () => {};
  onLive: (report: LiveReport) => void = () => {};
  readonly feed = new EventTap();
  readonly scrubbedUs = undefined;
  private lost: string | undefined;

  notReady(): string | undefined {
    return this.lost;
  }

  noteLost(failure: NodeError | undefined): void {
    this.lost = failure && `the home is lost: ${failure.code}`;
  }

  sendOrder(): void {}

  async stop(): Promise<void> {}
}

/** The writer's thread, seen from the main one. */
export class WriterThread implements Writing {
  readonly loaded: Promise<ReplayResult | undefined>;
  readonly broken: Promise<NodeError>;
  private readonly worker: Worker;
  private readonly stopped: Promise<void>;
  private result: ReplayResult | undefined;
  private failure: NodeError | undefined;
  private lost: string | undefined;
  scrubbedUs: number | undefined;
  /** The scrub's finding: sticky, because no later load mends it. */
  private damageFound: NodeError | undefined;
  private state: "loading" | "idle" | "stopped" = "loading";
  onCommitted = () => {};
  onLive: (report: LiveReport) => void = () => {};
  readonly feed = new FeedInlet((order) => this.sendOrder({ kind: "feed", order }));

  constructor(private readonly order: WriterOrder) {
    const loaded = Promise.withResolvers<ReplayResult | undefined>();
    const broken = Promise.withResolvers<NodeError>();
    const stopped = Promise.withResolvers<void>();
    this.loaded = loaded.promise;
    this.broken = broken.promise;
    this.stopped = stopped.promise;
    // `loaded` may not be awaited: the failure is then told by /readyz and the log.
    this.loaded.catch(() => {});
    this.worker = new Worker(workerUrl("node/writer.worker.ts"), { smol: true });
    this.worker.onmessage = (event: MessageEvent<WriterReport>) => {
      const message = event.data;
      if (message.kind === "live") return this.onLive(message.report);
      if (message.kind === "feed") return this.feed.receive(message.message);
      if (message.kind === "scrubbed") {
        this.scrubbedUs = message.timeUs;
        return;
      }
      if (message.kind === "replayed") this.result = message.result;
      // Follow-up failures are no news: a load that a full disk has ended, and then segments that it has no room for.
      if (message.kind === "failed") {
        const failure = nodeErrorOf(message);
        if (message.code === "store_damaged") this.noteDamage(failure);
        else {
          this.failure ??= failure;
          // The load goes on when there is room: until then the log says why it does not.
          if (message.code === "disk_full" && this.state === "loading") logFailure(failure);
        }
      }
      if (message.kind === "recovered") {
        if (this.failure) logNotice("writer", `it goes on after ${this.failure.code}`);
        this.failure = undefined;
      }
      if (message.kind === "idle" || message.kind === "stopped") {
        this.state = message.kind;
        if (this.failure) loaded.reject(this.failure);
        else loaded.resolve(this.result);
      }
      if (message.kind === "stopped") stopped.resolve();
      if (message.kind === "committed") this.onCommitted();
    };
    this.worker.onerror = (event) => {
      this.failure = new NodeError(
        "writer",
        "writer_failed",
        `the writer stopped: ${threadReason(event.message)}`,
      );
      if (this.state === "loading") loaded.reject(this.failure);
      else broken.resolve(this.failure);
      this.state = "stopped";
      stopped.resolve();
    };
    this.worker.postMessage(order);
  }

  private noteDamage(failure: NodeError): void {
    this.damageFound ??= failure;
    logFailure(failure);
  }

  notReady(): string | undefined {
    // The sentence may name files of this machine: it is for the log, the code for clients.
    if (this.damageFound) return STORE_DAMAGED;
    if (this.lost) return this.lost;
    if (this.failure) return `loading failed: ${this.failure.code}`;
    const damaged = this.result?.files.find((file) => file.damage)?.damage;
    if (damaged) return `the recording is damaged at record ${damaged.record}`;
    return this.state === "loading" && this.order.replay.length > 0 ? "loading" : undefined;
  }

  noteLost(failure: NodeError | undefined): void {
    this.lost = failure && `the home is lost: ${failure.code}`;
  }

  sendOrder(order: LiveOrder): void {
    this.worker.postMessage(order);
  }

  async stop(): Promise<void> {
    this.worker.postMessage("stop");
    await Promise.race([this.stopped, Bun.sleep(WRITER_STOP_MS)]);
    this.worker.terminate();
  }
}
