// A worker of the solver, seen from the thread that asks.
import { workerUrl } from "../../worker-url.ts";
import type { SearchReply, SearchRequest } from "./solver.worker.ts";

export class ThreadLost extends Error {
  override readonly name = "ThreadLost";
}

type Reply = PromiseWithResolvers<bigint | undefined>;

export class SolverThread {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Reply>();
  private lastId = 0;

  /** @throws where no worker can be started */
  constructor() {
    this.worker = new Worker(workerUrl("admission/pow/solver.worker.ts"), { smol: true });
    this.worker.onmessage = ({ data }: MessageEvent<SearchReply>) => {
      this.waiting.get(data.id)?.resolve(data.nonce);
      this.waiting.delete(data.id);
    };
    // A worker file that the executable does not hold is reported here and nowhere else (reference 80, section 1).
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.lose(event.message);
    };
    this.worker.addEventListener("close", () => this.lose("the worker ended"));
  }

  /** The first good nonce among those this thread looks at. @throws ThreadLost */
  search(request: Omit<SearchRequest, "id">): Promise<bigint | undefined> {
    const reply: Reply = Promise.withResolvers();
    const id = ++this.lastId;
    this.waiting.set(id, reply);
    this.worker.postMessage({ ...request, id } satisfies SearchRequest);
    return reply.promise;
  }

  end(): void {
    this.worker.terminate();
    this.lose("the solver was closed");
  }

  private lose(reason: string): void {
    for (const reply of this.waiting.values()) reply.reject(new ThreadLost(reason));
    this.waiting.clear();
  }
}
