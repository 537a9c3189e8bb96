// A bounded cache in two generations: what is asked for again moves to the young one, and when that is full the old
// one is dropped. Nearly as good as "least recently used", at the price of two maps.

export class GenerationCache<K, V> {
  private young = new Map<K, V>();
  private old = new Map<K, V>();

  /** @param max entries of one generation; at most twice as many are held */
  constructor(private readonly max: number) {}

  get(key: K): V | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const older = this.old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    if (this.young.size >= this.max) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
  }
}
