import { describe, expect, test } from "bun:test";
import { Clock } from "../../src/devnet/clock.ts";
import { Random } from "../../src/devnet/random.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";

class Time {
  now = 1_000n * SECOND_NS;
  readonly clock = new Clock(() => this.now);
  last = 0n;
  room = 1_000n;

  /** Makes a block and says when. */
  block(): bigint {
    this.last = this.clock.timeAfter(this.last, this.room);
    this.clock.made(this.last);
    return this.last;
  }
}

describe("clock", () => {
  test("given the system's time, then blocks have it, cut to microseconds, and always after the last one", () => {
    const time = new Time();
    time.now += 1_999n;
    expect(time.block()).toBe(1_000n * SECOND_NS + 1_000n);
    expect(time.block()).toBe(1_000n * SECOND_NS + 2_000n);
    time.now += SECOND_NS;
    expect(time.block()).toBe(1_001n * SECOND_NS + 1_000n);
    time.now -= 10n * SECOND_NS;
    expect(time.block()).toBe(1_001n * SECOND_NS + 2_000n);
  });

  test("given it is asked twice, then nothing has changed", () => {
    const { clock } = new Time();
    clock.setNext(5_000n * SECOND_NS);
    expect([clock.timeAfter(0n, 1_000n), clock.timeAfter(0n, 1_000n)]).toEqual([
      5_000n * SECOND_NS,
      5_000n * SECOND_NS,
    ]);
  });

  test("given the last block needs room for its rows, then the next one leaves it", () => {
    const time = new Time();
    time.block();
    time.room = 12_000n;
    expect(time.block()).toBe(1_000n * SECOND_NS + 12_000n);
    time.clock.freeze(true, time.last);
    expect(time.block()).toBe(1_000n * SECOND_NS + 24_000n);
  });

  test("given the system's clock went back, then it says how far, and moving it forward goes on from the chain", () => {
    const time = new Time();
    time.block();
    expect(time.clock.behindNs(time.last)).toBe(0n);
    time.now -= 900n * SECOND_NS;
    expect(time.clock.behindNs(time.last)).toBe(900n * SECOND_NS);
    time.clock.forward(5n * SECOND_NS, time.last);
    expect(time.block()).toBe(1_005n * SECOND_NS);
    time.now += SECOND_NS;
    expect(time.block()).toBe(1_006n * SECOND_NS);
  });

  test("given it was moved forward, then it stays ahead", () => {
    const time = new Time();
    time.clock.forward(60n * SECOND_NS, time.last);
    expect(time.block()).toBe(1_060n * SECOND_NS);
    time.now += SECOND_NS;
    expect(time.block()).toBe(1_061n * SECOND_NS);
  });

  test("given it was moved forward and is held or frozen before a block, then the next block has the move once", () => {
    for (const stop of ["hold", "freeze"] as const) {
      const time = new Time();
      time.block();
      time.clock.forward(60n * SECOND_NS, time.last);
      time.clock[stop](true, time.last);
      expect(time.block()).toBe(1_060n * SECOND_NS);
      time.clock[stop](false, time.last);
      time.now += SECOND_NS;
      expect(time.block()).toBe(1_061n * SECOND_NS);
      time.clock[stop](true, time.last);
      expect(time.block()).toBe(1_061n * SECOND_NS + time.room);
    }
  });

  test("given a time for the next block, then it has it, and the clock goes on from there", () => {
    const time = new Time();
    time.clock.setNext(2_000n * SECOND_NS);
    expect(time.block()).toBe(2_000n * SECOND_NS);
    time.now += 5n * SECOND_NS;
    expect(time.block()).toBe(2_005n * SECOND_NS);
  });

  test("given it is frozen, then each block is a microsecond after the last one, or what it was moved forward", () => {
    const time = new Time();
    time.block();
    time.clock.freeze(true, time.last);
    time.now += 100n * SECOND_NS;
    expect(time.block()).toBe(1_000n * SECOND_NS + 1_000n);
    time.clock.forward(SECOND_NS, time.last);
    expect(time.block()).toBe(1_001n * SECOND_NS + 1_000n);
    expect(time.block()).toBe(1_001n * SECOND_NS + 2_000n);
    time.clock.freeze(false, time.last);
    time.now += SECOND_NS;
    expect(time.block()).toBe(1_002n * SECOND_NS + 2_000n);
  });

  test("given a saved clock, when it is loaded, then blocks have the same times", () => {
    for (const prepare of [
      (clock: Clock, last: bigint) => clock.forward(7n * SECOND_NS, last),
      (clock: Clock) => clock.setNext(3_000n * SECOND_NS),
      (clock: Clock, last: bigint) => clock.freeze(true, last),
      (clock: Clock, last: bigint) => {
        clock.freeze(true, last);
        clock.forward(SECOND_NS, last);
      },
    ]) {
      const time = new Time();
      time.block();
      prepare(time.clock, time.last);
      const saved = time.clock.save();
      const other = new Time();
      other.last = time.last;
      other.clock.load(saved);
      expect([other.block(), other.block()]).toEqual([time.block(), time.block()]);
      time.clock.freeze(false, time.last);
      other.clock.freeze(false, other.last);
      expect(other.block()).toBe(time.block());
    }
  });
});

describe("randomness", () => {
  test("given the same seed, then the same bytes, and never the same ones twice", () => {
    const [one, other] = [new Random("seed"), new Random("seed")];
    const drawn = [one.bytes(8), one.bytes(40), one.bytes(8)].map((bytes) => bytes.toHex());
    expect([other.bytes(8), other.bytes(40), other.bytes(8)].map((bytes) => bytes.toHex())).toEqual(drawn);
    expect(new Set(drawn).size).toBe(3);
    expect(drawn[1]).toHaveLength(80);
    expect(new Random("other").bytes(8).toHex()).not.toBe(drawn[0]!);
    expect(new Random().bytes(8).toHex()).not.toBe(new Random().bytes(8).toHex());
  });

  test("given a saved state, when it is loaded, then it goes on from there", () => {
    const one = new Random("seed");
    one.bytes(100);
    const saved = one.save();
    const expected = one.bytes(16).toHex();
    const other = new Random("another");
    other.load(saved);
    expect(other.bytes(16).toHex()).toBe(expected);
  });
});
