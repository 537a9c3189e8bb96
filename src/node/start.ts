// A running node: one call used alike by the command line, by tests and by whoever uses Lyra as a library.
import { statSync } from "node:fs";
import { DataContext } from "../api/data/context.ts";
import { DataPlane } from "../api/data/plane.ts";
import { type DataServer, serveData } from "../api/data/server.ts";
import { ServerStatus } from "../api/data/status.ts";
import { ExitCode, NodeError } from "../errors.ts";
import type { ReplayResult } from "../sources/replay.ts";
import { openReader, openWriter, storePath } from "../store/database.ts";
import type { ChainHead } from "../store/head.ts";
import { workerUrl } from "../worker-url.ts";
import { BUILD } from "./build.ts";
import type { NodeConfig } from "./config.ts";
import { type HomeLock, lockHome } from "./lock.ts";
import type { WriterOrder, WriterReport } from "./writer.worker.ts";

/** The writer gets this long to finish its block and close. */
const WRITER_STOP_MS = 1_500;

export interface RunningNode {
  readonly dataUrl: string;
  readonly dataPort: number;
  head(): ChainHead | undefined;
  /** Settles when everything that was to be loaded is loaded (or could not be) and its segments are made. */
  readonly loaded: Promise<ReplayResult | undefined>;
  /** Frees the port and closes the store; at most two seconds. */
  stop(): Promise<void>;
}

/** Starts a node on a home. The port listens when this returns. @throws NodeError */
export async function startNode(config: NodeConfig): Promise<RunningNode> {
  const lock = lockHome(config.home);
  const cleanup: (() => void)[] = [() => lock.release()];
  try {
    // Makes or migrates the store before the first reader comes.
    openWriter(config.home).close();
    const db = openReader(config.home);
    cleanup.unshift(() => db.close());
    const plane = new DataPlane(
      new DataContext(db, { limits: config.limits, build: BUILD, home: config.home }),
    );
    const status = new ServerStatus();
    const server = serveData(plane, status, config.host, config.dataPort);
    cleanup.unshift(() => void server.stop());
    const writer = new WriterThread({
      home: config.home,
      segmentLength: config.segmentLength,
      replay: config.replay,
    });
    status.source = statusSource(config, plane, server, writer);
    return {
      dataUrl: server.url,
      dataPort: server.port,
      head: () => plane.head(),
      loaded: writer.loaded,
      stop: () => stop(server, writer, db, lock),
    };
  } catch (error) {
    for (const undo of cleanup) undo();
    throw error;
  }
}

async function stop(
  server: DataServer,
  writer: WriterThread,
  db: { close(): void },
  lock: HomeLock,
): Promise<void> {
  await server.stop();
  db.close();
  await writer.stop();
  lock.release();
}

function statusSource(config: NodeConfig, plane: DataPlane, server: DataServer, writer: WriterThread) {
  const count = plane.context.db.prepare("SELECT count(*) AS n FROM segments");
  return {
    head: () => plane.head(),
    notReady: () => writer.notReady(),
    segments: () => Number((count.get() as { n: bigint }).n),
    storeBytes: () => fileBytes(storePath(config.home)) + fileBytes(`${storePath(config.home)}-wal`),
    cacheHits: () => server.cacheHits(),
  };
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The writer's thread, seen from the main one. */
class WriterThread {
  readonly loaded: Promise<ReplayResult | undefined>;
  private readonly worker: Worker;
  private readonly stopped: Promise<void>;
  private result: ReplayResult | undefined;
  private failure: NodeError | undefined;
  private state: "loading" | "idle" | "stopped" = "loading";

  constructor(private readonly order: WriterOrder) {
    const loaded = Promise.withResolvers<ReplayResult | undefined>();
    const stopped = Promise.withResolvers<void>();
    this.loaded = loaded.promise;
    this.stopped = stopped.promise;
    // Nobody may be waiting: the failure is then told by /readyz and the log.
    this.loaded.catch(() => {});
    this.worker = new Worker(workerUrl("node/writer.worker.ts"));
    this.worker.onmessage = (event: MessageEvent<WriterReport>) => {
      const message = event.data;
      if (message.kind === "replayed") this.result = message.result;
      if (message.kind === "failed")
        this.failure = new NodeError(message.attempt, message.code, message.message, message.hint);
      if (message.kind === "idle" || message.kind === "stopped") {
        this.state = message.kind;
        if (this.failure) loaded.reject(this.failure);
        else loaded.resolve(this.result);
      }
      if (message.kind === "stopped") stopped.resolve();
    };
    this.worker.onerror = (event) => {
      this.failure = new NodeError(
        "writer",
        "writer_failed",
        `the writer stopped: ${event.message}`,
        "",
        ExitCode.failed,
      );
      this.state = "stopped";
      loaded.reject(this.failure);
      stopped.resolve();
    };
    this.worker.postMessage(order);
  }

  notReady(): string | undefined {
    // The sentence may name files of this machine: it is for the log, the code for whoever can reach the port.
    if (this.failure) return `loading failed: ${this.failure.code}`;
    const damaged = this.result?.files.find((file) => file.damage)?.damage;
    if (damaged) return `the recording is damaged at record ${damaged.record}`;
    return this.state === "loading" && this.order.replay.length > 0 ? "loading" : undefined;
  }

  async stop(): Promise<void> {
    this.worker.postMessage("stop");
    await Promise.race([this.stopped, Bun.sleep(WRITER_STOP_MS)]);
    this.worker.terminate();
  }
}
