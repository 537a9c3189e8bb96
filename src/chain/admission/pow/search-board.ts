// The shared memory of a search's threads: which nonces are taken, how far it still makes sense to look, and what was
// found. A few shared words, so a thread deep in its work needs no message to learn of them.
import { CHUNK, type NonceSearch } from "./nonce-search.ts";

/** The original's search gives up here (docs/protocol/40-pow-spam.md#12-search-and-verification-edge-cases). */
const SEARCH_END = (1n << 63n) - 1n;
const STOPPED = -1n;

// The words.
const NEXT_CHUNK = 0;
const LAST_CHUNK = 1;
const BEST = 2;
const BUSY = 3;
const ATTEMPTS = 4;
const WORDS = 5;

export class SearchBoard {
  private readonly words: BigInt64Array;

  constructor(
    readonly memory: SharedArrayBuffer,
    /** The first nonce. */
    readonly start: bigint,
  ) {
    this.words = new BigInt64Array(memory);
  }

  static open(start: bigint): SearchBoard {
    const board = new SearchBoard(new SharedArrayBuffer(WORDS * 8), start);
    Atomics.store(board.words, LAST_CHUNK, (SEARCH_END - start) / BigInt(CHUNK));
    Atomics.store(board.words, BEST, SEARCH_END);
    return board;
  }

  get attempts(): number {
    return Number(Atomics.load(this.words, ATTEMPTS));
  }

  /** The smallest nonce found so far; the first of all as soon as the search has ended and no thread is busy. */
  get best(): bigint | undefined {
    const best = Atomics.load(this.words, BEST);
    return best === SEARCH_END ? undefined : best;
  }

  /** Whether a thread is inside a chunk. */
  get isBusy(): boolean {
    return Atomics.load(this.words, BUSY) > 0n;
  }

  /** Ends the search: no thread takes another chunk. */
  stop(): void {
    this.lower(LAST_CHUNK, STOPPED);
  }

  /**
   * Takes the next chunk of nonces and looks through it. Chunks are taken in order, and one that is taken is always
   * finished, so the smallest nonce found is the first of all, whatever the number of threads.
   * @returns whether there is more to do
   */
  tryChunk(search: NonceSearch): boolean {
    Atomics.add(this.words, BUSY, 1n);
    const chunk = Atomics.add(this.words, NEXT_CHUNK, 1n);
    const isWanted = chunk <= Atomics.load(this.words, LAST_CHUNK);
    const nonce = isWanted ? this.lookThrough(search, chunk) : undefined;
    if (nonce !== undefined) {
      this.lower(BEST, nonce);
      this.lower(LAST_CHUNK, chunk);
    }
    Atomics.sub(this.words, BUSY, 1n);
    return isWanted && nonce === undefined;
  }

  private lookThrough(search: NonceSearch, chunk: bigint): bigint | undefined {
    const from = this.start + chunk * BigInt(CHUNK);
    const nonce = search.search(from, CHUNK);
    Atomics.add(this.words, ATTEMPTS, nonce === undefined ? BigInt(CHUNK) : nonce - from + 1n);
    return nonce;
  }

  private lower(word: number, value: bigint): void {
    for (let expected = Atomics.load(this.words, word); value < expected; ) {
      const previous = Atomics.compareExchange(this.words, word, expected, value);
      if (previous === expected) return;
      expected = previous;
    }
  }
}
