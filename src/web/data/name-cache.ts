// Facts by identifier, each read when it is first shown, kept within a bound.
import { signal } from "@preact/signals";

interface NameSource<Facts> {
  read(id: string): Promise<Facts>;
  /** Whether the node answers. */
  isOpen(): boolean;
  /** Whether the node will refuse the same read again. */
  isFinal(error: unknown): boolean;
  /** Calls after new blocks. @returns the end of it */
  onBeat(listener: () => void): () => void;
}

/** Empty while it is read, and where the node does not know it. */
interface Entry<Facts> {
  facts?: Facts;
}

const KEPT_MAX = 1_000;

export class NameCache<Facts> {
  private readonly entries = new Map<string, Entry<Facts>>();
  /** Reads to repeat after the next block. */
  private readonly failed = new Set<Entry<Facts>>();
  private readonly changed = signal(0);

  constructor(private readonly source: NameSource<Facts>) {}

  /** Undefined until it is read, and where the node does not know it. */
  of(id: string | undefined): Facts | undefined {
    void this.changed.value;
    if (!id) return undefined;
    const entry = this.entries.get(id);
    if (entry === undefined && this.source.isOpen()) void this.load(id);
    return entry?.facts;
  }

  clear(): void {
    this.entries.clear();
    this.failed.clear();
    this.changed.value++;
  }

  private async load(id: string): Promise<void> {
    if (this.entries.size >= KEPT_MAX) this.entries.delete(this.entries.keys().next().value!);
    const entry: Entry<Facts> = {};
    this.entries.set(id, entry);
    try {
      const facts = await this.source.read(id);
      // The cache may have been cleared for another chain meanwhile.
      if (this.entries.get(id) !== entry) return;
      entry.facts = facts;
      this.changed.value++;
    } catch (error) {
      if (this.entries.get(id) === entry && !this.source.isFinal(error)) this.retryLater(entry);
    }
  }

  private retryLater(entry: Entry<Facts>): void {
    this.failed.add(entry);
    if (this.failed.size > 1) return;
    const unfollow = this.source.onBeat(() => {
      unfollow();
      for (const [id, each] of this.entries) if (this.failed.has(each)) this.entries.delete(id);
      this.failed.clear();
      this.changed.value++;
    });
  }
}
