// Event files read ahead of the writer, on a thread of their own (recording.worker.ts), as the writer's side sees it.
import { statSync } from "node:fs";
import { NodeError } from "../errors.ts";
import { workerUrl } from "../worker-url.ts";
import type { Block } from "./block.ts";
import { BlockAssembler } from "./block-assembler.ts";
import { unpackBlocks } from "./block-batch.ts";
import { type RecordingEnd, type RecordingProgress, RecordingReader } from "./recording.ts";
import type { RecordingError, RecordingOrder, RecordingReport } from "./recording.worker.ts";

/** Files that are smaller together are read before a thread has started. */
const THREAD_BYTES_MIN = 1024 * 1024;
/** A thread that has nothing to do is kept so long: it takes a while to start. */
const IDLE_MS = 1_000;

/** One event file as blocks; `RecordingReader` says what each of these is. */
export interface Recording {
  readonly end: RecordingEnd | undefined;
  readonly progress: RecordingProgress;
  batches(): AsyncGenerator<Block[]>;
}

/** Opens one file after the other, each going on where the one before ended. */
export type RecordingOpener = (path: string) => Recording;

/** The way that is quicker for these files. */
export function openerFor(paths: readonly string[]): RecordingOpener {
  return isWorthThread(paths) ? recordingsAhead() : recordingsHere();
}

/** Starts the thread that `openerFor` will want for these files: its code loads while the caller opens a store. */
export function expectRecordings(paths: readonly string[]): void {
  if (isWorthThread(paths)) ReadingThread.get();
}

/** Files read on the caller's thread. */
export function recordingsHere(): RecordingOpener {
  const assembler = new BlockAssembler();
  return (path) => new RecordingReader(path, assembler);
}

/** Files read on a thread of their own, or, where none can be had, on the caller's. */
export function recordingsAhead(): RecordingOpener {
  const line: Line = { thread: ReadingThread.get(), here: recordingsHere(), isFirst: true };
  return (path) => (line.thread ? new RecordingAhead(path, line) : line.here(path));
}

function isWorthThread(paths: readonly string[]): boolean {
  let size = 0;
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile()) size += stat.size;
  }
  return size >= THREAD_BYTES_MIN;
}

/** What files that follow each other share. */
interface Line {
  thread: ReadingThread | undefined;
  readonly here: RecordingOpener;
  isFirst: boolean;
}

class RecordingAhead implements Recording {
  end: RecordingEnd | undefined;
  progress: RecordingProgress = { bytesRead: 0, bytesTotal: 0 };

  constructor(
    private readonly path: string,
    private readonly line: Line,
  ) {}

  async *batches(): AsyncGenerator<Block[]> {
    const { line, path } = this;
    const thread = line.thread!;
    const { isFirst } = line;
    line.isFirst = false;
    try {
      await thread.begin(path, !isFirst);
      for (;;) {
        const report = await thread.next();
        this.progress = report.progress;
        if (report.kind === "ended") {
          this.end = report.end;
          return;
        }
        yield report.batch ? unpackBlocks(report.batch) : [];
      }
    } catch (error) {
      // A thread that cannot be started is told of here and nowhere else.
      if (!(error instanceof ThreadLost) || !isFirst || this.progress.bytesTotal > 0) throw error;
      line.thread = undefined;
    } finally {
      thread.finish();
    }
    const reader = line.here(path);
    for await (const blocks of reader.batches()) {
      this.progress = reader.progress;
      yield blocks;
    }
    this.end = reader.end;
  }
}

class ThreadLost extends NodeError {
  constructor(reason: string) {
    super("replay", "thread_lost", `the thread that reads the recording ended: ${reason}`, "try again");
  }
}

/** Bun's addition to the browser's `Worker`: whether it keeps the process going. */
interface Holding {
  ref(): void;
  unref(): void;
}

type Progressing = Exclude<RecordingReport, { kind: "failed" }>;

/** One for the process, and one file at a time. */
class ReadingThread {
  private static current: ReadingThread | undefined;
  private readonly reports: RecordingReport[] = [];
  /** A report has come, or the thread is lost. */
  private news = Promise.withResolvers<void>();
  /** Settles when the file under way is through. */
  private busy: PromiseWithResolvers<void> | undefined;
  private isGivenUp = false;
  private lost: ThreadLost | undefined;
  private idle: ReturnType<typeof setTimeout> | undefined;

  /** The thread, started if need be; undefined where there can be none. */
  static get(): ReadingThread | undefined {
    try {
      ReadingThread.current ??= new ReadingThread(
        new Worker(workerUrl("sources/recording.worker.ts")) as Worker & Holding,
      );
    } catch {
      return undefined;
    }
    ReadingThread.current.rest();
    return ReadingThread.current;
  }

  private constructor(private readonly worker: Worker & Holding) {
    // Only a file under way keeps the process going.
    worker.unref();
    worker.onmessage = ({ data }: MessageEvent<RecordingReport>) => this.receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.lose(event.message);
    };
    worker.addEventListener("close", () => this.lose("it is gone"));
  }

  async begin(path: string, follows: boolean): Promise<void> {
    clearTimeout(this.idle);
    while (this.busy) await this.busy.promise;
    clearTimeout(this.idle);
    if (this.lost) throw this.lost;
    this.isGivenUp = false;
    this.busy = Promise.withResolvers();
    this.worker.ref();
    this.send({ kind: "read", path, follows });
  }

  /** The next report. @throws NodeError what went wrong on the thread */
  async next(): Promise<Progressing> {
    while (this.reports.length === 0) {
      if (this.lost) throw this.lost;
      this.news = Promise.withResolvers();
      await this.news.promise;
    }
    const report = this.reports.shift()!;
    if (report.kind === "failed") throw errorFrom(report.error);
    if (report.kind === "batch") this.send({ kind: "taken" });
    return report;
  }

  /** Whoever reads is done, at the end of the file or before. */
  finish(): void {
    this.reports.length = 0;
    if (this.busy) {
      this.isGivenUp = true;
      this.send({ kind: "stop" });
    } else this.rest();
  }

  private receive(report: RecordingReport): void {
    if (!this.isGivenUp) {
      this.reports.push(report);
      this.news.resolve();
    }
    if (report.kind !== "batch") this.release();
  }

  private lose(reason: string): void {
    this.lost ??= new ThreadLost(reason);
    if (ReadingThread.current === this) ReadingThread.current = undefined;
    this.release();
    this.news.resolve();
  }

  private release(): void {
    this.worker.unref();
    this.busy?.resolve();
    this.busy = undefined;
    if (this.isGivenUp) this.rest();
  }

  private rest(): void {
    clearTimeout(this.idle);
    if (this.busy) return;
    this.idle = setTimeout(() => {
      this.lose("it was idle");
      this.worker.terminate();
    }, IDLE_MS);
    this.idle.unref();
  }

  private send(order: RecordingOrder): void {
    this.worker.postMessage(order);
  }
}

function errorFrom({ message, attempt, code, hint, exitCode }: RecordingError): Error {
  if (attempt === undefined || code === undefined) return new Error(message);
  return new NodeError(attempt, code, message, hint, exitCode);
}
