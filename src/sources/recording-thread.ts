// The thread that reads event files ahead of the writer (recording.worker.ts), as the writer's side sees it. One for
// the process: it is kept for a while after the last file, because starting it takes as long as reading 60,000 events.
import { statSync } from "node:fs";
import { NodeError } from "../errors.ts";
import { workerUrl } from "../worker-url.ts";
import type { Block } from "./block.ts";
import { BlockAssembler } from "./block-assembler.ts";
import { unpackBlocks } from "./block-batch.ts";
import { type RecordingEnd, type RecordingProgress, RecordingReader } from "./recording.ts";
import type { RecordingError, RecordingOrder, RecordingReport } from "./recording.worker.ts";

/** Files that are smaller together are read before a thread would have started. */
const THREAD_BYTES_MIN = 1024 * 1024;
/** An idle thread is let go after this. */
const IDLE_MS = 2_000;

/** One event file as blocks; see `RecordingReader`, which is one. */
export interface Recording {
  readonly end: RecordingEnd | undefined;
  readonly progress: RecordingProgress;
  batches(): AsyncGenerator<Block[]>;
}

/** Opens files that go on where the one before ended. */
export type RecordingOpener = (path: string) => Recording;

/** Files read on this thread. */
export function recordingsHere(): RecordingOpener {
  const assembler = new BlockAssembler();
  return (path) => new RecordingReader(path, assembler);
}

/** Files read on a thread of their own; on this one when there is none to be had. */
export function recordingsAhead(): RecordingOpener {
  const here = recordingsHere();
  let isFirst = true;
  return (path) => {
    const thread = RecordingThread.get();
    if (isFirst && !thread) return here(path);
    const follows = !isFirst;
    isFirst = false;
    if (!thread) throw threadLost("no thread to read the file on can be started");
    return new RecordingAhead(path, thread, follows);
  };
}

/** The way that is quicker for these files. */
export function openerFor(paths: readonly string[]): RecordingOpener {
  return isWorthThread(paths) ? recordingsAhead() : recordingsHere();
}

/** Starts the thread that `openerFor` the same files will want: while a store is opened, it can load its code. */
export function expectRecordings(paths: readonly string[]): void {
  if (isWorthThread(paths)) RecordingThread.get();
}

function isWorthThread(paths: readonly string[]): boolean {
  let size = 0;
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile()) size += stat.size;
  }
  return size >= THREAD_BYTES_MIN;
}

class RecordingAhead implements Recording {
  end: RecordingEnd | undefined;
  progress: RecordingProgress = { bytesRead: 0, bytesTotal: 0 };

  constructor(
    private readonly path: string,
    private readonly thread: RecordingThread,
    private readonly follows: boolean,
  ) {}

  async *batches(): AsyncGenerator<Block[]> {
    const { thread } = this;
    await thread.begin({ kind: "read", path: this.path, follows: this.follows });
    try {
      for (;;) {
        const report = thread.next() ?? (await thread.arrival());
        if (report.kind === "failed") throw errorFrom(report.error);
        this.progress = report.progress;
        if (report.kind === "ended") {
          this.end = report.end;
          return;
        }
        yield report.batch ? unpackBlocks(report.batch) : [];
      }
    } finally {
      thread.finish();
    }
  }
}

/** The thread's end of the line. One file at a time. */
class RecordingThread {
  private static current: RecordingThread | undefined;
  private readonly reports: RecordingReport[] = [];
  private waiting: PromiseWithResolvers<RecordingReport> | undefined;
  /** Settles when the file under way is through. */
  private over: PromiseWithResolvers<void> | undefined;
  private idle: ReturnType<typeof setTimeout> | undefined;
  private lost: Error | undefined;
  /** Nobody wants the rest of the file. */
  private isGivenUp = false;

  /** The thread, started if need be; undefined where none can be. */
  static get(): RecordingThread | undefined {
    try {
      RecordingThread.current ??= new RecordingThread(
        new Worker(workerUrl("sources/recording.worker.ts"), { ref: false } as WorkerOptions),
      );
    } catch {
      return undefined;
    }
    RecordingThread.current.rest();
    return RecordingThread.current;
  }

  private constructor(private readonly worker: Worker) {
    worker.onmessage = ({ data }: MessageEvent<RecordingReport>) => this.receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.lose(event.message);
    };
    worker.addEventListener("close", () => this.lose("it ended"));
  }

  async begin(order: RecordingOrder): Promise<void> {
    clearTimeout(this.idle);
    while (this.over) await this.over.promise;
    if (this.lost) throw this.lost;
    this.isGivenUp = false;
    this.over = Promise.withResolvers();
    this.worker.ref();
    this.send(order);
  }

  /** A report that has arrived. */
  next(): RecordingReport | undefined {
    const report = this.reports.shift();
    if (report?.kind === "batch") this.send({ kind: "taken" });
    return report;
  }

  /** The next report, when none has arrived. */
  async arrival(): Promise<RecordingReport> {
    if (this.lost) throw this.lost;
    this.waiting = Promise.withResolvers();
    await this.waiting.promise;
    return this.next()!;
  }

  /** The file is through, or given up. */
  finish(): void {
    if (this.over) {
      this.isGivenUp = true;
      this.reports.length = 0;
      this.send({ kind: "stop" });
    }
    this.rest();
  }
}
