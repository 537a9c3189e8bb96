// The maker of history segments, when the chain takes blocks back.
import { expect, spyOn, test } from "bun:test";
import { SegmentMaker } from "../../src/history/segment-maker.ts";
import { turns } from "../support/eventually.ts";
import { NO_HTTP, startTestDevnet } from "../support/test-devnet.ts";

test("given two reverts at the same time, then one maker of segments goes on, and none when the devnet is closed", async () => {
  const { onCommitted, stop } = SegmentMaker.prototype;
  const all = new Set<SegmentMaker>();
  const ended = new Set<SegmentMaker>();
  const committed = spyOn(SegmentMaker.prototype, "onCommitted").mockImplementation(function (
    this: SegmentMaker,
    height,
  ) {
    all.add(this);
    onCommitted.call(this, height);
  });
  const stopped = spyOn(SegmentMaker.prototype, "stop").mockImplementation(function (this: SegmentMaker) {
    ended.add(this);
    return stop.call(this);
  });
  const devnet = await startTestDevnet({
    oneThread: NO_HTTP,
    mode: { kind: "manual" },
    segmentLength: 5,
    fund: false,
  });
  try {
    await devnet.history();
    const id = await devnet.chain.snapshot();
    await devnet.chain.mine(20);
    await Promise.all([devnet.chain.revert(id), devnet.chain.revert(id)]);
    await devnet.chain.mine(20);
    await turns(20);
    await devnet.history();
    expect(all.size - ended.size).toBe(1);
  } finally {
    await devnet.stop();
    committed.mockRestore();
    stopped.mockRestore();
  }
  expect(all.size - ended.size).toBe(0);
});
