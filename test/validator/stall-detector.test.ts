// Whether a validator is with the others: it stands still only where its own blocks do while theirs go on.
import { expect, test } from "bun:test";
import { StallDetector } from "../../src/validator/stall-detector.ts";

const facts = (height: number, peers: readonly number[]) =>
  ({ height, peers, engine: "dialled", failure: undefined }) as const;

test("given peers that go on for five seconds while it stands, then it says so with both heights", () => {
  const detector = new StallDetector();
  expect(detector.note(facts(10, [11, 11, 11]), 0)).toBeUndefined();
  for (let second = 1; second <= 5; second++)
    expect(detector.note(facts(10, [11 + second, 11, 11 + second]), second * 1_000)).toBeUndefined();
  expect(detector.note(facts(10, [18, 11, 17]), 6_000)).toBe(
    "this validator stands at block 10 while 2 of its 3 peers are at block 17: its state differs from theirs, or its consensus engine has failed",
  );
  expect(detector.note(facts(11, [18, 18, 18]), 7_000)).toBeUndefined();
});

test.each([
  ["answers and has not dialled", "hangs", "has not dialled it: it hangs"],
  ["does not answer", "away", "its consensus engine does not answer"],
] as const)("given an engine that %s for five seconds, then it says so", (_, engine, words) => {
  const detector = new StallDetector();
  const lost = { height: 10, peers: [], engine, failure: undefined };
  expect(detector.note(facts(10, [11, 11]), 0)).toBeUndefined();
  for (let second = 1; second < 5; second++) expect(detector.note(lost, second * 1_000)).toBeUndefined();
  expect(detector.note(lost, 6_000)).toContain(words);
  expect(detector.note(facts(11, [20, 20]), 7_000)).toBeUndefined();
});

test("given an engine that ends again and again as a block cannot be stored, then it says why at once, until one is", () => {
  const detector = new StallDetector();
  const failing = (engine: "hangs" | "away") => ({
    height: 10,
    peers: [],
    engine,
    failure: "the disk is full",
  });
  expect(detector.note(facts(10, [11]), 0)).toBeUndefined();
  expect(detector.note(failing("hangs"), 1_000)).toBe("this validator stands at block 10: the disk is full");
  expect(detector.note(failing("away"), 2_000)).toBe("this validator stands at block 10: the disk is full");
  expect(detector.note(facts(11, [20]), 3_000)).toBeUndefined();
});

test.each([
  ["all stand still", () => facts(10, [11, 12, 11])],
  ["it has no peers", () => facts(10, [])],
  ["it has no block yet", () => facts(0, [900, 900, 900])],
  ["it has no block yet, and no engine", () => ({ ...facts(0, []), engine: "away" as const })],
  ["it is behind and comes nearer", (second: number) => facts(10 + second, [900, 900, 900])],
])("given that %s, then it is with the others", (_, at) => {
  const detector = new StallDetector();
  for (let second = 0; second < 60; second++)
    expect(detector.note(at(second), second * 1_000)).toBeUndefined();
});
