// The solver: finds the first nonce of a proof on every core. The planner chooses the block of the proof and its
// difficulty, and hands them in.
import { availableParallelism } from "node:os";
import { NodeError } from "../../../errors/node-error.ts";
import { workerUrl } from "../../../files/worker-url.ts";
import type { AdmissionRules } from "../rules.ts";
import {
  DIFFICULTY_MAX,
  HASH_FUNCTION,
  leadingZeroBits,
  type ProofInput,
  proofHash,
  proofInputProblem,
  requiredBits,
} from "./function.ts";
import { type NonceSearch, openSearch } from "./nonce-search.ts";
import { SearchBoard } from "./search-board.ts";
import type { SearchRequest, ThreadMessage } from "./solver.worker.ts";

/** Chunks tried before threads are asked: proofs up to about 12 bits are found sooner than a thread wakes. */
const CHUNKS_BEFORE_THREADS = 2;
/** Chunks between two turns of the event loop when there are no threads: a few milliseconds. */
const CHUNKS_A_TURN = 8;

interface SolverOptions {
  /** A clock that only goes forward, milliseconds: this room takes no time of its own. */
  readonly nowMs: () => number;
  /** Worker threads; 0 searches on the calling thread, in turns. Default: one for each core. */
  readonly threads?: number;
}

export interface ProofTask extends ProofInput {
  /** Leading zero bits, 0 to 256. */
  readonly difficulty: number;
  /** Default `sha3_24_rounds`, the only one there is. */
  readonly hashFunction?: string;
  /** Default 0, as in the original: the same task then always gets the same nonce. */
  readonly startNonce?: bigint;
  readonly rules?: AdmissionRules;
}

export interface Progress {
  readonly attempts: number;
  readonly elapsedMs: number;
  /** Nonces a second; 0 as long as no time has passed. */
  readonly ratePerSecond: number;
}

export interface Solution extends Progress {
  readonly nonce: bigint;
  /** Lower-case hex. */
  readonly hash: string;
  /** Leading zero bits found, at least those asked for. */
  readonly difficulty: number;
  /** Worker threads that took part. */
  readonly threads: number;
}

/** A search under way. */
export interface Search {
  readonly solution: Promise<Solution>;
  progress(): Progress;
  /** `solution` then rejects with code `cancelled`. */
  cancel(): void;
}

interface Found {
  readonly nonce: bigint | undefined;
  readonly threads: number;
}

export class Solver {
  private threads: SolverThread[] | undefined;
  private threadCount: number;

  constructor(private readonly options: SolverOptions) {
    this.threadCount = options.threads ?? availableParallelism();
  }

  /**
   * @throws NodeError when no proof can be made for this task: the texts of
   * docs/protocol/40-pow-spam.md#12-search-and-verification-edge-cases
   */
  start(task: ProofTask): Search {
    checkTask(task);
    const boards = [SearchBoard.open(task.startNonce ?? 0n)];
    const begin = this.options.nowMs();
    const progress = (): Progress => {
      const attempts = boards.reduce((sum, board) => sum + board.attempts, 0);
      const elapsedMs = this.options.nowMs() - begin;
      return { attempts, elapsedMs, ratePerSecond: elapsedMs > 0 ? (attempts * 1000) / elapsedMs : 0 };
    };
    let isCancelled = false;
    const find = async (): Promise<Solution> => {
      const { nonce, threads } = await this.find(task, boards, () => isCancelled);
      if (isCancelled) throw cancelled();
      if (nonce === undefined)
        throw new NodeError("pow.solve", "no_nonce", "no nonce reaches this difficulty");
      const hash = proofHash({ ...task, nonce });
      const proof = { nonce, hash: Buffer.from(hash).toString("hex"), difficulty: leadingZeroBits(hash) };
      return { ...proof, threads, ...progress() };
    };
    const cancel = () => {
      isCancelled = true;
      for (const board of boards) board.stop();
    };
    return { solution: find(), progress, cancel };
  }

  /** Searches to the end, or until the signal says to stop. */
  async solve(task: ProofTask, signal?: AbortSignal): Promise<Solution> {
    if (signal?.aborted) throw cancelled();
    const search = this.start(task);
    signal?.addEventListener("abort", search.cancel, { once: true });
    try {
      return await search.solution;
    } finally {
      signal?.removeEventListener("abort", search.cancel);
    }
  }

  /** Ends the threads; a search that is under way goes on without them. */
  close(): void {
    this.threadCount = 0;
    for (const thread of this.threads ?? []) thread.end();
    this.threads = undefined;
  }

  private async find(task: ProofTask, boards: SearchBoard[], isCancelled: () => boolean): Promise<Found> {
    const difficulty = requiredBits(task.difficulty, task.rules ?? "default");
    const search = openSearch(task, difficulty);
    const board = boards[0]!;
    for (let count = 0; count < CHUNKS_BEFORE_THREADS; count++) {
      if (!board.tryChunk(search)) return { nonce: board.best, threads: 0 };
    }
    const threads = this.wake();
    if (threads.length > 0) {
      try {
        await searchTogether(
          threads,
          { blockHash: task.blockHash, tid: task.tid },
          difficulty,
          board,
          search,
        );
        return { nonce: board.best, threads: threads.length };
      } catch (error) {
        if (!(error instanceof ThreadLost)) throw error;
      }
      this.close();
      if (isCancelled()) return { nonce: undefined, threads: 0 };
      // The lost thread may have held the chunk with the first nonce, so the search restarts.
      board.stop();
      boards.push(SearchBoard.open(board.start));
    }
    const last = boards.at(-1)!;
    await searchInTurns(last, search);
    return { nonce: last.best, threads: 0 };
  }

  private wake(): readonly SolverThread[] {
    if (this.threads === undefined && this.threadCount > 0) {
      try {
        this.threads = Array.from({ length: this.threadCount }, () => new SolverThread());
      } catch {
        // Where no worker is to be had the search still is: on this thread, in turns.
        this.threadCount = 0;
      }
    }
    return this.threads ?? [];
  }
}

/**
 * Searches on all threads. A thread needs longer to wake than most proofs take, so the calling thread goes on searching
 * until the first exists, and a proof found meanwhile waits for no thread that has not begun.
 * @throws ThreadLost
 */
async function searchTogether(
  threads: readonly SolverThread[],
  input: ProofInput,
  difficulty: number,
  board: SearchBoard,
  search: NonceSearch,
): Promise<void> {
  const request = { input, difficulty, start: board.start, board: board.memory };
  const over = threads.map((thread) => thread.search(request));
  let lost: unknown;
  for (const one of over) one.catch((error) => (lost = error));
  const isRelieved = () => lost !== undefined || threads.some(({ isAwake }) => isAwake);
  const isOver = await searchInTurns(board, search, isRelieved);
  if (!isOver) await Promise.race(over);
  while (board.isBusy && lost === undefined) await new Promise(setImmediate);
  if (lost !== undefined) throw lost;
}

/**
 * Searches on this thread and lets others have their turn every few milliseconds.
 * @returns whether the search has ended; false when it was relieved
 */
async function searchInTurns(
  board: SearchBoard,
  search: NonceSearch,
  isRelieved: () => boolean = () => false,
): Promise<boolean> {
  while (!isRelieved()) {
    for (let count = 0; count < CHUNKS_A_TURN; count++) if (!board.tryChunk(search)) return true;
    await new Promise(setImmediate);
  }
  return false;
}

function cancelled(): NodeError {
  return new NodeError("pow.solve", "cancelled", "the search was cancelled");
}

function checkTask(task: ProofTask): void {
  const { difficulty, hashFunction = HASH_FUNCTION } = task;
  if (hashFunction !== HASH_FUNCTION) {
    throw new NodeError("pow.solve", "hash_function", "unknown hash function");
  }
  if (!Number.isInteger(difficulty) || difficulty < 0 || difficulty > DIFFICULTY_MAX) {
    throw new NodeError("pow.solve", "difficulty", "invalid difficulty");
  }
  const problem = proofInputProblem(task);
  if (problem !== undefined) throw new NodeError("pow.solve", "proof_input", problem);
}

// A worker of the solver, seen from the thread that asks.

class ThreadLost extends Error {
  override readonly name = "ThreadLost";
}

class SolverThread {
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
