// Refuses many transactions of every kind and says what is held after each: bun scripts/refusals.ts [COUNT] [KIND].
// A long form of test/flood/refusals.test.ts; exit code 1 when memory grows.
import { growthOf } from "../test/flood/refusals.ts";

const [count = "100000", only] = process.argv.slice(2);
/** Structures that are bounded by a count are full after this many. */
const WARM_UP = 20_000;
const CHARACTERS = 2_000;
/** A hash for each would be 15. */
const GROWTH_MIB_MAX = 5;

const began = performance.now();
const growths = await growthOf({ warmUp: WARM_UP, count: Number(count), characters: CHARACTERS }, only);
for (const { kind, mib } of growths) console.log(`${mib.toFixed(2).padStart(8)} MiB more  ${kind}`);
const seconds = ((performance.now() - began) / 1000).toFixed(0);
const grown = growths.filter(({ mib }) => mib > GROWTH_MIB_MAX);
console.log(
  `${count} refusals of each kind in ${seconds} s: ${grown.length === 0 ? "flat" : "memory grows"}`,
);
process.exit(grown.length === 0 ? 0 : 1);
