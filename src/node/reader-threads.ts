// The threads of reader.worker.ts, seen from the one that began: one more at a time while it is busy, as many as
// there are cores, and none when nobody asks.

import { workerUrl } from "../files/worker-url.ts";
import type { Limits } from "../http/limits.ts";
import { COUNTING_THREADS_MAX, type ServerCounts } from "../planes/data/counts.ts";
import type { FromReader, ReaderOrder, ToReader } from "./reader.worker.ts";
import { storeIdentity } from "./store-facts.ts";

/** A thread gets this long to close its sockets. */
const STOP_MS = 500;
/** Until a new thread has its share of the connections, it is no use to start another. */
const PAUSE_MS = 2_000;

export interface ReaderThreadsOptions {
  readonly home: string;
  readonly limits: Limits;
  readonly host: string;
  readonly counts: ServerCounts;
  /** Threads beside the one that began. */
  readonly max: number;
  readonly nowMs: () => number;
}

interface Reader {
  readonly worker: Worker;
  /** Place among those that count. */
  readonly thread: number;
  readonly stopped: PromiseWithResolvers<void>;
}

export class ReaderThreads {
  private readonly readers = new Set<Reader>();
  private readonly max: number;
  private readonly store: string | undefined;
  private lastStartMs = Number.NEGATIVE_INFINITY;
  private reason: string | undefined;
  private isStopping = false;

  constructor(private readonly options: ReaderThreadsOptions) {
    this.max = Math.min(options.max, COUNTING_THREADS_MAX - 1);
    this.store = storeIdentity(options.home);
  }

  get count(): number {
    return this.readers.size;
  }

  /** Those that listen on the port are busy. */
  more(port: number): void {
    const now = this.options.nowMs();
    const hasRoom = this.readers.size < this.max && now - this.lastStartMs >= PAUSE_MS;
    if (this.isStopping || !hasRoom) return;
    this.lastStartMs = now;
    this.start(port);
  }

  /** What `/readyz` says from now on. */
  tell(reason: string | undefined): void {
    this.reason = reason;
    for (const { worker } of this.readers) post(worker, { kind: "ready", reason });
  }

  /** The store has more blocks. */
  notifyCommit(): void {
    for (const { worker } of this.readers) post(worker, { kind: "committed" });
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all([...this.readers].map((reader) => this.end(reader)));
  }

  private start(port: number): void {
    const { home, limits, host, counts, nowMs } = this.options;
    const taken = new Set([...this.readers].map((reader) => reader.thread));
    let thread = 1;
    while (taken.has(thread)) thread++;
    const worker = new Worker(workerUrl("node/reader.worker.ts"));
    const reader: Reader = { worker, thread, stopped: Promise.withResolvers() };
    this.readers.add(reader);
    worker.onmessage = ({ data }: MessageEvent<FromReader>) => {
      if (data.kind === "stopped") reader.stopped.resolve();
      else if (data.kind !== "listening") this.end(reader);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.drop(reader);
    };
    post(worker, { kind: "ready", reason: this.reason });
    const place = { home, store: this.store, host, port };
    const order = { ...place, limits, thread, memory: counts.memory, uptimeMs: nowMs() };
    post(worker, { kind: "serve", ...order } satisfies ReaderOrder);
  }

  private async end(reader: Reader): Promise<void> {
    post(reader.worker, { kind: "stop" });
    await Promise.race([reader.stopped.promise, Bun.sleep(STOP_MS)]);
    this.drop(reader);
  }

  private drop(reader: Reader): void {
    if (!this.readers.delete(reader)) return;
    reader.stopped.resolve();
    reader.worker.terminate();
    this.options.counts.releaseExports(reader.thread);
  }
}

const post = (worker: Worker, message: ToReader) => worker.postMessage(message);
