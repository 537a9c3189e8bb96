// The cost of work in CPU time of this process, without other processes. For rules like "a further row costs the same",
// where nothing can be counted; where something can be counted, count it.
import { expect } from "bun:test";

/** CPU milliseconds, of all threads. */
export function cpuMs(act: () => void): number {
  const from = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}

/**
 * Ratio of the costs of `act` and `base`. Both run in turns, and the cheapest run of each counts, so that warm-up and
 * garbage collection are not in it.
 */
export function costRatio(act: () => void, base: () => void, rounds = 3): number {
  let [actMs, baseMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    baseMs = Math.min(baseMs, cpuMs(base));
    actMs = Math.min(actMs, cpuMs(act));
  }
  return actMs / Math.max(baseMs, 0.05);
}

/** Asserts that `large` costs about `factor` times what `small` does, and not its square. */
export function expectLinear(large: () => void, small: () => void, factor: number): void {
  expect(costRatio(large, small)).toBeLessThan((factor * factor) / 2);
}
