// Outcomes of transactions that were submitted: the newest ones by hash, bounded in bytes, and who waits for one.
import { LruCache } from "../cache/lru.ts";
import type { TxOutcome, TxState } from "../engine/chain-port.ts";

const BYTES_MAX = 8 * 1024 * 1024;
/** Of an outcome without texts: its hash twice, and what the entry takes. */
const OUTCOME_BYTES = 400;

export class RecentOutcomes {
  private readonly byHash = new LruCache<string, TxOutcome>(
    BYTES_MAX,
    ({ text, details }) =>
      OUTCOME_BYTES + 2 * text.length + (details ? 2 * details.sentence.length + 200 : 0),
  );
  private readonly wakers = new Set<() => void>();

  add(outcome: TxOutcome): void {
    this.byHash.set(outcome.hash, outcome);
  }

  /** @param hash upper-case hexadecimal */
  find(hash: string): TxOutcome | undefined {
    return this.byHash.get(hash);
  }

  /**
   * States of transactions; where all of them wait, those after the next news, at the latest after a while.
   * @param checkRunning throws where the chain has ended
   */
  async statesOf(
    hashes: readonly string[],
    waitMs: number,
    isWaiting: (hash: string) => boolean,
    checkRunning: () => void,
  ): Promise<readonly TxState[]> {
    const states = () => hashes.map((hash) => this.find(hash) ?? (isWaiting(hash) ? "waiting" : "unknown"));
    checkRunning();
    const before = states();
    if (before.some((state) => state !== "waiting")) return before;
    await this.next(waitMs);
    checkRunning();
    return states();
  }

  /** The chain is at another place: what happened since is gone. */
  clear(): void {
    for (const hash of [...this.byHash.keys()]) this.byHash.delete(hash);
    this.wake();
  }

  /** There is something new to look at. */
  wake(): void {
    for (const waker of [...this.wakers]) waker();
  }

  /** Settles when there is something new, at the latest after a while. */
  private next(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.wakers.delete(end);
        resolve();
      };
      const timer = setTimeout(end, waitMs);
      this.wakers.add(end);
    });
  }
}
