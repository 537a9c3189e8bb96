// References of identifiers: their first six bytes, and what becomes of identifiers that share them.
import { afterAll, describe, expect, test } from "bun:test";
import { openWriter } from "../../src/store/database.ts";
import { Ids, probeReference, referencePrefix } from "../../src/store/ids.ts";
import { MEMORY, Scratch } from "../rig/homes.ts";

const scratch = new Scratch("ids", MEMORY);
afterAll(() => scratch.remove());

/** Identifiers whose first six bytes are one and the same. */
const alike = (n: number) => `aabbccddeeff${n.toString(16).padStart(52, "0")}`;

describe("identifiers that share their first six bytes", () => {
  test("have references of their own, found again by another connection", () => {
    const home = scratch.path();
    const db = openWriter(home);
    const ids = new Ids(db);
    const count = 2_000;
    const refs = Array.from({ length: count }, (_, n) => ids.intern(alike(n), "id").ref);
    expect(new Set(refs).size).toBe(count);
    // The first ones lie side by side, in their order.
    expect(refs.slice(0, 3)).toEqual([refs[0]!, refs[0]! + 1, refs[0]! + 2]);
    const others = new Ids(db);
    for (let n = 0; n < count; n++) {
      expect(others.find(alike(n))?.ref).toBe(refs[n]!);
      expect(others.text(refs[n]!)).toBe(alike(n));
    }
    expect(others.find(alike(count))).toBeUndefined();
    db.close();
  });

  test("are found in a bounded number of steps", () => {
    const rows = new Map<number, Uint8Array>();
    let steps = 0;
    const at = (ref: number) => {
      steps++;
      return rows.get(ref);
    };
    let most = 0;
    for (let n = 0; n < 20_000; n++) {
      const bytes = Buffer.from(alike(n), "hex");
      steps = 0;
      const { ref, found: isStored } = probeReference(bytes, at);
      expect(isStored).toBe(false);
      rows.set(ref, bytes);
      most = Math.max(most, steps);
    }
    expect(most).toBeLessThan(40);
    expect([...rows.keys()].every((ref) => Number.isSafeInteger(ref) && Math.abs(ref) <= 2 ** 47 + 16)).toBe(
      true,
    );
  });

  test("keep the reference that their bytes say, when nobody is in the way", () => {
    const bytes = Buffer.from(alike(1), "hex");
    expect(probeReference(bytes, () => undefined)).toEqual({ ref: referencePrefix(bytes), found: false });
  });
});
