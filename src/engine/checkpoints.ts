/**
 * Checkpoints: their times and their events (reference 60, section 12). The event has the hash of the contents, which a
 * chain can begin with; they themselves are not kept, but put together again when somebody asks (checkpoint/save.ts).
 */
import type { Core } from "./core.ts";
import type { Domain, ParameterReader } from "./ports.ts";
import type { Cell } from "./state/state.ts";

const INTERVAL = "network.checkpoint.timeElapsedBetweenCheckpoints";

interface Schedule {
  /** Block time from which the next one is due, Unix nanoseconds. */
  readonly nextNs: bigint;
  /** The interval that `nextNs` was made with. */
  readonly intervalNs: bigint;
}

export class Checkpoints implements Domain {
  private readonly schedule: Cell<Schedule | undefined>;

  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
    /** Of the contents as of now, lower-case hex. */
    private readonly contentHash: () => string,
  ) {
    this.schedule = core.state.cell<Schedule | undefined>("checkpoints.schedule", undefined);
  }

  /** Before the EndBlock event: the first time only the next one's time is set. */
  onCommit(): void {
    const intervalNs = this.params.duration(INTERVAL);
    const { nowNs } = this.core;
    const last = this.schedule.get();
    if (last === undefined) {
      this.schedule.set({ nextNs: nowNs + intervalNs, intervalNs });
      return;
    }
    // A changed interval moves what is planned by the difference.
    const nextNs = last.nextNs + intervalNs - last.intervalNs;
    if (nextNs <= nowNs) {
      this.schedule.set({ nextNs: nowNs + intervalNs, intervalNs });
      this.take();
    } else if (intervalNs !== last.intervalNs) {
      this.schedule.set({ nextNs, intervalNs });
    }
  }

  /** One beside the schedule: after each withdrawal that succeeds. */
  take(): void {
    const { block } = this.core;
    this.core.emit("checkpoint", {
      hash: this.contentHash(),
      blockHash: block.hash.toUpperCase(),
      blockHeight: BigInt(block.height),
    });
  }
}
