// Where a segment is built: on a worker thread, or, where none can be had, in between other work on this one.
import type { Database } from "bun:sqlite";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { NodeError } from "../errors/node-error.ts";
import { workerUrl } from "../files/worker-url.ts";
import { openReader, segmentDirectory } from "../store/database.ts";
import { buildSegment, type SegmentPlan, UNFINISHED_SUFFIX } from "./segment.ts";
import type { BuildReply, BuildRequest } from "./segment.worker.ts";
import type { SegmentRow } from "./segment-table.ts";

/** A build looks at its stop flag every few milliseconds; one deep in a sort is ended after this. */
const STOP_GRACE_MS = 1_000;

export interface SegmentBuilder {
  build(plan: SegmentPlan): Promise<SegmentRow>;
  /** Lets the thread go until the next build. */
  rest(): void;
  /** Gives up what is under way; `build` then rejects. */
  stop(): Promise<void>;
}

export class WorkerUnavailable extends Error {
  override readonly name = "WorkerUnavailable";
}

export class WorkerBuilder implements SegmentBuilder {
  private worker: Worker | undefined;
  private readonly stopFlag = new SharedArrayBuffer(4);
  private current: { plan: SegmentPlan; settle: () => void; done: Promise<void> } | undefined;

  constructor(private readonly home: string) {}

  async build(plan: SegmentPlan): Promise<SegmentRow> {
    const worker = this.thread();
    const { promise: done, resolve: settle } = Promise.withResolvers<void>();
    this.current = { plan, settle, done };
    try {
      return await this.ask(worker, plan);
    } finally {
      settle();
      this.current = undefined;
    }
  }

  rest(): void {
    this.worker?.terminate();
    this.worker = undefined;
  }

  async stop(): Promise<void> {
    Atomics.store(new Int32Array(this.stopFlag), 0, 1);
    const current = this.current;
    if (current) {
      const grace = Promise.withResolvers<void>();
      const timer = setTimeout(grace.resolve, STOP_GRACE_MS);
      await Promise.race([current.done, grace.promise]);
      clearTimeout(timer);
    }
    this.rest();
    if (current) await removeUnfinished(this.home, current.plan);
  }

  private ask(worker: Worker, plan: SegmentPlan): Promise<SegmentRow> {
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<BuildReply>) => {
        if ("row" in data) resolve(data.row);
        else
          reject(new NodeError(data.failed.attempt, data.failed.code, data.failed.message, data.failed.hint));
      };
      // A worker file that the executable does not hold is reported here and nowhere else.
      worker.onerror = (event) => {
        event.preventDefault();
        this.rest();
        reject(new WorkerUnavailable(event.message));
      };
      worker.addEventListener("close", () => reject(new WorkerUnavailable("the worker ended")));
      worker.postMessage({ home: this.home, plan, stop: this.stopFlag } satisfies BuildRequest);
    });
  }

  private thread(): Worker {
    try {
      this.worker ??= new Worker(workerUrl("history/segment.worker.ts"), { smol: true });
      return this.worker;
    } catch (error) {
      throw new WorkerUnavailable("no worker can be started", { cause: error });
    }
  }
}

/** Gives the event loop a turn after each piece: a few milliseconds at a time. */
export class InProcessBuilder implements SegmentBuilder {
  private db: Database | undefined;
  private isStopping = false;
  private current: Promise<unknown> = Promise.resolve();

  constructor(private readonly home: string) {}

  build(plan: SegmentPlan): Promise<SegmentRow> {
    this.db ??= openReader(this.home);
    const build = buildSegment(this.db, segmentDirectory(this.home), plan, () => this.pause());
    this.current = build;
    return build;
  }

  rest(): void {
    this.db?.close();
    this.db = undefined;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.current.catch(() => {});
    this.rest();
  }

  private async pause(): Promise<void> {
    await new Promise(setImmediate);
    if (this.isStopping) throw new NodeError("history.segment", "stopped", "the node is stopping");
  }
}

async function removeUnfinished(home: string, plan: SegmentPlan): Promise<void> {
  await rm(join(segmentDirectory(home), `${plan.from}-${plan.to}${UNFINISHED_SUFFIX}`), { force: true });
}
