// A worker of the solver, seen from the thread that asks.
import { workerUrl } from "../../../files/worker-url.ts";
import type { SearchRequest, ThreadMessage } from "./solver.worker.ts";

export class ThreadLost extends Error {
  override readonly name = "ThreadLost";
}

export class SolverThread {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, PromiseWithResolvers<void>>();
  private lastId = 0;
  private awake = false;

  /** @throws where no worker can be started */
  constructor() {
    this.worker = new Worker(workerUrl("chain/admission/pow/solver.worker.ts"), { smol: true });
    this.worker.onmessage = ({ data }: MessageEvent<ThreadMessage>) => {
      this.awake = true;
      if ("isAwake" in data) return;
      this.waiting.get(data.over)?.resolve();
      this.waiting.delete(data.over);
    };
    // A worker file that the executable does not hold is reported here and nowhere else.
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.lose(event.message);
    };
    this.worker.addEventListener("close", () => this.lose("the worker ended"));
  }

  /** Whether the worker has begun to run. */
  get isAwake(): boolean {
    return this.awake;
  }

  /** Resolves when there is nothing left to do. @throws ThreadLost */
  search(request: Omit<SearchRequest, "id">): Promise<void> {
    const over = Promise.withResolvers<void>();
    const id = ++this.lastId;
    this.waiting.set(id, over);
    this.worker.postMessage({ ...request, id } satisfies SearchRequest);
    return over.promise;
  }

  end(): void {
    this.worker.terminate();
    this.lose("the solver was closed");
  }

  private lose(reason: string): void {
    for (const over of this.waiting.values()) over.reject(new ThreadLost(reason));
    this.waiting.clear();
  }
}
