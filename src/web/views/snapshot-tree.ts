// Snapshots in the order in which a tree of them is drawn.

export interface SnapshotRow {
  readonly snapshot: string;
  readonly height: string;
  readonly time?: string;
  readonly parent?: string;
  /** False of one that a revert has removed. */
  readonly usable: boolean;
}

export interface Placed<Row> {
  readonly row: Row;
  /** 0 on the trunk; a branch has one more than the place that it left. */
  readonly depth: number;
}

/**
 * Each snapshot, then the branches that left it, then the one that goes on from it: the usable one, else the newest. A long
 * line of snapshots is so not indented.
 */
export function placed<Row extends SnapshotRow>(rows: readonly Row[]): Placed<Row>[] {
  const ids = new Set(rows.map(({ snapshot }) => snapshot));
  const children = Map.groupBy(rows, ({ parent }) =>
    parent !== undefined && ids.has(parent) ? parent : undefined,
  );
  const order: Placed<Row>[] = [];
  // A stack, not recursion: a line may be long.
  const waiting: Placed<Row>[] = [];
  const grow = (parent: string | undefined, depth: number) => {
    const all = children.get(parent) ?? [];
    const trunk = all.find(({ usable }) => usable) ?? all.at(-1);
    if (trunk === undefined) return;
    waiting.push({ row: trunk, depth });
    for (const row of all.toReversed()) if (row !== trunk) waiting.push({ row, depth: depth + 1 });
  };
  grow(undefined, 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    order.push(next);
    grow(next.row.snapshot, next.depth);
  }
  return order;
}
