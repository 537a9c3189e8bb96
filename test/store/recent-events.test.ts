// The events of the last blocks in their two files: for streams that go on behind an earlier block.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { RecentEvents, RecentEventsReader } from "../../src/store/recent-events.ts";
import { MEMORY, Scratch } from "../rig/homes.ts";

describe("events that are kept", () => {
  const scratch = new Scratch("recent-events", MEMORY);
  afterAll(() => scratch.remove());
  const folder = () => {
    const home = scratch.path();
    mkdirSync(home);
    return home;
  };
  const hashOf = (height: number) => height.toString(16).padStart(4, "0").repeat(16);
  const eventsOf = (height: number, size = 100) => new Uint8Array(size).fill(height);

  function heightsKept(home: string, upTo: number): number[] {
    const reader = new RecentEventsReader(home);
    const heights = Array.from({ length: upTo }, (_, at) => at + 1);
    const kept = heights.filter((height) => reader.block(height)?.events[0] === height);
    reader.close();
    return kept;
  }

  test("fill two files in turn, and are found after a restart", () => {
    const home = folder();
    const first = new RecentEvents(home, 1_000);
    first.noteFollowed(0);
    for (let height = 1; height <= 12; height++) first.append(height, hashOf(height), eventsOf(height));
    first.close();
    const second = new RecentEvents(home, 1_000);
    expect(second.keeps(13)).toBe(true);
    for (let height = 13; height <= 20; height++) second.append(height, hashOf(height), eventsOf(height));
    second.close();
    const kept = heightsKept(home, 30);
    expect(kept.at(-1)).toBe(20);
    expect(kept.length).toBeGreaterThanOrEqual(8);
    expect(kept).toEqual(kept.map((_, at) => kept[0]! + at));
  });

  test("are those of the last block of a height, and its hash tells which", () => {
    const home = folder();
    const recent = new RecentEvents(home);
    for (const height of [1, 2, 3, 4, 2]) recent.append(height, hashOf(height), eventsOf(height));
    const reader = new RecentEventsReader(home);
    expect([1, 2, 3].map((height) => reader.block(height)?.hash)).toEqual([
      hashOf(1).slice(0, 16),
      hashOf(2).slice(0, 16),
      undefined,
    ]);
    // A reader sees what is appended later.
    recent.append(3, hashOf(9), eventsOf(3));
    expect(reader.block(3)?.hash).toBe(hashOf(9).slice(0, 16));
    reader.close();
    recent.close();
  });

  test("are given up when no stream was open for a thousand blocks", () => {
    const home = folder();
    const recent = new RecentEvents(home);
    expect(recent.keeps(1)).toBe(false);
    recent.noteFollowed(1);
    recent.append(2, hashOf(2), eventsOf(2));
    expect([recent.keeps(1_001), recent.keeps(1_002)]).toEqual([true, false]);
    recent.close();
    expect(heightsKept(home, 3)).toEqual([]);
  });

  test("end with the last record that was written to its end", () => {
    const home = folder();
    const recent = new RecentEvents(home);
    for (const height of [1, 2, 3]) recent.append(height, hashOf(height), eventsOf(height));
    recent.close();
    const file = Bun.file(`${home}/recent-events.0`);
    return file.arrayBuffer().then(async (bytes) => {
      await Bun.write(`${home}/recent-events.0`, bytes.slice(0, -1));
      expect(heightsKept(home, 3)).toEqual([1, 2]);
      const again = new RecentEvents(home);
      again.append(3, hashOf(3), eventsOf(3));
      again.close();
      expect(heightsKept(home, 3)).toEqual([1, 2, 3]);
    });
  });
});
