/**
 * Facts of a chain without its events: parameters as the genesis sets them, epochs by their length. A parameter that a vote
 * changes later is not known this way.
 */
import { ADMISSION_PARAMETERS } from "../chain/admission/admission.ts";
import { PARAMETERS } from "../engine/parameter-definitions.ts";
import { durationNs } from "../wire/time-text.ts";
import type { EpochFact, Fact } from "./facts.ts";

const EPOCH_LENGTH = "validators.epoch.length";

/** Where the count of epochs stands. */
export interface GenesisEpochs {
  readonly epochNs: string;
  readonly isOver: boolean;
  readonly running: { readonly seq: string; readonly startNs: string; readonly expireNs: string } | undefined;
}

export class GenesisFacts {
  readonly parameters: readonly Fact[];
  private epochNs: bigint;
  private running: EpochFact | undefined;
  /** The block after the one that saw the end begins the next epoch. */
  private isOver = false;

  /** @param appState of the genesis document */
  constructor(appState: Readonly<Record<string, unknown>>) {
    const values = (appState.network_parameters ?? {}) as Record<string, unknown>;
    this.parameters = ADMISSION_PARAMETERS.flatMap((key): Fact[] => {
      // The network has a default for each; a genesis names those that differ.
      const value = values[key] ?? PARAMETERS.get(key)?.initial;
      return typeof value === "string" ? [{ kind: "parameter", key, value }] : [];
    });
    const length = values[EPOCH_LENGTH] ?? PARAMETERS.get(EPOCH_LENGTH)?.initial;
    this.epochNs = typeof length === "string" ? durationNs(length) : 0n;
  }

  /** Goes on with what an earlier run has saved. */
  static from({ epochNs, isOver, running }: GenesisEpochs): GenesisFacts {
    const facts = new GenesisFacts({});
    facts.epochNs = BigInt(epochNs);
    facts.isOver = isOver;
    facts.running = running && {
      seq: BigInt(running.seq),
      startNs: BigInt(running.startNs),
      expireNs: BigInt(running.expireNs),
    };
    return facts;
  }

  save(): GenesisEpochs {
    const { running } = this;
    return {
      epochNs: `${this.epochNs}`,
      isOver: this.isOver,
      running: running && {
        seq: `${running.seq}`,
        startNs: `${running.startNs}`,
        expireNs: `${running.expireNs}`,
      },
    };
  }

  get epoch(): EpochFact | undefined {
    return this.running;
  }

  /**
   * The epoch that a block begins; from the first block on, as epochs are counted from there
   * (docs/protocol/60-state-engine-blocks.md#13-initchain).
   */
  of(height: number, timeNs: bigint): readonly Fact[] {
    const { running } = this;
    if (running === undefined) {
      if (height !== 1 || this.epochNs === 0n) return [];
      // The genesis begins the first epoch before its length is known.
      this.running = { seq: 0n, startNs: timeNs, expireNs: timeNs };
      return [{ kind: "epoch", seq: 0n }];
    }
    if (!this.isOver) {
      this.isOver = running.expireNs < timeNs;
      return [];
    }
    this.isOver = false;
    this.running = { seq: running.seq + 1n, startNs: timeNs, expireNs: timeNs + this.epochNs };
    return [{ kind: "epoch", seq: this.running.seq }];
  }
}
