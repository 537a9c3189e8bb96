// Random tests take a new seed each day, and run at a fifth of their full length: `npm run test:slow` runs all of it.

/** Days have numbers as people write them: 20261128 (UTC). */
const today = () => Number(new Date().toISOString().slice(0, 10).replaceAll("-", ""));

/** Seed of everything random in a test run; printed by the run, and taken back from the environment. */
export const SEED = Number(process.env.LYRA_TEST_SEED ?? today());
/** Part of the full length that random tests run. */
export const LENGTH = Number(process.env.LYRA_TEST_LENGTH ?? 0.2);
export const IS_FULL_LENGTH = LENGTH >= 1;

/** @returns how often to repeat what a full run repeats `full` times */
export function runs(full: number): number {
  return Math.max(1, Math.round(full * LENGTH));
}

/** @returns of what a full run tries one by one so large a part, at least one, other ones each day */
export function sample<T>(all: readonly T[], length = LENGTH): T[] {
  const every = Math.min(Math.max(1, Math.round(1 / length)), all.length);
  return all.filter((_, at) => (at + SEED) % every === 0);
}

/** @returns seeds of a test that makes everything from one small number: others each day, `full` of them in a full run */
export function seeds(full: number): number[] {
  const first = (SEED % 1_000_000) * 1_000;
  return Array.from({ length: runs(full) }, (_, at) => first + at);
}
