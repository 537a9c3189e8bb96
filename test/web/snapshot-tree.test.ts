// The order and depth in which the devnet's view draws snapshots.
import { expect, test } from "bun:test";
import { placed, type SnapshotRow } from "../../src/web/views/snapshot-tree.ts";

const row = (snapshot: string, parent: string | undefined, usable: boolean): SnapshotRow => ({
  snapshot,
  height: snapshot,
  usable,
  ...(parent !== undefined && { parent }),
});
const drawn = (rows: readonly SnapshotRow[]) =>
  placed(rows).map(({ row: { snapshot }, depth }) => `${" ".repeat(depth)}${snapshot}`);

test("usable snapshots stand in one line, and each branch that is gone beside the place that it left", () => {
  const rows = [
    row("1", undefined, true),
    row("2", "1", false),
    row("3", "2", false),
    row("4", "2", false),
    row("5", "1", true),
    row("6", "5", false),
    row("7", "5", true),
  ];
  expect(drawn(rows)).toEqual(["1", " 2", "  3", " 4", "5", " 6", "7"]);
});

test("a snapshot whose parent is not in the list begins a branch of its own, and a line of 5,000 is not indented", () => {
  expect(drawn([row("7", "3", false), row("8", undefined, true)])).toEqual([" 7", "8"]);
  const line = Array.from({ length: 5_000 }, (_, n) =>
    row(String(n), n === 0 ? undefined : String(n - 1), true),
  );
  expect(placed(line).every(({ depth }) => depth === 0)).toBe(true);
});
