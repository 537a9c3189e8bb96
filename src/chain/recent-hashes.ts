/**
 * The last so many hashes, the oldest of which goes for a new one. (A `Set` used so steps over the places of all that
 * went before: 12 microseconds for each at 10,000 hashes.)
 */
export class RecentHashes {
  /** Where each stands in the queue. */
  private readonly places = new Map<string, number>();
  /** Oldest first, with those that have gone or moved on. */
  private queue: string[] = [];
  /** How many of the queue's front have gone. */
  private gone = 0;

  constructor(
    private readonly max: number,
    hashes: readonly string[] = [],
  ) {
    for (const hash of hashes) this.add(hash);
  }

  has(hash: string): boolean {
    return this.places.has(hash);
  }

  /** As the newest, whether it was there or not. */
  add(hash: string): void {
    this.places.set(hash, this.queue.length);
    this.queue.push(hash);
    while (this.places.size > this.max) this.dropFirst();
    if (this.queue.length > 4 * this.max) this.compact();
  }

  delete(hash: string): void {
    this.places.delete(hash);
  }

  /** Oldest first. */
  get all(): string[] {
    return this.queue.filter((hash, at) => at >= this.gone && this.places.get(hash) === at);
  }

  private dropFirst(): void {
    const hash = this.queue[this.gone]!;
    if (this.places.get(hash) === this.gone) this.places.delete(hash);
    this.gone++;
  }

  private compact(): void {
    this.queue = this.all;
    this.gone = 0;
    for (const [at, hash] of this.queue.entries()) this.places.set(hash, at);
  }
}
