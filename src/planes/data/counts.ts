// What the threads that answer count, in memory that they share: each has words of its own, and whoever asks adds
// them up. Exports that run are also counted together, because one thread must not begin what another one has no room for.

import { countLatency, LATENCY_WORDS, latencyLines, type RouteClass } from "./latencies.ts";

/** Threads that can count. */
export const COUNTING_THREADS_MAX = 16;

const STATUSES = 600;
const CACHE_HITS = STATUSES;
const EXPORTS_FAILED = STATUSES + 1;
const FAULTS = STATUSES + 2;
const LATENCIES = STATUSES + 3;
const WORDS = LATENCIES + LATENCY_WORDS;
const WORD_BYTES = 8;
/** Of the exports that run: all of them, then those of each thread. */
const ALL = 0;

export interface CountsMemory {
  readonly words: SharedArrayBuffer;
  readonly exportsRunning: SharedArrayBuffer;
}

export class ServerCounts {
  private readonly words: Float64Array;
  private readonly running: Int32Array;
  private readonly own: number;
  private readonly ownRunning: number;

  /**
   * @param memory of the thread that began; its own without
   * @param thread from 0, below `COUNTING_THREADS_MAX`
   */
  constructor(
    readonly memory: CountsMemory = newMemory(),
    thread = 0,
  ) {
    this.words = new Float64Array(memory.words);
    this.running = new Int32Array(memory.exportsRunning);
    this.own = thread * WORDS;
    this.ownRunning = ALL + 1 + thread;
  }

  response(status: number): void {
    this.words[this.own + status]!++;
  }

  /** @param ms from the request to its answer */
  latency(kind: RouteClass, ms: number): void {
    countLatency(this.words, this.own + LATENCIES, kind, ms);
  }

  /** Something failed that no request can be blamed for. */
  fault(): void {
    this.words[this.own + FAULTS]!++;
  }

  cacheHit(): void {
    this.words[this.own + CACHE_HITS]!++;
  }

  exportFailed(): void {
    this.words[this.own + EXPORTS_FAILED]!++;
  }

  /** Takes a place for an export; false when all are taken. */
  beginExport(max: number): boolean {
    if (Atomics.add(this.running, ALL, 1) < max) {
      Atomics.add(this.running, this.ownRunning, 1);
      return true;
    }
    Atomics.sub(this.running, ALL, 1);
    return false;
  }

  endExport(): void {
    // Of a thread that is gone its places were given back before.
    if (Atomics.sub(this.running, this.ownRunning, 1) > 0) Atomics.sub(this.running, ALL, 1);
    else Atomics.add(this.running, this.ownRunning, 1);
  }

  /** Gives back the places of a thread that ended, whatever it was at. */
  releaseExports(thread: number): void {
    const left = Atomics.exchange(this.running, ALL + 1 + thread, 0);
    Atomics.sub(this.running, ALL, left);
  }

  get exportsRunning(): number {
    return Atomics.load(this.running, ALL);
  }

  get exportsFailed(): number {
    return this.sum(EXPORTS_FAILED);
  }

  get faults(): number {
    return this.sum(FAULTS);
  }

  /** Of all threads, for `/metrics`. */
  latencyLines(): string[] {
    return latencyLines((word) => this.sum(LATENCIES + word));
  }

  get cacheHits(): number {
    return this.sum(CACHE_HITS);
  }

  /** Answers of this thread. */
  get ownResponses(): number {
    return this.words.subarray(this.own, this.own + STATUSES).reduce((sum, count) => sum + count, 0);
  }

  /** How many answers of each status there were, of all threads. */
  get responses(): readonly (readonly [status: number, count: number])[] {
    const statuses = Array.from({ length: STATUSES }, (_, status) => [status, this.sum(status)] as const);
    return statuses.filter(([, count]) => count > 0);
  }

  private sum(word: number): number {
    let sum = 0;
    for (let at = word; at < this.words.length; at += WORDS) sum += this.words[at]!;
    return sum;
  }
}

function newMemory(): CountsMemory {
  return {
    words: new SharedArrayBuffer(COUNTING_THREADS_MAX * WORDS * WORD_BYTES),
    exportsRunning: new SharedArrayBuffer((ALL + 1 + COUNTING_THREADS_MAX) * Int32Array.BYTES_PER_ELEMENT),
  };
}
