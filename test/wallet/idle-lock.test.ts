// The lock after idle time, on a clock of the test's own.
import { describe, expect, test } from "bun:test";
import { IdleLock } from "../../src/wallet/service/open-wallets.ts";

function machine(idleMs = 100) {
  let nowMs = 0;
  let locks = 0;
  const timers: { atMs: number; action: () => void }[] = [];
  const lock = new IdleLock({
    idleMs,
    lock: () => locks++,
    nowMs: () => nowMs,
    later(action, delayMs) {
      const timer = { atMs: nowMs + delayMs, action };
      timers.push(timer);
      return () => timers.splice(timers.indexOf(timer), 1);
    },
  });
  return {
    lock,
    locks: () => locks,
    timers: () => timers.length,
    /** Lets time pass, awake. */
    pass(ms: number) {
      nowMs += ms;
      for (const timer of timers.filter(({ atMs }) => atMs <= nowMs)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.action();
      }
    },
    /** Lets time pass while timers stand still. */
    sleep(ms: number) {
      nowMs += ms;
    },
  };
}

test("locks once when the time is over", () => {
  const { lock, locks, pass, timers } = machine();
  pass(99);
  expect(locks()).toBe(0);
  pass(1);
  pass(1000);
  expect([locks(), timers(), lock.touch()]).toEqual([1, 0, false]);
});

describe("timers that go by another clock", () => {
  const byHand = (idleMs: number) => {
    const delays: number[] = [];
    const all = { nowMs: 0, locks: 0, delays, fire: () => {} };
    const later = (action: () => void, delayMs: number) => {
      delays.push(delayMs);
      all.fire = action;
      return () => {};
    };
    const lock = new IdleLock({ idleMs, lock: () => all.locks++, nowMs: () => all.nowMs, later });
    return Object.assign(all, { lock });
  };

  test("a time that is longer than timers wait is waited for in pieces", () => {
    const all = byHand(3e9);
    all.nowMs = 2 ** 31 - 1;
    all.fire();
    expect(all.delays).toEqual([2 ** 31 - 1, 3e9 - (2 ** 31 - 1)]);
    expect(all.lock.touch()).toBe(true);
  });

  test("a clock that is set back keeps nothing unlocked for longer than twice the time", () => {
    const all = byHand(100);
    all.nowMs = -1_000_000;
    all.fire();
    expect(all.delays).toEqual([100, 100]);
    all.nowMs += 100;
    all.fire();
    expect(all.locks).toBe(1);
  });
});

test("use gives it the whole time again", () => {
  const { lock, locks, pass } = machine();
  for (let turn = 0; turn < 10; turn++) {
    pass(60);
    expect(lock.touch()).toBe(true);
  }
  pass(99);
  expect(locks()).toBe(0);
  pass(1);
  expect(locks()).toBe(1);
});

test("a wallet that a sleeping machine kept open too long is locked at its first use", () => {
  const { lock, locks, sleep } = machine();
  sleep(10_000);
  expect([locks(), lock.touch(), locks(), lock.touch()]).toEqual([0, false, 1, false]);
});

test("stopped, it locks nothing and leaves no timer", () => {
  const { lock, locks, pass, timers } = machine();
  lock.stop();
  pass(1000);
  expect([locks(), timers(), lock.touch()]).toEqual([0, 0, false]);
});
