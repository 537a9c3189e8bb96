/**
 * Blocks since the state was stored last: a restart makes it again, block by block. When it becomes too much,
 * the state is due to be stored.
 */
import type { StateChange } from "../engine/state.ts";
import type { SequencerLimits } from "./options.ts";

/** Some blocks with what they have changed. */
export interface BlockBatch {
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

  add({ blocks, txs, changes }: BlockBatch): void {
    this.changes.add(changes);
    this.blocks += blocks;
    this.txs += txs;
  }

  /** Whether adding the batch reaches the limits. */
  isDueWith({ blocks, txs, changes }: BlockBatch): boolean {
    const { stateBlocksMax, stateTxsMax, stateChangesMax } = this.limits;
    return (
      this.blocks + blocks >= stateBlocksMax ||
      this.txs + txs >= stateTxsMax ||
      this.changes.size + changes.length >= stateChangesMax
    );
  }

  /** Of each entry the last change, those of these blocks included. */
  changesWith({ changes }: Pick<BlockBatch, "changes">): Iterable<StateChange> {
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

/**
 * Changes of the state since it was stored last: the last one of each entry. Kept in layers, so that a
 * snapshot holds on to all of it at no cost: the layers of a snapshot are never written to again.
 */

type Layer = ReadonlyMap<string, ReadonlyMap<string, StateChange>>;

/** Each layer counts for more than the ones before it. */
type PendingLayers = readonly Layer[];

/** More are put together, so that going through them stays quick. */
const LAYERS_MAX = 64;

class PendingChanges implements Iterable<StateChange> {
  private below: PendingLayers = [];
  private top = new Map<string, Map<string, StateChange>>();
  private count = 0;

  /** Entries that have changed; one that lies in several layers counts in each. */
  get size(): number {
    return this.count;
  }

  add(changes: Iterable<StateChange>): void {
    for (const change of changes) {
      const { table, key } = change;
      let byKey = this.top.get(table);
      if (byKey === undefined) {
        byKey = new Map();
        this.top.set(table, byKey);
      }
      const before = byKey.size;
      byKey.set(key, change);
      this.count += byKey.size - before;
    }
  }

  clear(): void {
    this.load([]);
  }

  /** All of it as of now: what comes later does not touch it. */
  save(): PendingLayers {
    if (this.top.size > 0) {
      this.below = [...this.below, this.top];
      this.top = new Map();
    }
    if (this.below.length > LAYERS_MAX) {
      const all = [...this];
      this.clear();
      this.add(all);
      return this.save();
    }
    return this.below;
  }

  load(layers: PendingLayers): void {
    this.below = layers;
    this.top = new Map();
    this.count = 0;
    for (const layer of layers) for (const byKey of layer.values()) this.count += byKey.size;
  }

  /** From the oldest layer on: in this order the last change of each entry prevails. */
  *[Symbol.iterator](): Generator<StateChange> {
    for (const layer of [...this.below, this.top]) for (const byKey of layer.values()) yield* byKey.values();
  }
}
