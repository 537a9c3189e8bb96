// A snapshot of one chain, from which another begins.
import type { ChainPoint } from "../../src/chain/chain-store.ts";
import { SnapshotRestore, type StateSnapshot, type StateSnapshots } from "../../src/chain/state-snapshots.ts";
import type { Genesis } from "../../src/engine/genesis.ts";
import type { StateEntry } from "../../src/engine/state.ts";

/** A chain that can begin with a snapshot. */
export interface Restoring {
  readonly home: string;
  restore(point: ChainPoint, entries: () => Iterable<StateEntry>): void;
}

/** The chain that a genesis begins, as snapshots name it. */
export const identityOf = ({ chainId, hash }: Genesis) => ({ chainId, genesis: hash });

/** Lets a chain go on from a snapshot of another. @param appHash the trusted one @throws Error when it is refused */
export function handSnapshot(
  from: StateSnapshots,
  snapshot: StateSnapshot,
  genesis: Genesis,
  appHash: string,
  to: Restoring,
): void {
  const restore = new SnapshotRestore(to.home, snapshot, appHash, identityOf(genesis));
  for (let index = 0; index < snapshot.chunks; index++) {
    const verdict = restore.apply(index, from.chunk(snapshot.height, snapshot.format, index)!);
    if (!verdict.accepted) throw new Error(verdict.text);
  }
  to.restore(restore.verify(), () => restore.entries());
  restore.discard();
}
