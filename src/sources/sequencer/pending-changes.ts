/** What has changed of the state since it was stored last: of each entry the last change. */
import type { StateChange } from "../../engine/state/state.ts";

export class PendingChanges implements Iterable<StateChange> {
  private readonly byTable = new Map<string, Map<string, StateChange>>();
  private count = 0;

  /** Entries that have changed. */
  get size(): number {
    return this.count;
  }

  add(changes: Iterable<StateChange>): void {
    for (const change of changes) {
      const { table, key } = change;
      let byKey = this.byTable.get(table);
      if (byKey === undefined) {
        byKey = new Map();
        this.byTable.set(table, byKey);
      }
      const before = byKey.size;
      byKey.set(key, change);
      this.count += byKey.size - before;
    }
  }

  clear(): void {
    this.byTable.clear();
    this.count = 0;
  }

  *[Symbol.iterator](): Generator<StateChange> {
    for (const byKey of this.byTable.values()) yield* byKey.values();
  }
}
