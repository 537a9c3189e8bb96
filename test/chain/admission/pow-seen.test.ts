// The texts that admission has seen, taken back to earlier places, against those read from the state.
import { expect, test } from "bun:test";
import { Seen } from "../../../src/chain/admission/pow/windows.ts";
import { type Mark, State } from "../../../src/engine/state.ts";
import { randomOf } from "../rig.ts";

function seenIn(): { state: State; seen: Seen } {
  const state = new State();
  return { state, seen: new Seen(state.table<readonly string[]>("seen")) };
}

for (const seed of [1, 2, 3, 4]) {
  test(`given texts added, forgotten and taken back in any order, then it has what a fresh one has (seed ${seed})`, () => {
    const random = randomOf(seed);
    const pick = (count: number) => Math.floor(random() * count);
    const { state, seen } = seenIn();
    const places: { readonly mark: Mark; readonly digest: string }[] = [];
    let texts = 0;
    for (let block = 1n; block < 200n; block++) {
      if (pick(4) === 0) places.push({ mark: state.place(), digest: state.digest() });
      const begun = state.mark();
      for (let left = pick(6); left > 0; left--) seen.add(BigInt(pick(8)), `text ${texts++}`);
      if (pick(3) === 0) seen.evict(BigInt(pick(8)));
      if (pick(3) > 0) {
        seen.store(block);
        state.takeChanges();
      } else {
        // A block that failed, or all of them back to a place.
        const at = places.length === 0 ? undefined : pick(places.length);
        state.rollback(at === undefined ? begun : places[at]!.mark);
        seen.reset();
        state.takeChanges();
        if (at === undefined) continue;
        expect(state.digest()).toBe(places[at]!.digest);
        places.length = at + 1;
      }
      const fresh = seenIn();
      fresh.state.load(state.entries());
      expect(fresh.state.digest()).toBe(state.digest());
      const differing = Array.from({ length: texts }, (_, n) => `text ${n}`).filter(
        (text) => seen.has(text) !== fresh.seen.has(text),
      );
      expect(differing).toEqual([]);
    }
    expect(texts).toBeGreaterThan(300);
  });
}
