// Another sidecar as the source of events (`--follow-sidecar URL`): its stream goes block by block into this node's own
// event log, from where the writer's thread stores it, as it does with a core's.
import { NodeError, reasonOf } from "../errors/node-error.ts";
import type { ErrorCode } from "../errors/program-codes.ts";
import { isDiskFull } from "../files/sqlite-error.ts";
import { StreamFault } from "../ingest/block-assembler.ts";
import { type EventLogWriter, liveBlockBytes } from "../ingest/event-log.ts";
import type { IntakeTrouble } from "../ingest/intake.ts";
import { WireError } from "../wire/errors.ts";
import { type EventSourceContext, openLog } from "./event-source.ts";
import { FOLLOW_ATTEMPT as ATTEMPT, type StreamItem, sidecarBlocks } from "./sidecar-stream.ts";
import { SourceLog } from "./source-log.ts";
import type { LiveReport } from "./writer.worker.ts";

const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 10_000;
/** A full log or disk is looked after this often. */
const ROOM_MS = 500;

export async function startFollowedSidecar(context: EventSourceContext) {
  const { followSidecar } = context.config;
  if (followSidecar === undefined) return undefined;
  const source = new SidecarSource(context, followSidecar);
  return { stop: () => source.stop() };
}

class SidecarSource {
  private readonly log: EventLogWriter;
  private readonly sourceLog: SourceLog;
  private readonly stopping = new AbortController();
  private readonly done: Promise<void>;
  private connection: AbortController | undefined;
  private number = 0;
  private trouble: IntakeTrouble | undefined;
  private room = Promise.withResolvers<void>();
  private pauseMs = FIRST_PAUSE_MS;
  private isReaderNotified = false;
  private hasMore = false;

  constructor(
    private readonly context: EventSourceContext,
    private readonly url: string,
  ) {
    this.log = openLog(context.config);
    this.sourceLog = new SourceLog(ATTEMPT, url);
    context.status.eventLog = () => ({
      logBytes: this.log.bytes,
      unreadBytes: this.log.unreadBytes,
      logBytesMax: context.config.eventLogBytes,
    });
    context.writer.onLive = (report) => this.receive(report);
    this.set("waiting", `${this.url} was not reached yet`);
    // Events of the last run may not be stored yet.
    this.notifyReader();
    this.done = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.connection?.abort();
    this.room.resolve();
    await this.done;
    this.log.close();
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      try {
        await this.follow();
        this.set("waiting", `${this.url} has ended the connection`);
      } catch (error) {
        if (!this.isStopping) this.failed(error);
      }
      await this.sleep(this.pauseMs);
      this.pauseMs = Math.min(PAUSE_MS_MAX, this.pauseMs * 2);
    }
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private failed(error: unknown): void {
    if (error instanceof NodeError) {
      this.set("stopped", `${error.message}: ${error.hint}`, error.code);
      this.pauseMs = PAUSE_MS_MAX;
      return;
    }
    if (error instanceof StreamFault || error instanceof WireError) {
      const text = `${this.url} sends what is not a stream of events: ${error.message}`;
      this.set("stopped", text, "event_invalid");
      this.pauseMs = PAUSE_MS_MAX;
      return;
    }
    this.set("waiting", `${this.url} cannot be reached: ${reasonOf(error)}`);
  }

  /** From the block after the last one that is stored, until the connection ends. */
  private async follow(): Promise<void> {
    const connection = new AbortController();
    this.connection = connection;
    try {
      const stream = sidecarBlocks(this.url, {
        head: this.context.plane.head(),
        blockBytesMax: liveBlockBytes(this.context.config.eventLogBytes),
        connection,
        onConnected: () => {
          this.number = this.log.nextConnection();
          this.set("connected", "");
          return this.number;
        },
      });
      for await (const item of stream) await this.append(item);
    } finally {
      connection.abort();
      this.connection = undefined;
    }
  }

  private async append(item: StreamItem): Promise<void> {
    this.context.status.set("sidecar", { nodeHeight: item.height });
    this.pauseMs = FIRST_PAUSE_MS;
    if (item.records === undefined) return;
    for (;;) {
      const reason = this.tryAppend(item.records);
      if (reason === undefined) break;
      this.set("paused", `no more events are taken (${reason}): they wait at the source`, reason);
      this.room = Promise.withResolvers();
      await Promise.race([this.room.promise, this.sleep(ROOM_MS)]);
      if (this.isStopping || this.connection?.signal.aborted) return;
    }
    if (this.trouble === undefined) this.set("receiving", "");
    this.notifyReader();
  }

  private tryAppend(records: Uint8Array): ErrorCode | undefined {
    try {
      return this.log.append(records) ? undefined : "event_log_full";
    } catch (error) {
      return isDiskFull(error) ? "disk_full" : "store_failed";
    }
  }

  private notifyReader(): void {
    this.hasMore = this.isReaderNotified;
    if (this.isReaderNotified) return;
    this.isReaderNotified = true;
    this.context.writer.sendOrder({ kind: "grown" });
  }

  private receive(report: LiveReport): void {
    if (report.kind === "read") {
      this.log.noteRead(report.place);
      this.room.resolve();
      if (!report.isAtEnd) return;
      this.isReaderNotified = false;
      if (this.hasMore) this.notifyReader();
    } else if (report.kind === "state") {
      this.trouble = report.trouble;
      if (report.trouble) this.set("stopped", report.trouble.text, report.trouble.code);
      else if (this.connection) this.set("receiving", "");
    } else if (report.kind === "refused" && report.connection === this.number) {
      this.pauseMs = PAUSE_MS_MAX;
      this.connection?.abort();
    }
  }

  private set(
    state: "waiting" | "connected" | "receiving" | "paused" | "stopped",
    text: string,
    code?: ErrorCode,
  ) {
    // The writer's trouble stays until a block is stored.
    const { trouble } = this;
    const shownState =
      trouble && state !== "stopped" ? { state: "stopped" as const, ...trouble } : { state, text, code };
    this.sourceLog.note({
      state: shownState.state,
      text: shownState.text,
      ...(shownState.code && { code: shownState.code }),
    });
    this.context.status.set("sidecar", {
      state: shownState.state,
      text: shownState.text,
      ...(shownState.code && { code: shownState.code }),
    });
  }

  private async sleep(ms: number): Promise<void> {
    if (this.isStopping) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.stopping.signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
  }
}
