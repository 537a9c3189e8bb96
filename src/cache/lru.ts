// A cache bounded in entries or bytes: the entries that were used longest ago make room for new ones.

interface Entry<K, V> {
  readonly key: K;
  value: V;
  weight: number;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

export class LruCache<K, V> {
  private readonly entries = new Map<K, Entry<K, V>>();
  private newest: Entry<K, V> | undefined;
  private oldest: Entry<K, V> | undefined;
  private total = 0;

  /**
   * @param weightMax entries at the most, or bytes where `weigh` counts them
   * @param weigh weight of an entry, 1 by default
   */
  constructor(
    private readonly weightMax: number,
    private readonly weigh: (value: V, key: K) => number = () => 1,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  /** Weight of all entries. */
  get weight(): number {
    return this.total;
  }

  get(key: K): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.makeNewest(entry);
    return entry.value;
  }

  /** Whether there is an entry, without using it. */
  has(key: K): boolean {
    return this.entries.has(key);
  }

  /** A value that weighs more than the whole cache may is not kept. */
  set(key: K, value: V): void {
    const weight = this.weigh(value, key);
    if (weight > this.weightMax) {
      this.delete(key);
      return;
    }
    const cached = this.entries.get(key);
    if (cached === undefined) {
      const entry = { key, value, weight, older: undefined, newer: undefined };
      this.entries.set(key, entry);
      this.putOnTop(entry);
    } else {
      this.total -= cached.weight;
      cached.value = value;
      cached.weight = weight;
      this.makeNewest(cached);
    }
    this.total += weight;
    while (this.total > this.weightMax) this.delete(this.oldest!.key);
  }

  delete(key: K): boolean {
    const entry = this.entries.get(key);
    if (entry === undefined) return false;
    this.entries.delete(key);
    this.unlink(entry);
    this.total -= entry.weight;
    return true;
  }

  clear(): void {
    this.entries.clear();
    this.newest = undefined;
    this.oldest = undefined;
    this.total = 0;
  }

  /** From the one that was used longest ago. */
  *keys(): Generator<K> {
    for (let entry = this.oldest; entry !== undefined; entry = entry.newer) yield entry.key;
  }

  private makeNewest(entry: Entry<K, V>): void {
    if (entry === this.newest) return;
    this.unlink(entry);
    this.putOnTop(entry);
  }

  private putOnTop(entry: Entry<K, V>): void {
    entry.older = this.newest;
    entry.newer = undefined;
    if (this.newest) this.newest.newer = entry;
    else this.oldest = entry;
    this.newest = entry;
  }

  private unlink({ older, newer }: Entry<K, V>): void {
    if (older) older.newer = newer;
    else this.oldest = newer;
    if (newer) newer.older = older;
    else this.newest = older;
  }
}
