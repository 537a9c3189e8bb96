// When a node with sources is ready, and what it says of clocks.
import { describe, expect, test } from "bun:test";
import { SourceStatus } from "../../src/node/source-status.ts";

const HOUR_SECONDS = 3_600;

/** A registry over clocks that the test moves. */
function registry(bounds = { blocks: 10, seconds: 30 }) {
  const state = { nowSeconds: 1_000_000, aheadSeconds: 0, own: { height: 100, timeUs: 1_000_000e6 } };
  const status = new SourceStatus(bounds, () => state.own, {
    nowUs: () => (state.nowSeconds + state.aheadSeconds) * 1e6,
    steadyMs: () => state.nowSeconds * 1_000,
  });
  const block = () => {
    state.nowSeconds++;
    state.own = { height: state.own.height + 1, timeUs: state.nowSeconds * 1e6 };
  };
  return { state, status, block };
}

describe("a node is ready", () => {
  test("while every source runs and nothing is behind", () => {
    const { status } = registry();
    status.set("events", { state: "receiving", text: "", height: 100 });
    expect(status.notReady()).toBeUndefined();
  });

  test.each([
    ["comet", "comet_invalid"],
    ["comet", "comet_contradiction"],
    ["events", "history_mismatch"],
    ["events", "height_gap"],
    ["core", "chain_mismatch"],
    ["sidecar", "events_gone"],
    ["file", "recording_unreadable"],
  ] as const)("not from the moment on when %s stops with %s, which is said first", (kind, code) => {
    const { status } = registry();
    status.set("events", { state: "receiving", text: "", height: 150 });
    status.set(kind, { state: "stopped", code, text: "why" });
    expect(status.notReady()).toStartWith(`${kind} stopped (${code}): why`);
    status.set(kind, { state: "receiving", text: "", height: 100 });
    status.set("events", { state: "receiving", text: "", height: 100 });
    expect(status.notReady()).toBeUndefined();
  });

  test("not while a sender has to wait", () => {
    const { status } = registry();
    status.set("events", { state: "paused", code: "disk_full", text: "no room" });
    expect(status.notReady()).toBe("events paused (disk_full): no room");
  });

  test("not before each source was reached, and for the bound after it was lost", () => {
    const { state, status, block } = registry();
    status.set("core", { state: "waiting", text: "not reached yet" });
    expect(status.notReady()).toBe("core waiting: not reached yet");
    status.set("core", { state: "receiving", text: "" });
    expect(status.notReady()).toBeUndefined();
    status.set("core", { state: "waiting", text: "it is gone" });
    for (let n = 0; n < 30; n++) block();
    expect(status.notReady()).toBeUndefined();
    block();
    expect(status.notReady()).toBe("core waiting: it is gone");
    expect(state.own.height).toBe(131);
  });

  test("only if its other planes are within the bound, too", () => {
    const { status } = registry();
    let height: number | undefined;
    status.addPlane("node API", () => height);
    status.set("events", { state: "receiving", text: "", height: 100 });
    expect(status.notReady()).toBe("the node API has no block yet");
    height = 89;
    expect(status.notReady()).toBe("the node API is 11 blocks behind, the bound is 10");
    height = 90;
    expect(status.notReady()).toBeUndefined();
  });
});

describe("a clock", () => {
  test("that is ahead is told, and is no lag", () => {
    const { state, status, block } = registry();
    state.aheadSeconds = HOUR_SECONDS;
    status.set("events", { state: "receiving", text: "", height: 100 });
    for (let n = 0; n < 6; n++) {
      block();
      status.lag();
    }
    expect(status.lag()).toMatchObject({ seconds: 0, clockSkewSeconds: HOUR_SECONDS });
    expect(status.notReady()).toBeUndefined();
    state.aheadSeconds = 0;
    expect(status.lag()).toMatchObject({ clockSkewSeconds: 0 });
  });

  test("is right while old blocks come quickly: the node catches up", () => {
    const { state, status } = registry();
    status.set("events", { state: "receiving", text: "", height: 100 });
    state.own = { height: 100, timeUs: (state.nowSeconds - 10 * HOUR_SECONDS) * 1e6 };
    for (let n = 0; n < 30; n++) {
      state.nowSeconds++;
      state.own = { height: state.own.height + 20, timeUs: state.own.timeUs + 20e6 };
      expect(status.lag().clockSkewSeconds).toBe(0);
    }
    expect(status.notReady()).toMatch(/seconds behind/);
  });

  test("does not matter where a source tells the height of its node", () => {
    const { state, status } = registry();
    state.aheadSeconds = HOUR_SECONDS;
    status.set("sidecar", { state: "receiving", text: "", nodeHeight: 100 });
    expect(status.lag()).toMatchObject({ blocks: 0, seconds: 0 });
  });

  test("that is behind is told at the first block", () => {
    const { state, status } = registry();
    state.aheadSeconds = -HOUR_SECONDS;
    expect(status.lag()).toMatchObject({ seconds: 0, clockSkewSeconds: -HOUR_SECONDS });
  });
});
