/**
 * Blocks of words side by side in pages, without an object each. The last block takes the place of one that is removed, so
 * that memory follows their number.
 */

/** All pages have one size, so that each arena can use those of the others. */
const PAGE_WORDS = 8_192;
/** Pages that wait for their next use: more go back to the runtime. */
const SPARE_PAGES_MAX = 256;
const spare: Int32Array[] = [];

export class BlockArena {
  private readonly perPage: number;
  private readonly pages: Int32Array[] = [];
  private count = 0;

  /** @param blockWords at most `PAGE_WORDS` */
  constructor(private readonly blockWords: number) {
    this.perPage = Math.floor(PAGE_WORDS / blockWords);
  }

  /** Number of blocks, and the index of the next one. */
  get size(): number {
    return this.count;
  }

  /** The page of a block; it is valid until the next block is added or removed. */
  page(index: number): Int32Array {
    return this.pages[(index / this.perPage) | 0]!;
  }

  /** First word of a block in its page. */
  start(index: number): number {
    return (index % this.perPage) * this.blockWords;
  }

  /** A block with undefined content behind the others. */
  add(): number {
    const index = this.count++;
    const number = (index / this.perPage) | 0;
    const page = this.pages[number];
    if (page === undefined)
      this.pages.push(
        number === 0 ? new Int32Array(this.blockWords) : (spare.pop() ?? new Int32Array(PAGE_WORDS)),
      );
    else if (this.start(index) + this.blockWords > page.length) {
      // The first page grows: most arenas are small.
      const larger = new Int32Array(Math.min(2 * page.length, PAGE_WORDS));
      larger.set(page);
      this.pages[number] = larger;
    }
    return index;
  }

  /** Removes a block. @returns whether the last block has its index now */
  remove(index: number): boolean {
    const last = --this.count;
    if (index !== last) {
      const start = this.start(last);
      this.page(index).set(this.page(last).subarray(start, start + this.blockWords), this.start(index));
    }
    // A page stays for the next block, so that a removal and an addition in turns do not make it again each time.
    const used = last === 0 ? 0 : ((last / this.perPage) | 0) + 2;
    while (this.pages.length > used) {
      const page = this.pages.pop()!;
      if (page.length === PAGE_WORDS && spare.length < SPARE_PAGES_MAX) spare.push(page);
    }
    return index !== last;
  }
}
