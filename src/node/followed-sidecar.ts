// Another sidecar as the source of events (`--follow-sidecar URL`): its stream goes block by block into this node's own
// event log, from where the writer's thread stores it, as it does with a core's.
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import type { ErrorCode } from "../errors/program-codes.ts";
import { type Answer, requestAnswer } from "../fetch/answer.ts";
import { isDiskFull } from "../files/sqlite-error.ts";
import { StreamFault } from "../ingest/block-assembler.ts";
import { type EventLogWriter, liveBlockBytes } from "../ingest/event-log.ts";
import type { IntakeTrouble } from "../ingest/intake.ts";
import { RECORD_HEAD_BYTES, RecordBuffer, RecordSplitter } from "../ingest/records.ts";
import { Field } from "../wire/block.ts";
import { EnvelopeReader } from "../wire/bus-event.ts";
import { WireError } from "../wire/errors.ts";
import { type EventSourceContext, openLog } from "./event-source.ts";
import { EVENTS_PATH, HEARTBEAT_MS } from "./event-stream.ts";
import type { LiveReport } from "./writer.worker.ts";

/** A source that is silent for so long is gone. */
const SILENT_MS = 3 * HEARTBEAT_MS;
const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 10_000;
/** A full log or disk is looked after this often. */
const ROOM_MS = 500;
/** Of the body of an error, which has a sentence. */
const REFUSAL_BYTES_MAX = 2_000;
const ATTEMPT = "sidecar.follow";

/** Answers that need an operator; others pass. */
const REFUSALS: Readonly<Record<number, { code: ErrorCode; hint: string }>> = {
  404: { code: "source_unusable", hint: "give the data port of a sidecar" },
  409: {
    code: "history_mismatch",
    hint: "it holds another history: follow another sidecar, or use another --home",
  },
  410: { code: "events_gone", hint: "fill the home with: lyra history fetch --from URL" },
};

export async function startFollowedSidecar(context: EventSourceContext) {
  const { followSidecar } = context.config;
  if (followSidecar === undefined) return undefined;
  const source = new FollowedSidecar(context, followSidecar);
  return { stop: () => source.stop() };
}

class FollowedSidecar {
  private readonly log: EventLogWriter;
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
    const silence = new Silence(connection);
    try {
      const answer = await requestAnswer(this.address(), { signal: connection.signal, timeoutMs: "endless" });
      if (!answer.isOk) throw await this.refusal(answer);
      this.number = this.log.nextConnection();
      this.set("connected", "");
      logNotice(ATTEMPT, `follows ${this.url}`);
      const blocks = new BlockSplitter(this.number, liveBlockBytes(this.context.config.eventLogBytes));
      for await (const piece of answer.pieces(Number.POSITIVE_INFINITY)) {
        silence.feed();
        blocks.feed(piece);
        for (let item = blocks.next(); item; item = blocks.next()) await this.append(item, silence);
      }
    } catch (error) {
      throw silence.isBroken ? new Error(`it was silent for ${SILENT_MS / 1_000} seconds`) : error;
    } finally {
      silence.stop();
      connection.abort();
      this.connection = undefined;
    }
  }

  /** The first height comes twice: a store with one of its blocks asks for both. */
  private address(): string {
    const head = this.context.plane.head();
    if (head === undefined) return `${this.url}${EVENTS_PATH}?from=0`;
    const { chainId, height, hash, firstHeight } = head;
    const query = new URLSearchParams({
      chainId,
      from: String(height === firstHeight ? height : height + 1),
    });
    if (height !== firstHeight) query.set("hash", hash);
    return `${this.url}${EVENTS_PATH}?${query}`;
  }

  private async refusal(answer: Answer): Promise<Error> {
    const text = await answer.start(REFUSAL_BYTES_MAX);
    const message = /"message": ?"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? `status ${answer.status}`;
    const refusal = REFUSALS[answer.status];
    if (refusal === undefined) return new Error(message);
    const { code, hint } = refusal;
    return new NodeError(ATTEMPT, code, `${this.url} refuses: ${message}`, hint) as Error;
  }

  private async append(item: StreamItem, silence: Silence): Promise<void> {
    this.context.status.set("sidecar", { nodeHeight: item.height });
    this.pauseMs = FIRST_PAUSE_MS;
    if (item.records === undefined) return;
    for (;;) {
      const reason = this.tryAppend(item.records);
      if (reason === undefined) break;
      this.set("paused", `no more events are taken (${reason}): they wait at the source`, reason);
      silence.hold();
      this.room = Promise.withResolvers();
      await Promise.race([this.room.promise, this.sleep(ROOM_MS)]);
      silence.feed();
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
    const told =
      trouble && state !== "stopped" ? { state: "stopped" as const, ...trouble } : { state, text, code };
    if (told.code !== undefined && told.code !== this.lastCode)
      logFailure(new NodeError(ATTEMPT, told.code, told.text));
    this.lastCode = told.code;
    this.context.status.set("sidecar", {
      state: told.state,
      text: told.text,
      ...(told.code && { code: told.code }),
    });
  }

  private lastCode: ErrorCode | undefined;

  private async sleep(ms: number): Promise<void> {
    if (this.isStopping) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.stopping.signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
  }
}

/** Ends a connection on which nothing comes. */
class Silence {
  isBroken = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly connection: AbortController) {
    this.feed();
  }

  feed(): void {
    this.hold();
    this.timer = setTimeout(() => {
      this.isBroken = true;
      this.connection.abort();
    }, SILENT_MS);
  }

  /** While this side does not take what comes. */
  hold(): void {
    clearTimeout(this.timer);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}

interface StreamItem {
  readonly height: number;
  /** Of a whole block, with this connection's number, until the next item; undefined for a heartbeat. */
  readonly records: Uint8Array | undefined;
}

/** Cuts the stream into whole blocks. @throws StreamFault, WireError */
class BlockSplitter {
  private readonly splitter = new RecordSplitter();
  private readonly envelope = new EnvelopeReader();
  private readonly buffer = new RecordBuffer();
  private sequence = 0;
  /** The last block was handed out. */
  private isTaken = false;

  /** @param blockBytesMax bytes of one block's records */
  constructor(
    private readonly connection: number,
    private readonly blockBytesMax: number,
  ) {}

  feed(piece: Uint8Array): void {
    this.splitter.feed(piece);
  }

  next(): StreamItem | undefined {
    const { splitter, envelope, buffer } = this;
    if (this.isTaken) buffer.clear();
    this.isTaken = false;
    while (splitter.next()) {
      const { bytes, start, end } = splitter;
      if (start === end) {
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        return { height: Number(view.getBigUint64(start - RECORD_HEAD_BYTES + 4)), records: undefined };
      }
      envelope.read(bytes, start, end);
      const isBegin = envelope.field === Field.beginBlock;
      if (isBegin !== (buffer.length === 0)) throw new StreamFault("a block begins inside another");
      if (buffer.length + RECORD_HEAD_BYTES + end - start > this.blockBytesMax)
        throw new StreamFault(`block ${envelope.height} has more than ${this.blockBytesMax} bytes`);
      buffer.add(this.connection, this.sequence++ % 2 ** 32, bytes, start, end);
      if (envelope.field !== Field.endBlock) continue;
      this.isTaken = true;
      return { height: envelope.height, records: buffer.records };
    }
    return undefined;
  }
}
