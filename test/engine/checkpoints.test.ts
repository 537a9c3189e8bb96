// When checkpoints are taken, and what their hash says (reference 60, section 12).
import { beforeEach, describe, expect, test } from "bun:test";
import { ALICE, COIN, Rig, SECOND } from "./banking-rig.ts";

const INTERVAL = "network.checkpoint.timeElapsedBetweenCheckpoints";

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});

/** One block `seconds` later. @returns its checkpoint's hash, if it has one */
function block(seconds: bigint): string | undefined {
  rig.tick(seconds * SECOND);
  rig.events();
  rig.checkpoints.onCommit();
  return rig.events()[0]?.checkpoint?.hash;
}

describe("checkpoints", () => {
  test("given an interval of a minute, then the first commit plans, and the due ones take", () => {
    expect([0n, 59n, 1n, 59n, 1n].map((seconds) => block(seconds) !== undefined)).toEqual([
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  test("given a late block, then the next one is planned from it", () => {
    block(0n);
    expect(block(150n)).toBeDefined();
    expect(block(59n)).toBeUndefined();
    expect(block(1n)).toBeDefined();
  });

  test("given the interval changes, then what is planned moves by the difference", () => {
    block(0n);
    rig.params.values.set(INTERVAL, (90n * SECOND).toString());
    expect(block(60n)).toBeUndefined();
    expect(block(30n)).toBeDefined();
    rig.params.values.set(INTERVAL, (20n * SECOND).toString());
    expect(block(20n)).toBeDefined();
  });

  test("given one beside the schedule, then the event is whole and the schedule untouched", () => {
    block(0n);
    rig.tick(30n * SECOND);
    rig.events();
    rig.checkpoints.take();
    const { checkpoint } = rig.events()[0]!;
    expect(checkpoint).toEqual({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown as string,
      blockHash: "AB".repeat(32),
      blockHeight: BigInt(rig.core.height),
    });
    expect(block(29n)).toBeUndefined();
    expect(block(1n)).toBeDefined();
  });

  test("given the same state, then the same hash; given another one, even within a block, then another", () => {
    const hashes = () => {
      rig = new Rig();
      rig.checkpoints.take();
      rig.depositEvent(ALICE, COIN, "5", 1n);
      rig.checkpoints.take();
      rig.checkpoints.take();
      return rig.events().flatMap(({ checkpoint }) => (checkpoint ? [checkpoint.hash] : []));
    };
    const [empty, first, second] = hashes();
    expect(first).not.toBe(empty!);
    expect(second).toBe(first!);
    expect(hashes()).toEqual([empty!, first!, second!]);
  });
});
