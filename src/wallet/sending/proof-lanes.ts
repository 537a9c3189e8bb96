// How many proofs are searched for at once. Each uses every core, and one at growing difficulty takes many times as
// long as one at the base: whoever needs little work has a lane that those do not enter.

/** Searches at once. */
const LANES = 2;

interface Waiting {
  readonly isHard: boolean;
  readonly enter: () => void;
}

export class ProofLanes {
  private running = 0;
  private isHardRunning = false;
  private waiting: Waiting[] = [];

  /** Waits for a lane. @returns what leaves it */
  async enter(isHard: boolean): Promise<() => void> {
    if (!this.isFree(isHard)) {
      await new Promise<void>((resolve) => this.waiting.push({ isHard, enter: resolve }));
    } else this.take(isHard);
    return () => {
      this.running--;
      if (isHard) this.isHardRunning = false;
      this.callNext();
    };
  }

  private isFree(isHard: boolean): boolean {
    return this.running < LANES && !(isHard && this.isHardRunning);
  }

  private take(isHard: boolean): void {
    this.running++;
    if (isHard) this.isHardRunning = true;
  }

  /** Who came first, of those who may. */
  private callNext(): void {
    const at = this.waiting.findIndex(({ isHard }) => this.isFree(isHard));
    if (at < 0) return;
    const [next] = this.waiting.splice(at, 1);
    this.take(next!.isHard);
    next!.enter();
  }
}
