// Admission's seen proofs, taken back to earlier states: the short way must lead where the long one does.
import { expect, test } from "bun:test";
import { Seen, type SeenState } from "../../../src/chain/admission/pow/windows.ts";
import { randomOf } from "../rig.ts";

/** A copy that shares nothing with the state it was given. */
function anew(state: SeenState): Seen {
  const seen = new Seen();
  seen.load(JSON.parse(JSON.stringify(state)) as SeenState);
  return seen;
}

for (const seed of [1, 2, 3, 4]) {
  test(`given texts added, forgotten and states loaded in any order, then it has what a fresh one has (seed ${seed})`, () => {
    const random = randomOf(seed);
    const pick = (count: number) => Math.floor(random() * count);
    const seen = new Seen();
    const states: SeenState[] = [];
    let texts = 0;
    for (let step = 0; step < 600; step++) {
      const what = pick(10);
      if (what < 6) seen.add(BigInt(pick(8)), `text ${texts++}`);
      else if (what === 6) seen.evict(BigInt(pick(8)));
      else if (what < 9) states.push(seen.save());
      else if (states.length > 0) {
        const state = states[pick(states.length)]!;
        const text = JSON.stringify(state);
        seen.load(state);
        expect(JSON.stringify(seen.save())).toBe(text);
      }
      for (const [, kept] of seen.save()) expect(kept).toEqual([...kept].sort());
      const fresh = anew(seen.save());
      expect(fresh.save()).toEqual(seen.save());
      const differing = Array.from({ length: texts }, (_, n) => `text ${n}`).filter(
        (text) => seen.has(text) !== fresh.has(text),
      );
      expect(differing).toEqual([]);
    }
    expect(texts).toBeGreaterThan(300);
  });
}
