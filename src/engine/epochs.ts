/**
 * Epochs (docs/protocol/60-state-engine-blocks.md#17-epochs). The first block past an epoch's expiry still belongs to
 * it; the tick of the next one ends it and starts the following, so both events carry the same time. `domains.ts` has
 * the order in which the domains hear of both.
 */
import { EpochAction } from "../wire/generated/vega.ts";
import type { Core } from "./core.ts";
import type { EpochInfo, EpochReader, ParameterReader } from "./ports.ts";
import type { Cell } from "./state.ts";

const LENGTH_KEY = "validators.epoch.length";
/**
 * End of the epoch in a START event: Go's zero time as Unix nanoseconds, overflowed
 * (docs/protocol/60-state-engine-blocks.md#17-epochs).
 */
const NO_END_NS = -6795364578871345152n;

interface EpochListener {
  /** The epoch that has just ended (the EpochEvent END is out). */
  onEpochEnd?(epoch: EpochInfo): void;
  /** The epoch that has just started (the EpochEvent START is out). */
  onEpochStart?(epoch: EpochInfo): void;
}

interface EpochState extends EpochInfo {
  /** `ended`: its expiry has passed in this block; `closing`: the next tick ends it. */
  readonly phase: "running" | "ended" | "closing";
}

/** `current` before genesis. */
const NO_EPOCH: EpochInfo = { seq: 0n, startNs: 0n, expireNs: 0n, endNs: undefined };

export class Epochs implements EpochReader {
  private readonly state: Cell<EpochState | undefined>;
  /** Nanoseconds; 0 until the parameters are loaded, which is why the epoch of genesis has no length. */
  private readonly lengthNs: Cell<bigint>;
  private readonly listeners: EpochListener[] = [];

  constructor(
    private readonly core: Core,
    params: ParameterReader,
  ) {
    this.state = core.state.cell<EpochState | undefined>("epochs.current", undefined);
    this.lengthNs = core.state.cell("epochs.length", 0n);
    params.watch([LENGTH_KEY], () => {
      const lengthNs = params.duration(LENGTH_KEY);
      if (lengthNs !== this.lengthNs.get()) this.lengthNs.set(lengthNs);
    });
  }

  /** During END listeners: the epoch that ends, with its end set. */
  get current(): EpochInfo {
    return this.state.get() ?? NO_EPOCH;
  }

  /** Listeners are called in the order in which they were registered, all of them for END, then all for START. */
  listen(listener: EpochListener): void {
    this.listeners.push(listener);
  }

  /** First of all ticks (docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact). */
  onTick(): void {
    const epoch = this.state.get();
    if (epoch === undefined) {
      this.start(0n);
    } else if (epoch.phase === "closing") {
      this.end(epoch);
      this.start(epoch.seq + 1n);
    } else if (epoch.phase === "running" && epoch.expireNs < this.core.nowNs) {
      this.state.set({ ...epoch, phase: "ended" });
    }
  }

  /**
   * The epoch of a checkpoint goes on (docs/protocol/60-state-engine-parameters.md#12-checkpoints): its times are those
   * of the chain before.
   */
  restore({ seq, startNs, expireNs }: Pick<EpochInfo, "seq" | "startNs" | "expireNs">): void {
    this.state.set({ seq, startNs, expireNs, endNs: undefined, phase: "running" });
    this.emit(EpochAction.EPOCH_ACTION_START, NO_END_NS);
    for (const listener of this.listeners) listener.onEpochStart?.(this.current);
  }

  onEndBlock(): void {
    const epoch = this.state.get();
    if (epoch?.phase === "ended") this.state.set({ ...epoch, phase: "closing" });
  }

  private start(seq: bigint): void {
    const startNs = this.core.nowNs;
    const expireNs = startNs + this.lengthNs.get();
    this.state.set({ seq, startNs, expireNs, endNs: undefined, phase: "running" });
    this.emit(EpochAction.EPOCH_ACTION_START, NO_END_NS);
    for (const listener of this.listeners) listener.onEpochStart?.(this.current);
  }

  private end(epoch: EpochState): void {
    const { seq, startNs, expireNs, phase } = epoch;
    this.state.set({ seq, startNs, expireNs, endNs: this.core.nowNs, phase });
    this.emit(EpochAction.EPOCH_ACTION_END, this.core.nowNs);
    for (const listener of this.listeners) listener.onEpochEnd?.(this.current);
  }

  private emit(action: number, endTime: bigint): void {
    const { seq, startNs, expireNs } = this.current;
    this.core.emit("epochEvent", { seq, action, startTime: startNs, expireTime: expireNs, endTime });
  }
}
