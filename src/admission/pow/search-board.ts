// What the threads of one search share: which nonces are taken, how far it still makes sense to look, and whether
// to stop. A few shared words, so a thread deep in its work needs no message to learn of them.
import { CHUNK, type NonceSearch } from "./nonce-search.ts";

/** The original's search gives up here (reference 40, section 1.2). */
const SEARCH_END = (1n << 63n) - 1n;
const NEXT_CHUNK = 0;
const LAST_CHUNK = 1;
const ATTEMPTS = 2;
const WORDS = 3;
const STOPPED = -1n;

export class SearchBoard {
  private readonly words: BigInt64Array;

  constructor(readonly memory: SharedArrayBuffer) {
    this.words = new BigInt64Array(memory);
  }

  static open(start: bigint): SearchBoard {
    const board = new SearchBoard(new SharedArrayBuffer(WORDS * 8));
    Atomics.store(board.words, LAST_CHUNK, (SEARCH_END - start) / BigInt(CHUNK));
    return board;
  }

  get attempts(): number {
    return Number(Atomics.load(this.words, ATTEMPTS));
  }

  /** Ends the search: no thread takes another chunk. */
  stop(): void {
    this.lookNoFurtherThan(STOPPED);
  }

  /**
   * Takes the next chunk of nonces and looks through it. Chunks are taken in order, and one that is taken is always
   * finished, so the smallest nonce of all threads is the first of all: the same for any number of threads.
   * @returns the nonce when there is a good one, "none" when the chunk held none, "over" when there is nothing to do
   */
  tryChunk(search: NonceSearch, start: bigint): bigint | "none" | "over" {
    if (Atomics.load(this.words, NEXT_CHUNK) > Atomics.load(this.words, LAST_CHUNK)) return "over";
    const chunk = Atomics.add(this.words, NEXT_CHUNK, 1n);
    if (chunk > Atomics.load(this.words, LAST_CHUNK)) return "over";
    const from = start + chunk * BigInt(CHUNK);
    const nonce = search.search(from, CHUNK);
    Atomics.add(this.words, ATTEMPTS, nonce === undefined ? BigInt(CHUNK) : nonce - from + 1n);
    if (nonce === undefined) return "none";
    this.lookNoFurtherThan(chunk);
    return nonce;
  }

  private lookNoFurtherThan(chunk: bigint): void {
    for (let last = Atomics.load(this.words, LAST_CHUNK); chunk < last; ) {
      const found = Atomics.compareExchange(this.words, LAST_CHUNK, last, chunk);
      if (found === last) return;
      last = found;
    }
  }
}
