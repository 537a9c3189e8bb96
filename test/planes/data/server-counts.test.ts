// What several threads count together, in shared memory: here each is one more view of it.
import { describe, expect, test } from "bun:test";
import { ServerCounts } from "../../../src/planes/data/counts.ts";

const threads = (count: number) => {
  const first = new ServerCounts();
  return [first, ...Array.from({ length: count - 1 }, (_, n) => new ServerCounts(first.memory, n + 1))];
};

test("answers are added up, and each thread knows its own", () => {
  const [a, b] = threads(2) as [ServerCounts, ServerCounts];
  for (const status of [200, 200, 404]) a.response(status);
  b.response(200);
  b.cacheHit();
  a.exportFailed();
  b.exportFailed();
  expect(a.responses).toEqual([
    [200, 3],
    [404, 1],
  ]);
  expect([a.ownResponses, b.ownResponses, a.cacheHits, b.exportsFailed]).toEqual([3, 1, 1, 2]);
});

describe("places for exports", () => {
  test("no thread takes more than all may", () => {
    const [a, b] = threads(2) as [ServerCounts, ServerCounts];
    expect([a.beginExport(3), b.beginExport(3), a.beginExport(3), b.beginExport(3)]).toEqual([
      ...[true, true, true],
      false,
    ]);
    expect(b.exportsRunning).toBe(3);
    a.endExport();
    expect([b.exportsRunning, b.beginExport(3), a.beginExport(3)]).toEqual([2, true, false]);
  });

  test("those of a thread that ended are free again, and only those", () => {
    const [a, b, c] = threads(3) as [ServerCounts, ServerCounts, ServerCounts];
    for (const counts of [a, b, b, c]) counts.beginExport(4);
    a.releaseExports(1);
    expect(a.exportsRunning).toBe(2);
    // It had a last word to say before it was gone.
    b.endExport();
    expect(a.exportsRunning).toBe(2);
    a.releaseExports(1);
    c.endExport();
    a.endExport();
    expect(a.exportsRunning).toBe(0);
    // The next thread at that place begins with none.
    const next = new ServerCounts(a.memory, 1);
    expect([next.beginExport(1), a.exportsRunning]).toEqual([true, 1]);
    next.endExport();
    expect(a.exportsRunning).toBe(0);
  });
});
