// A data node: a home that is served, while recordings may be loaded into it.
import { availableParallelism } from "node:os";
import { logFailure } from "../errors/log.ts";
import { NodeError, threadReason } from "../errors/node-error.ts";
import { type Lock, lockHome } from "../files/lock.ts";
import { workerUrl } from "../files/worker-url.ts";
import { ServerStatus, STORE_DAMAGED } from "../http/status.ts";
import type { ReplayResult } from "../ingest/replay.ts";
import { serveData } from "../planes/data/app.ts";
import { DataContext } from "../planes/data/context.ts";
import { DataPlane } from "../planes/data/plane.ts";
import { isReadOnlyHome, openReader, openWriter } from "../store/database.ts";
import type { ChainHead } from "../store/head.ts";
import { BUILD } from "./build.ts";
import { completeConfig, type DataNodeConfig } from "./config.ts";
import { HomeWatch } from "./home-watch.ts";
import { ReaderThreads } from "./reader-threads.ts";
import { storeFacts } from "./reading.ts";
import type { WriterOrder, WriterReport } from "./writer.worker.ts";

/** The writer gets this long to finish its block and close. */
const WRITER_STOP_MS = 1_500;

/** Elsewhere the system does not spread connections over several listeners. */
const CAN_SHARE = process.platform === "linux";

export interface DataNode {
  readonly home: string;
  readonly dataUrl: string;
  readonly dataPort: number;
  head(): ChainHead | undefined;
  /** Settles when everything that was to be loaded is loaded (or could not be) and its segments are made. */
  readonly loaded: Promise<ReplayResult | undefined>;
  /** Settles when the writer's thread ends by itself after that; the node answers on, and is not ready. */
  readonly broken: Promise<NodeError>;
  /** Frees the port and closes the store; at most two seconds. */
  stop(): Promise<void>;
}

/** Starts a data node on a home. The port listens when this returns. @throws NodeError */
export async function startDataNode(given: DataNodeConfig): Promise<DataNode> {
  const config = completeConfig(given);
  // A home that cannot be written needs no lock, and gets no writer.
  const isReadOnly = config.replay.length === 0 && isReadOnlyHome(config.home);
  const lock = isReadOnly ? NO_LOCK : lockHome(config.home);
  const cleanup: (() => void)[] = [() => lock.release()];
  try {
    // Makes or migrates the store before the first reader comes.
    if (!isReadOnly) openWriter(config.home).close();
    const db = openReader(config.home);
    cleanup.unshift(() => db.close());
    const plane = new DataPlane(
      new DataContext(db, { limits: config.limits, build: BUILD, home: config.home }),
    );
    const status = new ServerStatus();
    const { home, host, limits } = config;
    const threads = CAN_SHARE ? Math.min(limits.readerThreads, availableParallelism()) : 1;
    const isShared = threads > 1;
    const server = serveData(plane, status, {
      host,
      port: config.dataPort,
      ...(isShared && { sharing: "first" }),
    });
    cleanup.unshift(() => void server.stop());
    const readers = new ReaderThreads({ home, limits, host, port: server.port }, threads - 1, status);
    cleanup.unshift(() => void readers.stop());
    await readers.listening();
    const writer = isReadOnly
      ? new NoWriter()
      : new WriterThread({
          home: config.home,
          segmentLength: config.segmentLength,
          replay: config.replay,
        });
    writer.onChange = () => readers.notifyReady(writer.notReady());
    writer.onChange();
    writer.onCommitted = () => {
      plane.heightWaiters.notify();
      status.ingest.note(() => plane.head()?.height ?? 0);
      readers.notifyCommit();
    };
    const onLost = (failure: NodeError) => {
      logFailure(failure);
      writer.noteLost(failure);
    };
    const watch = new HomeWatch(config.home, onLost, { isStill: isReadOnly });
    cleanup.unshift(() => watch.stop());
    status.onDamage = () => readers.notifyReady(STORE_DAMAGED);
    status.source = { ...storeFacts(config.home, plane), notReady: () => writer.notReady() };
    return {
      home,
      dataUrl: server.url,
      dataPort: server.port,
      head: () => plane.head(),
      loaded: writer.loaded,
      broken: writer.broken,
      stop: () => {
        watch.stop();
        // A commit that is reported while the store closes has no reader any more.
        writer.onCommitted = () => {};
        writer.onChange = () => {};
        return stop([server, readers], writer, db, lock);
      },
    };
  } catch (error) {
    for (const undo of cleanup) undo();
    throw error;
  }
}

async function stop(
  servers: readonly { stop(): Promise<void> }[],
  writer: Writing,
  db: { close(): void },
  lock: Lock,
): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
  db.close();
  await writer.stop();
  lock.release();
}

const NO_LOCK: Lock = { release: () => {} };

/** The writer as the main thread sees it. */
interface Writing {
  readonly loaded: Promise<ReplayResult | undefined>;
  readonly broken: Promise<NodeError>;
  /** Notified of everything that may change `notReady`. */
  onChange: () => void;
  /** Notified of every commit of a load. */
  onCommitted: () => void;
  /** Why the node is not ready. */
  notReady(): string | undefined;
  /** The home was moved: served data is still right, but new blocks are not kept in their place. */
  noteLost(failure: NodeError): void;
  stop(): Promise<void>;
}

/** For a home that cannot be written. */
class NoWriter implements Writing {
  readonly loaded = Promise.resolve(undefined);
  readonly broken = new Promise<NodeError>(() => {});
  onChange = () => {};
  onCommitted = () => {};
  private lost: string | undefined;

  notReady(): string | undefined {
    return this.lost;
  }

  noteLost({ code }: NodeError): void {
    this.lost = `the home is lost: ${code}`;
    this.onChange();
  }

  async stop(): Promise<void> {}
}

/** The writer's thread, seen from the main one. */
class WriterThread implements Writing {
  readonly loaded: Promise<ReplayResult | undefined>;
  readonly broken: Promise<NodeError>;
  private readonly worker: Worker;
  private readonly stopped: Promise<void>;
  private result: ReplayResult | undefined;
  private failure: NodeError | undefined;
  /** Sticky: nothing that the writer does brings the home back. */
  private lost: string | undefined;
  /** The scrub's finding: sticky, because no later load mends it. */
  private damageFound: NodeError | undefined;
  private state: "loading" | "idle" | "stopped" = "loading";
  onChange = () => {};
  onCommitted = () => {};

  constructor(private readonly order: WriterOrder) {
    const loaded = Promise.withResolvers<ReplayResult | undefined>();
    const broken = Promise.withResolvers<NodeError>();
    const stopped = Promise.withResolvers<void>();
    this.loaded = loaded.promise;
    this.broken = broken.promise;
    this.stopped = stopped.promise;
    // `loaded` may not be awaited: the failure is then told by /readyz and the log.
    this.loaded.catch(() => {});
    this.worker = new Worker(workerUrl("node/writer.worker.ts"));
    this.worker.onmessage = (event: MessageEvent<WriterReport>) => {
      const message = event.data;
      if (message.kind === "replayed") this.result = message.result;
      // Follow-up failures are no news: a load that a full disk has ended, and then segments that it has no room for.
      if (message.kind === "failed") {
        const failure = new NodeError(message.attempt, message.code, message.message, message.hint);
        if (message.code === "store_damaged") this.noteDamage(failure);
        else {
          this.failure ??= failure;
          // The load goes on when there is room: until then the log says why it does not.
          if (message.code === "disk_full" && this.state === "loading") logFailure(failure);
        }
      }
      if (message.kind === "recovered") this.failure = undefined;
      if (message.kind === "idle" || message.kind === "stopped") {
        this.state = message.kind;
        if (this.failure) loaded.reject(this.failure);
        else loaded.resolve(this.result);
      }
      if (message.kind === "stopped") stopped.resolve();
      if (message.kind === "committed") this.onCommitted();
      else this.onChange();
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
      this.onChange();
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

  noteLost({ code }: NodeError): void {
    this.lost = `the home is lost: ${code}`;
    this.onChange();
  }

  async stop(): Promise<void> {
    this.worker.postMessage("stop");
    await Promise.race([this.stopped, Bun.sleep(WRITER_STOP_MS)]);
    this.worker.terminate();
  }
}
