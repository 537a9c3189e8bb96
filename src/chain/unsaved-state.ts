/**
 * What happened since the state was stored last: a restart makes it again, block by block. When it becomes too much,
 * the state is due to be stored.
 */
import type { StateChange } from "../engine/state.ts";
import type { SequencerLimits } from "./limits.ts";
import { PendingChanges, type PendingLayers } from "./pending-changes.ts";

/** Some blocks with what they have changed. */
export interface Happened {
  readonly blocks: number;
  readonly txs: number;
  readonly changes: readonly StateChange[];
}

/** All of it at a moment. */
export interface UnsavedAt {
  readonly blocks: number;
  readonly txs: number;
  readonly changes: PendingLayers;
}

type StateLimits = Pick<SequencerLimits, "stateBlocksMax" | "stateTxsMax" | "stateChangesMax">;

export class UnsavedState {
  private readonly changes = new PendingChanges();
  private blocks = 0;
  private txs = 0;

  constructor(private readonly limits: StateLimits) {}

  /** Whether the stored state is the one of now. */
  get isEmpty(): boolean {
    return this.blocks === 0 && this.changes.size === 0;
  }

  add({ blocks, txs, changes }: Happened): void {
    this.changes.add(changes);
    this.blocks += blocks;
    this.txs += txs;
  }

  /** Whether it would be too much with this. */
  isDueWith({ blocks, txs, changes }: Happened): boolean {
    const { stateBlocksMax, stateTxsMax, stateChangesMax } = this.limits;
    return (
      this.blocks + blocks >= stateBlocksMax ||
      this.txs + txs >= stateTxsMax ||
      this.changes.size + changes.length >= stateChangesMax
    );
  }

  /** Of each entry the last change, those of these blocks included. */
  changesWith({ changes }: Pick<Happened, "changes">): Iterable<StateChange> {
    const all = new PendingChanges();
    all.add(this.changes);
    all.add(changes);
    return all;
  }

  /** The state is stored. */
  clear(): void {
    this.changes.clear();
    this.blocks = 0;
    this.txs = 0;
  }

  save(): UnsavedAt {
    return { blocks: this.blocks, txs: this.txs, changes: this.changes.save() };
  }

  load({ blocks, txs, changes }: UnsavedAt): void {
    this.changes.load(changes);
    this.blocks = blocks;
    this.txs = txs;
  }
}
