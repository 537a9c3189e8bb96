// Blocks a second that come into the store, over the last minute: a sample a second at the most, whatever comes.

const SAMPLE_MS = 1_000;
const WINDOW_MS = 60_000;

interface Sample {
  readonly ms: number;
  readonly height: number;
}

export class IngestRate {
  private readonly samples: Sample[] = [];

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** To be called after a commit. @param height read only when a sample is due */
  note(height: () => number): void {
    const ms = this.nowMs();
    const last = this.samples.at(-1);
    if (last !== undefined && ms - last.ms < SAMPLE_MS) return;
    this.samples.push({ ms, height: height() });
    this.dropOld(ms);
  }

  /** @param height of the last block */
  perSecond(height: number): number {
    const ms = this.nowMs();
    this.dropOld(ms);
    const [first] = this.samples;
    if (first === undefined || ms <= first.ms) return 0;
    // A chain that took blocks back has no negative rate.
    return Math.max(0, ((height - first.height) * 1_000) / (ms - first.ms));
  }

  private dropOld(ms: number): void {
    while (this.samples.length > 0 && ms - this.samples[0]!.ms > WINDOW_MS) this.samples.shift();
  }
}
